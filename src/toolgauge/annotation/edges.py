"""What the calls of a task need of each other: from values, the planner's words, the checker's verdict, questions.

Every call of a step is first thought to depend on the step before, then what nothing speaks for is dropped
(docs/generation-checks.md#which-calls-need-each-other).

| why | what speaks for an edge | certain | kept |
|---|---|---|---|
| `value` | an argument stands in the result, and nobody said it before | yes | yes |
| `value` | the same of a common value (a small number, a member of an enumeration) | no | if names agree |
| `value` | an argument can be derived from the result | no | yes |
| `value` | an argument stands in the result, and was known before as well | no | no |
| `choice` | the result stood beside that of another call of the tool, and only one call follows from both | no | yes |
| `write` | an earlier call wrote what this one reads or uses, and nobody says that the order is free | no | yes |
| `checker` | the checker would not let calls of both steps be made together | no | without others |
| `plan` | the planner's words put these two tools in an order ("Call A and B in parallel, then C") | no | if nothing \
better speaks for a call of that step |
| `plan` | the planner's or the user's words put the steps in an order | no | without others |
| `step` | nothing but the order in which they were made | no | no |
| `question` | a question waits for all before it, all after it waits for the answer | yes | yes |

Of several results on one way that hold a value the last one counts: it was looked at before the call was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.annotation.dialogue import Decision
from toolgauge.annotation.grounding.context import ContextItem, ValueSource, is_plain
from toolgauge.annotation.grounding.numbers import is_small
from toolgauge.annotation.grounding.sources import typed_leaves
from toolgauge.annotation.grounding.values import folded, is_short, leaves, quote_of
from toolgauge.annotation.ordering import Order, are_free, order_of, telling
from toolgauge.annotation.writes import writes, written_thing
from toolgauge.data.session import ASK, FINAL

EVIDENCE = "dependency_evidence"
LONG_TEXT = 12
"""Characters from which on a text may quote results."""
_CONDITION = re.compile(
    r"\bif\b.{1,80}?\b(?:then|check|book|send|also)|whichever|depending on|如果|要是|先.{1,60}?再",
    re.IGNORECASE | re.DOTALL,
)


class EdgeKind(StrEnum):
    """What speaks for an edge, as the table above says."""

    VALUE = "value"
    CHOICE = "choice"
    WRITE = "write"
    CHECKER = "checker"
    PLAN = "plan"
    STEP = "step"
    QUESTION = "question"


class Edge(Struct, frozen=True, omit_defaults=True, rename={"before": "from", "node": "to"}):
    """The evidence that a call needs an earlier one. path: of the argument that speaks for it, where one does."""

    before: int
    node: int
    why: EdgeKind
    certain: bool
    kept: bool
    path: str = ""


class ActionNode(Struct, frozen=True):
    """An action with its result, before it is known what it needs.

    turn: of the planner, from 0; objected: the checker had refused to let it be made with those that come later.
    known: the context when it was made; sources: see grounding/sources.py; read_only: as the tool's server says.
    """

    index: int
    turn: int
    name: str
    arguments: dict[str, object]
    decision: Decision
    objected: bool = False
    observation: object = None
    status: int = 200
    user_input: str | None = None
    sources: dict[str, list[ValueSource]] = {}
    schema: dict[str, object] = {}
    read_only: bool | None = None
    known: tuple[ContextItem, ...] = ()

    @property
    def is_tool(self) -> bool:
        return self.name not in (ASK, FINAL)


def dependencies(nodes: Sequence[ActionNode], task: int, utterance: str) -> tuple[list[set[int]], list[Edge]]:
    """Per node its direct predecessors, and the evidence for every proposed edge."""
    after: list[set[int]] = [set() for _ in nodes]
    evidence: list[Edge] = []

    for node in nodes[:-1]:
        if node.name == ASK:
            edges = [
                Edge(before, node.index, EdgeKind.QUESTION, certain=True, kept=True)
                for before in sorted(_sinks(after, node.index))
            ]
        else:
            edges = _only_latest(_distinct(_by_value(node, nodes, task)), node, nodes, after)
            edges += _by_choice(node, nodes, edges)
            edges += _by_question(node, nodes, edges)
            edges += _by_write(node, nodes, edges, after)
            edges += _by_words(node, nodes, edges, utterance, after)
        after[node.index] = {edge.before for edge in edges if edge.kept}
        evidence += edges
    last = len(nodes) - 1
    after[last] |= _sinks(after, last)
    return after, evidence


def _sinks(after: Sequence[set[int]], end: int) -> set[int]:
    """Of the nodes before `end` those that no other of them waits for."""
    used = {before for needs in after[:end] for before in needs}
    return set(range(end)) - used


def _by_value(node: ActionNode, nodes: Sequence[ActionNode], task: int) -> Iterator[Edge]:
    """Edges to the results and answers of this task that an argument stands in."""
    for path, name, value, schema in typed_leaves(node.arguments, node.schema):
        sources = node.sources.get(path, [])
        for rank, source in enumerate(sources):
            before = source.step
            if source.task != task or before is None or source.origin not in ("result", "reply"):
                continue
            if source.origin == "reply":
                yield Edge(before, node.index, EdgeKind.VALUE, certain=True, kept=True, path=path)
                continue
            plain = source.reading is None and not is_common(value, schema, node)
            named = _agree(name, source.path or "")
            derived = source.reading is not None and not is_common(value, schema, node)
            kept = rank == 0 and (plain or named or derived)
            yield Edge(before, node.index, EdgeKind.VALUE, certain=rank == 0 and plain, kept=kept, path=path)
        if isinstance(value, str) and len(value) >= LONG_TEXT and not _is_literal(sources):
            yield from _quoted(value, path, node, nodes)


def _is_literal(sources: Sequence[ValueSource]) -> bool:
    return bool(sources) and sources[0].reading is None and sources[0].origin not in ("knowledge", "composed")


def _quoted(text: str, path: str, node: ActionNode, nodes: Sequence[ActionNode]) -> Iterator[Edge]:
    """Edges to results that a text tells of, by values that were not known before."""
    for before in nodes:
        if before.turn >= node.turn or not before.is_tool:
            continue
        for _, leaf in leaves(before.observation):
            rare = is_plain(leaf) and not is_short(str(leaf))
            if rare and len(str(leaf)) < len(text) and quote_of(str(leaf), text) and not _was_known(leaf, before):
                yield Edge(before.index, node.index, EdgeKind.VALUE, certain=True, kept=True, path=path)
                break


def _was_known(value: object, before: ActionNode) -> bool:
    """Was it in the context when the earlier call was made, or among that call's arguments?"""
    wanted = folded(str(value))
    in_call = any(wanted in folded(str(own)) for _, own in leaves(before.arguments) if is_plain(own))
    return in_call or any(wanted in one.folded for one in before.known)


