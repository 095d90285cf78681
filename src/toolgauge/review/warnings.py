"""What is worth a reviewer's look in a session, each at its place: found by the code that checks data everywhere, by
the checks of the generation, and by the judge, whose verdicts stand in a session's origin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
from msgspec import Struct

from toolgauge.data.leaves import leaves
from toolgauge.data.record import shown
from toolgauge.data.rules import broken
from toolgauge.data.session import FINAL, Call, Session, Task
from toolgauge.data.sessions import language_prefix
from toolgauge.data.tool_rules import broken_tools
from toolgauge.data.weaknesses import standing
from toolgauge.generation.checks import MOST_CHARACTERS, is_in_language
from toolgauge.generation.dialogue import Ruling, Verdict
from toolgauge.generation.graph import EVIDENCE, JUDGED, STEP, VALUE
from toolgauge.locale import Text, _
from toolgauge.review.events import Part, Place
from toolgauge.review.grounding import CONFIRMED

DATA, IMPORT = "data", "import"
SHOWN = ("values", "answer", "context", "language", "length")
"""The checks of the generation that warn."""
MOST_OF_CALL = 50
"""Values of one call that are warned about."""
_TASK = re.compile(r"(?:english_)?(tasks|task_types|turn_subtypes)\[(\d+)\]")
_TASK_PARTS = {"tasks": Part.UTTERANCE, "task_types": Part.TYPE, "turn_subtypes": Part.REFERENCE}
_PLACE = re.compile(r"(?:english_)?answer_list\[(\d+)\](?:\[(\d+)\](?:\.(.*))?)?")
_PARTS = {"dependency_list": Part.DEPENDENCIES, "observation": Part.RESULT, "user_input": Part.ANSWER}


class Warned(Struct, frozen=True):
    """place: what it concerns; message: what is wrong there. source: who found it (DATA, IMPORT, or a check)."""

    place: Place
    message: Text | str
    source: str = DATA


def warnings(session: Session) -> Iterator[Warned]:
    """What `data check`, the checks of the generation and the judge have to say about a session."""
    yield from _of_data(session)
    for weak in standing(session):
        place = Place() if weak.task is None else Place(Part.UTTERANCE, weak.task)
        if weak.task is not None and weak.call is not None:
            place = Place(Part.CALL, weak.task, weak.call)
        yield Warned(place, weak.text, IMPORT)
    if any(EVIDENCE in call.extra for task in session.tasks for call in task.calls):
        for task in session.tasks:
            for call in task.calls:
                for message in _odd_dependencies(call, task.calls) if call.is_tool else ():
                    yield Warned(Place(Part.DEPENDENCIES, task.index, call.index), message)
    yield from _of_texts(session)
    if any(call.sources for task in session.tasks for call in task.calls):
        for task in session.tasks:
            for call in task.calls:
                yield from islice(_of_values(task, call), MOST_OF_CALL) if call.is_tool else ()
    for task, verdict in zip(session.tasks, verdicts_in(session.extra.get("origin")), strict=False):
        if verdict is not None:
            yield from _of_judge(task, verdict)


def _of_data(session: Session) -> Iterator[Warned]:
    prefix = language_prefix(session.language)
    answers = f"{prefix}answer_list"
    for path, message in broken_tools(session, f"{prefix}tools", answers):
        yield Warned(place_of(path), message)
    for task in session.tasks:
        for path, message in broken(task, f"{answers}[{task.index}]"):
            yield Warned(place_of(path), message)


def _of_texts(session: Session) -> Iterator[Warned]:
    """Texts that are too long, or in another language than what was said before."""
    said: list[str] = []
    for task in session.tasks:
        for place, words, is_user in _spoken(task):
            if is_user and len(words) > MOST_CHARACTERS:
                yield Warned(place, _("a text or task is too long or empty"), "length")
            if not is_in_language(words, session.language, said):
                yield Warned(place, _("a text is in another language"), "language")
            said.append(words)
        said += [msgspec.json.encode(call.observation).decode()[:MOST_CHARACTERS] for call in task.calls]


def _spoken(task: Task) -> Iterator[tuple[Place, str, bool]]:
    """What user and assistant say in a task, and whether it is the user."""
    yield Place(Part.UTTERANCE, task.index), task.utterance, True
    for call in task.calls:
        if not call.is_tool:
            part = Part.REPLY if call.name == FINAL else Part.QUESTION
            yield Place(part, task.index, call.index), str(call.observation or ""), False
        if call.user_input is not None:
            yield Place(Part.ANSWER, task.index, call.index), call.user_input, True


def _of_values(task: Task, call: Call) -> Iterator[Warned]:
    for path, value in leaves(call.arguments):
        if not any(path == one or path.startswith((f"{one}.", f"{one}[")) for one in call.sources):
            message = _("nothing that was said tells where {value} comes from", value=shown(value))
            yield Warned(Place(Part.CALL, task.index, call.index, path), message, "values")


def _odd_dependencies(call: Call, calls: Sequence[Call]) -> Iterator[Text]:
    """Dependencies that a value proves and that are missing, and those that nothing speaks for. The closing reply waits
    for everything, a question likewise: those are for the rules of the format."""
    listed = call.extra.get(EVIDENCE)
    evidence = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    needed: set[int] = set()
    left = [*call.after]
    while left:
        if (one := left.pop()) not in needed:
            needed.add(one)
            left += calls[one].after
    for why in evidence:
        before = why.get("from")
        if why.get("why") == VALUE and why.get("certain") is True and isinstance(before, int) and before not in needed:
            yield _(
                "{path} comes only from call {before}, but this call does not list it as needed",
                path=str(why.get("path", "")),
                before=before + 1,
            )
    spoken_for = {why.get("from") for why in evidence if why.get("why") != STEP or why.get(CONFIRMED)}
    for before in call.after:
        if before not in spoken_for:
            yield _("no evidence that this call needs call {before}", before=before + 1)


def verdicts_in(origin: object) -> Iterator[Verdict | None]:
    """The judge's verdicts in a session's origin, task by task; None where there is another thing in their place."""
    listed = origin.get(JUDGED) if isinstance(origin, dict) else None
    for one in listed if isinstance(listed, list) else ():
        try:
            yield msgspec.convert(one, Verdict | None)
        except msgspec.ValidationError:
            yield None


def objects(verdict: Verdict, is_first: bool) -> bool:
    """Does a judge object to a task? is_first: nothing came before it."""
    wrong = any(one.ruling in (Ruling.WRONG, Ruling.UNASKED) for one in verdict.arguments)
    return wrong or not verdict.answer_agrees or bool(verdict.unmet) or not (is_first or verdict.needs_earlier)


def _of_judge(task: Task, verdict: Verdict) -> Iterator[Warned]:
    """What a judge objected to, with its reasons; not about values that were edited since."""
    reply = Place(Part.REPLY, task.index, len(task.calls) - 1)
    if not verdict.answer_agrees:
        message = _("the judge: the reply does not agree with the results: {why}", why=verdict.answer_reason)
        yield Warned(reply, message, "answer")
    if verdict.unmet:
        yield Warned(reply, _("the judge: the user did not get this: {what}", what=verdict.unmet), "answer")
    if task.index and not verdict.needs_earlier:
        message = _("the judge: this task does not depend on the dialogue: {why}", why=verdict.reason)
        yield Warned(Place(Part.UTTERANCE, task.index), message, "context")
    for call in verdict.repeated:
        message = _("the judge: an earlier result already answers this call")
        yield Warned(Place(Part.CALL, task.index, call), message, "values")
    for ruled in verdict.arguments:
        known = dict(leaves(task.calls[ruled.call].arguments)) if 0 <= ruled.call < len(task.calls) else {}
        if ruled.ruling in (Ruling.WRONG, Ruling.UNASKED) and known.get(ruled.path) == ruled.value:
            said = {"value": shown(ruled.value), "ruling": ruled.ruling.value, "why": ruled.reason}
            message = _("the judge: {value} is {ruling}: {why}", **said)
            yield Warned(Place(Part.CALL, task.index, ruled.call, ruled.path), message, "values")


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
