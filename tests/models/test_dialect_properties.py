"""What holds for every dialect: it reads what it writes, and takes any text in linear time without raising."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.models.dialect_examples import EXAMPLES
from tests.sizes import sized
from toolgauge.chat import Message, Tool, ToolCall
from toolgauge.models.dialects import reading
from toolgauge.models.dialects.calls import MAX_CALLS, Parsed
from toolgauge.models.dialects.table import DIALECTS

EVERY = pytest.mark.parametrize("name", DIALECTS)
TOOL = Tool("rain", "Rain?", {"type": "object", "properties": {"city": {"type": "string"}}})
MANY = settings(max_examples=sized(8, 60), deadline=None, suppress_health_check=[HealthCheck.too_slow])

names = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_.-]{0,20}[A-Za-z0-9_]\Z") | st.sampled_from(["查天气", "a.b-c", "from"])
marks = st.sampled_from(
    [
        "</tool_call>", "<think>", "</think>", "[TOOL_CALLS]", "```", "\n```\n", "<|python_tag|>", "; {", "]", "'",
        '"', "\\", "<<function>>", "<｜tool▁call▁end｜>", "<|tool_call_end|>", "</function>", "</arg_value>",
        "</parameter>", "</｜DSML｜parameter>", "<｜DSML｜invoke", "</arg_value:opensource>", "</think:x>", "<|call|>",
        "<|channel|>final<|message|>", "assistantfinal", "\n<parameter=a>\n", "<|assistant|>", ")",
        "<|tool_call_start|>", "<|tool_call_end|>", "```tool_code", "<escape>", "<start_function_call>", '<|"|>',
        "<|tool_call>", "<tool_call|>", "<|tool_call|>", "<channel|>",
    ]
)  # fmt: skip
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
strings = words | marks | st.tuples(words, marks, words).map("".join)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | strings
values = st.recursive(
    scalars, lambda of: st.lists(of, max_size=3) | st.dictionaries(strings, of, max_size=3), max_leaves=8
)
keys = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_]{0,12}\Z") | st.sampled_from(
    ["from", "城市", "x-y", "a b", "", "=(", "名[", "ﬁ"]
)
calls = st.lists(st.tuples(names, st.dictionaries(keys, values, max_size=4)), min_size=1, max_size=4)


def written(name: str, made: list[tuple[str, dict[str, Any]]], content: str | None = None) -> str:
    """An assistant's message with these calls as the dialect writes it."""
    tool_calls = tuple(
        ToolCall(f"call_{place}", called, json.dumps(arguments)) for place, (called, arguments) in enumerate(made)
    )
    rendered = DIALECTS[name].render((Message("user", "?"), Message("assistant", content, tool_calls)), (TOOL,), "en")
    assert rendered[-1].role == "assistant"
    assert not rendered[-1].tool_calls
    return rendered[-1].content or ""


def meant(parsed: Parsed) -> list[tuple[str, dict[str, Any]]]:
    return [(str(call.name), json.loads(call.arguments)) for call in parsed.calls]


@EVERY
@MANY
@given(made=calls)
def test_a_dialect_reads_the_calls_that_it_writes(name: str, made: list[tuple[str, dict[str, Any]]]) -> None:
    parsed = DIALECTS[name].parse(written(name, made))
    assert (meant(parsed), parsed.problem) == (made, None)
    assert not parsed.content


@EVERY
def test_a_dialect_reads_the_words_beside_the_calls_that_it_writes(name: str) -> None:
    parsed = DIALECTS[name].parse(written(name, [("rain", {"city": "Oslo"})], "我看看。"))
    assert (meant(parsed), parsed.content, parsed.problem) == ([("rain", {"city": "Oslo"})], "我看看。", None)


def sound(name: str, text: str) -> Parsed:
    """Parse a text and look at the result's form; it can be written as JSON."""
    parsed = DIALECTS[name].parse(text)
    assert len(parsed.calls) <= MAX_CALLS
    assert [call.id for call in parsed.calls] == [f"call_{place}" for place in range(len(parsed.calls))]
    for call in parsed.calls:
        assert call.name
        assert isinstance(json.loads(call.arguments), dict)
    if not parsed.calls and parsed.content is None and "think" not in text.lower():
        assert parsed.reasoning or parsed.problem or not text.strip(), "something is lost"
    return parsed


@EVERY
@MANY
@given(
    text=st.text()
    | st.lists(
        strings
        | st.sampled_from(['{"name": "f"', "<function=f>", "<parameter=a>", ', "arguments": {', "}}", "[", "f(a="])
    ).map("".join)
)
def test_any_text_is_taken(name: str, text: str) -> None:
    sound(name, text)


