"""One request per finished task: a model judges what code cannot know, and what follows from its verdict.

Asked are: does the answer agree with the results; is every value that does not stand literally somewhere right; are
edges missing or false; does the task need what came before. The verdict is kept with the task (`PlannedTask.verdict`)
and stands in the session; unasked optional values are taken out, the rest of what it finds is a `Fault`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json, Reply
from toolgauge.data.leaves import leaves
from toolgauge.data.record import shown
from toolgauge.data.session import Reference
from toolgauge.generation.agents.planner import render_decision
from toolgauge.generation.agents.requests import compact, render_request, render_tools, what_was_done
from toolgauge.generation.checks import JUDGED
from toolgauge.generation.dialogue import (
    Action,
    ArgumentVerdict,
    EdgeVerdict,
    Entry,
    Ruling,
    Speaker,
    Verdict,
)
from toolgauge.generation.graph import Node, Unfinished, read_nodes
from toolgauge.generation.literal import is_telling
from toolgauge.generation.prompts import text, texts
from toolgauge.generation.pseudo import required
from toolgauge.generation.replies import EdgeRuling, JudgeReply, RecordedReply, Unusable, parse_reply
from toolgauge.generation.state import AgentRequest, DialogueState, Fault, Rejected

MOST_VALUE = 600
"""Characters of a value that the judge is shown in its list; the whole stands in the conversation."""


class Unproven(Struct, frozen=True):
    """A value that stands nowhere literally. call: the node; path: of the argument; number: in the judge's list."""

    number: int
    call: int
    path: str
    value: object


class Case(Struct, frozen=True):
    """A finished task as it is judged."""

    nodes: tuple[Node, ...]
    unproven: tuple[Unproven, ...]

    @property
    def calls(self) -> list[Node]:
        return [node for node in self.nodes if node.is_tool]


def open_case(state: DialogueState) -> Case:
    """The task under way, which is closed. Raises Rejected where its turns do not follow each other."""
    try:
        nodes = read_nodes(state.dialogue(), state.task)
    except Unfinished as error:
        raise Rejected("unfinished", str(error)) from error
    unproven: list[Unproven] = []
    for node in nodes:
        for path, value in leaves(node.action.arguments) if node.is_tool else ():
            if path not in node.sources:
                unproven.append(Unproven(len(unproven) + 1, node.index, path, value))
    return Case(tuple(nodes), tuple(unproven))


def judge(state: DialogueState, case: Case, is_recorded: bool = False) -> AgentRequest:
    """The request: the judge's rules, the conversation, and last the task with all that is asked about it.

    is_recorded: somebody else's conversation, of which more is asked (`RecordedReply`).
    """
    language, words = state.language, texts(state.language)
    demand = text("demand_judge", language, number=state.task + 1, intent=_intent(state, case))
    if case.unproven:
        called = {case.nodes[one.call].action.name for one in case.unproven}
        tools = render_tools(tool for tool in state.tools if tool.name in called) or words["nothing"]
        demand += "\n\n" + text("demand_values", language, values=_listed(case, language), tools=tools)
    if is_recorded:
        demand += f"\n\n{words['demand_recorded']}"
    messages = render_request("judge", state, demand, what_was_done, tools=())
    return AgentRequest("checker", "judge", messages, RecordedReply if is_recorded else JudgeReply)


def _listed(case: Case, language: str) -> str:
    """The values that need a verdict, with their numbers."""
    lines = []
    for one in case.unproven:
        action = case.nodes[one.call].action
        place = {"tool": action.name, "id": action.id, "path": one.path}
        lines.append(text("argument_line", language, number=one.number, **place, value=_shortened(one.value)))
    return "\n".join(lines)


def _shortened(value: object) -> str:
    """A value as JSON; of a long one the beginning, with a mark that it goes on."""
    whole = compact(value)
    return whole if len(whole) <= MOST_VALUE else f"{whole[:MOST_VALUE]} … [+{len(whole) - MOST_VALUE}]"


def _intent(state: DialogueState, case: Case) -> str:
    """What the user stated; calls that were made just so stand in the conversation."""
    intent = state.tasks[-1].intent
    if intent is None:
        return texts(state.language)["nothing"]
    made = [(node.action.name, node.action.arguments) for node in case.calls]
    is_made = len(made) == len(intent.calls) and all(
        name == call.name and arguments | call.arguments == arguments
        for (name, arguments), call in zip(made, intent.calls, strict=True)
    )
    calls = [{"name": call.name, "arguments": call.arguments} for call in intent.calls]
    meant: Json = {"calls": texts(state.language)["intent_as_made"] if is_made and calls else calls}
    if intent.withheld:
        meant["withheld"] = list(intent.withheld)
    if intent.refers_to is not None:
        meant["refers_to"] = {"task": intent.refers_to.task + 1, "words": intent.refers_to.words}
    return compact(meant)


