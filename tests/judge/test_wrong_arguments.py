"""All wrong arguments of a failing step: by path, with both values and the reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.judge.building import TEXT, call, calls, session, tool
from toolgauge.benchmarks.dialogues.judge.mmtb import exact_lenient_faults
from toolgauge.benchmarks.dialogues.judge.scorings import judge_mmtb, judge_wildtoolbench
from toolgauge.benchmarks.registry import find_benchmark, reason_texts
from toolgauge.chat import Reply
from toolgauge.data.lines import as_json
from toolgauge.data.meaning import Comparison
from toolgauge.data.session import Acceptance, Session
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.replies import AnnotatedTask
from toolgauge.judge.values import exact_faults
from toolgauge.judge.wrong_arguments import cut_pair, wrong_arguments

TEXTS = {language: reason_texts(find_benchmark("mini"), language) for language in ("en", "zh")}
STRING = {"type": "string"}
PLACE: dict[str, Any] = {"type": "object", "properties": {"city": STRING, "zip": STRING}}
BOOK = tool("book", location=PLACE, n={"type": "integer"}, tags={"type": "array", "items": STRING}, note=STRING)
GOLD = {"location": {"city": "The old harbour street 8", "zip": "1"}, "n": 200, "tags": ["a", "b"]}
TASK = session([("book", GOLD, [])], BOOK)


def told(
    what: Session, *replies: Reply, rule: ArgumentRule = exact_faults, language: str = "en"
) -> list[tuple[Any, ...]]:
    found = wrong_arguments(AnnotatedTask(what, what.tasks[0]), rule, replies)
    return [(one.path, one.made, one.expected, one.why.briefly(TEXTS[language])) for one in found]


def test_every_wrong_argument_is_told_once_the_schema_first() -> None:
    made = {
        "location": {"city": "The new harbour road 8", "street": "x"}, "n": "20", "tags": ["a", "c"], "more": 1,
    }  # fmt: skip
    assert told(TASK, calls(call("book", **made))) == [
        ("location.street", '"x"', None, "the object has no such member"),
        ("n", '"20"', "200", "not of the declared type"),
        ("more", "1", None, "the tool has no such parameter"),
        ("location.zip", None, '"1"', "an annotated parameter is left out"),
        ("location.city", '"The new harbour road 8"', '"The old harbour street 8"', "ROUGE-L 0.60 < 0.7"),
        ("tags[1]", '"c"', '"b"', "edit ratio 0.00 < 0.8"),
    ]


def test_the_annotated_value_stands_beside_what_the_schema_refuses() -> None:
    inner: dict[str, Any] = {"type": "array", "items": {"type": "object", "properties": {"a.b": STRING, "n": STRING}}}
    gold = {"list": [{"n": "one"}, {"a.b": "two", "n": "three"}], "note": "x"}
    what = session([("book", gold, [])], tool("book", list=inner, note=STRING))
    made = {"list": [{"n": "one"}, {"a.b": 2, "n": 3}, {"n": 4}], "note": "x"}
    assert [row[:3] for row in told(what, calls(call("book", **made)))] == [
        ("list[1].a.b", "2", '"two"'),
        ("list[1].n", "3", '"three"'),
        ("list[2].n", "4", None),
        ("list", as_json(made["list"]), as_json(gold["list"])),
    ]


def test_arguments_that_are_none_and_arguments_too_many() -> None:
    assert told(TASK, calls(call("book", "[1]"))) == [("", "[1]", as_json(GOLD), "not of the declared type")]
    assert told(TASK, calls(call("book", "{"))) == [("", "{", as_json(GOLD), "the arguments are not JSON")]
    assert told(TASK, calls(call("book", **GOLD, note="x"))) == [
        ("note", '"x"', None, "a parameter that is not annotated")
    ]


def test_of_alternatives_the_first_tells_all_that_does_not_fit() -> None:
    inner = {"type": "object", "properties": {"n": STRING, "m": STRING}}
    what = session([("book", {"of": {"n": "x", "m": "y"}}, [])], tool("book", of={"anyOf": [inner, {"type": "null"}]}))
    found = told(what, calls(call("book", of={"n": 1, "m": 2})))
    assert [row[:3] for row in found] == [("of.n", "1", '"x"'), ("of.m", "2", '"y"')]


def test_scores_are_seen_to_be_below_their_mark() -> None:
    what = session([("book", {"note": "a b c d e f g h i j"}, [])], BOOK)
    assert told(what, calls(call("book", note="a b c d e f g x y z")))[0][3] == "ROUGE-L 0.69 < 0.7"


def test_all_calls_of_the_failing_step_and_no_others() -> None:
    two = session([("a", {"x": "one"}, []), ("b", {"n": 1}, []), ("c", {"n": 2}, [0, 1])])
    wrong = calls(call("a", x="another"), call("b", n=3))
    assert [row[:3] for row in told(two, wrong, calls(call("c", n=4)))] == [
        ("x", '"another"', '"one"'),
        ("n", "3", "1"),
    ]
    right = calls(call("a", x="one"), call("b", n=1))
    assert [row[:3] for row in told(two, right, calls(call("c", n=4)))] == [("n", "4", "2")]
    assert told(two, right, calls(call("c", n=2)), TEXT) == []
    assert told(two, TEXT) == []  # fails by its names
    assert told(two, calls(call("c", n=4))) == []


def test_items_of_a_set_stand_beside_their_partners() -> None:
    (first, *others) = (
        session([("a", {"tags": ["rome", "paris", "oslo"]}, [])], tool("a", tags={"type": "array"})).tasks[0].calls
    )
    taken = Acceptance(compare={"/tags": Comparison.SET})
    what = session([("a", {"tags": ["rome", "paris", "oslo"]}, [])], tool("a", tags={"type": "array"}))
    task = replace(what.tasks[0], calls=(replace(first, acceptance=taken), *others))
    made = calls(call("a", tags=["oslo", "rome", "berlin"]))
    assert [row[:3] for row in told(replace(what, tasks=(task,)), made)] == [("tags[2]", '"berlin"', '"paris"')]


def test_a_wrong_object_of_a_set_stands_beside_the_one_that_it_was_meant_to_be() -> None:
    gold = {"bags": [{"kind": "box", "kg": 5}, {"kind": "golf", "kg": 9}, "none"]}
    what = session([("a", gold, [])], tool("a", bags={"oneOf": [{}]}))
    first, *others = what.tasks[0].calls
    first = replace(first, acceptance=Acceptance(compare={"/bags": Comparison.SET}))
    what = replace(what, tasks=(replace(what.tasks[0], calls=(first, *others)),))
    made = calls(call("a", bags=[{"kind": "golf", "kg": 1}, {"kind": "box", "kg": 2}, "none"]))
    assert [row[:3] for row in told(what, made)] == [("bags[0].kg", "1", "9"), ("bags[1].kg", "2", "5")]


def test_mmtbs_rule_tells_all_that_it_noted_the_gravest_first() -> None:
    one = session([("a", {"x": "some words", "n": 1}, [])])
    made = calls(call("a", x="quite different", n=2, z=3))
    found = told(one, made, rule=exact_lenient_faults)
    assert [row[:3] for row in found] == [("z", "3", None), ("x", '"quite different"', '"some words"'), ("n", "2", "1")]


@pytest.mark.parametrize(("rule", "judge"), [(exact_faults, judge_wildtoolbench), (exact_lenient_faults, judge_mmtb)])
@given(st.data())
def test_the_first_is_what_the_verdict_tells_and_right_arguments_have_none(
    rule: Any, judge: Any, data: st.DataObject
) -> None:
    values = st.one_of(st.sampled_from(["one", "two", 1, 2, True]), st.lists(st.sampled_from(["one", 1]), max_size=2))
    made = data.draw(st.dictionaries(st.sampled_from(["x", "n", "z"]), values))
    task = session([("a", {"x": "one", "n": 1}, [])])
    replies = [calls(call("a", **made)), TEXT]
    verdict = judge(AnnotatedTask(task, task.tasks[0]), replies)["exact"]
    found = wrong_arguments(AnnotatedTask(task, task.tasks[0]), rule, replies)
    assert bool(found) == (not verdict.correct)
    if found:
        assert found[0].tool == "a"
        assert verdict.wrong_arguments == (("a", found[0].path),)


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
