"""What Inspect finds under `toolgauge/`: a task for each benchmark, solver, scorer, metrics and the built-in models
(entry point `inspect_ai`)."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi

from toolgauge.integrations.inspect_ai.metrics import session_accuracy, stderr, task_accuracy
from toolgauge.integrations.inspect_ai.scorer import labels
from toolgauge.integrations.inspect_ai.solver import converse
from toolgauge.integrations.inspect_ai.tasks import all_tasks

__all__ = ["TASKS", "converse", "labels", "session_accuracy", "stderr", "task_accuracy", "toolgauge"]

TASKS = all_tasks()
"""By the names of the benchmarks, also of other packages."""


@modelapi(name="toolgauge")
def toolgauge() -> type[ModelAPI]:
    """The built-in models."""
    from toolgauge.integrations.inspect_ai.builtin import BuiltinModelAPI

    return BuiltinModelAPI
