"""What the queue filters sessions by: kinds of tasks and words, read with the file, and warnings, found beside.

Looking for the warnings of a session takes tens of milliseconds, so they are found in a thread, one session after the
other, and kept by the version of the copy that they are about.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.errors import DataError
from toolgauge.review.desk import Desk
from toolgauge.review.events import AnyEvent, Assigned, SessionEvent
from toolgauge.review.state import COMMON, Copy, SessionState
from toolgauge.review.store import Glance, glance
from toolgauge.review.warnings import DATA, Warned, warnings

_LOG = logging.getLogger(__name__)

Key = tuple[str, str]
"""A session and whose copy of it."""


class Known(Struct, frozen=True):
    """Of a copy as it stands at `version`. found: its warnings, None while nobody looked; warnings: how many of each
    source, those of the version before until then. number: counts up with every finding."""

    version: int
    glance: Glance
    warnings: dict[str, int] | None = None
    found: list[Warned] | None = None
    number: int = 0


class Survey:
    """What is known of the copies of a desk's sessions; `run` finds the rest. number: of the last finding."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.known: dict[Key, Known] = {}
        self.number = 0
        self._news = asyncio.Event()
        self._due: dict[Key, None] = {}
        for session in desk.state.sessions.values():
            self._add(session, desk.originals.glances[session.id])
        desk.listeners.append(self._hear)

    @property
    def checked(self) -> int:
        """Of how many sessions are warnings known?"""
        return len({name for (name, _owner), entry in self.known.items() if entry.warnings is not None})

    def of(self, session: str, copy: Copy | None) -> Known | None:
        """What is known of a copy, if somebody sees it."""
        return self.known.get((session, copy.owner)) if copy else None

    async def warned(self, name: str, copy: Copy) -> list[Warned]:
        """The warnings of a copy as it stands. Raises DataError where it cannot be read as a session."""
        key = name, copy.owner
        entry = self.known[key]
        if entry.found is not None:
            return entry.found
        record = self._desk.record(name, copy)
        found_warnings = await asyncio.to_thread(lambda: list(warnings(self._desk.as_session(name, record))))
        if self.known[key].version == entry.version:
            self._know(key, warnings=dict(Counter(warning.source for warning in found_warnings)), found=found_warnings)
        return found_warnings

    async def run(self) -> None:
        """Look at what was not looked at yet, for as long as it is not cancelled."""
        while True:
            try:
                await self.find_all()
            except Exception:  # of one session, which is not looked at again before it changes; the others follow
                _LOG.exception("cannot check a session")
                continue
            self._news.clear()
            await self._news.wait()

    async def find_all(self) -> None:
        """Look at everything that was not looked at yet."""
        while self._due:
            key = next(iter(self._due))
            del self._due[key]
            copy, begun = self._desk.state.sessions[key[0]].copies[key[1]], time.monotonic()
            try:
                if copy.edits:
                    self._know(key, glance=self._glance(key[0], copy))
                await self.warned(key[0], copy)
            except DataError:  # it cannot be read as a session
                self._know(key, warnings={DATA: 1})
            await asyncio.sleep(min(time.monotonic() - begun, 0.5))  # half of the time is other people's

    def _know(self, key: Key, **more: object) -> None:
        self.number += 1
        self.known[key] = replace(self.known[key], number=self.number, **more)

    def _glance(self, name: str, copy: Copy) -> Glance:
        return glance(self._desk.record(name, copy), self._desk.originals.language)

    def _add(self, session: SessionState, seen: Glance | None = None) -> None:
        """Look again at the copies that somebody sees, where they changed. seen: what is known of them for now."""
        for owner in session.reviewers if session.is_blind else (COMMON,):
            key, copy = (session.id, owner), session.copies[owner]
            entry = self.known.get(key)
            if entry is None or entry.version != copy.version:
                before = entry.warnings if entry else None
                self.known[key] = Known(copy.version, seen or self._glance(session.id, copy), before)
                self._know(key)
                self._due[key] = None
                self._news.set()

    def _hear(self, event: AnyEvent) -> None:
        names = event.sessions if isinstance(event, Assigned) else ()
        for name in [event.session] if isinstance(event, SessionEvent) else names:
            self._add(self._desk.state.sessions[name])
