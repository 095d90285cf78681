"""The plan of a task of any kind, first or later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from toolgauge.annotation.dialogue import PlannedTask
from toolgauge.data.session import Reference
from toolgauge.demo.call_patterns import several, single
from toolgauge.demo.chats import first_chat, later_chat
from toolgauge.demo.fixture import SpokenValue
from toolgauge.demo.followups import back, fact_for, leaning, scopes
from toolgauge.demo.plans import KnownValue, PlannedCall, TaskPlan
from toolgauge.demo.request_builder import RequestBuilder, Utterance


def first_plan(builder: RequestBuilder, task: PlannedTask, style: str) -> TaskPlan:
    """What a user may want first. style: a wording around it, with a slot `{task}`."""
    plan = _first(builder, task)
    before, _, behind = style.partition("{task}")
    said = [before.strip(), plan.utterance, behind.strip()]
    return replace(plan, utterance=builder.words.joined(said))


def _first(builder: RequestBuilder, task: PlannedTask) -> TaskPlan:
    def openers() -> Iterator[Utterance]:
        roots_first = sorted(
            builder.shuffled(builder.fixture.tools), key=lambda tool: bool(builder.fixture.linked(tool))
        )
        for tool in [task.chosen] if task.chosen in builder.fixture.tools else roots_first:
            builder.forget()
            yield builder.full(tool, optional=True)

    if task.kind == "chat":
        return first_chat(builder)
    if task.kind == "clarify":
        tools = [task.chosen] if task.chosen in builder.fixture.tools else builder.shuffled(builder.fixture.tools)
        return _asking(builder, next((tool for tool in tools if builder.fixture.templates[tool].vague), tools[0]), {})
    plan = several(builder, openers, task.shape) if task.kind == "multi" else single(builder, openers)
    return plan or _anything(builder, task.kind)


def later_plan(builder: RequestBuilder, task: PlannedTask, number: int, replies: Sequence[str]) -> TaskPlan:
    """What the user wants next, leaning on the dialogue. number: of the task, from 0; replies: the agent's last words
    in each task before."""

    def openers() -> Iterator[Utterance]:
        yield from leaning(builder, task.reference, number)

    if task.kind == "chat":
        return later_chat(builder, task.reference, replies)
    if task.kind == "clarify":
        return _later_asking(builder, task.reference, number)
    plan = several(builder, openers, task.shape) if task.kind == "multi" else single(builder, openers)
    return plan or _anything(builder, task.kind)


def _anything(builder: RequestBuilder, kind: str) -> TaskPlan:
    """A task without a reference, for dialogues without anything to refer to."""

    def openers() -> Iterator[Utterance]:
        for tool in builder.shuffled(builder.fixture.tools):
            builder.forget()
            yield builder.full(tool)

    plan = several(builder, openers, None) if kind == "multi" else single(builder, openers)
    if plan is None:
        utterance = next(iter(openers()))
        plan = TaskPlan(kind, utterance.text, (utterance.call,), ((0,),), complete=utterance.text)
    return plan


def _asking(builder: RequestBuilder, tool: str, known: dict[str, SpokenValue], lead_in: str = "") -> TaskPlan:
    """A request that lacks what is required, apart from what is known."""
    vague = builder.fixture.templates[tool].vague or builder.fixture.templates[tool].say[0]
    lacking = {
        name: builder.value(tool, name, unlike=vague) for name in builder.fixture.required(tool) if name not in known
    }
    given = {**known, **lacking}
    call = PlannedCall(tool, given, {}, frozenset(known))
    complete = builder.complete(tool, given)
    return TaskPlan(
        "clarify",
        lead_in + (builder.words.inside(vague) if lead_in else vague),
        (call,),
        ((0,),),
        tuple(lacking),
        complete,
    )


def _later_asking(builder: RequestBuilder, reference: Reference, number: int) -> TaskPlan:
    """A request about something said before that lacks something else, preferably with new values."""
    tools = [tool for tool in builder.unused_first(builder.fixture.tools) if builder.fixture.templates[tool].vague]
    for careful, anew in ((True, True), (False, True), (False, False)):
        for tasks in scopes(reference, number):
            facts = [fact for fact in builder.facts if fact.task in tasks]
            for tool in tools:
                known = _pointed_at(builder, tool, facts)
                lacking = [name for name in builder.fixture.required(tool) if name not in known]
                if not known or not lacking or (careful and not all(builder.has_unused(tool, n) for n in lacking)):
                    continue
                builder.forget()
                leading = back(builder, tasks, number)
                if leading and any(fact.listed for fact in known.values()):
                    leading = builder.words("back_about_first") + builder.words("joint")
                leading = leading or _pointing(builder, tool, known) + builder.words("joint")
                spoken = {name: SpokenValue(fact.value, fact.words) for name, fact in known.items()}
                plan = _asking(builder, tool, spoken, leading)
                if builder.is_new(plan.calls[0]) or not anew:
                    return plan
    return _asking_again(builder, tools)


def _pointed_at(builder: RequestBuilder, tool: str, facts: Sequence[KnownValue]) -> dict[str, KnownValue]:
    """What a request can point at: everything that results gave for a tool, else one thing that was said."""
    linked = builder.fixture.linked(tool)
    found = {name: fact for name in linked if (fact := fact_for(tool, name, facts))}
    if linked and len(found) == len(linked):
        return found
    said = [fact for fact in facts if fact.said]
    for name in builder.fixture.required(tool):
        fact = fact_for(tool, name, said)
        if fact and builder.fixture.nature(tool, name) in ("one", "day", "text"):
            return {name: fact}
    return {}


def _pointing(builder: RequestBuilder, tool: str, known: dict[str, KnownValue]) -> str:
    if any(fact.listed for fact in known.values()):
        return builder.words("about_first")
    is_day = all(builder.fixture.nature(tool, name) == "day" for name in known)
    return builder.words("about_day" if is_day else "about_that")


def _asking_again(builder: RequestBuilder, tools: Sequence[str]) -> TaskPlan:
    """An earlier request once more for something else, which has to be asked for; where there was none, a new one."""
    again = [past.tool for past in builder.past if past.tool in tools]
    tool = again[-1] if again else tools[0]
    builder.forget()
    plan = _asking(builder, tool, {})
    return replace(plan, utterance=builder.words("once_more"), tool_known=False) if again else plan
