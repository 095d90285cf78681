"""Every dialect reads its worked examples, and differs from other parsers where the documentation says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dialect_examples import EXAMPLES, SITUATIONS, situation

from toolgauge.models.dialects.dialect import MAX_CALLS, MAX_DEPTH, MAX_TEXT, Parsed
from toolgauge.models.dialects.registry import DIALECTS

RAIN = '{"name": "rain", "arguments": {"city": "Oslo"}}'
OSLO = [("rain", {"city": "Oslo"})]


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
    assert problem in parsed.problem if problem and parsed.problem else parsed.problem == problem


TOLERATED: list[tuple[str, str, list[Any], str | None]] = [
    # hermes: vLLM reads a call without its end tag too, SGLang does not; a pair of tags around two calls: neither does
    ("hermes", f"<tool_call>\n{RAIN}", OSLO, None),
    ("hermes", f"<tool_call>{RAIN}\n{RAIN}</tool_call>", OSLO * 2, None),
    ("hermes", f"<tool_call>[{RAIN}]</tool_call>", OSLO, None),
    # end tags in a string: both cut there and fail
    ("hermes", '<tool_call>{"name": "w", "arguments": {"t": "</tool_call>"}}</tool_call>',
     [("w", {"t": "</tool_call>"})], None),
    # no arguments at all: vLLM fails, SGLang takes an empty object; arguments as a text: both hand on the text
    ("hermes", '<tool_call>{"name": "now"}</tool_call>', [("now", {})], None),
    ("hermes", '<tool_call>{"name": "now", "arguments": null}</tool_call>', [("now", {})], None),
    ("hermes", '<tool_call>{"name": "rain", "arguments": "{\\"city\\": \\"Oslo\\"}"}</tool_call>', OSLO, None),
    # a real line break within a string
    ("hermes", '<tool_call>{"name": "w", "arguments": {"t": "a\nb"}}</tool_call>', [("w", {"t": "a\nb"})], None),
    ("qwen3", f"<think>\n\n</think>\n\n<tool_call>\n{RAIN}\n</tool_call>", OSLO, None),
    # a closing mark of thinking that belongs to an argument
    ("qwen3", '<tool_call>\n{"name": "w", "arguments": {"t": "</think>"}}\n</tool_call>',
     [("w", {"t": "</think>"})], None),
    ("llama3-json", f"<|python_tag|>{RAIN}", OSLO, None),
    ("llama3-json", f"<|python_tag|>{RAIN}<|eom_id|>", OSLO, None),
    ("llama3-json", f"[{RAIN}]", OSLO, None),
    # semicolons within strings: vLLM's older releases split there
    ("llama3-json", '{"name": "w", "parameters": {"t": "a; {b}"}}', [("w", {"t": "a; {b}"})], None),
    ("llama3-json", 'The record is {"name": "Ana", "age": 3}.', [], 'The record is {"name": "Ana", "age": 3}.'),
    ("llama3-json", '{"a": {"name": "rain", "parameters": {}}}', [], '{"a": {"name": "rain", "parameters": {}}}'),
    ("mistral", f"[{RAIN}]", OSLO, None),  # the mark is a special token, which many servers leave out
    ("mistral", '[TOOL_CALLS]rain{"city": "Oslo"}', OSLO, None),
    ("mistral", '[TOOL_CALLS]rain[ARGS]{"city": "Oslo"}[TOOL_CALLS]now[CALL_ID]a1b2c3d4e[ARGS]{}',
     [*OSLO, ("now", {})], None),
    ("mistral", '[TOOL_CALLS] [{"name": "w", "arguments": {"t": "[TOOL_CALLS]rain{"}}]',
     [("w", {"t": "[TOOL_CALLS]rain{"})], None),
    ("mistral", '[TOOL_CALLS]w{"t": "[TOOL_CALLS]rain{}"}', [("w", {"t": "[TOOL_CALLS]rain{}"})], None),
    ("mistral", f"[THINK]hm[/THINK]Yes.[TOOL_CALLS][{RAIN}]", OSLO, "Yes."),
    ("mistral", f"[TOOL_CALLS] [{RAIN}]\nIt rains. [see]", OSLO, "It rains. [see]"),
    ("granite", f"<tool_call>[{RAIN}]", OSLO, None),
    ("granite", f"[{RAIN}]", OSLO, None),
    ("granite", f"<function_call> {RAIN}", OSLO, None),
    ("granite", "<think>hm</think><response>It rains.</response>", [], "It rains."),
    ("hunyuan", f"<think>hm</think>\n<answer><tool_calls>[{RAIN}]</tool_calls></answer>", OSLO, None),
    ("hunyuan", "<think>hm</think>\n<answer>助手：下雨。</answer>", [], "下雨。"),
    ("hunyuan", "助手：下雨。", [], "下雨。"),
    ("xlam", f'{{"thought": "", "tool_calls": [{RAIN}]}}', OSLO, None),
    ("xlam", f'```json\n{{"tool_calls": [{RAIN}]}}\n```', OSLO, None),
    ("xlam", f"[{RAIN}]", OSLO, None),
    ("xlam", '{"tool_calls": []}', [], '{"tool_calls": []}'),
    ("xlam2", f"```json\n[{RAIN}]\n```", OSLO, None),
    ("xlam2", f"<tool_call>{RAIN}</tool_call>", OSLO, None),
    ("xlam2", f"thinking\n</think>[{RAIN}]", OSLO, None),
    ("xlam2", "[]", [], "[]"),
    ("hammer2.1", f"[{RAIN}]", OSLO, None),
    ("hammer2.1", f"```json\n[{RAIN}]\n```", OSLO, None),
    ("hammer2.1", "[]", [], "[]"),
    ("ace", "[rain(from='Oslo', is_now=true)]", [("rain", {"from": "Oslo", "is_now": True})], None),
    ("ace", "[get-rain(x-y=null, n=-3)]", [("get-rain", {"x-y": None, "n": -3})], None),
    ("ace", "As [1] says: [rain(city='Oslo')]", OSLO, "As [1] says:"),
    ("generic", f"```json\n{RAIN}\n```", OSLO, None),
    ("generic", f"```\n[{RAIN}]\n```\nDone.", OSLO, "Done."),
    ("generic", f"{RAIN}", OSLO, None),
    ("generic", '```json\n{"colour": "red"}\n```', [], '```json\n{"colour": "red"}\n```'),
    ("generic", '```python\nprint({"name": "x"})\n```', [], '```python\nprint({"name": "x"})\n```'),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "text", "calls", "content"), TOLERATED)
def test_what_families_also_write(dialect: str, text: str, calls: list[Any], content: str | None) -> None:
    parsed = DIALECTS[dialect].parse(text)
    assert (calls_of(parsed), parsed.content, parsed.problem) == (calls, content, None)


REFUSED = [
    ("hermes", '<tool_call>{"nom": "rain"}</tool_call>', "no call"),
    ("hermes", '<tool_call>{"name": "", "arguments": {}}</tool_call>', "no call"),
    ("hermes", '<tool_call>{"name": "rain", "arguments": [1]}</tool_call>', "no call"),
    ("hermes", '<tool_call>{"name": "rain", "arguments": "Oslo"}</tool_call>', "no call"),
    ("hermes", '<tool_call>rain(city="Oslo")</tool_call>', "no JSON"),
    ("hermes", "<tool_call>", "cut off"),
    ("hermes", '<tool_call>{"name": "rain", "arguments": {"a": tr', "cut off"),
    ("hermes", '<tool_call>{"name": "rain", "arguments": {"a": 1}} }'.replace("}} }", "},}"), "broken"),
    ("mistral", "[TOOL_CALLS]rain{city}", "broken"),
    ("ace", "[rain('Oslo')]", "without its name"),
    ("ace", "[now(), rain('Oslo')]", "without its name"),
    ("ace", "[rain(city=b'Oslo')]", "bytes"),
    ("ace", "[rain(city='Oslo'), 3]", "expected"),
    ("ace", "[rain(a='1', a='2')]", "more than once"),
]


@pytest.mark.parametrize(("dialect", "text", "problem"), REFUSED)
def test_what_cannot_be_read_stays_text(dialect: str, text: str, problem: str) -> None:
    parsed = DIALECTS[dialect].parse(text)
    assert (parsed.content, parsed.calls) == (text, ())
    assert problem in (parsed.problem or "")


def test_a_list_with_an_element_that_is_no_call_keeps_it_as_text() -> None:
    parsed = DIALECTS["hunyuan"].parse(f'<tool_calls>[{RAIN}, {{"x": 1}}]</tool_calls>')
    assert calls_of(parsed) == OSLO
    assert parsed.content == '{"x": 1}'
    assert "no call" in (parsed.problem or "")


def test_a_thought_of_xlam_is_reasoning() -> None:
    parsed = DIALECTS["xlam"].parse(f'{{"thought": "Rain?", "tool_calls": [{RAIN}]}}')
    assert (calls_of(parsed), parsed.content, parsed.reasoning) == (OSLO, None, "Rain?")


def test_bounds() -> None:
    hermes = DIALECTS["hermes"]
    many = hermes.parse(f"<tool_call>{RAIN}</tool_call>" * (MAX_CALLS + 2))
    assert len(many.calls) == MAX_CALLS
    assert "calls" in (many.problem or "")
    assert (many.content or "").count("rain") == 2
    for levels, read in ((MAX_DEPTH - 1, 1), (MAX_DEPTH + 2, 0)):
        deep = hermes.parse(
            '<tool_call>{"name": "f", "arguments": {"a": %s}}</tool_call>' % ("[" * levels + "]" * levels)
        )
        assert len(deep.calls) == read
    long = "x" * (MAX_TEXT + 1)
    assert hermes.parse(long) == Parsed(
        long, problem=f"{MAX_TEXT + 1} characters, at most {MAX_TEXT} are read for calls"
    )
    digits = hermes.parse('<tool_call>{"name": "f", "arguments": {"a": %s}}</tool_call>' % ("9" * 5000))
    assert not digits.calls
    assert "too long" in (digits.problem or "")


def test_what_json_has_no_form_for_becomes_null() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": NaN, "b": 1e999, "c": "\\ud800"}}</tool_call>'
    assert calls_of(DIALECTS["hermes"].parse(text)) == [("f", {"a": None, "b": None, "c": "?"})]
