"""A judge's verdicts as the annotation of an imported session: dependencies, values that are right too, references.

Calls, results and texts stay as they were recorded; what the judge objects to stands in the session's origin, where the
review shows it (`judged`, as generated sessions have it).
"""

from __future__ import annotations

from msgspec.structs import replace

from toolgauge.data.session import Call, Session, Task
from toolgauge.generation.dialogue import Dialogue, PlannedTask
from toolgauge.generation.graph import EVIDENCE, JUDGED, annotate

JUDGE = "judge"
"""Field of a session's origin: the name of the model that judged it."""


def annotated(session: Session, dialogue: Dialogue, judge: str) -> Session:
    """The session with what follows from the verdicts in the dialogue that was made of it."""
    ruled = annotate(dialogue)
    tasks = tuple(
        _task(task, better, planned)
        for task, better, planned in zip(session.tasks, ruled.tasks, dialogue.tasks, strict=True)
    )
    origin = {**session.extra["origin"], JUDGED: ruled.extra["origin"][JUDGED], JUDGE: judge}
    return replace(session, tasks=tasks, extra={**session.extra, "origin": origin})


def _task(task: Task, ruled: Task, planned: PlannedTask) -> Task:
    calls = tuple(_call(call, better) for call, better in zip(task.calls, ruled.calls, strict=True))
    needs_earlier = planned.verdict is None or planned.verdict.needs_earlier
    return replace(
        task,
        type=ruled.type,
        reference=ruled.reference,
        calls=calls,
        true_multi_turn=task.true_multi_turn and (needs_earlier or not task.index),
    )


def _call(call: Call, ruled: Call) -> Call:
    evidence = {EVIDENCE: ruled.extra[EVIDENCE]} if EVIDENCE in ruled.extra else {}
    return replace(
        call,
        after=ruled.after,
        sources=ruled.sources,
        acceptance=ruled.acceptance,
        extra={**call.extra, **evidence},
    )