@EVERY
def test_spoilt_examples_are_taken(name: str) -> None:
    draw = random.Random(name)
    texts = [text for text in EXAMPLES[name] if text.strip()]
    for _ in range(sized(60, 400)):
        text = draw.choice(texts)
        for _ in range(draw.randint(1, 4)):
            at, other = draw.randrange(len(text) + 1), draw.choice(texts)
            text = draw.choice(
                [
                    text[:at],
                    text[at:],
                    text[:at] + text[at + 1 :],
                    text[:at] + draw.choice("{}[]()<>|\"'\\`;,:\x00\ud800é") + text[at:],
                    text[:at] + other[draw.randrange(len(other)) :],
                ]
            )
        sound(name, text)


HOSTILE = [
    "{", '{"a": "', '{"a": [', '[{"name": "f", "arguments": {"a": ', "[f(a='", "\\", "```json ", "\n", "<think>",
    "<tool_call>", '<tool_call>{"name": "f", ', '[TOOL_CALLS]f{"a', "<|python_tag|>",
    '{"name": "f", "arguments": {}} ', "a.b-", "f(a='),", "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{",
    "<|tool_call_begin|>f:0<|tool_call_argument_begin|>{", "<function=f>{", "f\n{",
    "<tool_call>f<arg_key>a</arg_key><arg_value>", "<tool_call><function=f><parameter=a>",
    "<tool_call><function=f><parameter=a>\n<parameter=b>\n", "<|tool_call_start|>[f(a='", "```tool_code f(a=[",
    "<start_function_call>call:f{a:[", '<|tool_call>call:f{a:<|"|>', "<|channel|>commentary to=f<|message|>{",
    '<|start|>assistant to=functions.f<|message|>{"a": "', "assistantcommentary to=functions.f json{",
    "<tool_calls:a><tool_call:a>f<tool_sep:a><arg_key:a>b</arg_key:a><arg_value:a>",
    '<｜DSML｜invoke name="f"><｜DSML｜parameter name="a">', '<｜DSML｜invoke name="f">{',
]  # fmt: skip


def steps(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Lines of ours that run for a text, and characters of JSON that are looked at."""
    count = 0
    decoder = reading._DECODER

    class Counting:
        def raw_decode(self, whole: str, at: int) -> tuple[Any, int]:
            nonlocal count
            try:
                value, end = decoder.raw_decode(whole, at)
            except json.JSONDecodeError as error:
                # a text that is not closed is read to its end; the lines before an error are counted
                count += (len(whole) if error.msg.startswith("Unterminated") else error.pos) - at + error.pos // 100
                raise
            except (ValueError, RecursionError):
                count += len(whole) - at
                raise
            count += end - at
            return value, end

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        if "toolgauge" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    monkeypatch.setattr(reading, "_DECODER", Counting())
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        sound(name, text)
    finally:
        sys.settrace(before)
    monkeypatch.undo()
    return count


def paired(texts: Sequence[str], part: int) -> list[tuple[str, str]]:
    """Dialects with texts: in `make test` every dialect meets every n-th of the texts, and every text every n-th
    dialect."""
    part = sized(part, 1)
    return [
        (name, text)
        for row, text in enumerate(texts)
        for column, name in enumerate(DIALECTS)
        if (row + column) % part == 0
    ]


@pytest.mark.parametrize(("name", "unit"), paired(HOSTILE, 6))
def test_the_work_grows_with_the_length_of_a_text(name: str, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = (unit * (size // len(unit)) for size in (1500, 6000))
    assert steps(name, large, monkeypatch) <= 4.6 * steps(name, small, monkeypatch) + 35 * len(large)


@EVERY
def test_a_large_text_is_taken(name: str) -> None:
    for unit in ("<tool_call>{", '{"a": [', "```json\n[", '{"name": "f", "arguments": {"a": "'):
        sound(name, unit * (sized(100_000, 1_000_000) // len(unit)))
    whole = sound(name, written(name, [("f", {"text": "x" * 60_000})]))
    assert len(whole.calls) == 1


DEEP = sized(6_000, 20_000)
"""Levels, six times as many as Python can go down."""


@pytest.mark.parametrize(("name", "mark"), paired(["", "<tool_call>", "[TOOL_CALLS]", "[f(a="], 2))
def test_deep_nesting_is_taken(name: str, mark: str) -> None:
    for opened, closed in (("[", "]"), ('{"a":', "}"), ("(", ")"), ('[{"name":', "}]")):
        sound(name, mark + opened * DEEP)
        sound(name, mark + opened * DEEP + closed * DEEP)
