"""The addresses of a review and what they answer. The API is told in docs/review.md."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
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
from toolgauge.review.events import AnyEvent, Forbidden, Malformed, Place, Refusal, Refused, Stale
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

Values = Mapping[str, str]
"""What stands behind `?` in an address; `ui` is the language of the interface."""
Endpoint = Callable[[Request, Person], Awaitable[Response]]


class Problem(msgspec.Struct, omit_defaults=True):
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
        self.streams, self._survey, self._agreements = Streams(desk), Survey(desk), figures.Agreements(desk)
        self._under_way: Counter[str] = Counter()
        answers = (self.queue, self.search, self.session, self.differences, self.opinions, self.team, self.rounds)
        self.app = Starlette(
            routes=[
                Route("/", self._open(self.page)),
                Route("/enter", self.enter),
                Route("/assets/{name:path}", self.assets),
                *(Route(f"/api/{one.__name__}", self._open(self._data(one))) for one in (*answers, self.figures)),
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
                return await endpoint(request, person)
            except ToolgaugeError as error:
                return _problem(request, error)
            finally:
                self._under_way[person.name] -= 1

        return answer

    def _data(self, answer: Callable[[Person, Values], Awaitable[object]]) -> Endpoint:
        async def endpoint(request: Request, person: Person) -> Response:
            return _json(await answer(person, dict(request.query_params) | {"ui": _language(request)}))

        return endpoint

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

    async def page(self, request: Request, person: Person) -> Response:
        token = proof(request.cookies[self.cookie])
        page = application(self.desk.originals.sha256, person, token, self.desk.state.number, _language(request))
        return Response(page, headers=_HEADERS, media_type="text/html")

    async def assets(self, request: Request) -> Response:
        found = asset(request.path_params["name"])
        if found is None:
            return Response(status_code=404, headers=_HEADERS)
        return Response(found.content, headers=_HEADERS, media_type=found.kind)

    async def queue(self, person: Person, values: Values) -> object:
        """The sessions, a line each: those that differ since the numbers of an earlier answer."""
        since, found = _number(values, "since") or 0, _number(values, "found") or 0
        return views.queue_view(self.desk, person, self._survey, values["ui"], since, found)

    async def search(self, person: Person, values: Values) -> object:
        return views.search(self.desk, person, self._survey, values.get("words", ""))

    async def session(self, person: Person, values: Values) -> object:
        """A session, whole, with the warnings of the version that is told."""
        name = values.get("id", "")
        copy = self.desk.copy_of(person.name, name)
        found = await self._survey.warned(name, copy)
        while (current := self.desk.copy_of(person.name, name)).version != copy.version:
            copy, found = current, await self._survey.warned(name, current)
        return views.session_view(self.desk, person, name, found, values["ui"])

    async def differences(self, person: Person, values: Values) -> object:
        since, until = _number(values, "since") or 0, _number(values, "until")
        return views.differences_view(self.desk, person, values.get("id", ""), since, until)

    async def opinions(self, person: Person, values: Values) -> object:
        """Where opinions differ; with an id one conflict, with `of` too the session as one reviewer has it."""
        desk, name, owner = self.desk, values.get("id"), values.get("of")
        if name:
            return views.opinion_view(desk, person, name, owner) if owner else views.conflict_view(desk, person, name)
        if not person.is_lead:
            return views.opinions_view(desk, person)
        measured = await asyncio.to_thread(self._agreements.measure, figures.given_opinions(desk.state))
        judge = await asyncio.to_thread(figures.judge_agreement, desk, figures.decided(desk.state))
        return views.opinions_view(desk, person, measured, judge)

    async def team(self, person: Person, _values: Values) -> object:
        return views.team_view(self.desk, person)

    async def rounds(self, person: Person, _values: Values) -> object:
        return views.rounds_view(self.desk, person)

    async def figures(self, person: Person, _values: Values) -> object:
        return views.progress_view(self.desk, person)

    async def export(self, request: Request, person: Person) -> Response:
        """What is approved, as an archive, for who leads. unapproved=1: everything that was not rejected; check=1: only
        what the last check finds."""
        require_lead(self.desk, person.name)
        unapproved, desk = request.query_params.get("unapproved") == "1", self.desk
        if request.query_params.get("check") == "1":
            made = await asyncio.to_thread(prepared_beside, desk.folder, desk.originals, unapproved)
            return _json(views.export_view(made, _language(request)))
        content = await asyncio.to_thread(archive, desk.folder, desk.originals, unapproved)
        headers = _HEADERS | {"Content-Disposition": 'attachment; filename="reviewed.zip"'}
        return Response(content, headers=headers, media_type="application/zip")

    async def command(self, request: Request, person: Person) -> Response:
        return _json(Done(do(self.desk, person.name, await _sent(request, AnyCommand))))

    async def check(self, request: Request, person: Person) -> Response:
        """What an edit would lead to; nothing is changed."""
        return _json(views.check_view(self.desk, person, await _sent(request, Edit), _language(request)))

    async def events(self, request: Request, person: Person) -> Response:
        """Server-sent events (streams.py): every event after `since`, then as they happen."""
        told = (_number(request.headers, "last-event-id"), _number(request.query_params, "since"))
        since = next((one for one in told if one is not None), self.desk.state.number)
        stream = self.streams.stream(person.name, since)
        return EventStream(stream, headers=_HEADERS, media_type="text/event-stream")


class EventStream(StreamingResponse):
    """Server-sent events; one whose reader takes nothing any more is cut off."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(STREAM_SECONDS + BODY_SECONDS):
                await super().__call__(scope, receive, send)


async def _sent(request: Request, kind: Any) -> Any:
    """The command that a request holds. Raises Malformed."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Malformed(_("a command must be sent as application/json"))
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MAX_COMMAND_BYTES:
                    raise ValueError(f"longer than {MAX_COMMAND_BYTES >> 20} MB")
        return msgspec.json.decode(bytes(body), type=kind)
    except (ClientDisconnect, TimeoutError) as error:
        raise Malformed(_("invalid command: {why}", why="it did not arrive")) from error
    except (ValueError, RecursionError) as error:
        raise Malformed(_("invalid command: {why}", why=str(error))) from error


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
    said = _("internal error ({kind}); please report it", kind=type(error).__name__)
    return _refused(request, 500, "broken", said)


def _number(values: Mapping[str, str], name: str) -> int | None:
    """A number of an event; None for anything else."""
    text = values.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else None


def _language(request: Request) -> str:
    """The language of the interface: that of the address, the cookie, or the browser's first one."""
    asked = request.query_params.get("ui") or request.cookies.get("toolgauge_language")
    if asked in ("en", "zh"):
        return asked
    return "zh" if request.headers.get("accept-language", "").lower().startswith("zh") else "en"
