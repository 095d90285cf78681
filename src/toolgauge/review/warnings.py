"""What is worth a reviewer's look in a session, each at its place: found by the code that checks data everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from toolgauge.data.leaves import leaves
from toolgauge.data.record import shown
from toolgauge.data.rules import broken
from toolgauge.data.session import FINAL, Session, Task
from toolgauge.data.sessions import language_prefix
from toolgauge.data.tool_rules import broken_tools
from toolgauge.data.weaknesses import Weakness, standing
from toolgauge.generation.checks import MOST_CHARACTERS, is_in_language
from toolgauge.generation.dialogue import Ruling
from toolgauge.locale import _, translated
from toolgauge.review.dependencies import unlikely_dependencies
from toolgauge.review.events import Part, Place
from toolgauge.review.objections import verdicts_in

DATA, IMPORT = "data", "import"
SHOWN = ("values", "answer", "context", "language", "length")
"""The checks of the generation that warn."""
_TASK = re.compile(r"(?:english_)?(tasks|task_types|turn_subtypes)\[(\d+)\]")
_TASK_PARTS = {"tasks": Part.UTTERANCE, "task_types": Part.TYPE, "turn_subtypes": Part.REFERENCE}
_PLACE = re.compile(r"(?:english_)?answer_list\[(\d+)\](?:\[(\d+)\](?:\.(.*))?)?")
_PARTS = {"dependency_list": Part.DEPENDENCIES, "observation": Part.RESULT, "user_input": Part.ANSWER}


class Warned(Struct, frozen=True):
    """place: what it concerns; message: what is wrong there, in the language that was asked for. source: who found it
    (DATA, IMPORT, or the name of a check)."""

    place: Place
    message: str
    source: str = DATA


def warnings(session: Session, language: str) -> Iterator[Warned]:
    """What `data check` and the checks of the generation have to say about a session. language: of the messages."""
    yield from _of_data(session, language)
    for weak in standing(session):
        yield Warned(_place_of_weakness(weak), translated(weak.text, language), IMPORT)
    for place, message in unlikely_dependencies(session):
        yield Warned(place, translated(message, language))
    yield from _of_checks(session, language)


def _place_of_weakness(weak: Weakness) -> Place:
    if weak.task is None:
        return Place()
    return Place(Part.UTTERANCE, weak.task) if weak.call is None else Place(Part.CALL, weak.task, weak.call)


def _of_checks(session: Session, language: str) -> Iterator[Warned]:
    """Texts that are too long or in another language, values that nothing speaks for, what the judge objected to."""
    said: list[str] = []
    for task in session.tasks:
        for place, words, is_user in _spoken(task):
            if is_user and len(words) > MOST_CHARACTERS:
                yield Warned(place, translated(_("a text or task is too long or empty"), language), "length")
            if not is_in_language(words, session.language, said):
                yield Warned(place, translated(_("a text is in another language"), language), "language")
            said.append(words)
        said += [msgspec.json.encode(call.observation).decode()[:MOST_CHARACTERS] for call in task.calls]
    if any(call.sources for task in session.tasks for call in task.calls):
        for task in session.tasks:
            for call in task.calls:
                for path, value in leaves(call.arguments) if call.is_tool else ():
                    if not any(path == one or path.startswith((f"{one}.", f"{one}[")) for one in call.sources):
                        message = _("nothing that was said tells where {value} comes from", value=shown(value))
                        place = Place(Part.CALL, task.index, call.index, path)
                        yield Warned(place, translated(message, language), "values")
    yield from _of_judge(session, language)


def _spoken(task: Task) -> Iterator[tuple[Place, str, bool]]:
    """What user and assistant say in a task, and whether it is the user."""
    yield Place(Part.UTTERANCE, task.index), task.utterance, True
    for call in task.calls:
        if not call.is_tool:
            part = Part.REPLY if call.name == FINAL else Part.QUESTION
            yield Place(part, task.index, call.index), str(call.observation or ""), False
        if call.user_input is not None:
            yield Place(Part.ANSWER, task.index, call.index), call.user_input, True


def _of_judge(session: Session, language: str) -> Iterator[Warned]:
    """What a judge objected to, with its reasons; not about values that were edited since."""
    for task, verdict in zip(session.tasks, verdicts_in(session.extra.get("origin")), strict=False):
        if verdict is None:
            continue
        reply = Place(Part.REPLY, task.index, len(task.calls) - 1)
        if not verdict.answer_agrees:
            message = _("the judge: the reply does not agree with the results: {why}", why=verdict.answer_reason)
            yield Warned(reply, translated(message, language), "answer")
        if verdict.unmet:
            message = _("the judge: the user did not get this: {what}", what=verdict.unmet)
            yield Warned(reply, translated(message, language), "answer")
        if task.index and not verdict.needs_earlier:
            message = _("the judge: this task does not depend on the dialogue: {why}", why=verdict.reason)
            yield Warned(Place(Part.UTTERANCE, task.index), translated(message, language), "context")
        for call in verdict.repeated:
            message = _("the judge: an earlier result already answers this call")
            yield Warned(Place(Part.CALL, task.index, call), translated(message, language), "values")
        for ruled in verdict.arguments:
            known = dict(leaves(task.calls[ruled.call].arguments)) if 0 <= ruled.call < len(task.calls) else {}
            if ruled.ruling in (Ruling.WRONG, Ruling.UNASKED) and known.get(ruled.path) == ruled.value:
                said = {"value": shown(ruled.value), "ruling": ruled.ruling.value, "why": ruled.reason}
                message = _("the judge: {value} is {ruling}: {why}", **said)
                place = Place(Part.CALL, task.index, ruled.call, ruled.path)
                yield Warned(place, translated(message, language), "values")


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
