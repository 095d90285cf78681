"""ACEBench's executor: messages to calls to state, under both scorings; conformance with the public environments;
what always holds in a world.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.benchmarks.acebench.ace_building import phone, travel
from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, Undecodable, render_calls
from toolgauge.benchmarks.acebench.environments.environment import Scoring
from toolgauge.benchmarks.acebench.environments.phone import FoodPlatform, MessageApi, ReminderApi
from toolgauge.benchmarks.acebench.environments.world import NO_CALLS, Executor, Manner, World
from toolgauge.chat import Json

DELETE = "[delete_message(message_id=1)]"
THREE = "[delete_message(message_id=1), delete_message(id=2), delete_message(message_id=3)]"
BOTH: tuple[Scoring, Scoring] = ("released", "exact")
MANNERS: tuple[Manner, Manner] = ("multi_turn", "multi_step")


def executor(manner: Manner = "multi_turn", scoring: Scoring = "released", language: str = "en") -> Executor:
    return Executor(phone(scoring, language), manner)


def inbox(of: Executor) -> list[str]:
    return list(of.world.saved()[1]["MessageApi"]["inbox"])


@pytest.mark.parametrize("scoring", BOTH)
def test_Q29_an_error_ends_the_message_in_multi_turn_and_is_told_in_a_sentence(scoring: Scoring) -> None:
    here = executor(scoring=scoring)
    done = here.run(THREE)
    assert [outcome.status for outcome in done.outcomes] == ["ok", "error"]
    assert inbox(here) == ["2", "3", "4"]
    assert done.content == done.outcomes[1].value == done.answers[1]
    assert len(done.answers) == 3
    assert "id" in done.content
    assert here.result() == []
    assert here.run("[turn_on_wifi()]").failed is False
    assert here.result() == here.world.saved()


@rows("scoring", BOTH)
@rows("manner", MANNERS)
def test_Q30_an_unknown_function_is_always_reported(manner: Manner, scoring: Scoring) -> None:
    here = executor(manner, scoring)
    done = here.run("[delete_message(message_id=1), open_window()]")
    assert [outcome.status for outcome in done.outcomes] == ["ok", "error"]
    assert "open_window" in done.answers[1]


@rows(("scoring", "decoded"), [("released", False), ("exact", True)])
@rows("manner", MANNERS)
@rows("text", [f"{DELETE} ", f"{DELETE}\n", f"  {DELETE}", f"Let me see: {DELETE}", f"```\n{DELETE}\n```"])
def test_Q30_blanks_and_prose_around_the_calls(text: str, manner: Manner, scoring: Scoring, decoded: bool) -> None:
    here = executor(manner, scoring)
    done = here.run(text)
    assert (done.undecodable is None) is decoded
    assert inbox(here) == (["2", "3", "4"] if decoded else ["1", "2", "3", "4"])
    assert bool(here.result()) is decoded


@pytest.mark.parametrize("manner", MANNERS)
def test_Q30_objects_as_values(manner: Manner) -> None:
    text = "[add_reminder(title={'a': 1}, description='b', time='c')]"
    assert executor(manner).run(text).undecodable is not None
    here = executor(manner, "exact")
    assert here.run(text).outcomes[0].status == "ok"
    assert here.world.saved()[2]["ReminderApi"]["reminder_list"]["3"]["title"] == {"a": 1}


def test_Q30_a_bare_word_is_zero_calls_and_counts_as_executed() -> None:
    here = executor()
    done = here.run("[thanks]")
    assert (done.calls, done.content, done.undecodable) == ((), "[]", None)
    assert here.result() == here.world.saved()
    exact = executor(scoring="exact")
    assert exact.run("[thanks]").undecodable is not None
    assert exact.result() == []


@rows("text", ["Shall I go on?", "Yes (please)", "turn_on_wifi()", "[\nturn_on_wifi()", "", None, 3, "[1]"])
@rows("scoring", BOTH)
def test_speech_is_not_executed_in_multi_turn(text: Any, scoring: Scoring) -> None:
    here = executor(scoring=scoring)
    assert isinstance(here.decode(text), Undecodable) or (scoring, text) == ("released", "[1]")
    here.run(text)
    assert here.world.saved() == phone().saved()


def test_calls_over_several_lines_are_speech_in_the_released_multi_turn_only() -> None:
    text = "[\n  turn_on_wifi(),\n  login_device()\n]"
    assert executor().run(text).undecodable is not None
    assert executor(scoring="exact").run(text).undecodable is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_undecodable_message_is_answered_with_a_notice_in_multi_step(language: str) -> None:
    here = executor("multi_step", language=language)
    assert here.run("What is the password?").content == NO_CALLS[language == "zh"]
    assert here.result() == []
    assert here.run("turn_on_wifi()").outcomes[0].status == "ok"


@pytest.mark.parametrize(("scoring", "status"), [("released", "ok"), ("exact", "error")])
def test_Q22_positional_arguments_are_ignored_or_an_error(scoring: Scoring, status: str) -> None:
    assert [outcome.status for outcome in executor(scoring=scoring).run("[turn_on_wifi(1)]").outcomes] == [status]


def test_Q31_a_call_whose_text_holds_the_stop_phrase_is_still_a_call() -> None:
    text = render_calls([AceCall("add_reminder", {"title": "finish conversation", "description": "b", "time": "c"})])
    assert not isinstance(executor(scoring="exact").decode(text), Undecodable)


# --- conformance with the public environments (environments, section 9)


def recorded(shared: Path, language: str) -> Iterator[tuple[str, Executor, Executor, list[str], Json, list[Json]]]:
    """Every recorded sequence: its name, executors of both scorings, the messages, the record, the ground truth."""
    folder = shared / "data" / "acebench"
    if not folder.is_dir():
        pytest.skip("the benchmark's data are not beside the project (data/acebench)")
    tables = {
        path.stem: json.loads(path.read_text("utf-8")) for path in (folder / "environments" / language).glob("*.json")
    }
    records = tables.pop("milestone_replay")
    for manner in MANNERS:
        questions, answers = (
            [
                json.loads(line)
                for line in (folder / "data_all" / f"data_{language}" / part).read_text("utf-8").splitlines()
            ]
            for part in (f"data_agent_{manner}.json", f"possible_answer/data_agent_{manner}.json")
        )
        for question, answer in zip(questions, answers, strict=True):
            milestones, record = answer["mile_stone"], records[question["id"]]
            alternatives = milestones if isinstance(milestones[0], list) else [milestones]
            kept = [*zip(alternatives, record["replay"], strict=True), (record["witness"]["calls"], record["witness"])]
            for number, (messages, item) in enumerate(kept):
                released, exact = (
                    Executor(
                        World(question["involved_classes"], tables, question["initial_config"], language, scoring),
                        manner,
                    )
                    for scoring in BOTH
                )
                yield f"{question['id']}#{number}", released, exact, messages, item, answer["ground_truth"]


def outcomes(of: Executor, messages: list[str]) -> list[Any]:
    done = [of.run(message) for message in messages]
    return ["undecodable" if one.undecodable else [outcome.status for outcome in one.outcomes] for one in done]


def accepted(truth: list[Json], result: list[Json]) -> bool:
    """The end-to-end rule (7.1, 7.2), as short as it can be said."""
    truth = truth if isinstance(truth, list) else [truth]
    if len(truth) != len(result):
        return False
    found = {name: attributes for part in reversed(result) for name, attributes in part.items()}
    return all(
        attribute in wanted
        and (
            all(key in value and value[key] == part for key, part in wanted[attribute].items())
            if isinstance(wanted[attribute], dict)
            else value == wanted[attribute]
        )
        for expected in truth
        for name, wanted in expected.items()
        for attribute, value in found.get(name, {}).items()
    )


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "zh"])
def test_released_rules_replay_every_record(shared: Path, language: str) -> None:
    count = 0
    for name, released, _, messages, item, truth in recorded(shared, language):
        assert outcomes(released, messages) == item["outcomes"], name
        assert json.loads(json.dumps(released.world.saved())) == item["final_state"], name
        assert accepted(truth, released.world.saved()) is item["accepted"], name
        count += 1
    assert count == 106


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "zh"])
def test_exact_rules_differ_only_where_milestones_have_outer_blanks(shared: Path, language: str) -> None:
    for name, _, exact, messages, item, truth in recorded(shared, language):
        if any(message != message.strip() for message in messages):
            assert "undecodable" not in outcomes(exact, messages), name
        else:
            assert outcomes(exact, messages) == item["outcomes"], name
            assert exact.world.saved() == item["final_state"], name
            assert accepted(truth, exact.world.saved()) is item["accepted"], name


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
