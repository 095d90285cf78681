"""From a place on the disk to a server that is asked: the desk is opened, people get their links, uvicorn serves."""

from __future__ import annotations

import asyncio
import getpass
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from toolgauge.data.sessions import session_file
from toolgauge.errors import UsageError, os_cause
from toolgauge.network import listening
from toolgauge.review.access import Hosts, digest, in_address, new_token, read_links, write_links
from toolgauge.review.desk import Desk
from toolgauge.review.events import PersonAdded
from toolgauge.review.handling import complete
from toolgauge.review.server import ReviewServer
from toolgauge.review.store import open_originals
from toolgauge.review.team import require_name

_OWN = ("127.0.0.1", "::1", "localhost")
_ANY = ("0.0.0.0", "::")  # noqa: S104 - only compared
HEAD_SECONDS = 10.0
"""In which a connection has to ask for something."""
MOST_HALF_OPEN = 128
"""Connections that have not asked yet; a further one ends the oldest."""


class Serving:
    """A server that is ready. links: by name, what everybody opens whose link was made on this machine and still holds;
    notes: what its user should know; run: serve until Ctrl-C."""

    def __init__(self, desk: Desk, listener: socket.socket, host: str) -> None:
        self.folder = desk.folder
        self.is_open_to_others = host not in _OWN
        self.listener = listener
        port = listener.getsockname()[1]
        names = [] if host in _ANY else [host]
        names += [socket.gethostname(), *_addresses()] if self.is_open_to_others else []
        shown = in_address(names[-1] if host in _ANY else host, port)
        links = read_links(self.folder)
        self.links = {
            name: f"http://{shown}/enter?token={links[name]}"
            for name, person in desk.state.people.items()
            if person.is_active and name in links and digest(links[name]) == person.token_sha256
        }
        self.notes = [*desk.originals.notes]
        self._server = ReviewServer(desk, Hosts(port, names))
        self.app = self._server.app

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """ready: is called once it answers, and takes signals. Raises KeyboardInterrupt in the end, whatever signal
        ended it."""
        self.server(ready).run(sockets=[self.listener])

    def server(self, ready: Callable[[], None] = lambda: None) -> uvicorn.Server:
        return _Server(self._server, ready)


class BoundedProtocol(H11Protocol):
    """Connections that ask for nothing whole, or send on after the answer, are held for some seconds, and only so
    many."""

    half_open: ClassVar[dict[BoundedProtocol, asyncio.TimerHandle]] = {}  # the oldest first

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._is_idle:
            self._wait()
        super().data_received(data)
        if not self._is_idle:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        if self not in self.half_open:
            self.half_open[self] = self.loop.call_later(HEAD_SECONDS, self.transport.close)
            if len(self.half_open) > MOST_HALF_OPEN:
                oldest = next(iter(self.half_open))
                oldest._stop_waiting()
                oldest.transport.close()

    def _stop_waiting(self) -> None:
        if timer := self.half_open.pop(self, None):
            timer.cancel()


class _Server(uvicorn.Server):
    """Uvicorn, which waits for streams that never end by themselves."""

    def __init__(self, review: ReviewServer, ready: Callable[[], None]) -> None:
        config = uvicorn.Config(
            review.app, http=BoundedProtocol, log_level="warning", access_log=False, timeout_graceful_shutdown=1
        )
        super().__init__(config)
        self._review, self._ready = review, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._review.streams.end()
        await super().shutdown(sockets)


@contextmanager
def serving(
    place: Path,
    out: Path | None,
    reviewers: Sequence[str],
    address: tuple[str, int],
    language: str | None = None,
) -> Iterator[Serving]:
    """Open the review of a file or a generation's folder. reviewers: who is let in, beside those who are already; the
    first of all leads. address: host and port. Raises ToolgaugeError."""
    with closing(_listen(*address)) as listener, open_desk(place, out, language) as desk:
        stay_out = _let_in(desk, reviewers)
        started = Serving(desk, listener, address[0])
        started.notes += stay_out
        yield started


@contextmanager
def open_desk(
    place: Path, out: Path | None = None, language: str | None = None, is_read_only: bool = False
) -> Iterator[Desk]:
    """The desk of a file or a generation's folder. Raises ToolgaugeError."""
    file = session_file(place)
    folder, originals = out or file.with_name(f"{file.stem}.review"), open_originals(file, language)
    with closing(Desk(folder, originals, is_read_only=is_read_only)) as desk:
        if not is_read_only:
            complete(desk)
        yield desk


def _let_in(desk: Desk, reviewers: Sequence[str]) -> list[str]:
    """Everybody who is named takes part, and has a link; somebody does in any case. What leads decided since holds: who
    was taken out stays out, which is told, and a link that took the place of ours is not replaced."""
    links, people = read_links(desk.folder), desk.state.people
    stay_out = []
    for name in [*reviewers] or ([] if people else [_user()]):
        person = people.get(name)
        if person is not None and not person.is_active:
            stay_out.append(f"{name} was removed from the review; only a lead can let them in again")
        elif person is None or name not in links:
            require_name(name)
            links[name] = token = new_token()
            is_lead = person.is_lead if person else not any(other.is_lead for other in people.values())
            desk.happen(PersonAdded(name=name, is_lead=is_lead, token_sha256=digest(token)))
    write_links(desk.folder, links)
    return stay_out


def _user() -> str:
    try:
        return getpass.getuser()[:80] or "reviewer"
    except OSError:
        return "reviewer"


def _listen(host: str, port: int) -> socket.socket:
    try:
        if ":" not in host:
            return listening(host, port)
        both = host in _ANY and socket.has_dualstack_ipv6()
        return listening(host, port, family=socket.AF_INET6, dualstack_ipv6=both)
    except OSError as error:
        raise UsageError(f"cannot use --port {port}: {os_cause(error)}; choose another port, or none") from error


def _addresses() -> list[str]:
    """The addresses of this machine by which others know it."""
    try:
        entries = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))
