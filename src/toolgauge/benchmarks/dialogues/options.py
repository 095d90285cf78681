"""The options of a run that WildToolBench, MMTB, mini and data of one's own have."""

from __future__ import annotations

from typing import Annotated, Literal

from toolgauge.benchmarks.options import BenchmarkOptions, option

History = Literal["gold", "own"]


class DialogueOptions(BenchmarkOptions, frozen=True):
    """history: of earlier tasks in a session, as annotated ("gold") or what the model said ("own")."""

    history: Annotated[History, option("Earlier tasks: as annotated, or the model's own.")] = "gold"