def is_common(value: object, schema: Mapping[str, object], node: ActionNode) -> bool:
    """A value that stands in many places by chance: truth values, small numbers, enum members, today, two letters."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return is_small(value)
    members = schema.get("enum")
    today = node.known[0].now.date().isoformat() if node.known else ""
    return (isinstance(members, list) and value in members) or value == today or is_short(str(value))


def _agree(name: str, path: str) -> bool:
    """Is the place in a result called like the parameter ("train_id", "trains[1].id")?"""
    keys = [folded(key) for key in re.findall(r"[^.\[\]\d]+", path)]
    wanted = folded(name)
    return bool(keys and wanted) and (wanted.endswith(keys[-1]) or keys[-1].endswith(wanted))


def _distinct(edges: Iterable[Edge]) -> list[Edge]:
    """Of several reasons for one edge the best."""
    best: dict[int, Edge] = {}
    for edge in edges:
        known = best.get(edge.before)
        if known is None or (edge.kept, edge.certain) > (known.kept, known.certain):
            best[edge.before] = edge
    return list(best.values())


def _only_latest(
    edges: list[Edge], node: ActionNode, nodes: Sequence[ActionNode], after: Sequence[set[int]]
) -> list[Edge]:
    """Edges over which a later result has come, or the answer to a question, are implied by those and dropped."""
    asked = max((one.index for one in nodes[: node.index] if one.name == ASK), default=-1)
    kept: dict[int, Edge] = {}
    for edge in edges:
        before = nodes[edge.before]
        carrier = _carrier(edge, before, node, nodes, after) if edge.kept and before.is_tool else None
        if before.index < asked:
            kept.setdefault(before.index, replace(edge, certain=False, kept=False))
            continue
        if carrier is not None:
            edge = Edge(carrier, node.index, EdgeKind.VALUE, certain=False, kept=True, path=edge.path)  # noqa: PLW2901
        known = kept.get(edge.before)
        if known is None or (edge.kept, edge.certain) > (known.kept, known.certain):
            kept[edge.before] = edge
    return list(kept.values())


def _carrier(
    edge: Edge, before: ActionNode, node: ActionNode, nodes: Sequence[ActionNode], after: Sequence[set[int]]
) -> int | None:
    """The latest call that depends on `before` and whose result holds the edge's value again."""
    value = next((v for path, _, v, _ in typed_leaves(node.arguments, node.schema) if path == edge.path), None)
    carrying = [
        one.index
        for one in nodes[before.index + 1 : node.index]
        if one.is_tool and one.turn < node.turn and before.index in _ancestors(one.index, after)
        if any(whole for _, whole in ContextItem("result", 0, one.observation, node.known[0].now).holding(value))
    ]
    return max(carrying, default=None)


