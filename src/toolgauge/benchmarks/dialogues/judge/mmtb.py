"""MMTB's rules: the scoring `tables`, with which the papers' tables were made (docs/rules.md#scorings), and MMTB's
argument rule (docs/rules.md#mmtbs-rule).

Names first, over the whole run and under the released rules; only then the arguments, each call paired greedily by
score, from 0 to 1. A call is right from 0.7 on, a task if every pair is. Repaired: M1 (the released evaluator raises;
the call scores 0 with a fault that says why) and M7 (an argument error does not count as full progress); keys:
docs/rules.md#defect-by-defect.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.benchmarks.dialogues.judge.released import NameRun
from toolgauge.chat import Json
from toolgauge.data.session import ASK, FINAL, Call
from toolgauge.judge.alignment import align
from toolgauge.judge.arguments import ArgumentFault, BadJson, Faults, fault, join
from toolgauge.judge.exact import RUN_ENDS
from toolgauge.judge.literals import disagreement
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.replies import ReadReply
from toolgauge.judge.similarity import MAX_CELLS, comparable, lcs_length, same_but_spacing, segment
from toolgauge.judge.verdict import ERROR, Verdict, argument_failure, failure, success
from toolgauge.reasons import N_, ReasonCode, reason

PASS_MARK = 0.7
"""A call at or above this score is right."""

_SEVERITY = {
    mistake: rank
    for rank, mistake in enumerate(
        (
            Mistake.BAD_JSON,
            Mistake.MISSING_REQUIRED,
            Mistake.UNDEFINED_PARAM,
            Mistake.WRONG_TYPE,
            Mistake.EXTRA_VALUE,
            Mistake.WRONG_VALUE,
            Mistake.MISSING_VALUE,
        )
    )
}
"""Which of a call's faults names its class (docs/rules.md#mmtbs-rule)."""

_EXACT_TYPES = frozenset({"integer", "boolean", "float", "number"})
"""Types whose values are equal or wrong, nothing between."""
_COORDINATES = re.compile(r"^\d+\.\d+,\d+\.\d+$")


class _NoRule(Exception):
    """Two unequal values of a type that their schema does not name: the released evaluator raises, the call fails."""

    def __init__(self, found: ArgumentFault) -> None:
        super().__init__(found.path)
        self.fault = found


class MmtbCode(ReasonCode):
    """What MMTB's analysis finds wrong; texts with a meaning beside them are its own."""

    STEP_DOES_NOT_FIT = "step_does_not_fit", N_("the tools called at step {step} do not fit")
    NOT_JSON = "scored_not_json", "arguments are not JSON", N_("arguments are not JSON")
    TYPE = "scored_type", "type error", N_("not of the declared type")
    REQUIRED = "scored_required", "miss required params", N_("a required parameter is missing")
    NO_ARGUMENTS = "scored_no_arguments", N_("no arguments")
    UNDEFINED = "scored_undefined", "param hallucination", N_("the tool has no such parameter")
    NOT_GIVEN = "scored_not_given", "param value hallucination", N_("a value that nobody gave")
    VALUE = "scored_value", "param value error", N_("another value than annotated")


class CallScore(Struct, frozen=True):
    """score: 0 to 1; faults: everything that was noted, also in a call that passes, in the order of the prediction."""

    score: float
    faults: tuple[ArgumentFault, ...] = ()


def exact_lenient_faults(schema: Mapping[str, object], predicted: object, call: Call) -> Faults:
    """The faults of a call that does not pass in `exact`, the gravest first: MMTB's rule, but texts that are alike must
    agree in every number, date and negation (judge/literals.py). An `ArgumentRule`."""
    yield from told_faults(score_arguments(schema, predicted, call.arguments, exact=True))


def told_faults(judged: CallScore) -> list[ArgumentFault]:
    """Nothing for a score that passes, else the faults, of which the gravest, the first, names the task's class."""
    if judged.score >= PASS_MARK:
        return []
    return sorted(judged.faults, key=lambda fault: _SEVERITY[fault.mistake])


