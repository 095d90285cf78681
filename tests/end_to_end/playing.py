"""What the end-to-end tests share: an endpoint that plays the embedded benchmark, and runs against it.

The endpoint is a pure function of a request's content: it answers as the built-in noisy player would, so that a run
with faults, kills and outages can be held against one without.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from tests.mockserver import Json, Server
from tests.warm.server import warm_toolgauge
from toolgauge.api import Plan, RunResult, execute_plan, plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.history import History
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge.models import Backoff, ModelOptions
from toolgauge.models.builtin.models import noisy
from toolgauge.models.formats import RequestEncoder
from toolgauge.models.model import Sampling
from toolgauge.runs.executors.executor import ProgressListener

KEY = "sk-do-not-show-me-1234567890"
QUICK = Backoff(first=0.001, most=0.05)
NOISY = "builtin/noisy?seed=3&rate=0.4"
play = noisy(3, 0.4)
RESULTS = ("scores.jsonl", "metrics.json")
EFFORT, TOKENS, SOURCES = "effort", "by_context_tokens", "sources"
"""What of metrics.json tells how the replies came (seconds, retries), and what endpoints count but players do not."""


def content_key(body: Json) -> str:
    """What a request is about: its messages and tools, whatever the sampling."""
    return json.dumps([body["messages"], body.get("tools")], ensure_ascii=False)


def wire_reply(reply: Reply) -> Json:
    """A player's reply as the message of a chat completion."""
    message: Json = {"role": "assistant", "content": reply.content}
    if reply.tool_calls:
        message["tool_calls"] = [call.wire() for call in reply.tool_calls]
    return message


def replies_of(plan: Plan, play: Callable[[Request], Reply]) -> dict[str, Json]:
    """Every request that a player's conversations lead to, by its content, with the reply to it."""
    encoder = RequestEncoder("mock", Sampling())
    found: dict[str, Json] = {}

    def answer(request: Request) -> Reply:
        reply = play(request)
        key = content_key(msgspec.json.decode(encoder.body(request)))
        assert found.setdefault(key, wire_reply(reply)) == wire_reply(reply), "two different moments look alike"
        return reply

    for sample in plan.samples:
        drive(plan.episode(sample), answer)
    return found


@cache
def replies(language: str = "en", history: History = "gold", limit: int | None = None) -> dict[str, Json]:
    """What the noisy player says in the embedded benchmark."""
    setup = Setup(limit=limit, options={"history": history})
    return replies_of(plan_run("mini", NOISY, language=language, setup=setup), play)


class Player:
    """Answers requests of the embedded benchmark and counts what it answered; anything else gets a sentence."""

    def __init__(self, table: dict[str, Json]) -> None:
        self.table = table
        self.answered: Counter[str] = Counter()

    def __call__(self, body: Json) -> Json:
        key = content_key(body)
        self.answered[key] += 1
        return self.table.get(key) or {"role": "assistant", "content": "Hello."}

    @property
    def most_repeated(self) -> int:
        return max(self.answered.values(), default=0)


def options(base_url: str, **changed: Any) -> ModelOptions:
    """How the mock endpoint is reached: backoffs of milliseconds, time enough on a busy machine."""
    usual: dict[str, Any] = {"api_key": KEY, "timeout": 30.0, "patience": 0.0, "concurrency": 8, "backoff": QUICK}
    return ModelOptions(base_url=base_url, **(usual | changed))


def go(
    out: Path,
    model: str = NOISY,
    *,
    reached: ModelOptions | None = None,
    concurrency: int = 8,
    listener: ProgressListener | None = None,
    max_cost: float | None = None,
    max_tokens_total: int | None = None,
    **planned: Any,
) -> RunResult:
    """Run the embedded benchmark in this process. reached: see `options`; planned: a Setup's fields, or plan_run's."""
    own = {name: planned.pop(name) for name in ("history",) if name in planned}
    setup = Setup(**{name: planned.pop(name) for name in Setup.__struct_fields__ if name in planned}, options=own)
    plan = plan_run("mini", model, out=out, options=reached, setup=setup, **planned)
    return execute_plan(plan, concurrency, listener=listener, max_cost=max_cost, max_tokens_total=max_tokens_total)


def results(folder: Path) -> tuple[bytes, ...]:
    """The content of the files that must not depend on what happened on the way, effort and tokens left out."""
    scores, metrics = ((folder / name).read_bytes() for name in RESULTS)
    content = json.loads(metrics)
    assert content.pop(EFFORT)["tasks"] >= 0
    content.pop(SOURCES)
    for tables in content["scorings"].values():
        tables.pop(TOKENS, None)
    return scores, json.dumps(content).encode()


def lines(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something that must happen; the limit is only there to end a broken test."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.002)


# The command line, as a process of its own


def command(*arguments: object, server: Server | None = None, fresh: bool = False) -> list[str]:
    """toolgauge with these arguments, on the mock endpoint where one is given. fresh: in a new Python, for tests of its
    start and of what a process inherits; else as a child of the warm server, which saves half a second."""
    program = [sys.executable, "-m", "toolgauge"] if fresh else warm_toolgauge()
    endpoint = (
        []
        if server is None
        else ["-m", "openai/mock", "--base-url", server.base_url, "--set", f"endpoint.api_key={KEY}"]
    )
    return [*program, *map(str, arguments), *endpoint]


def environment() -> dict[str, str]:
    """The environment of a process: without keys, addresses and a language of the machine's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "AZURE_", "LC_"))}
    return kept | {"TOOLGAUGE_LANG": "en", "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"}


def seen_in_a_terminal(command: list[str], folder: Path, variables: dict[str, str]) -> tuple[int, bytes]:
    """The exit code of a command, and the bytes that its terminal gets."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=folder, env=variables, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while data := os.read(ours, 65536):
            seen += data
    except OSError:  # the other side is closed
        pass
    finally:
        process.wait(60)
        os.close(ours)
    return process.returncode, seen


def start(arguments: list[str], folder: Path) -> subprocess.Popen[str]:
    """Begin a process in `folder`; its output is collected."""
    return subprocess.Popen(
        arguments, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def until_line(process: subprocess.Popen[str], words: str) -> None:
    """Wait until it says something with these words on standard error."""
    assert process.stderr is not None
    while words not in (line := process.stderr.readline()):
        assert line, f"it ended without saying: {words}"


def finish(process: subprocess.Popen[str], seconds: float = 120.0) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a process that must end by itself."""
    try:
        out, err = process.communicate(timeout=seconds)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    return process.returncode, out, err


def call(arguments: list[str], folder: Path) -> tuple[int, str, str]:
    return finish(start(arguments, folder))
