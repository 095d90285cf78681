"""`toolgauge try MODEL`: ten minutes on a laptop without a key, from a file or an address to a verdict and a site."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.models.engines.process import EngineProcess
    from toolgauge.models.probe import ProbeResult
    from toolgauge.runs.run import RunResult

REPLIES_PER_TASK = 2
SLOWER = 1.5
"""How much longer a reply of a task takes than that of the test question: its prompt is longer."""
FEWEST, MOST = 6, 128
"""Tasks."""
READY_SECONDS = 600.0


class _Place(NamedTuple):
    """spec: the model as `-m` takes it; engine: the server that was started here."""

    spec: str
    base_url: str
    engine: EngineProcess | None = None


def main(
    model: Annotated[str, typer.Argument(help="A GGUF file, its folder, or the URL of a server (http://.../v1).")],
    minutes: Annotated[float, typer.Option(min=0.1, help="About how long it may take.")] = 10.0,
    out: Annotated[Path, typer.Option(help="Folder for the runs and the site.")] = Path("try"),
    name: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="Of a server: which model, if it has several.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=16, help="Maximum tokens of one reply.")] = 1024,
) -> None:
    """\b
    toolgauge try model.gguf
    toolgauge try http://localhost:8000/v1 --minutes 5

    Try a model on this machine: serve it, ask tasks of mini natively and by its dialect, and say which is better.
    """
    import asyncio

    from toolgauge.api import make_site
    from toolgauge.models.probe import Finding, best_dialect, line, suggestion

    with _served(model, name) as place:
        result = asyncio.run(_probed(place, max_tokens))
        echo(line(result))
        if result.finding is Finding.NO_ANSWER:
            raise UsageError(suggestion(result) or "the server does not answer")
        dialect = best_dialect(result)
        ids = tasks_in_time(minutes, result.record.first_reply)
        blind = result.finding is Finding.TOOLS_DROPPED  # a native run would measure nothing
        ways = f"with --dialect {dialect}" if blind else f"natively, then with --dialect {dialect}"
        echo(f"Asking {len(ids)} tasks of mini {ways} ...")
        runs = [_run(place, ids, way, max_tokens, out) for way in ([dialect] if blind else [None, dialect])]
        echo(verdict(place.spec.partition("/")[2], len(ids), runs, dialect))
        site = out / "site"
        make_site([run.folder for run in runs], site, overwrite=True)
        echo(f"Site: {site / 'index.html'}")
        best = max(runs, key=_right)
        more = ["--dialect", dialect] if best is runs[-1] else []
        command = ["toolgauge", "run", "mini", "-m", place.spec, "--base-url", place.base_url, "--limit", "8", *more]
        echo(f"Next: {shlex.join(command)}")
        if place.engine is not None:
            echo(f"The server stays up at {place.base_url}; Ctrl-C ends it.")
            place.engine.wait()


@contextmanager
def _served(model: str, name: str | None) -> Iterator[_Place]:
    """Where the model answers: a server that runs, or one that is started for a GGUF file."""
    from toolgauge.cli.serve import running
    from toolgauge.models.engines.command import ServeRequest, choose_engine, plan_serving

    if "://" in model:
        from toolgauge.models.local_server import only_model
        from toolgauge.models.model import ModelOptions
        from toolgauge.models.providers import find_endpoint, find_provider
        from toolgauge.models.settings import settings

        provider = find_provider("openai")
        assert provider is not None
        endpoint = find_endpoint(provider, ModelOptions(base_url=model), settings())
        yield _Place(f"openai/{name or only_model(endpoint)}", model)
        return
    serving = plan_serving(ServeRequest(model, port=0), *choose_engine(None, model=model))
    for note in serving.notes:
        echo(f"Note: {note}", err=True)
    with running(serving, READY_SECONDS) as engine:
        yield _Place(serving.spec, serving.base_url, engine)


async def _probed(place: _Place, max_tokens: int) -> ProbeResult:
    from toolgauge.models.model import ModelOptions, Sampling
    from toolgauge.models.probe import probe
    from toolgauge.models.registry import open_model

    options = ModelOptions(base_url=place.base_url, sampling=Sampling(max_tokens=max_tokens), max_attempts=2)
    model = open_model(place.spec, options)
    try:
        return await probe(model)
    finally:
        await model.close()


def tasks_in_time(minutes: float, reply_seconds: float) -> tuple[str, ...]:
    """Ids of as many tasks of mini as can be asked twice in so many minutes, as many of each type.

    reply_seconds: how long the reply to the test question took.
    """
    from toolgauge.benchmarks.registry import find_benchmark

    mini = find_benchmark("mini")
    sessions = mini.load(mini.embedded, "en").sessions  # type: ignore[arg-type]
    by_type: dict[str, list[str]] = {}
    for session in sessions:
        for number, task in enumerate(session.tasks):
            by_type.setdefault(task.type, []).append(f"{session.id}/{number}")
    seconds = 2 * REPLIES_PER_TASK * SLOWER * max(reply_seconds, 0.05)
    count = min(max(int(60 * minutes / seconds), FEWEST), MOST)
    each = max(1, count // len(by_type))
    return tuple(task for tasks in by_type.values() for task in tasks[:: max(1, len(tasks) // each)][:each])


def _run(place: _Place, ids: Sequence[str], dialect: str | None, max_tokens: int, out: Path) -> RunResult:
    from toolgauge.api import run

    folder = out / (f"dialect-{dialect}" if dialect else "native")
    return run(
        "mini", place.spec, base_url=place.base_url, ids=tuple(ids), dialect=dialect, max_tokens=max_tokens, out=folder
    )


def _right(run: RunResult) -> float:
    from toolgauge.analysis.layout import layout_of

    rate = run.metrics.rate("exact", *layout_of("mini").main)
    return rate.value if rate and rate.value is not None else 0.0


def verdict(model: str, tasks: int, runs: Sequence[RunResult], dialect: str) -> str:
    """One sentence: how well the model does, and whether its server's parser or the dialect should read its calls."""
    if len(runs) == 1:
        share = f"{_right(runs[0]):.0%} of {tasks} tasks right with --dialect {dialect}"
        return f"{model}: {share}; its server's template has no place for tools."
    native, spoken = map(_right, runs)
    told = f"{model}: {native:.0%} of {tasks} tasks right natively, {spoken:.0%} with --dialect {dialect}"
    if spoken - native > 2 / tasks:
        return f"{told}: its server's template or parser loses calls; use --dialect {dialect} or another parser."
    if native - spoken > 2 / tasks:
        return f"{told}: serve it natively."
    return f"{told}: no difference that {tasks} tasks can show; its server reads its calls."
