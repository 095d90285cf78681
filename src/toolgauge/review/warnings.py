"""What is worth a reviewer's look in a session, each at its place: found by the code that checks data everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from toolgauge.benchmarks.dialogues.data import graph_rules
from toolgauge.benchmarks.dialogues.data.wildtoolbench import language_prefix
from toolgauge.data.session import Session
from toolgauge.data.tool_rules import ToolRules
from toolgauge.locale import Text
from toolgauge.review.events import Part, Place

_PLACE = re.compile(r"(?:english_)?answer_list\[(\d+)\](?:\[(\d+)\](?:\.(.*))?)?")
_PARTS = {"dependency_list": Part.DEPENDENCIES, "observation": Part.RESULT, "user_input": Part.ANSWER}


class Warned(Struct, frozen=True):
    """place: what it concerns; message: what is wrong there. source: who found it ("data", or a filter's name)."""

    place: Place
    message: Text
    source: str = "data"


def warnings(session: Session, rules: ToolRules) -> Iterator[Warned]:
    """Everything that `data check` has to say about a session."""
    prefix = language_prefix(session.language)
    answers = f"{prefix}answer_list"
    for path, message in rules.broken(session, f"{prefix}tools", answers):
        yield Warned(place_of(path), message)
    for task in session.tasks:
        for path, message in graph_rules.broken(task, f"{answers}[{task.index}]"):
            yield Warned(place_of(path), message)


def place_of(path: str) -> Place:
    """The place that a path into a record names."""
    found = _PLACE.match(path)
    if found is None:
        return Place()
    task, call, rest = found.groups()
    if call is None:
        return Place(Part.TYPE, int(task))
    field, _dot, inner = (rest or "").partition(".")
    if field == "action":
        return Place(Part.ARGUMENTS, int(task), int(call), inner.removeprefix("arguments").lstrip("."))
    return Place(_PARTS.get(re.split(r"[\[.]", field)[0], Part.CALL), int(task), int(call))
