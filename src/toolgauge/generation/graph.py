"""From a dialogue to an annotated session: the graph of calls of every task, with who uses what.

A call needs what the planner says it needs (`Action.needs`), what the judge says is missing, and the call whose result
alone holds one of its values. What the judge calls false is taken out unless a value proves it. Every reason stands
with its call in `dependency_evidence`, the sources of values in `argument_sources`: a reviewer can follow them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from toolgauge.chat import Json, Message, Tool
from toolgauge.data.session import ASK, FINAL, Call, Reference, Session, Task, TaskType
from toolgauge.generation.acceptances import acceptance_of
from toolgauge.generation.dialogue import (
    Action,
    ArgumentVerdict,
    Decision,
    Dialogue,
    Entry,
    PlannedTask,
    Ruling,
    Speaker,
    Verdict,
)
from toolgauge.generation.literal import (
    Passage,
    argument_leaves,
    is_telling,
    literal_sources,
    passages,
    source_in,
)

EVIDENCE = "dependency_evidence"
THOUGHT, PLAN, PURPOSE = "thought", "plan", "purpose"
"""Fields of a call with what the planner said of it."""
STATUS = "status_code"
"""A field of a call: the status of its result, where that is not 200."""
JUDGED = "judged"
"""Field of a session's origin: the judge's verdict on each task, null where there is none."""
FLAGGED = "flagged"
"""Field of a session's origin: the checks that it was kept in spite of."""
VALUE, STATED, JUDGE, QUESTION, STEP = "value", "stated", "judge", "question", "step"
"""Reasons for an edge: a value that stands only in that result, the planner's word, the judge's, a question's place; a
reviewer's edit."""
OK = 200


class Unfinished(ValueError):
    """A dialogue whose turns do not make whole tasks; the text says where."""


class Node(Struct):
    """An action with its result. sources: by the path of each argument; edges: index of a needed node -> reasons."""

    index: int
    action: Action
    decision: Decision
    is_first: bool = False
    observation: object = None
    status: int = OK
    user_input: str | None = None
    sources: dict[str, list[Json]] = {}
    edges: dict[int, list[Json]] = {}

    @property
    def is_tool(self) -> bool:
        return self.action.is_tool

    def need(self, before: int, why: str, certain: bool, **more: object) -> None:
        """Note a reason for an edge."""
        evidence = {"from": before, "to": self.index, "why": why, "certain": certain, "kept": True, **more}
        self.edges.setdefault(before, []).append(evidence)


def annotate(dialogue: Dialogue, given: Session | None = None) -> Session:
    """The session that a finished dialogue is.

    given: where its first tasks were reviewed, the session they come from; they are taken as they are, and so are the
    session's own fields. Raises Unfinished where a task has no utterance, no closing reply, or turns that do not follow
    each other.
    """
    tasks = []
    for index in range(len(dialogue.tasks)):
        if given and index < min(dialogue.earlier, len(given.tasks)):
            tasks.append(given.tasks[index])
        else:
            tasks.append(made_task(dialogue, index))
    wired = tuple(tool.filed() for tool in dialogue.tools)
    before: Json = given.extra if given else {}
    origin = before.get("origin")
    extra = before | {"origin": _origin(dialogue, origin if isinstance(origin, dict) else {})}
    return Session(dialogue.id, dialogue.language, dialogue.clock, dialogue.tools, tuple(tasks), wired, extra)


def _origin(dialogue: Dialogue, given: Json) -> Json:
    """Where a session comes from: tools, scenario, proposals, verdicts; of tasks that were given what stood there."""
    origin: Json = {"tool_list": dialogue.tool_list}
    if dialogue.scenario:
        origin["scenario"] = dialogue.scenario
    earlier, later = dialogue.earlier, dialogue.tasks[dialogue.earlier :]
    proposed = candidates_of(given)
    if proposed or any(task.candidates for task in dialogue.tasks):
        before = [*proposed, *([[]] * earlier)][:earlier]
        origin["candidates"] = before + [[one.text for one in task.candidates] for task in later]
    judged = given.get(JUDGED)
    verdicts = [*(judged if isinstance(judged, list) else []), *([None] * earlier)][:earlier]
    origin[JUDGED] = verdicts + [to_builtins(task.verdict) for task in later]
    given_flags = flags if isinstance(flags := given.get(FLAGGED), list) else []
    flagged = sorted({*map(str, given_flags), *(flag for task in dialogue.tasks for flag in task.flagged)})
    return given | origin | ({FLAGGED: flagged} if flagged else {})


