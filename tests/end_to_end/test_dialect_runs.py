"""Whole runs of mini on an endpoint that knows no tool calls: the scores are those of the native run.

The endpoint plays the noisy player twice: natively, and in the raw text of a dialect (written here, by hand).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.end_to_end.playing import (
    NOISY,
    Player,
    content_key,
    go,
    lines,
    options,
    play,
    results,
    wire_reply,
)
from tests.mockserver import Json, serve
from tests.sizes import in_turn, sized
from toolgauge.api import plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.episode import drive
from toolgauge.models.builtin.models import gold_hint_of
from toolgauge.models.dialects.dialect import Dialect
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.formats import RequestEncoder
from toolgauge.models.model import Sampling

Objects = list[dict[str, Any]]
SESSIONS = sized(6, 1000)
"""Of the embedded benchmark: all of them in `make test-long`."""


def _tagged(calls: Objects) -> str:
    return "\n".join(f"<tool_call>\n{json.dumps(one, ensure_ascii=False)}\n</tool_call>" for one in calls)


def _python(calls: Objects) -> str:
    said = (
        f"{one['name']}({', '.join(f'{key}={value!r}' for key, value in one['arguments'].items())})" for one in calls
    )
    return f"[{', '.join(said)}]"


def _llama(calls: Objects) -> str:
    return "; ".join(json.dumps({"name": one["name"], "parameters": one["arguments"]}) for one in calls)


SPOKEN: dict[str, Callable[[Objects], str]] = {
    "hermes": _tagged,
    "granite4": lambda calls: f"<think>\nWhat now?\n</think>\n\n{_tagged(calls)}",
    "llama3-json": _llama,
    "mistral": lambda calls: "".join(f"[TOOL_CALLS]{one['name']}[ARGS]{json.dumps(one['arguments'])}" for one in calls),
    "granite": lambda calls: f"<|tool_call|>{json.dumps(calls)}",
    "hunyuan": lambda calls: f"<answer>\n<tool_calls>{json.dumps(calls)}</tool_calls>\n</answer>",
    "xlam2": lambda calls: json.dumps(calls, indent=4),
    "hammer": lambda calls: f"```json\n{json.dumps(calls)}\n```",
    "toolace": _python,
    "generic": lambda calls: "```tool_calls\n" + "\n".join(map(json.dumps, calls)) + "\n```",
}


def objects(calls: Sequence[ToolCall]) -> Objects:
    return [{"name": one.name, "arguments": json.loads(one.arguments)} for one in calls]


def sayable(request: Request) -> Reply:
    """What the noisy player says; the right reply where its mistake is one of form, which no text can have."""
    reply = play(request)
    try:
        whole = all(one.name and one.id and isinstance(json.loads(one.arguments), dict) for one in reply.tool_calls)
    except (TypeError, ValueError):
        whole = False
    return reply if whole and (reply.tool_calls or reply.content) else replace(gold_hint_of(request).reply)


@cache
def table(dialect: str | None, language: str) -> dict[str, Json]:
    """Every request of the player's conversations, by its content, with the reply to it."""
    plan = plan_run("mini", NOISY, language=language, setup=Setup(limit=SESSIONS))
    encoder = RequestEncoder("mock", Sampling())
    found: dict[str, Json] = {}

    def answer(request: Request) -> Reply:
        reply = sayable(request)
        if dialect is None:
            found[content_key(msgspec.json.decode(encoder.body(request)))] = wire_reply(reply)
            return reply
        # ids by their place in the conversation are what results must refer to
        earlier = sum(len(message.tool_calls) for message in request.messages)
        named = tuple(replace(one, id=f"call_{earlier + at}") for at, one in enumerate(reply.tool_calls))
        plain = replace(request, messages=spoken_by(DIALECTS[dialect], request, language), tools=())
        text = SPOKEN[dialect](objects(named)) if named else reply.content
        said = f"{reply.content}\n{text}" if named and reply.content else text
        found[content_key(msgspec.json.decode(encoder.body(plain)))] = {"role": "assistant", "content": said}
        return replace(reply, tool_calls=named)

    for sample in plan.samples:
        drive(plan.benchmark.episode(plan.dataset, sample), answer)
    return found


def spoken_by(dialect: Dialect, request: Request, language: str) -> Any:
    return dialect.render(request.messages, request.tools, language)


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of the runs with native calls, by language."""
    folders = {}
    for language in ("en", "zh"):
        folders[language] = tmp_path_factory.mktemp(language) / "native"
        with serve(Player(table(None, language))) as server:
            go(folders[language], "openai/mock", language=language, limit=SESSIONS, reached=options(server.base_url))
    return folders


@pytest.mark.parametrize(("dialect", "language"), in_turn(list(SPOKEN)[:: sized(3, 1)], ["en", "zh"]))
def test_a_dialect_scores_what_native_calls_score(
    dialect: str, language: str, native: dict[str, Path], tmp_path: Path
) -> None:
    with serve(Player(table(dialect, language))) as server:
        reached = options(server.base_url, dialect=dialect)
        spoken = go(tmp_path / "spoken", "openai/mock", language=language, limit=SESSIONS, reached=reached)
        assert not any("tools" in body for body in server.requests)
        roles = {message["role"] for body in server.requests for message in body["messages"]}
        assert roles <= {"system", "user", "assistant", "tool"}
        assert not any("tool_calls" in message for body in server.requests for message in body["messages"])
    assert results(spoken.folder) == results(native[language])
    made = [step for line in lines(native[language] / "trajectories.jsonl") for step in line["steps"]]
    assert sum(bool(step["reply"].get("tool_calls")) for step in made) > 20, "the run says little without calls"
    labels = {line["scorings"]["exact"]["label"] for line in lines(spoken.folder / "scores.jsonl")}
    assert labels == {"correct", "error"}
    manifest = json.loads((spoken.folder / "run.json").read_bytes())
    assert manifest["model"]["dialect"] == dialect
    assert "dialect" not in json.loads((native[language] / "run.json").read_bytes())["model"]
