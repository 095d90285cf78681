"""Every task is of the kind that was dictated."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.data.session import Session
from toolgauge.generation.filters.filter import against


def other_kinds(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Tasks of another kind; tolerated: several calls of another shape than was asked for."""
    for task, planned in zip(session.tasks, dialogue.tasks, strict=True):
        if task.index < dialogue.earlier:
            continue
        if task.type.kind != planned.kind:
            yield against(task, path="kind", value=task.type.kind, wanted=planned.kind)
        elif planned.kind == "multi" and planned.shape not in (None, task.type.value):
            yield against(task, path="shape", value=task.type.value, wanted=planned.shape, tolerated=True)
