"""The addresses of a review and what they answer. The API is told in docs/review.md.

GET  /                    the application          GET  /api/queue            the sessions, a line each
GET  /enter?token=...     a personal link          GET  /api/session?id=...   a session, whole
GET  /assets/...          scripts and styles       GET  /api/events?since=N   what happens, as it happens
POST /api/do              a command (commands.py)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from toolgauge.errors import StoreError, ToolgaugeError
from toolgauge.limits import MAX_LINE_BYTES
from toolgauge.locale import Text, _, translated
from toolgauge.locale.foreign import cause
from toolgauge.report.rendering import POLICY
from toolgauge.review.commands import AnyCommand
from toolgauge.review.desk import Desk
from toolgauge.review.events import AnyEvent
from toolgauge.review.handlers import do
from toolgauge.review.refusals import Forbidden, Refused, Stale
from toolgauge.review.server.access import PROOF, Hosts, cookie_name, person_of, proof
from toolgauge.review.state import Person
from toolgauge.review.views.application import application, asset
from toolgauge.review.views.queue import queue_view
from toolgauge.review.views.session import session_view

_COMMANDS = msgspec.json.Decoder(AnyCommand)
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; connect-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STATUS: tuple[tuple[type[ToolgaugeError], int], ...] = (
    (Forbidden, 403),
    (Stale, 409),
    (Refused, 422),
    (StoreError, 503),
)
_YEAR = 365 * 24 * 3600
_PING_SECONDS = 15.0
"""Between two signs of life of a stream in which nothing happens."""

Endpoint = Callable[[Request, Person], Awaitable[Response]]


class Problem(msgspec.Struct):
    """What is answered where something is not done. code: of a closed set; version: of a copy that was changed."""

    code: str
    message: str
    version: int | None = None


class Done(msgspec.Struct):
    """The answer to a command: what happened."""

    event: AnyEvent


class ReviewServer:
    """The application over a desk. hosts: the names under which it may be asked."""

    def __init__(self, desk: Desk, hosts: Hosts) -> None:
        self.desk, self.hosts, self.cookie = desk, hosts, cookie_name(desk.folder)
        self._streams: set[asyncio.Queue[AnyEvent | None]] = set()
        desk.listeners.append(self._tell)
        self.app = Starlette(
            routes=[
                Route("/", self._open(self.page)),
                Route("/enter", self.enter),
                Route("/assets/{name:path}", self.assets),
                Route("/api/queue", self._open(self.queue)),
                Route("/api/session", self._open(self.session)),
                Route("/api/events", self._open(self.events)),
                Route("/api/do", self._open(self.command), methods=["POST"]),
            ],
            exception_handlers={Exception: _broken},
        )

    def _open(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint for people who take part; everybody else is told how to."""

        async def answer(request: Request) -> Response:
            token = request.cookies.get(self.cookie, "")
            person = person_of(self.desk.state, token)
            if not self.hosts.allows(request.headers):
                return _refused(request, 403, "host", _("this server is not asked under this name"))
            if person is None:
                return _refused(request, 401, "person", _("open your personal link first; whoever started this has it"))
            if request.method == "POST" and request.headers.get(PROOF) != proof(token):
                return _refused(request, 403, "proof", _("reload the page: its proof is not that of your link"))
            try:
                return await endpoint(request, person)
            except ToolgaugeError as error:
                return _problem(request, error)

        return answer

    async def enter(self, request: Request) -> Response:
        """A personal link: the token goes into a cookie, and out of the address."""
        token = request.query_params.get("token", "")
        if not self.hosts.allows(request.headers) or person_of(self.desk.state, token) is None:
            return _refused(request, 403, "person", _("this link is of nobody who takes part; ask for a new one"))
        answer = RedirectResponse("/", 303, _HEADERS)
        answer.set_cookie(self.cookie, token, max_age=_YEAR, httponly=True, samesite="strict", path="/")
        return answer

    async def page(self, request: Request, person: Person) -> Response:
        return Response(
            application(self.desk.originals.sha256, person, proof(request.cookies[self.cookie]), _language(request)),
            headers=_HEADERS,
            media_type="text/html",
        )

    async def assets(self, request: Request) -> Response:
        found = asset(request.path_params["name"])
        if found is None:
            return Response(status_code=404, headers=_HEADERS)
        return Response(found.content, headers=_HEADERS, media_type=found.kind)

    async def queue(self, request: Request, person: Person) -> Response:  # noqa: ARG002 - an Endpoint is told both
        return _json(queue_view(self.desk, person))

    async def session(self, request: Request, person: Person) -> Response:
        return _json(session_view(self.desk, person, request.query_params.get("id", ""), _language(request)))

    async def command(self, request: Request, person: Person) -> Response:
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return _refused(request, 415, "json", _("a command is sent as application/json"))
        try:
            command = _COMMANDS.decode(await _body(request))
        except (ValueError, RecursionError) as error:
            return _refused(request, 400, "command", _("is no command: {why}", why=cause(error)))
        return _json(Done(do(self.desk, person.name, command)))

    async def events(self, request: Request, person: Person) -> Response:
        """Server-sent events: the number, who and what of every event after `since`, then as they happen."""
        asked = request.query_params.get("since") or request.headers.get("last-event-id") or ""
        since = int(asked) if asked.isdecimal() and len(asked) < 12 else self.desk.state.number
        return StreamingResponse(self._stream(person.name, since), headers=_HEADERS, media_type="text/event-stream")

    async def _stream(self, who: str, since: int) -> AsyncIterator[bytes]:
        waiting: asyncio.Queue[AnyEvent | None] = asyncio.Queue()
        self._streams.add(waiting)
        try:
            yield b": here\n\n"
            for event in self.desk.state.events[since:]:
                yield self._sent(event, who)
            while True:
                try:
                    heard = await asyncio.wait_for(waiting.get(), _PING_SECONDS)
                except TimeoutError:
                    yield b": here\n\n"
                    continue
                if heard is None:
                    return
                yield self._sent(heard, who)
        finally:
            self._streams.discard(waiting)

    def _sent(self, event: AnyEvent, who: str) -> bytes:
        """A server-sent event. What is in it is asked for where it is needed; blind work of others is not told of."""
        session = getattr(event, "session", None)
        told = {"number": event.number, "at": event.at, "event": type(event).__name__.lower()}
        known = self.desk.state.sessions.get(session) if session else None
        if known is None or not known.is_blind or event.who == who:
            told |= {"who": event.who, "session": session}
        return b"id: %d\ndata: %s\n\n" % (event.number, msgspec.json.encode(told))

    def _tell(self, event: AnyEvent | None) -> None:
        for stream in self._streams:
            stream.put_nowait(event)

    def end_streams(self) -> None:
        """The server ends; browsers ask again until there is another one."""
        self._tell(None)


async def _body(request: Request) -> bytes:
    """The body of a request, within the bounds of a line of data. Raises ValueError."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_LINE_BYTES:
                raise ValueError("it is too long")
    except ClientDisconnect as error:
        raise ValueError("it was not sent whole") from error
    return bytes(body)


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, _HEADERS, "application/json")


def _problem(request: Request, error: ToolgaugeError) -> Response:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    version = error.version if isinstance(error, Stale) else None
    return _refused(request, status, type(error).__name__.lower(), error.text, version)


async def _broken(request: Request, error: Exception) -> Response:
    """The answer where the program is wrong: a browser does not send again what would fail again."""
    return _refused(
        request, 500, "broken", _("the program is at fault ({kind}); please report it", kind=type(error).__name__)
    )


def _refused(request: Request, status: int, code: str, message: Text, version: int | None = None) -> Response:
    return _json(Problem(code, translated(message, _language(request)), version), status)


def _language(request: Request) -> str:
    """The language of the interface: that of the address, the cookie, or the browser's first one."""
    asked = request.query_params.get("ui") or request.cookies.get("toolgauge_language")
    if asked in ("en", "zh"):
        return asked
    return "zh" if request.headers.get("accept-language", "").lower().startswith("zh") else "en"
