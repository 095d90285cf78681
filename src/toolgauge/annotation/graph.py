"""From a dialogue to an annotated session: the graph of calls of every task, with who uses what.

Nodes are the actions of the planner's accepted turns; what they need of each other is inferred in edges.py and
where their values come from in grounding/. Every proposal for an edge, kept or not, stands with its evidence in
`Call.extra["dependency_evidence"]`, so that a reviewer can follow it.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from toolgauge.annotation.acceptances import acceptance_of
from toolgauge.annotation.dialogue import CHECKERS, Decision, Dialogue, Entry, PlannedTask, Speaker
from toolgauge.annotation.edges import EVIDENCE, ActionNode, Edge, dependencies
from toolgauge.annotation.grounding.context import Context
from toolgauge.annotation.grounding.sources import sources_of
from toolgauge.annotation.references import VerifiedReference, reference_of
from toolgauge.chat import Message, Tool
from toolgauge.data.session import ASK, FINAL, Call, Reference, Session, Task, TaskType
from toolgauge.data.sessions import parse_clock

THOUGHT, PLAN, PURPOSE = "thought", "plan", "purpose"
"""Fields of a call with what the planner said of it."""
DRAWN = "drawn"
"""Field of a task with the reference that was drawn for it."""
REFERENCES = "references"
"""Field of a session's origin with how its later tasks lean on the dialogue: drawn, found, and the evidence."""
STATUS = "status_code"
"""A field of a call: the status of its result, where that is not 200."""
_BEGINNING = datetime.datetime(2024, 1, 1)


class Unfinished(ValueError):
    """A dialogue whose turns do not make whole tasks; the text says where."""


def annotate(
    dialogue: Dialogue, given: Session | None = None, context: Context | None = None, verify: bool = True
) -> Session:
    """The session that a finished dialogue is.

    given: where its first tasks were reviewed, the session they come from; they are taken as they are, and so are the
    session's own fields.
    context: what is read is added to it; a given task that it knows already is not read again. verify: the reference
    labels of the tasks, too.
    Raises Unfinished where a task has no utterance, no closing reply, or turns that do not follow each other.
    """
    context = context or context_of(dialogue)
    known = {item.task for item in context.items}
    tools = {tool.name: tool for tool in dialogue.tools}
    tasks: list[Task] = []
    verified: list[VerifiedReference] = []
    for index, planned in enumerate(dialogue.tasks):
        if given and index < min(dialogue.earlier, len(given.tasks)):
            tasks.append(given.tasks[index])
            if index not in known:
                _recall(given.tasks[index], context)
        else:
            task = _task(dialogue, index, planned, read_nodes(dialogue, index, context, tools))
            if verify and index >= max(dialogue.earlier, 1):
                verified.append(reference_of(task, tasks, dialogue.language, planned.reference))
                task = replace(task, reference=verified[-1].label)
            tasks.append(task)
    wired = tuple(tool.filed() for tool in dialogue.tools)
    origin: dict[str, object] = {"tool_list": dialogue.tool_list}
    if dialogue.scenario:
        origin["scenario"] = dialogue.scenario
    before = given.extra if given else {}
    named = before.get("origin")
    named = named if isinstance(named, dict) else {}
    proposed = candidates_of(named)
    if proposed or any(task.candidates for task in dialogue.tasks):
        origin["candidates"] = _candidates(dialogue, proposed)
    references = [*_standing_references(named.get(REFERENCES), dialogue), *to_builtins(verified)]
    if references or REFERENCES in named:
        origin[REFERENCES] = sorted(references, key=lambda one: one["task"])
    extra = before | {"origin": named | origin}
    return Session(dialogue.id, dialogue.language, dialogue.clock, dialogue.tools, tuple(tasks), wired, extra)


def candidates_of(origin: Mapping[str, object]) -> list[list[str]]:
    """What was proposed for each task, as far as an origin tells; an older one has the list of the first task alone."""
    found = origin.get("candidates")
    listed = found if isinstance(found, list) else []
    lists = [listed] if any(isinstance(one, str) for one in listed) else listed
    return [[text for text in one if isinstance(text, str)] if isinstance(one, list) else [] for one in lists]