def _ancestors(index: int, after: Sequence[set[int]]) -> set[int]:
    found: set[int] = set()
    waiting = list(after[index])
    while waiting:
        before = waiting.pop()
        if before not in found:
            found.add(before)
            waiting += after[before]
    return found


def _by_choice(node: ActionNode, nodes: Sequence[ActionNode], edges: Sequence[Edge]) -> list[Edge]:
    """Edges to calls of one tool beside one that is needed, where one call follows: it chose among results."""
    mates = [one for one in nodes if one.turn == node.turn and one.name == node.name]
    if len(mates) > 1:
        return []
    needed = [nodes[edge.before] for edge in edges if edge.kept and edge.why == EdgeKind.VALUE]
    known = {edge.before for edge in edges}
    beside = {
        one.index
        for one in nodes[: node.index]
        for other in needed
        if one.is_tool and one.name == other.name and one.turn == other.turn and one.index not in known
    }
    return [Edge(before, node.index, EdgeKind.CHOICE, certain=False, kept=True) for before in sorted(beside)]


def _by_question(node: ActionNode, nodes: Sequence[ActionNode], edges: Sequence[Edge]) -> list[Edge]:
    """A question stands alone: what comes after it waits for its answer."""
    asked = next((one.index for one in reversed(nodes[: node.index]) if one.name == ASK), None)
    if asked is None or any(edge.kept and edge.before >= asked for edge in edges):
        return []
    return [Edge(asked, node.index, EdgeKind.QUESTION, certain=True, kept=True)]


def _implied(edges: Sequence[Edge], after: Sequence[set[int]]) -> set[int]:
    """What a call waits for already."""
    kept = {edge.before for edge in edges if edge.kept}
    return kept.union(*(_ancestors(before, after) for before in kept)) if kept else kept


def _words(node: ActionNode, nodes: Sequence[ActionNode]) -> list[str]:
    """What the planner said up to a call."""
    said = dict.fromkeys(f"{one.decision.thought}\n{one.decision.plan}" for one in nodes if one.turn <= node.turn)
    return [words for words in said if not words.isspace()]


def _by_write(
    node: ActionNode, nodes: Sequence[ActionNode], edges: Sequence[Edge], after: Sequence[set[int]]
) -> list[Edge]:
    """Edges to earlier calls that wrote the thing which this one reads or uses."""
    implied = _implied(edges, after)
    earlier = [one for one in nodes[: node.index] if one.turn < node.turn and one.is_tool]
    wrote = [one for one in earlier if writes(one.name, one.read_only)]
    found: list[Edge] = []
    for one in reversed(wrote):
        if one.index in implied or are_free(_words(node, nodes)):
            continue
        place = written_thing((one.name, one.arguments, one.schema), (node.name, node.arguments, node.schema))
        if place is not None:
            found.append(Edge(one.index, node.index, EdgeKind.WRITE, certain=False, kept=True, path=place))
            implied |= {one.index} | _ancestors(one.index, after)
    return found[::-1]


def _by_words(
    node: ActionNode, nodes: Sequence[ActionNode], edges: Sequence[Edge], utterance: str, after: Sequence[set[int]]
) -> list[Edge]:
    """Edges that somebody's words or the checker speak for. Where words name both tools, the edge is kept if
    no call of the same step is needed anyway; where they only order steps, it is to the step before and kept if nothing
    else speaks."""
    kept, proposed = _implied(edges, after), {edge.before for edge in edges}
    sentences = telling(_words(node, nodes), [one.name for one in nodes if one.is_tool])
    explained = {nodes[edge.before].turn for edge in edges if edge.kept}
    found = []
    for before in nodes[: node.index]:
        if not before.is_tool or before.turn >= node.turn or before.index in kept:
            continue
        order, is_next = order_of(sentences, before.name, node.name), before.turn == node.turn - 1
        if order is Order.NAMED:
            kept_now = before.turn not in explained  # else the words are about the call beside it
            found.append(Edge(before.index, node.index, EdgeKind.PLAN, certain=False, kept=kept_now))
        elif is_next and (before.objected or order is Order.STEPS or _CONDITION.search(utterance)):
            why = EdgeKind.CHECKER if before.objected else EdgeKind.PLAN
            found.append(Edge(before.index, node.index, why, certain=False, kept=not explained))
        elif is_next and before.index not in proposed:
            found.append(Edge(before.index, node.index, EdgeKind.STEP, certain=False, kept=False))
    return _without_implied(found, after)


def _without_implied(found: list[Edge], after: Sequence[set[int]]) -> list[Edge]:
    """Without kept edges to what a later one of them waits for."""
    implied = {one for edge in found if edge.kept for one in _ancestors(edge.before, after)}
    return [edge for edge in found if not (edge.kept and edge.before in implied)]
