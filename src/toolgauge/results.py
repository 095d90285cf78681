"""Runs opened for reading: their numbers follow from what was said, whatever was saved of them.

scores.jsonl and metrics.json may be older than the trajectories, edited, or a stranger's. They are read back where
this user's own program made them of what is there now (the seal of runs/scoring.py); else they are computed again.
Where the data set is not at hand, they must at least belong to these trajectories (`sources` of metrics.json), and it
is said that nobody could verify them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.benchmark import Data
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.lines import known_language
from toolgauge.errors import StoreError, Tell, ToolgaugeError, UsageError, os_cause, warn
from toolgauge.files import digest, read_own
from toolgauge.judge.verdict import Score
from toolgauge.runs.corrections import CORRECTIONS
from toolgauge.runs.lines import decode
from toolgauge.runs.manifest import MANIFEST, read_manifest
from toolgauge.runs.scored import METRICS, METRICS_VERSION, SCORES, ScoredRun
from toolgauge.runs.scoring import derive, is_sealed, origin_of
from toolgauge.runs.store import TRAJECTORIES, recorded


def open_run(folder: Path, data: Path | None = None, tell: Tell = warn) -> ScoredRun:
    """The run in a directory. data: where its data file is now; tell: gets a line if saved numbers were not used.

    Raises UsageError without data where it is not scored yet, or its scores are not those of its trajectories.
    """
    return open_runs([folder], data, tell)[0]


def open_runs(folders: Sequence[Path], data: Path | None = None, tell: Tell = warn) -> list[ScoredRun]:
    """Several runs; each data set is read once. data: the data file for runs whose own is missing.

    Raises UsageError as `open_run` does, and for a folder that is named twice.
    """
    runs: list[ScoredRun] = []
    loaded: dict[tuple[str, str, str], Data] = {}
    seen: set[Path] = set()
    for folder in folders:
        if folder.resolve() in seen:
            raise UsageError(f"{folder}: given twice")
        seen.add(folder.resolve())
        runs.append(replace(unread_run(folder), loaded=loaded))
    runs = runs if data is None else _with_data(runs, data)
    return [_read(run, tell) for run in runs]


def run_folders(named: Sequence[Path]) -> list[Path]:
    """Run directories. A folder that is none stands for those in it, in the order of their names: those of a trial of
    tools, or of several result files. Links in it are not followed."""
    return [run for folder in named for run in _runs_in(folder) or [folder]]


def _runs_in(folder: Path) -> list[Path]:
    """The run directories right in a folder; none in a run, and none in what cannot be read."""
    try:
        if (folder / MANIFEST).exists():
            return []
        return sorted(one for one in folder.iterdir() if not one.is_symlink() and (one / MANIFEST).is_file())
    except OSError:
        return []


def unread_run(folder: Path) -> ScoredRun:
    """What a run says of itself, without numbers. Raises UsageError where the folder holds no run."""
    manifest = read_manifest(folder)
    benchmark = find_benchmark(str(manifest.benchmark))
    known_language(str(manifest.language))
    return ScoredRun(folder, manifest, Metrics(), [], benchmark)


def _with_data(runs: Sequence[ScoredRun], data: Path) -> list[ScoredRun]:
    """The runs; those whose data set is missing get the named one. Raises UsageError if it belongs to none of them."""
    given, unfit = [], None
    for run in runs:
        named = replace(run, data=data)
        try:
            fits = run.dataset is None and named.dataset is not None
        except ToolgaugeError as error:
            fits, unfit = False, unfit or error
        given.append(named if fits else run)
    if unfit is not None and all(run.data is None for run in given):
        raise unfit
    return given


def _read(run: ScoredRun, tell: Tell) -> ScoredRun:
    dataset = run.dataset
    if dataset is None:
        return _saved(run, tell)
    return _own(run, dataset) or _computed(run, dataset, tell)


def _own(run: ScoredRun, dataset: Data) -> ScoredRun | None:
    """With the numbers that were saved, where the seal on them was made here and all that they follow from is as it
    was; None otherwise."""
    folder = run.folder
    try:
        metrics = decode(read_own(folder / METRICS), Metrics)
        content, said = read_own(folder / SCORES), recorded(folder)
        due = {
            **origin_of(folder, run.benchmark, dataset),
            TRAJECTORIES: said.sha256,
            SCORES: hashlib.sha256(content).hexdigest(),
        }
        sources = metrics.sources or {}
        stale = metrics.version != METRICS_VERSION or any(sources.get(name) != found for name, found in due.items())
        if stale or not is_sealed(metrics, run.benchmark):
            return None
        plain = replace(metrics, sources=UNSET)
        return replace(run, metrics=plain, scores=_scores(content, folder), said=said.size)
    except (OSError, ValueError, ToolgaugeError):
        return None


def _computed(run: ScoredRun, dataset: Data, tell: Tell) -> ScoredRun:
    """With the numbers that follow from its trajectories; `tell` gets a line if others were saved."""
    derived = derive(run.folder, run.manifest, run.benchmark, dataset, run.original)
    lines = derived.score_lines()
    differing = [
        name
        for name, same in (
            (SCORES, _holds(run.folder / SCORES, lines)),
            (METRICS, _agrees(run.folder, derived.metrics)),
        )
        if not same
    ]
    if differing:
        tell(
            f"{run.folder}: {' and '.join(differing)} missing, outdated or edited; numbers recomputed from "
            f"{TRAJECTORIES} (`toolgauge score {run.folder}` saves them)"
        )
    return replace(run, metrics=derived.metrics, scores=derived.scores, said=derived.extent.size)


def _holds(path: Path, content: bytes) -> bool:
    """Whether a file has exactly this content."""
    try:
        return path.lstat().st_size == len(content) and digest(path) == hashlib.sha256(content).hexdigest()
    except (OSError, StoreError):
        return False


def _agrees(folder: Path, metrics: Metrics) -> bool:
    """Whether metrics.json says the same, apart from when and with what it was made: prices are those of the day."""
    try:
        saved = decode(read_own(folder / METRICS), Metrics)
    except (OSError, ValueError):
        return False
    return replace(saved, sources=UNSET, effort=metrics.effort) == metrics


def _saved(run: ScoredRun, tell: Tell) -> ScoredRun:
    """With the numbers that were saved, where they belong to its trajectories."""
    folder = run.folder
    for name in (METRICS, SCORES):
        if not (folder / name).exists():
            raise UsageError(f"{folder / name}: missing; create it with `toolgauge score {folder}`")
    metrics, scores, said = _tables(run), _scores(_content(folder / SCORES), folder), recorded(folder)
    sources = metrics.sources or {}
    expected = {TRAJECTORIES: said.sha256, SCORES: digest(folder / SCORES), "data": run.manifest.data.sha256}
    if run.manifest.corrections:
        expected[CORRECTIONS] = run.manifest.corrections.sha256
    if any(sources.get(name) != found for name, found in expected.items()):
        raise UsageError(
            f"{folder}: the scores do not match {TRAJECTORIES} (outdated or edited), and the data file "
            f"({run.manifest.data_file or 'none'}) is missing; score it again with --data FILE"
        )
    tell(f"{folder}: the data file is missing, so the saved numbers are shown unverified; give it with --data")
    return replace(run, metrics=metrics, scores=scores, said=said.size, verified=False)


def _tables(run: ScoredRun) -> Metrics:
    """What metrics.json holds, if it is this run's."""
    path = run.folder / METRICS
    try:
        found = decode(_content(path), Metrics)
    except ValueError as error:
        raise StoreError(f"{path}: {error}; recreate it with `toolgauge score {run.folder}`") from error
    if found.version != METRICS_VERSION:
        raise UsageError(
            f"{run.folder}: scored by another version of toolgauge; update it with `toolgauge score {run.folder}`"
        )
    own = (run.benchmark.name, run.language, run.benchmark.headline)
    named = {*found.scorings, *(found.not_judgeable or ())}
    if (found.benchmark, found.language, found.headline) != own or named - set(run.benchmark.scorings):
        raise StoreError(f"{path}: belongs to another run; recreate it with `toolgauge score {run.folder}`")
    return found


def _scores(lines: bytes, folder: Path) -> list[Score]:
    try:
        return decode(b"[" + b",".join(lines.splitlines()) + b"]", list[Score])  # also what strict readers refuse
    except ValueError as error:
        raise StoreError(f"{folder / SCORES}: {error}; recreate it with `toolgauge score {folder}`") from error


def _content(path: Path) -> bytes:
    """What was saved of a run; raises StoreError where it cannot be read. Scorings were called readings once."""
    try:
        content = read_own(path)
        return content if b'"scorings":' in content else content.replace(b'"readings":', b'"scorings":')
    except OSError as error:
        raise StoreError(f"{path}: {os_cause(error)}; recreate it with `toolgauge score {path.parent}`") from error
