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
    from toolgauge.analysis.compare.content import ScoringComparison
    from toolgauge.models.engines.process import EngineProcess
    from toolgauge.models.probe import ProbeResult
    from toolgauge.runs.run import RunResult

REPLIES_PER_TASK = 2
SLOWER = 3.0
"""How much longer a reply of a task takes than that of the test question: its prompt is some five times as long."""
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

    from toolgauge.analysis.decide import Better
    from toolgauge.api import make_site
    from toolgauge.models.probe import Finding, best_dialect, line, suggestion

    with _served(model, name) as place:
        result = asyncio.run(_probed(place, max_tokens))
        echo(line(result))
        if result.finding is Finding.NO_ANSWER:
            raise UsageError(suggestion(result) or "the server does not answer")
        dialect = best_dialect(result)
        blind = result.finding is Finding.TOOLS_DROPPED  # a native run would measure nothing
        ids = tasks_in_time(minutes, result.record.first_reply, 1 if blind else 2)
        ways = f"with --dialect {dialect}" if blind else f"natively, then with --dialect {dialect}"
        echo(f"Asking {len(ids)} tasks of mini {ways} ...")
        runs = [_run(place, ids, way, max_tokens, out) for way in ([dialect] if blind else [None, dialect])]
        served = place.spec.partition("/")[2]
        if blind:
            echo(blind_verdict(served, runs[0], dialect))
        else:
            content = decided(runs)
            echo(verdict(served, len(ids), content, dialect))
        site = out / "site"
        make_site([run.folder for run in runs], site, overwrite=True)
        echo(f"Site: {site / 'index.html'}")
        more = ["--dialect", dialect] if blind or content.better is Better.SECOND else []
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
    with running(serving, READY_SECONDS, says_run=False) as engine:
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


def tasks_in_time(minutes: float, reply_seconds: float, ways: int) -> tuple[str, ...]:
    """Ids of as many tasks of mini as can be asked in so many minutes, as many of each type.

    reply_seconds: how long the reply to the test question took; ways: how often each task is asked.
    """
    from toolgauge.benchmarks.registry import find_benchmark

    mini = find_benchmark("mini")
    sessions = mini.load(mini.embedded, "en").sessions  # type: ignore[arg-type]
    by_type: dict[str, list[str]] = {}
    for session in sessions:
        for number, task in enumerate(session.tasks):
            by_type.setdefault(task.type, []).append(f"{session.id}/{number}")
    seconds = ways * REPLIES_PER_TASK * SLOWER * max(reply_seconds, 0.05)
    count = min(max(int(60 * minutes / seconds), FEWEST), MOST)
    each = max(1, count // len(by_type))
    return tuple(task for tasks in by_type.values() for task in tasks[:: max(1, len(tasks) // each)][:each])


def _run(place: _Place, ids: Sequence[str], dialect: str | None, max_tokens: int, out: Path) -> RunResult:
    from toolgauge.api import run

    folder = out / (f"dialect-{dialect}" if dialect else "native")
    return run(
        "mini", place.spec, base_url=place.base_url, ids=tuple(ids), dialect=dialect, max_tokens=max_tokens, out=folder
    )


def decided(runs: Sequence[RunResult]) -> ScoringComparison:
    """What `toolgauge compare` says of the native run and the one with the dialect."""
    from toolgauge.api import compare

    comparison = compare(*(run.folder for run in runs), same_model=True).comparisons[0]
    return comparison.scorings[comparison.headline]


def verdict(model: str, tasks: int, content: ScoringComparison, dialect: str) -> str:
    """One sentence: how well the model does, and whether its server's parser or the dialect should read its calls.

    content: the dialect's run compared with the native one, by the measure that decides.
    """
    from toolgauge.analysis.compare.sentences import interval_text, points
    from toolgauge.analysis.decide import Better

    both, fixed, broken = content.tasks.both, content.tasks.fixed, content.tasks.broken
    counts = f"{model}: {both + broken} of {tasks} tasks right natively, {both + fixed} with --dialect {dialect}"
    if content.better is Better.SECOND:
        return f"{counts}: its server's template or parser loses calls; use --dialect {dialect} or another parser."
    if content.better is Better.FIRST:
        return f"{counts}: serve it natively."
    row = content.tables["overall"]["task_accuracy"]
    return f"{counts}: they cannot be told apart ({points(row.difference)} points [{interval_text(row.ci95)}])."


def blind_verdict(model: str, run: RunResult, dialect: str) -> str:
    """The same where the server's template has no place for tools, so that the dialect alone was tried."""
    from toolgauge.analysis.layout import layout_of

    rate = run.metrics.rate("exact", *layout_of("mini").main)
    share = f"{rate.correct:g} of {rate.total:,} tasks right" if rate else "no task scored"
    return f"{model}: {share} with --dialect {dialect}; its server's template has no place for tools."
