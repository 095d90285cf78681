"""How files are opened and written, everywhere: nothing is written through a link, nothing special is opened.

A run directory, a data file or a site may come from a stranger. So a new file gets a random name that did not exist
before (O_EXCL), in the folder where it belongs, and takes the place of the old one at the end (rename); a file that
grows, or is locked, is opened without following links (O_NOFOLLOW); and pipes, sockets and devices are told by their
status before they are opened. A link where a file of ours should be is an error.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO, TextIO

from toolgauge.errors import StoreError
from toolgauge.limits import MAX_FILE_BYTES, MAX_LINE_BYTES

_SCRATCH = re.compile(r"\.toolgauge-[0-9a-f]{16}\.new")
_KINDS = {
    stat.S_IFIFO: "is a pipe (like /dev/stdin and <(...)), not a file; write it to a file first",
    stat.S_IFSOCK: "is a socket, not a file",
    stat.S_IFCHR: "is a device, not a file",
    stat.S_IFBLK: "is a device, not a file",
}
_LINK = "is a symbolic link"


def open_regular(path: Path | str, follow: bool = True, buffering: int = io.DEFAULT_BUFFER_SIZE) -> io.BufferedReader:
    """A file for reading, in bytes. follow: a link to a file will do (a user's own file; never one of a run directory).

    Raises OSError, with words for `strerror`, where the path is no regular file; it is not opened then.
    """
    _check_regular(Path(path).stat(follow_symlinks=follow), path)
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    try:
        _check_regular(os.fstat(descriptor), path)  # what stands there may have changed in between
        return io.BufferedReader(io.FileIO(descriptor), buffering)
    except BaseException:
        os.close(descriptor)
        raise


def read_whole(path: Path | str, limit: int = MAX_FILE_BYTES, follow: bool = True) -> bytes:
    """A file's content, of at most `limit` bytes. Raises OSError as `open_regular` does, also for a larger file.

    A larger file is told by its size and not read.
    """
    with open_regular(path, follow) as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(limit + 1) if size <= limit else b""
    if max(size, len(content)) > limit:
        raise OSError(errno.EFBIG, f"is larger than the {limit >> 20} MB that are read", str(path))
    return content


def lines_within(file: BinaryIO, limit: int = MAX_LINE_BYTES) -> Iterator[bytes]:
    """The lines of a file with their ends. Raises OSError where one is longer than `limit` bytes; it is not read on."""
    for number in count(1):
        line = file.readline(limit + 1)
        if len(line) > limit:
            raise OSError(errno.EFBIG, f"line {number} is longer than the {limit >> 20} MB of a line that are read")
        if not line:
            return
        yield line


def open_own(path: Path, flags: int) -> int:
    """The descriptor of a file of ours that is changed in place (appended to, locked); made where there is none.

    flags: of os.open, beside those that every such file has. Raises OSError as `open_regular` does, also for links.
    """
    with suppress(FileNotFoundError):
        _check_regular(path.lstat(), path)
    descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
    try:
        _check_regular(os.fstat(descriptor), path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def own_folder(path: Path) -> None:
    """Make a folder inside a folder of ours unless it is there; raises OSError where a link stands in its place."""
    with suppress(FileExistsError):
        path.mkdir()
    if path.is_symlink():
        raise OSError(errno.ELOOP, _LINK, str(path))


@contextmanager
def replacing(path: Path | str, durable: bool = False) -> Iterator[BinaryIO]:
    """A file to write, in bytes, that takes the place of `path` when the block ends without an error.

    A reader sees the old or the new content, never half of it. durable: also after a power cut (which takes a disk
    some time). Raises StoreError where it cannot be written, or where `path` is a link; nothing is left behind then.
    """
    target = Path(path)
    scratch = target.with_name(f".toolgauge-{secrets.token_hex(8)}.new")
    try:
        if target.is_symlink():
            raise OSError(errno.ELOOP, _LINK, str(target))
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(scratch, flags, 0o666), "w+b") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        scratch.replace(target)
        if durable:
            sync_folder(target.parent)
    except OSError as error:
        raise StoreError(
            f"{target}: cannot be written ({error.strerror or error}); mend that or choose another --out"
        ) from error
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)


@contextmanager
def replacing_text(path: Path | str, encoding: str = "utf-8", errors: str = "strict") -> Iterator[TextIO]:
    """`replacing` for text; line breaks are written as they are."""
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding=encoding, errors=errors, newline="", write_through=False)
        try:
            yield text
            text.flush()
        finally:
            text.detach()


def write_whole(path: Path | str, content: bytes, durable: bool = False) -> None:
    """Write a file in one go; `durable` and errors as in `replacing`."""
    with replacing(path, durable) as file:
        file.write(content)


def clear_leftovers(folder: Path) -> None:
    """Take away what killed processes left half-written in a folder that this process alone writes. Never raises."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if _SCRATCH.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                Path(entry).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Push a folder's list of files to the disk. Raises OSError, but not where the file system cannot do it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def _check_regular(status: os.stat_result, path: Path | str) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFDIR:
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if kind == stat.S_IFLNK:
        raise OSError(errno.ELOOP, _LINK, str(path))
    if kind != stat.S_IFREG:
        raise OSError(errno.EINVAL, _KINDS.get(kind, "is not a regular file"), str(path))
