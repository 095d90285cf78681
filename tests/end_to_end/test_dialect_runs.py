"""A whole run on an endpoint that knows no tool calls: the scores are those of the native run.

The endpoint plays the noisy player twice: natively, and in the raw text of a dialect. Each dialect's own contract is
tests/models/test_dialects.py.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.end_to_end.playing import NOISY, Player, content_key, go, lines, options, play, results, wire_reply
from tests.mockserver import Json, serve
from toolgauge.api import plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.episode import drive
from toolgauge.models.builtin.models import gold_hint_of
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.formats import RequestEncoder
from toolgauge.models.model import Sampling

SESSIONS = 6


def as_hermes(calls: tuple[ToolCall, ...]) -> str:
    made = [{"name": one.name, "arguments": json.loads(one.arguments)} for one in calls]
    return "\n".join(f"<tool_call>\n{json.dumps(one, ensure_ascii=False)}\n</tool_call>" for one in made)


def as_python(calls: tuple[ToolCall, ...]) -> str:
    said = []
    for one in calls:
        arguments = ", ".join(f"{key}={value!r}" for key, value in json.loads(one.arguments).items())
        said.append(f"{one.name}({arguments})")
    return f"[{', '.join(said)}]"


SPOKEN = {"hermes": as_hermes, "toolace": as_python}


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
        messages = DIALECTS[dialect].render(request.messages, request.tools, language)
        plain = replace(request, messages=messages, tools=())
        text = SPOKEN[dialect](named) if named else reply.content
        said = f"{reply.content}\n{text}" if named and reply.content else text
        found[content_key(msgspec.json.decode(encoder.body(plain)))] = {"role": "assistant", "content": said}
        return replace(reply, tool_calls=named)

    for sample in plan.samples:
        drive(plan.benchmark.episode(plan.dataset, sample), answer)
    return found


@pytest.mark.parametrize(("dialect", "language"), [("hermes", "en"), ("toolace", "zh")])
def test_a_dialect_scores_what_native_calls_score(dialect: str, language: str, tmp_path: Path) -> None:
    planned: dict[str, Any] = {"language": language, "limit": SESSIONS}
    with serve(Player(table(None, language))) as server:
        native = go(tmp_path / "native", "openai/mock", reached=options(server.base_url), **planned).folder
    with serve(Player(table(dialect, language))) as server:
        reached = options(server.base_url, dialect=dialect)
        spoken = go(tmp_path / "spoken", "openai/mock", reached=reached, **planned).folder
        assert not any("tools" in body for body in server.requests)
        assert not any("tool_calls" in message for body in server.requests for message in body["messages"])
    assert results(spoken) == results(native)
    made = [step for line in lines(native / "trajectories.jsonl") for step in line["steps"]]
    assert sum(bool(step["reply"].get("tool_calls")) for step in made) > 20, "the run says little without calls"
    labels = {line["scorings"]["exact"]["label"] for line in lines(spoken / "scores.jsonl")}
    assert labels == {"correct", "error"}
    described = [json.loads((folder / "run.json").read_bytes())["model"].get("dialect") for folder in (native, spoken)]
    assert described == [None, dialect]
