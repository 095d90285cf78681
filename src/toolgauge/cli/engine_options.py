"""The options that say what runs the samples, how many at once and how far, as several verbs take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.runs.executors.executor import ExecutorFactory
    from toolgauge.runs.options import LimitKeywords

EngineName = Annotated[
    Literal["local", "ray"], typer.Option(help="What runs the samples: this process, or a Ray cluster.")
]
Address = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="ray: the cluster (default: RAY_ADDRESS, else a cluster of this machine)."),
]
Workers = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="ray: most worker processes (default: one per CPU).")
]
Concurrency = Annotated[int, typer.Option(min=1, metavar="N", help="Conversations at once.")]
MaxCost = Annotated[
    float | None, typer.Option(min=0.0, metavar="USD", help="Stop when this many US dollars are spent.")
]
MaxTokensTotal = Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop when this many tokens are used.")]
NoProbe = Annotated[bool, typer.Option("--no-probe", help="Skip the test question before the run.")]


class EngineFlags(NamedTuple):
    """How far a run goes, and where."""

    max_cost: MaxCost = None
    max_tokens_total: MaxTokensTotal = None
    no_probe: NoProbe = False
    engine: EngineName = "local"
    address: Address = None
    workers: Workers = None

    def keywords(self) -> LimitKeywords:
        """As keyword arguments of `RunOptions` and `GenerateOptions`; raises UsageError, see `engine_of`."""
        engine = engine_of(self.engine, self.address, self.workers)
        return {"max_cost": self.max_cost, "max_tokens_total": self.max_tokens_total, "engine": engine}


def engine_of(name: str, address: str | None, workers: int | None) -> ExecutorFactory:
    """The engine that the options name; raises UsageError where they do not go together or Ray is not installed."""
    if name == "ray":
        from toolgauge.runs.executors.ray import on_ray

        return on_ray(address, workers)
    for option, value in (("--address", address), ("--workers", workers)):
        if value is not None:
            raise UsageError(f"{option} goes with --engine ray")
    from toolgauge.runs.executors.local import local_executor

    return local_executor
