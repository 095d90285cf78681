"""ShareGPT's format, as trainers and data sets have it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.logs.log_files import WEATHER, dialogue, read, wires, written

OSLO, BERGEN = ({"name": "get_weather", "arguments": {"city": city}} for city in ("Oslo", "Bergen"))


def test_calls_made_together_and_their_results(tmp_path: Path) -> None:
    line = {
        "system": "You help.",
        "conversations": [
            {"from": "human", "value": "the weather in oslo and bergen?"},
            {"from": "function_call", "value": json.dumps([OSLO, BERGEN])},
            {"from": "observation", "value": json.dumps(['{"sky": "sunny"}', {"sky": "rain"}])},
            {"from": "gpt", "value": "Oslo: sunny. Bergen: rain."},
            {"from": "human", "value": "thanks"},
            {"from": "gpt", "value": "You are welcome."},
        ],
        "tools": json.dumps([WEATHER["function"]]),
    }
    (conversation,), rejected = read("sharegpt", written(tmp_path / "a.jsonl", [line]))
    assert not rejected
    expected = json.loads(json.dumps(dialogue()).replace("call_a", "call_1").replace("call_b", "call_2"))
    assert wires(conversation) == expected
    assert [tool.wire() for tool in conversation.tools] == [WEATHER]


def test_calls_between_tags(tmp_path: Path) -> None:
    tools = f"Tools: <tools>\n{json.dumps(WEATHER)}\n</tools>"
    turns = [
        {"from": "system", "value": tools},
        {"from": "human", "value": "weather in oslo?"},
        {"from": "gpt", "value": f"Let me see.\n<tool_call>\n{json.dumps(OSLO)}\n</tool_call>"},
        {"from": "tool", "value": '<tool_response>\n{"sky": "sun"}\n</tool_response>'},
        {"from": "gpt", "value": "Sun."},
    ]
    (conversation,), _rejected = read("sharegpt", written(tmp_path / "a.jsonl", [{"id": "h", "conversations": turns}]))
    said = wires(conversation)
    assert (said[2]["content"], said[2]["tool_calls"][0]["function"]["name"]) == ("Let me see.", "get_weather")
    assert said[3] == {"role": "tool", "content": '{"sky": "sun"}', "tool_call_id": "call_1"}
    assert [tool.wire() for tool in conversation.tools] == [WEATHER]
