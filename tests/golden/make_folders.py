"""Makes folders/: what the commands of one version left on the disk, to be opened by all later ones.

They are made once (`python -m tests.golden.make --fixtures`) and stay as they are: a later version that writes other
files still has to continue, score, show and export these.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

import toolgauge
from tests.end_to_end.playing import call, command, finish, lines, start, wait_until
from tests.mockserver import Json
from tests.models.fakes import playing, script
from tests.review.test_kills import KilledServer

FOLDERS = Path(__file__).parent / "folders"
SCRIPTS = FOLDERS / "scripts"
"""Replies with mistakes to the first sessions of mini, in each language: unlike noisy's they stay as they are."""
SCRIPTED = 16
"""Sessions in them."""
LEFT_OUT = (".lock", "links.json", "details.csv", "unfinished/metrics.json")
"""Locks, people's links, and what is large and made of the other files."""
KEY = "key-of-mine-0123456789abcdef"
NOWHERE = "http://127.0.0.1:9/v1"
"""The address in the unfinished run, where nobody listens."""
SESSIONS = 4
FINISHED = ("run", "mini", "-m", "builtin/noisy?seed=1&rate=0.5", "--limit", SESSIONS, "--out", "finished")
UNFINISHED = ("run", "mini", "-m", "vllm/some-model", "--limit", SESSIONS, "--out", "unfinished", "--concurrency", 1,
              "--set", "limits.probe=false", "--set", f"endpoint.api_key={KEY}")  # fmt: skip
GENERATION = ("generate", "--demo", "--paths", "single; chat; clarify; single,chat", "--concurrency", 1,
              "--set", "dialogues.year=2025", "--out", "generation")  # fmt: skip
"""The commands, as they were given; the second one with `--base-url`, and with a budget that ended it early."""
REVIEWERS = ("Ada", "Bo")


def make_folders() -> None:
    """Replace all of them."""
    shutil.rmtree(FOLDERS, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        make_scripts(work)
        done(work, *FINISHED)
        make_unfinished(work)
        make_generation(work)
        make_review(work)
        for name in ("scripts", "finished", "unfinished", "generation", "review"):
            shutil.copytree(work / name, FOLDERS / name)
        for name in LEFT_OUT:
            for file in FOLDERS.rglob(name):
                file.unlink()


def done(folder: Path, *arguments: object) -> None:
    """A command that must succeed."""
    code, out, err = call(command(*arguments), folder)
    assert code == 0, out + err


def make_scripts(work: Path) -> None:
    """What noisy says, as files for builtin/scripted."""
    (work / "scripts").mkdir()
    for language in ("en", "zh"):
        run = work / f"scripted-{language}"
        toolgauge.run("mini", "builtin/noisy?seed=4&rate=1", language=language, limit=SCRIPTED, out=run)
        write_lines(
            work / "scripts" / f"{language}.jsonl",
            (
                {"episode": trajectory["task_id"], "step": number, "reply": message(step["reply"])}
                for trajectory in lines(run / "trajectories.jsonl")
                for number, step in enumerate(trajectory["steps"])
            ),
        )


def message(reply: Json) -> Json:
    """A recorded reply as an assistant's message."""
    calls = [
        {"id": call.get("id"), "type": "function", "function": {key: call.get(key) for key in ("name", "arguments")}}
        for call in reply.get("tool_calls", ())
    ]
    return {"role": "assistant", "content": reply.get("content")} | ({"tool_calls": calls} if calls else {})


def write_lines(file: Path, content: Iterable[Json]) -> None:
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in content), encoding="utf-8")


def make_unfinished(work: Path) -> None:
    """A run against an endpoint that a budget ended; then the endpoint went away."""
    with playing("vllm", KEY, script("gold", SESSIONS)) as fake:
        code, out, err = call(
            command(*UNFINISHED, "--base-url", fake.base_url, "--set", "limits.max_tokens_total=1500"), work
        )
        assert code == 1, out + err
        run = work / "unfinished" / "run.json"
        run.write_text(run.read_text("utf-8").replace(fake.base_url, NOWHERE), encoding="utf-8")


def make_generation(work: Path) -> None:
    """A generation that was killed after its first dialogue."""
    process = start(command(*GENERATION), work)
    wait_until(lambda: bool(lines_so_far(work / "generation" / "trajectories.jsonl")))
    process.kill()
    finish(process)
    assert 0 < lines_so_far(work / "generation" / "trajectories.jsonl") < 4, "killed too late"


def lines_so_far(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def make_review(work: Path) -> None:
    """Two people review what a demonstration made: an edit, comments, an approval and a rejection."""
    done(work, "generate", "--demo", "--paths", "single; clarify", "--set", "dialogues.year=2025", "--out", "reviewed")
    (work / "review").mkdir()
    sessions = work / "review" / "sessions.jsonl"
    shutil.copy(work / "reviewed" / "sessions.jsonl", sessions)
    first, second = (line["id"] for line in lines(sessions))
    server = KilledServer(sessions, work / "review" / "journal", list(REVIEWERS))
    edit = {"edit": "utterance", "task": 0, "text": "Find me a course on statistics, please."}
    events: list[tuple[str, Json]] = [
        ("Ada", {"do": "edit", "session": first, "edits": [edit]}),
        ("Bo", {"do": "comment", "session": first, "text": "Is this what people say?"}),
        ("Ada", {"do": "decide", "session": first, "outcome": "approved"}),
        ("Bo", {"do": "decide", "session": second, "outcome": "rejected", "reason": "It is too short."}),
    ]
    try:
        for number, (who, event) in enumerate(events):
            version = server.ask(who, f"/api/session?id={event['session']}")["version"]
            base = {} if event["do"] == "comment" else {"base": version}
            told = server.ask(who, "/api/do", {"key": f"{who}/{number}"} | base | event)
            assert "event" in told, told
    finally:
        server.kill()
