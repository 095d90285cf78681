"""Calls written as JSON objects, found in a reply's text by a family's marks.

The text is gone through once. A JSON value that cannot be read costs work, in characters; there is a limit to it in
proportion to the text's length, after which the rest stays text: no text takes more than linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.chat import Json, ToolCall
from toolgauge.models.dialects.dialect import MAX_CALLS, MAX_DEPTH, Parsed
from toolgauge.models.dialects.family import write_json
from toolgauge.models.replies import tame

WORK = 8
"""Characters of JSON that may be read in vain, per character of the text."""
LINES = 100
"""Characters whose lines are counted with the work of reading one."""
NEAR = 400
"""Characters in which the arguments of a call begin."""
_DECODER = json.JSONDecoder(strict=False)
_BETWEEN = re.compile(r"[\s,;]*+")
_SPACE = re.compile(r"\s*+")
_NAME_ALONE = {"name", "id", "type"}
_CLOSING = re.compile(r"</|<[|｜]/|<\w{1,40}\|>|<(?:end|[|｜][^<>\n]{0,40}?end)|```(?!\w)")
"""How the closing marks of all families begin."""
_BEGUN = re.compile(r"\s*+(?:[\[{<]|\w[^\s\[{(<:=]{0,200}+(?:[\[{(<=]|:\d))")
"""What a call begins with: JSON, a list, a tag, or a name and a sign."""
_LIKE_A_CALL = re.compile(r'[\[\s]*+\{\s*+"(?:name|tool_calls)"\s*+:')


class Shape(Struct, frozen=True):
    """How a family writes a call as an object.

    arguments: the keys under which the arguments may stand; behind a family's mark an object of nothing but a name is a
    call without arguments. wrapper: a key of an object around the list of calls ("" for none), beside which a "thought"
    may stand.
    """

    arguments: tuple[str, ...] = ("arguments", "parameters")
    wrapper: str = ""


class Grammar(Struct, frozen=True):
    """A `Reader`: where a family writes its calls: JSON objects or lists of them, one or several, behind an opener.

    opener: where it is found, JSON must follow if its group "mark" matched, else what follows is a call or just text.
    closer: what may stand behind the JSON.
    """

    opener: re.Pattern[str]
    closer: re.Pattern[str]
    shape: Shape = Shape()

    def read(self, text: str) -> Parsed:
        return read_calls(text, self)


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

    def say(self, text: str) -> None:
        """Keep something as text."""
        if text := text.strip():
            self._said.append(text)

    def think(self, text: object) -> None:
        if isinstance(text, str) and text.strip():
            self._thoughts.append(text.strip())

    def blame(self, problem: CallProblem) -> None:
        """Remember the first problem."""
        self.problem = self.problem or problem

    def blame_mark(self, problem: CallProblem, mark: re.Match[str], since: int) -> None:
        """The same of what stands behind a mark that should announce a call, unless the mark is only spoken of.

        since: where the text begins that is no call. A mark is spoken of if it stands in a sentence, no call begins
        behind it and no closing mark ever comes: "use JSON in <tool_call>". Small models quote their instructions.
        """
        before = self.text[max(since, mark.start() - NEAR) : mark.start()].rpartition("\n")[2]
        if not before.strip() or mark.start() < self._closed or _BEGUN.match(self.text, mark.end()):
            self.blame(problem)

    @cached_property
    def _closed(self) -> int:
        """Where the last closing mark of any family stands; -1 without one."""
        return max((found.start() for found in _CLOSING.finditer(self.text)), default=-1)

    @property
    def exhausted(self) -> bool:
        """Whether so much was read in vain that the rest stays text."""
        return self._work < 0

    def skip(self, pattern: re.Pattern[str], at: int) -> int:
        """Behind what the pattern matches here, or here."""
        found = pattern.match(self.text, at)
        return found.end() if found else at

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

    def take(self, name: object, arguments: object) -> None:
        """Adds a call; raises UnreadCall if the value is no call."""
        if isinstance(arguments, str):
            arguments = _object_in(arguments)
        if not isinstance(name, str) or not name.strip() or not isinstance(arguments, dict):
            raise UnreadCall(CallProblem.NO_CALL)
        if not within_depth(arguments):
            raise UnreadCall(CallProblem.TOO_DEEP)
        if len(self.calls) >= MAX_CALLS:
            raise UnreadCall(CallProblem.TOO_MANY)
        self.calls.append(new_call(len(self.calls), name.strip(), arguments))

    def take_object(self, value: object, shape: Shape, marked: bool) -> None:
        """Adds the call that an object describes; raises UnreadCall if it describes none."""
        if not isinstance(value, dict):
            raise UnreadCall(CallProblem.NO_CALL)
        key = next((key for key in shape.arguments if key in value), None)
        if key is None and not (marked and value.keys() <= _NAME_ALONE):
            raise UnreadCall(CallProblem.NO_CALL)
        arguments = value[key] if key else {}
        self.take(value.get("name"), {} if arguments is None else arguments)

    def result(self) -> Parsed:
        reasoning = "\n".join(self._thoughts) or None
        if not self.calls and not reasoning:
            return Parsed("\n".join(self._said) if self._framed else self.text, problem=self.problem)
        return Parsed("\n".join(self._said) or None, tuple(self.calls), reasoning, self.problem)


def new_call(number: int, name: str, arguments: Json) -> ToolCall:
    """A call with its id by its place in the reply, its arguments as JSON text."""
    return ToolCall(f"call_{number}", name, write_json(tame(arguments, MAX_DEPTH + 1)))


def within_depth(value: object) -> bool:
    """Is a JSON value nested at most MAX_DEPTH levels deep? Looked at level by level, without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [part for node in level if isinstance(node, dict | list) for part in _parts(node)]
        if not level:
            return True
    return False


