"""Calls in the text of a reply: as JSON objects behind a mark, or as a name with JSON behind it.

A text is gone through once. A JSON value that cannot be read costs work, in characters; there is a limit to it in
proportion to the text's length, after which the rest stays text: no text takes more than linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.chat import ToolCall
from toolgauge.models.dialects.calls import MAX_CALLS, MAX_DEPTH, Parsed, new_call, within_depth, write_json

WORK = 8
"""Characters of JSON that may be read in vain, per character of the text."""
LINES = 100
"""Characters whose lines are counted with the work of reading one."""
NEAR = 400
"""Characters in which the arguments of a call begin."""
_DECODER = json.JSONDecoder(strict=False)
_BETWEEN = re.compile(r"[\s,;]*+")
_SPACE = re.compile(r"\s*+")
_ARGUMENTS = ("arguments", "parameters")
"""Under which an object that is a call has its arguments."""
_NAME_ALONE = {"name", "id", "type"}
_CLOSING = r"</|<[|｜]/|<\w{1,40}\|>|<(?:end|[|｜][^<>\n]{0,40}?end)"
"""How the closing marks of all families begin."""
_BEGUN = re.compile(rf"\s*+(?!{_CLOSING})(?:[\[{{<]|\w[^\s\[{{(<:=]{{0,200}}+(?!{_CLOSING})(?:[\[{{(<=]|:\d))")
"""What a call begins with: JSON, a list, an opening tag, or a name and a sign."""
_LIKE_A_CALL = re.compile(r'[\[\s]*+\{\s*+"(?:name|tool_calls)"\s*+:')


class Reading:
    """A text that is being read: calls, what stays text, and why. framed: marks around what is said are left out even
    where nothing else was found."""

    def __init__(self, text: str, framed: bool = False) -> None:
        self.text, self._framed = text, framed
        self.calls: list[ToolCall] = []
        self.problem: CallProblem | None = None
        self._said: list[str] = []
        self._thoughts: list[str] = []
        self._end = len(text.rstrip())
        self._work = WORK * len(text) + 1000

    def add_text(self, text: str) -> None:
        if text := text.strip():
            self._said.append(text)

    def add_reasoning(self, text: object) -> None:
        if isinstance(text, str) and text.strip():
            self._thoughts.append(text.strip())

    def note(self, problem: CallProblem) -> None:
        """Remember the first problem."""
        self.problem = self.problem or problem

    def note_mark(self, problem: CallProblem, mark: re.Match[str], since: int) -> None:
        """The same of what stands behind a mark that should announce a call, unless the mark is only spoken of.

        since: where the text begins that is no call. A mark is spoken of if it stands in a sentence and no call begins
        behind it: "use JSON in <tool_call>", "no <tool_call> and </tool_call> tags were needed".
        """
        before = self.text[max(since, mark.start() - NEAR) : mark.start()].rpartition("\n")[2]
        if not before.strip() or _BEGUN.match(self.text, mark.end()):
            self.note(problem)

    @property
    def exhausted(self) -> bool:
        """Whether so much was read in vain that the rest stays text."""
        return self._work < 0

    def skip(self, pattern: re.Pattern[str], at: int) -> int:
        """Behind what the pattern matches here, or here."""
        match = pattern.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int) -> tuple[Any, int]:
        """The JSON value that begins here and the place behind it; raises UnreadCall."""
        if self.exhausted:
            raise UnreadCall(CallProblem.TOO_BROKEN)
        try:
            value, end = _DECODER.raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            unterminated = error.msg.startswith("Unterminated")
            read = (len(self.text) if unterminated else error.pos) - at
            self._work -= read + 1 + error.pos // LINES  # the error counts the lines before it
            rest = self.text[error.pos : self._end] if self._end - error.pos < 5 else "-"
            if unterminated or any(word.startswith(rest) for word in ("true", "false", "null")):
                raise UnreadCall(CallProblem.CUT_OFF) from None
            raise UnreadCall(CallProblem.BROKEN_JSON) from None
        except (ValueError, RecursionError) as error:  # numbers of thousands of digits; brackets without end
            self._work -= len(self.text) - at
            deep = isinstance(error, RecursionError)
            raise UnreadCall(CallProblem.TOO_DEEP if deep else CallProblem.LONG_NUMBER) from None
        return value, end

    def add_call(self, name: object, arguments: object) -> None:
        """Raises UnreadCall if the value is no call."""
        if isinstance(arguments, str):
            arguments = _object_in(arguments)
        if not isinstance(name, str) or not name.strip() or not isinstance(arguments, dict):
            raise UnreadCall(CallProblem.NO_CALL)
        if not within_depth(arguments):
            raise UnreadCall(CallProblem.TOO_DEEP)
        if len(self.calls) >= MAX_CALLS:
            raise UnreadCall(CallProblem.TOO_MANY)
        self.calls.append(new_call(len(self.calls), name.strip(), arguments))

    def parsed(self) -> Parsed:
        reasoning = "\n".join(self._thoughts) or None
        if not self.calls and not reasoning:
            return Parsed("\n".join(self._said) if self._framed else self.text, problem=self.problem)
        return Parsed("\n".join(self._said) or None, tuple(self.calls), reasoning, self.problem)


def _object_in(text: str) -> object:
    """The object of arguments that some models write as a text; the text itself where it holds none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def parse_marked(text: str, mark: re.Pattern[str], take: Callable[[Reading, int], int]) -> Parsed:
    """The calls behind marks, and what else a text says.

    take: takes the call that begins at a place and returns the place behind all of it. Raises UnreadCall where a call
    should be and is none.
    """
    reading = Reading(text)
    emitted = searched = 0
    while searched <= len(text) and (opener := mark.search(text, searched)):
        searched = max(opener.end(), opener.start() + 1)
        try:
            end = take(reading, opener.end())
        except UnreadCall as unread:
            reading.note_mark(unread.problem, opener, emitted)
            continue
        reading.add_text(text[emitted : opener.start()])
        emitted = searched = end
    reading.add_text(text[emitted:])
    return reading.parsed()