def parse_verdict(reply: Reply, case: Case) -> Verdict:
    """The verdict in a reply, with the numbers and ids in it resolved. Raises Unusable where one names nothing, or a
    value of the list is left out."""
    read = parse_reply(reply, RecordedReply)
    rulings = {one.number: one for one in read.arguments}
    if left := sorted({one.number for one in case.unproven} - rulings.keys()):
        raise Unusable("unusable_verdict", number=left[0])
    arguments = tuple(
        ArgumentVerdict(
            one.call,
            one.path,
            one.value,
            Ruling(rulings[one.number].verdict),
            rulings[one.number].reason,
            tuple(rulings[one.number].accept),
            rulings[one.number].compare,
        )
        for one in case.unproven
    )
    earlier = read.earlier
    kind = Reference(earlier.kind) if earlier.needed and earlier.kind != "none" else None
    task = earlier.task - 1 if earlier.task > 0 else None
    return Verdict(
        read.answer.agrees,
        read.answer.reason,
        arguments,
        tuple(_edges(read.edges.missing, case)),
        tuple(_edges(read.edges.false, case)),
        earlier.needed,
        kind,
        task,
        earlier.reason,
        read.unmet,
        tuple(sorted({node.index for node in case.calls if node.action.id in read.repeated})),
    )


def _edges(rulings: Sequence[EdgeRuling], case: Case) -> Iterator[EdgeVerdict]:
    """Edges by the positions of their calls. Raises Unusable for an id that no call has."""
    by_id = {node.action.id: node.index for node in case.calls}
    for one in rulings:
        for name in (one.before, one.call):
            if name not in by_id:
                raise Unusable("unusable_edge", id=shown(name))
        if by_id[one.before] < by_id[one.call]:
            yield EdgeVerdict(by_id[one.before], by_id[one.call], one.reason)


def is_judged(checks: Collection[str]) -> bool:
    """Is one of the checks on that the judge decides?"""
    return any(name in checks for name in JUDGED)


def apply_verdict(state: DialogueState, case: Case, verdict: Verdict) -> None:
    """Keep a verdict with the task, and take unasked optional values out of the calls. What a value proves is not the
    judge's to deny: the task needs what came before."""
    unasked = {(one.call, one.path) for one in verdict.arguments if one.ruling is Ruling.UNASKED}
    removed = {place for place in unasked if _is_optional(state, case.nodes[place[0]].action, place[1])}
    for call, path in removed:
        _without(state, case.nodes[call].action, path)
    kept = tuple(one for one in verdict.arguments if (one.call, one.path) not in removed)
    needs_earlier = verdict.needs_earlier or leans_literally(case, state.task)
    state.plan(verdict=replace(verdict, arguments=kept, needs_earlier=needs_earlier))


def _is_optional(state: DialogueState, action: Action, path: str) -> bool:
    """A top-level parameter that the tool does not require."""
    tool = next((one for one in state.tools if one.name == action.name), None)
    return tool is not None and path in action.arguments and path not in required(tool)


def _without(state: DialogueState, action: Action, path: str) -> None:
    """The same call without an argument, in the entry that made it."""
    for number, entry in enumerate(state.entries):
        if entry.accepted and entry.task == state.task and entry.decision is not None:
            actions = tuple(
                replace(one, arguments={key: value for key, value in one.arguments.items() if key != path})
                if one.id == action.id and one.is_tool
                else one
                for one in entry.decision.actions
            )
            if actions != entry.decision.actions:
                decision = replace(entry.decision, actions=actions)
                state.entries[number] = replace(entry, decision=decision, text=render_decision(decision))


def faults(state: DialogueState, case: Case, checks: Collection[str], first: int) -> Iterator[Fault]:
    """What in a judged task has to be made again, the worst first. first: the entry that the task begins with."""
    language, verdict = state.language, state.tasks[-1].verdict
    if verdict is None:
        return
    if "context" in checks and state.task and not verdict.needs_earlier:
        why = texts(language)["objection_context"]
        yield Fault("context", verdict.reason or why, why, first)
    if "values" in checks:
        for one in verdict.arguments:
            if one.ruling in (Ruling.WRONG, Ruling.UNASKED):
                action = case.nodes[one.call].action
                said = {"tool": action.name, "path": one.path, "value": compact(one.value)[:200]}
                why = text("objection_values", language, **said, reason=one.reason or one.ruling)
                yield Fault("values", f"{action.name}.{one.path} = {shown(one.value)}: {one.reason}", why, first + 1)
    if "answer" in checks and not verdict.answer_agrees:
        why = text("objection_answer", language, reason=verdict.answer_reason)
        yield Fault("answer", verdict.answer_reason or "the answer does not agree", why, _closing(state.entries))


def _closing(entries: Sequence[Entry]) -> int:
    """The position of the closing reply."""
    return max(number for number, entry in enumerate(entries) if entry.speaker is Speaker.AGENT)


def leans_literally(case: Case, task: int) -> bool:
    """Does a value of the task's calls stand in an earlier task only? Then it cannot do without the dialogue."""
    for node in case.calls:
        for path, value in leaves(node.action.arguments):
            nearest = node.sources.get(path, [{}])[0]
            if is_telling(value) and nearest.get("task", task) < task:
                return True
    return False
