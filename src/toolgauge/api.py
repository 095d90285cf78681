"""The library's front door: run a benchmark on a model, score what was said, make dialogues.

    import toolgauge
    result = toolgauge.run("mini", "builtin/noisy")
    print(result.metrics.scorings["exact"]["overall"]["task_accuracy"].value)

The functions are documented in docs/python.md. The command line does nothing that cannot be done from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from toolgauge.benchmarks.benchmark import Benchmark
from toolgauge.benchmarks.registry import DEFAULT_BENCHMARK, benchmark_of, blamed_by_place
from toolgauge.errors import Tell, UsageError, warn
from toolgauge.generation.options import GenerateOptions
from toolgauge.judging.options import JudgeOptions
from toolgauge.models.model import AGENT
from toolgauge.results import open_runs, run_folders, unread_run
from toolgauge.runs.corrections import correct_run, named_corrections
from toolgauge.runs.options import OWN_OF_OURS, RunOptions, takes
from toolgauge.runs.plan import Plan, find_data, plan_run, plan_with
from toolgauge.runs.run import RunResult, execute_plan
from toolgauge.runs.scored import ScoredRun
from toolgauge.runs.scoring import score_run

if TYPE_CHECKING:
    from toolgauge.analysis.compare.content import Comparison, Comparisons
    from toolgauge.analysis.gate import Criteria, Gate
    from toolgauge.analysis.numbers import Metrics
    from toolgauge.analysis.verification import Verification
    from toolgauge.generation.estimate import Estimate
    from toolgauge.generation.spec import GenerationResult
    from toolgauge.judging.result import JudgingResult
    from toolgauge.runs.sides import Side


class RecordingKeywords(TypedDict, total=False):
    """What `score` takes with a result file."""

    name: str | None
    language: str
    offline: bool


@takes(RunOptions, *sorted(OWN_OF_OURS))
@blamed_by_place()
def run(benchmark: str | Benchmark, model: str, **options: Any) -> RunResult:
    """Run a benchmark on a model and score it; the same call continues a run.

    benchmark: "mini", "wildtoolbench", "mmtb", "acebench", the name of an installed one, a file of sessions of one's
    own, or a Benchmark object (docs/plugins.md). model: "provider/model". options: those of the groups of `RunOptions`
    (runs/options.py) by name,
    and the benchmark's own. Raises ToolgaugeError with one line that says what to do.
    """
    asked = RunOptions.of(benchmark_of(benchmark), options)
    plan = plan_with(benchmark, model, asked)
    return execute_plan(plan, asked.limits.concurrency, asked.output.overwrite, **asked.limits.keywords)


@takes(GenerateOptions)
def generate(model: str | None = None, **options: Any) -> GenerationResult:
    """Make dialogues with tool calls and write them in all formats; the same call continues a generation.

    model: plays every agent that has no model of its own; "builtin/oracle" needs no network. options: the fields of
    `GenerateOptions` (generation/options.py). Raises ToolgaugeError with one line that says what to do.
    """
    from toolgauge.demo import ScriptedAgents
    from toolgauge.generation.spec import carry_out_generation, plan_generation

    asked = GenerateOptions.sorted_out(options, "generate")
    reached = asked.model_options()
    plan = plan_generation(asked.dialogues, model, reached, asked.output.out, ScriptedAgents, asked.roles)
    return carry_out_generation(plan, asked.limits.concurrency, asked.output.overwrite, **asked.limits.keywords)


@takes(GenerateOptions)
def estimate_generation(model: str | None = None, **options: Any) -> Estimate:
    """What `generate` with these options would take: requests, tokens and US dollars, with their range.

    Nothing is asked, no key is needed, nothing is written. In a folder with finished dialogues it is about those that
    are left, and based on what the finished ones took.
    """
    from toolgauge.demo import ScriptedAgents
    from toolgauge.generation.estimate import estimate
    from toolgauge.generation.model_roles import unasked
    from toolgauge.generation.spec import plan_generation

    asked = GenerateOptions.sorted_out(options, "estimate_generation")
    reached = unasked(asked.model_options())
    plan = plan_generation(asked.dialogues, model, reached, asked.output.out, ScriptedAgents, asked.roles)
    return estimate(plan, ScriptedAgents(asked.dialogues.language))


@takes(JudgeOptions)
def judge_conversations(folder: Path | str, model: str, **options: Any) -> JudgingResult:
    """Have a model judge recorded conversations, task by task; the same call continues.

    folder: a run directory, or one of `toolgauge data import`. options: the fields of `JudgeOptions`
    (judging/options.py). Writes judgments.jsonl into the folder, where scores, pages and the review find it. Raises
    ToolgaugeError with one line that says what to do.
    """
    from toolgauge.judging.spec import carry_out_judging, plan_judging

    asked = JudgeOptions.sorted_out(options, "judge_conversations")
    plan = plan_judging(folder, model, asked)
    return carry_out_judging(plan, asked.limits.concurrency, **asked.limits.keywords)


@blamed_by_place()
def score(
    run: Path | str | None = None,
    *,
    benchmark: str | Benchmark | None = None,
    data: Path | str | None = None,
    corrections: Path | str | None = None,
    predictions: Path | str | None = None,
    out: Path | str | None = None,
    dialect: str | None = None,
    overwrite: bool = False,
    tell: Tell = warn,
    **recording: Unpack[RecordingKeywords],
) -> Metrics:
    """Score a run directory, or a prediction file of the original projects; returns what metrics.json holds.

    Either `run` alone (with `data` where the data file has moved), or `benchmark`, `predictions` and `out` together,
    with the model's `name` if it is not the file's, the data's `language`, and `offline` (never fetch data).
    corrections: a file of corrections of the data, "known" for those that come with the benchmark; "none" takes back
    those of a run. A run keeps them: what it would have been asked of the corrected data too is scored, the rest is
    missing until it is asked again. `data` that are a corrected version of the run's are taken as such corrections.
    dialect: read the texts of `run` again as this dialect does, into a new run directory `out`. Needs no model.
    Writes scores.jsonl, metrics.json and details.csv into the run directory or `out`. overwrite: replace files of these
    names in an `out` that is no run, which raises UsageError otherwise. tell: is told where this waits for another
    process that scores the same folder (a warning if not said).
    """
    for unknown in recording.keys() - RecordingKeywords.__annotations__.keys():
        raise TypeError(f"score() got an unexpected keyword argument {unknown!r}")
    if run is not None:
        if predictions is not None or benchmark is not None:
            raise UsageError("score either a run directory or --benchmark with --predictions, not both")
        if recording.get("name") is not None:
            raise UsageError("--name goes with --predictions; a run directory is scored as it is")
        if dialect is not None:
            from toolgauge.runs.reread import reread_run

            return reread_run(Path(run), dialect, out, data, corrections is not None, overwrite, tell)
        file = correct_run(Path(run), corrections, Path(data) if data else None, tell)
        return score_run(Path(run), file, None, tell)
    if benchmark is None or predictions is None or out is None:
        raise UsageError("without a run directory, --benchmark, --predictions and --out are needed")
    return _score_predictions(
        benchmark_of(benchmark), Path(predictions), Path(out), data, corrections, overwrite, tell, recording
    )


def _score_predictions(
    benchmark: Benchmark,
    predictions: Path,
    out: Path,
    data: Path | str | None,
    corrections: Path | str | None,
    overwrite: bool,
    tell: Tell,
    recording: RecordingKeywords,
) -> Metrics:
    from toolgauge.runs.recordings import data_of, recordings, score_recording

    name = recording.get("name")
    (imported,) = recordings([predictions], [] if name is None else [name], out)
    file = find_data(benchmark, data, recording.get("offline", False))
    dataset = data_of(benchmark, imported, file, recording.get("language"), tell)
    correct = None if corrections is None else named_corrections(benchmark, corrections)
    return score_recording(benchmark, dataset, imported, overwrite, tell, correct)


@blamed_by_place()
def compare(
    base: Path | str,
    *others: Path | str,
    data: Path | str | None = None,
    same_model: bool = False,
    scoring: str | None = None,
    tell: Tell = warn,
) -> Comparisons:
    """Compare scored run directories with the first of them, over the tasks that each has in common with it.

    Any of them may be a file of results instead (analysis/compare/results.py); scoring: which one of a run is compared
    with it, the benchmark's headline if not said.
    data: the data file, where it has moved. same_model: all are of one model, whatever they are called. tell: is told
    where the numbers that were saved are not those that follow from the trajectories, which are used (a warning if not
    said). Returns a comparison
    (docs/results.md) for each of `others`. Raises UsageError where two runs are not comparable, with the reason, before
    anything is computed.
    """
    from toolgauge.analysis.compare.content import Comparisons, compare_runs, side_of
    from toolgauge.analysis.compare.pairing import require_comparable

    folders = [Path(run) for run in (base, *others)]
    if any(folder.is_file() for folder in folders):
        return Comparisons(_compare_results(folders, Path(data) if data else None, same_model, scoring, tell))
    for folder in folders[1:]:
        require_comparable(unread_run(folders[0]), unread_run(folder))
    unique = {folder.resolve(): folder for folder in folders}
    opened = dict(zip(unique, open_runs(list(unique.values()), Path(data) if data else None, tell), strict=True))
    first, *rest = (opened[folder.resolve()] for folder in folders)
    before = side_of(first)
    same = first.manifest.asked_identity
    sides = [side_of(run, before if run.manifest.asked_identity == same else None) for run in rest]
    return Comparisons([compare_runs(before, side, same_model=same_model) for side in sides])


def _compare_results(
    paths: Sequence[Path], data: Path | None, same_model: bool, scoring: str | None, tell: Tell
) -> list[Comparison]:
    """Compare with the first, where some are files of results: all by what is right, runs too."""
    from toolgauge.analysis.compare.results import compare_results, read_results, results_of

    found = []
    for path in paths:
        if path.is_file():
            found.append(read_results(path))
            continue
        (run,) = open_runs([path], data, tell)
        chosen = scoring or run.benchmark.headline
        if chosen not in run.metrics.scorings:
            known = ", ".join(run.metrics.scorings)
            raise UsageError(f"--scoring: unknown scoring {chosen!r} of {path}; choose one of {known}")
        found.append(results_of(run, chosen)._replace(name=str(path)))
    return [compare_results(found[0], other, same_model) for other in found[1:]]


@blamed_by_place()
def gate(
    run: Path | str,
    criteria: Criteria,
    *,
    baseline: Path | str | None = None,
    scoring: str | None = None,
    data: Path | str | None = None,
    tell: Tell = warn,
) -> Gate:
    """Whether a run holds what is asked of it, criterion by criterion (docs/results.md#gate).

    baseline: a run on the same tasks, which `max_drop` needs; the name "" stands there for the measure that decides.
    scoring: the benchmark's headline if not said. data, tell: as of `compare`. Raises UsageError where a criterion does
    not apply.
    """
    from toolgauge.analysis.compare.content import compare_runs, side_of
    from toolgauge.analysis.gate import MAX_UNSCORED, decide

    if bool(criteria.max_drop) != (baseline is not None):
        raise UsageError("--baseline and --max-drop go together")
    asked = criteria.minimum or criteria.max_drop or criteria.max_truncated is not None
    if not asked and criteria.max_unscored == MAX_UNSCORED:
        raise UsageError("no criterion given; for example --minimum task_accuracy=0.6")
    opened = open_runs([Path(one) for one in (run, baseline) if one is not None], Path(data) if data else None, tell)
    here = opened[0]
    chosen = scoring or here.benchmark.headline
    if chosen not in here.benchmark.scorings:
        known = ", ".join(here.benchmark.scorings)
        raise UsageError(f"--scoring: unknown scoring {chosen!r}; choose one of {known}")
    if chosen not in here.metrics.scorings:
        raise UsageError(f"{here.folder}: no task is scored yet")
    comparison = compare_runs(side_of(opened[1]), side_of(here), chosen) if baseline is not None else None
    whole = here.manifest.measured.provider == AGENT  # an agent hands over whole replies
    return decide(criteria, chosen, here.metrics, comparison, whole)


@takes(RunOptions, *sorted(OWN_OF_OURS))
@blamed_by_place()
def verify(
    run: Path | str,
    against: Path | str,
    *,
    benchmark: str | Benchmark | None = None,
    margin: float = 0.05,
    tell: Tell = warn,
    **options: Any,
) -> Verification:
    """Whether an endpoint serves the same model as another, the reference, on the same tasks (docs/results.md#gate).

    run, against: run directories, or models ("provider/model", the reference also "provider/model@URL"), which are
    asked first; the same call continues that. margin: how far the endpoint may fall short, from 0 to 1. The reference
    is asked twice unless `epochs` says otherwise: its agreement with itself is the yardstick. benchmark: for two
    models, mini if not said. options: as of `run`; with two runs only `data`. tell: as of `compare`. Raises
    UsageError where the sides are not comparable, ToolgaugeError where not everything could be asked.
    """
    from toolgauge.runs.sides import limits_left, plan_sides, require_finished

    sides = named_sides(run, against)
    there = next((one.benchmark for one in sides if isinstance(one, ScoredRun)), None)
    asked = RunOptions.of(there or benchmark_of(benchmark or DEFAULT_BENCHMARK), {"epochs": 2} | options, "verify")
    chosen = {*options, *(["benchmark"] if benchmark is not None else [])}
    endpoint, reference = plan_sides(*sides, benchmark, asked, chosen)
    limits = asked.limits.keywords
    for side in (reference, endpoint):
        if side.plan is not None:
            result = execute_plan(side.plan, asked.limits.concurrency, asked.output.overwrite, tell, **limits)
            require_finished(result)
            limits = limits_left(limits, result)
    return compare_sides(endpoint, reference, margin, asked.selection.data, tell)


def named_sides(run: Path | str, against: Path | str) -> tuple[str | ScoredRun, str | ScoredRun]:
    """Both sides of `verify`: names of models stay, run directories are opened. Raises UsageError for neither."""
    from toolgauge.runs.sides import names_a_run

    first, second = (unread_run(Path(one)) if names_a_run(one) else str(one) for one in (run, against))
    return first, second


def compare_sides(
    endpoint: Side, reference: Side, margin: float, data: Path | str | None = None, tell: Tell = warn
) -> Verification:
    """Whether two runs, both finished, are of one model."""
    from msgspec.structs import replace

    from toolgauge.analysis.compare.pairing import setting_notes
    from toolgauge.analysis.verification import asked
    from toolgauge.analysis.verification import verify as compare_replies

    runs = open_runs([reference.folder, endpoint.folder], Path(data) if data else None, tell)
    ours, theirs = (asked(one.trajectories(), one.scores, one.benchmark.headline) for one in runs)
    try:
        found = compare_replies(ours, theirs, margin)
    except ValueError:
        raise UsageError(
            f"{endpoint.folder} and {reference.folder} have no request in common: ask the same tasks in the same way"
        ) from None
    return replace(found, notes=[note for note in setting_notes(*runs) if note.code != "epochs"])


@blamed_by_place()
def make_site(
    runs: Sequence[Path | str],
    out: Path | str,
    *,
    data: Path | str | None = None,
    overwrite: bool = False,
    tell: Tell = warn,
) -> int:
    """Make the web site of run directories in a folder; returns the number of its pages.

    runs: run directories, or folders in which they lie, as a trial of tools leaves them. data: the data file (or
    folder) of runs whose own is not where it was. An earlier site in `out` is replaced; overwrite: write also into a
    folder with other files. tell: as of `compare`. Raises UsageError for a run without data that is not scored, and
    where `out` holds something else.
    """
    from toolgauge.report.site import build_site

    folders = run_folders([Path(run) for run in runs])
    return build_site(open_runs(folders, Path(data) if data else None, tell), Path(out), overwrite)


__all__ = [
    "Plan",
    "RunResult",
    "compare",
    "compare_sides",
    "estimate_generation",
    "execute_plan",
    "gate",
    "generate",
    "judge_conversations",
    "make_site",
    "named_sides",
    "plan_run",
    "plan_with",
    "run",
    "score",
    "verify",
]
