"""Corrections for a run that was made already: they are checked, kept in its folder, and named in its run.json.

What it said stays as it is. `toolgauge score` judges again what still counts (runs/corrected.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Benchmark
from toolgauge.benchmarks.data_files import files_of
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.corrections import Corrections, read_corrections
from toolgauge.data.versions import Record, between_versions, encoded, records_in
from toolgauge.errors import Tell, UsageError
from toolgauge.locale import _, ngettext
from toolgauge.runs.corrected import CORRECTIONS, load_data, named_corrections, record_of
from toolgauge.runs.manifest import read_manifest
from toolgauge.runs.scored import dataset_of
from toolgauge.runs.store import RunStore
from toolgauge.written import copy_in

NONE = "none"
"""In place of a file of corrections: those that the run has are taken back."""


def correct_run(folder: Path, given: Path | str | None, data: Path | None, overwrite: bool, tell: Tell) -> Path | None:
    """Give a run other corrections: those in a file, or what differs in a data file that was corrected itself.

    given: a file, "known" or "none"; None: those that the run has stay, unless `data` are another version of its data.
    Returns where the data are that it was made on (None: where run.json says). Raises UsageError or DataError before
    anything is changed, StoreError while the run goes on.
    """
    manifest = read_manifest(folder)
    benchmark = find_benchmark(str(manifest.benchmark))
    if given is None:
        if data is None or load_data(benchmark, data, str(manifest.language)).sha256 == manifest.data.sha256:
            return data
        if lines := _difference(folder, manifest, benchmark, data):
            with NamedTemporaryFile(suffix=".jsonl") as file:
                file.write(lines)
                file.flush()
                _adopt(folder, manifest, benchmark, read_corrections(file.name), None, overwrite)
            tell(
                ngettext(
                    "{data}: {count:,} correction of the data that {folder} was run on; it is kept as {kept}",
                    "{data}: {count:,} corrections of the data that {folder} was run on; they are kept as {kept}",
                    data=data,
                    count=lines.count(b"\n"),
                    folder=folder,
                    kept=folder / CORRECTIONS,
                )
            )
        return None  # or nothing but blanks is different
    corrections = None if str(given) == NONE else named_corrections(benchmark, given)
    _adopt(folder, manifest, benchmark, corrections, data, overwrite)
    return data


def _difference(folder: Path, manifest: Manifest, benchmark: Benchmark, data: Path) -> bytes:
    """What was changed in a data file, as the lines of a file of corrections. Raises UsageError without the earlier
    version."""
    plain = replace(manifest, corrections=UNSET)
    try:
        original = dataset_of(plain, benchmark, folder, None)
    except UsageError as error:
        raise UsageError(
            _(
                "{file}: is not the data that {folder} was run on (another sha256), which are not at hand; name that "
                "file with {data_field} and corrections with {corrections_field} "
                "(`toolgauge data correct NEW --since OLD` makes them)",
                file=data,
                folder=folder,
            )
        ) from error
    return encoded(between_versions(_records(benchmark, Path(original.file)), _records(benchmark, data)))


def _records(benchmark: Benchmark, path: Path) -> Iterator[Record]:
    files = files_of(benchmark.name)
    return records_in(path) if files is None else files.records(path)


def _adopt(
    folder: Path,
    manifest: Manifest,
    benchmark: Benchmark,
    corrections: Corrections | None,
    data: Path | None,
    overwrite: bool,
) -> None:
    """Check corrections against the data of the run, and keep them with it."""
    plain = replace(manifest, corrections=UNSET)
    original = dataset_of(plain, benchmark, folder, data)
    if corrections is not None:
        load_data(benchmark, Path(original.file), original.language, corrections)
    store = RunStore(folder).open(manifest)
    try:
        if corrections is None:
            store.record(corrections=UNSET)
        else:
            copy_in(Path(corrections.file), folder / CORRECTIONS, overwrite)
            record = record_of(corrections, original.language)
            store.record(corrections=msgspec.to_builtins(record))
    finally:
        store.close(complete=True)  # replies of conversations under way were given to requests that may be others now