def candidates_of(origin: Mapping[str, object]) -> list[list[str]]:
    """What was proposed for each task, as far as an origin tells; an older one has the list of the first task alone."""
    found = origin.get("candidates")
    listed = found if isinstance(found, list) else []
    lists = [listed] if any(isinstance(one, str) for one in listed) else listed
    return [[text for text in one if isinstance(text, str)] if isinstance(one, list) else [] for one in lists]


def read_nodes(dialogue: Dialogue, task: int) -> list[Node]:
    """The nodes of a task with their sources and edges, the verdict on the task applied."""
    kept = [entry for entry in dialogue.kept if entry.task <= task]
    entries = [entry for entry in kept if entry.task == task]
    if not entries or entries[0].speaker is not Speaker.USER:
        raise Unfinished(f"task {task} does not begin with a user message")
    nodes: list[Node] = []
    for decision, answers in _turns(entries[1:], task):
        nodes += _read_turn(decision, answers, len(nodes))
    if not nodes or nodes[-1].action.name != FINAL or any(node.action.name == FINAL for node in nodes[:-1]):
        raise Unfinished(f"task {task} does not end with a closing reply")
    said = list(passages(kept))
    tools = {tool.name: tool for tool in dialogue.tools}
    for node in nodes:
        if node.is_tool:
            _ground(node, tools.get(node.action.name), said, nodes, dialogue.clock, task)
    _connect(nodes)
    if (verdict := dialogue.tasks[task].verdict) is not None:
        _apply(verdict, nodes)
    _close(nodes)
    return nodes


def _turns(entries: Sequence[Entry], task: int) -> Iterator[tuple[Decision, list[Entry]]]:
    """Each decision of the planner with what answers it."""
    starts = [number for number, entry in enumerate(entries) if entry.speaker is Speaker.PLANNER]
    for number, end in zip(starts, [*starts[1:], len(entries)], strict=False):
        decision = entries[number].decision
        if decision is None or not decision.actions:
            raise Unfinished(f"a planner turn in task {task} has no action")
        yield decision, list(entries[number + 1 : end])


def _read_turn(decision: Decision, answers: Sequence[Entry], first: int) -> list[Node]:
    observations = [one for entry in answers for one in entry.observations]
    words = [entry.text for entry in answers if entry.speaker is Speaker.AGENT]
    replies = [entry.text for entry in answers if entry.speaker is Speaker.USER]
    nodes = []
    for number, action in enumerate(decision.actions):
        node = Node(first + number, action, decision, is_first=number == 0)
        if not action.is_tool:
            if not words or (action.name == ASK and not replies):
                raise Unfinished(f"no reply after {action.name}")
            node.observation, node.user_input = words[0], replies[0] if action.name == ASK else None
        elif number >= len(observations):
            raise Unfinished(f"call of {action.name} has no result")
        else:
            node.observation, node.status = observations[number].response, observations[number].status_code
        nodes.append(node)
    return nodes


def _ground(
    node: Node, tool: Tool | None, said: Sequence[Passage], nodes: Sequence[Node], clock: str, task: int
) -> None:
    """The literal sources of a call's values, and the edge to the only result of the task that holds one."""
    known = [one for one in said if one.task < task or _is_before(one, node, nodes)]
    elsewhere = [one for one in known if (one.kind, one.task) != ("result", task)]
    results = [one for one in known if (one.kind, one.task) == ("result", task)]
    stated = {before.index for before in _stated(node, nodes)}
    for leaf in argument_leaves(node.action.arguments, tool.parameters if tool else None):
        if sources := literal_sources(leaf.value, leaf.schema, known, clock):
            node.sources[leaf.path] = sources
        if is_telling(leaf.value) and not literal_sources(leaf.value, leaf.schema, elsewhere, clock):
            holders = {one.step for one in results if one.step is not None and source_in(leaf.value, one) is not None}
            for before in sorted(holders & stated) or (sorted(holders) if len(holders) == 1 else []):
                node.need(before, VALUE, certain=True, path=leaf.path)


def _is_before(passage: Passage, node: Node, nodes: Sequence[Node]) -> bool:
    """Was something of the same task known when a call was made?"""
    if passage.step is None:
        return passage.kind == "user"
    return nodes[passage.step].decision is not node.decision and passage.step < node.index


def _stated(node: Node, nodes: Sequence[Node]) -> list[Node]:
    """The earlier nodes that the planner says a call needs."""
    by_id = {before.action.id: before for before in nodes[: node.index] if before.action.id and before.is_tool}
    return [by_id[need.id] for need in node.action.needs if need.id in by_id]


def _connect(nodes: Sequence[Node]) -> None:
    """The edges that the planner states."""
    for node in nodes:
        why = {need.id: need.why for need in node.action.needs}
        for before in _stated(node, nodes):
            node.need(before.index, STATED, certain=False, reason=why[before.action.id])


