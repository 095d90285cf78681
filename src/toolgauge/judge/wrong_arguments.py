"""Every wrong argument of a call, with both values and the reason: what people are shown.

A verdict tells the first fault of the first wrong call alone. Whoever shows a task makes the whole list, here, from the
annotation and what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.chat import Reply
from toolgauge.data.lines import as_json
from toolgauge.judge.arguments import ArgumentFault, ArgumentRule, BadJson, join
from toolgauge.judge.exact import ExactJudge
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.replies import AnnotatedTask, Checks, MadeCall
from toolgauge.judge.similarity import EDIT_MARK, ROUGE_MARK
from toolgauge.reasons import Explanation, Reason, ReasonCode, printable, reason

MOST = 50
"""Wrong arguments of one task that are told."""
MAX_VALUE = 400
"""Characters of a value: a longer one is cut around the first place where the two differ."""

_INDEX = re.compile(r"\[(\d{1,9})\]")
_BELOW: dict[ReasonCode, tuple[DialogueCode, float]] = {
    DialogueCode.LETTERS_DIFFER: (DialogueCode.EDIT_BELOW, EDIT_MARK),
    DialogueCode.WORDS_DIFFER: (DialogueCode.ROUGE_BELOW, ROUGE_MARK),
}
_KEYS = (DialogueCode.KEYS_MISSING, DialogueCode.KEYS_EXTRA, DialogueCode.KEYS_DIFFER)


class WrongArgument(Struct, frozen=True, omit_defaults=True):
    """tool: of the call; path: of the argument, "" for all of them; made, expected: JSON text, None where there is no
    such value; why: without place and values, to be told by `Explanation.briefly`."""

    tool: str
    path: str
    made: str | None
    expected: str | None
    why: Explanation


def wrong_arguments(task: AnnotatedTask, rule: ArgumentRule, replies: Sequence[Reply]) -> tuple[WrongArgument, ...]:
    """Of the calls of the step that fails by `exact`: nothing where it fails by its names, or none fails."""
    judge = ExactJudge(task, rule, replies)
    wrong = (one for made, node in judge.wrong_calls() for one in wrong_in_call(judge.checks, made, node))
    return tuple(islice(wrong, MOST))


def wrong_in_call(checks: Checks, made: MadeCall, node: int) -> tuple[WrongArgument, ...]:
    """Of a call as an annotated one: each path once, the one that the verdict tells first."""
    if checks.fault(made, node) is None:
        return ()
    gold = checks.task.task.calls[node].arguments
    by_path: dict[str, WrongArgument] = {}
    for fault in islice(checks.faults(made, node), MOST):
        for wrong in _told(made, fault, gold):
            by_path.setdefault(wrong.path, wrong)
    return tuple(by_path.values())


def _told(made: MadeCall, fault: ArgumentFault, gold: object) -> Iterator[WrongArgument]:
    if fault.reason.code in _KEYS and isinstance(fault.made, dict) and isinstance(fault.expected, dict):
        at = str(fault.reason.parameters["at"])
        for code, one, other in (
            (DialogueCode.KEYS_EXTRA, fault.made, fault.expected),
            (DialogueCode.KEYS_MISSING, fault.expected, fault.made),
        ):
            for key in sorted(one.keys() - other.keys()):
                text, is_extra = as_json(one[key]), code is DialogueCode.KEYS_EXTRA
                value, expected = (text, None) if is_extra else (None, text)
                yield told(made.name, join(at, key), value, expected, reason(code))
        return
    value = made.text if isinstance(made.value, BadJson) else json_text(fault.made)
    annotated = _at(gold, fault.path) if fault.expected is UNSET else fault.expected
    yield told(made.name, fault.path, value, json_text(annotated), _measured(fault))


def told(tool: str, path: str, made: str | None, expected: str | None, why: Reason) -> WrongArgument:
    """What is shown of a wrong argument; the texts of any length."""
    made, expected = cut_pair(made, expected, MAX_VALUE)
    short = Explanation(why.code.meaning) if why.code.meaning else why.explained()
    return WrongArgument(
        printable(tool),
        printable(path),
        None if made is None else printable(made),
        None if expected is None else printable(expected),
        replace(short, code=why.code.value),
    )


def json_text(value: object) -> str | None:
    """None for UNSET."""
    return None if value is UNSET else as_json(value)


def _measured(fault: ArgumentFault) -> Reason:
    """Of a text that is too unlike: how much, written so that it is seen to be below the mark."""
    below = _BELOW.get(fault.reason.code)
    if fault.score is None or below is None:
        parameters = fault.reason.parameters
        return Reason(fault.reason.code, {name: parameters[name] for name in parameters if name in ("here", "there")})
    code, mark = below
    return reason(code, score=f"{min(fault.score, mark - 0.01):.2f}", mark=str(mark))


def _at(value: object, path: str) -> object:
    """What stands at a path in annotated arguments; UNSET where nothing does. Keys may hold dots and brackets."""
    while path:
        if isinstance(value, dict):
            fitting = [key for key in value if path == key or path.startswith((f"{key}.", f"{key}["))]
            if not fitting:
                return UNSET
            key = max(fitting, key=len)
            value, path = value[key], path[len(key) :].removeprefix(".")
            continue
        match = _INDEX.match(path)
        if match is None or not isinstance(value, list) or int(match[1]) >= len(value):
            return UNSET
        value, path = value[int(match[1])], path[match.end() :].removeprefix(".")
    return value


def as_rows(wrong: Iterable[WrongArgument]) -> list[dict[str, str | None]]:
    """As they stand in a cell of details.csv, the reasons in English."""
    return [
        {
            "tool": argument.tool,
            "path": argument.path,
            "made": argument.made,
            "expected": argument.expected,
            "why": argument.why.detail,
        }
        for argument in wrong
    ]


def cut_pair(first: str | None, second: str | None, limit: int) -> tuple[str | None, str | None]:
    """Two texts of at most so many characters, "…" for the rest: long ones around the first place where they differ."""
    if first is None or second is None or first == second:
        return _window(first, 0, limit), _window(second, 0, limit)
    if max(len(first), len(second)) <= limit:
        return first, second
    place = next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    begin = max(0, place - limit // 3)
    return _window(first, begin, limit), _window(second, begin, limit)


def _window(text: str | None, begin: int, limit: int) -> str | None:
    if text is None or (not begin and len(text) <= limit):
        return text
    return ("…" if begin else "") + text[begin : begin + limit] + ("…" if len(text) > begin + limit else "")
