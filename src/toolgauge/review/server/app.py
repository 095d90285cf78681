"""The addresses of a review and what they answer. The API is told in docs/review.md.

GET  /                    the application          GET  /api/queue            the sessions, a line each
GET  /enter?token=...     a personal link          GET  /api/session?id=...   a session, whole
GET  /assets/...          scripts and styles       GET  /api/events?since=N   what happens, as it happens
GET  /api/search?words=   ids of sessions          GET  /api/differences?id=...&since=N&until=N  of two versions
POST /api/do              a command (commands.py)  POST /api/check           what an edit would lead to
GET  /api/team, /api/opinions, /api/rounds, /api/figures: see lead.py
GET  /api/export          what is approved, zipped; for who leads
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from toolgauge.errors import DataError, StoreError, ToolgaugeError
from toolgauge.limits import MAX_COMMAND_BYTES
from toolgauge.locale import Text, _, translated
from toolgauge.report.safe_html import POLICY
from toolgauge.review.commands import AnyCommand, Edit
from toolgauge.review.desk import Desk
from toolgauge.review.events import AnyEvent, Place
from toolgauge.review.export import archive, prepared_beside
from toolgauge.review.handlers import do
from toolgauge.review.handlers.team import require_lead
from toolgauge.review.refusals import Forbidden, Refused, Stale
from toolgauge.review.server.access import PROOF, Hosts, cookie_name, person_of, proof
from toolgauge.review.server.lead import Answer, lead_answers
from toolgauge.review.server.streams import STREAM_SECONDS, Streams
from toolgauge.review.state import Person
from toolgauge.review.survey import Survey
from toolgauge.review.views.application import application, asset, notice
from toolgauge.review.views.checking import check_view
from toolgauge.review.views.differences import differences_view
from toolgauge.review.views.lead import export_view
from toolgauge.review.views.queue import queue_view, search
from toolgauge.review.views.session import session_view

_COMMANDS = msgspec.json.Decoder(AnyCommand)
_EDITS = msgspec.json.Decoder(Edit)
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
    (DataError, 422),
    (StoreError, 503),
)
_YEAR = 365 * 24 * 3600
MOST_REQUESTS = 16
"""Of a person that are being answered at a time."""
BODY_SECONDS = 20.0
"""In which the body of a request has to arrive."""
_HOST = _("this server does not answer to this host name")

Sent = TypeVar("Sent")
Endpoint = Callable[[Request, Person], Awaitable[Response]]


class Problem(msgspec.Struct):
    """What is answered where something is not done. code: of a closed set; version: of a copy that was changed; place:
    the part of the session that an edit does not fit."""

    code: str
    message: str
    version: int | None = None
    place: Place | None = None


class Done(msgspec.Struct):
    """The answer to a command: what happened."""

    event: AnyEvent


class ReviewServer:
    """The application over a desk. hosts: the names under which it may be asked."""

    def __init__(self, desk: Desk, hosts: Hosts) -> None:
        self.desk, self.hosts, self.cookie = desk, hosts, cookie_name(desk.folder)
        self.streams, self._survey = Streams(desk), Survey(desk)
        self._under_way: Counter[str] = Counter()
        self.app = Starlette(
            routes=[
                Route("/", self._open(self.page)),
                Route("/enter", self.enter),
                Route("/assets/{name:path}", self.assets),
                Route("/api/queue", self._open(self.queue)),
                Route("/api/session", self._open(self.session)),
                *(Route(path, self._data(answer)) for path, answer in lead_answers(desk).items()),
                Route("/api/events", self._open(self.events)),
                Route("/api/search", self._open(self.search)),
                Route("/api/differences", self._open(self.differences)),
                Route("/api/export", self._open(self.export)),
                Route("/api/do", self._open(self.command), methods=["POST"]),
                Route("/api/check", self._open(self.check), methods=["POST"]),
            ],
            lifespan=self._alive,
            exception_handlers={Exception: _broken},
        )

    def _open(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint for people who take part; everybody else is told how to."""

        async def answer(request: Request) -> Response:
            token = request.cookies.get(self.cookie, "")
            person = person_of(self.desk.state, token)
            if not self.hosts.allows(request.headers):
                return _refused(request, 403, "host", _HOST)
            if person is None:
                return _refused(request, 401, "person", _("open your personal link first; ask the review lead for it"))
            if request.method == "POST" and request.headers.get(PROOF) != proof(token):
                return _refused(request, 403, "proof", _("the page does not match your link; reload it"))
            if self._under_way[person.name] >= MOST_REQUESTS:
                return _refused(request, 429, "busy", _("too many requests at once; wait for the answers"))
            self._under_way[person.name] += 1
            try:
                return await endpoint(request, person)
            except ToolgaugeError as error:
                return _problem(request, error)
            finally:
                self._under_way[person.name] -= 1

        return answer

    def _data(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint of data."""

        async def endpoint(request: Request, person: Person) -> Response:
            return _json(await answer(person, dict(request.query_params)))

        return self._open(endpoint)

    async def enter(self, request: Request) -> Response:
        """A personal link: the token goes into a cookie, and out of the address.

        Lax, for people click their links in mails and chats: a browser follows the redirect with a cookie of that kind
        alone. Commands of other sites stay out, for every POST carries its proof."""
        token = request.query_params.get("token", "")
        if not self.hosts.allows(request.headers):
            return _refused(request, 403, "host", _HOST)
        if person_of(self.desk.state, token) is None:
            return _refused(request, 403, "person", _("This link is invalid. Ask the review lead for a new one."))
        answer = RedirectResponse("/", 303, _HEADERS)
        answer.set_cookie(self.cookie, token, max_age=_YEAR, httponly=True, samesite="lax", path="/")
        return answer

    async def page(self, request: Request, person: Person) -> Response:
        token = proof(request.cookies[self.cookie])
        page = application(self.desk.originals.sha256, person, token, self.desk.state.number, _language(request))
        return Response(page, headers=_HEADERS, media_type="text/html")

    async def assets(self, request: Request) -> Response:
        found = asset(request.path_params["name"])
        if found is None:
            return Response(status_code=404, headers=_HEADERS)
        return Response(found.content, headers=_HEADERS, media_type=found.kind)

    @asynccontextmanager
    async def _alive(self, _app: Starlette) -> AsyncIterator[None]:
        """As long as the server runs, warnings are looked for."""
        looking = asyncio.create_task(self._survey.run())
        try:
            yield
        finally:
            looking.cancel()

    async def queue(self, request: Request, person: Person) -> Response:
        since, found = _number(request, "since"), _number(request, "found")
        return _json(queue_view(self.desk, person, self._survey, _language(request), since or 0, found or 0))

    async def search(self, request: Request, person: Person) -> Response:
        return _json(search(self.desk, person, self._survey, request.query_params.get("words", "")))

    async def session(self, request: Request, person: Person) -> Response:
        name, language = request.query_params.get("id", ""), _language(request)
        copy = self.desk.copy_of(person.name, name)
        found = await self._survey.warned(name, copy, language)
        while (current := self.desk.copy_of(person.name, name)).version != copy.version:
            copy, found = current, await self._survey.warned(name, current, language)
        return _json(session_view(self.desk, person, name, found))

    async def differences(self, request: Request, person: Person) -> Response:
        since, until = _number(request, "since") or 0, _number(request, "until")
        return _json(differences_view(self.desk, person, request.query_params.get("id", ""), since, until))

    async def export(self, request: Request, person: Person) -> Response:
        """What is approved, as an archive, for who leads. unapproved=1: everything that was not rejected; check=1: only
        what the last check finds."""
        require_lead(self.desk, person.name)
        unapproved, desk = request.query_params.get("unapproved") == "1", self.desk
        if request.query_params.get("check") == "1":
            made = await asyncio.to_thread(prepared_beside, desk.folder, desk.originals, unapproved)
            return _json(export_view(made, _language(request)))
        content = await asyncio.to_thread(archive, desk.folder, desk.originals, unapproved)
        headers = _HEADERS | {"Content-Disposition": 'attachment; filename="reviewed.zip"'}
        return Response(content, headers=headers, media_type="application/zip")

    async def command(self, request: Request, person: Person) -> Response:
        command = await _sent(request, _COMMANDS)
        return command if isinstance(command, Response) else _json(Done(do(self.desk, person.name, command)))

    async def check(self, request: Request, person: Person) -> Response:
        edit = await _sent(request, _EDITS)
        if isinstance(edit, Response):
            return edit
        return _json(check_view(self.desk, person, edit, _language(request)))

    async def events(self, request: Request, person: Person) -> Response:
        """Server-sent events (streams.py): every event after `since`, then as they happen. session: the one that is
        shown, so that others at it are told of its reader."""
        asked = _number(request, "since")
        last = _count(request.headers.get("last-event-id", ""))
        since = next((one for one in (last, asked) if one is not None), self.desk.state.number)
        session = request.query_params.get("session", "")
        stream = self.streams.stream(person.name, since, session)
        return EventStream(stream, headers=_HEADERS, media_type="text/event-stream")


class EventStream(StreamingResponse):
    """Server-sent events; one whose reader takes nothing any more is cut off."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(STREAM_SECONDS + BODY_SECONDS):
                await super().__call__(scope, receive, send)


async def _sent(request: Request, decoder: msgspec.json.Decoder[Sent]) -> Sent | Response:
    """What a request holds, or the answer that refuses it."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        return _refused(request, 415, "json", _("a command must be sent as application/json"))
    try:
        return decoder.decode(await _body(request))
    except (ValueError, RecursionError) as error:
        return _refused(request, 400, "command", _("invalid command: {why}", why=str(error)))


async def _body(request: Request) -> bytes:
    """The body of a request, within the bounds of a command. Raises ValueError."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MAX_COMMAND_BYTES:
                    raise ValueError(f"longer than {MAX_COMMAND_BYTES >> 20} MB")
    except (ClientDisconnect, TimeoutError) as error:
        raise ValueError("the request was cut off") from error
    return bytes(body)


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, _HEADERS, "application/json")


