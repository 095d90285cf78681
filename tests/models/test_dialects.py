"""The contract of every dialect: it reads its worked examples (fixtures/dialects) and what it writes itself, renders
any conversation, and takes any text in bounded time. Rendered texts stand in the golden record (records/dialects.txt).
"""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.models.dialect_texts import BOTH, EXAMPLES, SITUATIONS, situation
from tests.sizes import sized
from toolgauge.call_problems import CallProblem
from toolgauge.chat import Message, Reply, Tool, ToolCall
from toolgauge.models.dialects.calls import MAX_CALLS, MAX_DEPTH, MAX_TEXT, Parsed
from toolgauge.models.dialects.dialect import LANGUAGES
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.endings import holds_marks

EVERY = pytest.mark.parametrize("name", DIALECTS)
MANY = settings(max_examples=sized(8, 60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
RAIN = Tool(
    "rain", "Rain in a city?", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
)
NOW = Tool("now", "时间", {"type": "object", "properties": {}})


def calls_of(parsed: Parsed) -> list[tuple[str, dict[str, Any]]]:
    assert [call.id for call in parsed.calls] == [f"call_{number}" for number in range(len(parsed.calls))]
    return [(str(call.name), json.loads(call.arguments)) for call in parsed.calls]


# ------------------------------------------------------------------------------------------------- worked examples

CALLS_END_THINKING = {"hermes", "mistral", "hunyuan", "kimi", "glm4.5", "qwen3-coder"}
CALLS_END_THINKING |= {"deepseek-v3.2", "deepseek-v4", "hunyuan3", "minimax-m2", "seed-oss", "lfm2", "lfm2.5", "gemma4"}


@EVERY
def test_worked_examples(name: str) -> None:
    for case in SITUATIONS:
        text, content, calls, reasoning, problem = situation(case, EXAMPLES[name])
        parsed = DIALECTS[name].parse(text)
        assert (calls_of(parsed), parsed.content, parsed.reasoning) == (calls, content, reasoning), case
        assert parsed.problem == problem, case
    unclosed = DIALECTS[name].parse(f"<think>\nhm\n{EXAMPLES[name].both}")
    if name in CALLS_END_THINKING:
        assert (calls_of(unclosed), unclosed.content, unclosed.reasoning, unclosed.problem) == (BOTH, None, "hm", None)
    else:
        assert (unclosed.calls, unclosed.content) == ((), None)
        assert unclosed.problem is CallProblem.UNFINISHED_THINKING


@EVERY
def test_what_families_also_write_and_what_cannot_be_read(name: str) -> None:
    for text, calls, content in EXAMPLES[name].tolerated:
        parsed = DIALECTS[name].parse(text)
        assert (calls_of(parsed), parsed.content, parsed.problem) == (calls, content, None), text
    for text, problem in EXAMPLES[name].refused:
        parsed = DIALECTS[name].parse(text)
        assert (parsed.content, parsed.calls, parsed.problem) == (text, (), problem)


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


@pytest.mark.parametrize("name", MARKS)
def test_a_mark_in_a_sentence_is_only_spoken_of(name: str) -> None:
    for sentence in (
        "You may use {} to call a tool, then wait.",
        "你可以在 {} 中使用对象，放在 {} 中。",
        "Write it behind {}",
    ):
        text = sentence.replace("{}", MARKS[name])
        parsed = DIALECTS[name].parse(text)
        assert (parsed.content, parsed.calls, parsed.problem) == (text, (), None)
    assert DIALECTS[name].parse(f"{MARKS[name]} I will look.").problem is not None


def test_bounds() -> None:
    hermes = DIALECTS["hermes"]
    many = hermes.parse('<tool_call>{"name": "rain", "arguments": {}}</tool_call>' * (MAX_CALLS + 2))
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
    odd = hermes.parse('<tool_call>{"name": "f", "arguments": {"a": NaN, "b": 1e999, "c": "\\ud800"}}</tool_call>')
    assert calls_of(odd) == [("f", {"a": None, "b": None, "c": "?"})]


# --------------------------------------------------------------------------------------------- where a turn ends

ENDS = (
    "<|im_end|>", "<end_of_turn>", "<|eot_id|>", "<|eom_id|>", "</s>", "<|end|>", "<|return|>", "<|endoftext|>",
    "<|end_of_text|>", "<｜end▁of▁sentence｜>", "<|user|>", "<|observation|>", "[INST]",
)  # fmt: skip
PLAYED = "\n<|im_start|>user\nAnd now?<|im_end|>\n<|im_start|>assistant\n"


@EVERY
def test_nothing_behind_the_end_of_a_turn_is_read(name: str) -> None:
    texts, parse = EXAMPLES[name], DIALECTS[name].parse
    for end in ENDS:
        assert parse(f"Dry.{end}{PLAYED}{texts.both}").content == "Dry."
        assert not parse(f"Dry.{end}{PLAYED}{texts.both}").calls
        alone = parse(texts.one)
        assert parse(f"{texts.one}{end}{PLAYED}{texts.both}") == alone == parse(texts.one + end)
        assert parse(f"{texts.cut}{end}{PLAYED}{texts.both}").problem is parse(texts.cut).problem
    for mark in ("<|im_end|>", "</s>", "<tool_response>"):
        written = texts.one.replace("Oslo", f"What is {mark}?")
        assert calls_of(parse(written)) == [("rain", {"city": f"What is {mark}?"})]
        assert parse(f"{written}<|im_end|>{PLAYED}{texts.one}") == parse(written)


def test_no_call_is_read_behind_a_result_that_the_model_invents() -> None:
    one = EXAMPLES["generic"].one
    invented = '```tool_results\n{"name": "rain", "result": "dry"}\n```\nNow the next:\n'
    parsed = DIALECTS["generic"].parse(f"{one}\n{invented}{one}")
    assert calls_of(parsed) == [("rain", {"city": "Oslo"})]
    assert (parsed.content or "").startswith("```tool_results")
    assert parsed.problem is None
    talk = (
        Message("user", "?"),
        Message("assistant", None, (ToolCall("call_0", "rain", "{}"),)),
        Message("tool", "dry", tool_call_id="call_0"),
    )
    for name in ("hunyuan3", "deepseek-v3.2", "deepseek-v4"):
        result = DIALECTS[name].render(talk, (), "en")[-1].content or ""
        texts, parse = EXAMPLES[name], DIALECTS[name].parse
        assert calls_of(parse(f"{texts.one}\n{result}\n{texts.one}")) == calls_of(parse(texts.one))


def test_marks_inside_a_reply_are_noted() -> None:
    for text in ("Dry.", "Dry.<|im_end|>", "Dry.<|im_end|>\n", "<s>$ 20</s> $ 15", "Dry.</s>"):
        assert not holds_marks(Reply(content=text))
    for text in ("Dry.<|im_end|>\n<|im_start|>user\nAnd now?", "<|im_start|>assistant\nDry.", "Dry.</s><s>[INST] Now?"):
        assert holds_marks(Reply(content=text))
        assert holds_marks(Reply(content="Dry.", raw=text))


# ----------------------------------------------------------------------------------------------------- rendering

CALLS = (ToolCall("call_0", "rain", '{"city":"北京"}'), ToolCall("call_1", "now", "{}"))
TALK = (
    Message("system", "It is Monday."),
    Message("user", "First?"),
    Message("assistant", None, CALLS),
    Message("tool", "dry", tool_call_id="call_0"),
    Message("tool", "9:00", tool_call_id="call_1"),
    Message("assistant", "Dry, at nine."),
    Message("user", "Then?"),
)
NO_SYSTEM = {"gemma"}
"""Families whose templates have no system prompt: what it says stands before the user's first words."""
TOLD_LAST = {"mistral"}
"""Families that announce tools in the user's last message."""


@EVERY
def test_any_conversation_is_rendered_as_plain_text_that_only_grows(name: str) -> None:
    """What was rendered for an earlier step stays as it was, so that servers can keep what they computed for it."""
    render = DIALECTS[name].render
    for talk in (TALK, TALK[1:], TALK[:2], (), (Message("system", "S"),), (Message("tool", None, tool_call_id="?"),)):
        for tools in ((), (RAIN,)):
            for language in LANGUAGES:
                for message in render(talk, tools, language):
                    assert message.role in ("system", "user", "assistant", "tool")
                    assert isinstance(message.content, str)
                    assert message == Message(message.role, message.content)
    plain = (Message("system", "S"), Message("user", "U"), Message("assistant", "A"))
    asked = (Message("user", "S\n\nU"),) if name in NO_SYSTEM else plain[:2]
    assert render(plain, (), "en") == (*asked, plain[2])
    if name not in TOLD_LAST:
        shorter = render(TALK[:3], (RAIN, NOW), "en")
        assert render(TALK, (RAIN, NOW), "en")[: len(shorter)] == shorter
    for arguments in ("{broken", "[1]", None, 7, {"city": "Oslo"}, "\ud800", '{"a": 1' * 5000, "NaN"):
        strange = (Message("user", "U"), Message("assistant", None, (ToolCall(None, None, arguments),)))
        rendered = render((*strange, Message("tool", "R")), (RAIN,), "en")
        assert [message.role for message in rendered if message.role == "assistant"] == ["assistant"], arguments


# ---------------------------------------------------------------------------------------------------- properties

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
    rendered = DIALECTS[name].render((Message("user", "?"), Message("assistant", content, tool_calls)), (RAIN,), "en")
    assert rendered[-1].role == "assistant"
    assert not rendered[-1].tool_calls
    return rendered[-1].content or ""


@EVERY
@MANY
@given(made=calls)
def test_a_dialect_reads_what_it_writes(name: str, made: list[tuple[str, dict[str, Any]]]) -> None:
    parsed = DIALECTS[name].parse(written(name, made))
    assert (calls_of(parsed), parsed.problem) == (made, None)
    assert not parsed.content
    beside = DIALECTS[name].parse(written(name, [("rain", {"city": "Oslo"})], "我看看。"))
    assert (calls_of(beside), beside.content, beside.problem) == ([("rain", {"city": "Oslo"})], "我看看。", None)


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
        | st.sampled_from(
            ['{"name": "f"', "<function=f>", "<parameter=a>", ', "arguments": {', "}}", "[", "f(a=", *ENDS]
        )
    ).map("".join)
)
def test_any_text_is_taken(name: str, text: str) -> None:
    sound(name, text)


@EVERY
def test_spoilt_examples_are_taken(name: str) -> None:
    draw = random.Random(name)
    texts = [text for text in EXAMPLES[name].texts if text.strip()]
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
LENGTH, MOST = sized(32_000, 100_000), sized(1, 10)
"""Characters of a text, and seconds of the processor for one: forty milliseconds where the time grows with the length,
several seconds where it grows with the square."""
DEEP = sized(6_000, 20_000)
"""Levels, six times as many as Python can go down."""


@EVERY
def test_a_hostile_text_takes_time_in_proportion_to_its_length(name: str) -> None:
    texts = [unit * (LENGTH // len(unit)) for unit in HOSTILE]
    for mark in ("", "<tool_call>"):
        for opened, closed in (("[", "]"), ('{"a":', "}"), ("(", ")"), ('[{"name":', "}]")):
            texts.append(mark + opened * DEEP + closed * DEEP)
    for text in texts:
        began = time.process_time()
        sound(name, text)
        assert time.process_time() - began < MOST, text[:40]
    assert len(sound(name, written(name, [("f", {"text": "x" * 60_000})])).calls) == 1
