"""What happens, told to every browser that listens: server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import msgspec
from msgspec import Struct

from toolgauge.review.desk import Desk
from toolgauge.review.events import AnyEvent, PersonAdded, PersonRemoved

PING_SECONDS = 15.0
"""Between two signs of life of a stream in which nothing happens."""
STREAM_SECONDS = 1800.0
"""After which a stream ends; a browser that is still there asks again and is told what it missed."""
MOST_STREAMS = 8
"""Of one person; a further one ends the oldest."""
MOST_WAITING = 1000
"""Messages for a reader that does not take them; those behind are left out: what they tell of is asked for anyway."""
_END = b""
_HERE = b": here\n\n"
_REPLACED = b"event: replaced\ndata: {}\n\n"


class Stream(Struct, eq=False):
    """A browser's tab that listens."""

    who: str
    waiting: asyncio.Queue[bytes]

    def tell(self, message: bytes) -> None:
        if message == _END or self.waiting.qsize() < MOST_WAITING:
            self.waiting.put_nowait(message)


class Streams:
    """`message`: that something happened (what, is asked for where it is needed); `replaced`: the person has too many
    streams, this one ends."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._open: dict[Stream, None] = {}  # the oldest first
        desk.listeners.append(self._tell)

    async def stream(self, who: str, since: int) -> AsyncGenerator[bytes, None]:
        """The events after number `since`, then as they happen; ends with its reader."""
        stream, clock = Stream(who, asyncio.Queue()), asyncio.get_running_loop().time
        end = clock() + STREAM_SECONDS
        self._open[stream] = None
        for oldest in [open_stream for open_stream in self._open if open_stream.who == who][:-MOST_STREAMS]:
            del self._open[oldest]
            oldest.tell(_REPLACED)
            oldest.tell(_END)
        try:
            yield _HERE
            for event in self._desk.state.events[since:]:
                yield self._sent(event, who)
            while (left := end - clock()) > 0:
                try:
                    message = await asyncio.wait_for(stream.waiting.get(), min(left, PING_SECONDS))
                except TimeoutError:
                    message = _HERE
                if message == _END:
                    return
                yield message
        finally:
            self._open.pop(stream, None)

    def count(self, who: str) -> int:
        """How many streams somebody has."""
        return sum(open_stream.who == who for open_stream in self._open)

    def end(self) -> None:
        """The server ends; browsers ask again until there is another one."""
        for stream in self._open:
            stream.tell(_END)

    def _tell(self, event: AnyEvent) -> None:
        for stream in self._open:
            stream.tell(self._sent(event, stream.who))
            if isinstance(event, PersonAdded | PersonRemoved) and event.name == stream.who:
                stream.tell(_END)  # who still has a link that holds asks again

    def _sent(self, event: AnyEvent, who: str) -> bytes:
        """Blind work of others is not told of."""
        session = getattr(event, "session", None)
        content = {"number": event.number, "at": event.at, "event": type(event).__name__.lower()}
        state = self._desk.state.sessions.get(session) if session else None
        if state is None or not state.is_blind or event.who == who:
            content |= {"who": event.who, "session": session}
        return b"id: %d\ndata: %s\n\n" % (event.number, msgspec.json.encode(content))
