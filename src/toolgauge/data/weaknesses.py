"""What is weak in a session that was made of a log and not reviewed yet: codes, each with a sentence and its place.

They stand in the session's `origin`, beside `unreviewed`, until somebody has approved it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, convert

from toolgauge.data.lines import LANGUAGES, numbered_lines, parse_line
from toolgauge.data.record import MAX_PROBLEMS, DataLine, Problem
from toolgauge.data.session import Session
from toolgauge.data.sessions import has_language, language_prefix, read_session
from toolgauge.errors import DataError
from toolgauge.reasons import GAP, N_, Parameter, ReasonCode, printable, slots

UNREVIEWED, WEAK = "unreviewed", "weak"
"""Fields of a session's `origin`: nobody has looked at its annotation, and what is weak in it."""
_MARK = f'"{UNREVIEWED}"'.encode()


class WeakCode(ReasonCode):
    """A member is its code and its English text, with {slots} for parameters."""

    NO_CLOCK = "no_clock", N_("nothing says when the conversation took place: relative dates mean nothing")
    TOOLS_INFERRED = "tools_inferred", N_("nobody defines the tool {tool}: it is known from calls, without parameters")
    NO_TOOLS = "no_tools", N_("there are no tools: nothing can be got wrong by calling one")
    RESULT_MISSING = "result_missing", N_("the call of {tool} has no result")
    CALL_FAILED = "call_failed", N_("the call of {tool} failed: is it the right one?")
    CALL_REPEATED = "call_repeated", N_("the call of {tool} was made before with the same arguments: is it meant?")
    NO_REPLY = "no_reply", N_("the task has no closing reply: whether it was done, nobody says")
    NO_ANSWER = "no_answer", N_("a last message of the user was left out: nobody answered it")
    BEFORE_USER = "before_user", N_("what was said before the user's first message was left out")


Index = Annotated[int, Meta(ge=0)]


class Weakness(Struct, frozen=True, omit_defaults=True):
    """task: from 0, None: the whole session; call: its node in the task's graph; message: of the conversation, from 0,
    where something was left out."""

    code: WeakCode
    task: Index | None = None
    call: Index | None = None
    message: Index | None = None
    parameters: dict[str, Parameter] = {}

    @property
    def text(self) -> str:
        """The sentence, with a gap for a parameter that the file lacks."""
        values = {name: printable(value) for name, value in slots(self.parameters).items()}
        return self.code.text.format(**{"tool": GAP, **values})


def standing(session: Session) -> Iterator[Weakness]:
    """The weaknesses that a session lists, without those that were mended since, as far as its record tells."""
    return (weakness for weakness in weaknesses_of(session.extra) if not _is_mended(weakness, session))


def weaknesses_of(extra: dict[str, object]) -> list[Weakness]:
    """Those that a session's `origin` lists; none of one that is reviewed. What is no weakness is left out."""
    origin = extra.get("origin")
    if not isinstance(origin, dict) or not origin.get(UNREVIEWED) or not isinstance(origin.get(WEAK), list):
        return []
    weaknesses = []
    for entry in origin[WEAK]:
        try:
            weaknesses.append(convert(entry, Weakness))
        except ValidationError:
            continue
    return weaknesses


def as_reviewed(record: dict[str, object]) -> dict[str, object]:
    """A record without the mark of an unreviewed one and what was weak in it; the same record where it has none."""
    origin = record.get("origin")
    if not isinstance(origin, dict) or UNREVIEWED not in origin:
        return record
    return record | {"origin": {key: part for key, part in origin.items() if key not in (UNREVIEWED, WEAK)}}


def _is_mended(weak: Weakness, session: Session) -> bool:
    if weak.code is WeakCode.NO_CLOCK:
        return bool(session.clock.strip())
    if weak.code is WeakCode.TOOLS_INFERRED:
        tool = session.tools_by_name.get(str(weak.parameters.get("tool")))
        return tool is None or bool(tool.description or tool.properties)
    if weak.task is None:
        return False
    calls = session.tasks[weak.task].calls if weak.task < len(session.tasks) else ()
    node = weak.call or 0
    if node >= len(calls):
        return True
    match weak.code:
        case WeakCode.RESULT_MISSING:
            return calls[node].observation is not None
        case WeakCode.NO_REPLY:
            return bool(str(calls[-1].observation or "").strip())
    return False


def weak_places(path: Path | str, language: str | None = None) -> list[Problem]:
    """At most MAX_PROBLEMS; what cannot be read is left to the check. Raises DataError where the file cannot be."""
    problems: list[Problem] = []
    for number, text in numbered_lines(path):
        if _MARK not in text:
            continue
        try:
            record = DataLine(path, number, parse_line(text, path, number), problems=[])
        except DataError:
            continue
        for side in (language,) if language else LANGUAGES:
            session = read_session(record, side) if has_language(record.value, side) else None
            for weak in standing(session) if session else ():
                place = _place(weak, language_prefix(side))
                problems.append(Problem(str(path), weak.text, number, place))
                if len(problems) >= MAX_PROBLEMS:
                    return problems
    return problems


def _place(weak: Weakness, prefix: str) -> str | None:
    """The field of the record that it is about."""
    if weak.task is None:
        return None
    call = "" if weak.call is None else f"[{weak.call}]"
    return f"{prefix}answer_list[{weak.task}]{call}"
