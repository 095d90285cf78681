"""Where a turn ends: what comes behind is the model playing somebody else, and no dialect reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.dialect_examples import EXAMPLES
from tests.models.test_dialect_examples import calls_of
from tests.sizes import in_turn
from toolgauge.chat import Message, Reply, ToolCall
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.endings import holds_marks

ENDS = (
    "<|im_end|>", "<end_of_turn>", "<|eot_id|>", "<|eom_id|>", "</s>", "<|end|>", "<|return|>", "<|endoftext|>",
    "<|end_of_text|>", "<｜end▁of▁sentence｜>", "<|user|>", "<|observation|>", "[INST]",
)  # fmt: skip
PLAYED = "\n<|im_start|>user\nAnd now?<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize(("dialect", "end"), in_turn(EXAMPLES, ENDS))
def test_nothing_behind_the_end_of_a_turn_is_read(dialect: str, end: str) -> None:
    texts, parse = EXAMPLES[dialect], DIALECTS[dialect].parse
    assert parse(f"Dry.{end}{PLAYED}{texts.both}").content == "Dry."
    assert not parse(f"Dry.{end}{PLAYED}{texts.both}").calls
    alone = parse(texts.one)
    assert parse(f"{texts.one}{end}{PLAYED}{texts.both}") == alone == parse(texts.one + end)
    assert parse(f"{texts.cut}{end}{PLAYED}{texts.both}").problem is parse(texts.cut).problem


@pytest.mark.parametrize(("dialect", "mark"), in_turn(EXAMPLES, ["<|im_end|>", "</s>", "<tool_response>"]))
def test_a_mark_in_an_argument_belongs_to_the_call(dialect: str, mark: str) -> None:
    texts, parse = EXAMPLES[dialect], DIALECTS[dialect].parse
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
    cut = DIALECTS["generic"].parse('```tool_results\n{"name": "rain", "result": "dr')
    assert (cut.content, cut.calls, cut.problem) == ('```tool_results\n{"name": "rain", "result": "dr', (), None)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("Dry.", False),
        ("Dry.<|im_end|>", False),
        ("Dry.<|im_end|>\n", False),
        ("Dry.<|im_end|>\n<|im_start|>user\nAnd now?", True),
        ("<|im_start|>assistant\nDry.", True),
        ("<s>$ 20</s> $ 15", False),
        ("Dry.</s>", False),
        ("Dry.</s><s>[INST] And now?", True),
    ],
)
def test_marks_inside_a_reply_are_noted(text: str, inside: bool) -> None:
    assert holds_marks(Reply(content=text)) is inside
    assert holds_marks(Reply(content="Dry.", raw=text)) is inside


@given(
    st.lists(st.sampled_from([*ENDS, "<tool_response>", "\ue000", "0", "\ue001", "a", '"', "{", "<think>", "</think>"]))
)
def test_anything_is_read(pieces: list[str]) -> None:
    for dialect in DIALECTS.values():
        assert dialect.parse("".join(pieces)) is not None


@pytest.mark.parametrize("dialect", ["hunyuan3", "deepseek-v3.2", "deepseek-v4"])
def test_results_in_the_tags_of_a_family_end_what_is_read(dialect: str) -> None:
    talk = (
        Message("user", "?"),
        Message("assistant", None, (ToolCall("call_0", "rain", "{}"),)),
        Message("tool", "dry", tool_call_id="call_0"),
    )
    invented = DIALECTS[dialect].render(talk, (), "en")[-1].content or ""
    texts, parse = EXAMPLES[dialect], DIALECTS[dialect].parse
    assert calls_of(parse(f"{texts.one}\n{invented}\n{texts.one}")) == calls_of(parse(texts.one))
