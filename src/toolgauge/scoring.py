"""From a run directory to scores.jsonl, metrics.json and details.csv.

Needs no model, gives the same bytes every time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from toolgauge import __version__
from toolgauge.analysis.facts import TaskFacts, facts_of, type_signature
from toolgauge.benchmarks.graph import GraphBenchmark
from toolgauge.benchmarks.predictions import Predictions
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Json
from toolgauge.data.session import Dataset
from toolgauge.episode import TRAJECTORY_VERSION, Trajectory
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import Score
from toolgauge.runs.lines import encode
from toolgauge.runs.store import Failure, RunStore, read_manifest, read_trajectories, write_whole

SCORES, METRICS, DETAILS = "scores.jsonl", "metrics.json", "details.csv"


def score_all(benchmark: GraphBenchmark, dataset: Dataset, trajectories: Iterable[Trajectory]) -> list[Score]:
    """The scores of every task that the trajectories hold, in the order of the data file, epoch by epoch."""
    order = {session.id: position for position, session in enumerate(dataset.sessions)}
    placed = [
        ((trajectory.epoch, order[score.session_id], score.task_index), score)
        for trajectory in trajectories
        for score in benchmark.scores(dataset, trajectory)
    ]
    placed.sort(key=lambda pair: pair[0])
    return [score for _, score in placed]


def score_run(folder: Path, data: Path | None, dataset: Dataset | None = None) -> Json:
    """Score a run directory and write its files; the content of metrics.json.

    data: where the data file is now, if it is not where the manifest says. Raises UsageError if its content differs
    from what was run.
    """
    from toolgauge.analysis.details import write_details
    from toolgauge.analysis.metrics import encode_metrics, metrics

    manifest = read_manifest(folder)
    benchmark = find_benchmark(str(manifest.get("benchmark")))
    dataset = dataset or _dataset_of(manifest, benchmark, folder, data)
    scores = score_all(benchmark, dataset, read_trajectories(folder))
    write_whole(folder / SCORES, b"".join(encode(score) + b"\n" for score in scores))
    requested = _requested(benchmark, dataset, manifest)
    facts = dict(_facts(dataset, scores, read_trajectories(folder)))
    content = metrics(benchmark.name, dataset, scores, requested, facts)
    content["headline"] = benchmark.headline
    write_whole(folder / METRICS, encode_metrics(content))
    write_details(folder / DETAILS, dataset, scores, read_trajectories(folder))
    return content


def score_predictions(benchmark: GraphBenchmark, dataset: Dataset, file: Path, out: Path) -> Json:
    """Import a prediction file of the original project into a run directory and score it."""
    predictions = Predictions(benchmark.family, file, dataset)
    manifest = {
        "toolgauge": __version__,
        "trajectory_version": TRAJECTORY_VERSION,
        "benchmark": benchmark.name,
        "language": dataset.language,
        "dataset": {"name": dataset.name, "sha256": dataset.sha256},
        "data_file": str(Path(dataset.file).resolve()),
        "model": {"name": file.stem, "provider": "imported", "sha256": _sha256(file)},
        "sampling": {},
        "history": "gold",
        "epochs": 1,
        "selection": {"ids": [], "limit": None},
    }
    store = RunStore(out).open(manifest)
    try:
        for trajectory in predictions:
            if trajectory.task_id not in store.finished:
                store.add_trajectory(trajectory)
        for session_id, reason in predictions.unusable.items():
            store.add_failure(Failure(session_id, session_id, "harness", reason))
    finally:
        store.close(complete=True)
    return score_run(out, None, dataset)


def _sha256(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"--predictions {file}: {error.strerror or error}") from error


def _dataset_of(manifest: Json, benchmark: GraphBenchmark, folder: Path, data: Path | None) -> Dataset:
    file = data or (Path(manifest["data_file"]) if manifest.get("data_file") else benchmark.embedded)
    if file is None or not file.exists():
        raise UsageError(f"{folder}: its data file ({file}) is not there; name it with --data")
    dataset = benchmark.load(file, str(manifest.get("language")))
    recorded = manifest.get("dataset") or {}
    if recorded.get("sha256") != dataset.sha256:
        raise UsageError(
            f"{file}: is not the data that {folder} was run on (another sha256); name that file with --data"
        )
    return msgspec.structs.replace(dataset, name=recorded.get("name", dataset.name))


def _requested(benchmark: GraphBenchmark, dataset: Dataset, manifest: Json) -> list[str]:
    selection = manifest.get("selection") or {}
    units = benchmark.units(
        dataset,
        "own" if manifest.get("history") == "own" else "gold",
        int(manifest.get("epochs") or 1),
        selection.get("ids") or (),
        selection.get("limit"),
    )
    return benchmark.task_ids(dataset, units)


def _facts(
    dataset: Dataset, scores: list[Score], trajectories: Iterator[Trajectory]
) -> Iterator[tuple[str, TaskFacts]]:
    """What the tables want to know of each task beyond its score."""
    signature = _signatures(dataset)
    wrong = {
        score.task_id: {
            reading: tuple(signature(score.session_id, tool, path) for tool, path in verdict.wrong_arguments)
            for reading, verdict in score.readings.items()
            if isinstance(verdict.wrong_arguments, tuple)
        }
        for score in scores
    }
    for trajectory in trajectories:
        if trajectory.task_index is not None:
            yield trajectory.task_id, facts_of(trajectory, wrong.pop(trajectory.task_id, {}))
    for task_id, found in wrong.items():
        if found:
            yield task_id, facts_of(Trajectory(task_id, "", ()), found)


def _signatures(dataset: Dataset) -> Callable[[str, str, str], str]:
    def signature(session_id: str, tool: str, path: str) -> str:
        known = dataset.by_id[session_id].tools_by_name.get(tool)
        return type_signature(known.parameters if known else {}, path)

    return signature