def _candidates(dialogue: Dialogue, before: Sequence[list[str]]) -> list[list[str]]:
    """A list for each task; those of tasks that were given stay."""
    given = dict(enumerate(before))
    return [
        given.get(number, []) if number < dialogue.earlier else list(task.candidates)
        for number, task in enumerate(dialogue.tasks)
    ]


def _standing_references(references: object, dialogue: Dialogue) -> list[dict[str, Any]]:
    """What was verified of the references of tasks that were given."""
    known = [one for one in references if isinstance(one, dict)] if isinstance(references, list) else []
    return [one for one in known if isinstance(one.get("task"), int) and one["task"] < dialogue.earlier]


def context_of(dialogue: Dialogue) -> Context:
    """An empty context at the dialogue's moment."""
    return Context(parse_clock(dialogue.clock) or _BEGINNING)


def read_nodes(dialogue: Dialogue, task: int, context: Context, tools: Mapping[str, Tool]) -> list[ActionNode]:
    """The nodes of a task, each with the sources of its values. Every message is added to the context as it is read."""
    entries = [entry for entry in dialogue.of_task(task) if entry.accepted and entry.speaker not in CHECKERS]
    if not entries or entries[0].speaker is not Speaker.USER:
        raise Unfinished(f"task {task} does not begin with a user message")
    context.add("user", task, entries[0].text)
    nodes: list[ActionNode] = []
    turns = _turns(entries[1:], task)
    for number, (decision, answers) in enumerate(turns):
        made = _nodes(decision, answers, number, len(nodes), _objected(dialogue, task, decision))
        for node in made:
            if node.name not in (ASK, FINAL):
                node = _known(node, tools.get(node.name), context, dialogue.language)  # noqa: PLW2901
            nodes.append(node)
        _remember(made, task, context)
    if not nodes or nodes[-1].name != FINAL or any(node.name == FINAL for node in nodes[:-1]):
        raise Unfinished(f"task {task} does not end with a closing reply")
    return nodes


def _known(node: ActionNode, tool: Tool | None, context: Context, language: str) -> ActionNode:
    """A call with what its tool says of itself, the sources of its values, and what was known when it was made."""
    schema = tool.parameters if tool else {}
    read_only = tool.read_only if tool else None
    told = f"{node.name}: {tool.description}" if tool else node.name
    sources = context.grounded(node.arguments, lambda: sources_of(node.arguments, schema, context, language, told))
    return replace(node, sources=sources, schema=schema, read_only=read_only, known=tuple(context.items))


def _turns(entries: Sequence[Entry], task: int) -> Iterator[tuple[Decision, list[Entry]]]:
    """Each decision of the planner with what answers it."""
    starts = [number for number, entry in enumerate(entries) if entry.speaker is Speaker.PLANNER]
    for number, end in zip(starts, [*starts[1:], len(entries)], strict=False):
        decision = entries[number].decision
        if decision is None or not decision.actions:
            raise Unfinished(f"a planner turn in task {task} has no action")
        yield decision, list(entries[number + 1 : end])


def _nodes(decision: Decision, answers: Sequence[Entry], turn: int, first: int, objected: bool) -> list[ActionNode]:
    observations = [one for entry in answers for one in entry.observations]
    words = [entry.text for entry in answers if entry.speaker is Speaker.AGENT]
    replies = [entry.text for entry in answers if entry.speaker is Speaker.USER]
    nodes = []
    for number, action in enumerate(decision.actions):
        node = ActionNode(first + number, turn, action.name, action.arguments, decision, objected)
        if action.name in (ASK, FINAL):
            if not words or (action.name == ASK and not replies):
                raise Unfinished(f"no reply after {action.name}")
            reply = replies[0] if action.name == ASK else None
            nodes.append(replace(node, observation=words[0], user_input=reply))
        else:
            if number >= len(observations):
                raise Unfinished(f"call of {action.name} has no result")
            seen = observations[number]
            nodes.append(replace(node, observation=seen.response, status=seen.status_code))
    return nodes


