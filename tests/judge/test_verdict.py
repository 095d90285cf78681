"""What is said of a task: why it is wrong, by `exact`, whichever scoring counts it as wrong; facts that were told."""

from __future__ import annotations

from tests.judge.building import call, calls
from toolgauge.chat import Reply
from toolgauge.judge.mistakes import UNCLASSIFIED
from toolgauge.judge.verdict import Cause, FactsMentioned, Score, Verdict, facts_mentioned, not_judgeable, scoring_names


def score(**scorings: Verdict) -> Score:
    return Score("s/0", "s", 0, scorings)


def test_where_exact_cannot_judge_it_says_so() -> None:
    made = Score("s/0", "s", 0, {"tables": wrong("redundant_call")}, not_judgeable=("exact",))
    cause = made.cause("tables")
    assert cause is not None
    assert cause.mistake == "not_judgeable"
    assert cause.why is not None
    assert cause.why.code == "run_ends"


def wrong(mistake: str | None, detail: str = "why") -> Verdict:
    return Verdict("error", "error", False, (0, 1), mistake, detail)


RIGHT = Verdict("correct", "correct", True, (1, 1))


def test_exact_tells_why_whichever_scoring_is_asked() -> None:
    made = score(exact=wrong("refusal", "a text"), tables=wrong("redundant_call"))
    assert made.cause("tables") == made.cause("exact") == Cause("refusal", made.scorings["exact"].why)


def test_a_class_without_a_name_and_a_scoring_that_is_missing() -> None:
    made = score(exact=wrong(None), tables=wrong("refusal"))
    assert (made.mistake("tables"), made.mistake("released"), made.cause("released")) == (UNCLASSIFIED, None, None)
    alone = score(tables=wrong("refusal", "a text"))
    assert alone.cause("tables") == Cause("refusal", alone.scorings["tables"].why)


def test_scorings_that_cannot_judge_are_named_and_counted() -> None:
    whole = score(exact=RIGHT, tables=RIGHT)
    ended = Score("s/1", "s", 1, {"tables": RIGHT}, not_judgeable=("exact", "released"))
    assert scoring_names([ended, whole]) == ("exact", "tables", "released")
    assert scoring_names([ended]) == ("exact", "released", "tables")
    assert not_judgeable([whole, ended, ended]) == {"exact": 2, "released": 2}
    assert (ended.is_judgeable("tables"), ended.is_judgeable("exact"), whole.is_judgeable("exact")) == (
        True,
        False,
        True,
    )


FACTS = (("8 pm", "20:00"), (4,))


def test_facts_are_looked_for_in_the_last_reply() -> None:
    assert facts_mentioned(FACTS, [Reply("no"), Reply("At 8 pm for 4.")]) == FactsMentioned(2, 2)
    assert facts_mentioned(FACTS, [Reply("At 8 pm for 4."), Reply("Done.")]) == FactsMentioned(0, 2, ("8 pm", "4"))
    assert facts_mentioned(FACTS, [Reply("At 20:00.")]) == FactsMentioned(1, 2, ("4",))


def test_calls_and_silence_mention_nothing() -> None:
    spoken = Reply("At 8 pm for 4.", calls(call("book")).tool_calls)
    assert facts_mentioned(FACTS, [spoken]) == facts_mentioned(FACTS, []) == FactsMentioned(0, 2, ("8 pm", "4"))
