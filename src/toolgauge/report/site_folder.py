"""The folder of a site: its files are written one by one, then those of the former site that are not part of it go.

A kill in between leaves a site that the next `report` completes. Only files that site.json names are ever deleted.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from toolgauge.errors import StoreError, ToolgaugeError, os_cause
from toolgauge.files import (
    clear_leftovers,
    make_folders,
    only_one,
    read_marker,
    remove_below,
    require_own_folder,
    write_below,
    write_whole,
)
from toolgauge.runs.lines import encode
from toolgauge.version import __version__

MARK = "site.json"
FORMAT: Literal[3] = 3
"""Of site.json: 2 had checksums."""
_PATTERN = r"^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/){0,4}[A-Za-z0-9_-][A-Za-z0-9._-]*\.(?:html|js|css|svg|csv|json|bib)\Z"
_Name = Annotated[str, Meta(pattern=_PATTERN)]
"""A file of a site: below it, never hidden, of a kind that we make."""


class Mark(Struct, frozen=True):
    """The content of site.json. files: their paths below the site; runs: which ones it shows, for other programs."""

    toolgauge: str
    site: Literal[3]
    files: list[_Name]
    runs: list[dict[str, Any]] = []


class SiteFolder:
    """Writes the files of a site. names: of those written so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: set[str] = set()

    def write(self, name: str, content: bytes) -> None:
        """Write a file of a name with "/". Raises StoreError, OSError."""
        write_below(self.folder, name, content)
        self.names.add(name)


@contextmanager
def site_folder(out: Path, runs: list[dict[str, str]], overwrite: bool = False) -> Iterator[SiteFolder]:
    """A folder to be filled with a site's files: new, empty, or with an earlier site; others only with `overwrite`.

    runs: for site.json. Files of the earlier site that are not written in the block are deleted when it ends without an
    error; all others stay. Raises UsageError where `out` holds something else, StoreError where it cannot be written.
    """
    former = read_marker(out / MARK, Mark)
    require_own_folder(out, former is not None, overwrite)
    try:
        make_folders(out)
        with only_one(out):
            if former is None:
                _write_mark(out, (), runs)  # from now on the folder is known as a site, also after a kill
            site = SiteFolder(out)
            yield site
            for name in former.files if former else ():
                if name not in site.names:
                    remove_below(out, name)
            for folder in {(out / name).parent for name in site.names}:
                clear_leftovers(folder)
            _write_mark(out, sorted(site.names), runs)
    except OSError as error:
        raise StoreError(f"Cannot write {out}: {os_cause(error)}. Free some space or choose another --out.") from error


def _write_mark(out: Path, names: Sequence[str], runs: list[dict[str, str]]) -> None:
    write_whole(out / MARK, msgspec.json.encode(Mark(__version__, FORMAT, list(names), runs)))


_KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*")
FOLDER = "data"
_EFFORT = 1
"""Of zlib, 1 to 9: 5 takes three times as long for files that are a tenth smaller."""


def write_chunk(folder: SiteFolder, key: str, content: object) -> None:
    """Write the data file of a key, a classic script: a page opened from a file may neither fetch nor import.

    The file is one call, `toolgauge.receive("<key>", "<data>")`: JSON, deflated (zlib, RFC 1950) and written in base64.
    The key is the file's path below data/ without its ending, of slugs and numbers only. content: whatever msgspec
    takes, msgspec.Raw for parts at hand.
    """
    if not _KEY.fullmatch(key):
        raise ToolgaugeError(f"{key!r} is no key of a data file: slugs and numbers only")
    data = base64.b64encode(zlib.compress(encode(content), _EFFORT))
    folder.write(f"{FOLDER}/{key}.js", b'toolgauge.receive("%s", "%s");\n' % (key.encode(), data))
