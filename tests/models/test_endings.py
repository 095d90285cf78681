"""How a reply ended, word by word: the table of docs/models.md is the one that the code goes by."""

from __future__ import annotations

import json
from typing import Any

from tests.models.test_broken_answers import chat
from tests.rows import rows
from toolgauge.chat import Reply
from toolgauge.models.endings import Ending, Unfinished, ending_of, unfinished
from toolgauge.models.messages_api import read_message
from toolgauge.models.replies import read_reply
from toolgauge.models.responses_api import read_response


def test_a_turn_that_ended_by_its_mark_before_the_limit_is_not_cut_off() -> None:
    assert unfinished(Reply("It rains.<|im_end|>\n<|im_start|>user\nAnd", finish_reason="length")) is None
    assert unfinished(Reply("It rains. And", finish_reason="length")) is Unfinished.TRUNCATED


@rows("word", [None, 3, "", "because", "other", "finish_reason_unspecified", "stopped short"])
def test_other_words_say_nothing(word: object) -> None:
    assert ending_of(word) is Ending.UNSAID


REFUSED = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
PART = {"type": "refusal", "refusal": "No."}
TEXT = {"type": "output_text", "text": "Hm."}


@rows(
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
