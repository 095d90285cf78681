"""ACEBench's requests: what the prompts must carry, both styles, and what a reply becomes before it is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolgauge.benchmarks.acebench.asking import UNREADABLE, answer_text, single_request
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.data import AceDataset, AceEntry
from toolgauge.benchmarks.acebench.data.native import native_tools
from toolgauge.benchmarks.acebench.prompts import prompt
from toolgauge.chat import Reply, ToolCall
from toolgauge.models.dialects.ace import decode_exact

DATA = Path(__file__).parents[2] / "fixtures" / "acebench" / "data_all"
BENCH = AceBench()
MESSAGES = (
    "There is incorrect value (value) for the parameters (key) in the conversation history.",
    "Missing necessary parameters (",
    "Due to the limitations of the function, I cannot solve this problem.",
)
PHRASES = {
    "en": ("[ApiName(key1='value1', key2='value2')]", "[ApiName()]", "optional", "user's own wording"),
    "zh": ("[ApiName(key1='value1', key2='value2')]", "[ApiName()]", "可选", "用户自己的说法"),
}


def entry_of(small: AceDataset, category: str) -> AceEntry:
    return next(entry for entry in small.entries if entry.category == category)


def test_a_normal_request_carries_what_the_specification_asks_for(small: AceDataset) -> None:
    for entry in small.entries:
        if entry.kind.group != "normal" or entry.category == "normal_preference":
            continue
        (system, user), tools = single_request(entry, "prompt")
        text = system.content or ""
        assert tools == ()
        assert all(phrase in text for phrase in PHRASES[small.language])
        assert entry.time in text
        assert repr([function.original for function in entry.functions]) in text
        assert (user.content or "").endswith(entry.question)
        assert "{" not in text.split("[ApiName()]")[0]


def test_the_profile_takes_the_place_of_the_time(small: AceDataset) -> None:
    entry = entry_of(small, "normal_preference")
    (system, _), _ = single_request(entry, "prompt")
    assert entry.profile
    assert entry.profile in (system.content or "")


@pytest.mark.parametrize("style", ["prompt", "native"])
def test_special_requests_hold_the_three_messages_in_their_order(small: AceDataset, style: str) -> None:
    (system, _), _ = single_request(entry_of(small, "special_incomplete"), style)  # type: ignore[arg-type]
    places = [(system.content or "").index(message) for message in MESSAGES]
    assert places == sorted(places)


def test_gaps_are_filled_once_and_with_text_as_it_is() -> None:
    assert prompt("history", "en", question="{question} {0} %s") == "The dialogue so far:\n{question} {0} %s"


def test_native_tools_and_their_calls_find_back_to_the_functions(small: AceDataset) -> None:
    for entry in small.entries:
        if entry.kind.group == "agent":
            continue
        messages, tools = single_request(entry, "native")
        assert len(messages) == 2
        assert tools == native_tools(entry.functions).tools
        alias, function = tools[0].name, entry.functions[0]
        reply = Reply(None, (ToolCall("i", alias, json.dumps({"a": [1, {"b": "ü"}], "c": None})),))
        (call,) = decode_exact(answer_text(entry, reply))  # type: ignore[misc]
        assert (call.name, call.arguments) == (function.name, {"a": [1, {"b": "ü"}], "c": None})


DEEP = '{"a": ' + '{"b": ' * 500 + "1" + "}" * 501


@pytest.mark.parametrize("arguments", ["{", "[1]", 7, None, "1" * 5000, DEEP], ids=lambda value: str(value)[:10])
def test_native_arguments_that_are_no_object_are_undecodable(small: AceDataset, arguments: object) -> None:
    entry = small.entries[0]
    assert answer_text(entry, Reply(None, (ToolCall("i", "x", arguments),))) == UNREADABLE


def test_reasoning_is_stripped_from_every_model(small: AceDataset) -> None:
    assert answer_text(small.entries[0], Reply("<think>[a(b=1)]</think>[c(d=2)]")) == "[c(d=2)]"


def test_every_text_exists_in_both_languages_with_the_same_gaps() -> None:
    import re

    folder = Path(__file__).parents[3] / "src/toolgauge/benchmarks/acebench/prompts"
    texts = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.txt")}
    names = {name.split(".")[0] for name in texts}
    assert set(texts) == {f"{name}.{language}.txt" for name in names for language in ("en", "zh")}
    for name in names:
        gaps = [sorted(re.findall(r"\{\w+\}", texts[f"{name}.{language}.txt"])) for language in ("en", "zh")]
        assert gaps[0] == gaps[1], name
        assert re.search("[一-鿿]", texts[f"{name}.zh.txt"])
