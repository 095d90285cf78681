"""The desk of a review: what people ask for is checked and written down, and the state follows.

    command -> handling.do: may they, does it fit? -> the journal, on the disk -> the state -> listeners

One process has the desk of a folder open, and one thread uses it. Nothing is done halfway: what could not be written
has not happened, and a command that is sent twice happens once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.data.session import Session
from toolgauge.data.sessions import session_from
from toolgauge.errors import StoreError
from toolgauge.locale import _
from toolgauge.review.events import AnyEvent, Edited, Forbidden, Opened, Refused, Stale, changed
from toolgauge.review.state import Copy, Impossible, ReviewState, SessionState
from toolgauge.review.store import MOST_KEPT, Journal, Originals, read_journal


class Desk:
    """A review under way. listeners: are told of every event once it has happened."""

    def __init__(
        self, folder: Path, originals: Originals, clock: Callable[[], float] = time.time, is_read_only: bool = False
    ) -> None:
        """Open the review in a folder, or begin it there. is_read_only: only look at what has happened so far, also
        while a server has it open. Raises StoreError where the folder holds a review of another file, a journal that
        cannot be read, or is in use."""
        self.folder, self.originals = folder, originals
        self.listeners: list[Callable[[AnyEvent], None]] = []
        self._clock = clock
        self.state = ReviewState(originals.tasks)
        self._made = lru_cache(MOST_KEPT)(self._make)
        self._journal = None if is_read_only else Journal(folder)
        try:
            self._replay()
        except BaseException:
            self.close()
            raise

    def _replay(self) -> None:
        for event in read_journal(self.folder):
            try:
                self.state.apply(event)
            except Impossible as error:
                raise StoreError(f"{self.folder}: damaged journal: {error}") from error
        original, opened = self.originals, self.state.opened
        if opened is None:
            if self._journal is not None:
                self.happen(Opened(file=original.file.name, sha256=original.sha256, language=original.language))
        elif (opened.sha256, opened.language) != (original.sha256, original.language):
            raise StoreError(
                f"{self.folder}: review of another version or language of {original.file}; restore the file, "
                "or start a new review with --out"
            )

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()

    def happen(self, event: AnyEvent) -> AnyEvent:
        """Write an event, then take it into the state. Raises StoreError where it cannot be written, Refused where it
        could not be read again, Impossible where it cannot have happened: then it is in the journal neither."""
        assert self._journal is not None, "who only looks does nothing"
        event = replace(event, number=self.state.number + 1, at=self._clock())
        self._journal.append(event)
        try:
            self.state.apply(event)
        except BaseException:
            self._journal.take_back()
            raise
        for listener in self.listeners:
            listener(event)
        return event

    def session(self, name: str) -> SessionState:
        """Raises Refused where there is none of that id."""
        try:
            return self.state.session(name)
        except Impossible as error:
            raise Refused(error.message) from error

    def copy_of(self, who: str, name: str) -> Copy:
        """The copy of a session that somebody works on. Raises Forbidden for other people's blind copies."""
        copy = self.session(name).copy_for(who)
        if copy is None:
            raise Forbidden(_("{session} is under independent review by others", session=name))
        return copy

    def current(self, who: str, name: str, base: int) -> Copy:
        """The same, if it still stands as after event `base`; else raises Stale."""
        copy = self.copy_of(who, name)
        if copy.version != base:
            raise Stale(_("{session} has been changed in the meantime", session=name), copy.version)
        return copy

    def record(self, name: str, copy: Copy, until: int | None = None) -> Json:
        """The record of a session as a copy has it, or had it after event `until`; not to be changed."""
        edits = tuple(edit.number for edit in copy.edits if until is None or edit.number <= until)
        return self._made(name, edits) if edits else self.originals.record(name)

    def _make(self, name: str, edits: tuple[int, ...]) -> Json:
        """edits: the numbers of their events."""
        events = (self.state.events[number - 1] for number in edits)
        changes = [change for event in events if isinstance(event, Edited) for change in event.changes]
        return changed(self.originals.record(name), changes)

    def read(self, name: str, copy: Copy, until: int | None = None) -> Session:
        """The same, read. Raises DataError, with the line of the file that it comes from, where it is no session."""
        return self.as_session(name, self.record(name, copy, until))

    def as_session(self, name: str, record: Json) -> Session:
        """A record of a session. Raises DataError as `read` does."""
        original = self.originals
        return session_from(record, original.language, original.file, original.line(name))
