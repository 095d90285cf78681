"""ACEBench's environments: what each function does, in order; the differences between languages and scorings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.benchmarks.acebench.ace_building import PHONE, READY, demo_tables, phone, statuses, travel
from tests.rows import rows
from toolgauge.benchmarks.acebench.environments.environment import Scoring
from toolgauge.benchmarks.acebench.environments.world import World

SENT = {"sender_name": "Mira", "receiver_name": "Aisha", "message": "Done."}
LOGIN = ("login_food_platform", {"username": "Mira", "password": "lantern-7"})
BOOKING = {
    "user_id": "traveller1",
    "password": "compass-1",
    "flight_no": "TG210",
    "cabin": "Economy Class",
    "payment_method": "cash",
    "baggage_count": 3,
}


def order(name: str, merchant: str, *items: Any) -> tuple[str, dict[str, Any]]:
    return "add_food_delivery_order", {"username": name, "merchant_name": merchant, "items": list(items)}


# --- life cycle


def test_device_functions_change_all_environments_together() -> None:
    world = phone(config={"BaseApi": {"wifi": False, "logged_in": False}})
    assert statuses(world, ("send_message", SENT), LOGIN) == ["fail", "fail"]
    assert statuses(world, ("turn_on_wifi", {}), ("turn_on_wifi", {}), LOGIN) == ["ok", "ok", "ok"]
    assert statuses(world, ("delete_message", {"message_id": 1}), ("login_device", {})) == ["fail", "ok"]
    assert statuses(world, ("delete_message", {"message_id": 1}), ("send_message", SENT)) == ["ok", "ok"]


def test_Q32_every_world_starts_afresh() -> None:
    tables = demo_tables("en")
    before = json.dumps(tables)
    first, second = (World(PHONE, tables, READY) for _ in range(2))
    assert statuses(first, ("delete_message", {"message_id": 1}), LOGIN) == ["ok", "ok"]
    assert second.saved() == phone().saved() != first.saved()
    assert json.dumps(tables) == before


def test_configured_logins_of_the_food_platform() -> None:
    world = phone(config={"BaseApi": {"wifi": True, "logged_in_users": ["Jonas"]}, "FoodPlatform": {"wifi": False}})
    assert world.call("view_logged_in_users", {}).value["logged_in_users"] == ["Jonas"]


# --- messages


def test_messages_need_room_and_carry_no_time() -> None:
    world = phone()
    assert statuses(world, ("send_message", SENT), ("delete_message", {"message_id": 2})) == ["fail", "ok"]
    assert statuses(world, ("send_message", {**SENT, "sender_name": "Nobody"}), ("send_message", SENT)) == [
        "fail",
        "ok",
    ]
    inbox = world.saved()[1]["MessageApi"]["inbox"]
    assert list(inbox) == ["1", "3", "4", "5"]
    assert inbox["5"] == {"sender_id": "P1", "receiver_id": "P3", "message": "Done."}


def test_messages_are_viewed_one_way_and_searched_both_ways() -> None:
    world = phone(config={"BaseApi": {"logged_in": False}})
    pair = {"sender_name": "Mira", "receiver_name": "Jonas"}
    assert world.call("view_messages_between_users", pair).status == "fail"
    found = world.call("search_messages", {"user_name": "Jonas", "keyword": "GATE"})
    assert (found.status, [message["id"] for message in found.value["messages"]]) == ("ok", [2])
    assert statuses(
        world,
        ("search_messages", {"user_name": "Jonas", "keyword": ""}),
        ("search_messages", {"user_name": "Jonas", "keyword": "zebra"}),
        ("search_messages", {"user_name": "Zoe", "keyword": ""}),
        ("search_messages", {"user_name": "Jonas", "keyword": 7}),
        ("login_device", {}),
        ("view_messages_between_users", {**pair, "receiver_name": "Tomas"}),
        ("view_messages_between_users", {**pair, "receiver_name": "Zoe"}),
    ) == ["ok", "fail", "fail", "error", "ok", "fail", "fail"]
    assert world.call("view_messages_between_users", pair).value["messages"] == [
        {
            "id": 1,
            "sender": "Mira",
            "receiver": "Jonas",
            "message": "Are we still on for badminton tomorrow? I booked court 3.",
        }
    ]


@pytest.mark.parametrize(("scoring", "expected"), [("released", ["error"] * 3), ("exact", ["ok", "ok", "none"])])
def test_sent_messages_have_no_time(scoring: Scoring, expected: list[str]) -> None:
    world = phone(scoring)
    names = ("get_latest_message_id", "get_earliest_message_id", "get_all_message_times_with_ids")
    times: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in names]
    assert statuses(world, *times) == ["ok", "ok", "none"]
    assert [world.call(name, {}).value["message_id"] for name, _ in times[:2]] == [2, 3]
    assert statuses(world, ("delete_message", {"message_id": 3}), ("send_message", SENT)) == ["ok", "ok"]
    assert statuses(world, *times) == expected
    if scoring == "exact":
        assert [world.call(name, {}).value["message_id"] for name, _ in times[:2]] == [5, 4]
        assert list(world.call("get_all_message_times_with_ids", {}).value) == ["1", "2", "4"]


# --- reminders


def test_reminders_are_counted_on_and_deleted_by_place() -> None:
    world = phone()
    new = ("add_reminder", {"title": "Pay the water bill", "description": "again", "time": "soon"})
    assert statuses(world, new, new, ("delete_reminder", {"reminder_id": 501})) == ["ok", "fail", "fail"]
    assert statuses(world, ("delete_reminder", {"reminder_id": 3}), new) == ["ok", "ok"]
    reminders = world.saved()[2]["ReminderApi"]["reminder_list"]
    assert list(reminders) == ["1", "2", "4"]
    assert reminders["4"]["reminder_id"] == 4
    viewed = world.call("view_reminder_by_title", {"title": "Pay the water bill"})
    assert viewed.value["reminder"]["reminder_id"] == 501
    assert world.call("view_reminder_by_title", {"title": "pay"}).status == "fail"
    assert set(world.call("view_all_reminders", {}).value["reminders"][0]) == {
        "title",
        "description",
        "time",
        "notified",
    }


@rows(
    ("language", "scoring", "search", "mark"),
    [
        ("en", "released", "error", "error"),
        ("zh", "released", "error", "ok"),
        ("en", "exact", "ok", "error"),
        ("zh", "exact", "ok", "ok"),
    ],
)
def test_reminders_can_be_searched_and_marked_as_the_rules_say(
    language: str, scoring: Scoring, search: str, mark: str
) -> None:
    world = phone(scoring, language, {})
    assert statuses(world, ("mark_as_notified", {"reminder_id": 2})) == [mark]
    assert world.saved()[2]["ReminderApi"]["reminder_list"]["2"]["notified"] is (mark == "ok")
    word = "薄荷" if language == "zh" else "MINT"
    assert statuses(world, ("search_reminders", {"keyword": word})) == [search]
    missing = world.call("search_reminders", {"keyword": "zebra"})
    assert missing.status == ("error" if (language, scoring) == ("en", "released") else "fail")


# --- food


def test_orders_are_paid_and_recorded() -> None:
    world = phone()
    world.call(*LOGIN)
    tea = {"product": "Osmanthus Oolong", "quantity": 2}
    assert world.call(*order("Mira", "Green Leaf Tea", tea, {"product": "Lemon Black Tea"})).status == "ok"
    assert world.call(*order("Mira", "Seaside Bakery", {"product": "Sea Salt Bread", "quantity": 2})).status == "ok"
    food = world.saved()[3]["FoodPlatform"]
    assert food["users"]["Mira"]["balance"] == 15.0
    assert [order["total_price"] for order in food["orders"]] == [50.0, 25.0]
    assert food["orders"][:1] == [
        {
            "user_name": "Mira",
            "merchant_name": "Green Leaf Tea",
            "items": [
                {"product": "Osmanthus Oolong", "quantity": 2, "price_per_unit": 18.0},
                {"product": "Lemon Black Tea", "quantity": 1, "price_per_unit": 14.0},
            ],
            "total_price": 50.0,
        }
    ]


@rows(
    ("call", "status"),
    [
        (order("Jonas", "Green Leaf Tea"), "fail"),
        (order("Mira", "Nowhere"), "fail"),
        (order("Mira", "Green Leaf Tea"), "ok"),
        (order("Mira", "Green Leaf Tea", {"product": "Blueberry Cake"}), "fail"),
        (order("Mira", "Green Leaf Tea", {}), "fail"),
        (order("Mira", "Green Leaf Tea", "Osmanthus Oolong"), "error"),
        (order("Mira", "Green Leaf Tea", {"product": "Lemon Black Tea", "quantity": 0}), "fail"),
        (order("Mira", "Green Leaf Tea", {"product": "Lemon Black Tea", "quantity": "1"}), "fail"),
        (order("Mira", "Green Leaf Tea", {"product": "Lemon Black Tea", "quantity": 1.0}), "fail"),
        (order("Mira", "Green Leaf Tea", {"product": "Lemon Black Tea", "quantity": 10**400}), "error"),
        (order("Mira", "Seaside Bakery", {"product": "Blueberry Cake"}), "fail"),
        (("add_food_delivery_order", {"username": "Mira", "merchant_name": "Green Leaf Tea", "items": 7}), "error"),
    ],
)
def test_orders_that_cannot_be(call: tuple[str, dict[str, Any]], status: str) -> None:
    world = phone()
    world.call(*LOGIN)
    before = world.saved()
    assert world.call(*call).status == status
    assert (world.saved() == before) is (status != "ok")


@rows(("language", "status"), [("en", "ok"), ("zh", "fail")])
@rows("scoring", ["released", "exact"])
def test_only_an_english_order_may_use_the_whole_balance(language: str, status: str, scoring: Scoring) -> None:
    world = phone(scoring, language)
    name, merchant, product = (
        ("何敏", "老街面馆", "牛肉汤面") if language == "zh" else ("Aisha", "Old Street Noodles", "Beef Noodle Soup")
    )
    world.call("login_food_platform", {"username": name, "password": "willow-2"})
    assert world.call(*order(name, merchant, {"product": product})).status == status


@rows(
    ("language", "scoring", "status"),
    [("en", "released", "ok"), ("zh", "released", "error"), ("en", "exact", "ok"), ("zh", "exact", "ok")],
)
def test_orders_are_searched_by_product_as_the_rules_say(language: str, scoring: Scoring, status: str) -> None:
    world = phone(scoring, language)
    name, merchant, product, word = (
        ("林悦", "青禾茶铺", "柠檬红茶", "红茶")
        if language == "zh"
        else ("Mira", "Green Leaf Tea", "Lemon Black Tea", "BLACK")
    )
    world.call("login_food_platform", {"username": name, "password": "lantern-7"})
    search = ("search_orders", {"keyword": word})
    assert statuses(world, search, order(name, merchant, {"product": product}), search) == ["fail", "ok", status]
    assert statuses(world, ("search_orders", {"keyword": merchant[-2:]}), ("view_orders", {"user_name": name})) == [
        "ok",
        "ok",
    ]


# --- travel


def test_flights_are_filtered_by_what_is_given() -> None:
    world = travel()
    assert len(world.call("get_flight_details", {}).value) == 8
    assert len(world.call("get_flight_details", {"origin": "Hangzhou", "destination": ""}).value) == 3
    assert isinstance(world.call("get_flight_details", {"origin": "Oslo"}).value, str)
    legs = world.call(
        "find_transfer_flights", {"origin_city": "Hangzhou", "transfer_city": "Wuhan", "destination_city": "Kunming"}
    ).value
    assert [(leg["first_leg"]["flight_no"], leg["second_leg"]["depart_time"][11:13]) for leg in legs] == [
        ("TG210", "11"),
        ("TG210", "21"),
        ("TG215", "21"),
    ]


def test_a_booking_costs_the_cabin_and_the_bags_beyond_the_free_ones() -> None:
    world = travel()
    assert world.call("reserve_flight", BOOKING).status == "none"
    saved = world.saved()[0]["Travel"]
    assert saved["users"]["traveller1"]["cash_balance"] == 1000.0 - 400 - 2 * 50
    assert saved["reservations"][-1] == {
        "reservation_id": "res_5",
        "user_id": "traveller1",
        "flight_no": "TG210",
        "payment_method": "cash",
        "cabin": "Economy Class",
        "baggage": 3,
    }
    assert world.call("get_flight_details", {"origin": "Hangzhou"}).value[1]["seats_available"] == 5


@rows(
    ("change", "released", "exact"),
    [
        ({"flight_no": "TG999"}, "error", "none"),
        ({"user_id": "traveller9"}, "error", "none"),
        ({"password": "?"}, "error", "none"),
        ({"cabin": "Roof"}, "error", "none"),
        ({"baggage_count": "3"}, "error", "error"),
        ({"payment_method": "card"}, "none", "none"),
        ({"cabin": "Business Class", "baggage_count": 9}, "none", "none"),
        ({"baggage_count": float("inf")}, "none", "none"),
        ({"baggage_count": 10**400}, "error", "error"),
    ],
)
def test_flights_that_cannot_be_booked(change: dict[str, Any], released: str, exact: str) -> None:
    scorings: tuple[tuple[Scoring, str], ...] = (("released", released), ("exact", exact))
    for scoring, status in scorings:
        world = travel(scoring)
        before = world.saved()
        assert world.call("reserve_flight", {**BOOKING, **change}).status == status
        assert world.saved() == before


def modified(**change: Any) -> tuple[str, dict[str, Any]]:
    """How it ended, and what changed of the user and the booking."""
    world = travel()
    before = world.saved()[0]["Travel"]
    outcome = world.call("modify_flight", {"user_id": "traveller1", "reservation_id": "res_1", **change})
    after = world.saved()[0]["Travel"]
    changed: dict[str, Any] = {}
    for part, place in (("users", "traveller1"), ("reservations", 0)):
        now, earlier = after[part].pop(place), before[part].pop(place)
        changed |= {key: value for key, value in now.items() if value != earlier[key]}
    assert before == after
    return outcome.status, changed


@rows(
    ("change", "status", "expected"),
    [
        ({"user_id": "traveller2"}, "none", {}),
        ({"user_id": "traveller2", "reservation_id": "res_3", "new_cabin": "Business Class"}, "none", {}),
        ({"new_flight_no": "TG102"}, "none", {}),
        ({"new_flight_no": "TG999", "new_cabin": "Business Class"}, "none", {}),
        ({"new_cabin": "Business Class"}, "none", {"bank_balance": 2100.0, "cabin": "Business Class"}),
        ({"new_cabin": "Roof"}, "none", {"bank_balance": 3600.0, "cabin": "Roof"}),
        ({"add_baggage": 2}, "none", {"bank_balance": 2900.0, "baggage": 3}),
        ({"add_baggage": 2, "new_payment_method": "cash"}, "none", {"cash_balance": 900.0, "baggage": 3}),
        ({"add_baggage": 2, "new_payment_method": "card"}, "none", {"baggage": 3}),
        ({"add_baggage": 200}, "none", {"baggage": 201}),
        ({"new_cabin": "Roof", "add_baggage": 2}, "none", {"bank_balance": 3450.0, "cabin": "Roof", "baggage": 3}),
        ({"new_cabin": 7, "add_baggage": 100}, "none", {"bank_balance": 3600.0, "cabin": 7, "baggage": 101}),
        ({"new_cabin": [], "add_baggage": 2}, "none", {"bank_balance": 2900.0, "baggage": 3}),
        ({"new_cabin": ["Roof"], "add_baggage": 2}, "error", {"bank_balance": 3600.0, "cabin": ["Roof"]}),
        ({"add_baggage": -2}, "none", {}),
        ({"add_baggage": float("nan")}, "none", {}),
        (
            {"new_cabin": "Business Class", "add_baggage": "2"},
            "error",
            {"bank_balance": 2100.0, "cabin": "Business Class"},
        ),
        (
            {"new_cabin": "Business Class", "add_baggage": 2, "new_payment_method": "cash"},
            "none",
            {"cash_balance": 50.0, "cabin": "Business Class", "baggage": 3},
        ),
    ],
)
def test_bookings_are_modified_step_by_step(change: dict[str, Any], status: str, expected: dict[str, Any]) -> None:
    ended, found = modified(**change)
    assert ended == status
    assert found == expected


@rows(
    ("call", "cash"),
    [
        (("traveller1", "res_1", "other plans"), 1600.0),
        (("traveller1", "res_2", "other plans"), 1000.0 + 0.9 * 1700),
        (("traveller1", "res_2", "The airline has cancelled the flight."), 2700.0),
        (("traveller2", "res_3", "gone"), 250.0),
        (("traveller3", "res_4", "departed"), 100.0),
        (("traveller2", "res_1", "not theirs"), 250.0),
    ],
)
def test_cancelling_refunds_in_cash_and_keeps_the_booking(call: tuple[str, str, str], cash: float) -> None:
    world = travel()
    user, booking, reason = call
    arguments = {"user_id": user, "reservation_id": booking, "reason": reason}
    assert world.call("cancel_reservation", arguments).status == "none"
    saved = world.saved()[0]["Travel"]
    assert saved["users"][user]["cash_balance"] == pytest.approx(cash)
    assert len(saved["reservations"]) == 4
    assert world.call("cancel_reservation", {**arguments, "user_id": "traveller9"}).status == "none"
