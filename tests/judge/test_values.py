"""The rule of `exact`: numbers by value, literals of texts, annotations that say what else is right, no arguments.

`released` and `tables` know nothing of it.
"""

from __future__ import annotations

import time
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.judge.building import TEXT, annotated, call, calls, judge, judge_as_mmtb, session, tool
from tests.rows import rows
from toolgauge.chat import Json, Reply, ToolCall
from toolgauge.data.meaning import Comparison
from toolgauge.data.session import Acceptance, Session
from toolgauge.judge.arguments import BadJson
from toolgauge.judge.literals import disagreement
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.values import count_right, exact_faults
from toolgauge.judge.verdict import Verdict

BAG = {"kind": {"type": "string"}, "kg": {"type": "number"}}
TRIP = tool(
    "trip",
    date={"type": "string"},
    time={"type": "string"},
    seats={"type": "integer"},
    price={"type": "number"},
    cabin={"type": "string", "enum": ["economy", "business"]},
    stops={"type": "array", "items": {"type": "string"}},
    bags={"type": "array", "items": {"type": "object", "properties": BAG}},
    any={"$ref": "#/what/is/free"},
)  # fmt: skip


def task_of(arguments: Json, **fields: Any) -> Session:
    """A task of one call with annotations."""
    made = session([("trip", arguments, [])], TRIP)
    acceptance = Acceptance(
        {pointer: tuple(values) for pointer, values in fields.get("accept", {}).items()},
        {pointer: Comparison(word) for pointer, word in fields.get("compare", {}).items()},
        fields.get("defaults", {}),
    )
    task = made.tasks[0]
    first = replace(task.calls[0], acceptance=acceptance)
    return replace(made, tasks=(replace(task, calls=(first, *task.calls[1:])),))


@rows(
    ("gold", "fields", "made", "right"),
    [
        ({"date": "2025-03-14"}, {"accept": {"/date": ["tomorrow", "14 March"]}}, {"date": "14 march"}, True),
        ({"date": "2025-03-14"}, {"accept": {"/date": ["tomorrow"]}}, {"date": "yesterday"}, False),
        ({"seats": 2}, {"accept": {"/seats": [3]}}, {"seats": 3}, True),
        ({"seats": 2}, {"accept": {"": [{"price": 5}]}}, {"price": 5}, True),
        ({"seats": 2}, {"accept": {"": [{"price": 5}]}}, {"price": 5, "seats": 2}, False),
        ({"stops": ["Rome", "Oslo"]}, {"compare": {"/stops": "set"}}, {"stops": ["Oslo", "Rome"]}, True),
        ({"stops": ["Rome", "Oslo"]}, {}, {"stops": ["Oslo", "Rome"]}, False),
        ({"stops": ["Rome", "Oslo"]}, {"compare": {"/stops": "set"}}, {"stops": ["Oslo", "Oslo"]}, False),
        ({"stops": ["Rome", "Oslo"]}, {"compare": {"/stops": "set"}}, {"stops": ["Oslo"]}, False),
        (
            {"stops": ["Rome", "Oslo"]},
            {"compare": {"/stops": "set"}, "accept": {"/stops/1": ["Kristiania"]}},
            {"stops": ["kristiania", "Rome"]},
            True,
        ),
        ({"time": "08:00"}, {"compare": {"/time": "time"}}, {"time": "8:00"}, True),
        ({"time": "08:00"}, {}, {"time": "8:00"}, False),
        ({"time": "08:00"}, {"compare": {"/time": "time"}}, {"time": "8 pm"}, False),
        ({"date": "2025-03-14"}, {"compare": {"/date": "date"}}, {"date": "2025/3/14"}, True),
        ({"price": 3}, {"compare": {"/price": "number"}}, {"price": 3.0}, True),
        ({"price": 3}, {}, {"price": 3.0}, True),
        ({"price": 3.0}, {}, {"price": 3}, True),
        ({"seats": 3}, {}, {"seats": 3.0}, True),
        ({"seats": 1}, {}, {"seats": True}, False),
        ({"seats": 3}, {"compare": {"/seats": "number"}}, {"seats": 3.0}, True),
        ({"seats": 3}, {"compare": {"/seats": "number"}}, {"seats": 3.5}, False),
        ({"seats": 3}, {"compare": {"/seats": "number"}}, {"seats": "3"}, False),  # the tool wants a number
        ({"date": "3.0"}, {"compare": {"/date": "number"}}, {"date": "3"}, True),
        ({"seats": 3}, {"defaults": {"/cabin": "economy"}}, {"seats": 3, "cabin": "economy"}, True),
        ({"seats": 3}, {"defaults": {"/cabin": "economy"}}, {"seats": 3, "cabin": "business"}, False),
        ({"seats": 3, "cabin": "economy"}, {"defaults": {"/cabin": "economy"}}, {"seats": 3}, True),
        ({"seats": 3, "cabin": "business"}, {"defaults": {"/cabin": "economy"}}, {"seats": 3}, False),
        (
            {"bags": [{"kind": "box", "kg": 5}, {"kind": "golf", "kg": 9}]},
            {
                "compare": {"/bags": "set", "/bags/0/kg": "number", "/bags/1/kg": "number"},
                "defaults": {"/bags/0/kind": "box"},
            },
            {"bags": [{"kind": "golf", "kg": 9.0}, {"kg": 5.0}]},
            True,
        ),
    ],
)  # fmt: skip
def test_what_is_right_besides(gold: Json, fields: Json, made: Json, right: bool) -> None:
    verdict = judge(task_of(gold, **fields), calls(call("trip", **made)), TEXT)["exact"]
    assert verdict.correct is right, verdict.detail