def _parts(node: Mapping[str, object] | list[object]) -> Iterator[object]:
    return iter(node.values() if isinstance(node, dict) else node)


def _object_in(text: str) -> object:
    """The object of arguments that some models write as a text; the text itself where it holds none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def read_calls(text: str, grammar: Grammar) -> Parsed:
    """The calls of a text and what else it says."""
    reading = Reading(text)
    kept = searched = 0  # what lies before `kept` is a call or said; what lies before `searched` opens nothing
    while not reading.exhausted and (opener := grammar.opener.search(text, searched)):
        marked = bool(opener.groupdict().get("mark"))
        end, broken = _block(reading, opener, kept, grammar.shape)
        if end > opener.end():
            reading.say(text[kept : opener.start()])
            kept = end if broken else reading.skip(grammar.closer, reading.skip(_SPACE, end))
            searched = kept
        else:
            searched = max(opener.end(), opener.start() + 1)
            if not marked:
                searched = max(searched, _behind(reading, opener.end()))
    reading.say(text[kept:])
    if reading.exhausted:
        reading.blame(CallProblem.TOO_BROKEN)
    return reading.result()


def _block(reading: Reading, opener: re.Match[str], since: int, shape: Shape) -> tuple[int, bool]:
    """Take the calls of the JSON values that stand behind an opener, one behind the other. Returns the place behind
    the last one that is calls (the opener's end if none is), and whether something that should be a call follows.

    since: see `Reading.blame_mark`.
    """
    marked = bool(opener.groupdict().get("mark"))
    at = end = opener.end()
    while True:
        start = reading.skip(_BETWEEN, end)
        if reading.text[start : start + 1] not in ("{", "["):
            if marked and end == at:
                cut = start >= len(reading.text)
                reading.blame_mark(CallProblem.CUT_OFF if cut else CallProblem.NO_JSON, opener, since)
            return end, False
        try:
            value, behind = reading.value(start)
            if not _take_all(reading, value, shape, marked):
                return end, end > at
        except UnreadCall as unread:
            if marked or _is_like_a_call(reading.text, start, shape):
                reading.blame(unread.problem)
            return end, True
        end = behind


def _is_like_a_call(text: str, at: int, shape: Shape) -> bool:
    """Whether broken JSON without a mark was to be a call: other data have names too."""
    found = _LIKE_A_CALL.match(text, at)
    near = text[at : at + NEAR]
    return found is not None and ("tool_calls" in found[0] or any(f'"{key}"' in near for key in shape.arguments))


def _take_all(reading: Reading, value: object, shape: Shape, marked: bool) -> bool:
    """Take the calls in a value; the rest stays text, as JSON. Returns whether there was any call.

    Raises UnreadCall if a marked value holds no call.
    """
    thought = None
    if shape.wrapper and isinstance(value, dict) and isinstance(value.get(shape.wrapper), list):
        thought, value = value.get("thought"), value[shape.wrapper]
    elements = value if isinstance(value, list) else [value]
    before, rest = len(reading.calls), []
    reason: UnreadCall | None = None
    for element in elements:
        try:
            reading.take_object(element, shape, marked)
        except UnreadCall as unread:
            reason = reason or unread
            rest.append(element)
    if len(reading.calls) == before:
        if reason and (marked or reason.problem is not CallProblem.NO_CALL):
            raise reason
        return False
    if reason:
        reading.blame(reason.problem)
        reading.say("\n".join(write_json(element) for element in rest))
    reading.think(thought)
    return True


def _behind(reading: Reading, at: int) -> int:
    """Behind the JSON value that begins here and is no call, so that no call is looked for inside; else here."""
    try:
        return reading.value(at)[1]
    except UnreadCall:
        return at
