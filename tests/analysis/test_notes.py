"""What stands beside every score: how replies ended, counted over all of them, and the words made of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.replies import Endings, ReplyCounter
from toolgauge.chat import Reply, ToolCall
from toolgauge.episode import Step, Trajectory

WHOLE = Reply("Done.", finish_reason="stop")
CUT = Reply("Do", finish_reason="length")
HALF_A_CALL = Reply(None, (ToolCall("a", "f", '{"city": "Lis'),), finish_reason="max_tokens")
FILTERED = Reply(finish_reason="content_filter")
THOUGHT = Reply(" ", reasoning="First ...", finish_reason="stop")
THOUGHT_TOO_LONG = Reply(None, reasoning="First ...", finish_reason="length")
SILENCE = Reply("", finish_reason="stop")


def counted(*conversations: Sequence[Reply], told: bool = False) -> Endings:
    counter = ReplyCounter(told)
    said = (
        Trajectory(f"s/{number}", "s", tuple(Step((), reply) for reply in replies), number)
        for number, replies in enumerate(conversations)
    )
    assert len(list(counter.watch(said))) == len(conversations)
    return counter.endings()


def test_every_reply_is_counted_and_every_task_once() -> None:
    found = counted([CUT, HALF_A_CALL, WHOLE], [WHOLE], [THOUGHT_TOO_LONG], [FILTERED, THOUGHT], [SILENCE])
    assert (found.replies, found.unknown) == (8, 0)
    assert (found.truncated.replies, found.truncated.tasks, found.truncated.rate) == (3, 2, 0.375)
    assert (found.filtered.replies, found.filtered.tasks, found.filtered.rate) == (1, 1, 0.125)
    assert (found.only_reasoning.replies, found.only_reasoning.tasks) == (1, 1)


@pytest.mark.parametrize(
    ("endings", "said"),
    [
        (counted(), []),
        (counted([WHOLE] * 3), []),
        (counted([Reply("Hm.")] * 3, told=True), []),
        (counted([Reply("Hm.")] * 3), ["endings not recorded"]),
        (counted([CUT], [WHOLE] * 199), ["0.5% cut off"]),
        (counted([CUT], [WHOLE] * 99), ["! 1.0% cut off"]),
        (counted([FILTERED, THOUGHT], [WHOLE] * 98, [THOUGHT] * 100), ["! 50.5% only reasoning", "0.5% filtered"]),
    ],
)
def test_the_rate_is_said_and_from_one_percent_on_it_is_a_warning(endings: Endings, said: list[str | None]) -> None:
    found = notes(Metrics(endings=endings))
    assert [note.short and ("! " if note.warns else "") + str(note.short) for note in found] == said
