"""Every gate: a dialogue that passes, one beside it that fails, and what the evidence points at; more in corpora/."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.generation.dialogues import Turns, asks, calls, closes, dialogue, rebuilt, results, user
from toolgauge.annotation.dialogue import Action, Dialogue
from toolgauge.annotation.graph import annotate
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.chat import Json, Reply, Request
from toolgauge.generation.filters import DEFAULTS, FILTERS, FilterVerdict, filter_names, filter_verdicts, require_passed
from toolgauge.generation.filters.multi_turn import ablated
from toolgauge.generation.state import DialogueState, Rejected, StepRecord

MINI = Path(__file__).parents[2] / "src/toolgauge/benchmarks/dialogues/mini/sessions.jsonl"
TRAINS = {"trains": [{"train_id": "IC2207", "leaves": "08:25"}, {"train_id": "IC2231", "leaves": "10:25"}]}

Task = Turns


def weather(words: str = "weather in Oslo?", name: str = "get_weather", **arguments: Any) -> Task:
    made = arguments or {"city": "Oslo"}
    return [user(words), calls(Action(name, made)), results({"sky": "grey", "wind": "west"}), closes("Grey.")]


def trains(origin: str = "Ghent", destination: str = "Cologne", words: str = "trains from Ghent to Cologne?") -> Task:
    search = Action("search_trains", {"origin": origin, "destination": destination})
    return [user(words), calls(search), results(TRAINS), closes("IC2207 and IC2231.")]


def book(words: str, **arguments: Any) -> Task:
    return [user(words), calls(Action("book_train", arguments)), results({"booking_id": "BK1"}), closes("Booked.")]


def clarified(words: str, answer: str = "Oslo", city: str = "Oslo") -> Task:
    asked = asks("Which city?", answer, "get_weather", "city")
    return [user(words), asked, calls(Action("get_weather", {"city": city})), results({"sky": "grey"}), closes("Grey.")]


def chat(words: str, reply: str = "Because of the air.") -> Task:
    return [user(words), closes(reply, "chat")]


def zh(*tasks: Task, **more: Any) -> Dialogue:
    return dialogue(*tasks, language="zh", **more)


MAILED_ANN = calls(Action("send_mail", {"to": "ann@b.example", "text": "late"}))
TOLD = [results({}), closes("Sent.")]
GOOD_ZH = [user("奥斯陆天气怎么样?"), calls(Action("get_weather", {"city": "奥斯陆"}), plan="查询 Oslo 的天气"),
           results({"sky": "阴"}), closes("奥斯陆是阴天。")]  # fmt: skip

CASES: dict[str, list[tuple[Dialogue, Dialogue, Json]]] = {
    "path": [
        (dialogue(weather()), dialogue(weather(), kinds=["multi"]), {"task": 0, "value": "single", "wanted": "multi"}),
    ],
    "hallucinated_function": [
        (dialogue(weather()), dialogue(weather(name="get_wether")), {"call": 0, "value": "get_wether"}),
    ],
    "hallucinated_parameter": [
        (dialogue(weather()), dialogue(weather(city="Oslo", colour="red")), {"rule": "additionalProperties"}),
    ],
    "types": [
        (
            dialogue(trains(), book("2 seats on IC2207", train_id="IC2207", seats=2)),
            dialogue(trains(), book("2 seats on IC2207", train_id="IC2207", seats="2")),
            {"task": 1, "call": 0, "path": "seats"},
        )
    ],
    "schema": [
        (
            dialogue(weather("weather in Oslo in F?", city="Oslo", unit="F")),
            dialogue(weather("weather in Oslo in K?", city="Oslo", unit="K")),
            {"path": "unit", "rule": "enum"},
        ),
    ],
    "redundant_calls": [
        (  # another city
            dialogue(weather(), weather("and Bergen?", city="Bergen")),
            dialogue(weather(), weather("and in Oslo, tell me?", city="oslo ")),
            {"task": 1, "again": {"task": 0, "call": 0}},
        ),
        (  # what another call tells as well
            dialogue([user("weather in Oslo and Bergen"),
                calls(Action("get_weather", {"city": "Oslo"}), Action("get_weather", {"city": "Bergen"})),
                results({"sky": "grey", "wind": "west"}, {"sky": "blue", "wind": "south"}), closes("So.")]),
            dialogue([user("weather in Oslo"),
                calls(Action("get_weather", {"city": "Oslo"}), Action("get_weather", {"city": "Oslo", "unit": "C"})),
                results({"sky": "grey", "wind": "west"}, {"sky": "grey", "wind": "west", "high": 12}), closes("So.")]),
            {"call": 0, "covered_by": 1},
        ),
    ],
    "provenance": [
        (dialogue(weather()), dialogue(weather(city="Trondheim")), {"path": "city", "value": "'Trondheim'"}),
        (
            dialogue(trains(), book("two seats on the later one", train_id="IC2231", seats=2)),
            dialogue(trains(), book("two seats on the later one", train_id="IC9999", seats=2)),
            {"task": 1, "path": "train_id"},
        ),
        (
            dialogue(weather("weather in Oslo next Monday?", city="Oslo", date="2024-05-06")),
            dialogue(weather("weather in Oslo next Monday?", city="Oslo", date="2024-06-19")),
            {"path": "date"},
        ),
        (
            dialogue([user("tell ann@b.example I'm late"), MAILED_ANN, TOLD]),
            dialogue([user("tell Ann I'm late"), MAILED_ANN, TOLD]),
            {"path": "to"},
        ),
        (  # small numbers: how many there are is said, and another number is not
            dialogue(trains(), book("me and my two kids on IC2207", train_id="IC2207", seats=3)),
            dialogue(trains(), book("me and my two kids on IC2207", train_id="IC2207", seats=4)),
            {"path": "seats", "value": "4"},
        ),
    ],
    "clarify_lacks": [
        (dialogue(clarified("how's the weather?")),
         dialogue(clarified("how's the weather in Oslo?"), kinds=["clarify"]),
         {"call": 0, "path": "city", "quote": "Oslo"}),
    ],
    "chat_needs_no_tool": [
        (dialogue(chat("why is the sky blue?"), kinds=["chat"]),
         dialogue(chat("search trains to Paris for me"), kinds=["chat"]), {"tool": "search_trains"}),
        (  # a request, in fewer of the tool's words
            dialogue(chat("Long day. Why do people book trains so late? Tell me a joke."), kinds=["chat"]),
            dialogue(chat("Long day. Can you book me a seat on a train?"), kinds=["chat"]),
            {"tool": "book_train", "quote": "Can you book me a seat on a train?", "request": True},
        ),
    ],
    "language": [
        (dialogue(weather()), dialogue(weather("weather in Oslo (奥斯陆)?")), {"entry": 0, "value": "奥斯陆"}),
        (zh(GOOD_ZH), zh([*GOOD_ZH[:3], closes("The weather in Oslo is rather grey today.")]), {"path": "agent"}),
    ],
    "clean_text": [
        (
            dialogue(chat("what does <think> do?", "Note: it is a tag."), kinds=["chat"]),
            dialogue(chat("what does it do?", "Nothing.\n\nUser: And now?"), kinds=["chat"]),
            {"path": "agent", "value": "User: And now?", "why": "around_words"},
        ),
    ],
    "length": [
        (dialogue(weather()), dialogue(weather("Oslo? " * 1000)), {"path": "user", "value": 6000}),
    ],
}  # fmt: skip


def judged(name: str, one: Dialogue) -> FilterVerdict:
    return FILTERS[name](annotate(one), one)


@pytest.mark.parametrize(("name", "number"), [(name, n) for name, cases in CASES.items() for n in range(len(cases))])
def test_a_gate_lets_pass_and_holds_back(name: str, number: int) -> None:
    right, wrong, expected = CASES[name][number]
    assert judged(name, right).passed, judged(name, right).evidence
    verdict = judged(name, wrong)
    assert not verdict.passed
    counted = [one for one in verdict.evidence if not one.get("tolerated")]
    assert any(expected.items() <= one.items() for one in counted), counted


def test_reviewed_tasks_are_not_judged() -> None:
    invented = weather(city="Trondheim")
    assert not judged("provenance", dialogue(invented, weather())).passed
    assert judged("provenance", dialogue(invented, weather(), earlier=1)).passed


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_gate_objects_to_the_embedded_benchmark(language: str) -> None:
    """People wrote it with a source for every value: what a gate held back here would be its own mistake."""
    for session in load_dataset(MINI, language=language).sessions:
        one = rebuilt(session)
        made = annotate(one)
        found = [verdict for gate in FILTERS.values() if gate.check and not (verdict := gate(made, one)).passed]
        assert not found, session.id


# The gate that asks


def ablation(one: Dialogue, *replies: str) -> tuple[tuple[FilterVerdict, ...], list[Request]]:
    """The verdicts on a dialogue, and what was asked when its tasks were closed; the planner answers with `replies`."""
    record = StepRecord("slot")
    state = DialogueState(record, one.language, one.tools, one.tool_list, random.Random(1), one.clock)
    state.tasks, state.entries = list(one.tasks), list(one.entries)
    session, found = annotate(one), []
    asked: list[Request] = []
    left = list(replies)
    for task in session.tasks:
        judging = ablated(task, session, one, state)
        try:
            asked.append(next(judging))
            while True:
                asked.append(judging.send(Reply(left.pop(0))))
        except StopIteration as end:
            found += [end.value] if end.value else []
    return filter_verdicts(one, found, ("multi_turn",)), asked


def rejection(verdicts: tuple[FilterVerdict, ...], *gates: str) -> Rejected:
    with pytest.raises(Rejected) as raised:
        require_passed(verdicts, gates)
    return raised.value


def decided(name: str, **arguments: Any) -> str:
    return calls(Action(name, arguments)).text


FOLLOWING = dialogue(
    weather(),
    weather("what's the weather in Bergen?", city="Bergen"),
    chat("nice, isn't it?"),
    kinds=["single", "single", "chat"],
)


def test_a_later_task_that_may_stand_alone_is_planned_again() -> None:
    question = asks("?", "x", "get_weather", "city")[0].text
    verdicts, asked = ablation(FOLLOWING, question)
    assert verdicts[-1] == FilterVerdict("multi_turn", True)
    assert len(verdicts) == len(FILTERS)
    assert len(asked) == 1, "first tasks are no later ones, and chat has no calls to compare"
    seen = "\n".join(message.content or "" for message in asked[0].messages[1:])
    assert "the weather in Bergen?" in seen
    assert "weather in Oslo?" not in seen


def test_a_later_task_that_stands_alone_is_rejected() -> None:
    verdicts, _ = ablation(FOLLOWING, decided("get_weather", city="bergen ", unit="C"))
    rejected = rejection(verdicts, "multi_turn")
    assert rejected.reason == "gate:multi_turn"
    assert "the weather in Bergen?" in rejected.evidence
    assert "get_weather.city = Bergen" in rejected.evidence, "what was compared"
    assert [one.gate for one in verdicts if not one.passed] == ["multi_turn"]


# All of them together


def test_a_gate_that_is_off_is_evaluated_and_does_not_reject() -> None:
    invented = dialogue(weather(city="Trondheim"))
    verdicts = filter_verdicts(invented, (), ("path",))
    assert {one.gate: one.passed for one in verdicts}["provenance"] is False
    assert len(verdicts) == len(FILTERS) - 1, "the one that asks has no verdict where it is off"
    require_passed(verdicts, ("path",))
    rejected = rejection(verdicts, *DEFAULTS)
    assert rejected.reason == "gate:provenance"
    assert "Trondheim" in rejected.evidence


@pytest.mark.parametrize(
    ("names", "chosen"),
    [([], DEFAULTS), (["none"], ()), (["types", "path"], ("path", "types")), (["all"], tuple(FILTERS)),
     (["-multi_turn"], tuple(name for name in DEFAULTS if name != "multi_turn")),
     (["all", "-path"], tuple(FILTERS)[1:])],
)  # fmt: skip
def test_gates_are_chosen_by_name(names: list[str], chosen: tuple[str, ...]) -> None:
    assert filter_names(names) == chosen