def test_the_published_rules_do_not_know_annotations() -> None:
    what = task_of({"time": "08:00"}, compare={"/time": "time"})
    plain = session([("trip", {"time": "08:00"}, [])], TRIP)
    run = (calls(call("trip", time="8:00")), TEXT)
    verdicts = judge(what, *run)
    assert verdicts["exact"].correct
    assert {name: verdicts[name] for name in ("released", "tables")} == {
        name: judge(plain, *run)[name] for name in ("released", "tables")
    }
    assert not verdicts["released"].correct


@rows(
    ("gold", "fields", "made", "code", "path"),
    [
        ({"date": "x"}, {"accept": {"/date": ["y"]}}, {"date": "zebra"}, "not_accepted", "date"),
        ({"time": "08:00"}, {"compare": {"/time": "time"}}, {"time": "9:00"}, "time_differs", "time"),
        ({"date": "2025-03-14"}, {"compare": {"/date": "date"}}, {"date": "2025-03-15"}, "date_differs", "date"),
        ({"date": "2025-03-14T08:00"}, {"compare": {"/date": "datetime"}}, {"date": "2025-03-14T09:00"},
         "datetime_differs", "date"),
        ({"price": 3}, {"compare": {"/price": "number"}}, {"price": 4}, "number_differs", "price"),
        ({"price": 3}, {}, {"price": 3.5}, "value_differs", "price"),
        ({"price": 3}, {"compare": {"/price": "equal"}}, {"price": 4}, "value_differs", "price"),
        ({"any": True}, {}, {"any": False}, "value_differs", "any"),
        ({"any": {"of": [1]}}, {}, {"any": {"of": [2]}}, "value_differs", "any.of[0]"),
        ({"any": {"of": 1}}, {}, {"any": {"of": "1"}}, "type_differs", "any.of"),
        ({"any": {"of": 1}}, {}, {"any": {"if": 1}}, "keys_differ", "any.if"),
        ({"any": {"of": 1}}, {}, {"any": {"of": 1, "if": 1, "as": 1}}, "keys_extra", "any.as"),
        ({"any": {"of": 1, "in": 2, "at": 3}}, {}, {"any": {"of": 1}}, "keys_missing", "any.at"),
        ({"any": {"of": [1, 2]}}, {}, {"any": {"of": [1]}}, "length_differs", "any.of"),
        ({"any": {"of": "a longer text"}}, {}, {"any": {"of": "of other words"}}, "words_differ", "any.of"),
        ({"any": {"of": [1]}}, {"accept": {"/any/of/0": [2]}}, {"any": {"of": [3]}}, "not_accepted", "any.of[0]"),
        (
            {"stops": ["Rome", "Oslo"]},
            {"compare": {"/stops": "set"}},
            {"stops": ["Oslo", "Bern"]},
            "letters_differ",
            "stops[1]",
        ),
    ],
)  # fmt: skip
def test_the_reason_names_the_place(gold: Json, fields: Json, made: Json, code: str, path: str) -> None:
    verdict = judge(task_of(gold, **fields), calls(call("trip", **made)), TEXT)["exact"]
    assert (verdict.code, verdict.parameters["path"]) == (code, path)  # type: ignore[index]
    mistakes = {"type_differs": "wrong_type", "keys_missing": "missing_value"}
    mistakes |= dict.fromkeys(("keys_extra", "keys_differ"), "extra_value")
    assert verdict.mistake == mistakes.get(code, "wrong_value")
    if "{where}" in {one.value: one.text for one in DialogueCode}[code]:
        assert f" at '{path.rpartition('.')[0] if code.startswith('keys') else path}'" in (verdict.detail or "")


