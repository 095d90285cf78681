"""What a judge is asked for, declared once: the command line and the Python function derive from it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from toolgauge.errors import UsageError
from toolgauge.options import option
from toolgauge.runs.options import ModelGroups


class Judged(Struct, frozen=True, kw_only=True):
    """Which conversations."""

    GROUP: ClassVar[str] = "judged"
    PANEL: ClassVar[str] = "Conversations"

    limit: Annotated[int | None, option("Only the first N conversations.", metavar="N", ge=1)] = None
    general: Annotated[
        bool, option("Ask toolgauge's own questions, even where the benchmark of a run has a judge of its own.")
    ] = False
    data: Annotated[Path | None, option("The run's data file, where it has moved.", metavar="FILE")] = None


class JudgeOptions(ModelGroups, frozen=True, kw_only=True):
    """Everything that a judge may be asked for, beside the folder and the model."""

    judged: Judged = Judged()

    def __post_init__(self) -> None:
        """Raise UsageError for an engine that judges do not have."""
        if self.limits.engine == "batch":
            raise UsageError("--engine batch: a judge is asked at once; use local or ray")
