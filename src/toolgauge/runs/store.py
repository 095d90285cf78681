"""The run directory: what was asked for, what was said, and what failed. Everything survives a kill.

A line is appended whole or not at all; a torn last line after a power cut is cut off, reported and asked again.
Besides the files of the design there is `replies.jsonl` while a run is unfinished: the replies of conversations that
are still under way, so that nothing is asked twice.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import UNSET, Struct

from toolgauge.benchmarks.manifest import Asked
from toolgauge.chat import Reply, Usage
from toolgauge.episode import ASSISTANT, TRAJECTORY_VERSION, Trajectory
from toolgauge.errors import StoreError, UsageError, os_cause
from toolgauge.files import (
    check_targets,
    clear_leftovers,
    is_at,
    lines_within,
    make_folders,
    open_own,
    open_regular,
    read_own,
    read_whole,
    sync_folder,
    write_whole,
)
from toolgauge.reasons import Blame
from toolgauge.runs.lines import (
    AppendFile,
    busy,
    decode,
    encode,
    newer,
    read_whole_lines,
    refuse_newer,
)
from toolgauge.runs.manifest import (
    MANIFEST,
    RECORDED,
    as_written,
    continued,
    holds_something,
    is_free,
    read_content,
)

LINE_VERSION = 1
"""Of the lines of replies.jsonl, failures.jsonl and batches.jsonl; they name it from 2 on."""
TRAJECTORIES, FAILURES, REPLIES = "trajectories.jsonl", "failures.jsonl", "replies.jsonl"
LOCK = ".lock"
TRIES = 100
"""To lock a lock file that others take away at the same moment."""
RUN_FILES = (MANIFEST, TRAJECTORIES, FAILURES, REPLIES)
"""What every run directory may hold, besides what is made of it."""

StillCounts = Callable[[Trajectory], bool]
"""Does a recorded conversation still count, now that the data are corrected?"""
Inputs = Mapping[str, Path | bytes]
"""What a run is made with and keeps in its folder: name there -> the user's file, or the content."""
RoleMap = Callable[[str, str], str]
"""Which model speaks in a role of a sample: (the sample's key, role) -> name of one of the run's models."""


def by_role(_key: str, role: str) -> str:
    """The usual: one model for each role, called like it."""
    return role


class Failure(Struct, frozen=True, omit_defaults=True):
    """A sample that failed: who is to blame (provider, context, or harness: a budget, an interrupt) and why."""

    key: str
    session_id: str
    blame: Blame
    reason: str
    version: int = LINE_VERSION


class JournalLine(Struct, frozen=True, omit_defaults=True):
    """One reply of a conversation under way."""

    key: str
    step: int
    reply: Reply
    role: str = ASSISTANT
    version: int = LINE_VERSION


class Finished(Struct, frozen=True):
    """What resuming needs of a trajectory line."""

    class Spoken(Struct, frozen=True):
        class Counted(Struct, frozen=True):
            usage: Usage = Usage()

        reply: Counted
        role: str = ASSISTANT

    task_id: str
    steps: tuple[Spoken, ...] = ()
    version: int = TRAJECTORY_VERSION
    corrections: str = ""


class _Line(Protocol):
    @property
    def version(self) -> int: ...


T = TypeVar("T", bound=_Line)


