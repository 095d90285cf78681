"""The plan of a task of any kind, first or later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from toolgauge.data.session import Reference
from toolgauge.generation.dialogue import PlannedTask
from toolgauge.generation.whisper.chats import first_chat, later_chat
from toolgauge.generation.whisper.leads import back, fact_for, leaning, scopes
from toolgauge.generation.whisper.material import Spoken
from toolgauge.generation.whisper.phrases import Pen, Piece
from toolgauge.generation.whisper.plans import Fact, PlannedCall, TaskPlan
from toolgauge.generation.whisper.shapes import several, single


def first_plan(pen: Pen, task: PlannedTask, style: str) -> TaskPlan:
    """What a user may want first. style: a wording around it, with a slot `{task}`."""
    plan = _first(pen, task)
    before, _, behind = style.partition("{task}")
    said = [before.strip(), plan.utterance, behind.strip()]
    return replace(plan, utterance=pen.words.joined(said))


def _first(pen: Pen, task: PlannedTask) -> TaskPlan:
    def leads() -> Iterator[Piece]:
        roots_first = sorted(pen.shuffled(pen.stage.tools), key=lambda tool: bool(pen.stage.linked(tool)))
        for tool in [task.chosen] if task.chosen in pen.stage.tools else roots_first:
            pen.forget()
            yield pen.full(tool, optional=True)

    if task.kind == "chat":
        return first_chat(pen)
    if task.kind == "clarify":
        tools = [task.chosen] if task.chosen in pen.stage.tools else pen.shuffled(pen.stage.tools)
        return _asking(pen, next((tool for tool in tools if pen.stage.play[tool].vague), tools[0]), {})
    plan = several(pen, leads, task.shape) if task.kind == "multi" else single(pen, leads)
    return plan or _anything(pen, task.kind)


def later_plan(pen: Pen, task: PlannedTask, number: int, replies: Sequence[str]) -> TaskPlan:
    """What the user wants next, leaning on the dialogue. number: of the task, from 0; replies: the agent's last words
    in each task before."""

    def leads() -> Iterator[Piece]:
        yield from leaning(pen, task.reference, number)

    if task.kind == "chat":
        return later_chat(pen, task.reference, replies)
    if task.kind == "clarify":
        return _later_asking(pen, task.reference, number)
    plan = several(pen, leads, task.shape) if task.kind == "multi" else single(pen, leads)
    return plan or _anything(pen, task.kind)


def _anything(pen: Pen, kind: str) -> TaskPlan:
    """A task that leans on nothing, where there is nothing to lean on."""

    def leads() -> Iterator[Piece]:
        for tool in pen.shuffled(pen.stage.tools):
            pen.forget()
            yield pen.full(tool)

    plan = several(pen, leads, None) if kind == "multi" else single(pen, leads)
    if plan is None:
        piece = next(iter(leads()))
        plan = TaskPlan(kind, piece.text, (piece.call,), ((0,),), complete=piece.text)
    return plan


def _asking(pen: Pen, tool: str, known: dict[str, Spoken], lead_in: str = "") -> TaskPlan:
    """A request that lacks what is required, apart from what is known."""
    vague = pen.stage.play[tool].vague or pen.stage.play[tool].say[0]
    lacking = {name: pen.value(tool, name, unlike=vague) for name in pen.stage.required(tool) if name not in known}
    given = {**known, **lacking}
    call = PlannedCall(tool, given, {}, frozenset(known))
    complete = pen.complete(tool, given)
    return TaskPlan(
        "clarify", lead_in + (pen.words.inside(vague) if lead_in else vague), (call,), ((0,),), tuple(lacking), complete
    )


def _later_asking(pen: Pen, reference: Reference, number: int) -> TaskPlan:
    """A request about something that stands before and lacks something else; best of what nobody has heard of."""
    tools = [tool for tool in pen.unused_first(pen.stage.tools) if pen.stage.play[tool].vague]
    for careful, anew in ((True, True), (False, True), (False, False)):
        for tasks in scopes(reference, number):
            facts = [fact for fact in pen.facts if fact.task in tasks]
            for tool in tools:
                known = _pointed_at(pen, tool, facts)
                lacking = [name for name in pen.stage.required(tool) if name not in known]
                if not known or not lacking or (careful and not all(pen.has_unheard(tool, n) for n in lacking)):
                    continue
                pen.forget()
                leading = back(pen, tasks, number)
                if leading and any(fact.listed for fact in known.values()):
                    leading = pen.words("back_about_first") + pen.words("joint")
                leading = leading or _pointing(pen, tool, known) + pen.words("joint")
                spoken = {name: Spoken(fact.value, fact.words) for name, fact in known.items()}
                plan = _asking(pen, tool, spoken, leading)
                if pen.is_new(plan.calls[0]) or not anew:
                    return plan
    return _asking_again(pen, tools)


def _pointed_at(pen: Pen, tool: str, facts: Sequence[Fact]) -> dict[str, Fact]:
    """What a request can point at: everything that results gave for a tool, else one thing that was said."""
    linked = pen.stage.linked(tool)
    found = {name: fact for name in linked if (fact := fact_for(tool, name, facts))}
    if linked and len(found) == len(linked):
        return found
    said = [fact for fact in facts if fact.said]
    for name in pen.stage.required(tool):
        fact = fact_for(tool, name, said)
        if fact and pen.stage.nature(tool, name) in ("one", "day", "text"):
            return {name: fact}
    return {}


def _pointing(pen: Pen, tool: str, known: dict[str, Fact]) -> str:
    if any(fact.listed for fact in known.values()):
        return pen.words("about_first")
    is_day = all(pen.stage.nature(tool, name) == "day" for name in known)
    return pen.words("about_day" if is_day else "about_that")


def _asking_again(pen: Pen, tools: Sequence[str]) -> TaskPlan:
    """An earlier request once more for something else, which has to be asked for; where there was none, a new one."""
    again = [past.tool for past in pen.past if past.tool in tools]
    tool = again[-1] if again else tools[0]
    pen.forget()
    plan = _asking(pen, tool, {})
    return replace(plan, utterance=pen.words("once_more"), tool_known=False) if again else plan
