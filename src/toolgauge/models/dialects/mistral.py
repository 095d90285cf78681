"""Mistral: a list of calls behind `[TOOL_CALLS]`, and from Small 3.2 on `[TOOL_CALLS]name[ARGS]{...}` for each call."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.call_problems import UnreadCall
from toolgauge.chat import Tool
from toolgauge.models.dialects.dialect import Parsed, PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import tool_list
from toolgauge.models.dialects.prompts import prompt
from toolgauge.models.dialects.reading import Grammar, Reading, read_calls
from toolgauge.models.dialects.tag_json import VARIANT
from toolgauge.models.dialects.thinking import after_thinking, marks_of

THOUGHT = ("[THINK]", "[/THINK]")
_MARK = "[TOOL_CALLS]"
_LISTED = Grammar(
    re.compile(r'(?P<mark>\[TOOL_CALLS\])|\A\s*+(?=\[\s*+\{\s*+")'),
    re.compile(r"\[/TOOL_CALLS\]"),
)
_NAMED = re.compile(
    r"\[TOOL_CALLS\]\s*+(?P<name>[^\s\[\]{},;]++)\s*+(?:\[CALL_ID\]\s*+\w*+\s*+)?(?:\[ARGS\])?\s*+(?=\{)"
)


class Mistral(Struct, frozen=True):
    """A `Speaker`. Ids are nine letters and digits, as its templates want them."""

    def brief(self, said: str, tools: tuple[Tool, ...], language: str) -> str:
        return prompt("mistral", language, tools=tool_list(tools), said=said).strip()

    def say(self, content: str, calls: Sequence[PlainCall]) -> str:
        objects = [{"name": call.name, "arguments": call.arguments, "id": nine(call.id)} for call in calls]
        written = f"{_MARK} {write_json(objects)}"
        return f"{content}\n{written}" if content else written

    def report(self, results: Sequence[Result]) -> str:
        return "\n".join(
            f"[TOOL_RESULTS] {write_json({'content': result.content, 'call_id': nine(result.id)})}[/TOOL_RESULTS]"
            for result in results
        )

    def parse(self, text: str) -> Parsed:
        return after_thinking(text, _read, marks_of(text, THOUGHT), _MARK)


def nine(call_id: str) -> str:
    """The last nine letters and digits of an id, filled up with zeros."""
    return "".join(char for char in call_id if char.isascii() and char.isalnum())[-9:].zfill(9)


def _read(text: str) -> Parsed:
    """The first mark decides: later ones may belong to an argument."""
    opener = _LISTED.opener.search(text)
    return _read_named(text) if opener and _NAMED.match(text, opener.start()) else read_calls(text, _LISTED)


def _read_named(text: str) -> Parsed:
    """Calls whose name stands outside their JSON; each has a mark of its own."""
    reading = Reading(text)
    kept = searched = 0
    while not reading.exhausted and (opener := _NAMED.search(text, searched)):
        searched = opener.end()
        try:
            arguments, end = reading.value(opener.end())
            reading.take(opener["name"], arguments)
        except UnreadCall as unread:
            reading.blame(unread.problem)
            continue
        reading.say(text[kept : opener.start()])
        kept = searched = end
    reading.say(text[kept:])
    return reading.result()


MISTRAL = Family(
    "mistral",
    "Mistral 7B v0.3, Nemo, Small, Large, Ministral, Magistral",
    Mistral(),
    models=(
        r"mistral-7b-instruct-v0\.3" + VARIANT,
        r"mistral-nemo-instruct-2407" + VARIANT,
        r"mi(ni)?stral-(small|large|\d+b)(-3\.[12]-24b|-24b)?-instruct-\d{4}" + VARIANT,
        r"ministral-3-\d+b-(instruct|reasoning)-\d{4}" + VARIANT,
        r"magistral-small-\d{4}" + VARIANT,
    ),
    place="last_user",
    alternating=True,
)
