"""Public data sets: repository, commit, path and git blob id of every file. The data stay outside this package."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct


class RemoteFile(Struct, frozen=True):
    """A file of a public repository; `blob` is its git object id, which says exactly what it contains.

    place: where it goes below the data set's folder in the cache; under its own name where it is empty.
    """

    path: str
    blob: str
    place: str = ""

    @property
    def safe_name(self) -> str:
        """A name for any file system (the prediction files have colons in theirs)."""
        return self.place or re.sub(r"[^A-Za-z0-9._-]", "_", self.path.rpartition("/")[2])


class DataSource(Struct, frozen=True):
    """A public data set, or a set of prediction files, at a fixed commit of a GitHub repository ("owner/name").

    folder: the part of its cache folder that commands take as the data set, where that is more than one file.
    finish: makes what is read out of the files, below the cache folder that it is given.
    """

    name: str
    about: str
    repository: str
    commit: str
    files: tuple[RemoteFile, ...]
    folder: str = ""
    finish: Callable[[Path], None] | None = None