class RunStore:
    """An open run directory; only one process may have it open."""

    def __init__(
        self,
        folder: Path,
        role_map: RoleMap = by_role,
        standing: StillCounts | None = None,
        inputs: Inputs | None = None,
    ) -> None:
        """standing, inputs: see `RunSpec`."""
        self.folder, self._role_map, self._standing, self._inputs = folder, role_map, standing, inputs or {}
        self.notes: list[str] = []
        """What was repaired or has changed, a line each."""
        self.finished: set[str] = set()
        self.spent: dict[str, Usage] = {}
        """Tokens of all lines that were there on opening, by name of the model."""
        self.begun: dict[str, list[Reply]] = {}
        """Replies already given in conversations that are not finished."""
        self._files: dict[str, AppendFile] = {}
        self._lock_file: int | None = None

    def open(self, manifest: Asked, results: Iterable[str] = ()) -> RunStore:
        """Create the run directory or continue the run in it.

        results: names of the files that will be made of the run in its folder; that they can be written is checked now.
        Raises UsageError where the folder holds the replies of another run, StoreError where it cannot be used; it is
        left as it was then.
        """
        if self.folder.exists() and not self.folder.is_dir():
            raise StoreError(f"{self.folder} is a file; choose another folder with --out")
        try:
            make_folders(self.folder)
            self._lock()
            check_targets(self.folder, (MANIFEST, TRAJECTORIES, REPLIES, FAILURES, *self._inputs, *results))
            self._settle_manifest(manifest)
            self._read_back()  # before anything is opened for writing: a file of a newer version stays as it is
            for name in (TRAJECTORIES, REPLIES, FAILURES):
                file = self._files[name] = AppendFile(self.folder / name)
                if file.torn:
                    self.notes.append(f"{name}: removed an incomplete last line ({file.torn} bytes)")
            clear_leftovers(self.folder)
            sync_folder(self.folder)
        except OSError as error:
            self._abandon()
            what = f"{error.filename or self.folder}: {error.strerror or error}"
            raise StoreError(f"{what}; fix this or choose another folder with --out") from error
        except BaseException:
            self._abandon()
            raise
        return self

    def _lock(self) -> None:
        """Hold the lock file that stands in the folder: one taken away since it was opened keeps nobody out."""
        path = self.folder / LOCK
        for _try in range(TRIES):
            self._lock_file = open_own(path, os.O_RDWR)
            try:
                fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                break
            except OSError as error:
                self.notes.append(
                    f"{self.folder}: cannot be locked ({os_cause(error)}); make sure that only one process uses it"
                )
                return
            if is_at(self._lock_file, path):
                return
            os.close(self._lock_file)
            self._lock_file = None
        raise busy(self.folder)

    def _settle_manifest(self, manifest: Asked) -> None:
        """Write run.json of a run that begins here; of one that is continued, what has changed.

        A folder in which no reply is recorded is free: what failed there may have been a wrong address.
        """
        path = self.folder / MANIFEST
        if not path.exists():
            for name in (*RECORDED, FAILURES):
                if holds_something(self.folder / name):
                    raise UsageError(f"{self.folder} holds {name} without {MANIFEST}; choose another --out")
        elif "trajectory_version" not in read_content(self.folder):
            raise UsageError(f"{path} is not the {MANIFEST} of a run; choose another --out")
        given = {name: one if isinstance(one, bytes) else read_whole(one) for name, one in self._inputs.items()}
        if is_free(self.folder):
            for name, content in given.items():
                write_whole(self.folder / name, content, durable=True)
            write_whole(path, _manifest_bytes(as_written(manifest)), durable=True)
            return
        kept, notes = continued(self.folder, manifest)
        self.notes += notes
        for name, content in given.items():
            if read_own(self.folder / name) != content:
                raise UsageError(f"{self.folder / name} was edited since the run began; restore it or move it away")
        if kept != read_content(self.folder):
            write_whole(path, _manifest_bytes(kept), durable=True)

    def _read_back(self) -> None:
        for _unused, line in read_whole_lines(self.folder / FAILURES):
            refuse_newer(self.folder / FAILURES, line, LINE_VERSION)
        path = self.folder / TRAJECTORIES
        for _line, finished in _parsed(path, read_whole_lines(path), Finished, TRAJECTORY_VERSION):
            if self._standing is None and not finished.corrections:
                self.finished.add(finished.task_id)
            for step in finished.steps:
                self._count(finished.task_id, step.role, step.reply.usage)
        if self._standing is not None:
            lines = read_lines_of(self.folder)
            self.finished = {trajectory.task_id for _line, trajectory in lines if self._standing(trajectory)}
        for entry in read_replies(self.folder):
            if entry.key not in self.finished:
                self.begun.setdefault(entry.key, []).append(entry.reply)
                self._count(entry.key, entry.role, entry.reply.usage)

    def _count(self, key: str, role: str, usage: Usage) -> None:
        name = self._role_map(key, role)
        self.spent[name] = self.spent.get(name, Usage()) + usage

    def record(self, **changed: object) -> None:
        """Change what run.json says of an open run: fields by name, UNSET for one that is to go."""
        content = {**read_content(self.folder), **changed}
        kept = {name: value for name, value in content.items() if value is not UNSET}
        write_whole(self.folder / MANIFEST, _manifest_bytes(kept), durable=True)

    def add_reply(self, key: str, step: int, reply: Reply, role: str = ASSISTANT) -> None:
        """Remember a reply after which the conversation goes on."""
        self._append(REPLIES, encode(JournalLine(key, step, reply, role)))

    def add_trajectory(self, trajectory: Trajectory) -> None:
        self._append(TRAJECTORIES, encode(trajectory))
        self.finished.add(trajectory.task_id)

    def add_failure(self, failure: Failure) -> None:
        self._append(FAILURES, encode(failure))

    def _append(self, name: str, line: bytes) -> None:
        self.check()
        self._files[name].append(line)

    def forget_failures(self) -> None:
        """Every conversation that failed is tried again now."""
        self._files[FAILURES].clear()

    def check(self) -> None:
        """Raise StoreError where a file of the run was removed or replaced, or its folder moved.

        Every `add_...` does so. Elsewhere to be called before what costs something: it takes microseconds.
        """
        for file in self._files.values():
            file.check()

    def sync(self) -> None:
        """Push all lines to the disk: what follows relies on them. Raises StoreError."""
        for file in self._files.values():
            file.sync()

    def discard(self) -> None:
        """Take away what should not have begun: the run's files, and its folder if that is all. Never raises."""
        with suppress(OSError):
            for name in (MANIFEST, TRAJECTORIES, FAILURES, REPLIES, LOCK, *self._inputs):
                (self.folder / name).unlink(missing_ok=True)
            self.folder.rmdir()
        self._abandon()

    def close(self, complete: bool) -> None:
        """Flush to disk; the journal of replies goes when nothing is under way any more.

        Raises StoreError where the disk may have lost lines; everything is let go then all the same.
        """
        failed: StoreError | None = None
        while self._files:
            _, file = self._files.popitem()
            try:
                file.close()
            except StoreError as error:
                failed = failed or error
        if complete and failed is None and self._lock_file is not None:  # else they may be another process's by now
            with suppress(OSError):
                (self.folder / REPLIES).unlink(missing_ok=True)
        if self._lock_file is not None:
            os.close(self._lock_file)
            self._lock_file = None
        if failed is not None:
            raise failed

    def _abandon(self) -> None:
        """Let everything go, after an error that says more than another one would."""
        with suppress(StoreError):
            self.close(complete=False)


