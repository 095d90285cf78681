"""From a run directory to scores.jsonl, metrics.json and details.csv.

Needs no model, gives the same bytes every time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from toolgauge.benchmarks.benchmark import Benchmark, Data, Setup
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Json
from toolgauge.data.load import collector_paused
from toolgauge.episode import Trajectory
from toolgauge.errors import UsageError
from toolgauge.files import check_targets, clear_leftovers, only_one, open_regular, write_whole
from toolgauge.judge.verdict import Score
from toolgauge.models.prices import BATCH_PRICE_SHARE, priced_name
from toolgauge.runs.lines import encode
from toolgauge.runs.manifest import MANIFEST, benchmark_name, new_manifest, read_manifest
from toolgauge.runs.scored import DETAILS, METRICS, METRICS_VERSION, SCORES, dataset_of
from toolgauge.runs.store import Failure, RunStore, read_trajectories


@collector_paused()
def score_all(benchmark: Benchmark, dataset: Data, trajectories: Iterable[Trajectory]) -> list[Score]:
    """The scores of every task that the trajectories hold, in the order of the data file, epoch by epoch."""
    order = benchmark.order(dataset)
    placed = [
        ((trajectory.epoch, order[score.session_id], score.task_index), score)
        for trajectory in trajectories
        for score in benchmark.scores(dataset, trajectory)
    ]
    placed.sort(key=lambda pair: pair[0])
    return [score for _, score in placed]


def result_files(benchmark: Benchmark) -> tuple[str, ...]:
    """The names of the files that scoring writes into a run directory."""
    from toolgauge.analysis.reports import report_of

    return SCORES, METRICS, DETAILS, *report_of(benchmark.tables).sheets


def score_run(folder: Path, data: Path | None, dataset: Data | None = None) -> Json:
    """Score a run directory and write its files; the content of metrics.json.

    data: where the data file is now, if it is not where the manifest says. Another process that scores the same folder
    is waited for. Raises UsageError if the data's content differs from what was run, StoreError where a file cannot be
    read or written, before any is replaced.
    """
    manifest = read_manifest(folder)
    benchmark = find_benchmark(benchmark_name(manifest, folder))
    with only_one(folder):
        check_targets(folder, result_files(benchmark))
        clear_leftovers(folder)
        return _score(folder, manifest, benchmark, dataset or dataset_of(manifest, benchmark, folder, data))


def _score(folder: Path, manifest: Json, benchmark: Benchmark, dataset: Data) -> Json:
    from toolgauge.analysis.effort import at_price_share
    from toolgauge.analysis.metrics import encode_metrics
    from toolgauge.analysis.reports import report_of

    scores = score_all(benchmark, dataset, read_trajectories(folder))
    write_whole(folder / SCORES, b"".join(encode(score) + b"\n" for score in scores))
    requested = _requested(benchmark, dataset, manifest)
    report = report_of(benchmark.tables)
    model = str((manifest.get("model") or {}).get("name", ""))
    priced = priced_name(manifest.get("model") or {})
    content = report.metrics(benchmark.name, dataset, scores, requested, read_trajectories(folder), priced)
    if manifest.get("batch"):
        at_price_share(content["effort"], BATCH_PRICE_SHARE)
    content |= {"version": METRICS_VERSION, "headline": benchmark.headline}
    if agreement := benchmark.agreement(dataset, read_trajectories(folder)):
        content["agreement"] = agreement
    write_whole(folder / METRICS, encode_metrics(content))
    report.write_details(folder / DETAILS, dataset, scores, read_trajectories(folder), model)
    return content


def score_predictions(benchmark: Benchmark, dataset: Data, file: Path, out: Path) -> Json:
    """Import a prediction file of the original project into a run directory and score it."""
    predictions = benchmark.predictions(dataset, file)
    model = {"name": file.stem, "provider": "imported", "sha256": _sha256(predictions.files())}
    manifest = new_manifest(benchmark, dataset, predictions.setup(), model, {})
    fresh = not (out / MANIFEST).exists()
    store = RunStore(out).open(manifest, result_files(benchmark))
    try:
        for trajectory in predictions:
            if trajectory.task_id not in store.finished:
                store.add_trajectory(trajectory)
        if not store.finished and not predictions.unusable:
            raise UsageError(f"--predictions {file}: holds no result of {benchmark.name}")
        store.forget_failures()
        for session_id, reason in predictions.unusable.items():
            store.add_failure(Failure(session_id, session_id, "harness", reason))
    except BaseException:
        if fresh:
            store.discard()  # else the mended file, another run, would be refused here
        raise
    finally:
        store.close(complete=True)
    return score_run(out, None, dataset)


def _sha256(files: Sequence[Path]) -> str:
    """The digest of one file's content, or of several files' digests."""
    digests = []
    for file in files:
        try:
            with open_regular(file) as content:
                digests.append(hashlib.file_digest(content, "sha256").hexdigest())
        except OSError as error:
            raise UsageError(f"--predictions {file}: {error.strerror or error}") from error
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def _requested(benchmark: Benchmark, dataset: Data, manifest: Json) -> list[str]:
    return benchmark.task_ids(dataset, benchmark.units(dataset, Setup.of(manifest)))
