"""Properties of ACEBench's environments: whatever is called, invariants hold, and equal calls end equally."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.benchmarks.acebench.ace_worlds import phone, travel
from tests.sizes import sized
from toolgauge.benchmarks.acebench.environments.environment import Scoring
from toolgauge.benchmarks.acebench.environments.phone import FoodPlatform, MessageApi, ReminderApi
from toolgauge.benchmarks.acebench.environments.world import World

Calls = list[tuple[Any, Any]]


def deep(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def endless() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


KNOWN: dict[str, list[Any]] = {
    "sender_name": ["Mira", "Jonas"],
    "receiver_name": ["Aisha", "Tomas"],
    "user_name": ["Mira", "Jonas"],
    "username": ["Mira", "Jonas", "Aisha"],
    "password": ["lantern-7", "harbour-4", "willow-2", "compass-1", "anchor-2", "kite-3"],
    "message_id": [1, 2, 3, 4, 5, 6],
    "reminder_id": [1, 2, 3, 4],
    "message": ["Hello"],
    "keyword": ["", "tea", "a"],
    "merchant_name": ["Green Leaf Tea", "Old Street Noodles", "Seaside Bakery"],
    "items": [
        [{"product": "Osmanthus Oolong", "quantity": 1}],
        [{"product": "Beef Noodle Soup"}],
        [{"product": "Sea Salt Bread", "quantity": 10**400}, {"product": "Sea Salt Bread", "quantity": True}],
        [],
    ],
    "user_id": ["traveller1", "traveller2", "traveller3"],
    "reservation_id": ["res_1", "res_2", "res_3", "res_5"],
    "flight_no": ["TG101", "TG210", "TG330", "TG999"],
    "new_flight_no": ["TG215", "TG101", None],
    "cabin": ["Economy Class", "Business Class"],
    "new_cabin": ["Economy Class", "Business Class", None],
    "payment_method": ["cash", "bank"],
    "new_payment_method": ["cash", "bank", "card", None],
    "baggage_count": [0, 1, 3, 8],
    "add_baggage": [0, 1, 5, -1, 0.5],
}
HOSTILE: list[Any] = [
    None, True, -1, 10**5000, 1e308, math.nan, math.inf, -math.inf, 1j, "", "\ud800", "{name}", "x" * 10_000, b"\xff",
    [], {}, (), ("Mira",), {"a": [1]},
    {1: 2, None: 3, (1, 2): 4, 10**30: 5}, [[]], deep(1, 70), deep(1, 5_000), endless(),
    [None] * 30_000, {"product": []}, [{"product": ["x"]}, 3], set(), object(), [{"quantity": math.nan}],
]  # fmt: skip


def argument(name: str) -> st.SearchStrategy[Any]:
    usual = st.sampled_from(KNOWN.get(name, ["text"]))
    return st.one_of(usual, usual, usual, st.sampled_from(HOSTILE))


def parameters(world: World, name: str) -> list[str]:
    return list(inspect.signature(getattr(world.functions[name][0], name)).parameters)


def calls(world: World) -> st.SearchStrategy[Calls]:
    """Calls of the functions of a world, now and then with arguments that do not fit, or of no function at all."""
    made: list[st.SearchStrategy[tuple[Any, Any]]] = [
        st.tuples(st.sampled_from(["nothing", "", None, 10**5000, "__init__"]), st.sampled_from([{}, None, endless()]))
    ]
    for name in world.functions:
        arguments = {parameter: argument(parameter) for parameter in parameters(world, name)}
        fitting = st.fixed_dictionaries(arguments)
        made += [st.tuples(st.just(name), fitting)] * 3
        made.append(st.tuples(st.just(name), st.dictionaries(st.sampled_from([*arguments, "odd", 1]), argument(""))))
    return st.lists(st.one_of(made), max_size=15)


WORLDS: dict[str, Callable[..., World]] = {"phone": phone, "travel": travel}
EACH = pytest.mark.parametrize(
    ("kind", "scoring"), [(kind, scoring) for kind in WORLDS for scoring in ("released", "exact")]
)


def phone_holds(world: World, start: float) -> None:
    _, message, reminder, food = world.environments
    assert isinstance(message, MessageApi)
    assert isinstance(reminder, ReminderApi)
    assert isinstance(food, FoodPlatform)
    assert len(message.inbox) <= 4
    assert max(message.inbox, default=0) <= message.counter
    assert len(reminder.reminder_list) <= 3
    identities = [record["reminder_id"] for record in reminder.reminder_list.values()]
    assert len(set(identities)) == len(identities)
    assert all(account["balance"] >= 0 for account in food.users.values())
    spent = sum(order["total_price"] for order in food.orders)
    assert sum(account["balance"] for account in food.users.values()) + spent == pytest.approx(start)
    assert len(set(food.logged_in_users)) == len(food.logged_in_users)
    assert {order["user_name"] for order in food.orders} <= set(food.logged_in_users)


def travel_holds(world: World) -> None:
    state = world.saved()[0]["Travel"]
    for user in state["users"].values():
        assert user["cash_balance"] >= 0
        assert user["bank_balance"] >= 0
    identities = [booking["reservation_id"] for booking in state["reservations"]]
    assert len(set(identities)) == len(identities)


@EACH
@settings(max_examples=sized(20, 40), deadline=None)
@given(data=st.data())
def test_invariants_hold_and_an_error_changes_nothing(kind: str, scoring: Scoring, data: st.DataObject) -> None:
    world = WORLDS[kind](scoring)
    for name, arguments in data.draw(calls(world)):
        before = world.saved()
        outcome = world.call(name, arguments)
        assert outcome.status in ("ok", "fail", "none", "error")
        json.dumps([outcome.value, world.saved()], allow_nan=False).encode("utf-8")
        if outcome.status == "fail" or (outcome.status == "error" and name != "modify_flight"):
            assert world.saved() == before
        if kind == "phone":
            phone_holds(world, start=188.0)
        else:
            travel_holds(world)


@settings(max_examples=sized(20, 40), deadline=None)
@given(data=st.data(), scoring=st.sampled_from(["released", "exact"]))
def test_only_a_booking_moves_money_when_booking(scoring: Scoring, data: st.DataObject) -> None:
    world = travel(scoring)
    for _ in range(data.draw(st.integers(1, 6))):
        names = parameters(world, "reserve_flight")
        arguments = {name: data.draw(st.sampled_from(KNOWN[name])) for name in names}
        before = world.saved()[0]["Travel"]
        world.call("reserve_flight", arguments)
        after = world.saved()[0]["Travel"]
        booked = len(after["reservations"]) - len(before["reservations"])
        assert (_money(before) - _money(after) >= 400) is bool(booked)
        assert (_money(before) == _money(after)) is (not booked)


def _money(saved: Any) -> float:
    return sum(float(user["cash_balance"] + user["bank_balance"]) for user in saved["users"].values())
