"""Writing the files of an export that is a folder; and lines of JSON that every reader takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from toolgauge.errors import UsageError
from toolgauge.files import below, folder_below, make_folders, replacing, require_own_folder


def require_export_folder(folder: Path, to: str, overwrite: bool) -> None:
    """Raise UsageError where an export that is a folder cannot go: a file, or a folder with files in it, unless those
    of the same names are to be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder} is a file; {to} needs a folder")
    require_own_folder(folder, made_before=False, overwrite=overwrite)


@contextmanager
def file_below(folder: Path, name: str) -> Iterator[tuple[Path, BinaryIO]]:
    """A file of a name with "/" below a folder, which is made: its path, and where to write it.

    Raises StoreError, OSError.
    """
    make_folders(folder)
    path, around = below(folder, name), name.rpartition("/")[0]
    if around:
        folder_below(folder, around)
    with replacing(path) as file:
        yield path, file


def strict_line(value: object) -> bytes:
    """A Struct as a line of JSON in strict UTF-8: half of a pair of surrogates, which a model may write, is a "?"."""
    try:
        return msgspec.json.encode(value) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