def score_arguments(
    schema: Mapping[str, object], predicted: object, gold: Mapping[str, object], exact: bool = False
) -> CallScore:
    """The score of a call against one annotated call, and what is wrong with it.

    schema: the tool's parameters as they are sent; predicted: what `read_arguments` gave. A score below PASS_MARK
    always comes with a fault. exact: see `exact_lenient_faults`.
    """
    if isinstance(predicted, BadJson):
        return _refused(MmtbCode.NOT_JSON, "", Mistake.BAD_JSON)
    if not isinstance(predicted, dict):
        return _refused(MmtbCode.TYPE, "", Mistake.WRONG_TYPE)
    schema = _mapping(schema)
    required = schema.get("required")
    for key in required if isinstance(required, list) else ():
        if isinstance(key, str) and key not in predicted:
            return _refused(MmtbCode.REQUIRED, key, Mistake.MISSING_REQUIRED)
    if not predicted and gold:
        return _refused(MmtbCode.NO_ARGUMENTS, next(iter(gold)), Mistake.MISSING_VALUE)
    scorer, gold = _Scorer(exact), _mapping(gold)
    try:
        score = scorer.arguments(predicted, gold, _mapping(schema.get("properties")))
    except _NoRule as unjudged:
        return CallScore(0.0, (unjudged.fault,))
    return CallScore(score, tuple(scorer.faults))


def _refused(code: MmtbCode, path: str, mistake: Mistake) -> CallScore:
    return CallScore(0.0, (fault(code, path, mistake),))


class _Scorer:
    """Scores values from 0 to 1; `faults` takes everything that is noted on the way."""

    def __init__(self, exact: bool) -> None:
        self.exact = exact
        self.faults: list[ArgumentFault] = []

    def arguments(self, given: Json, gold: Mapping[str, object], properties: Json) -> float:
        """The mean over the arguments that the model gave; of none at all, 1."""
        scores = []
        for key, value in given.items():
            if key not in properties:
                self._note(MmtbCode.UNDEFINED, key, Mistake.UNDEFINED_PARAM, value)
                scores.append(0.0)
            else:
                scores.append(self._argument(key, value, gold, properties[key], key))
        return _mean(scores) if scores else 1.0

    def _note(self, code: MmtbCode, path: str, mistake: Mistake, made: object, expected: object = UNSET) -> None:
        self.faults.append(fault(code, path, mistake, made=made, expected=expected))

    def _argument(self, key: str, value: object, gold: Mapping[str, object], schema: object, path: str) -> float:
        """One that the annotation does not give is right if the parameter's description mentions it."""
        if key in gold:
            return self._value(value, gold[key], _mapping(schema), path)
        if _is_mentioned(value, _mapping(schema).get("description")):
            return 1.0
        self._note(MmtbCode.NOT_GIVEN, path, Mistake.EXTRA_VALUE, value)
        return 0.0

    def _value(self, made: Any, expected: Any, schema: Json, path: str) -> float:
        """The score of one value; equal values are right whatever the schema says of them."""
        value: Any = _as_float(made)
        gold: Any = _as_float(expected)
        if type(value) is not type(gold):
            self._note(MmtbCode.TYPE, path, Mistake.WRONG_TYPE, made, expected)
            return 0.0
        if value == gold or (
            isinstance(value, str) and (value.lower() == gold.lower() or same_but_spacing(value, gold))
        ):
            return 1.0
        if isinstance(value, dict):
            return self._object(value, gold, schema, path)
        kind = schema.get("type")
        score = 0.0
        if kind == "array" and isinstance(value, list):
            if len(value) == len(gold):
                return self._array(value, gold, schema, path)
        elif kind == "string" and isinstance(value, str):
            score = self._text(value, gold)
        elif not (isinstance(kind, str) and kind in _EXACT_TYPES):
            raise _NoRule(fault(MmtbCode.VALUE, path, Mistake.WRONG_VALUE, made=made, expected=expected))
        if score <= PASS_MARK:
            self._note(MmtbCode.VALUE, path, Mistake.WRONG_VALUE, made, expected)
        return score

    def _text(self, text: str, gold: str) -> float:
        """Two coordinates are alike whatever they are; other texts as far as their words agree."""
        if self.exact and disagreement(text, gold) is not None:
            return 0.0
        if _COORDINATES.match(text) and _COORDINATES.match(gold):
            return 1.0
        return rouge_l(segment(gold), segment(text)) if comparable(text, gold) else 0.0

    def _object(self, value: Json, gold: Json, schema: Json, path: str) -> float:
        """Mean over the predicted members; an unknown one makes the whole object worthless and its only fault."""
        members, noted = _members(schema), len(self.faults)
        scores: list[float] = []
        for key, member in value.items():
            if key not in members:
                del self.faults[noted:]
                self._note(MmtbCode.UNDEFINED, join(path, key), Mistake.UNDEFINED_PARAM, member)
                return 0.0
            scores.append(self._argument(key, member, gold, members[key], join(path, key)))
        if not scores:
            self._note(MmtbCode.VALUE, path, Mistake.WRONG_VALUE, value, gold)
        return _mean(scores)

    def _array(self, value: list[object], gold: list[object], schema: Json, path: str) -> float:
        """Mean over the elements, both sides in the order of their JSON texts: the order sent does not count."""
        items = _mapping(schema.get("items", {"type": "string"}))
        items = _mapping(items.get("properties", items))
        order = sorted(range(len(value)), key=lambda index: _json_text(value[index]))
        pairs = zip(order, sorted(gold, key=_json_text), strict=True)
        return _mean([self._value(value[index], other, items, f"{path}[{index}]") for index, other in pairs])


