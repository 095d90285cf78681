"""From a dialogue to an annotated session: the graph of calls of every task, with who uses what.

A call needs what the planner says it needs (`Action.needs`), what the judge says is missing, and the call whose result
alone holds one of its values. What the judge calls false is taken out unless a value proves it. Every reason stands
with its call in `dependency_evidence`, the sources of values in `argument_sources`: a reviewer can follow them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from toolgauge.chat import Json, Message, Tool
from toolgauge.data.session import ASK, FINAL, Call, Reference, Session, Task, TaskType
from toolgauge.generation.acceptances import acceptance_of
from toolgauge.generation.dialogue import (
    Action,
    Decision,
    Dialogue,
    Entry,
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

    @property
    def after(self) -> set[int]:
        """The nodes that it needs: those with a reason that stands."""
        return {before for before, reasons in self.edges.items() if any(one["kept"] for one in reasons)}

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

    def of_given(field: str, nothing: object) -> list[Any]:
        """The entries of the tasks that were given, as far as there are any."""
        found = given.get(field)
        return [*(found if isinstance(found, list) else []), *([nothing] * earlier)][:earlier]

    if given.get("candidates") or any(task.candidates for task in dialogue.tasks):
        origin["candidates"] = of_given("candidates", []) + [[one.text for one in task.candidates] for task in later]
    origin[JUDGED] = of_given(JUDGED, None) + [to_builtins(task.verdict) for task in later]
    flags = given.get(FLAGGED)
    given_flags = map(str, flags) if isinstance(flags, list) else ()
    flagged = sorted({*given_flags, *(flag for task in dialogue.tasks for flag in task.flagged)})
    return given | origin | ({FLAGGED: flagged} if flagged else {})


def read_nodes(dialogue: Dialogue, task: int) -> list[Node]:
    """The nodes of a task with their sources and edges, the verdict on the task applied. Raises Unfinished."""
    kept = [entry for entry in dialogue.kept if entry.task <= task]
    entries = [entry for entry in kept if entry.task == task]
    if not entries or entries[0].speaker is not Speaker.USER:
        raise Unfinished(f"task {task} does not begin with a user message")
    nodes = _read_turns(entries[1:], task)
    if not nodes or nodes[-1].action.name != FINAL or any(node.action.name == FINAL for node in nodes[:-1]):
        raise Unfinished(f"task {task} does not end with a closing reply")
    said = list(passages(kept))
    tools = {tool.name: tool for tool in dialogue.tools}
    for node in nodes:
        if node.is_tool:
            _ground(node, tools.get(node.action.name), said, nodes, dialogue.clock, task)
    if (verdict := dialogue.tasks[task].verdict) is not None:
        _apply(verdict, nodes)
    _close(nodes)
    return nodes


def _read_turns(entries: Sequence[Entry], task: int) -> list[Node]:
    """Each action of the planner with what answers it: a result, or what was said."""
    nodes: list[Node] = []
    starts = [number for number, entry in enumerate(entries) if entry.speaker is Speaker.PLANNER]
    for start, end in zip(starts, [*starts[1:], len(entries)], strict=False):
        decision, answers = entries[start].decision, entries[start + 1 : end]
        if decision is None or not decision.actions:
            raise Unfinished(f"a planner turn in task {task} has no action")
        observations = [one for entry in answers for one in entry.observations]
        words = [entry.text for entry in answers if entry.speaker is Speaker.AGENT]
        replies = [entry.text for entry in answers if entry.speaker is Speaker.USER]
        for number, action in enumerate(decision.actions):
            node = Node(len(nodes), action, decision, is_first=number == 0)
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
    """The literal sources of a call's values, and its edges: to the only result of the task that holds a value, and
    those that the planner states."""
    by_id = {before.action.id: before.index for before in nodes[: node.index] if before.action.id and before.is_tool}
    stated = {by_id[need.id]: need.why for need in node.action.needs if need.id in by_id}
    made_before = {one.index for one in nodes[: node.index] if one.decision is not node.decision}
    known = [
        one for one in said if one.task < task or (one.kind == "user" if one.step is None else one.step in made_before)
    ]
    elsewhere = [one for one in known if (one.kind, one.task) != ("result", task)]
    results = [one for one in known if (one.kind, one.task) == ("result", task)]
    for leaf in argument_leaves(node.action.arguments, tool.parameters if tool else None):
        if sources := literal_sources(leaf.value, leaf.schema, known, clock):
            node.sources[leaf.path] = sources
        if is_telling(leaf.value) and not literal_sources(leaf.value, leaf.schema, elsewhere, clock):
            holders = {one.step for one in results if one.step is not None and source_in(leaf.value, one) is not None}
            for before in sorted(holders & stated.keys()) or (sorted(holders) if len(holders) == 1 else []):
                node.need(before, VALUE, certain=True, path=leaf.path)
    for before, why in stated.items():
        node.need(before, STATED, certain=False, reason=why)


def _apply(verdict: Verdict, nodes: Sequence[Node]) -> None:
    """What the judge says about edges and sources. An edge that a value proves is not false."""
    for edge in verdict.missing:
        if not edge.before < edge.call < len(nodes):
            continue
        before, call = nodes[edge.before], nodes[edge.call]
        if call.is_tool and before.is_tool and before.decision is not call.decision:  # those were made together
            call.need(edge.before, JUDGE, certain=False, reason=edge.reason)
    for edge in verdict.false:
        reasons = nodes[edge.call].edges.get(edge.before) if edge.call < len(nodes) else None
        if reasons and not any(one["why"] == VALUE for one in reasons):
            for one in reasons:
                one |= {"kept": False, "judge": edge.reason}
    for ruled in verdict.arguments:
        if ruled.call < len(nodes) and ruled.path not in nodes[ruled.call].sources:
            origin = "composed" if ruled.compare else "user" if ruled.ruling is Ruling.STATED else "knowledge"
            nodes[ruled.call].sources[ruled.path] = [{"from": origin, "note": ruled.reason}]


def _close(nodes: Sequence[Node]) -> None:
    """A question waits for all before it and all after it for the answer; the closing reply waits for everything."""
    for node in nodes:
        earlier = nodes[: node.index]
        last = next((one.index for one in reversed(earlier) if one.action.name == ASK), None)
        if not node.is_tool:
            needed = {before for one in earlier for before in one.after}
            for before in sorted({one.index for one in earlier} - needed):
                node.need(before, QUESTION, certain=True)
        elif last is not None and not any(before >= last for before in node.after):
            node.need(last, QUESTION, certain=True)


def made_task(dialogue: Dialogue, index: int) -> Task:
    """What a closed task has become. Raises Unfinished.

    Its type goes by what happens in it, of several calls by the shape of their graph; how it leans on the dialogue by
    the judge's word, else the user's, else as it was dictated.
    """
    planned = dialogue.tasks[index]
    calls = tuple(_call(node, planned.verdict, dialogue.tools) for node in read_nodes(dialogue, index))
    entries = [entry for entry in dialogue.kept if entry.task == index]
    spoken = tuple(
        Message("user" if entry.speaker is Speaker.USER else "assistant", entry.text)
        for entry in entries
        if entry.speaker in (Speaker.USER, Speaker.AGENT)
    )
    leans = planned.intent.refers_to if planned.intent else None
    reference = (planned.verdict and planned.verdict.reference) or (leans.kind if leans else planned.reference)
    task = Task(index, entries[0].text, TaskType.CHAT, reference if index else Reference.FIRST_TURN, calls, spoken)
    if any(call.name == ASK for call in calls):
        return replace(task, type=TaskType.CLARIFY)
    made = sum(call.is_tool for call in calls)
    several = task.shape or TaskType.PARALLEL_TOOLS
    return replace(task, type=(TaskType.CHAT, TaskType.SINGLE_TOOL, several)[min(made, 2)])


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
        tuple(sorted(node.after)),
        node.observation,
        node.user_input,
        {path: [dict(one) for one in sources] for path, sources in node.sources.items()},
        extra,
        acceptance_of(node.action.arguments, tool.parameters if tool else {}, rulings) if node.is_tool else None,
    )
