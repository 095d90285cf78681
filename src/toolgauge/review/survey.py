"""What the queue filters sessions by, found beside everything else: kinds of tasks, words, warnings.

Looking for the warnings of a session takes tens of milliseconds, so they are found in a thread, one session after the
other, and kept by the version of the copy that they are about.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.data.sessions import language_prefix
from toolgauge.errors import DataError
from toolgauge.review.desk import Desk
from toolgauge.review.events import AnyEvent, Assigned, SessionEvent
from toolgauge.review.originals import MOST_KEPT, types_named
from toolgauge.review.state import COMMON, Copy, SessionState
from toolgauge.review.warnings import DATA, Warned, warnings

MOST_WORDS = 20_000
"""Characters of a session that are searched."""
MOST_SHOWN = 120
"""Characters of its beginning that the queue shows."""
_SLICE_SECONDS = 0.02
"""How long the loop is held at a time."""
_REST_SECONDS = 0.005

_LOG = logging.getLogger(__name__)

Key = tuple[str, str]
"""A session and whose copy of it."""


class Known(Struct, frozen=True):
    """Of a copy as it stood at `version`. kinds: of its tasks, "" where the name says nothing; words: what the user
    says, for the search; begins: its first words; warnings: how many of each source, None while nobody looked, and at
    which version they were looked for. number: counts up with every finding."""

    version: int
    kinds: tuple[str, ...]
    words: str
    begins: str
    warnings: dict[str, int] | None
    number: int = 0
    looked_at: int | None = None


class Survey:
    """What is known of the copies of a desk's sessions; `run` finds the rest."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.known: dict[Key, Known] = {}
        self.number = 0
        self._found: OrderedDict[tuple[str, str, int, str], list[Warned]] = OrderedDict()
        self._lock, self._news = asyncio.Lock(), asyncio.Event()
        self._to_read: dict[Key, None] = {}
        self._to_check: dict[Key, None] = {}
        for session in desk.state.sessions.values():
            self._add(session)
        desk.listeners.append(self._hear)

    @property
    def checked(self) -> int:
        """Of how many sessions are warnings known?"""
        known = {name for (name, _owner), one in self.known.items() if one.warnings is not None}
        return len(known)

    def of(self, session: str, copy: Copy | None) -> Known | None:
        """What is known of a copy; of the version before, while the new one was not looked at."""
        return self.known.get((session, copy.owner)) if copy else None

    async def warned(self, name: str, copy: Copy, language: str) -> list[Warned]:
        """The warnings of a copy as it stands, with messages in a language of the interface."""
        known = self.of(name, copy)
        if known and known.looked_at == copy.version and not known.warnings:
            return []
        key = (name, copy.owner, copy.version, language)
        if key not in self._found:
            record = self._desk.record(name, copy)
            async with self._lock:
                self._found[key] = await asyncio.to_thread(self._warnings, name, record, language)
        self._found.move_to_end(key)
        while len(self._found) > MOST_KEPT:
            self._found.popitem(last=False)
        return self._found[key]

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
        while self._to_read or self._to_check:
            await self._read_all()
            if self._to_check:
                await self._check(next(iter(self._to_check)))

    async def _read_all(self) -> None:
        """Kinds and words of everything that is due, in slices."""
        begun = time.monotonic()
        while self._to_read:
            key = next(iter(self._to_read))
            del self._to_read[key]
            copy = self._copy(key)
            if copy is None:
                continue
            kinds, words = glance(self._desk.record(key[0], copy), self._desk.originals.language)
            begins, known = words[:MOST_SHOWN].partition("\n")[0], self.known.get(key)
            found, looked_at = (known.warnings, known.looked_at) if known else (None, None)
            self._know(key, Known(copy.version, kinds, words.casefold(), begins, found, looked_at=looked_at))
            self._to_check[key] = None
            if time.monotonic() - begun > _SLICE_SECONDS:
                await asyncio.sleep(_REST_SECONDS)
                begun = time.monotonic()

    async def _check(self, key: Key) -> None:
        self._to_check.pop(key, None)
        copy, before = self._copy(key), self.known.get(key)
        if copy is None or before is None:
            return
        version, begun = copy.version, time.monotonic()
        record = self._desk.record(key[0], copy)
        async with self._lock:
            counts = await asyncio.to_thread(self._count, key[0], record)
        if copy.version == version:
            self._know(key, replace(before, version=version, warnings=counts, looked_at=version))
        await asyncio.sleep(min(time.monotonic() - begun, 0.5))  # half of the time is other people's

    def _warnings(self, name: str, record: Json, language: str) -> list[Warned]:
        return list(warnings(self._desk.as_session(name, record), language))

    def _count(self, name: str, record: Json) -> dict[str, int]:
        """The warnings of each source; one of the data for what cannot be read as a session."""
        try:
            return dict(Counter(one.source for one in self._warnings(name, record, "en")))
        except DataError:
            return {DATA: 1}

    def _know(self, key: Key, known: Known) -> None:
        self.number += 1
        self.known[key] = replace(known, number=self.number)

    def _copy(self, key: Key) -> Copy | None:
        session = self._desk.state.sessions.get(key[0])
        return session.copies.get(key[1]) if session else None

    def _add(self, session: SessionState) -> None:
        for key in _keys(session):
            known, copy = self.known.get(key), session.copies[key[1]]
            if known is None or known.version != copy.version:
                self._to_read[key] = None
        if self._to_read:
            self._news.set()

    def _hear(self, event: AnyEvent) -> None:
        state = self._desk.state
        match event:
            case SessionEvent():
                self._add(state.sessions[event.session])
            case Assigned():
                for name in event.sessions:
                    self._add(state.sessions[name])


def _keys(session: SessionState) -> Iterator[Key]:
    """The copies that somebody sees."""
    for owner in session.reviewers if session.is_blind else (COMMON,):
        yield session.id, owner


def glance(record: Json, language: str) -> tuple[tuple[str, ...], str]:
    """The kinds of a record's tasks and what the user says in them, without checking anything."""
    prefix = language_prefix(language)
    tasks, kinds = record.get(f"{prefix}tasks"), types_named(record, language)
    words = "\n".join(one for one in tasks if isinstance(one, str)) if isinstance(tasks, list) else ""
    return tuple(str(kind) if kind else "" for kind in kinds), words[:MOST_WORDS]
