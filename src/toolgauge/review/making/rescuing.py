"""Rejected dialogues of the generation under review: which there are, and the record of one that is read or taken. The
generation's folder stays as it is."""

from __future__ import annotations

import asyncio
from pathlib import Path

from toolgauge.chat import Json
from toolgauge.errors import UsageError
from toolgauge.generation.reopened import reopen
from toolgauge.generation.rescue import RejectedDialogue, RescueOptions, rejected_dialogues, rescued_record
from toolgauge.locale import _
from toolgauge.review.refusals import Refused
from toolgauge.runs.manifest import MANIFEST
from toolgauge.runs.store import TRAJECTORIES


class RejectedDialogues:
    """Those of a folder; none where it holds no generation. Looking for them takes a while: it happens in a thread, and
    again only when the folder has changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = asyncio.Lock()
        self._seen: tuple[int, int] | None = None
        self._found: dict[str, RejectedDialogue] = {}

    @property
    def is_generation(self) -> bool:
        return (self._folder / MANIFEST).is_file() and (self._folder / TRAJECTORIES).is_file()

    async def all(self) -> list[RejectedDialogue]:
        """In the order of the slots. Raises ToolgaugeError where the folder cannot be read."""
        async with self._lock:
            if self.is_generation:
                status = (self._folder / TRAJECTORIES).stat()
                seen = (status.st_size, status.st_mtime_ns)
                if seen != self._seen:
                    self._found = {one.id: one for one in await asyncio.to_thread(_listed, self._folder)}
                    self._seen = seen
        return list(self._found.values())

    async def record(self, name: str, tasks: int | None = None, force: bool = False) -> Json:
        """A dialogue as a session's record, its first tasks (all whole ones of its path). Raises Refused."""
        await self.all()
        if (found := self._found.get(name)) is None:
            raise Refused(_("there is no rejected dialogue {name}", name=name))
        options = RescueOptions(tasks=tasks, force=force)
        try:
            return await asyncio.to_thread(_record, self._folder, found, options)
        except UsageError as error:
            raise Refused(error.text) from error

    async def whole(self, name: str) -> Json:
        """A dialogue as far as it is whole, to be read. Raises Refused."""
        await self.all()
        found = self._found.get(name)
        return await self.record(name, found.whole if found else None, force=True)


def _listed(folder: Path) -> list[RejectedDialogue]:
    return list(rejected_dialogues(reopen(folder)))


def _record(folder: Path, one: RejectedDialogue, options: RescueOptions) -> Json:
    return rescued_record(reopen(folder), one, options)
