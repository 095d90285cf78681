"""Jobs of a review's models, each in a folder of its own: what was asked for, how far it is, what it cost.

<review>/making/0001/job.json      and, of each command that it stands for, the folder and the files it reads
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from toolgauge.errors import StoreError, os_cause
from toolgauge.files import folder_below, read_own, write_whole
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.locale import Text, languages, translated
from toolgauge.review.events import Count, Key
from toolgauge.runs.budget import Spent

FOLDER = "making"
JOB = "job.json"
_NAME = re.compile(r"\d{4,9}")
VERSION = 1


class JobStatus(StrEnum):
    """PREPARED: its commands are to be run by hand. STOPPED: by somebody, a limit or an endpoint; it can go on.
    GIVEN_UP: by somebody, for good."""

    PREPARED = "prepared"
    QUEUED = "queued"
    RUNNING = "running"
    TAKING = "taking"
    STOPPED = "stopped"
    FAILED = "failed"
    GIVEN_UP = "given_up"
    DONE = "done"

    @property
    def is_active(self) -> bool:
        """Is it to be worked on, now or later?"""
        return self in (JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.TAKING)


Said = dict[str, str]
"""A sentence in each language of the interface, as it is kept."""


def said(text: Text) -> Said:
    """A message to keep: its words. Never the message itself, whose formats only our own code may determine."""
    return {one: translated(text, one) for one in ("en", *languages())}


class Settings(Struct, frozen=True, omit_defaults=True):
    """How the generation under review makes dialogues: those options of it, in the words of `GenerationOptions`, that
    what is made over its sessions takes over."""

    attempts: int = GenerationOptions().attempts
    vague: float = GenerationOptions().vague
    candidates: bool = False
    filters: tuple[str, ...] = ()
    examples: str | None = None
    scenarios: str | None = None


class Command(Struct, frozen=True, omit_defaults=True):
    """One `generate` of a job. name: of its folder, and of its files. sessions: those it goes on from, with the version
    of the copy that each was written from. paths: the kind of the task that is added; layer: its number. settings: as
    they were when it was asked for. done: dialogues so far."""

    name: str
    sessions: dict[str, Count]
    paths: str
    layer: int
    settings: Settings = Settings()
    done: Count = 0
    spent: Spent = Spent()


class Job(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """who: asked for it. taken: sessions whose result is in the journal; left: those that have none, with the reason.
    why: it stopped or failed."""

    number: Annotated[int, Meta(ge=1)]
    status: JobStatus
    who: str
    at: float
    commands: tuple[Command, ...]
    key: Key = ""
    taken: Count = 0
    left: dict[str, Said] = {}
    why: Said = {}
    version: int = VERSION

    @property
    def layer(self) -> int:
        """The number of the task that is added."""
        return self.commands[0].layer

    @property
    def sessions(self) -> dict[str, int]:
        """The sessions that it is about, with the versions of their copies."""
        return {name: base for one in self.commands for name, base in one.sessions.items()}

    @property
    def done(self) -> int:
        """Dialogues."""
        return sum(one.done for one in self.commands)

    @property
    def total(self) -> int:
        return sum(len(one.sessions) for one in self.commands)

    @property
    def spent(self) -> Spent:
        return together(one.spent for one in self.commands)


def together(parts: Iterable[Spent]) -> Spent:
    """The sum; no dollars where those of a part are not known."""
    tokens, cost = 0, 0.0
    is_known = True
    for one in parts:
        tokens += one.tokens
        is_known = is_known and one.cost is not None
        cost += one.cost or 0.0
    return Spent(tokens, cost if is_known else None)


class Jobs:
    """The jobs of a review. by_number: as they stand; what is changed is written first. Raises StoreError."""

    def __init__(self, review: Path) -> None:
        self._review = review
        self.by_number = {one.number: one for one in _read_jobs(review / FOLDER)}

    def folder(self, number: int) -> Path:
        return self._review / FOLDER / f"{number:04d}"

    def new_number(self) -> int:
        """Of a job that is begun; a folder without a job, which a killed server left, is not used again."""
        around = self._review / FOLDER
        there = [int(path.name) for path in around.iterdir() if _NAME.fullmatch(path.name)] if around.is_dir() else []
        number = max(there, default=0) + 1
        folder_below(self._review, f"{FOLDER}/{number:04d}")
        return number

    def keep(self, job: Job) -> Job:
        """Write a job as it stands now."""
        write_whole(self.folder(job.number) / JOB, msgspec.json.format(msgspec.json.encode(job)) + b"\n", durable=True)
        self.by_number[job.number] = job
        return job

    @property
    def spent(self) -> Spent:
        """By all jobs together."""
        return together(one.spent for one in self.by_number.values())


def _read_jobs(around: Path) -> Iterator[Job]:
    for path in sorted(around.glob(f"*/{JOB}")):
        if not _NAME.fullmatch(path.parent.name):
            continue
        try:
            job = msgspec.json.decode(read_own(path), type=Job)
        except (OSError, ValueError) as error:
            why = os_cause(error) if isinstance(error, OSError) else error
            raise StoreError(f"cannot read {path}: {why}; move its folder away to continue") from error
        if job.version > VERSION or f"{job.number:04d}" != path.parent.name:
            raise StoreError(f"{path}: invalid job or a newer version's; move its folder away to continue")
        yield job