def _apply(verdict: Verdict, nodes: Sequence[Node]) -> None:
    """What the judge says about edges and sources. An edge that a value proves is not false."""
    for edge in verdict.missing:
        if not edge.before < edge.call < len(nodes):
            continue
        before, call = nodes[edge.before], nodes[edge.call]
        if call.is_tool and before.is_tool and before.decision is not call.decision:  # those were made together
            nodes[edge.call].need(edge.before, JUDGE, certain=False, reason=edge.reason)
    for edge in verdict.false:
        reasons = nodes[edge.call].edges.get(edge.before) if edge.call < len(nodes) else None
        if reasons and not any(one["why"] == VALUE for one in reasons):
            for one in reasons:
                one |= {"kept": False, "judge": edge.reason}
    for ruled in verdict.arguments:
        if ruled.call < len(nodes) and ruled.path not in nodes[ruled.call].sources:
            nodes[ruled.call].sources[ruled.path] = [{"from": _origin_of(ruled), "note": ruled.reason}]


def _origin_of(ruled: ArgumentVerdict) -> str:
    if ruled.compare:
        return "composed"
    return "user" if ruled.ruling is Ruling.STATED else "knowledge"


def _close(nodes: Sequence[Node]) -> None:
    """A question waits for all before it and all after it for the answer; the closing reply waits for everything."""
    for node in nodes:
        last = next((one.index for one in reversed(nodes[: node.index]) if one.action.name == ASK), None)
        if not node.is_tool:
            for before in _sinks(nodes[: node.index]):
                node.need(before, QUESTION, certain=True)
        elif last is not None and not any(before >= last for before in _kept(node)):
            node.need(last, QUESTION, certain=True)


def _kept(node: Node) -> set[int]:
    return {before for before, reasons in node.edges.items() if any(one["kept"] for one in reasons)}


def _sinks(nodes: Sequence[Node]) -> list[int]:
    """Those that no other needs."""
    needed = {before for node in nodes for before in _kept(node)}
    return [node.index for node in nodes if node.index not in needed]


def made_task(dialogue: Dialogue, index: int) -> Task:
    """What a closed task has become. Raises Unfinished."""
    planned = dialogue.tasks[index]
    calls = tuple(_call(node, planned.verdict, dialogue.tools) for node in read_nodes(dialogue, index))
    entries = [entry for entry in dialogue.kept if entry.task == index]
    spoken = tuple(
        Message("user" if entry.speaker is Speaker.USER else "assistant", entry.text)
        for entry in entries
        if entry.speaker in (Speaker.USER, Speaker.AGENT)
    )
    task = Task(index, entries[0].text, TaskType.CHAT, _reference(index, planned), calls, spoken)
    return replace(task, type=_type(task))


def _reference(index: int, planned: PlannedTask) -> Reference:
    """How a task leans on the dialogue: as the judge says, else the user, else as it was dictated."""
    if not index:
        return Reference.FIRST_TURN
    if planned.verdict is not None and planned.verdict.reference is not None:
        return planned.verdict.reference
    intent = planned.intent
    return intent.refers_to.kind if intent is not None and intent.refers_to is not None else planned.reference


def _call(node: Node, verdict: Verdict | None, tools: Sequence[Tool]) -> Call:
    extra: Json = {}
    if node.is_first:
        extra |= {name: said for name, said in ((THOUGHT, node.decision.thought), (PLAN, node.decision.plan)) if said}
    if node.action.purpose:
        extra[PURPOSE] = node.action.purpose
    if node.is_tool and node.status != OK:
        extra[STATUS] = node.status
    evidence = [one for before in sorted(node.edges) for one in node.edges[before]]
    if node.is_tool and evidence:
        extra[EVIDENCE] = evidence
    tool = next((one for one in tools if one.name == node.action.name), None)
    rulings = [one for one in (verdict.arguments if verdict else ()) if one.call == node.index]
    return Call(
        node.index,
        node.action.name,
        node.action.arguments,
        tuple(sorted(_kept(node))),
        node.observation,
        node.user_input,
        {path: [dict(one) for one in sources] for path, sources in node.sources.items()},
        extra,
        acceptance_of(node.action.arguments, tool.parameters if tool else {}, rulings) if node.is_tool else None,
    )


def _type(task: Task) -> TaskType:
    """By what happens in it, of several calls by the shape of their graph."""
    calls = sum(call.is_tool for call in task.calls)
    if any(call.name == ASK for call in task.calls):
        return TaskType.CLARIFY
    if calls < 2:
        return TaskType.SINGLE_TOOL if calls else TaskType.CHAT
    return task.shape or TaskType.PARALLEL_TOOLS
