"""The server: who gets a link and is let in, what is answered, what keeps others out, as docs/review.md has it."""

from __future__ import annotations

import asyncio
import re
import stat
import typing
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from starlette.routing import Route
from starlette.testclient import TestClient

from tests.docs.pages import ROOT
from tests.review.conftest import Enter, OpenDesk, ask
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review import commands, events
from toolgauge.review.access import COOKIE, LINKS, PROOF, Hosts, proof, write_links
from toolgauge.review.commands import AddPerson, RemovePerson, SetRole
from toolgauge.review.handling import do
from toolgauge.review.server import ReviewServer
from toolgauge.review.serving import open_desk as opened_desk
from toolgauge.review.serving import serving
from toolgauge.review.streams import Streams

JSON = {"content-type": "application/json"}


def edit(client: TestClient, text: str, base: int = 0, **more: object) -> Any:
    edits = [{"edit": "utterance", "task": 0, "text": text}]
    return ask(client, do="edit", session="mini_0", base=base, edits=edits, **more)


def test_a_link_lets_in_and_leaves_no_token_behind(enter: Enter) -> None:
    client = enter("")
    answer = client.get("/enter?token=Bo", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie, "a strict one does not follow a redirect from another site"
    assert client.get("/api/queue").json()["you"] == "Bo"


@pytest.mark.parametrize("path", ["/", "/api/queue", "/api/session?id=mini_0", "/api/events", "/api/do"])
def test_nobody_else_is_let_in(enter: Enter, path: str) -> None:
    client = enter("")
    client.cookies.set(COOKIE, "guessed")
    assert (client.post(path) if path.endswith("do") else client.get(path)).status_code == 401
    assert client.get("/enter?token=guessed").status_code == 403


@pytest.mark.parametrize(
    "headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"host": "127.0.0.1:1"}]
)
def test_another_name_or_origin_is_refused(enter: Enter, headers: dict[str, str]) -> None:
    client = enter("Bo")
    for path in ("/api/queue", "/", "/enter?token=Ada"):
        assert client.get(path, headers=headers).status_code == 403
    assert client.post("/api/do", json={"do": "undo"}, headers=headers).status_code == 403


def test_a_form_of_another_site_does_nothing(enter: Enter) -> None:
    """The cookie of a link goes along where a person follows one; a command also needs what only our pages know."""
    client = enter("Ada")
    del client.headers[PROOF]
    body = {"do": "removeperson", "name": "Bo"}
    for headers in ({}, {"content-type": "text/plain"}, {PROOF: proof("Bo")}, {"origin": "null", PROOF: proof("Ada")}):
        assert client.post("/api/do", json=body, headers=headers).status_code == 403
    assert client.post("/api/do", data=body, headers={PROOF: proof("Ada")}).status_code == 400
    assert len(client.get("/api/queue").json()["people"]) == 3


TRAVERSALS = ("../../etc/passwd", "..%2f..%2fetc", "/etc/passwd", "mini_0/../mini_1", "%00", "\u202e", "x" * 10_000)


@pytest.mark.parametrize("name", TRAVERSALS)
def test_an_id_is_never_a_path(enter: Enter, name: str) -> None:
    client = enter("Ada")
    for path in ("session", "differences", "opinions"):
        assert client.get(f"/api/{path}", params={"id": name}).status_code == 422, path
    assert ask(client, do="decide", session=name, base=0, outcome="approved").status_code == 422
    assert client.get(f"/assets/{name}").status_code == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods_do_nothing(enter: Enter, method: str) -> None:
    assert enter("Ada").request(method, "/api/do").status_code == 405


def test_who_is_not_let_in_gets_a_page_with_nothing_of_what_they_sent(enter: Enter) -> None:
    evil = "<script>alert(1)</script>"
    for path, status in (("/enter", 403), ("/", 401)):
        answer = enter("").get(path, params={"token": evil, "ui": evil}, headers={"accept-language": evil})
        assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
        assert "<h1>" in answer.text
        assert "alert(1)" not in answer.text


def test_everything_is_sent_with_a_strict_policy(enter: Enter) -> None:
    client = enter("Bo")
    for path in ("/", "/api/queue", "/assets/application.js", "/assets/base.css"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    for name in ("../app.py", "desk.py", "application.html", "nothing.js", "%2e%2e/app.py"):
        assert client.get(f"/assets/{name}").status_code == 404


def test_somebody_removed_is_out_at_once(enter: Enter) -> None:
    lead, other = enter("Ada"), enter("Bo")
    assert ask(other, do="removeperson", name="Cy").status_code == 403
    assert ask(lead, do="removeperson", name="Bo").status_code == 200
    assert other.get("/api/queue").status_code == 401
    assert ask(lead, do="addperson", name="Bo", token="a new token of Bo").status_code == 200
    assert enter("a new token of Bo").get("/api/queue").json()["you"] == "Bo"


def test_an_edit_and_a_stale_one(enter: Enter) -> None:
    client = enter("Bo")
    event = edit(client, "so", key="k").json()["event"]
    assert (event["who"], event["event"]) == ("Bo", "edited")
    assert edit(client, "so", key="k").json()["event"] == event
    late = edit(client, "else")
    assert (late.status_code, late.json()["code"], late.json()["version"]) == (409, "stale", event["number"])
    seen = client.get("/api/session?id=mini_0").json()
    assert (seen["version"], seen["tasks"][0]["utterance"]) == (event["number"], "so")


BAD: list[tuple[bytes, int]] = [
    (b"", 400),
    (b"[]", 400),
    (b'{"do":"eval"}', 400),
    (b"[" * 100_000, 400),
    (b'{"do":"edit","session":"mini_0","base":-1,"edits":[]}', 400),
    (b'{"do":"edit","session":"nowhere","base":0,"edits":[]}', 422),
    (b'{"do":"edit","session":"mini_0","base":0,"edits":[]}', 422),
    (b'{"do":"edit","session":"mini_0","base":0,"edits":[{"edit":"utterance","task":99,"text":"x"}]}', 422),
    (b'{"do":"edit","session":"mini_0","base":0,"edits":[{"edit":"result","task":0,"call":0,"result":1e999}]}', 400),
    (b'{"do":"comment","session":"mini_0","text":""}', 400),
    (b'{"do":"settle","session":"mini_0","base":0,"chosen":"Bo"}', 422),
    (b'{"do":"drawround"}', 403),
    (b'{"do":"inspect","session":"mini_0","base":0}', 422),
]


@pytest.mark.parametrize(("body", "status"), BAD)
def test_what_is_no_command_is_refused_in_words(enter: Enter, body: bytes, status: int) -> None:
    client = enter("Bo")
    answer = client.post("/api/do", content=body, headers=JSON)
    assert answer.status_code == status, answer.text
    chinese = client.post("/api/do?ui=zh", content=body, headers=JSON).json()["message"]
    assert answer.json()["message"] != chinese
    assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)


def test_opinions_stay_blind(enter: Enter) -> None:
    lead, one, other = enter("Ada"), enter("Bo"), enter("Cy")
    assert ask(lead, do="assign", sessions={"mini_0": ["Bo", "Cy"]}).status_code == 200
    edit(one, "what Bo thinks")
    ask(one, do="comment", session="mini_0", text="Bo's thought")
    seen = other.get("/api/session?id=mini_0")
    assert not {"what Bo thinks", "Bo's thought"} & set(re.findall(r'"([^"]*)"', seen.text))
    assert seen.json()["history"] == []
    assert lead.get("/api/session?id=mini_0").status_code == 403
    line = next(one for one in other.get("/api/queue").json()["sessions"] if one["id"] == "mini_0")
    assert (line["version"], line["is_edited"], line["comments"], line["is_open"]) == (0, False, 0, True)
    assert not next(one for one in lead.get("/api/queue").json()["sessions"] if one["id"] == "mini_0")["is_open"]


def test_a_check_tells_what_an_edit_would_lead_to(enter: Enter) -> None:
    client = enter("Bo")
    arguments = client.get("/api/session?id=mini_0").json()["tasks"][0]["calls"][0]["arguments"]
    wrong = {"edit": "arguments", "task": 0, "call": 0, "arguments": {"origin": 7}}
    asked = {"do": "edit", "session": "mini_0", "base": 0, "edits": [wrong]}
    told = client.post("/api/check", json=asked).json()
    places = {(one["warned"]["place"]["part"], one["warned"]["place"].get("path", "")) for one in told["warnings"]}
    assert ("call", "origin") in places
    assert all(one["is_new"] for one in told["warnings"])
    assert client.get("/api/session?id=mini_0").json()["version"] == 0
    event = ask(client, **asked).json()["event"]
    again = {**asked, "edits": [{**wrong, "arguments": arguments}], "base": event["number"]}
    better = client.post("/api/check", json=again).json()
    assert (better["solved"], better["warnings"]) == (len(told["warnings"]), [])
    assert client.post("/api/check", json=asked).status_code == 409


# Links, from one start of the server to the next.


def opened(folder: Path, *names: str) -> tuple[dict[str, str], list[str]]:
    """The tokens that are shown where the review is opened with these reviewers, and what is told besides."""
    with serving(MINI_FILE, folder, names, ("127.0.0.1", 0), "en") as started:
        return {name: link.partition("token=")[2] for name, link in started.links.items()}, [*map(str, started.notes)]


def lead(folder: Path, command: AddPerson | RemovePerson) -> None:
    with opened_desk(MINI_FILE, folder, "en") as desk:
        do(desk, "Ada", command)


def test_links_outlive_the_server_and_a_lost_one_is_made_anew(tmp_path: Path) -> None:
    first, notes = opened(tmp_path, "Ada", "Bo")
    assert ([*first], notes) == (["Ada", "Bo"], [])
    assert opened(tmp_path, "Ada")[0] == opened(tmp_path)[0] == first
    (tmp_path / LINKS).unlink()
    again, _notes = opened(tmp_path, "Bo")
    assert [*again] == ["Bo"]
    assert again["Bo"] != first["Bo"]


def test_who_was_taken_out_stays_out(tmp_path: Path) -> None:
    first, _notes = opened(tmp_path, "Ada", "Bo")
    lead(tmp_path, RemovePerson(name="Bo"))
    links, notes = opened(tmp_path, "Ada", "Bo")
    assert links == {"Ada": first["Ada"]}
    assert notes == ["Bo was removed from the review; only a lead can let them in again"]
    lead(tmp_path, AddPerson(name="Bo", token="a new token of Bo"))
    assert opened(tmp_path, "Ada", "Bo") == ({"Ada": first["Ada"]}, []), "the old link is no longer one"


def test_nobody_else_can_read_the_links_at_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    replace = Path.replace

    def watched(self: Path, target: Path) -> Path:
        seen.append(stat.S_IMODE(self.stat().st_mode))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    (tmp_path / LINKS).write_text("{}")
    (tmp_path / LINKS).chmod(0o644)
    write_links(tmp_path, {"Ada": "secret"})
    assert [*seen, stat.S_IMODE((tmp_path / LINKS).stat().st_mode)] == [0o600, 0o600]


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        (RemovePerson(name="Bo"), True),
        (AddPerson(name="Bo", token="0" * 64), True),
        (RemovePerson(name="Cy"), False),
    ],
)
def test_the_stream_of_who_was_taken_out_ends(
    command: AddPerson | RemovePerson, ends: bool, open_desk: OpenDesk
) -> None:
    desk = open_desk()

    async def heard() -> None:
        stream = Streams(desk).stream("Bo", desk.state.number)
        await stream.__anext__()
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        do(desk, "Ada", command)
        assert b'"number":' in await waiting, "the event itself is told"
        if ends:
            with pytest.raises(StopAsyncIteration):
                await stream.__anext__()
        else:
            do(desk, "Ada", SetRole(name="Bo", is_lead=True))
            assert b'"number":' in await stream.__anext__()

    asyncio.run(heard())


# The page about the API.

PAGE = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
OF_ALL = {"key", "number", "at", "who"}
"""Fields that the page tells once."""
KINDS: tuple[object, ...] = (commands.AnyCommand, commands.AnyEdit, events.AnyEvent)


@pytest.mark.parametrize("kind", [one for union in KINDS for one in typing.get_args(union)])
def test_what_is_sent_and_kept_is_told_of(kind: type[Struct]) -> None:
    fields = ", ".join(f"`{name}`" for name in kind.__struct_fields__ if name not in OF_ALL)
    row = f"| `{kind.__struct_config__.tag}` | {fields} |"
    assert row in PAGE.splitlines(), f"docs/review.md needs the row\n{row}"


def test_every_address_is_told_of(open_desk: OpenDesk) -> None:
    for route in ReviewServer(open_desk(), Hosts(8770)).app.routes:
        assert isinstance(route, Route)
        assert f"`{route.path}" in PAGE or f" {route.path}" in PAGE or "/api/" not in route.path, route.path
