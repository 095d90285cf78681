"""How files are opened and written, everywhere: nothing is written through a link, nothing special is opened.

A run directory, a data file or a site may come from a stranger. So a new file gets a random name that did not exist
before (O_EXCL), in the folder where it belongs, and takes the place of the old one at the end (rename); a file that
grows, or is locked, is opened without following links (O_NOFOLLOW); and pipes, sockets and devices are told by their
status before they are opened. A link where a file of ours should be is an error.

What may be replaced: a file that the user names only with --overwrite (`require_new`); a folder is filled if it is new,
empty or was made by the same verb (`require_own_folder`), and what is derived in it is made again. Never a file that
the command reads (`require_apart`).
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from toolgauge.errors import StoreError, UsageError, os_cause
from toolgauge.limits import MAX_FILE_BYTES, MAX_LINE_BYTES

T = TypeVar("T")
_PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
"""What may be a part of a path below a folder of ours: no separator, no `..`, nothing hidden."""
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)
"""What file systems say that have nothing to push to a disk."""
_KINDS = {
    stat.S_IFIFO: "is a pipe (like /dev/stdin and <(...)), not a file; write it to a file first",
    stat.S_IFCHR: "is a device, not a file",
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
        content = file.read(size + 1) if size <= limit else b""  # a reader takes the memory for what it is asked for
        if len(content) > size:  # it grows, or tells no size
            content += file.read(limit + 1 - len(content))
    if max(size, len(content)) > limit:
        raise OSError(errno.EFBIG, f"is larger than the limit of {limit >> 20} MB", str(path))
    return content


def lines_within(file: BinaryIO, limit: int = MAX_LINE_BYTES) -> Iterator[bytes]:
    """The lines of a file with their ends. Raises OSError where one is longer than `limit` bytes; it is not read on."""
    for number in count(1):
        line = file.readline(limit + 1)
        if len(line) > limit:
            raise OSError(errno.EFBIG, f"line {number} is longer than the limit of {limit >> 20} MB")
        if not line:
            return
        yield line


def open_own(path: Path, flags: int) -> int:
    """Open a file of ours that is changed in place (appended to, locked), created if missing; returns its descriptor.

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


