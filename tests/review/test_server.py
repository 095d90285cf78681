"""The server: who is let in, what is answered, what keeps others out."""

from __future__ import annotations

import re
import socket
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.review.conftest import BASE, Enter, OpenDesk, ask
from toolgauge.review.server import app
from toolgauge.review.server.access import COOKIE, PROOF, Hosts, digest, proof
from toolgauge.review.server.app import ReviewServer
from toolgauge.review.server.serving import _listen
from toolgauge.review.views.application import SCRIPTS, SITE_SCRIPTS


def edit(client: TestClient, text: str, base: int = 0, **more: object) -> Any:
    edits = [{"edit": "utterance", "task": 0, "text": text}]
    return ask(client, do="edit", session="mini_0", base=base, edits=edits, **more)


def test_a_link_lets_in_and_leaves_no_token_behind(enter: Enter) -> None:
    client = enter("")
    answer = client.get("/enter?token=Bo", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.get("/api/queue").json()["you"] == "Bo"


@pytest.mark.parametrize("path", ["/", "/api/queue", "/api/session?id=mini_0", "/api/events", "/api/do"])
def test_nobody_else_is_let_in(enter: Enter, path: str) -> None:
    client = enter("")
    client.cookies.set(COOKIE, "guessed")
    assert (client.post(path) if path.endswith("do") else client.get(path)).status_code == 401
    assert client.get("/enter?token=guessed").status_code == 403


def test_a_command_needs_the_proof_of_a_page_of_ours(enter: Enter) -> None:
    client = enter("Bo")
    del client.headers[PROOF]
    assert edit(client, "forged").status_code == 403
    client.headers[PROOF] = proof("Ada")
    assert edit(client, "forged").status_code == 403


@pytest.mark.parametrize(
    "headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"host": "127.0.0.1:1"}]
)
def test_another_name_or_origin_is_refused(enter: Enter, headers: dict[str, str]) -> None:
    client = enter("Bo")
    assert client.get("/api/queue", headers=headers).status_code == 403


def test_somebody_removed_is_out_at_once(enter: Enter) -> None:
    lead, other = enter("Ada"), enter("Bo")
    assert ask(other, do="removeperson", name="Cy").status_code == 403
    assert ask(lead, do="removeperson", name="Bo").status_code == 200
    assert other.get("/api/queue").status_code == 401
    assert ask(lead, do="addperson", name="Bo", token_sha256=digest("new")).status_code == 200
    assert enter("new").get("/api/queue").json()["you"] == "Bo"


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


def test_two_reviews_of_one_machine_do_not_take_each_others_cookies(open_desk: OpenDesk) -> None:
    desk = open_desk()
    other = ReviewServer(desk, Hosts(8770))
    other.cookie += "-of-another-folder"
    servers = [TestClient(one.app, base_url=BASE) for one in (ReviewServer(desk, Hosts(8770)), other)]
    for client in servers:
        client.get("/enter?token=Bo")
    servers[0].cookies.update(servers[1].cookies)
    for client in servers:
        assert client.get("/api/queue").status_code == 200
        client.close()


def test_where_the_program_is_wrong_a_browser_is_told(enter: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    client = enter("Bo")

    def fails(*_: object) -> None:
        raise KeyError("Bo")

    monkeypatch.setattr(app, "do", fails)
    quiet = TestClient(client.app, base_url=BASE, raise_server_exceptions=False, cookies=client.cookies)
    answer = quiet.post("/api/do", json={"do": "undo", "session": "mini_0", "base": 0}, headers=client.headers)
    assert (answer.status_code, answer.json()["code"]) == (500, "broken")


@pytest.mark.parametrize(
    ("names", "port", "host"),
    [
        ((), 8770, "LocalHost:8770"),
        ((), 8770, "[::1]:8770"),
        ((), 80, "localhost"),
        (("MyMachine",), 8770, "mymachine:8770"),
        (("2001:db8::1",), 8770, "[2001:db8::1]:8770"),
        (("fe80::1%eth0",), 8770, "[fe80::1]:8770"),
    ],
)
def test_own_names_are_allowed(names: tuple[str, ...], port: int, host: str) -> None:
    hosts = Hosts(port, names)
    assert hosts.allows({"host": host})
    assert hosts.allows({"host": host, "origin": f"http://{host}"})
    assert not hosts.allows({"host": host, "origin": "http://evil.example"})
    assert not hosts.allows({"host": "evil.example"})


@pytest.mark.parametrize(("body", "status"), BAD)
def test_what_is_no_command_is_refused_in_words(enter: Enter, body: bytes, status: int) -> None:
    answer = enter("Bo").post("/api/do", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert answer.json()["message"]


def test_words_are_in_the_readers_language(enter: Enter) -> None:
    answer = enter("Bo").post("/api/do?ui=zh", content=b"[]", headers={"content-type": "application/json"})
    assert any("\u4e00" <= letter <= "\u9fff" for letter in answer.json()["message"])


def test_everything_is_sent_with_a_strict_policy(enter: Enter) -> None:
    client = enter("Bo")
    for path in ("/", "/api/queue", "/assets/desk.js", "/assets/base.css"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    for name in ("../app.py", "desk.py", "application.html", "nothing.js", "%2e%2e/app.py"):
        assert client.get(f"/assets/{name}").status_code == 404


def test_a_browser_asks_for_few_files(enter: Enter) -> None:
    """Each has to wait for its turn: one for the theme, before anything is drawn, one for all other scripts."""
    client = enter("Bo")
    asked = re.findall(r'<script src="/assets/([^"]+)"', client.get("/").text)
    assert asked == ["theme.js", "application.js"]
    whole, at = client.get("/assets/application.js").text, -1
    for name in (*SITE_SCRIPTS[1:], *SCRIPTS):
        at = whole.index(client.get(f"/assets/{name}.js").text, at + 1)


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
    assert (line["version"], line["is_edited"], line["comments"]) == (0, False, 0)


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
    edit = ask(client, **asked).json()["event"]
    mended = {**wrong, "arguments": arguments}
    again = {**asked, "edits": [mended], "base": edit["number"]}
    better = client.post("/api/check", json=again).json()
    assert (better["solved"], better["warnings"]) == (len(told["warnings"]), [])
    assert client.post("/api/check", json=asked).status_code == 409


def test_a_check_names_the_part_that_does_not_fit(enter: Enter) -> None:
    client = enter("Bo")
    asked = {"do": "edit", "session": "mini_0", "base": 0}
    circle = {"edit": "dependencies", "task": 1, "call": 0, "after": [1]}
    for edit in (circle, {"edit": "result", "task": 1, "call": 1, "result": ""}):
        answer = client.post("/api/check", json={**asked, "edits": [edit]})
        assert answer.status_code == 422
        assert answer.json()["place"]["task"] == 1
    deep: object = "so"
    for _ in range(400):
        deep = [deep]
    answer = client.post(
        "/api/check", json={**asked, "edits": [{"edit": "result", "task": 0, "call": 0, "result": deep}]}
    )
    assert answer.status_code == 422, "no file could hold it"
    assert client.post("/api/check", json={**asked, "do": "undo"}).status_code == 400
    del client.headers[PROOF]
    assert client.post("/api/check", json={**asked, "edits": []}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_answer_is_not_held_back_for_an_acknowledgement(host: str) -> None:
    """Uvicorn sends an answer in two parts; with Nagle's algorithm the second one waits 40 ms."""
    if ":" in host and not socket.has_ipv6:
        pytest.skip("no IPv6")
    with _listen(host, 0) as listener:
        assert listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
