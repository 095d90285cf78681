"""From a run directory to scores.jsonl, metrics.json and details.csv.

Needs no model, gives the same bytes every time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.analysis.endings import EndingCounter
from toolgauge.analysis.layout import layout_of, without_steps
from toolgauge.analysis.numbers import Metrics, encode_metrics
from toolgauge.analysis.signs import SignCounter
from toolgauge.benchmarks.benchmark import Benchmark, Data
from toolgauge.benchmarks.manifest import Manifest, setup_of
from toolgauge.benchmarks.registry import blamed_on, find_benchmark
from toolgauge.data.load import collector_paused, sha256_of
from toolgauge.episode import Stop, Trajectory
from toolgauge.errors import Tell, warn
from toolgauge.files import check_targets, clear_leftovers, write_whole
from toolgauge.judge.verdict import Score, not_judgeable
from toolgauge.models.model import AGENT
from toolgauge.models.prices import BATCH_PRICE_SHARE, priced_name
from toolgauge.reasons import Blame
from toolgauge.runs.corrected import CORRECTIONS, Selection, Standing
from toolgauge.runs.early_scores import Judge
from toolgauge.runs.lines import encode
from toolgauge.runs.manifest import read_manifest
from toolgauge.runs.scored import DETAILS, METRICS, METRICS_VERSION, SCORES, dataset_of, read_failures
from toolgauge.runs.snapshot import Snapshot
from toolgauge.runs.store import RUN_FILES, TRAJECTORIES
from toolgauge.version import __version__
from toolgauge.written import alone, replacing_ours, require_apart, require_ours

if TYPE_CHECKING:
    from toolgauge.analysis.reports import Watcher

BUILTIN, IMPORTED = "builtin", "imported"
"""Providers that are no models: built-in models, and result files."""


def score_all(benchmark: Benchmark, dataset: Data, trajectories: Iterable[Trajectory]) -> list[Score]:
    """The scores of every task that the trajectories hold, in the order of the data file, epoch by epoch."""
    return score_on(benchmark, [dataset], trajectories)[0]


@collector_paused()
def score_on(
    benchmark: Benchmark, data: Sequence[Data], trajectories: Iterable[Trajectory], judge: Judge | None = None
) -> list[list[Score]]:
    """`score_all` on several versions of the data, in one pass over the trajectories. judge: in place of the
    benchmark's `scores`, and the same."""
    judge = judge or benchmark.scores
    with blamed_on(benchmark):
        orders = [benchmark.order(dataset) for dataset in data]
        placed: list[list[tuple[tuple[int, int, int], Score]]] = [[] for _ in data]
        for trajectory in trajectories:
            for dataset, order, found in zip(data, orders, placed, strict=True):
                for score in judge(dataset, trajectory):
                    found.append(((trajectory.epoch, order[score.session_id], score.task_index), score))
    for found in placed:
        found.sort(key=lambda pair: pair[0])
    return [[score for _place, score in found] for found in placed]


class Derived(Struct, frozen=True):
    """What follows from what was said: scores and tables as they are saved, and what they were made from. features:
    `Report.features`, where they were found by the way."""

    said: Snapshot
    scores: list[Score]
    metrics: Metrics
    features: Mapping[str, object] | None = None

    def score_lines(self) -> bytes:
        """The content of scores.jsonl."""
        return b"".join(encode(score) + b"\n" for score in self.scores)


def derive(
    folder: Path,
    manifest: Manifest,
    benchmark: Benchmark,
    dataset: Data,
    original: Data | None = None,
    judge: Judge | None = None,
) -> Derived:
    """Score what stands in a run directory's trajectories now; nothing that was saved of an earlier scoring is read.

    original: the data without the run's corrections, if it has any. judge: see `score_on`. Raises ToolgaugeError where
    the trajectories cannot be read or are not of this data set.
    """
    said, imported = Snapshot.of(folder), manifest.measured.provider == IMPORTED  # only then labels were recorded
    endings, signs = EndingCounter(told=manifest.measured.provider == BUILTIN), SignCounter()

    def watched(conversations: Iterable[Trajectory]) -> Iterable[Trajectory]:
        return signs.watch(endings.watch(map(_as_recording, conversations) if imported else conversations))

    features: Mapping[str, object] | None = None
    if original is not None and manifest.corrections:
        setup = setup_of(manifest, benchmark)
        chosen = Selection(said, Standing(benchmark, setup, original, dataset, manifest.corrections.sha256))
        scores, before = score_on(benchmark, [dataset, original], watched(chosen), judge)
        said = replace(said, left_out=frozenset(chosen.left_out))
        content = _metrics(manifest, benchmark, dataset, scores, said)
        without = _metrics(manifest, benchmark, original, before, said)
        content = replace(content, corrections=chosen.applied(manifest.corrections.count, content, without))
    else:
        watcher = _watcher(manifest, benchmark, dataset)
        conversations = said.trajectories() if watcher is None else watcher.watch(said.trajectories())
        (scores,) = score_on(benchmark, [dataset], watched(conversations), judge)
        if watcher is None:
            content = _metrics(manifest, benchmark, dataset, scores, said)
        else:
            with blamed_on(benchmark):
                features = watcher.features(scores)
                content = watcher.metrics(benchmark.name, scores, _requested(manifest, benchmark, dataset), features)
    if manifest.batch:
        content = replace(content, effort=content.effort.at_price_share(BATCH_PRICE_SHARE))
    if manifest.measured.provider == AGENT:
        content = without_steps(content, layout_of(benchmark.name))
    content = replace(
        content,
        version=METRICS_VERSION,
        headline=benchmark.headline,
        endings=endings.endings(),
        signs=signs.signs(scores) or UNSET,
        overflows=_overflows(folder, benchmark, dataset, manifest),
        not_judgeable=not_judgeable(scores) or UNSET,
        variant=manifest.variant.name if manifest.variant else UNSET,
    )
    if imported and (agreement := benchmark.agreement(dataset, said.trajectories())):
        content = replace(content, agreement=agreement)
    return Derived(said, scores, content, features)


