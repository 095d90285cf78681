"""What we wrote into a folder, so that nothing that a person changed is overwritten without being asked.

`.toolgauge.json` beside the files holds the sha256 of each as we left it. A file may be replaced if it is still that
one; any other is somebody's, and only `overwrite` replaces it. Folders of older versions, which have a run.json and no
such record, are taken as ours once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.errors import StoreError, Tell, ToolgaugeError, UsageError
from toolgauge.files import copy_in as copied
from toolgauge.files import digest, only_one, read_own, require_apart, same_file, write_whole
from toolgauge.locale import _, named_field
from toolgauge.locale.foreign import os_cause

__all__ = ["alone", "copy_in", "require_apart"]

RECORD = ".toolgauge.json"
_RUN = "run.json"


class Record(Struct, omit_defaults=True):
    """files: sha256 by name. writing: files that were being written when this was noted; what a killed process left of
    them is ours."""

    version: int = 1
    files: dict[str, str] = {}
    writing: list[str] = []


@contextmanager
def replacing_ours(folder: Path, names: Iterable[str], overwrite: bool = False) -> Iterator[None]:
    """Inside the block these files of a folder are written; afterwards their digests are recorded.

    Raises UsageError, before the block, where one of them is not as we left it and not to be overwritten.
    """
    names = list(names)
    if not folder.is_dir():
        yield  # the block has the better words for what is wrong with the folder
        return
    require_ours(folder, names, overwrite)
    before = {name: digest(folder / name) for name in names}
    record = _read(folder)
    record.writing = sorted({*record.writing, *names})
    _write(folder, record)
    try:
        yield
    except BaseException:
        with suppress(ToolgaugeError):  # the block's own error says more
            _settle(folder, [name for name in names if digest(folder / name) != before[name]], names)
        raise
    _settle(folder, names, names)


def _settle(folder: Path, written: Iterable[str], announced: Iterable[str]) -> None:
    """Record the digests of the files that were written, and that none is being written any more."""
    record = _read(folder)
    record.writing = [name for name in record.writing if name not in announced]
    for name in written:
        now = digest(folder / name)
        if now is None:
            record.files.pop(name, None)
        else:
            record.files[name] = now
    _write(folder, record)


@contextmanager
def replacing_one(path: Path, overwrite: bool = False) -> Iterator[None]:
    """`replacing_ours` for a single file."""
    with replacing_ours(path.parent, [path.name], overwrite):
        yield


def copy_in(source: Path, place: Path, overwrite: bool = False) -> None:
    """Copy a file of the user's to a place of ours, unless it is that file. Raises UsageError as `replacing_one`."""
    if not same_file(place, source):
        with replacing_one(place, overwrite):
            copied(source, place)


def require_ours(folder: Path, names: Iterable[str], overwrite: bool = False) -> None:
    """Raise UsageError for the first of these files that is not as we left it, unless it is to be overwritten."""
    if not overwrite and (name := _foreign(folder, names)) is not None:
        raise _changed(folder / name)


def _changed(file: Path) -> UsageError:
    return UsageError(
        _(
            "{file}: was changed, or not written by toolgauge; keep it elsewhere, choose another place, "
            "or replace it with {overwrite}",
            file=file,
            overwrite=named_field("overwrite"),
        )
    )


def _foreign(folder: Path, names: Iterable[str]) -> str | None:
    """The first of these files that is not as we left it."""
    record = _read(folder)
    for name in names:
        found = digest(folder / name)
        if found is not None and found != record.files.get(name) and name not in record.writing:
            return name
    return None


def begin_record(folder: Path) -> None:
    """Note that a folder is new and holds nothing of ours yet."""
    if not (folder / RECORD).exists():
        _write(folder, Record())


def drop_record(folder: Path) -> None:
    """Take the record away if it holds nothing. Raises OSError."""
    if not _read(folder).files:
        (folder / RECORD).unlink(missing_ok=True)


@contextmanager
def alone(folder: Path, tell: Tell) -> Iterator[None]:
    """Lock a folder against other processes for the block; `tell` gets a line if that means waiting.

    Where the file system has no locks, nobody waits.
    """
    if not folder.is_dir():
        yield  # the block has the better words for what is wrong with the folder
        return
    with only_one(
        folder, lambda: tell(_("{folder}: another process is scoring it; waiting for its end", folder=folder))
    ):
        yield


def _read(folder: Path) -> Record:
    """The record of a folder; a run directory without one is ours as it is. StoreError where it cannot be read."""
    path = folder / RECORD
    try:
        return msgspec.json.decode(read_own(path), type=Record)
    except FileNotFoundError:
        return Record(files=_all_of(folder)) if (folder / _RUN).exists() else Record()
    except NotADirectoryError:
        return Record()
    except OSError as error:
        raise _unusable(path, error) from error
    except ValueError:
        return Record()  # knows of nothing, so every file is asked for


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        _(
            "{path}: {why}; mend that or choose another folder with {out}",
            path=path,
            why=os_cause(error),
            out=named_field("out"),
        )
    )


def _all_of(folder: Path) -> dict[str, str]:
    with suppress(OSError), os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False) and entry.name[0] != "."]
        return {name: found for name in names if (found := digest(folder / name)) is not None}
    return {}


def _write(folder: Path, record: Record) -> None:
    ordered = Record(record.version, dict(sorted(record.files.items())), record.writing)
    write_whole(folder / RECORD, msgspec.json.format(msgspec.json.encode(ordered), indent=1) + b"\n")