class Extent(Struct, frozen=True):
    """The whole lines that a run's trajectories.jsonl had at one moment, while the run may go on. size: in bytes;
    sha256: of these bytes."""

    size: int
    sha256: str


def recorded(folder: Path) -> Extent:
    """What stands in the trajectories now, without a torn last line. Raises StoreError where they cannot be read."""
    digest, size = hashlib.sha256(), 0
    try:
        with open_regular(folder / TRAJECTORIES, follow=False) as file:
            for line in lines_within(file):
                if line.endswith(b"\n"):
                    digest.update(line)
                    size += len(line)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StoreError(f"{folder / TRAJECTORIES}: {os_cause(error)}") from error
    return Extent(size, digest.hexdigest())


def read_trajectories(
    folder: Path, size: int | None = None, left_out: Container[int] | None = None
) -> Iterator[Trajectory]:
    """The trajectories of a run in the order in which they were finished; a torn last line is left out.

    A conversation that stands there twice counts once, the first time. size: only the lines within the first so many
    bytes. left_out: lines (from 1) that do not count, of a run on corrected data; in another one those do not count
    that were had about corrected data.
    """
    seen: set[str] = set()
    for line, trajectory in read_lines_of(folder, size):
        counts = not trajectory.corrections if left_out is None else line not in left_out
        if counts and trajectory.task_id not in seen:
            seen.add(trajectory.task_id)
            yield trajectory


def read_lines_of(folder: Path, size: int | None = None) -> Iterator[tuple[int, Trajectory]]:
    """Every trajectory of a run directory with its line (from 1), whether it counts or not; size: as above."""
    path = folder / TRAJECTORIES
    return _parsed(path, read_whole_lines(path, size), Trajectory, TRAJECTORY_VERSION)


def read_replies(folder: Path) -> Iterator[JournalLine]:
    """The replies of conversations that were under way when the run directory was last open, in their order."""
    counted: dict[str, int] = {}
    path = folder / REPLIES
    for _line, entry in _parsed(path, read_whole_lines(path), JournalLine, LINE_VERSION):
        if entry.step == counted.get(entry.key, 0):
            counted[entry.key] = entry.step + 1
            yield entry


def _parsed(path: Path, lines: Iterable[tuple[int, bytes]], kind: type[T], newest: int) -> Iterator[tuple[int, T]]:
    """The values that stand in lines of a file. Raises StoreError for a line of a later version than `newest`, and for
    one that is broken."""
    for number, line in lines:
        try:
            value = decode(line, kind)
        except ValueError as error:
            refuse_newer(path, line, newest)
            raise StoreError(f"{path}:{number}: {error}; remove this line to have it asked again") from error
        if value.version > newest:
            raise newer(path)
        yield number, value


def _manifest_bytes(content: Mapping[str, object]) -> bytes:
    return json.dumps(content, indent=2).encode() + b"\n"