@rows(
    ("made", "near"),
    [
        ({"date": "x", "seats": 2, "price": 3}, 3),
        ({"date": "y", "seats": 2.0, "price": 4}, 2),
        ({"date": "x"}, 2),
        ({"price": 3}, 2),
        ({}, 1),
        ([], 0),
        (BadJson(), 0),
    ],
)
def test_how_near_arguments_come(made: Any, near: int) -> None:
    """Each by itself, with what else is right of it; a default counts as given."""
    taken = Acceptance({"/date": ("y",)}, {}, {"/seats": 2})
    assert count_right(made, annotated({"date": "x", "seats": 2, "price": 3}, taken)) == near


def test_large_arrays_are_compared_in_order() -> None:
    """Pairing each item with each is bounded work."""
    taken = Acceptance(compare={"/a": Comparison.SET})
    schema = {"properties": {"a": {"type": "array", "items": {}}}}

    def is_right(items: list[Any]) -> bool:
        return not any(exact_faults(schema, {"a": items[::-1]}, annotated({"a": items}, taken)))

    assert is_right([f"item {number}" for number in range(50)])
    assert not is_right([f"item {number}" for number in range(51)])
    assert is_right(["a" * 100_000, "b" * 100_000])
    assert not is_right(["a" * 150_000, "b" * 150_000])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["date", "seats", "stops", "price", "x"]), JSON, max_size=4)


@given(gold=OBJECTS)
def test_what_is_annotated_is_right(gold: Json) -> None:
    copied = msgspec.json.decode(msgspec.json.encode(gold))  # NaN, which equals nothing, is null there
    schema = {"properties": dict.fromkeys(gold, True)}
    assert not any(exact_faults(schema, copied, annotated(copied)))


@given(gold=OBJECTS, order=st.randoms(use_true_random=False), stops=st.lists(st.text(max_size=8), max_size=6))
def test_a_set_has_no_order(gold: Json, order: Any, stops: list[str]) -> None:
    shuffled = stops[:]
    order.shuffle(shuffled)
    schema = {"type": "object", "properties": {"stops": {"type": "array"}}}
    taken = Acceptance(compare={"/stops": Comparison.SET})
    assert not any(exact_faults(schema, {"stops": shuffled}, annotated({"stops": stops}, taken)))


@given(made=OBJECTS | JSON, gold=OBJECTS, default=JSON, other=JSON, word=st.sampled_from(list(Comparison)))
def test_no_prediction_raises(made: Any, gold: Json, default: Any, other: Any, word: Comparison) -> None:
    taken = Acceptance({"": (other,), "/date": (other,)}, {f"/{key}": word for key in gold}, {"/price": default})
    one = annotated(gold, taken)
    list(exact_faults(TRIP.parameters, made, one))
    assert 0 <= count_right(made, one) <= len(gold)
    assert any(exact_faults(TRIP.parameters, BadJson(), one))


