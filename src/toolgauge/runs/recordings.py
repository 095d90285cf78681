"""Result files of the original projects, imported into run directories and scored."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.benchmark import Benchmark, Data, HasResultFiles
from toolgauge.benchmarks.manifest import ModelRecord
from toolgauge.benchmarks.original_files import model_in_name
from toolgauge.data.corrections import Corrections
from toolgauge.errors import Tell, UsageError, os_cause, warn
from toolgauge.files import open_regular, require_apart, require_no_link, slug
from toolgauge.reasons import Blame
from toolgauge.runs.corrections import CORRECTIONS, load_data, record_of
from toolgauge.runs.manifest import MANIFEST, new_manifest
from toolgauge.runs.scoring import IMPORTED, check_place, score_run
from toolgauge.runs.scoring import result_files as scored_files
from toolgauge.runs.store import Failure, RunStore

LANGUAGE_NAMES = {"en": "English", "zh": "Chinese"}
LONGEST_NAME = 120
"""Characters of a model's name."""


class Recording(Struct, frozen=True):
    """A result file, or a model's folder of them. name: the model's; out: the run directory that is made of it."""

    file: Path
    name: str
    out: Path


def result_files(benchmark: Benchmark, paths: Sequence[Path]) -> list[Path]:
    """The result files that paths name, one for each model; folders of them are looked into. Raises UsageError for a
    folder without any."""
    files: list[Path] = []
    for path in paths:
        if not (path.is_dir() and isinstance(benchmark, HasResultFiles)):
            files.append(path)
        elif inside := benchmark.results_in(path):
            files += inside
        else:
            raise UsageError(f"--predictions {path}: no result file of {benchmark.name} in this folder")
    return files


def data_of(benchmark: Benchmark, recording: Recording, data: Path, language: str | None, tell: Tell = warn) -> Data:
    """The data that results were made on. language: what the user says, if anything; else what the results say.

    Raises UsageError where the two contradict one another.
    """
    recorded = benchmark.language_recorded(recording.file) if isinstance(benchmark, HasResultFiles) else None
    if language is not None and recorded not in (None, language):
        raise UsageError(
            f"--predictions {recording.file}: these are {LANGUAGE_NAMES[str(recorded)]} results, --language says "
            f"{language}; leave --language out, or name the file in that language"
        )
    if language is None and recorded == "zh":
        tell(f"{recording.file}: {LANGUAGE_NAMES[recorded]} results, scored on the data in that language")
    loaded: Data = benchmark.load(data, language or recorded or "en")
    return loaded


def recordings(files: Sequence[Path], names: Sequence[str], out: Path) -> list[Recording]:
    """What is to be imported. One file becomes the run directory `out`, several become folders in it.

    names: of the models, one for each file; none: the files' names, with their folder's in front where two are alike.
    Raises UsageError for names that cannot be used, and for files that would share a run directory, StoreError where
    one of several run directories is a link.
    """
    for name in names:
        _check_name(name)
    if names and len(names) != len(files):
        raise UsageError(f"--name: {len(names)} given for {len(files)} result files; give one for each or none")
    chosen_names = list(names) or _names_of(files)
    if len(files) == 1:
        return [Recording(files[0], chosen_names[0], out)]
    if (out / MANIFEST).exists():
        raise UsageError(f"{out} is a run directory; several result files need a new folder")
    by_folder: dict[str, Recording] = {}
    if again := next((file for file, times in Counter(file.absolute() for file in files).items() if times > 1), None):
        raise UsageError(f"{again}: given twice")
    for file, name in zip(files, chosen_names, strict=True):
        recording = Recording(file, name, out / slug(name))
        require_no_link(recording.out)
        other = by_folder.setdefault(recording.out.name.casefold(), recording)
        if other is not recording:
            raise UsageError(
                f"{other.file} and {file}: both would be written to {other.out}; give them different names with --name"
            )
    return list(by_folder.values())


def _check_name(name: str) -> None:
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise UsageError(f"--name {name[:LONGEST_NAME]!r}: must have 1 to {LONGEST_NAME} printable characters")


def _names_of(files: Sequence[Path]) -> list[str]:
    """The models' names, as the files have them; of those that are alike with the folder around them."""
    places = [file.absolute() for file in files]
    names = [model_in_name(place) for place in places]
    count = Counter(slug(name).casefold() for name in names)
    return [
        f"{place.parent.name}/{name}" if count[slug(name).casefold()] > 1 else name
        for place, name in zip(places, names, strict=True)
    ]


def score_recording(
    benchmark: Benchmark,
    dataset: Data,
    recording: Recording,
    overwrite: bool = False,
    tell: Tell = warn,
    corrections: Corrections | None = None,
) -> Metrics:
    """Import a result file of the original project into a run directory and score it.

    dataset: as the original project asked it; corrections: of the data, with which it is judged. Raises ToolgaugeError.
    """
    predictions, out = benchmark.predictions(dataset, recording.file), recording.out
    inputs = {CORRECTIONS: Path(corrections.file)} if corrections else {}
    check_place(out, benchmark, [dataset.file, *predictions.files(), *inputs.values()], overwrite)
    require_apart([out / name for name in inputs], [dataset.file, *predictions.files()])
    model = ModelRecord(name=recording.name, provider=IMPORTED, sha256=_sha256(predictions.files()))
    manifest = new_manifest(benchmark, dataset, predictions.setup(), model)
    corrected: Data | None = None
    if corrections is not None:
        corrected = load_data(benchmark, Path(dataset.file), dataset.language, corrections)
        manifest = replace(manifest, corrections=record_of(corrections, dataset.language))
    fresh = not (out / MANIFEST).exists()
    store = RunStore(out, inputs=inputs).open(manifest, scored_files(benchmark))
    try:
        for trajectory in predictions:
            if trajectory.task_id not in store.finished:
                store.add_trajectory(trajectory)
        if not store.finished and not predictions.unusable:
            raise UsageError(f"--predictions {recording.file}: no results for {benchmark.name}")
        store.forget_failures()
        for session_id, reason in predictions.unusable.items():
            store.add_failure(Failure(session_id, session_id, Blame.HARNESS, reason))
    except BaseException:
        if fresh:
            store.discard()  # else the mended file, another run, would be refused here
        raise
    finally:
        store.close(complete=True)
    return score_run(out, None, corrected or dataset, tell, dataset if corrected else None)


def _sha256(files: Sequence[Path]) -> str:
    """The digest of one file's content, or of several files' digests."""
    digests = []
    for file in files:
        try:
            with open_regular(file) as content:
                digests.append(hashlib.file_digest(content, "sha256").hexdigest())
        except OSError as error:
            raise UsageError(f"--predictions {file}: {os_cause(error)}") from error
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
