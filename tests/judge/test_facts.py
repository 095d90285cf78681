"""Facts that the closing reply must mention: only words to the user count."""

from __future__ import annotations

from tests.judge.building import call, calls
from toolgauge.chat import Reply
from toolgauge.judge.verdict import FactsMentioned, facts_mentioned
from toolgauge.judge.wrong_arguments import cut_pair

FACTS = (("8 pm", "20:00"), (4,))


def test_facts_are_looked_for_in_the_last_reply() -> None:
    assert facts_mentioned(FACTS, [Reply("no"), Reply("At 8 pm for 4.")]) == FactsMentioned(2, 2)
    assert facts_mentioned(FACTS, [Reply("At 8 pm for 4."), Reply("Done.")]) == FactsMentioned(0, 2, ("8 pm", "4"))
    assert facts_mentioned(FACTS, [Reply("At 20:00.")]) == FactsMentioned(1, 2, ("4",))


def test_calls_and_silence_mention_nothing() -> None:
    spoken = Reply("At 8 pm for 4.", calls(call("book")).tool_calls)
    assert facts_mentioned(FACTS, [spoken]) == facts_mentioned(FACTS, []) == FactsMentioned(0, 2, ("8 pm", "4"))


def test_long_values_are_cut_around_the_place_where_they_differ() -> None:
    same = "x" * 40
    assert cut_pair(same + "a" + same, same + "b" + same, 12) == ("…xxxxaxxxxxxx…", "…xxxxbxxxxxxx…")
    assert cut_pair("abcdef", "abcdeg", 6) == ("abcdef", "abcdeg")
    assert cut_pair(same, None, 5) == ("xxxxx…", None)
    assert cut_pair(same, same, 5) == ("xxxxx…", "xxxxx…")
    assert cut_pair("a" + same, "b" + same, 6) == ("axxxxx…", "bxxxxx…")
    assert cut_pair(same + "a", same + "b", 41) == (same + "a", same + "b")
    assert cut_pair("xx" + "a" * 9, "xx" + "b" * 9, 6) == ("xxaaaa…", "xxbbbb…")
    assert cut_pair("xxx" + "a" * 9, "xxx" + "b" * 9, 6) == ("…xxaaaa…", "…xxbbbb…")
    assert cut_pair(None, None, 1) == (None, None)
    assert cut_pair(same + "yz", same + "y", 6) == ("…xyz", "…xy")
