"""A key is nowhere: not in a file of the run, not in what is printed, whatever goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.end_to_end.playing import KEY, Player, call, command, replies, snapshot
from tests.mockserver import Fault, serve, status

PASSWORD, TOKEN = "letmein-9876", "query-token-4321"
REPEATS = "401 that repeats the key"
FAULTS = {
    "none": None,
    REPEATS: status(401, f"Incorrect API key provided: {KEY}", code="invalid_api_key"),
    "429 that repeats the key": status(429, f"slow down, {KEY}"),
    "web page with the key": Fault(502, f"<html>{KEY} {PASSWORD} {TOKEN}</html>".encode(), content_type="text/html"),
    "400 with all that was sent": status(400, f"Authorization: Bearer {KEY}; {PASSWORD}; {TOKEN}"),
}

CASES = [*((fault, "address") for fault in FAULTS), ("none", "option"), (REPEATS, "option"), (REPEATS, ".env")]


@pytest.mark.parametrize(("fault", "given"), CASES)
def test_no_key_anywhere(fault: str, given: str, tmp_path: Path) -> None:
    with serve(Player(replies(limit=1)), lambda _number, _body: FAULTS[fault]) as server:
        arguments = ["--debug", "run", "mini", "-m", "openai/mock", "--out", "run", "--limit", "1"]
        arguments += ["--set", "endpoint.max_attempts=2", "--set", "endpoint.patience=0"]
        arguments += ["--set", "limits.probe=false"] if given == ".env" else []
        base_url = server.base_url
        if given == "address":
            base_url = base_url.replace("://", f"://somebody:{PASSWORD}@") + f"?token={TOKEN}"
        if given == ".env":
            (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\nOPENAI_BASE_URL={base_url}\n")
        else:
            arguments += ["--base-url", base_url, "--set", f"endpoint.api_key={KEY}"]
        code, out, err = call(command(*arguments), tmp_path)
        sent = {header for headers in server.headers for header in headers.values()}
    assert code == (0 if fault == "none" else 1), err
    assert any(KEY in header or header.startswith("Basic ") for header in sent)
    written = b"".join(snapshot(tmp_path / "run").values()).decode() if (tmp_path / "run").exists() else ""
    assert written
    for secret in (KEY, PASSWORD, TOKEN) if given == "address" else (KEY,):
        assert secret not in written + out + err


def test_a_key_in_the_body_is_sent_and_not_recorded(tmp_path: Path) -> None:
    body = {"guard": {"api_key": "letmein-1234", "level": 2}, "access_token": "letmein-5678", "stop_token": "<eos>"}
    with serve(Player(replies(limit=1))) as server:
        sampled = ["--set", "limits.probe=false", "--set", f"sampling.extra_body={json.dumps(body)}"]
        for _once_more in range(2):
            code, out, err = call(
                command("run", "mini", "--limit", 1, "--out", "run", *sampled, server=server), tmp_path
            )
            assert code == 0, err
        assert all(request["guard"] == body["guard"] for request in server.requests)
    written = b"".join(snapshot(tmp_path / "run").values()).decode()
    assert "letmein" not in written + out + err
    recorded = json.loads((tmp_path / "run" / "run.json").read_bytes())["sampling"]["extra_body"]
    assert recorded == {"guard": {"level": 2}, "stop_token": "<eos>"}


def test_the_proxy_of_an_endpoint_is_announced_without_its_login(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("http_proxy", "http://bob:letmein@127.0.0.1:9")
    address = ["--base-url", "http://nobody.example/v1", "--set", "endpoint.max_attempts=1"]
    code, _out, err = call(command("run", "mini", "-m", "openai/m", "--limit", 1, "--out", "run", *address), tmp_path)
    assert code == 1
    assert ", proxy: http://127.0.0.1:9\n" in err
    assert "connection failed through the proxy http://127.0.0.1:9" in err
    assert "letmein" not in err
