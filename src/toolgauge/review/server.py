"""The addresses of a review and what they answer. The API is told in docs/review.md."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from toolgauge.errors import DataError, StoreError, ToolgaugeError
from toolgauge.limits import MAX_COMMAND_BYTES
from toolgauge.locale import Text, _, translated
from toolgauge.report.frame import POLICY
from toolgauge.review import figures, views
from toolgauge.review.access import PROOF, Hosts, cookie_name, person_of, proof
from toolgauge.review.commands import AnyCommand, Edit
from toolgauge.review.desk import Desk
from toolgauge.review.events import Forbidden, Malformed, Place, Refusal, Refused, Stale
from toolgauge.review.export import archive, prepared_beside
from toolgauge.review.handling import do
from toolgauge.review.page import application, asset, notice
from toolgauge.review.state import Person
from toolgauge.review.streams import STREAM_SECONDS, Streams
from toolgauge.review.survey import Survey
from toolgauge.review.team import require_lead

_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; connect-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_STATUS: tuple[tuple[type[ToolgaugeError], int], ...] = (
    (Malformed, 400),
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


class Problem(msgspec.Struct, omit_defaults=True):
    """What is answered where something is not done. code: of a closed set; version: of a copy that was changed; place:
    the part of the session that an edit does not fit."""

    code: str
    message: str
    version: int | None = None
    place: Place | None = None


class Asked:
    """What somebody who takes part asks for. language: of the interface."""

    def __init__(self, request: Request, person: Person) -> None:
        self.request, self.person, self.language = request, person, _language(request)

    def text(self, name: str) -> str:
        """What stands behind `?` in the address."""
        return self.request.query_params.get(name, "")

    def number(self, name: str) -> int | None:
        """The number of an event; None for anything else."""
        return _number(self.text(name))

    async def sent(self, kind: Any) -> Any:
        """The command in the body. Raises Malformed."""
        if self.request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise Malformed(_("a command must be sent as application/json"))
        body = bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for part in self.request.stream():
                    body += part
                    if len(body) > MAX_COMMAND_BYTES:
                        raise ValueError(f"longer than {MAX_COMMAND_BYTES >> 20} MB")
            return msgspec.json.decode(bytes(body), type=kind)
        except (ClientDisconnect, TimeoutError) as error:
            raise Malformed(_("invalid command: {why}", why="it did not arrive")) from error
        except (ValueError, RecursionError) as error:
            raise Malformed(_("invalid command: {why}", why=str(error))) from error


Endpoint = Callable[[Asked], Awaitable[object]]
"""Gives a response, or what is sent as JSON. Raises ToolgaugeError."""


class ReviewServer:
    """The application over a desk. hosts: the names under which it may be asked."""

    def __init__(self, desk: Desk, hosts: Hosts) -> None:
        self.desk, self.hosts, self.cookie = desk, hosts, cookie_name(desk.folder)
        self.streams, self._survey, self._agreements = Streams(desk), Survey(desk), figures.Agreements(desk)
        self._under_way: Counter[str] = Counter()
        views_of_page = (self.queue, self.search, self.session, self.differences, self.opinions, self.team, self.rounds)
        self.app = Starlette(
            routes=[
                Route("/", self._open(self.page)),
                Route("/enter", self.enter),
                Route("/assets/{name:path}", _asset),
                *(Route(f"/api/{view.__name__}", self._open(view)) for view in (*views_of_page, self.figures)),
                Route("/api/events", self._open(self.events)),
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
                return _foreign(request)
            if person is None:
                return _refused(request, 401, "person", _("open your personal link first; ask the review lead for it"))
            if request.method == "POST" and request.headers.get(PROOF) != proof(token):
                return _refused(request, 403, "proof", _("the page does not match your link; reload it"))
            if self._under_way[person.name] >= MOST_REQUESTS:
                return _refused(request, 429, "busy", _("too many requests at once; wait for the answers"))
            self._under_way[person.name] += 1
            try:
                result = await endpoint(Asked(request, person))
            except ToolgaugeError as error:
                return _problem(request, error)
            finally:
                self._under_way[person.name] -= 1
            return result if isinstance(result, Response) else _json(result)

        return answer

    @asynccontextmanager
    async def _alive(self, _app: Starlette) -> AsyncIterator[None]:
        """As long as the server runs, warnings are looked for."""
        looking = asyncio.create_task(self._survey.run())
        try:
            yield
        finally:
            looking.cancel()

    async def enter(self, request: Request) -> Response:
        """A personal link: the token goes into a cookie, and out of the address.

        Lax, for people click their links in mails and chats: a browser follows the redirect with a cookie of that kind
        alone. Commands of other sites stay out, for every POST carries its proof."""
        token = request.query_params.get("token", "")
        if not self.hosts.allows(request.headers):
            return _foreign(request)
        if person_of(self.desk.state, token) is None:
            return _refused(request, 403, "person", _("This link is invalid. Ask the review lead for a new one."))
        answer = RedirectResponse("/", 303, _HEADERS)
        answer.set_cookie(self.cookie, token, max_age=_YEAR, httponly=True, samesite="lax", path="/")
        return answer

    async def page(self, asked: Asked) -> Response:
        state, token = self.desk.state, proof(asked.request.cookies[self.cookie])
        page = application(self.desk.originals.sha256, asked.person, token, state.number, asked.language)
        return Response(page, headers=_HEADERS, media_type="text/html")

    async def queue(self, asked: Asked) -> object:
        """The sessions, a line each: those that differ since the numbers of an earlier answer."""
        since, found = asked.number("since") or 0, asked.number("found") or 0
        return views.queue_view(self.desk, asked.person, self._survey, asked.language, since, found)

    async def search(self, asked: Asked) -> object:
        return views.search(self.desk, asked.person, self._survey, asked.text("words"))

    async def session(self, asked: Asked) -> object:
        """A session, whole, with the warnings of the version that is told."""
        who, name = asked.person.name, asked.text("id")
        copy = self.desk.copy_of(who, name)
        found = await self._survey.warned(name, copy)
        while (current := self.desk.copy_of(who, name)).version != copy.version:
            copy, found = current, await self._survey.warned(name, current)
        return views.session_view(self.desk, asked.person, name, found, asked.language)

    async def differences(self, asked: Asked) -> object:
        since, until = asked.number("since") or 0, asked.number("until")
        return views.differences_view(self.desk, asked.person, asked.text("id"), since, until)

    async def opinions(self, asked: Asked) -> object:
        """Where opinions differ; with an id one conflict, with `of` too the session as one reviewer has it."""
        desk, person, name, owner = self.desk, asked.person, asked.text("id"), asked.text("of")
        if name:
            return views.opinion_view(desk, person, name, owner) if owner else views.conflict_view(desk, person, name)
        if not person.is_lead:
            return views.opinions_view(desk, person)
        measured = await asyncio.to_thread(self._agreements.measure, figures.given_opinions(desk.state))
        judge = await asyncio.to_thread(self._agreements.with_judge, figures.decided(desk.state))
        return views.opinions_view(desk, person, measured, judge)

    async def team(self, asked: Asked) -> object:
        return views.team_view(self.desk, asked.person)

    async def rounds(self, asked: Asked) -> object:
        return views.rounds_view(self.desk, asked.person)

    async def figures(self, asked: Asked) -> object:
        return views.progress_view(self.desk, asked.person)

    async def export(self, asked: Asked) -> object:
        """What is approved, as an archive, for who leads. unapproved=1: everything that was not rejected; check=1: only
        what the last check finds."""
        require_lead(self.desk, asked.person.name)
        unapproved, desk = asked.text("unapproved") == "1", self.desk
        if asked.text("check") == "1":
            export = await asyncio.to_thread(prepared_beside, desk.folder, desk.originals, unapproved)
            return views.export_view(export, asked.language)
        content = await asyncio.to_thread(archive, desk.folder, desk.originals, unapproved)
        headers = _HEADERS | {"Content-Disposition": 'attachment; filename="reviewed.zip"'}
        return Response(content, headers=headers, media_type="application/zip")

    async def command(self, asked: Asked) -> object:
        return {"event": do(self.desk, asked.person.name, await asked.sent(AnyCommand))}

    async def check(self, asked: Asked) -> object:
        """What an edit would lead to; nothing is changed."""
        return views.check_view(self.desk, asked.person, await asked.sent(Edit), asked.language)

    async def events(self, asked: Asked) -> Response:
        """Server-sent events (streams.py): every event after `since`, then as they happen."""
        numbers = (_number(asked.request.headers.get("last-event-id", "")), asked.number("since"))
        since = next((number for number in numbers if number is not None), self.desk.state.number)
        return EventStream(self.streams.stream(asked.person.name, since))


class EventStream(StreamingResponse):
    """Server-sent events; one whose reader takes nothing any more is cut off, and its stream is closed then."""

    def __init__(self, stream: AsyncGenerator[bytes, None]) -> None:
        super().__init__(stream, headers=_HEADERS, media_type="text/event-stream")
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(TimeoutError):
            async with aclosing(self._stream), asyncio.timeout(STREAM_SECONDS + BODY_SECONDS):
                await super().__call__(scope, receive, send)


async def _asset(request: Request) -> Response:
    content, kind = asset(request.path_params["name"])
    return Response(content, headers=_HEADERS, media_type=kind) if kind else Response(status_code=404, headers=_HEADERS)


def _json(value: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, _HEADERS, "application/json")


def _problem(request: Request, error: ToolgaugeError) -> Response:
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    message = error.message if isinstance(error, Refusal) else error.text
    problem = Problem(type(error).__name__.lower(), translated(message, _language(request)))
    if isinstance(error, Stale):
        problem.version = error.version
    if isinstance(error, Refused):
        problem.place = error.place
    return _json(problem, status)


def _refused(request: Request, status: int, code: str, message: Text) -> Response:
    """As JSON for programs, as a page for who opened an address in a browser."""
    language = _language(request)
    if request.url.path.startswith("/api/"):
        return _json(Problem(code, translated(message, language)), status)
    return Response(notice(translated(message, language), language), status, _HEADERS, "text/html")


def _foreign(request: Request) -> Response:
    return _refused(request, 403, "host", _("this server does not answer to this host name"))


async def _broken(request: Request, error: Exception) -> Response:
    """The answer where the program is wrong: a browser does not send again what would fail again."""
    message = _("internal error ({kind}); please report it", kind=type(error).__name__)
    return _refused(request, 500, "broken", message)


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else None


def _language(request: Request) -> str:
    """The language of the interface: that of the address, the cookie, or the browser's first one."""
    chosen = request.query_params.get("ui") or request.cookies.get("toolgauge_language")
    if chosen in ("en", "zh"):
        return chosen
    return "zh" if request.headers.get("accept-language", "").lower().startswith("zh") else "en"
