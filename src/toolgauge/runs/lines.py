"""Lines of JSON on disk: appended whole or not at all, read back without a torn end, whatever a model wrote."""

from __future__ import annotations

import fcntl
import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from toolgauge.errors import StoreError, os_cause
from toolgauge.files import is_at, lines_within, open_own, open_regular, sync

T = TypeVar("T")
SYNC_SECONDS = 5.0
"""Lines are pushed to the disk at least this often, counted when something is written."""
_BLOCK = 1 << 20
_BUFFER = 1 << 18  # lines are long: finding their ends takes twice as long with a small one


class AppendFile:
    """A file of lines that only grows, held by one process. `torn`: bytes of an unfinished last line that were cut off.

    Opening raises StoreError where another process has it open, OSError where it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._place = path, path.absolute()  # whoever imports us may change the working folder
        self._descriptor = open_own(path, os.O_RDWR)
        try:
            with suppress(OSError):  # a file system without locks: the run directory says so once
                try:
                    fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise busy(path.parent) from None
            length = os.fstat(self._descriptor).st_size
            self._length = _whole_length(self._descriptor, length)
            self.torn = length - self._length
            if self.torn:
                os.ftruncate(self._descriptor, self._length)
        except BaseException:
            os.close(self._descriptor)
            raise
        self._synced = time.monotonic()
        self._last = 0  # bytes of the line appended last

    def check(self) -> None:
        """Raise StoreError where the file was removed or replaced, or its folder moved: what is written is lost."""
        if not is_at(self._descriptor, self._place):
            raise StoreError(f"{self.path}: removed, moved or replaced while in use; stopping")

    def append(self, line: bytes, durable: bool = False) -> None:
        """Write a line and its end; after an error the file is as it was, and a StoreError says why.

        durable: it is on the disk when this returns.
        """
        self.check()
        data, written = line + b"\n", 0
        try:
            while written < len(data):
                written += os.pwrite(self._descriptor, data[written:], self._length + written)
            if durable or time.monotonic() - self._synced > SYNC_SECONDS:
                self.sync()
            self._length += len(data)
            self._last = len(data)
        except BaseException as error:  # also Ctrl-C: a half line must not stay under the next one
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._length)
            if isinstance(error, OSError):
                raise self._unwritable(error) from error
            raise

    def take_back(self) -> None:
        """Cut off the line that was just appended. Raises StoreError."""
        self._cut(self._length - self._last)

    def clear(self) -> None:
        """Cut off every line. Raises StoreError."""
        self._cut(0)

    def _cut(self, length: int) -> None:
        try:
            os.ftruncate(self._descriptor, length)
        except OSError as error:
            raise self._unwritable(error) from error
        self._length, self._last = length, 0

    def sync(self) -> None:
        """Push all lines to the disk; StoreError where the disk may have lost some."""
        try:
            sync(self._descriptor)
        except OSError as error:
            raise StoreError(
                f"{self.path}: {os_cause(error)}; the last lines may be lost. Check the disk, then run the same "
                "command again."
            ) from error
        self._synced = time.monotonic()

    def close(self) -> None:
        """Push all lines to the disk and let the file go, also where `sync` raises."""
        try:
            self.sync()
        finally:
            with suppress(OSError):
                os.close(self._descriptor)

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(
            f"Cannot write {self.path}: {os_cause(error)}. Everything written before is safe: free some space or fix "
            "the folder, then run the same command again."
        )


def busy(folder: Path) -> StoreError:
    """What is raised where two processes want to write in one run directory."""
    return StoreError(f"{folder}: another process is using this folder; wait for it or choose another --out")


def _whole_length(descriptor: int, length: int) -> int:
    """Bytes up to and including the last line break."""
    end = length
    while end > 0:
        start = max(0, end - _BLOCK)
        position = os.pread(descriptor, end - start, start).rfind(b"\n")
        if position >= 0:
            return start + position + 1
        end = start
    return 0


def read_whole_lines(path: Path, size: int | None = None) -> Iterator[tuple[int, bytes]]:
    """The finished lines of a file with their numbers (from 1), without their ends; nothing where there is no file.

    size: only those within the first so many bytes. Raises StoreError where the file cannot be read.
    """
    place = 0
    try:
        with open_regular(path, follow=False, buffering=_BUFFER) as file:
            for number, line in enumerate(lines_within(file), 1):
                place += len(line)
                if size is not None and place > size:
                    return
                if line.endswith(b"\n") and not line.isspace():
                    yield number, line[:-1]
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path}: {os_cause(error)}") from error


class _Versioned(Struct):
    version: int = 1


def refuse_newer(path: Path, line: bytes, newest: int) -> None:
    """Raise StoreError where a line says that it is of a version that this toolgauge does not know."""
    try:
        version = decode(line, _Versioned).version
    except ValueError:
        return
    if version > newest:
        raise newer(path)


def newer(path: Path) -> StoreError:
    """The error for a file of a later version: nothing is asked, and nothing of the file is changed."""
    return StoreError(f"{path}: written by a newer version of toolgauge; upgrade toolgauge")


def encode(value: object) -> bytes:
    """A struct as one line of JSON.

    Lone surrogates and integers of any size, which strict JSON writers refuse, are written as Python's json does; NaN
    and infinities become null.
    """
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError, ValueError, TypeError, RecursionError):
        return json.dumps(_plain(msgspec.to_builtins(value, builtin_types=(bytes,)), 0)).encode()


def _plain(value: object, depth: int) -> object:
    """The value within JSON and a depth that every reader takes; what lies deeper becomes null."""
    if isinstance(value, dict):
        return {str(key): _plain(part, depth + 1) for key, part in value.items()} if depth < 200 else None
    if isinstance(value, list | tuple):
        return [_plain(part, depth + 1) for part in value] if depth < 200 else None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def decode(line: bytes, kind: type[T]) -> T:
    """A line of JSON as a struct of that kind; raises ValueError."""
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.ValidationError:
        raise
    except (ValueError, RecursionError) as strict:
        try:
            return msgspec.convert(json.loads(line), kind)
        except (ValueError, RecursionError):
            raise ValueError(str(strict)) from None
