"""Are the arguments of a call right? WildToolBench's rule: a check against the schema, then a comparison with gold.

The rule is the released evaluator's, values and error texts alike: docs/rules.md#wildtoolbenchs-rule. MMTB's rule is in
`mmtb_arguments.py`. Keys such as K3: docs/rules.md#defect-by-defect.
Everything is judged to a bounded depth, so neither a reply nor a tool definition can exhaust the stack.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.similarity import comparable, ratio, ratio_limit, rouge_l_summary, segment
from toolgauge.reasons import Parameter, Reason, printable

MAX_DEPTH = 100
"""Arguments nested deeper are unreadable; schemas nested deeper check nothing below."""
SHORT_TEXT = 10
"""Annotated texts below this length must also reach EDIT_MARK."""
EDIT_MARK = 0.8
ROUGE_MARK = 0.7

_CHINESE = re.compile("[\u4e00-\u9fa5]")
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "float": float,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
"""As the released evaluator has them: booleans pass as integers and numbers (they are in the host language)."""


_SCALARS = (str, int, float, type(None))
_decode = msgspec.json.Decoder().decode


class ArgumentFault(Struct, frozen=True):
    """Something that is wrong with a call's arguments.

    path: the argument, "" for the arguments as a whole, then `key`, `a.b`, `a[0]`; message: the reason in words,
    which are the released evaluator's (keys inside them sorted); mistake: the class of the taxonomy. made, expected:
    the two values, UNSET where there is none or the rule did not look at it (of missing and extra keys: their object);
    score: how alike two texts are, from 0 to 1, where that decides.
    """

    path: str
    reason: Reason
    mistake: Mistake
    made: object = UNSET
    expected: object = UNSET
    score: float | None = None

    @property
    def message(self) -> str:
        return printable(self.reason.text)


class ArgumentRule(Struct, frozen=True):
    """A benchmark's rule about values: faults(schema, predicted, gold) is everything that is wrong, nothing where the
    arguments are right. The first fault is the one that the verdict tells.

    schema: the tool's parameters as they are sent; predicted: what `read_arguments` gave.
    """

    faults: Callable[[Mapping[str, object], object, Mapping[str, object]], Iterator[ArgumentFault]]

    def __call__(
        self, schema: Mapping[str, object], predicted: object, gold: Mapping[str, object]
    ) -> ArgumentFault | None:
        """None where the arguments are right, else the first fault."""
        return next(self.faults(schema, predicted, gold), None)


class BadJson(Struct, frozen=True):
    """Stands for arguments that could not be read."""


def read_arguments(raw: object) -> Any:
    """The arguments of a call as a model sent them: JSON text, or an object, which is taken as it is (K3).

    Python's reader decides what JSON is: `NaN` is accepted, of equal keys the last one counts, the empty text is not
    JSON (Q1). Text it cannot read, nesting deeper than MAX_DEPTH and anything else give `BadJson`.
    """
    if isinstance(raw, dict):
        return raw if _is_readable(raw) else BadJson()
    if not isinstance(raw, str):
        return BadJson()
    try:
        value = _read_json(raw)
    except (ValueError, RecursionError):
        return BadJson()
    may_be_deep = raw.count("{") + raw.count("[") > MAX_DEPTH
    return BadJson() if may_be_deep and not _is_readable(value) else value


def _read_json(text: str) -> object:
    """What Python's reader makes of a text; where the faster one takes it too, both give the same."""
    try:
        return _decode(text)
    except (ValueError, RecursionError):
        return json.loads(text)


def argument_faults(
    schema: Mapping[str, object], predicted: object, gold: Mapping[str, object]
) -> Iterator[ArgumentFault]:
    """WildToolBench's rule: what does not fit the schema, then what is not as annotated."""
    if isinstance(predicted, dict):
        yield from misfits(predicted, schema)
    yield from compared_faults(predicted, gold)


def compared_faults(predicted: object, gold: Mapping[str, object]) -> Iterator[ArgumentFault]:
    """The same without asking the schema."""
    if isinstance(predicted, BadJson):
        yield fault(DialogueCode.NOT_JSON, "", Mistake.BAD_JSON)
    elif not isinstance(predicted, dict):
        yield fault(DialogueCode.SCHEMA_TYPE, "", Mistake.WRONG_TYPE, made=predicted)
    else:
        yield from differences(predicted, gold, "")


check_arguments = ArgumentRule(argument_faults)


def misfits(arguments: Mapping[str, object], schema: Mapping[str, object]) -> Iterator[ArgumentFault]:
    """Stage 1: where arguments do not fit the tool's schema."""
    return _object_faults(arguments, schema, "", 0)