# texts that are alike

NOTE = tool("note", text={"type": "string"})


def says(made: object, gold: str, **fields: Any) -> Verdict:
    """The verdict of `exact` on a call whose only argument is a text."""
    taken = Acceptance(compare={"/text": Comparison(fields["compare"])}) if fields else None
    one = session([("note", {"text": gold}, [])], NOTE)
    first, *rest = one.tasks[0].calls
    one = replace(one, tasks=(replace(one.tasks[0], calls=(replace(first, acceptance=taken), *rest)),))
    return judge(one, calls(call("note", text=made)), TEXT)["exact"]


ALIKE = [
    # the call, the annotation, what differs
    ("221 Baker Street London", "222 Baker Street London", "literal_differs"),
    ("13 March 2025 at 09:00", "12 March 2025 at 09:00", "literal_differs"),
    ("do not cancel the order of Mr Smith now", "cancel the order of Mr Smith now", "negation_differs"),
    ("Transfer 900 euros to Anna for the rent", "Transfer 100 euros to Anna for the rent", "literal_differs"),
    ("10.20.30.41", "10.20.30.42", "identifier_differs"),
    ("SELECT name FROM users WHERE age > 30", "SELECT name FROM users WHERE age < 30", "operator_differs"),
    ("SELECT name FROM users WHERE height > 30", "SELECT name FROM users WHERE age > 30", "identifier_differs"),
    ("请提醒我明天早上九点去公司开项目会议", "请提醒我明天早上七点去公司开项目会议", "literal_differs"),
    ("不要取消史密斯先生今天下午的全部订单", "要取消史密斯先生今天下午的全部订单", "negation_differs"),
    ("Meet Anna on Monday in the office downtown", "Meet Anna on Tuesday in the office downtown", "literal_differs"),
    ("Order SH77535 has been sent to you today", "Order SH77536 has been sent to you today", "identifier_differs"),
    ("Send it to bob@example.com by noon or so", "Send it to rob@example.com by noon or so", "identifier_differs"),
    ("Set the alarm to 7 am and play some music", "Set the alarm to 7 pm and play some music", "literal_differs"),
    ("Copy the file to /srv/a/x.txt and tell me", "Copy the file to /srv/b/x.txt and tell me", "identifier_differs"),
]  # fmt: skip


@rows(("made", "gold", "code"), ALIKE)
def test_texts_that_are_alike_must_agree_in_what_they_say_literally(made: str, gold: str, code: str) -> None:
    verdict = says(made, gold)
    assert (verdict.mistake, verdict.code) == ("wrong_value", code)
    assert says(gold, gold).correct
    assert says(made, gold, compare="text").correct, "the wording alone counts"
    one = session([("note", {"text": gold}, [])], NOTE)
    assert judge(one, calls(call("note", text=made)), TEXT)["released"].correct, (
        "the published measure takes them as alike"
    )
    assert not judge_as_mmtb(one, calls(call("note", text=made)), TEXT)["exact"].correct


def test_what_is_not_compared_takes_whatever_the_schema_takes() -> None:
    assert says("Roses are red", "The fog comes on little cat feet", compare="any").correct
    assert not says(17, "The fog comes on little cat feet", compare="any").correct


@rows(
    ("made", "gold"),
    [
        ("Book three tickets to Rome for the whole family", "Book 3 tickets to Rome for the whole family"),
        ("Please don't cancel the order of Mr Smith today", "Please do not cancel the order of Mr Smith today"),
        ("Buy one ticket to Oslo for the morning train", "Buy 1 ticket to Oslo for the morning train"),
        ("Transfer 1,000 euros to Anna for the rent", "Transfer 1000 euros to Anna for the rent"),
        ("Dinner on March 12, 2025 at 9:00 pm with Anna", "Dinner on March 12, 2025 at 9 p.m. with Anna"),
        ("帮我在今天下午三点安排一个和王经理的项目会议", "帮我在今天下午3点安排一个和王经理的项目会议"),
        ("请查询一下北京市明天的天气情况", "请查询北京市明天的天气情况"),
    ],
)
def test_the_same_in_other_words_stays_right(made: str, gold: str) -> None:
    verdict = says(made, gold)
    assert verdict.correct, verdict.detail


