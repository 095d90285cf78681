"""Annotations that say what else is right: judged by `exact`, ignored by `released` and `tables`."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.judge.building import TEXT, call, calls, judge, session, tool
from toolgauge.chat import Json, Reply
from toolgauge.data.meaning import Comparison
from toolgauge.data.session import Acceptance, Session
from toolgauge.judge.accepted import accepted_faults, count_accepted
from toolgauge.judge.arguments import BadJson, argument_faults

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
)  # fmt: skip


def annotated(arguments: Json, **fields: Any) -> Session:
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


@pytest.mark.parametrize(
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
        ({"price": 3}, {}, {"price": 3.0}, False),
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
    verdict = judge(annotated(gold, **fields), calls(call("trip", **made)), TEXT)["exact"]
    assert verdict.correct is right, verdict.detail


def test_the_published_rules_do_not_know_annotations() -> None:
    what = annotated({"time": "08:00"}, compare={"/time": "time"})
    plain = session([("trip", {"time": "08:00"}, [])], TRIP)
    run = (calls(call("trip", time="8:00")), TEXT)
    verdicts = judge(what, *run)
    assert verdicts["exact"].correct
    assert {name: verdicts[name] for name in ("released", "tables")} == {
        name: judge(plain, *run)[name] for name in ("released", "tables")
    }
    assert not verdicts["released"].correct


@pytest.mark.parametrize(
    ("gold", "fields", "made", "code", "path"),
    [
        ({"date": "x"}, {"accept": {"/date": ["y"]}}, {"date": "zebra"}, "not_accepted", "date"),
        ({"time": "08:00"}, {"compare": {"/time": "time"}}, {"time": "9:00"}, "time_differs", "time"),
        ({"date": "2025-03-14"}, {"compare": {"/date": "date"}}, {"date": "2025-03-15"}, "date_differs", "date"),
        ({"price": 3}, {"compare": {"/price": "number"}}, {"price": 4}, "number_differs", "price"),
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
    verdict = judge(annotated(gold, **fields), calls(call("trip", **made)), TEXT)["exact"]
    assert (verdict.code, verdict.parameters["path"]) == (code, path)  # type: ignore[index]
    assert verdict.mistake == "wrong_value"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["date", "seats", "stops", "price", "x"]), JSON, max_size=4)


@given(made=OBJECTS | JSON, gold=OBJECTS)
def test_without_annotations_the_rule_is_the_old_one(made: Any, gold: Json) -> None:
    schema = TRIP.parameters
    assert list(accepted_faults(schema, made, gold, Acceptance())) == list(argument_faults(schema, made, gold))


@given(gold=OBJECTS, order=st.randoms(use_true_random=False), stops=st.lists(st.text(max_size=8), max_size=6))
def test_a_set_has_no_order(gold: Json, order: Any, stops: list[str]) -> None:
    shuffled = stops[:]
    order.shuffle(shuffled)
    schema = {"type": "object", "properties": {"stops": {"type": "array"}}}
    taken = Acceptance(compare={"/stops": Comparison.SET})
    assert not any(accepted_faults(schema, {"stops": shuffled}, {"stops": stops}, taken))


@given(made=OBJECTS | JSON, gold=OBJECTS, default=JSON, other=JSON, word=st.sampled_from(list(Comparison)))
def test_no_prediction_raises(made: Any, gold: Json, default: Any, other: Any, word: Comparison) -> None:
    taken = Acceptance({"": (other,), "/date": (other,)}, {f"/{key}": word for key in gold}, {"/price": default})
    list(accepted_faults(TRIP.parameters, made, gold, taken))
    assert 0 <= count_accepted(made, gold, taken) <= len(gold)
    assert any(accepted_faults(TRIP.parameters, BadJson(), gold, taken))


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


@pytest.mark.parametrize(
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


def test_optional_calls_are_needed_by_the_published_rules() -> None:
    verdicts = judge(with_optional(["a", "b"], {1}), step(("a", 0)), TEXT)
    assert {name: verdict.correct for name, verdict in verdicts.items()} == {
        "exact": True, "released": False, "tables": False,
    }  # fmt: skip


@pytest.mark.parametrize("steps", [steps for count in (1, 2, 3) for steps in itertools.permutations("abc", count)])
def test_every_order_with_the_needed_calls_is_right(steps: tuple[str, ...]) -> None:
    """a is needed, b and c are not: right exactly where a is there."""
    what = with_optional(["a", "b", "c"], {1, 2})
    run = [step((name, "abc".index(name))) for name in steps]
    assert judge(what, *run, TEXT)["exact"].correct is ("a" in steps)