def _objected(dialogue: Dialogue, task: int, decision: Decision) -> bool:
    """Had the checker objected that calls of this turn cannot be made together?

    True where a rejected try right before this decision wanted more calls at once and the verdict was on that.
    """
    entries = dialogue.of_task(task)
    place = next((number for number, entry in enumerate(entries) if entry.decision is decision and entry.accepted), 0)
    for before in reversed(entries[:place]):
        if before.accepted and before.speaker not in CHECKERS:
            return False
        tried = before.decision
        if tried is not None and len(tried.actions) > len(decision.actions):
            verdicts = entries[:place]
            return any(f.rule in ("parallelism", "serial_same_tool") for one in verdicts for f in one.findings)
    return False


def _remember(nodes: Iterable[ActionNode], task: int, context: Context) -> None:
    for node in nodes:
        if node.name in (ASK, FINAL):
            context.add("agent", task, node.observation)
            if node.name == ASK:
                context.add("reply", task, node.user_input, node.index)
        else:
            context.add("result", task, node.observation, node.index)


def _recall(task: Task, context: Context) -> None:
    """What was said and answered in a task that others annotated."""
    context.add("user", task.index, task.utterance)
    for call in task.calls:
        if call.is_tool:
            context.add("result", task.index, call.observation, call.index)
        else:
            context.add("agent", task.index, str(call.observation))
        if call.name == ASK:
            context.add("reply", task.index, call.user_input or "", call.index)


def _task(dialogue: Dialogue, index: int, planned: PlannedTask, nodes: Sequence[ActionNode]) -> Task:
    utterance = next(entry.text for entry in dialogue.of_task(index) if entry.speaker is Speaker.USER)
    after, evidence = dependencies(nodes, index, utterance)
    calls = tuple(
        _call(node, after[node.index], [one for one in evidence if one.node == node.index], _said(node, nodes))
        for node in nodes
    )
    reference = planned.reference if index else Reference.FIRST_TURN
    messages = tuple(_messages(dialogue, index))
    task = Task(
        index,
        utterance,
        TaskType.CHAT,
        reference,
        calls,
        messages,
        extra={"planned": planned.kind, DRAWN: reference.value},
    )
    return replace(task, type=type_of(task))


def _said(node: ActionNode, nodes: Sequence[ActionNode]) -> dict[str, object]:
    """What the planner said when it decided on a call: its thought and plan with the first call of a decision."""
    first = next(one for one in nodes if one.turn == node.turn)
    texts = {THOUGHT: node.decision.thought, PLAN: node.decision.plan} if node is first else {}
    purpose = node.decision.actions[node.index - first.index].purpose
    return {key: text for key, text in (texts | {PURPOSE: purpose}).items() if text}


def _call(node: ActionNode, after: set[int], evidence: list[Edge], said: dict[str, object]) -> Call:
    extra = said | ({EVIDENCE: to_builtins(evidence)} if evidence else {})
    if node.status != 200:
        extra[STATUS] = node.status
    is_tool = node.name not in (ASK, FINAL)
    return Call(
        node.index, node.name, node.arguments, tuple(sorted(after)), node.observation, node.user_input,
        to_builtins(node.sources), extra, acceptance_of(node.arguments, node.schema) if is_tool else None,
    )  # fmt: skip


def type_of(task: Task) -> TaskType:
    """The class of a task by what happens in it, of several calls by the shape of their graph."""
    calls = sum(call.is_tool for call in task.calls)
    if any(call.name == ASK for call in task.calls):
        return TaskType.CLARIFY
    if calls < 2:
        return TaskType.SINGLE_TOOL if calls else TaskType.CHAT
    return task.shape or TaskType.PARALLEL_TOOLS


def _messages(dialogue: Dialogue, task: int) -> Iterator[Message]:
    """What user and assistant say to each other in a task."""
    for entry in dialogue.of_task(task):
        if entry.accepted and entry.speaker in (Speaker.USER, Speaker.AGENT):
            yield Message("user" if entry.speaker is Speaker.USER else "assistant", entry.text)
