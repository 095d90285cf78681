"""ACEBench's requests: what the prompts must carry, both styles, and what a reply becomes before it is judged.
Native calls; what the built-in models say.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema_rs import Draft202012Validator

from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.acebench.asking import Style, answer_text, native_calls, single_request
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry, AceFunction, native_tools
from toolgauge.benchmarks.acebench.data.load import load_acebench
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, decode_exact
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.data.toolnames import legal_names
from toolgauge.data.valid_schemas import normalised
from toolgauge.episode import drive
from toolgauge.judge.verdict import Score

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


LEGAL = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
META = Draft202012Validator({"$ref": "https://json-schema.org/draft/2020-12/schema"})


@rows(
    ("names", "expected"),
    [
        (["plain_name", "with-dash"], ["plain_name", "with-dash"]),
        (["tour.find"], ["tour_find"]),
        (["tour.find", "tour_find"], ["tour_find_2", "tour_find"]),
        (["tour..find", "tour.find", "tour/find"], ["tour_find", "tour_find_2", "tour_find_3"]),
        (["twice", "twice"], ["twice", "twice_2"]),
        (["twice", "twice", "twice_2"], ["twice", "twice_3", "twice_2"]),
        (["智能工具", "古迹规划器"], ["function", "function_2"]),
        (["查询Weather工具"], ["_Weather_"]),
        (["3d.print", "-x"], ["f_3d_print", "f_-x"]),
        (["a" * 70, "a" * 80], ["a" * 64, "a" * 62 + "_2"]),
        (["", "_"], ["function", "_"]),
    ],
)
def test_illegal_names_get_an_alias(names: list[str], expected: list[str]) -> None:
    assert list(legal_names(names)) == expected


@rows(
    ("schema", "expected"),
    [
        ({"type": "dict"}, {"type": "object"}),
        ({"type": "float", "minimum": 1}, {"type": "number", "minimum": 1}),
        ({"type": "int"}, {"type": "integer"}),
        ({"type": "bool"}, {"type": "boolean"}),
        ({"type": "any", "description": "d"}, {"description": "d"}),
        ({"type": "enum", "enum": ["a"]}, {"enum": ["a"]}),
        ({"type": "list"}, {"type": "array", "items": {}}),
        ({"type": "tuple", "items": {"type": "float"}}, {"type": "array", "items": {"type": "number"}}),
        ({"type": "list(string)"}, {"type": "array", "items": {"type": "string"}}),
        ({"type": "list(enum)", "enum": ["a"]}, {"type": "array", "items": {"enum": ["a"]}}),
        ({"type": "objectArray"}, {"type": "array", "items": {"type": "object"}}),
        ({"type": ["str", "null"]}, {"type": ["string", "null"]}),
        ({"type": "quark"}, {}),
        ({"type": 3}, {}),
        (
            {"type": "array", "items": [{"type": "int"}]},
            {"type": "array", "prefixItems": [{"type": "integer"}], "items": {}},
        ),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"minimum": "1", "required": True, "enum": "a", "properties": []}, {}),
        ({"unit": "km", "nullable": True, "default": None}, {"unit": "km", "nullable": True, "default": None}),
        ({"$ref": "http://a/b", "definitions": {}}, {}),
        (
            {"properties": {"a": {"type": "dict"}, "b": None}, "required": ["a", "c"]},
            {"properties": {"a": {"type": "object"}, "b": {}}, "required": ["a"]},
        ),
        ("no schema", {}),
    ],
)
def test_schemas_are_made_valid(schema: Any, expected: dict[str, Any]) -> None:
    assert normalised(schema) == expected
    META.validate(normalised(schema))


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "zh"][: sized(1, 2)])
def test_all_published_functions_become_tools(shared: Path, language: str) -> None:
    seen: set[bytes] = set()
    for entry in load_acebench(shared / "data/acebench/data_all", language).entries:
        tools = native_tools(entry.functions)
        assert all(LEGAL.fullmatch(tool.name) for tool in tools.tools)
        assert [tools.original(tool.name) for tool in tools.tools] == [one.name for one in entry.functions]
        for tool in tools.tools:
            key = msgspec.json.encode(tool.parameters, order="sorted")
            if key not in seen:
                seen.add(key)
                if len(seen) % sized(25, 1) == 0:  # the meta-schema takes milliseconds for each
                    META.validate(tool.parameters)


DATA = Path(__file__).parents[2] / "fixtures" / "acebench" / "data_all"
BENCH = AceBench()


def oracle(request: Request) -> Reply:
    assert request.gold_hint is not None
    return request.gold_hint.reply


def silent(request: Request) -> Reply:
    return Reply("I would rather not say.") if request.role == "assistant" else oracle(request)


def scores(dataset: AceDataset, player, style: Style = "prompt") -> list[Score]:  # type: ignore[no-untyped-def]
    setup = Setup(options={"style": style})
    samples = BENCH.samples(dataset, setup)
    return [
        s for sample in samples for s in BENCH.scores(dataset, drive(BENCH.episode(dataset, sample, setup), player))
    ]


@rows("style", ["prompt", "native"])
@rows("language", ["en", "zh"])
def test_oracle_passes_and_silence_fails_in_every_category(language: str, style: Style) -> None:
    dataset = BENCH.load(DATA, language)
    assert len(dataset.categories) == 17
    assert all(v.correct for s in scores(dataset, oracle, style) for v in s.scorings.values())
    assert not any(v.correct for s in scores(dataset, silent, style) for v in s.scorings.values())