def read_own(path: Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """The content of a file of ours; raises OSError as `read_whole` does, also for links."""
    return read_whole(path, limit, follow=False)


def own_folder(path: Path) -> None:
    """Create a folder inside a folder of ours unless it exists. Raises OSError if something else has its name, a link
    too."""
    with suppress(FileExistsError):
        path.mkdir()
    kind = path.lstat().st_mode
    if stat.S_ISLNK(kind):
        raise OSError(errno.ELOOP, _LINK, str(path))
    if not stat.S_ISDIR(kind):
        raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def require_no_link(path: Path) -> None:
    """Raise StoreError where what is to be made inside a folder that the user named is a link: that folder may be a
    stranger's, and the link would lead out of it."""
    if path.is_symlink():
        raise _unwritable(path, OSError(errno.ELOOP, _LINK))


def make_folders(folder: Path) -> None:
    """Create a folder that the user named, and its parents; synced to the disk. Raises OSError."""
    missing = []
    for place in (folder, *folder.parents):
        if place.exists():
            break
        missing.append(place)
    folder.mkdir(parents=True, exist_ok=True)
    for place in missing:
        sync_folder(place.parent)


def below(folder: Path, name: str) -> Path:
    """The path of a name with "/" below a folder, which it cannot leave: the last check, after those of the readers.

    Raises StoreError for a name with anything but letters, digits and ._- in it, and where a part begins with a dot.
    """
    parts = name.split("/")
    if not all(_PART.fullmatch(part) for part in parts):
        raise StoreError(f"{folder}: invalid file name {name!r}")
    return folder.joinpath(*parts)


def folder_below(folder: Path, name: str) -> Path:
    """Make the folder of a name below a folder of ours, part by part, as `own_folder` and `below` do."""
    path, place = below(folder, name), folder
    for part in path.relative_to(folder).parts:
        place = place / part
        own_folder(place)
    return path


def write_below(folder: Path, name: str, content: bytes) -> None:
    """Write a file of a name with "/" below a folder of ours, and the folders around it. Raises StoreError, OSError."""
    path, around = below(folder, name), name.rpartition("/")[0]
    if around:
        folder_below(folder, around)
    write_whole(path, content)


def remove_below(folder: Path, name: str) -> None:
    """Delete a file of a name with "/" below a folder of ours, and the folders around it that are empty then.

    Nothing is deleted through a link. Raises StoreError as `below`, and OSError.
    """
    path = below(folder, name)
    around = [parent for parent in path.parents if parent.is_relative_to(folder) and parent != folder]
    if any(parent.is_symlink() for parent in around):
        return
    path.unlink(missing_ok=True)
    for parent in around:
        with suppress(OSError):
            parent.rmdir()


def check_targets(folder: Path, names: Iterable[str]) -> None:
    """Raise StoreError unless each of these files of ours can be written: it is a regular file, or missing.

    Call it before work whose result would be lost otherwise.
    """
    for name in names:
        path = folder / name
        try:
            _check_regular(path.lstat(), path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _unwritable(path, error) from error


def require_new(path: Path, overwrite: bool = False, inputs: Iterable[Path | str | None] = ()) -> None:
    """Raise UsageError where a file that the user named exists, unless it is to be overwritten.

    inputs: files and folders that the command reads, which are never overwritten. Raises StoreError as `check_targets`.
    """
    require_apart([path], inputs)
    check_targets(path.parent, [path.name])
    if not overwrite and path.exists():
        raise UsageError(f"{path} exists; use --overwrite to replace it, or choose another path")


def require_own_folder(folder: Path, made_before: bool, overwrite: bool = False) -> None:
    """Raise UsageError unless a folder that a verb fills is new, empty (hidden files do not count), or made before.

    made_before: the verb's own marker file is there. overwrite: files of the same names are replaced in any folder.
    """
    other = None if made_before or overwrite else min(folder.glob("[!.]*"), default=None)
    if other is not None:
        raise UsageError(f"{other} exists; choose a new folder, or use --overwrite to write among other files")


def read_marker(path: Path, kind: type[T]) -> T | None:
    """The content of a file of JSON by which a verb knows a folder as its own; None where it is missing, a link or
    anything else."""
    try:
        return msgspec.json.decode(read_own(path), type=kind)
    except (OSError, ValueError, RecursionError):
        return None


def require_apart(outputs: Iterable[Path], inputs: Iterable[Path | str | None]) -> None:
    """Raise UsageError if a file to be written is also read (or is a folder that is read), under whatever name.

    Not even `--overwrite` allows that.
    """
    read = [Path(given) for given in inputs if given is not None]
    for path in outputs:
        for given in read:
            if same_file(path, given):
                raise UsageError(f"{path}: would overwrite {given}, which this command reads; choose another path")


def same_file(one: Path, other: Path) -> bool:
    """Do two paths lead to one file (links of both kinds included), or would they?"""
    try:
        return one.samefile(other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)  # also of links that lead to themselves


def digest(path: Path) -> str | None:
    """The sha256 of a file, as hexadecimal digits; None where there is none. StoreError where it cannot be read."""
    try:
        with open_regular(path, follow=False) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(
            f"Cannot read {path}: {os_cause(error)}. Fix this or choose another folder with --out."
        ) from error


def is_at(descriptor: int, path: Path) -> bool:
    """Is the open file still the one at that path? False once it was removed or replaced, or its folder moved."""
    try:
        there = path.lstat()
    except OSError:
        return False
    ours = os.fstat(descriptor)
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


@contextmanager
def only_one(folder: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Lock a folder against other processes that call this; waits for the one that holds the lock.

    waiting: called before a wait. Not to be nested. Does nothing where the file system has no locks. Raises OSError if
    the folder is missing.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waiting()
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def replacing(path: Path | str, durable: bool = False, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write, in bytes, that takes the place of `path` when the block ends without an error.

    A reader sees the old or the new content, never half of it. durable: also after a power cut (which takes a disk
    some time). mode: its permissions, from its first byte on, within the process's umask. Raises StoreError where it
    cannot be written, or where `path` is a link; nothing is left behind then.
    """
    target = Path(path)
    scratch = target.with_name(f".toolgauge-{secrets.token_hex(8)}.new")
    try:
        with suppress(FileNotFoundError):
            _check_regular(target.lstat(), target)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(scratch, flags, mode), "w+b") as file:
            with suppress(OSError):  # locked as long as it is written, so that `clear_leftovers` keeps it
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file
            file.flush()
            if durable:
                sync(file.fileno())
            scratch.replace(target)
        if durable:
            sync_folder(target.parent)
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)


def write_whole(path: Path | str, content: bytes, durable: bool = False, mode: int = 0o666) -> None:
    """Write a file in one go; `durable`, `mode` and errors as in `replacing`."""
    with replacing(path, durable, mode) as file:
        file.write(content)


def clear_leftovers(folder: Path) -> None:
    """Delete half-written files that killed processes left in a folder of ours. Never raises."""
    for path in folder.glob(f".toolgauge-{'[0-9a-f]' * 16}.new"):
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
            try:
                _check_regular(os.fstat(descriptor), path)
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where a process still writes it
                path.unlink(missing_ok=True)
            finally:
                os.close(descriptor)


def sync(descriptor: int) -> None:
    """Push a file to the disk. Raises OSError: the disk may have lost what was written, and another try would not say.

    Nothing is raised where the file system cannot do it.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def sync_folder(folder: Path) -> None:
    """Push a folder's list of files to the disk. Raises OSError, but not where the file system cannot do it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(f"Cannot write {path}: {os_cause(error)}. Fix this or choose another path.")


def _check_regular(status: os.stat_result, path: Path | str) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFDIR:
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if kind == stat.S_IFLNK:
        raise OSError(errno.ELOOP, _LINK, str(path))
    if kind != stat.S_IFREG:
        raise OSError(errno.EINVAL, _KINDS.get(kind, "is not a regular file"), str(path))


def slug(text: str) -> str:
    """A model's name as a folder name: letters, digits and ._- only, never empty, never a path of its own."""
    safe = re.sub(r"[^\w.-]+", "_", text, flags=re.ASCII).strip("._")
    return safe[:120] or "model"