def _watcher(manifest: Manifest, benchmark: Benchmark, dataset: Data) -> Watcher | None:
    """None where the benchmark has none."""
    from toolgauge.analysis.reports import report_of

    with blamed_on(benchmark):
        report = report_of(benchmark)
        return report.watcher(dataset, _priced(manifest)) if hasattr(report, "watcher") else None


def _priced(manifest: Manifest) -> str:
    return priced_name(manifest.measured.name, manifest.measured.base_url or None)


def _requested(manifest: Manifest, benchmark: Benchmark, dataset: Data) -> list[str]:
    return benchmark.task_ids(dataset, benchmark.samples(dataset, setup_of(manifest, benchmark)))


def _metrics(
    manifest: Manifest, benchmark: Benchmark, dataset: Data, scores: Sequence[Score], said: Snapshot
) -> Metrics:
    from toolgauge.analysis.reports import report_of

    with blamed_on(benchmark):
        content: Metrics = report_of(benchmark).metrics(
            benchmark.name,
            dataset,
            scores,
            _requested(manifest, benchmark, dataset),
            said.trajectories(),
            _priced(manifest),
        )
    return content


def _as_recording(trajectory: Trajectory) -> Trajectory:
    """Imports of earlier versions did not say of their trajectories that they are recordings."""
    return trajectory if trajectory.stopped else replace(trajectory, stopped=Stop.RECORDING)


def write_details(path: Path, manifest: Manifest, benchmark: Benchmark, dataset: Data, derived: Derived) -> None:
    """Write details.csv, and what the benchmark has beside it, into the folder of `path`."""
    from toolgauge.analysis.reports import report_of

    with blamed_on(benchmark):
        report_of(benchmark).write_details(
            path, dataset, derived.scores, derived.said.trajectories(), manifest.measured.name
        )


def result_files(benchmark: Benchmark) -> tuple[str, ...]:
    """The files that scoring writes into a run directory; metrics.json, which vouches for the others, is the last."""
    from toolgauge.analysis.reports import report_of

    with blamed_on(benchmark):
        return SCORES, DETAILS, *report_of(benchmark).sheets, METRICS


def score_run(
    folder: Path,
    data: Path | None,
    dataset: Data | None = None,
    overwrite: bool = False,
    tell: Tell = warn,
    original: Data | None = None,
    judge: Judge | None = None,
) -> Metrics:
    """Score a run directory and write its files; what metrics.json holds then.

    data: where the data file is now, if it is not where the manifest says. overwrite: also files that somebody has
    changed since. tell: is told where another process is scoring the same folder, for whose end this one waits. judge:
    see `score_on`. While a run goes on, what it has finished so far is scored. Raises UsageError if the data's content
    differs from what was run, or a file is not as it was written.
    """
    manifest = read_manifest(folder)
    benchmark = find_benchmark(str(manifest.benchmark))
    dataset = dataset or dataset_of(manifest, benchmark, folder, data)
    if manifest.corrections and original is None:
        original = dataset_of(replace(manifest, corrections=UNSET), benchmark, folder, data)
    check_targets(folder, result_files(benchmark))
    with alone(folder, tell), replacing_ours(folder, result_files(benchmark), overwrite):
        clear_leftovers(folder)
        derived = derive(folder, manifest, benchmark, dataset, original, judge)
        write_whole(folder / SCORES, derived.score_lines())
        write_details(folder / DETAILS, manifest, benchmark, dataset, derived)
        sources = _sources(folder, benchmark, dataset, derived.said)
        if manifest.corrections:
            sources[CORRECTIONS] = manifest.corrections.sha256
        metrics = replace(derived.metrics, sources=sources)
        write_whole(folder / METRICS, encode_metrics(metrics))
    return metrics


def _sources(folder: Path, benchmark: Benchmark, dataset: Data, said: Snapshot) -> dict[str, str]:
    """What the tables were made from, and what was made with them, by sha256: so that others see if it is stale."""
    made = {name: sha256_of(folder / name) for name in result_files(benchmark) if name != METRICS}
    return {"toolgauge": __version__, "data": dataset.sha256, TRAJECTORIES: said.sha256, **made}


def check_place(out: Path, benchmark: Benchmark, inputs: Iterable[Path | str], overwrite: bool) -> None:
    """Raise UsageError where a run in `out` would overwrite what it reads, or files that are not its own.

    inputs: files or folders. To be asked before anything is paid for.
    """
    require_apart([out, *(out / name for name in (*RUN_FILES, *result_files(benchmark)))], inputs)
    require_ours(out, result_files(benchmark), overwrite)


def _overflows(folder: Path, benchmark: Benchmark, dataset: Data, manifest: Manifest) -> int:
    """How many tasks' conversations were longer than the endpoint's context when they were last asked."""
    keys = {failure.key for failure in read_failures(folder).values() if failure.blame is Blame.CONTEXT}
    if not keys:
        return 0
    with blamed_on(benchmark):
        samples = benchmark.samples(dataset, setup_of(manifest, benchmark))
        return len(benchmark.task_ids(dataset, [sample for sample in samples if sample.key in keys]))