def _problem(request: Request, error: ToolgaugeError) -> Response:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    problem = Problem(type(error).__name__.lower(), translated(error.text, _language(request)))
    if isinstance(error, Stale):
        problem.version = error.version
    if isinstance(error, Refused):
        problem.place = error.place
    return _json(problem, status)


async def _broken(request: Request, error: Exception) -> Response:
    """The answer where the program is wrong: a browser does not send again what would fail again."""
    said = _("internal error ({kind}); please report it", kind=type(error).__name__)
    return _refused(request, 500, "broken", said)


def _refused(request: Request, status: int, code: str, message: Text) -> Response:
    """As JSON for programs, as a page for who opened an address in a browser."""
    language = _language(request)
    if request.url.path.startswith("/api/"):
        return _json(Problem(code, translated(message, language)), status)
    return Response(notice(translated(message, language), language), status, _HEADERS, "text/html")


def _number(request: Request, name: str) -> int | None:
    return _count(request.query_params.get(name, ""))


def _count(text: str) -> int | None:
    """A number of an event; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else None


def _language(request: Request) -> str:
    """The language of the interface: that of the address, the cookie, or the browser's first one."""
    asked = request.query_params.get("ui") or request.cookies.get("toolgauge_language")
    if asked in ("en", "zh"):
        return asked
    return "zh" if request.headers.get("accept-language", "").lower().startswith("zh") else "en"
