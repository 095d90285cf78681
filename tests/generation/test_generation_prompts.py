"""Every prompt is there in both languages, filled from the same names, and its example is what its reader reads."""

from __future__ import annotations

import pytest

from tests.generation.scripted import LANGUAGES
from toolgauge.chat import Reply
from toolgauge.generation.agents.planner import parse_check, parse_decision
from toolgauge.generation.agents.requests import rules_of
from toolgauge.generation.prompts import prompt, text
from toolgauge.generation.replies import JudgeReply, ToolReply, UserReply, WordsReply, parse_reply


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_are_read(language: str) -> None:
    output = rules_of("planner", language).partition("\n- Task_Finish")[0]
    decision = parse_decision(Reply(output[output.rindex('{\n  "Task_Finish"') :]))
    assert [[need.id for need in action.needs] for action in decision.actions] == [["a1"], ["a1"]]
    judged = prompt("judge", language)
    example = parse_reply(Reply(judged[judged.rindex('{\n  "answer"') : judged.rindex("}") + 1]), JudgeReply)
    assert (example.answer.agrees, example.earlier.kind) == (True, "coreference")
    lines = rules_of("users_and_tools", language).splitlines()
    (proposals,) = (line for line in lines if line.startswith('{"candidates"'))
    assert parse_reply(Reply(proposals), UserReply).candidates
    for start, kind in (('{"message"', WordsReply), ('{"Observation_List"', ToolReply)):
        assert any(parse_reply(Reply(line[line.index(start) :]), kind) for line in lines if start in line[20:])
    assert parse_check(Reply('{"tool_call_analysis": "", "correct": "yes"}')) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_planner_is_asked_for_needs_and_the_same_five_keys(language: str) -> None:
    for key in ("Task_Finish", "Thought", "Plan", "Action_List", "Answer"):
        assert f'"{key}"' in rules_of("planner", language)
        assert key in text("finding_form", language, why="")
    assert all(f"“{why}”" in rules_of("planner", language) or f'"{why}"' in rules_of("planner", language)
               for why in ("value", "write", "order"))  # fmt: skip
    assert prompt("words", language) in rules_of("planner", language)
    assert prompt("words", language) in rules_of("assistant", language)
    assert "withheld" in rules_of("users_and_tools", language)
