"""`toolgauge judge` and `data import --judge`: what is asked, what is written, and who shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.mockserver import Json, serve
from tests.report.page_reading import read_chunk
from toolgauge.analysis.judgments import read_judgments
from toolgauge.cli.main import app
from toolgauge.data.session import Reference, Session
from toolgauge.data.sessions import session_from
from toolgauge.judging.conversations import Recorded, of_run
from toolgauge.review.store import open_originals
from toolgauge.review.warnings import warnings
from toolgauge.runs.store import read_trajectories

MODEL = "vllm/judge"
LOOK_UP: Json = {
    "type": "function",
    "function": {
        "name": "get_order",
        "description": "Look up an order.",
        "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}, "kind": {"type": "string"}}},
    },
}


def call(name: str, **arguments: object) -> Json:
    made = {"id": name, "type": "function", "function": {"name": "get_order", "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


def said(role: str, content: str, **more: object) -> Json:
    return {"role": role, "content": content, **more}


CHAT: Json = {
    "id": "chat",
    "tools": [LOOK_UP],
    "messages": [
        said("user", "Where is order 17? It is for my sister."),
        call("c1", order_id="17", kind="gift"),
        said("tool", '{"state": "sent"}', tool_call_id="c1"),
        said("assistant", "It arrives tomorrow."),
        said("user", "Sorry, I meant 18."),
        call("c2", order_id="18", kind="toy"),
        said("tool", '{"state": "lost"}', tool_call_id="c2"),
        call("c3", order_id="17"),
        said("tool", '{"state": "sent"}', tool_call_id="c3"),
        said("assistant", "Order 18 is lost."),
        said("user", "And 19?"),
        said("assistant", "I cannot say."),
    ],
}


def verdict(last: str, **more: object) -> Json:
    """What a judge says that takes every listed value for implied, and objects to nothing."""
    listed = [int(one) for one in re.findall(r"(?m)^(\d+)\. \w+ \(a\d+\), ", last)]
    rulings = [{"number": one, "verdict": "implied", "reason": "of course"} for one in listed]
    return {"answer": {"agrees": True}, "earlier": {"needed": False}, "arguments": rulings} | more


def content_of(said: Json) -> Json:
    return {"role": "assistant", "content": json.dumps(said)}


def judge_of_the_chat(body: Json) -> Json:
    """Every conversation as CHAT: its second message corrects the first; the rest is wrong in every way."""
    system, last = body["messages"][0]["content"], body["messages"][-1]["content"]
    if "where the user's tasks begin" in system:
        return content_of({"begins": [1, 3]})
    if "Judge task 2" in last:
        earlier = {"needed": True, "kind": "long_range", "task": 1}
        return content_of(verdict(last, unmet="order 19 was not looked up", earlier=earlier))
    found = verdict(last, answer={"agrees": False, "reason": "no result says tomorrow"})
    wrong = re.search(r'(?m)^(\d+)\. get_order \(a\d\), kind = "toy"', last)
    if wrong:
        found["arguments"][int(wrong[1]) - 1] |= {"verdict": "wrong", "reason": "nobody spoke of a toy"}
    return content_of(found | {"repeated": ["a3"]})


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


def toolgauge(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == code, result.output
    return result


def imported(tmp_path: Path, *more: object, chat: Json = CHAT, code: int = 0) -> Path:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(chat) + "\n", encoding="utf-8")
    toolgauge("data", "import", log, "--out", tmp_path / "log", *more, code=code)
    return tmp_path / "log"


def only_session(log: Path) -> Session:
    (line,) = (log / "sessions.jsonl").read_text(encoding="utf-8").splitlines()
    return session_from(json.loads(line), "en")


def test_a_run_is_judged_beside_its_scores(tmp_path: Path) -> None:
    run = tmp_path / "run"
    toolgauge("run", "mini", "-m", "builtin/oracle", "--limit", 3, "--out", run)
    scores = (run / "scores.jsonl").read_bytes()

    def answer(body: Json) -> Json:
        last = body["messages"][-1]["content"]
        return content_of(verdict(last, unmet="half of it" if "Judge task 1" in last else ""))

    with serve(answer) as server:
        done = toolgauge("judge", run, "-m", MODEL, "--base-url", server.base_url)
        asked = len(server.requests)
        again = toolgauge("judge", run, "-m", MODEL, "--base-url", server.base_url)
        assert len(server.requests) == asked, "what was judged is not asked again"
    found = read_judgments(run)
    assert {one.task for one in found} == {f"mini_{session}/{task}" for session in range(3) for task in range(4)}
    assert {one.task for one in found if not one.is_right} == {f"mini_{session}/0" for session in range(3)}
    assert "judged by vllm/judge: 12 tasks" in done.stdout
    assert "a wish that was not met" in done.stdout
    assert "agree on 75.0% of 12 tasks" in done.stdout
    assert "e.g. mini_0/0: half of it" in again.stdout
    assert "judged by vllm/judge" in toolgauge("score", run).stdout
    assert (run / "scores.jsonl").read_bytes() == scores, "a judgement changes no score"
    toolgauge("report", run, "--out", tmp_path / "site")
    pages = [one.read_text(encoding="utf-8") for one in (tmp_path / "site" / "runs").glob("*.html")]
    assert any("What vllm/judge says as judge" in one for one in pages)
    chunks = [read_chunk(one)[1] for one in (tmp_path / "site" / "data" / "runs").rglob("*.js")]
    assert "half of it" in json.dumps(chunks), "the task's page has it"


def test_what_the_judge_is_shown_of_a_run(tmp_path: Path) -> None:
    toolgauge("run", "mini", "-m", "builtin/oracle", "--limit", 1, "--history", "own", "--out", tmp_path / "own")
    toolgauge("run", "mini", "-m", "builtin/oracle", "--limit", 1, "--epochs", 2, "--out", tmp_path / "gold")
    (own,) = [of_run(one, "en") for one in read_trajectories(tmp_path / "own")]
    assert isinstance(own, Recorded)
    assert own.tasks is not None
    assert [*own.tasks.values()] == [f"mini_0/{task}" for task in range(4)]
    with serve(lambda body: content_of(verdict(body["messages"][-1]["content"]))) as server:
        toolgauge("judge", tmp_path / "gold", "-m", MODEL, "--base-url", server.base_url)
    assert sorted(one.task for one in read_judgments(tmp_path / "gold"))[:2] == ["mini_0/0", "mini_0/0#1"]
    body = next(one for one in server.requests if "Judge task 2" in one["messages"][-1]["content"])
    shown = body["messages"][1]["content"]
    assert shown.index("Judge task 2") > shown.index("User: the cheaper one"), "its own task stands last"
    assert "search_trains(" in shown, "and what came before"


def test_an_import_is_judged_and_its_review_shows_it(tmp_path: Path) -> None:
    log = imported(tmp_path)
    with serve(judge_of_the_chat) as server:
        done = toolgauge("judge", log, "-m", MODEL, "--base-url", server.base_url)
    first, *_rest = read_judgments(log)
    assert (first.task, first.answer) == ("chat/0", "no result says tomorrow")
    assert "a reply that contradicts the results" in done.stdout
    assert "judged by vllm/judge" in toolgauge("score", log).stdout
    session = only_session(log)
    originals = open_originals(log / "sessions.jsonl")
    assert "judged" not in session.extra["origin"], "the file stays as it is"
    assert originals.record("chat")["origin"]["judged"][0]["answer_reason"] == "no result says tomorrow"


def test_importing_with_a_judge_splits_and_annotates(tmp_path: Path) -> None:
    with serve(judge_of_the_chat) as server:
        log = imported(tmp_path, "--judge", f"{MODEL}@{server.base_url}")
    splitting = server.requests[1]["messages"][0]["content"]
    assert "where the user's tasks begin" in splitting, "asked first, behind the test question"
    session = only_session(log)
    assert [task.utterance for task in session.tasks] == ["Where is order 17? It is for my sister.", "And 19?"]
    assert session.tasks[1].reference is Reference.LONG_RANGE
    gift, asked, *_rest = session.tasks[0].calls
    assert gift.sources["kind"] == [{"from": "knowledge", "note": "of course"}]
    assert asked.user_input == "Sorry, I meant 18."
    assert session.extra["origin"]["judge"] == MODEL
    told = [str(one.message) for one in warnings(session)]
    assert "the judge: 'toy' is wrong: nobody spoke of a toy" in told
    assert "the judge: the user did not get this: order 19 was not looked up" in told
    splits = [json.loads(line) for line in (log / "splits.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["begins"] for one in splits] == [True, False, True]
    assert json.loads((log / "import.json").read_text(encoding="utf-8"))["tasks"] == 2
    toolgauge("data", "check", log / "sessions.jsonl")
    toolgauge("run", log / "sessions.jsonl", "-m", "builtin/oracle", "--out", tmp_path / "run")


def test_what_cannot_be_judged_is_named(tmp_path: Path) -> None:
    log = imported(tmp_path)
    with serve(lambda _body: {"role": "assistant", "content": "I would rather not."}) as server:
        done = toolgauge("judge", log, "-m", MODEL, "--base-url", server.base_url, code=1)
    assert "Not judged: 1 conversation" in done.stderr
    assert "no JSON object" in done.stderr
    assert read_judgments(log) == []
    assert len(server.requests) == 4, "a test question, and three tries"
    refused = toolgauge("judge", tmp_path, "-m", MODEL, code=1)
    assert "neither a run directory nor a folder of `toolgauge data import`" in str(refused.exception)
    (log / "judgments.jsonl").write_text('{"judge": 1}\n', encoding="utf-8")
    broken = toolgauge("score", log, code=1)
    assert "judgments.jsonl:1" in str(broken.exception)


def test_another_judge_is_asked_apart_and_an_import_begins_anew(tmp_path: Path) -> None:
    log = imported(tmp_path)
    with serve(judge_of_the_chat) as server:
        for name in ("vllm/one", "vllm/two"):
            toolgauge("judge", log, "-m", name, "--base-url", server.base_url)
        assert {one.judge for one in read_judgments(log)} == {"vllm/one", "vllm/two"}
        changed = json.loads(json.dumps(CHAT).replace("order 17", "order 70"))
        imported(tmp_path, chat=changed)
        assert read_judgments(log) == [], "they are about another log"
        before = len(server.requests)
        toolgauge("judge", log, "-m", "vllm/one", "--base-url", server.base_url)
        assert len(server.requests) > before, "a conversation that changed is asked again"
