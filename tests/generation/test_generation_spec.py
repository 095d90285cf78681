"""A generation from the plan to its files, played by scripted agents: what is written, what it does not depend on."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.generation.scripted import demo_plan, lines, played
from toolgauge.chat import Reply, Request, Usage
from toolgauge.errors import DataError, ToolgaugeError
from toolgauge.generation.formats.coverage import Slots
from toolgauge.generation.options import GenerationOptions
from toolgauge.generation.spec import carry_out_generation, plan_generation
from toolgauge.models.builtin.models import oracle

FILES = (
    "raw.jsonl", "simplified.jsonl", "sessions.jsonl", "openai.jsonl", "sharegpt.jsonl",
    "dialogues.md", "rejected.jsonl", "coverage.json",
)  # fmt: skip
ORACLE = "builtin/oracle"


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_the_files_do_not_depend_on_concurrency_or_on_who_ends_first(tmp_path: Path) -> None:
    for name, concurrency in (("one", 1), ("many", 16)):
        carry_out_generation(demo_plan(tmp_path / name, tasks=2), concurrency)
    assert files(tmp_path / "one") == files(tmp_path / "many")
    orders = [[line["task_id"] for line in lines(tmp_path / name / "trajectories.jsonl")] for name in ("one", "many")]
    assert orders[0] != orders[1]  # else nothing was shown


def test_the_same_call_continues_and_asks_nothing_twice(tmp_path: Path) -> None:
    """A budget ends the first go in the middle of dialogues; the second has all of it and asks only for the rest."""
    asked: Counter[tuple[str, int]] = Counter()

    def play(request: Request) -> Reply:
        asked[request.episode, request.step] += 1
        return replace(oracle(request), usage=Usage(60, 7))

    carry_out_generation(played(demo_plan(tmp_path / "whole", tasks=2), play), 4)
    asked.clear()
    first = carry_out_generation(played(demo_plan(tmp_path / "two", tasks=2), play), 4, max_tokens_total=3000)
    assert 0 < first.coverage.slots.produced < 16
    assert first.coverage.slots.missing == 16 - first.coverage.slots.produced
    assert first.outcome.missing == first.coverage.slots.missing
    second = carry_out_generation(played(demo_plan(tmp_path / "two", tasks=2), play), 4)
    assert set(asked.values()) == {1}
    assert files(tmp_path / "two") == files(tmp_path / "whole")
    assert second.tokens == sum(sum(usage.values()) for usage in second.coverage.tokens.values())
    assert not (tmp_path / "two" / "replies.jsonl").exists()


def test_a_slot_that_fails_is_counted_with_its_reason(tmp_path: Path) -> None:
    """The tools of dialogues that begin with a single task say nothing: two attempts, then the slot is given up."""

    def play(request: Request) -> Reply:
        mute = request.role == "tool" and request.episode.startswith("en-ST")
        return Reply("") if mute else oracle(request)

    result = carry_out_generation(played(demo_plan(tmp_path, tasks=1, attempts=2), play), 4)
    rejected = lines(tmp_path / "rejected.jsonl")
    assert [(line["slot"], line["attempt"], line["reason"]) for line in rejected] == [
        ("en-ST-0", 0, "tool"),
        ("en-ST-0", 1, "tool"),
    ]
    assert "Observation_List" in rejected[0]["evidence"]
    assert result.coverage.slots == Slots(4, 3, 1, 0)
    assert (result.coverage.attempts.begun, result.coverage.attempts.rejected) == (5, {"tool": 2})
    assert result.coverage.attempts.repairs == {"tool": 4}
    assert result.coverage.attempts.example.startswith("en-ST-0: form: ")
    single = next(path for path in result.coverage.paths.each if path.codes == "ST")
    assert (single.requested, single.produced, single.failed) == (1, 0, {"tool": 1})
    assert result.outcome.failed == 0  # it is not tried again


def test_what_the_judge_rejects_stands_in_rejected_with_the_verdicts(tmp_path: Path) -> None:
    def play(request: Request) -> Reply:
        reply = oracle(request)
        disagrees = (reply.content or "").replace('"agrees":true', '"agrees":false')
        return replace(reply, content=disagrees)

    wanted: dict[str, Any] = {"paths": "single; chat", "attempts": 1}
    result = carry_out_generation(played(demo_plan(tmp_path / "on", **wanted), play), 4)
    assert result.coverage.slots == Slots(2, 0, 2, 0)
    (first, _) = lines(tmp_path / "on" / "rejected.jsonl")
    assert first["reason"] == "answer"
    assert first["verdicts"][0]["answer_agrees"] is False
    assert first["session"]["english_tasks"]
    kept = carry_out_generation(played(demo_plan(tmp_path / "kept", accept_flagged=True, **wanted), play), 4)
    assert (kept.coverage.slots.produced, kept.coverage.flagged) == (2, {"answer": 2})
    assert [line["origin"]["flagged"] for line in lines(tmp_path / "kept" / "sessions.jsonl")] == [["answer"]] * 2
    off = carry_out_generation(played(demo_plan(tmp_path / "off", checks=("path",), **wanted), play), 4)
    assert off.coverage.slots.produced == 2


def test_reviewed_sessions_get_one_more_task(tmp_path: Path) -> None:
    """Layer by layer: what a person changed in a session is what agents and files see afterwards."""
    carry_out_generation(demo_plan(tmp_path / "one", paths="multi; chat"), 2)
    records = lines(tmp_path / "one" / "sessions.jsonl")
    records[0]["english_tasks"][0] = "Reviewed: " + records[0]["english_tasks"][0]
    reviewed = tmp_path / "reviewed.jsonl"
    reviewed.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    plan = demo_plan(tmp_path / "two", resume_from=str(reviewed), layer=2, paths="single; clarify")
    assert [slot.key for slot in plan.slots] == [
        f"en-{first}-0+{code}-0" for first in ("MT", "CC") for code in ("ST", "CQ")
    ]
    seen: list[str] = []

    def play(request: Request) -> Reply:
        seen.append("\n".join(message.content or "" for message in request.messages))
        return oracle(request)

    result = carry_out_generation(played(plan, play), 2)
    assert result.coverage.slots.produced == 4
    made = lines(tmp_path / "two" / "sessions.jsonl")
    assert [len(record["english_tasks"]) for record in made] == [2] * 4
    assert [record["english_tasks"][0] for record in made] == [records[0]["english_tasks"][0]] * 2 + [
        records[1]["english_tasks"][0]
    ] * 2
    for record, before in zip(made, [records[0]] * 2 + [records[1]] * 2, strict=True):
        assert record["english_answer_list"][0] == before["english_answer_list"][0]
        assert record["english_env_info"] == before["english_env_info"]
        assert record["origin"]["tool_list"] == before["origin"]["tool_list"]
    assert any("Reviewed: " in text and '"status_code"' in text for text in seen)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "fr"}, "language 'fr'"),
        ({"tasks": 0}, "tasks"),
        ({"tasks": 9}, "not 9"),
        ({"per_path": 0}, "--per-path must be an integer >= 1"),
        ({"sample": 0}, "sample"),
        ({"attempts": 0}, "attempts"),
        ({"vague": 1.5}, "vague"),
        ({"paths": "single", "sample": 3}, "sample"),
        ({"paths": "single", "tasks": 3}, "tasks"),
        ({"paths": "talk"}, "'talk'"),
        ({"layer": 2}, "layer goes with"),
        ({"resume_from": "x", "tools": "y"}, "tools"),
        ({"checks": ("prettiness",)}, "prettiness"),
        ({"scenarios": "/nowhere/s.jsonl"}, "/nowhere/s.jsonl"),
        ({"examples": "/nowhere/e.jsonl"}, "/nowhere/e.jsonl"),
        ({"resume_from": "/nowhere/r.jsonl"}, "/nowhere/r.jsonl"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ToolgaugeError) as refused:
        plan_generation(GenerationOptions(**options), ORACLE, None, tmp_path / "x")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "x").exists()


def test_scenarios_are_dealt_out_and_read_strictly(tmp_path: Path) -> None:
    file = tmp_path / "scenarios.jsonl"
    file.write_text('{"id": "a", "persona": "a sailor"}\n{"id": "b", "utterances": ["wind?"]}\n', "utf-8")
    plan = demo_plan(tmp_path / "run", tasks=1, scenarios=str(file))
    assert [slot.scenario.id for slot in plan.slots if slot.scenario] == ["a", "b", "a", "b"]
    seen: list[str] = []

    def play(request: Request) -> Reply:
        seen.append("\n".join(message.content or "" for message in request.messages))
        return oracle(request)

    result = carry_out_generation(played(plan, play), 1)
    assert result.coverage.scenarios == {"a": 2, "b": 2}
    assert any("a sailor" in text for text in seen)
    for content, message in (
        ('{"persona": "x"}', ":1: id: missing"),
        ('{"id": "a"}\n{"id": "a"}', ":2: id: duplicate id 'a', first used in line 1"),
        ('{"id": "a", "mood": "x"}', ":1: mood: unknown field"),
        ('{"id": "a", "persona": 3}', ":1: persona: must be a string"),
        ('{"id": "a", "utterances": ["x", 3]}', ":1: utterances[1]: must be a string"),
        ('{"id": "a", "tools": ["nothing_like_it"]}', ":1: tools[0]: unknown tool list 'nothing_like_it'"),
        (f'{{"id": "a", "persona": "{"x" * 30000}"}}', ":1: must have at most 20,000 characters"),
        ("[]", ":1: the line must be an object"),
        ("", "no scenario found"),
    ):
        file.write_text(content, "utf-8")
        with pytest.raises(DataError) as refused:
            demo_plan(tmp_path / "run", tasks=1, scenarios=str(file))
        assert f"scenarios.jsonl{message}" in str(refused.value) or message in str(refused.value), str(refused.value)


def test_hostile_replies_end_no_generation(tmp_path: Path) -> None:
    """Whatever agents say, slots are given up with a reason, and the files can be read."""
    deep = "[" * 5000
    said = ["", "\ud800", "```json\n{}\n```", f'{{"Action_List": {deep}', "x" * 60_000, '{"Task 1": "\ud800 a"}', "\0"]

    def play(request: Request) -> Reply:
        return Reply(said[zlib.crc32(f"{request.episode}/{request.step}".encode()) % len(said)])

    result = carry_out_generation(played(demo_plan(tmp_path, tasks=2, attempts=2), play), 4)
    assert result.coverage.slots == Slots(16, 0, 16, 0)
    assert len(lines(tmp_path / "rejected.jsonl")) == 32
    assert result.outcome.failed == 0
