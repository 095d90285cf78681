"""The options of a run that WildToolBench, MMTB, mini and data of one's own have."""

from __future__ import annotations

from typing import Annotated, Literal

from toolgauge.benchmarks.options import BenchmarkOptions, option

History = Literal["gold", "own", "plain", "none"]


class DialogueOptions(BenchmarkOptions, frozen=True):
    """history: of earlier tasks in a session, as annotated ("gold"), what the model said ("own"), the annotated texts
    without calls and results ("plain"), or nothing: later tasks alone ("none", MMTB's contain_context=False)."""

    history: Annotated[
        History,
        option("Earlier tasks: as annotated, the model's own, texts without calls, or none (later tasks only)."),
    ] = "gold"


class MmtbOptions(DialogueOptions, frozen=True):
    """remove_role: without the prefixes, such as `User:`, that stored texts may have."""

    remove_role: Annotated[bool, option("Stored texts without prefixes such as `User:`.", rare=True)] = True
