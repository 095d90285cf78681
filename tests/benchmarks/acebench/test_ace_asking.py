"""ACEBench's requests: what the prompts must carry, both styles, and what a reply becomes before it is judged."""

from __future__ import annotations

import json

import pytest

from tests.rows import rows
from toolgauge.benchmarks.acebench.asking import answer_text, native_calls, single_request
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry, AceFunction, native_tools
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, decode_exact
from toolgauge.chat import Reply, ToolCall

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


@pytest.mark.parametrize("style", ["prompt", "native"])
def test_special_requests_hold_the_three_messages_in_their_order(small: AceDataset, style: str) -> None:
    (system, _), _ = single_request(entry_of(small, "special_incomplete"), style)  # type: ignore[arg-type]
    places = [(system.content or "").index(message) for message in MESSAGES]
    assert places == sorted(places)


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


@rows("nothing", [None, "", " ", "null", "{}"])
def test_what_servers_give_in_place_of_no_arguments_is_an_empty_object(nothing: str | None) -> None:
    tools = native_tools([AceFunction("ring")])
    reply = Reply(None, (ToolCall("i", "ring", nothing),))
    assert native_calls(tools, reply) == (AceCall("ring", {}),)


@rows("other", ["[]", "7", "{", '"null"', "[" * 5000])
def test_what_is_no_object_is_unreadable(other: str) -> None:
    assert native_calls(native_tools([AceFunction("ring")]), Reply(None, (ToolCall("i", "ring", other),))) is None