def count_right(predicted: object, gold: Mapping[str, object]) -> int:
    """How many of the annotated arguments are right, each by itself; to choose the nearest annotated call."""
    if not isinstance(predicted, dict):
        return 0
    return sum(1 for key in gold if key in predicted and not any(differences(predicted[key], gold[key], key)))


def fault(
    code: DialogueCode,
    path: str,
    mistake: Mistake,
    *,
    made: object = UNSET,
    expected: object = UNSET,
    score: float | None = None,
    **parameters: Parameter,
) -> ArgumentFault:
    """A fault whose texts can be written to a file: of bounded length and free of lone surrogates."""
    if score is not None:
        parameters["score"] = f"{score:.2f}"
    return ArgumentFault(printable(path), Reason(code, parameters), mistake, made, expected, score)


def join(path: str, key: str) -> str:
    """The path of an object's member."""
    return f"{path}.{key}" if path else key


def _is_readable(value: object) -> bool:
    """Whether a value is made of JSON's types alone and nested at most MAX_DEPTH deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[object] = []
        for node in level:
            if isinstance(node, dict):
                if not all(isinstance(key, str) for key in node):
                    return False
                inner += node.values()
            elif isinstance(node, list):
                inner += node
            elif not isinstance(node, _SCALARS):
                return False
        if not inner:
            return True
        level = inner
    return False


# Stage 1: does the prediction fit the tool's schema?


def _schema_faults(value: object, schema: object, path: str, depth: int) -> Iterator[ArgumentFault]:
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return
    branches = schema.get("anyOf")
    if isinstance(branches, list) and branches:
        yield from _branches_faults(value, branches, path, depth)
        return
    kind = schema.get("type", "string")
    expected = _TYPES.get(kind) if isinstance(kind, str) else None
    if expected is not None and not isinstance(value, expected):
        yield _schema_error(DialogueCode.SCHEMA_TYPE, path, path, Mistake.WRONG_TYPE, value)
        return
    members = schema.get("enum")
    if isinstance(members, list) and value not in members:
        yield _schema_error(DialogueCode.SCHEMA_CHOICE, path, path, Mistake.WRONG_VALUE, value)
    elif isinstance(value, dict):
        yield from _object_faults(value, schema, path, depth, schema.get("additionalProperties") is True)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _schema_faults(item, schema["items"], f"{path}[{index}]", depth + 1)


def _branches_faults(value: object, branches: list[object], path: str, depth: int) -> Iterator[ArgumentFault]:
    """None if any branch accepts, else the first branch's faults; each is asked once."""
    told: Iterator[ArgumentFault] | None = None
    for branch in branches:
        found = _schema_faults(value, branch, path, depth + 1)
        first = next(found, None)
        if first is None:
            return
        told = told or chain((first,), found)
    yield from told or ()


def _object_faults(
    value: Mapping[str, object], schema: object, path: str, depth: int, open_ended: bool = False
) -> Iterator[ArgumentFault]:
    """Members missing, then members unknown or unfit in the order of the prediction; the top level is never open."""
    schema = schema if isinstance(schema, dict) else {}
    required, properties = schema.get("required"), schema.get("properties")
    for key in required if isinstance(required, list) else ():
        if isinstance(key, str) and key not in value:
            yield _schema_error(DialogueCode.SCHEMA_REQUIRED, path, join(path, key), Mistake.MISSING_REQUIRED)
    properties = properties if isinstance(properties, dict) else {}
    for key, member in value.items():
        if key in properties:
            if isinstance(member, str) and _takes_any_text(properties[key]):
                continue  # most arguments are texts, and most texts are free
            yield from _schema_faults(member, properties[key], join(path, key), depth + 1)
        elif not open_ended:
            yield _schema_error(DialogueCode.SCHEMA_UNDEFINED, path, join(path, key), Mistake.UNDEFINED_PARAM, member)


def _takes_any_text(schema: object) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and not ("enum" in schema or "anyOf" in schema)


_NESTED = {
    DialogueCode.SCHEMA_TYPE: DialogueCode.SCHEMA_TYPE_NESTED,
    DialogueCode.SCHEMA_CHOICE: DialogueCode.SCHEMA_CHOICE_NESTED,
    DialogueCode.SCHEMA_REQUIRED: DialogueCode.SCHEMA_REQUIRED_NESTED,
    DialogueCode.SCHEMA_UNDEFINED: DialogueCode.SCHEMA_UNDEFINED_NESTED,
}


