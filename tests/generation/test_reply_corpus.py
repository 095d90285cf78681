"""What models write around their words and their JSON is read through, and what people write stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generation.reply_corpus import WrittenReply, corpus, table
from toolgauge.annotation.dialogue import Speaker
from toolgauge.chat import Reply
from toolgauge.generation.agents.lenient_json import mended_json
from toolgauge.generation.agents.reading import Unreadable, json_found
from toolgauge.generation.agents.reasoning import apart, without_reasoning
from toolgauge.generation.agents.speech import read_words, said_by

DOCS = Path(__file__).parents[2] / "docs" / "generation-checks.md"


@pytest.mark.parametrize("one", [one for one in corpus() if not one.held_out or one.is_clean], ids=lambda one: one.id)
def test_a_reply_is_read_as_it_is_meant(one: WrittenReply) -> None:
    """What people write stays as it is, held out or not; of the rest that is held out the docs say how much is read."""
    assert one.read() == one.reading


def test_the_docs_say_how_well_it_is_read() -> None:
    assert table() in DOCS.read_text(encoding="utf-8")


PIECES = st.sampled_from(
    [
        *(
            "User: ",
            "Agent：",
            "用户：",
            "<think>",
            "</think>",
            "```",
            "```json\n",
            '{"message": "',
            '"}',
            "\n",
            "\n\n",
        ),
        *(
            "**",
            "(This refers to it.)",
            "Here is the reply for the user:",
            "（注：用户）",
            "Note: ",
            '"',
            "“",
            "”",
            "> ",
        ),
        *("<|im_end|>", "Sunny.", "那上海呢？", "---\n", "[User]", "x", " "),
    ]
)


@given(
    st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=60), st.sampled_from([Speaker.USER, Speaker.AGENT])
)
def test_any_text_is_read_or_refused(text: str, speaker: Speaker) -> None:
    try:
        words = read_words(Reply(text), speaker)
    except Unreadable as error:
        words, reasons = "refused", {error.said("en"), error.said("zh")}
        assert len(reasons) == 2
    assert words == words.strip() != ""


@given(st.lists(PIECES, max_size=12).map("".join))
def test_reasoning_is_set_apart_once_and_for_all(text: str) -> None:
    said, thought = apart(text)
    assert apart(said) == (said, "") or said != apart(said)[0]
    assert len(said) + len(thought) <= len(text) + 20


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab'\"\\,:{}[]“”，：# /*\n", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab'\" ", max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), JSON, min_size=1, max_size=3))
def test_what_is_json_keeps_its_meaning(value: dict[str, object]) -> None:
    """Nothing is put right where nothing is wrong, whatever stands in the texts."""
    text = json.dumps(value, ensure_ascii=False)
    assert json.loads(mended_json(text)) == value
    assert json_found(f"Here: {text}\nThat is {{all}}.").value == value
    assert json.loads(mended_json(f"{text[:-1]}, }}")) == value


def test_reasoning_goes_into_its_field() -> None:
    reply = without_reasoning(Reply("<think>\nhm\n</think>\n\nUser: hi", reasoning="before"))
    assert (reply.content, reply.reasoning) == ("User: hi", "before\nhm")
    plain = Reply("How do I hide <think> tags?")
    assert without_reasoning(plain) is plain


def test_words_that_were_cut_off_are_refused() -> None:
    with pytest.raises(Unreadable, match="cut off"):
        read_words(Reply("Agent: It is 14 degrees and", finish_reason="length"), Speaker.AGENT)
    cut_later = Reply("Agent: It is 14 degrees.\n\nUser: And", finish_reason="length")
    assert read_words(cut_later, Speaker.AGENT) == "It is 14 degrees."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Is it open?\n\nUser: Thanks!\n\nAgent: You're welcome.", "Is it open?"),
        ("I should ask about the hours.\n\nUser: Is it open?", "Is it open?"),
        ("The user asks about hours.\n\nUser: Is it open?\n\nAgent: Yes.", "Is it open?"),
    ],
)
def test_what_stands_before_the_name_is_prose_or_the_reply(text: str, words: str) -> None:
    assert said_by(text, Speaker.USER) == words


def test_reasoning_alone_is_called_so() -> None:
    with pytest.raises(Unreadable, match="reasoning"):
        read_words(Reply("", reasoning="hm"), Speaker.USER)


@pytest.mark.parametrize("speaker", [Speaker.USER, Speaker.AGENT])
def test_far_too_many_words_are_refused(speaker: Speaker) -> None:
    with pytest.raises(Unreadable, match="characters"):
        said_by("word " * 20_000, speaker)