def _is_mentioned(value: object, description: object) -> bool:
    text = description.lower() if isinstance(description, str) else ""
    try:
        written = str(value).lower()
    except ValueError:  # an integer of thousands of digits
        return False
    return written in text or (written == "none" and "null" in text)


def _members(schema: Mapping[str, object]) -> dict[str, object]:
    """Where an object's members are described: under `items` or `properties`, or in the schema itself.

    That order, and the second look for `properties`, are the released evaluator's; its data write lists of objects
    as objects with `items`, and `_array` hands down the members themselves.
    """
    inner = _mapping(schema.get("items", schema.get("properties", schema)))
    return _mapping(inner.get("properties", inner))


def _json_text(value: object) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except ValueError:  # an integer of thousands of digits
        return ""


def rouge_l(target: Sequence[str], prediction: Sequence[str]) -> float:
    """ROUGE-L F1 in [0, 1] of two token lists as the package `rouge-score` computes it; 0.0 above MAX_CELLS."""
    if not target or not prediction or len(target) * len(prediction) > MAX_CELLS:
        return 0.0
    length = lcs_length(target, prediction)
    precision, recall = length / len(prediction), length / len(target)
    return 2 * precision * recall / (precision + recall) if length else 0.0


def _as_float(value: object) -> object:
    if type(value) is not int:
        return value
    try:
        return float(value)
    except OverflowError:
        return value


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _mean(scores: list[float]) -> float:
    """Plain additions: `sum` rounds otherwise from Python 3.12 on, and the last digit can decide at 0.7."""
    total = 0.0
    for score in scores:
        total += score
    return total / len(scores) if scores else 0.0


