"""How a reply ended, word by word: the table of docs/models.md is the one that the code goes by."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.models.test_broken_answers import chat
from toolgauge.chat import Reply
from toolgauge.models.endings import WORDS, Ending, Unfinished, ending_of, unfinished
from toolgauge.models.messages_api import read_message
from toolgauge.models.replies import read_reply
from toolgauge.models.responses_api import read_response

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
NAMES = {
    "the model": Ending.MODEL,
    "the model, with calls": Ending.MODEL,
    "the limit of tokens": Ending.LIMIT,
    "a filter, or a refusal": Ending.FILTER,
    "the model, by a call that cannot be read": Ending.MISTAKE,
    "a failure (tried again)": Ending.FAILURE,
}


def documented() -> list[tuple[str, Ending]]:
    section = PAGE.partition("### How a reply ended")[2].partition("###")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| ")]
    return [(word, NAMES[row[1].strip()]) for row in rows[1:] for word in re.findall(r"`(\w+)`", row[2])]


@pytest.mark.parametrize(("word", "ending"), documented(), ids=[word for word, _ in documented()])
def test_a_word_means_what_the_page_says(word: str, ending: Ending) -> None:
    for said in (word, word.upper(), f"FinishReason.{word}", f"{word}: details", f" {word} "):
        assert ending_of(said) is ending


def test_a_turn_that_ended_by_its_mark_before_the_limit_is_not_cut_off() -> None:
    assert unfinished(Reply("It rains.<|im_end|>\n<|im_start|>user\nAnd", finish_reason="length")) is None
    assert unfinished(Reply("It rains. And", finish_reason="length")) is Unfinished.TRUNCATED


def test_the_page_has_every_word() -> None:
    known = {word for words in WORDS.values() for word in words.split()}
    assert {word.lower() for word, _ in documented()} == known


@pytest.mark.parametrize("word", [None, 3, "", "because", "other", "finish_reason_unspecified", "stopped short"])
def test_other_words_say_nothing(word: object) -> None:
    assert ending_of(word) is Ending.UNSAID


REFUSED = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
PART = {"type": "refusal", "refusal": "No."}
TEXT = {"type": "output_text", "text": "Hm."}


@pytest.mark.parametrize(
    ("read", "body", "content", "kind"),
    [
        (read_reply, chat(REFUSED | {"content": "Hm."}, "stop"), "Hm.", Unfinished.FILTERED),
        (read_reply, chat({"content": [PART]}, "stop"), "No.", Unfinished.FILTERED),
        (read_reply, chat({"content": "Hm.", "refusal": None}, "stop"), "Hm.", None),
        (read_reply, chat({"content": "Hm."}, "SAFETY"), "Hm.", Unfinished.FILTERED),
        (read_reply, chat(None, "max_tokens"), None, Unfinished.TRUNCATED),
        (read_reply, {"promptFeedback": {"blockReason": "SAFETY"}}, None, Unfinished.FILTERED),
        (read_reply, chat({"content": "", "reasoning_content": "Hm."}, "stop"), "", Unfinished.ONLY_REASONING),
        (read_message, {"content": [], "stop_reason": "refusal"}, None, Unfinished.FILTERED),
        (read_message, {"content": [], "stop_reason": "max_tokens"}, None, Unfinished.TRUNCATED),
        (
            read_message,
            {"content": [{"type": "thinking", "thinking": "Hm.", "signature": "x"}], "stop_reason": "end_turn"},
            None,
            Unfinished.ONLY_REASONING,
        ),
        (
            read_response,
            {"status": "completed", "output": [{"type": "message", "content": [PART]}]},
            "No.",
            Unfinished.FILTERED,
        ),
        (
            read_response,
            {
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
                "output": [{"type": "message", "content": [TEXT]}],
            },
            "Hm.",
            Unfinished.TRUNCATED,
        ),
        (
            read_response,
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
            None,
            Unfinished.FILTERED,
        ),
    ],
)
def test_refusals_filters_and_limits_of_every_api_arrive(
    read: Any, body: dict[str, Any], content: str | None, kind: Unfinished | None
) -> None:
    reply = read(json.dumps(body).encode())
    assert isinstance(reply, Reply)
    assert (reply.content, unfinished(reply)) == (content, kind)
