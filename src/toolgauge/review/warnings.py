"""What is worth a reviewer's look in a session, each at its place: found by the code that checks data everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.annotation.dialogue import Dialogue, Entry, Speaker
from toolgauge.annotation.graph import Unfinished
from toolgauge.chat import Json
from toolgauge.data.rules import broken
from toolgauge.data.session import FINAL, Session, Task
from toolgauge.data.sessions import language_prefix
from toolgauge.data.tool_rules import broken_tools
from toolgauge.data.weaknesses import Weakness, standing
from toolgauge.errors import DataError
from toolgauge.generation.filters import FILTERS
from toolgauge.generation.resume import dialogue_of
from toolgauge.locale import _, translated
from toolgauge.review.dependencies import unlikely_dependencies
from toolgauge.review.events import Part, Place
from toolgauge.review.objections import objection_text

DATA, IMPORT = "data", "import"
MOST_CHECKED = 200_000
"""Characters of a text up to which the filters are asked: more would hold up everybody else for seconds."""
_TASK = re.compile(r"(?:english_)?(tasks|task_types|turn_subtypes)\[(\d+)\]")
_TASK_PARTS = {"tasks": Part.UTTERANCE, "task_types": Part.TYPE, "turn_subtypes": Part.REFERENCE}
_PLACE = re.compile(r"(?:english_)?answer_list\[(\d+)\](?:\[(\d+)\](?:\.(.*))?)?")
_PARTS = {"dependency_list": Part.DEPENDENCIES, "observation": Part.RESULT, "user_input": Part.ANSWER}


class Warned(Struct, frozen=True):
    """place: what it concerns; message: what is wrong there, in the language that was asked for. source: who found it
    (DATA, IMPORT, or the name of a filter)."""

    place: Place
    message: str
    source: str = DATA


def warnings(session: Session, record: Json, language: str) -> Iterator[Warned]:
    """What `data check` and the filters of the generation have to say about a session. language: of the messages."""
    yield from _of_data(session, language)
    for weak in standing(session):
        yield Warned(_place_of_weakness(weak), translated(weak.text, language), IMPORT)
    for place, message in unlikely_dependencies(session):
        yield Warned(place, translated(message, language))
    yield from _of_filters(session, record, language)


def _place_of_weakness(weak: Weakness) -> Place:
    if weak.task is None:
        return Place()
    return Place(Part.UTTERANCE, weak.task) if weak.call is None else Place(Part.CALL, weak.task, weak.call)


def _of_filters(session: Session, record: Json, language: str) -> Iterator[Warned]:
    """A session that is no whole dialogue has been found by `data check`."""
    if (longest := max(_lengths(session))) > MOST_CHECKED:
        said = _("a text has {count:,} characters; sessions this long are not checked further", count=longest)
        yield Warned(Place(), translated(said, language))
        return
    with suppress(DataError, Unfinished):
        dialogue = replace(dialogue_of(record, session.language), earlier=0)
        for one in FILTERS.values():
            for evidence in one(session, dialogue).counted if one.check else ():
                message = translated(objection_text(one.name, evidence), language)
                yield Warned(_place_of_evidence(session, dialogue, evidence), message, one.name)


def _lengths(session: Session) -> Iterator[int]:
    """Of everything that is said, given and answered, in characters or bytes."""
    for task in session.tasks:
        yield len(task.utterance)
        for call in task.calls:
            yield len(call.user_input or "")
            yield len(msgspec.json.encode((call.arguments, call.observation)))


def _place_of_evidence(session: Session, dialogue: Dialogue, evidence: Mapping[str, object]) -> Place:
    task, call, path, entry = (evidence.get(key) for key in ("task", "call", "path", "entry"))
    if not isinstance(task, int) or task >= len(session.tasks):
        return Place()
    if isinstance(entry, int):
        return _place_of_entry(session.tasks[task], dialogue.kept[:entry], dialogue.kept[entry])
    if not isinstance(call, int) or call >= len(session.tasks[task].calls):
        return Place(Part.UTTERANCE, task)
    return Place(Part.CALL, task, call, path if isinstance(path, str) else "")


def _place_of_entry(task: Task, before: Sequence[Entry], entry: Entry) -> Place:
    """Where a message of a dialogue stands in the session. before: those before it."""
    decisions = [one.decision.actions for one in before if one.task == task.index and one.decision]
    if entry.speaker is Speaker.USER and not decisions:
        return Place(Part.UTTERANCE, task.index)
    if entry.decision is not None:
        return Place(Part.CALL, task.index, sum(map(len, decisions)))
    call = sum(map(len, decisions[:-1]))
    if entry.speaker is Speaker.AGENT:
        return Place(Part.REPLY if task.calls[call].name == FINAL else Part.QUESTION, task.index, call)
    return Place(Part.ANSWER if entry.speaker is Speaker.USER else Part.RESULT, task.index, call)


def _of_data(session: Session, language: str) -> Iterator[Warned]:
    prefix = language_prefix(session.language)
    answers = f"{prefix}answer_list"
    for path, message in broken_tools(session, f"{prefix}tools", answers):
        yield Warned(place_of(path), translated(message, language))
    for task in session.tasks:
        for path, message in broken(task, f"{answers}[{task.index}]"):
            yield Warned(place_of(path), translated(message, language))


def place_of(path: str) -> Place:
    """The place that a path into a record names."""
    if of_task := _TASK.match(path):
        return Place(_TASK_PARTS[of_task[1]], int(of_task[2]))
    found = _PLACE.match(path)
    if found is None:
        return Place()
    task, call, rest = found.groups()
    if call is None:
        return Place(Part.TYPE, int(task))
    field, _dot, inner = (rest or "").partition(".")
    if field == "action":
        return Place(Part.CALL, int(task), int(call), inner.removeprefix("arguments").lstrip("."))
    return Place(_PARTS.get(re.split(r"[\[.]", field)[0], Part.CALL), int(task), int(call))
