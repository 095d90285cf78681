"""What was said in a task, as one text."""

from __future__ import annotations

from toolgauge.annotation.grounding.values import leaves
from toolgauge.data.session import Task


def text_of(task: Task, until: int | None = None) -> str:
    """Everything that was said, called and answered in a task; with `until` what was said and answered before that
    call."""
    parts = [task.utterance]
    for call in task.calls[:until]:
        if until is None:
            parts += [str(leaf) for _, leaf in leaves(call.arguments)]
        parts += [str(leaf) for _, leaf in leaves(call.observation)]
        parts.append(call.user_input or "")
    return "\n".join(parts)
