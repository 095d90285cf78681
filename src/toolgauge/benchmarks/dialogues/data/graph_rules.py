"""What holds for every task's annotated graph beyond being readable: rules that yield (path, message).

Source: docs/data-format.md#nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.data.annotation_rules import broken_annotations
from toolgauge.data.dialogue import parse_clock, strip_role
from toolgauge.data.session import ASK, FINAL, Call, Session, Task, TaskType

Broken = Iterator[tuple[str, str]]


def broken(task: Task, path: str) -> Broken:
    """The rules that a task's graph breaks."""
    for call in task.calls:
        place = f"{path}[{call.index}]"
        if "idx" in call.extra:
            yield f"{place}.idx", f"is {call.extra['idx']}, but this is node {call.index}"
        for position, before in enumerate(call.after):
            if before > call.index:
                yield f"{place}.dependency_list[{position}]", f"depends on the later node {before}"
        if call.name == ASK and not (call.user_input or "").strip():
            yield f"{place}.user_input", "is empty; the user must answer the question"
        if not call.is_tool and not str(call.observation).strip():
            yield f"{place}.observation", "is empty; the assistant must say something"
    yield from broken_annotations(task, path)
    yield from _final(task, path)
    yield from _questions(task, path)
    yield from _type(task, path)


def _final(task: Task, path: str) -> Broken:
    """The closing reply: one, last, after everything else."""
    finals = [call.index for call in task.calls if call.name == FINAL]
    last = len(task.calls) - 1
    if finals != [last]:
        yield path, f"the closing reply must be the last node and the only one, found at {_listed(finals)}"
        return
    used = {before for call in task.calls for before in call.after}
    forgotten = [call.index for call in task.calls[:-1] if call.index not in used]
    if forgotten:
        yield f"{path}[{last}].dependency_list", f"the closing reply must also depend on node {_listed(forgotten)}"


def _questions(task: Task, path: str) -> Broken:
    """A question stands alone in its step: every other node comes before or after it."""
    asks = [call.index for call in task.calls if call.name == ASK]
    if not asks:
        return
    before = _ancestors(task.calls)
    for index in asks:
        beside = [
            call.index
            for call in task.calls
            if call.index != index and index not in before[call.index] and call.index not in before[index]
        ]
        if beside:
            yield (
                f"{path}[{index}]",
                f"a question must stand alone, but node {_listed(beside)} does not depend on it",
            )


def _type(task: Task, path: str) -> Broken:
    """The type that the task claims agrees with its graph."""
    tools = sum(call.is_tool for call in task.calls)
    asks = any(call.name == ASK for call in task.calls)
    seen = (
        f"the graph has {1} tool call" if tools == 1 else f"the graph has {tools} tool call{'' if tools == 1 else 's'}"
    )
    if task.type is TaskType.CLARIFY:
        if not asks:
            yield path, "the task has the type clarify, but the assistant asks nothing"
        return
    if asks:
        yield path, f"the task has the type {task.type.value}, but the assistant asks a question"
    if task.type is TaskType.CHAT and tools:
        yield path, f"the task has the type chat, but {seen}"
    elif task.type is TaskType.SINGLE_TOOL and tools != 1:
        yield path, f"the task has the type single_tool, but {seen}"
    elif task.type.kind == "multi" and task.shape is not task.type:
        yield (
            path,
            (
                f"the task has the type {task.type.value}, but {seen} and is "
                f"{task.shape.value.replace('_tools', '') if task.shape else 'not several'}"
            ),
        )


def broken_dialogue(session: Session, key: str) -> Broken:
    """MMTB: the stored messages take turns, user first, and each task is said where `task_ids` points."""
    for task in session.tasks:
        if parse_clock(task.clock or session.clock) is None:
            yield (
                f"env_info[{task.index}]" if task.clock else "env_info",
                "must contain a date like 2024-07-10 09:30:00",
            )
        place = f"{key} (task {task.index})"
        said = task.dialogue[task.opening].content or ""
        if strip_role(task.utterance, session.language).strip() not in said:
            yield f"task_ids[{task.index}]", f"message {task.opening} of the task does not contain its text"
        roles = [message.role for message in task.dialogue]
        if roles != [("user", "assistant")[position % 2] for position in range(len(roles))]:
            yield place, "user and assistant must alternate, starting with the user"
        elif len(roles) % 2 and task.index < len(session.tasks) - 1:
            yield place, "ends with the user, who would speak twice in a row"


def differences(english: Session, chinese: Session) -> Broken:
    """Where the two languages of a record are not the same session."""
    if {tool.name for tool in english.tools} != {tool.name for tool in chinese.tools}:
        yield "tools", "its tools differ from the English side"
    if len(english.tasks) != len(chinese.tasks):
        yield (
            "answer_list",
            (
                f"has {len(chinese.tasks)} task{'' if len(chinese.tasks) == 1 else 's'}, the English side has "
                f"{len(english.tasks)}"
            ),
        )
        return
    for one, other in zip(english.tasks, chinese.tasks, strict=True):
        if _graph(one) != _graph(other):
            yield f"answer_list[{one.index}]", "its graph differs from the English side"
        if _promises(one) != _promises(other):
            yield f"answer_list[{one.index}]", "its optional calls or facts differ from the English side"
        if (one.type, one.reference) != (other.type, other.reference):
            yield f"answer_list[{one.index}]", "its type or reference differs from the English side"


def _graph(task: Task) -> list[tuple[str, tuple[int, ...]]]:
    return [(call.name, tuple(sorted(call.after))) for call in task.calls]


def _promises(task: Task) -> list[tuple[bool, int, bool]]:
    """What the annotations of both languages must have in common."""
    return [(call.optional, len(call.facts), call.unservable) for call in task.calls]


def _ancestors(calls: tuple[Call, ...]) -> list[set[int]]:
    """For every node all nodes that must come before it; the graph has no circle (data/nodes.py)."""
    before = [set(call.after) for call in calls]
    while True:
        grown = [known.union(*(before[index] for index in known)) for known in before]
        if grown == before:
            return before
        before = grown


def _listed(indexes: list[int]) -> str:
    return str(", ".join(map(str, indexes))) if indexes else "no place"
