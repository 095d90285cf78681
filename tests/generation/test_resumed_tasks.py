"""Tasks that people reviewed are taken as they are when a session is continued, in both languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import toolgauge
from tests.sizes import sized
from toolgauge.data.lines import read_lines


@pytest.mark.parametrize("language", ["en", "zh"][: sized(1, 2)])
def test_what_a_reviewer_wrote_and_the_planner_thought_stay_as_they_were(language: str, tmp_path: Path) -> None:
    first, second, reviewed = tmp_path / "first", tmp_path / "second", tmp_path / "reviewed.jsonl"
    toolgauge.generate("builtin/oracle", paths="multi", language=language, out=first)
    ((_, session),) = read_lines(first / "sessions.jsonl")
    answers = next(session[key] for key in session if key.endswith("answer_list"))
    assert answers[0][0]["thought"]
    assert answers[0][0]["purpose"]
    session["reviewer"] = {"name": "Ada", "verdict": "good"}
    session["origin"]["batch"] = 7
    answers[0][0] |= {"plan": "A plan of the reviewer's own.", "doubts": ["none"]}
    reviewed.write_text(json.dumps(session, ensure_ascii=False) + "\n", encoding="utf-8")
    toolgauge.generate(
        "builtin/oracle", paths="chat", language=language, resume_from=reviewed, captures=True, out=second
    )
    ((_, continued),) = read_lines(second / "sessions.jsonl")
    kept = next(continued[key] for key in continued if key.endswith("answer_list"))
    assert kept[0] == answers[0]
    assert (continued["reviewer"], continued["origin"]["batch"]) == (session["reviewer"], 7)
    lines = (second / "captures.jsonl").read_text("utf-8").splitlines()
    told = next(one for one in map(json.loads, lines) if one["task"] == "planner")
    shown = json.dumps(told["messages"], ensure_ascii=False)
    assert "A plan of the reviewer's own." in shown
