"""Generations over tools that nobody knows: imported from OpenAPI and MCP."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.generation.scripted import demo_plan
from tests.mockserver import Json, serve
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.cli.main import app
from toolgauge.generation.spec import carry_out_generation

OFFERING = Path(__file__).parent.parent / "tools" / "offering.py"
PATHS = "single,multi,clarify,chat; clarify,single; chat,multi"
SHOP: Json = {
    "openapi": "3.1.0",
    "info": {"title": "Harbour", "version": "1"},
    "paths": {
        "/berths/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {"operationId": "getBerth", "summary": "One berth.", "tags": ["berths"]},
            "put": {
                "operationId": "rentBerth",
                "summary": "Rent a berth for a boat.",
                "tags": ["berths"],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Rent"}}},
                },
            },
        },
        "/berths": {"get": {"summary": "All berths.", "tags": ["berths"], "parameters": [
            {"name": "pier", "in": "query", "schema": {"type": ["string", "null"]}}]}},
        "/boats": {"post": {
            "operationId": "addBoat", "summary": "Register a boat.", "tags": ["boats"],
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Boat"}}}},
        }},
    },
    "components": {"schemas": {
        "Boat": {"type": "object", "required": ["name", "crew"], "properties": {
            "name": {"type": "string"},
            "crew": {"type": "array", "items": {"$ref": "#/components/schemas/Person"}},
        }},
        "Person": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "parent": {"$ref": "#/components/schemas/Person"}}},
        "Rent": {"type": "object", "required": ["boat", "nights"], "properties": {
            "boat": {"$ref": "#/components/schemas/Boat"}, "nights": {"type": "integer", "minimum": 1}}},
    }},
}  # fmt: skip
"""A small document with what makes big ones hard: shared parameters, bodies by reference, a type within itself."""


def toolgauge(*arguments: object, code: int = 0) -> str:
    result = CliRunner(env={"TOOLGAUGE_LANG": "en", "OPENAI_API_KEY": "sk-none"}).invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def generated(tmp_path: Path, tools: Path, **options: Any) -> list[Json]:
    """The sessions of a generation with all gates; they must pass the check."""
    plan = demo_plan(tmp_path / "out", tools=tools, **options)
    result = carry_out_generation(plan, 4)
    assert result.coverage.slots.produced == len(plan.slots), (tmp_path / "out/rejected.jsonl").read_text("utf-8")
    file = tmp_path / "out" / "sessions.jsonl"
    # some public definitions require what they do not define: theirs to mend, and no obstacle
    assert [str(problem) for problem in check(file) if "unknown property" not in str(problem)] == []
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def called(sessions: list[Json]) -> Counter[str]:
    answers = [one.get("answer_list") or one["english_answer_list"] for one in sessions]
    names = [call["action"]["name"] for tasks in answers for task in tasks for call in task]
    return Counter(name for name in names if name not in ("prepare_to_answer", "ask_user_for_required_parameters"))


def test_an_imported_openapi_document(tmp_path: Path) -> None:
    (tmp_path / "harbour.json").write_text(json.dumps(SHOP), "utf-8")
    toolgauge("tools", "import", "openapi", tmp_path / "harbour.json", "--out", tmp_path / "tools.jsonl")
    sessions = generated(tmp_path, tmp_path / "tools.jsonl", paths=PATHS, per_path=2)
    assert called(sessions).keys() >= {"getBerth", "rentBerth", "addBoat"}


@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="needs the extra [mcp]")
def test_an_imported_mcp_server(tmp_path: Path) -> None:
    toolgauge("tools", "import", "mcp", "--out", tmp_path / "tools.jsonl", "--", sys.executable, OFFERING, "stdio")
    sessions = generated(tmp_path, tmp_path / "tools.jsonl", paths=PATHS)
    assert called(sessions)["get_point"] > 0


ENDLESS = "again and " * 60_000
HOSTILE = {
    "garbage": "\x00\ufffd}{][",
    "endless": ENDLESS,
    "bare brackets": "[" * 50_000,
    "a number": "7",
    "wrong language": "对不起，我没有听懂您的意思。",
    "empty": "",
}


@pytest.mark.parametrize("reply", [*HOSTILE.values(), None], ids=[*HOSTILE, "echo"])
def test_hostile_models_are_rejected_and_nothing_breaks(tmp_path: Path, reply: str | None) -> None:
    def answer(body: Json) -> Json:
        return {"role": "assistant", "content": body["messages"][0]["content"] if reply is None else reply}

    out = tmp_path / "out"
    with serve(answer) as server:
        arguments = [
            "generate",
            "-m",
            "openai/mock",
            "--base-url",
            server.base_url,
            "--set",
            "endpoint.api_key=sk-none",
            "--set",
            "limits.probe=false",
        ]
        output = toolgauge(*arguments, "--paths", "single; chat", "--attempts", 2, "--out", out, code=1)
    assert "Dialogues accepted: 0 of 2, given up: 2" in output
    coverage = json.loads((out / "coverage.json").read_bytes())
    assert coverage["slots"] == {"requested": 2, "produced": 0, "rejected": 2, "missing": 0}
    rejected = [json.loads(line) for line in (out / "rejected.jsonl").read_bytes().splitlines()]
    assert len(rejected) == 4
    assert {one["reason"] for one in rejected} <= {"user", "planner"}
    assert max(len(json.dumps(one)) for one in rejected) < 20_000
    assert "for example" in output
