"""The library's front door: run a benchmark on a model, score what was said, make dialogues.

    import toolgauge
    result = toolgauge.run("mini", "builtin/noisy")
    print(result.metrics["readings"]["exact"]["overall"]["task_accuracy"]["value"])

The functions are documented in docs/api.md. The command line does nothing that cannot be done from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolgauge.benchmarks.benchmark import Benchmark, History, Setup, Style
from toolgauge.benchmarks.registry import benchmark_of
from toolgauge.chat import Json
from toolgauge.errors import Tell, UsageError, warn
from toolgauge.limits import MAX_REPLY_BYTES
from toolgauge.models.model import ModelOptions, Sampling
from toolgauge.results import open_runs, unread_run
from toolgauge.runs.execute import ExecutionOptions, ExecutorFactory, local_executor
from toolgauge.runs.scoring import score_predictions, score_run
from toolgauge.runs.spec import Plan, RunResult, execute_plan, find_data, plan_run

if TYPE_CHECKING:
    from toolgauge.generation.spec import GenerationResult


def run(
    benchmark: str | Benchmark,
    model: str,
    *,
    language: str = "en",
    data: Path | str | None = None,
    out: Path | str | None = None,
    limit: int | None = None,
    ids: Sequence[str] = (),
    epochs: int = 1,
    history: History | None = None,
    categories: Sequence[str] = (),
    style: Style | None = None,
    max_turns: int | None = None,
    user_model: str | None = None,
    user_base_url: str | None = None,
    concurrency: int = 32,
    sampling: Sampling | None = None,
    dialect: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = 300.0,
    max_reply_bytes: int = MAX_REPLY_BYTES,
    max_attempts: int = 6,
    patience: float = 600.0,
    max_cost: float | None = None,
    max_tokens_total: int | None = None,
    offline: bool = False,
    engine: ExecutorFactory = local_executor,
    batch: bool = False,
    overwrite: bool = False,
) -> RunResult:
    """Run a benchmark on a model and score it; the same call continues an unfinished run.

    benchmark: "mini", "wildtoolbench", "mmtb", "acebench", the name of an installed one, or a Benchmark object
    (docs/plugins.md). model: "provider/model". data: a file in the benchmark's
    format (ACEBench: a folder), fetched otherwise. timeout: seconds per request; max_attempts, patience (seconds),
    max_reply_bytes: see ModelOptions. dialect: of a model that writes its calls as text (docs/dialects.md). max_cost:
    US dollars. engine: where the conversations are had, this process or `toolgauge.runs.executors.ray.on_ray()`. batch:
    ask through the provider's batch API, at half the price. overwrite: also files in `out` that somebody has changed.
    Raises ToolgaugeError with one line that says what to do.
    """
    options = ModelOptions(
        base_url=base_url,
        api_key=api_key,
        timeout=timeout,
        max_reply_bytes=max_reply_bytes,
        max_attempts=max_attempts,
        patience=patience,
        concurrency=concurrency,
        sampling=sampling or Sampling(),
        dialect=dialect,
        batch=batch,
    )
    plan = plan_run(
        benchmark,
        model,
        language=language,
        data=data,
        out=out,
        setup=Setup(epochs, tuple(ids), limit, history, tuple(categories), style, max_turns),
        options=options,
        user_model=user_model,
        user_base_url=user_base_url,
        offline=offline,
    )
    return execute_plan(
        plan, concurrency, overwrite, max_cost=max_cost, max_tokens_total=max_tokens_total, engine=engine
    )


def generate(
    model: str | None = None,
    *,
    tools: Path | str | None = None,
    language: str = "en",
    tasks: int | None = None,
    paths: str | None = None,
    sample: int | None = None,
    per_path: int = 1,
    seed: int = 0,
    out: Path | str | None = None,
    user_models: Sequence[str] = (),
    planner_model: str | None = None,
    tool_model: str | None = None,
    agent_model: str | None = None,
    checker_model: str | None = None,
    base_url: str | None = None,
    base_urls: Mapping[str, str] | None = None,
    scenarios: Path | str | None = None,
    examples: Path | str | None = None,
    gates: Sequence[str] = (),
    candidates: bool = False,
    attempts: int = 3,
    vague: float = 0.25,
    resume_from: Path | str | None = None,
    layer: int | None = None,
    concurrency: int = 32,
    sampling: Sampling | None = None,
    api_key: str | None = None,
    timeout: float = 300.0,
    max_reply_bytes: int = MAX_REPLY_BYTES,
    max_attempts: int = 6,
    patience: float = 600.0,
    max_cost: float | None = None,
    max_tokens_total: int | None = None,
    engine: ExecutorFactory = local_executor,
    overwrite: bool = False,
) -> GenerationResult:
    """Make dialogues with tool calls and write them in all formats; the same call continues an unfinished generation.

    model: plays every agent that has no model of its own; "builtin/oracle" needs no network. base_urls: of roles
    ("user", "planner", "tool", "agent", "checker") that are served elsewhere than `base_url`. Everything else is as in
    `GenerationOptions` (generating.py) and `run`. Raises ToolgaugeError with one line that says what to do.
    """
    from toolgauge.generation.model_roles import Roles
    from toolgauge.generation.spec import GenerationOptions, carry_out_generation, plan_generation

    files = [str(file) if file is not None else None for file in (tools, scenarios, examples, resume_from)]
    options = GenerationOptions(
        tools=files[0],
        language=language,
        tasks=tasks,
        paths=paths,
        sample=sample,
        per_path=per_path,
        seed=seed,
        scenarios=files[1],
        examples=files[2],
        gates=tuple(gates),
        candidates=candidates,
        attempts=attempts,
        vague=vague,
        resume_from=files[3],
        layer=layer,
    )
    reached = ModelOptions(
        base_url=base_url,
        api_key=api_key,
        timeout=timeout,
        max_reply_bytes=max_reply_bytes,
        max_attempts=max_attempts,
        patience=patience,
        concurrency=concurrency,
        sampling=sampling or Sampling(),
    )
    roles = Roles(
        model, tuple(user_models), planner_model, tool_model, agent_model, checker_model, dict(base_urls or {})
    )
    plan = plan_generation(options, roles, reached, out)
    how = ExecutionOptions(max_cost=max_cost, max_tokens_total=max_tokens_total, engine=engine)
    return carry_out_generation(plan, concurrency, overwrite, **how)


def score(
    run: Path | str | None = None,
    *,
    benchmark: str | Benchmark | None = None,
    data: Path | str | None = None,
    predictions: Path | str | None = None,
    language: str = "en",
    out: Path | str | None = None,
    offline: bool = False,
    overwrite: bool = False,
    tell: Tell = warn,
) -> Json:
    """Score a run directory, or a prediction file of the original projects; returns the content of metrics.json.

    Either `run` alone (with `data` where the data file has moved), or `benchmark`, `predictions` and `out` together.
    Needs no model. Writes scores.jsonl, metrics.json and details.csv into the run directory or `out`. overwrite: also
    where somebody has changed them since, which raises UsageError otherwise. tell: is told where this has to wait for
    another process that scores the same folder (a warning if not said).
    """
    if run is not None:
        if predictions is not None or benchmark is not None:
            raise UsageError("score either a run directory or --benchmark with --predictions, not both")
        return score_run(Path(run), Path(data) if data else None, None, overwrite, tell)
    if benchmark is None or predictions is None or out is None:
        raise UsageError("without a run directory, --benchmark, --predictions and --out are needed")
    what = benchmark_of(benchmark)
    dataset = what.load(find_data(what, data, offline), language)
    return score_predictions(what, dataset, Path(predictions), Path(out), overwrite, tell)


def compare(base: Path | str, *others: Path | str, data: Path | str | None = None, tell: Tell = warn) -> Json:
    """Compare scored run directories with the first of them, over the tasks that each has in common with it.

    data: the data file, where it has moved. tell: is told where the numbers that were saved are not those that follow
    from the trajectories, which are used (a warning if not said). Returns {"comparisons": [...]}, one object
    (docs/compare.md) for each of `others`. Raises UsageError where two runs are not comparable, with the reason, before
    anything is computed.
    """
    from toolgauge.analysis.compare.content import compare_runs
    from toolgauge.analysis.compare.pairing import require_comparable, side_of

    folders = [Path(run) for run in (base, *others)]
    for folder in folders[1:]:
        require_comparable(unread_run(folders[0]), unread_run(folder))
    unique = {folder.resolve(): folder for folder in folders}
    opened = dict(zip(unique, open_runs(list(unique.values()), Path(data) if data else None, tell), strict=True))
    first, *rest = (opened[folder.resolve()] for folder in folders)
    before = side_of(first)
    return {"comparisons": [compare_runs(before, side_of(run, before.dataset)) for run in rest]}


def make_site(runs: Sequence[Path | str], out: Path | str, *, data: Path | str | None = None, tell: Tell = warn) -> int:
    """Make the web site of run directories in a folder; returns the number of its pages.

    data: the data file (or folder) of runs whose own is not where it was. An earlier site in `out` is replaced. tell:
    as of `compare`. Raises UsageError for a run without data that is not scored, and where `out` holds something else.
    """
    from toolgauge.report.site import build_site

    return build_site(open_runs([Path(run) for run in runs], Path(data) if data else None, tell), Path(out))


__all__ = [
    "Plan",
    "RunResult",
    "compare",
    "execute_plan",
    "generate",
    "make_site",
    "plan_run",
    "run",
    "score",
]
