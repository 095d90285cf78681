"""What happens, told to every browser that listens, and who is at the same session: kept in memory only."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import msgspec
from msgspec import Struct

from toolgauge.review.desk import Desk
from toolgauge.review.events import AnyEvent, PersonAdded, PersonRemoved

_PING_SECONDS = 15.0
"""Between two signs of life of a stream in which nothing happens."""
STREAM_SECONDS = 1800.0
"""After which a stream ends; a browser that is still there asks again and is told what it missed."""
MOST_STREAMS = 8
"""Of one person; a further one ends the oldest."""
MOST_WAITING = 1000
"""Messages for a reader that does not take them, before it is cut off."""
_END = b""
_REPLACED = b"event: replaced\ndata: {}\n\n"


class Stream(Struct, eq=False):
    """A browser's tab that listens. session: the one it shows, "" for none."""

    who: str
    session: str
    waiting: asyncio.Queue[bytes]

    def tell(self, message: bytes) -> None:
        if message == _END or self.waiting.qsize() < MOST_WAITING:
            self.waiting.put_nowait(message)


class Streams:
    """Server-sent events. `message`: that something happened (what, is asked for where it is needed); `here`: who else
    has the same session open; `replaced`: the person has too many streams, this one ends."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._open: dict[Stream, None] = {}  # the oldest first
        desk.listeners.append(self._tell)

    async def stream(self, who: str, since: int, session: str) -> AsyncIterator[bytes]:
        """The events after number `since`, then as they happen; ends with its reader."""
        stream, end = Stream(who, session, asyncio.Queue()), time.monotonic() + STREAM_SECONDS
        self._open[stream] = None
        for oldest in [one for one in self._open if one.who == who][:-MOST_STREAMS]:
            del self._open[oldest]
            oldest.tell(_REPLACED)
            oldest.tell(_END)
        try:
            yield b": here\n\n"
            for event in self._desk.state.events[since:]:
                yield self._sent(event, who)
            self._tell_who_is_here(session)
            while time.monotonic() < end:
                try:
                    told = await asyncio.wait_for(stream.waiting.get(), _PING_SECONDS)
                except TimeoutError:
                    told = b": here\n\n"
                if told == _END:
                    return
                yield told
        finally:
            self._open.pop(stream, None)
            self._tell_who_is_here(session)

    def count(self, who: str) -> int:
        """How many streams somebody has."""
        return sum(one.who == who for one in self._open)

    def _tell(self, event: AnyEvent) -> None:
        for stream in self._open:
            stream.tell(self._sent(event, stream.who))
            if isinstance(event, PersonAdded | PersonRemoved) and event.name == stream.who:
                stream.tell(_END)  # who still has a link that holds asks again

    def end(self) -> None:
        """The server ends; browsers ask again until there is another one."""
        for stream in self._open:
            stream.tell(_END)

    def _sent(self, event: AnyEvent, who: str) -> bytes:
        """Blind work of others is not told of."""
        session = getattr(event, "session", None)
        told = {"number": event.number, "at": event.at, "event": type(event).__name__.lower()}
        known = self._desk.state.sessions.get(session) if session else None
        if known is None or not known.is_blind or event.who == who:
            told |= {"who": event.who, "session": session}
        return b"id: %d\ndata: %s\n\n" % (event.number, msgspec.json.encode(told))

    def _tell_who_is_here(self, session: str) -> None:
        """To everybody at a session; without names where opinions are blind."""
        known = self._desk.state.sessions.get(session)
        if known is None:
            return
        there = [one for one in self._open if one.session == session]
        for stream in there:
            names = sorted({one.who for one in there} - {stream.who})
            told = {"session": session, "count": len(names), "names": [] if known.is_blind else names}
            stream.tell(b"event: here\ndata: %s\n\n" % msgspec.json.encode(told))