def _schema_error(code: DialogueCode, judged: str, path: str, mistake: Mistake, made: object = UNSET) -> ArgumentFault:
    """`judged`: path of the value whose schema failed; below the top the released texts say "nested args"."""
    return fault(_NESTED[code] if judged else code, path, mistake, made=made)


# Stage 2: is the prediction what was annotated?


def differences(predicted: Any, gold: Any, path: str) -> Iterator[ArgumentFault]:
    """Stage 2: where a value is not the annotated one, in the order of the annotation.

    `200` and `200.0` differ, `true` and `1` too (Q2).
    """
    if type(predicted) is not type(gold):
        yield _match_error(DialogueCode.TYPE_DIFFERS, path, Mistake.WRONG_TYPE, predicted, gold)
    elif isinstance(gold, str):
        found = None if predicted == gold else _text_difference(predicted, gold, path)
        if found is not None:
            yield found
    elif isinstance(gold, dict):
        yield from _object_differences(predicted, gold, path)
    elif isinstance(gold, list):
        yield from _array_differences(predicted, gold, path)
    elif predicted != gold:
        yield _match_error(DialogueCode.VALUE_DIFFERS, path, Mistake.WRONG_VALUE, predicted, gold)


def _object_differences(
    predicted: Mapping[str, object], gold: Mapping[str, object], path: str
) -> Iterator[ArgumentFault]:
    if predicted.keys() != gold.keys():
        yield keys_mismatch(predicted, gold, path)
    for key, value in gold.items():
        if key not in predicted or (isinstance(value, str) and predicted[key] == value):
            continue  # most arguments are texts, and right
        yield from differences(predicted[key], value, join(path, key))


def keys_mismatch(predicted: Mapping[str, object], gold: Mapping[str, object], path: str) -> ArgumentFault:
    """made, expected: the objects."""
    missing, extra = sorted(gold.keys() - predicted.keys()), sorted(predicted.keys() - gold.keys())
    code, mistake = DialogueCode.KEYS_DIFFER, Mistake.EXTRA_VALUE
    if not extra:
        code, mistake = DialogueCode.KEYS_MISSING, Mistake.MISSING_VALUE
    elif not missing:
        code = DialogueCode.KEYS_EXTRA
    named: dict[str, Parameter] = {name: tuple(keys) for name, keys in (("missing", missing), ("extra", extra)) if keys}
    place = join(path, (extra or missing)[0])
    return ArgumentFault(printable(place), Reason(code, {"at": path, **named}), mistake, predicted, gold)


def _array_differences(predicted: list[object], gold: list[object], path: str) -> Iterator[ArgumentFault]:
    if len(predicted) != len(gold):
        yield _match_error(DialogueCode.LENGTH_DIFFERS, path, Mistake.WRONG_VALUE, predicted, gold)
        return
    for index, value in enumerate(gold):
        yield from differences(predicted[index], value, f"{path}[{index}]")


def _text_difference(predicted: str, gold: str, path: str) -> ArgumentFault | None:
    """Two unequal texts: short ones must be alike letter by letter, and all of them word by word."""
    if _squeezed(predicted) == _squeezed(gold):
        return None
    if len(gold) < SHORT_TEXT:
        score = _edit_score(predicted, gold)
        if score < EDIT_MARK:
            return _match_error(DialogueCode.LETTERS_DIFFER, path, Mistake.WRONG_VALUE, predicted, gold, score)
    try:
        score = _word_score(predicted, gold)
    except ValueError:
        return _match_error(DialogueCode.WORDS_UNMEASURED, path, Mistake.WRONG_VALUE, predicted, gold)
    if score < ROUGE_MARK:
        return _match_error(DialogueCode.WORDS_DIFFER, path, Mistake.WRONG_VALUE, predicted, gold, score)
    return None


def _squeezed(text: str) -> str:
    return "".join(text.split()).lower()


def _edit_score(predicted: str, gold: str) -> float:
    """The ratio of the raw texts, not computed where their lengths alone make it 0.00 when written."""
    limit = ratio_limit(predicted, gold)
    return limit if limit < 0.005 else ratio(predicted, gold)


def _word_score(predicted: str, gold: str) -> float:
    if not comparable(predicted, gold):
        return 0.0
    if _CHINESE.search(predicted) or _CHINESE.search(gold):
        return rouge_l_summary(" ".join(segment(predicted)), " ".join(segment(gold)))
    return rouge_l_summary(predicted, gold)


def _match_error(
    code: DialogueCode, path: str, mistake: Mistake, made: object, expected: object, score: float | None = None
) -> ArgumentFault:
    return fault(code, path, mistake, made=made, expected=expected, score=score, at=path)