def judge_tables(run: NameRun) -> Verdict:
    """The verdict behind the published tables on one task."""
    task = run.task
    if not run.closed:
        return _name_failure(run)
    failing = failing_calls(run)
    if not failing:
        return success(len(run.steps) == task.graph.depth, task.size)
    position, tool, score = failing[0]
    fault = told_faults(score)[0]  # a score below the pass mark comes with a fault
    progress = (run.done_before(position), task.size)
    verdict = argument_failure(tool, progress, fault)
    wrong = tuple((name, found.path) for _, name, low in failing for found in low.faults if found.path)
    return replace(verdict, wrong_arguments=wrong or UNSET)


def _name_failure(run: NameRun) -> Verdict:
    task, turns = run.task, run.turns
    progress = (run.done_before(len(run.steps)), task.size)
    if run.failed is None:
        return failure(ERROR, progress, None, RUN_ENDS)
    # a legal order goes on where the released run ended: what was said after that does not name its mistake
    mistake = official_action_class(task.graph.names, turns[: run.failed + 1], task.tools.keys())
    return failure(ERROR, progress, mistake.value, reason(MmtbCode.STEP_DOES_NOT_FIT, step=run.failed + 1))


def failing_calls(run: NameRun) -> list[tuple[int, str, CallScore]]:
    """The calls below the pass mark in their order: (turn, tool, score with its faults).

    Over the whole task each call in order takes the still unpaired annotated call of its name with the highest score;
    the score of that pair counts, not the one computed last (Q8).
    """
    matched: dict[str, int] = {}
    for node in (node for nodes in run.steps for node in nodes):
        name = run.task.graph.names[node]
        matched[name] = matched.get(name, 0) | 1 << node
    made = [(turn, call) for turn, read in enumerate(run.turns[: len(run.steps)]) for call in read.calls]
    scores: dict[tuple[int, int], CallScore] = {}

    def score_of(row: int, node: int) -> CallScore:
        if (row, node) not in scores:
            call, gold = made[row][1], run.task.task.calls[node].arguments
            scores[row, node] = score_arguments(run.task.schema(call.name), call.value, gold)
        return scores[row, node]

    nodes = align([(matched[call.name],) for _, call in made], lambda row, node: score_of(row, node).score)
    pairs = ((row, score_of(row, node)) for row, node in enumerate(nodes) if node is not None)
    return [(made[row][0], made[row][1].name, score) for row, score in pairs if score.score < PASS_MARK]


def official_action_class(gold: Sequence[str], turns: Sequence[ReadReply], offered: Collection[str]) -> Mistake:
    """MMTB's class of a task whose names failed (docs/rules.md#mmtbs-procedure).

    gold: the names of all annotated calls, closing reply included.
    """
    called = [_called_names(turn) for turn in turns]
    if len(called) <= 1 and not any(called):
        return Mistake.REFUSAL
    if list(gold) == [FINAL]:
        return Mistake.NEEDLESS_TOOL
    noted: list[str] = []
    found: Mistake | None = None
    for names in called:
        for name in names or [ASK]:
            if name == "filter_by_prompt":
                found = Mistake.REFUSAL
                break
            if name not in offered and names:
                found = Mistake.UNKNOWN_TOOL
                break
            noted.append(name)
    return found or _official_by_names(gold, noted)


def _called_names(turn: ReadReply) -> list[str]:
    """The names that the analysis reads in a reply: it asks for no id, but the first call must have a name."""
    names = [call.name for call in turn.reply.tool_calls]
    return [name for name in names if name is not None] if names and names[0] is not None else []


def _official_by_names(gold: Sequence[str], noted: list[str]) -> Mistake:
    if ASK in gold and ASK not in noted:
        return Mistake.MISSED_CLARIFICATION
    if len(noted) > len(gold) - 1:
        return Mistake.REDUNDANT_CALL
    missing, extra = Counter(gold) - Counter(noted), Counter(noted) - Counter(gold)
    if missing[ASK]:
        return Mistake.MISSED_CLARIFICATION
    if extra:
        return Mistake.REDUNDANT_CALL if extra.keys() <= set(gold) else Mistake.WRONG_TOOL
    return Mistake.EARLY_TERMINATION
