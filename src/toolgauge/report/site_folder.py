"""The folder of a site: what was made is noted with checksums, nothing else is ever replaced, and nothing half.

A site is built beside its place, in a folder with a random name, and takes the place of the earlier one in a single
step where the system has one (Linux: renameat2, RENAME_EXCHANGE). Elsewhere it takes two; should the second fail, the
earlier site comes back at once, and where the process was killed between them, at the beginning of the next one.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from toolgauge.errors import StoreError, UsageError
from toolgauge.files import claim, in_use, make_folders, only_one, open_regular, read_own, write_whole
from toolgauge.locale import _
from toolgauge.locale.foreign import os_cause

MARK = "site.json"
FORMAT: Literal[2] = 2
"""Of site.json: 1 had no checksums."""
NAMED = 5
"""Files that an error names at most."""
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2

_PATTERN = r"^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/){0,4}[A-Za-z0-9_-][A-Za-z0-9._-]*\.(?:html|js|css|svg|csv|json|bib)\Z"
_Name = Annotated[str, Meta(pattern=_PATTERN)]
"""A file of a site: below it, never hidden, of a kind that we make."""
_Sum = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Mark(Struct, frozen=True):
    """The content of site.json. files: path below the site -> sha256; runs: which ones it shows, for other programs."""

    toolgauge: str
    site: Literal[2]
    files: dict[_Name, _Sum]
    runs: list[dict[str, Any]] = []


@contextmanager
def site_folder(out: Path, version: str, runs: list[dict[str, str]]) -> Iterator[Path]:
    """An empty folder to be filled with a site's files; it takes the place of `out` when the block ends without error.

    version, runs: for site.json. Raises UsageError where `out` holds anything but a site as it was made, before and
    after the block; StoreError where something cannot be written. An earlier site stays as it was then.
    """
    place = Path(os.path.realpath(out))  # a link that the user named stays, and its folder is replaced
    try:
        make_folders(place.parent)
        scratch = place.parent / f"{_prefix(place)}{secrets.token_hex(8)}.site"
        with only_one(place.parent):
            _clear_leftovers(place)
            _check(place, out)
            scratch.mkdir(mode=0o700)
            holding = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            claim(holding)
        try:
            made = scratch / "site"
            made.mkdir()
            yield made
            write_whole(made / MARK, msgspec.json.encode(Mark(version, FORMAT, _sums(made), runs)))
            with only_one(place.parent):
                _check(place, out)
                _take_place(made, place, scratch / "earlier")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            os.close(holding)
    except OSError as error:
        raise StoreError(
            _(
                "{out}: cannot be written ({why}); free space or choose another {out_field}",
                out=out,
                why=os_cause(error),
            )
        ) from error


def _prefix(place: Path) -> str:
    return f".toolgauge-{hashlib.sha256(os.fsencode(place.name)).hexdigest()[:16]}-"


def _clear_leftovers(place: Path) -> None:
    """Take away what killed processes left beside a site; a site that one of them had moved away comes back."""
    pattern = re.compile(re.escape(_prefix(place)) + r"[0-9a-f]{16}\.site")
    for entry in os.scandir(place.parent):
        if not pattern.fullmatch(entry.name) or not entry.is_dir(follow_symlinks=False) or in_use(Path(entry)):
            continue
        earlier = Path(entry) / "earlier"
        if not os.path.lexists(place) and earlier.is_dir() and not earlier.is_symlink():
            earlier.rename(place)
        shutil.rmtree(entry, ignore_errors=True)


def _check(place: Path, out: Path) -> None:
    """Raise UsageError unless the path is free, or holds a site exactly as we made it. out: what the user calls it."""
    if not os.path.lexists(place):
        return
    if not place.is_dir() or place.is_symlink():
        raise UsageError(_("{out}: is there already and is no site of toolgauge; choose another {out_field}", out=out))
    if not any(place.iterdir()):
        return
    mark = _read_mark(place, out)
    kept, foreign = _files(place, out)
    foreign += [name for name in kept if name not in mark.files and name != MARK]
    if foreign:
        raise UsageError(
            _(
                "{out}: holds what does not belong to the site there ({some}); move it away or choose "
                "another {out_field}",
                out=out,
                some=_some(foreign),
            )
        )
    edited = [name for name in kept if name != MARK and _sha256(place / name) != mark.files[name]]
    if edited:
        raise UsageError(
            _(
                "{out}: was changed since the site was made ({some}); move that away or choose another {out_field}",
                out=out,
                some=_some(edited),
            )
        )


def _read_mark(place: Path, out: Path) -> Mark:
    """The content of a site's site.json; UsageError where there is none of this version's."""
    try:
        content = read_own(place / MARK)
        return msgspec.json.decode(content, type=Mark)
    except (OSError, ValueError):
        pass
    with suppress(OSError, ValueError):
        earlier = msgspec.json.decode(read_own(place / MARK), type=dict[str, Any])
        if earlier.keys() == {"toolgauge", "runs"}:
            raise UsageError(
                _(
                    "{out}: holds the site of an older toolgauge, which did not note what belongs to it; remove "
                    "that folder, or choose another {out_field}",
                    out=out,
                )
            )
    raise UsageError(_("{out}: is there already and is no site of toolgauge; choose another {out_field}", out=out))


def _files(place: Path, out: Path) -> tuple[list[str], list[str]]:
    """The regular files below a folder by their names with "/", and what else is there: links, empty folders."""
    found: list[str] = []
    other: list[str] = []

    def unreadable(error: OSError) -> None:
        raise StoreError(
            _("{out}: cannot be read ({why}); choose another {out_field}", out=out, why=os_cause(error))
        ) from error

    for folder, folders, files in os.walk(place, onerror=unreadable):
        for name in (*folders, *files):
            path = Path(folder, name)
            kind, told = path.lstat().st_mode, path.relative_to(place).as_posix()
            if stat.S_ISREG(kind):
                found.append(told)
            elif not stat.S_ISDIR(kind) or not any(path.iterdir()):
                other.append(told)
    return sorted(found), sorted(other)


def _sums(folder: Path) -> dict[str, str]:
    return {name: _sha256(folder / name) for name in _files(folder, folder)[0]}


def _sha256(path: Path) -> str:
    with open_regular(path, follow=False) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _some(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")


def _take_place(made: Path, place: Path, aside: Path) -> None:
    """Put a folder where another one, or nothing, is; the other one is inside the folder of `made` then."""
    if not os.path.lexists(place):
        made.rename(place)
        return
    made.chmod(stat.S_IMODE(place.stat().st_mode))
    if exchange(made, place):
        return
    place.rename(aside)
    try:
        made.rename(place)
    except BaseException:
        aside.rename(place)
        raise


def exchange(one: Path, other: Path) -> bool:
    """Swap two folders in a single step; False where the system or the file system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    names = os.fsencode(one), os.fsencode(other)
    return bool(rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], ctypes.c_uint(_RENAME_EXCHANGE)) == 0)