def test_equal_means_letter_for_letter() -> None:
    assert says("new york", "New York").correct
    assert not says("new york", "New York", compare="equal").correct
    assert says("New York", "New York", compare="equal").correct
    taken = Acceptance(compare={"": Comparison.EQUAL})
    assert not any(exact_faults({}, {"n": [15, {"x": 2.0}]}, annotated({"n": [15.0, {"x": 2}]}, taken)))
    assert any(exact_faults({}, {"n": [True]}, annotated({"n": [1]}, taken)))


@rows("piece", ["a", "1", "不", "a.", "十", "select ", "/a", "f(", "two ", "1-", "a=b ", "a_", "a@"])
def test_long_texts_take_bounded_time(piece: str) -> None:
    started = time.process_time()
    disagreement(piece * 200_000, piece * 200_000 + "x")
    assert time.process_time() - started < 5  # measured: 0.2 seconds


# no arguments

CLOCK = tool("clock")


@rows("raw", ["", " ", None, "null", "{}", {}])
def test_what_servers_give_for_no_arguments_is_no_arguments(raw: Any) -> None:
    one = session([("clock", {}, [])], CLOCK)
    assert judge(one, calls(ToolCall("a", "clock", raw)), TEXT)["exact"].correct


@rows(("raw", "mistake"), [("", "bad_json"), (None, "malformed_call"), ("null", "wrong_type")])
def test_a_tool_that_needs_arguments_needs_them(raw: Any, mistake: str) -> None:
    one = session([("trip", {"n": 1}, [])], tool("trip", n={"type": "integer", "needed": True}))
    assert judge(one, calls(ToolCall("a", "trip", raw)), TEXT)["exact"].mistake == mistake


# optional calls


def with_optional(names: list[str], optional: set[int], after: dict[int, list[int]] | None = None) -> Session:
    nodes: list[Any] = [(name, {"n": index}, (after or {}).get(index, [])) for index, name in enumerate(names)]
    made = session(nodes)
    task = made.tasks[0]
    return replace(
        made, tasks=(replace(task, calls=tuple(replace(c, optional=c.index in optional) for c in task.calls)),)
    )


def step(*pairs: tuple[str, int]) -> Reply:
    return calls(*(call(name, n=number) for name, number in pairs))


@rows(
    ("run", "right", "optimal", "progress"),
    [
        ((step(("a", 0)), TEXT), True, True, (2, 2)),
        ((step(("a", 0), ("b", 1)), TEXT), True, True, (3, 3)),
        ((step(("a", 0)), step(("b", 1)), TEXT), True, False, (3, 3)),
        ((step(("b", 1)), TEXT), False, False, (1, 3)),
        ((step(("a", 0)), step(("b", 7)), TEXT), False, False, (1, 2)),
        ((TEXT,), False, False, (0, 2)),
    ],
)
def test_an_optional_call_may_be_left_out(
    run: tuple[Reply, ...], right: bool, optimal: bool, progress: tuple[int, int]
) -> None:
    verdict = judge(with_optional(["a", "b"], {1}), *run)["exact"]
    assert (verdict.correct, verdict.optimal, verdict.progress) == (right, optimal, progress)


@rows(
    ("steps", "optimal"),
    [("ac", True), ("ac|b", True), ("a|bc", True), ("a|c", False), ("a|b|c", False), ("a|b", False)],
)
def test_the_fewest_steps_are_those_of_the_calls_that_were_made(steps: str, optimal: bool) -> None:
    """a, then b if one likes; c is needed by itself, and may be called beside any of them."""
    what = with_optional(["a", "b", "c"], {1}, {1: [0]})
    run = [step(*((name, "abc".index(name)) for name in names)) for names in steps.split("|")]
    assert judge(what, *run, TEXT)["exact"].optimal is optimal