class Scanner:
    """A place in a text that is written in a notation of values of its own, and how to go on from it.

    space: what may stand before any mark; broken: the problem of what cannot be read.
    """

    space = re.compile(r"\s*+")
    broken = CallProblem.NO_VALUE

    def __init__(self, text: str, at: int = 0) -> None:
        self.text, self.at = text, at

    def match(self, pattern: re.Pattern[str]) -> str:
        """What the pattern matches here, which is gone behind; "" where nothing does."""
        match = pattern.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return match[0] if match else ""

    def takes(self, mark: str) -> bool:
        """Goes behind a mark and the blanks before it, if they stand here."""
        self.match(self.space)
        here = self.text.startswith(mark, self.at)
        self.at += len(mark) * here
        return here

    def expect(self, mark: str) -> None:
        """Raises UnreadCall where the mark does not stand here."""
        if not self.takes(mark):
            raise self.unreadable()

    def unreadable(self) -> UnreadCall:
        self.match(self.space)
        return UnreadCall(CallProblem.CUT_OFF if self.at >= len(self.text) else self.broken)

    def check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise UnreadCall(CallProblem.TOO_DEEP)


class NamedCalls(Struct, frozen=True):
    """Calls whose names stand before the JSON of their arguments: DeepSeek V3, Kimi.

    mark: announces one call; head: what stands between the mark and the JSON, with the group "name"; tail: what may
    stand behind it. The marks of sections belong to the first call's mark and the last call's tail.
    """

    mark: re.Pattern[str]
    head: re.Pattern[str]
    tail: re.Pattern[str]

    def parse(self, text: str) -> Parsed:
        return parse_marked(text, self.mark, self._take)

    def _take(self, reading: Reading, at: int) -> int:
        head = self.head.match(reading.text, at)
        if head is None:
            raise UnreadCall(CallProblem.UNWRITTEN)
        arguments, end = reading.value(head.end())
        reading.add_call(head["name"], arguments)
        return reading.skip(self.tail, end)


