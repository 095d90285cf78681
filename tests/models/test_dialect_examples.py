"""Every dialect reads its worked examples (dialect_examples.py), within its bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.models.dialect_examples import EXAMPLES, REFUSED, TOLERATED
from tests.models.dialect_texts import BOTH, SITUATIONS, situation
from toolgauge.call_problems import CallProblem
from toolgauge.models.dialects.calls import MAX_CALLS, MAX_DEPTH, MAX_TEXT, Parsed
from toolgauge.models.dialects.table import DIALECTS

RAIN = '{"name": "rain", "arguments": {"city": "Oslo"}}'

CALLS_END_THINKING = {"hermes", "mistral", "hunyuan", "kimi", "glm4.5", "qwen3-coder"}
CALLS_END_THINKING |= {"deepseek-v3.2", "deepseek-v4", "hunyuan3", "minimax-m2", "seed-oss", "lfm2", "lfm2.5", "gemma4"}


def calls_of(parsed: Parsed) -> list[tuple[str, dict[str, Any]]]:
    assert [call.id for call in parsed.calls] == [f"call_{number}" for number in range(len(parsed.calls))]
    return [(str(call.name), json.loads(call.arguments)) for call in parsed.calls]


def test_every_dialect_has_examples() -> None:
    assert set(DIALECTS) == set(EXAMPLES)


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("dialect", EXAMPLES)
def test_worked_examples(dialect: str, name: str) -> None:
    text, content, calls, reasoning, problem = situation(name, EXAMPLES[dialect])
    parsed = DIALECTS[dialect].parse(text)
    assert (calls_of(parsed), parsed.reasoning) == (calls, reasoning)
    assert parsed.content == content
    assert parsed.problem == problem


@pytest.mark.parametrize(("dialect", "text", "calls", "content"), TOLERATED)
def test_what_families_also_write(dialect: str, text: str, calls: list[Any], content: str | None) -> None:
    parsed = DIALECTS[dialect].parse(text)
    assert (calls_of(parsed), parsed.content, parsed.problem) == (calls, content, None)


@pytest.mark.parametrize(("dialect", "text", "problem"), REFUSED)
def test_what_cannot_be_read_stays_text(dialect: str, text: str, problem: CallProblem) -> None:
    parsed = DIALECTS[dialect].parse(text)
    assert (parsed.content, parsed.calls) == (text, ())
    assert parsed.problem is problem


@pytest.mark.parametrize("dialect", EXAMPLES)
def test_calls_end_thinking_that_is_not_closed_where_the_familys_parsers_say_so(dialect: str) -> None:
    parsed = DIALECTS[dialect].parse(f"<think>\nhm\n{EXAMPLES[dialect].both}")
    if dialect in CALLS_END_THINKING:
        assert (calls_of(parsed), parsed.content, parsed.reasoning, parsed.problem) == (BOTH, None, "hm", None)
    else:
        assert (parsed.calls, parsed.content) == ((), None)
        assert parsed.problem is CallProblem.UNFINISHED_THINKING


MARKS = {
    "hermes": "<tool_call>",
    "qwen3-coder": "<tool_call>",
    "glm4.5": "<tool_call>",
    "hunyuan": "<tool_calls>",
    "hunyuan3": "<tool_calls:opensource>",
    "lfm2": "<|tool_call_start|>",
    "deepseek-v3": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>",
    "deepseek-v3.1": "<｜tool▁call▁begin｜>",
    "deepseek-v3.2": "<｜DSML｜function_calls>",
    "deepseek-v4": "<｜DSML｜tool_calls>",
    "kimi": "<|tool_call_begin|>",
    "minimax-m2": "<minimax:tool_call>",
    "seed-oss": "<seed:tool_call>",
    "functiongemma": "<start_function_call>",
    "gemma4": "<|tool_call>",
    "granite": "<|tool_call|>",
    "phi4-mini": "<|tool_call|>",
    "llama3-json": "<|python_tag|>",
    "mistral": "[TOOL_CALLS]",
    "generic": "```tool_calls",
}


@pytest.mark.parametrize("dialect", MARKS)
@pytest.mark.parametrize(
    "sentence",
    ["You may use {} to call a tool, then wait.", "你可以在 {} 中使用对象，放在 {} 中。", "Write it behind {}"],
)
def test_a_mark_in_a_sentence_is_only_spoken_of(dialect: str, sentence: str) -> None:
    text = sentence.replace("{}", MARKS[dialect])
    parsed = DIALECTS[dialect].parse(text)
    assert (parsed.content, parsed.calls, parsed.problem) == (text, (), None)
    assert DIALECTS[dialect].parse(f"{MARKS[dialect]} I will look.").problem is not None


def test_bounds() -> None:
    hermes = DIALECTS["hermes"]
    many = hermes.parse(f"<tool_call>{RAIN}</tool_call>" * (MAX_CALLS + 2))
    assert len(many.calls) == MAX_CALLS
    assert many.problem is CallProblem.TOO_MANY
    assert (many.content or "").count("rain") == 2
    for levels, read in ((MAX_DEPTH - 1, 1), (MAX_DEPTH + 2, 0)):
        deep = hermes.parse(
            '<tool_call>{"name": "f", "arguments": {"a": %s}}</tool_call>' % ("[" * levels + "]" * levels)
        )
        assert len(deep.calls) == read
    long = "x" * (MAX_TEXT + 1)
    assert hermes.parse(long) == Parsed(long, problem=CallProblem.TOO_LONG)
    digits = hermes.parse('<tool_call>{"name": "f", "arguments": {"a": %s}}</tool_call>' % ("9" * 5000))
    assert not digits.calls
    assert digits.problem is CallProblem.LONG_NUMBER


def test_what_json_has_no_form_for_becomes_null() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": NaN, "b": 1e999, "c": "\\ud800"}}</tool_call>'
    assert calls_of(DIALECTS["hermes"].parse(text)) == [("f", {"a": None, "b": None, "c": "?"})]
