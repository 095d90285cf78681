"""The figures by which the papers describe a data set, counted for any data set."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.data.files import (
    PARAMETER_KINDS,
    StatisticsTable,
    parameter_kind,
)
from toolgauge.data.session import ASK, KINDS, Dataset, Reference, Session, Task, TaskType


class Statistics(Struct, frozen=True):
    """Counts of a data set.

    turns: user messages per session, answers to questions included (sessions by number); from the stored dialogue,
    which may hold more than the graphs say, where there is one. calls: tool calls per task,
    the two pseudo-actions apart, over the tasks that have any (tasks by number). shapes: tasks by the shape of their
    graph, whatever their type. nodes: annotated nodes, closing replies included, of the tasks of class multi by shape.
    parameters: of all distinct tools, at every level below objects (see `parameter_kind`). tools: per session (sessions
    by number), distinct_tools by name, distinct_definitions word for word. needing_context: those of the `later` tasks
    that need what was said before. sequences: different ones of kinds among the sessions with the most tasks (longest).
    transitions: kind -> kind of the next task. changes: sessions by number of changes of kind.
    """

    sessions: int
    tasks: int
    task_types: dict[str, int]
    references: dict[str, int]
    shapes: dict[str, int]
    nodes: dict[str, int]
    turns: dict[int, int]
    calls: dict[int, int]
    parameters: dict[str, int]
    tools: dict[int, int]
    distinct_tools: int
    distinct_definitions: int
    tool_definitions: int
    later: int
    needing_context: int
    sequences: int
    longest: int
    transitions: dict[str, dict[str, int]]
    changes: dict[int, int]
    kinds_by_position: list[dict[str, int]]


def statistics(dataset: Dataset) -> Statistics:
    """The figures of a data set."""
    return measure(dataset.sessions)


def measure(sessions: Sequence[Session]) -> Statistics:
    """The figures of some sessions."""
    tasks = [task for session in sessions for task in session.tasks]
    multi = [task for task in tasks if task.type.kind == "multi"]
    definitions = [tool for session in sessions for tool in session.original_tools]
    longest = max((len(session.tasks) for session in sessions), default=0)
    counts = Counter(pair for session in sessions for pair in _neighbours(session))
    return Statistics(
        sessions=len(sessions),
        tasks=len(tasks),
        task_types=_in_order((task.type.value for task in tasks), [kind.value for kind in TaskType]),
        references=_in_order((task.reference.value for task in tasks), [kind.value for kind in Reference]),
        shapes=_in_order((task.shape.value for task in tasks if task.shape), [kind.value for kind in TaskType]),
        nodes=_nodes(multi),
        turns=_histogram(map(_turns, sessions)),
        calls=_histogram(count for task in tasks if (count := sum(call.is_tool for call in task.calls))),
        parameters=_in_order(_parameters(definitions), PARAMETER_KINDS),
        tools=_histogram(len(session.original_tools) for session in sessions),
        distinct_tools=len({tool["function"]["name"] for tool in definitions}),
        distinct_definitions=len({json.dumps(tool, sort_keys=True) for tool in definitions}),
        tool_definitions=len(definitions),
        later=sum(len(session.tasks[1:]) for session in sessions),
        needing_context=sum(task.true_multi_turn for session in sessions for task in session.tasks[1:]),
        sequences=len({tuple(task.type.kind for task in one.tasks) for one in sessions if len(one.tasks) == longest}),
        longest=longest,
        transitions={one: {two: counts[one, two] for two in KINDS} for one in KINDS},
        changes=_histogram(sum(one != two for one, two in _neighbours(session)) for session in sessions),
        kinds_by_position=[
            _in_order((one.tasks[index].type.kind for one in sessions if index < len(one.tasks)), KINDS)
            for index in range(longest)
        ],
    )


def sections(found: Statistics) -> list[StatisticsTable]:
    """The figures as tables, in the order of the paper's Figure 5."""
    per_session = found.tasks / found.sessions if found.sessions else 0.0
    size = (
        ("sessions", str(found.sessions)),
        ("tasks", f"{found.tasks} ({per_session:g} per session)"),
        ("dialogue turns per session", f"{_mean(found.turns):.2f}"),
        ("tool calls per task that has any", f"{_mean(found.calls):.2f}"),
        (
            "distinct tool names",
            f"{found.distinct_tools} ({found.tool_definitions} definition{'' if found.tool_definitions == 1 else 's'}, "
            f"{found.distinct_definitions} distinct)",
        ),
        (f"sequences of {found.longest} types covered", f"{found.sequences} of {len(KINDS) ** found.longest}"),
        ("later tasks that need the context", f"{found.needing_context} of {found.later}"),
    )
    transitions = tuple((kind, *(str(found.transitions[kind][following]) for following in KINDS)) for kind in KINDS)
    return [
        StatisticsTable("Size", ("", ""), size),
        _shares("Task types", "type", found.task_types),
        _shares("References", "reference", found.references),
        _shares("Parameter types of distinct tools", "type", found.parameters),
        _counts("Dialogue turns per session", "turns", "sessions", found.turns),
        _counts("Tool calls per task", "calls", "tasks", found.calls),
        _counts("Tools per session", "tools", "sessions", found.tools),
        StatisticsTable("Transitions (row: a task, column: the next one)", ("", *KINDS), transitions),
        _counts("Type changes per session", "changes", "sessions", found.changes),
    ]


def _parameters(definitions: Iterable[Json]) -> Iterator[str]:
    distinct = {tool["function"]["name"]: tool["function"].get("parameters") for tool in reversed(list(definitions))}
    for parameters in distinct.values():
        yield from _below(parameters, nested=False)


def _below(schema: object, nested: bool) -> Iterator[str]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for part in properties.values() if isinstance(properties, dict) else ():
        yield parameter_kind(part, nested)
        yield from _below(part, nested=True)


def _turns(session: Session) -> int:
    if all(task.dialogue for task in session.tasks):
        return sum(message.role == "user" for task in session.tasks for message in task.dialogue)
    return len(session.tasks) + sum(call.name == ASK for task in session.tasks for call in task.calls)


def _nodes(multi: Sequence[Task]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for task in multi:
        counts[task.type.value] += len(task.calls)
    return dict(counts)


def _neighbours(session: Session) -> list[tuple[str, str]]:
    kinds = [task.type.kind for task in session.tasks]
    return list(pairwise(kinds))


def _in_order(values: Iterable[str], order: Sequence[str]) -> dict[str, int]:
    counts = Counter(values)
    return {value: counts[value] for value in order if counts[value]}


def _histogram(values: Iterable[int]) -> dict[int, int]:
    return dict(sorted(Counter(values).items()))


def _mean(histogram: dict[int, int]) -> float:
    total = sum(histogram.values())
    return sum(value * count for value, count in histogram.items()) / total if total else 0.0


def _shares(title: str, what: str, counts: dict[str, int]) -> StatisticsTable:
    total = sum(counts.values())
    rows = tuple((name, str(count), f"{100 * count / total:.1f}%") for name, count in counts.items())
    return StatisticsTable(title, (what, "count", "share"), rows)


def _counts(title: str, what: str, unit: str, counts: dict[int, int]) -> StatisticsTable:
    return StatisticsTable(title, (what, unit), tuple((str(value), str(count)) for value, count in counts.items()))