class JsonCalls(Struct, frozen=True):
    """JSON objects of name and arguments or lists of them, one or several, behind an opener.

    opener: where it matches, JSON must follow if its group "mark" matched, else what follows is a call or just text.
    closer: what may stand behind the JSON. Behind a mark an object of nothing but a name is a call without arguments.
    """

    opener: re.Pattern[str]
    closer: re.Pattern[str]

    def parse(self, text: str) -> Parsed:
        reading = Reading(text)
        emitted = searched = 0  # what lies before `kept` is a call or said; what lies before `searched` opens nothing
        while not reading.exhausted and (opener := self.opener.search(text, searched)):
            end, broken = self._block(reading, opener, emitted)
            if end > opener.end():
                reading.add_text(text[emitted : opener.start()])
                emitted = end if broken else reading.skip(self.closer, reading.skip(_SPACE, end))
                searched = emitted
                continue
            searched = max(opener.end(), opener.start() + 1)
            if not opener.groupdict().get("mark"):
                searched = max(searched, _behind(reading, opener.end()))
        reading.add_text(text[emitted:])
        if reading.exhausted:
            reading.note(CallProblem.TOO_BROKEN)
        return reading.parsed()

    def _block(self, reading: Reading, opener: re.Match[str], since: int) -> tuple[int, bool]:
        """Take the calls of the JSON values that stand behind an opener, one behind the other. Returns the place
        behind the last one that is calls (the opener's end if none is), and whether something that should be a call
        follows. since: see `Reading.note_mark`."""
        marked = bool(opener.groupdict().get("mark"))
        at = end = opener.end()
        while True:
            start = reading.skip(_BETWEEN, end)
            if reading.text[start : start + 1] not in ("{", "["):
                if marked and end == at:
                    cut = start >= len(reading.text)
                    reading.note_mark(CallProblem.CUT_OFF if cut else CallProblem.NO_JSON, opener, since)
                return end, False
            try:
                value, behind = reading.value(start)
                if not self._take_all(reading, value, marked):
                    return end, end > at
            except UnreadCall as unread:
                if marked or _is_like_a_call(reading.text, start):
                    reading.note(unread.problem)
                return end, True
            end = behind

    def _take_all(self, reading: Reading, value: object, marked: bool) -> bool:
        """Take the calls in a value; the rest stays text, as JSON. Returns whether there was any call.

        Raises UnreadCall if a marked value holds no call.
        """
        before, rest = len(reading.calls), []
        reason: UnreadCall | None = None
        for element in value if isinstance(value, list) else [value]:
            try:
                self._take(reading, element, marked)
            except UnreadCall as unread:
                reason = reason or unread
                rest.append(element)
        if len(reading.calls) == before:
            if reason and (marked or reason.problem is not CallProblem.NO_CALL):
                raise reason
            return False
        if reason:
            reading.note(reason.problem)
            reading.add_text("\n".join(write_json(element) for element in rest))
        return True

    def _take(self, reading: Reading, value: object, marked: bool) -> None:
        """Adds the call that an object describes; raises UnreadCall if it describes none."""
        if not isinstance(value, dict):
            raise UnreadCall(CallProblem.NO_CALL)
        key = next((key for key in _ARGUMENTS if key in value), None)
        if key is None and not (marked and value.keys() <= _NAME_ALONE):
            raise UnreadCall(CallProblem.NO_CALL)
        arguments = value[key] if key else {}
        reading.add_call(value.get("name"), {} if arguments is None else arguments)


def _is_like_a_call(text: str, at: int) -> bool:
    """Whether broken JSON without a mark was to be a call: other data have names too."""
    near = text[at : at + NEAR]
    return _LIKE_A_CALL.match(text, at) is not None and any(f'"{key}"' in near for key in _ARGUMENTS)


def _behind(reading: Reading, at: int) -> int:
    """Behind the JSON value that begins here and is no call, so that no call is looked for inside; else here."""
    try:
        return reading.value(at)[1]
    except UnreadCall:
        return at
