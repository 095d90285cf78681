"""Logs of conversations and what goes with them: mapping files, names to be replaced, corrected splits."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tests.hostile.corpus.item import EVIL, HUGE, Item, Surroundings, nested, written
from tests.hostile.corpus.texts import any_file

MANY = 30_000


def items() -> Iterator[Item]:
    """Logs in every format at once: each reader finds in them what it takes for its own."""
    yield from any_file()
    said = [{"role": "user", "content": EVIL, "from": "human", "value": EVIL}, {"role": "assistant", "content": EVIL}]
    calls = [{"id": EVIL, "function": {"name": EVIL, "arguments": EVIL}}] * 1000
    for name, line in (
        ("evil", {"id": EVIL, "messages": said, "conversations": said, "tools": [{"name": EVIL, "parameters": EVIL}]}),
        ("traversal", {"id": "../../../x", "messages": said[:1]}),
        ("huge", {"id": "x", "created": HUGE, "messages": said[:1], "extra": HUGE}),
        ("calls", {"messages": [said[0], {"role": "assistant", "tool_calls": calls}]}),
        ("tools", {"messages": said[:1], "tools": [{"name": f"t{n}", "parameters": {}} for n in range(3000)]}),
        ("roles", {"messages": [{"role": EVIL, "content": 1}], "conversations": [{"from": EVIL, "value": 1}]}),
        ("emails", {"messages": [{"role": "user", "content": "a@b.org " * MANY}]}),
        ("digits", {"messages": [{"role": "user", "content": "4111 1111 1111 1111 13912345678 " * 5_000}]}),
        ("tags", {"conversations": [{"from": "gpt", "value": "<tool_call>{" * MANY}]}),
    ):
        yield Item(f"log-{name}", written(json.dumps(line) + "\n"))
    span = {"traceId": EVIL, "spanId": EVIL, "startTimeUnixNano": EVIL, "attributes": [{"key": EVIL, "value": EVIL}]}
    chat = {"key": "gen_ai.input.messages", "value": {"stringValue": nested(30)}}
    for name, spans in (("span", [span]), ("span-chat", [{**span, "attributes": [chat]}]), ("spans", [span] * MANY)):
        yield _line(name, {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    yield _line("sample", {"samples": [{"id": EVIL, "messages": [{"role": "user", "content": EVIL}], "events": 7}]})
    yield Item("packed", _packed)
    yield Item("deep", written('{"messages": ' + nested(10_000) + "}\n"))
    yield Item("many-short", written('{"messages": [{"role": "user", "content": "hi"}]}\n' * 300))


def imported() -> Iterator[Item]:
    """Folders of `data import` with something else in the place of their conversations."""
    for one in items():
        yield Item(one.name, partial(_inside, one), one.refused)
    ask: dict[str, Any] = {"role": "user", "content": EVIL}
    calls = [{"id": str(n), "function": {"name": f"t{n}", "arguments": nested(200)}} for n in range(2000)]
    tool = {"name": "t1", "parameters": {"type": "object", "properties": {EVIL: {"pattern": "(a+)+$"}}}}
    same = {"id": "1", "function": {"name": "t1", "arguments": json.dumps({EVIL: "a" * 5000 + "!"})}}
    for name, messages in (
        ("calls", [ask, {"role": "assistant", "tool_calls": calls}]),
        ("same", [ask, {"role": "assistant", "tool_calls": [same] * 500}]),
        (
            "said",
            [{"role": "user", "content": "at 5 pm on 3 May " * MANY}, {"role": "assistant", "tool_calls": [same]}],
        ),
        ("asks", [ask, {"role": "assistant", "content": f"{EVIL}?"}] * 1000),
    ):
        line = {"version": 1, "id": EVIL, "messages": messages, "tools": [{"type": "function", "function": tool}]}
        yield Item(f"checked-{name}", partial(_inside, _line(name, line)))


def _inside(one: Item, around: Surroundings) -> None:
    around.target.mkdir()
    one.build(replace(around, target=around.target / "conversations.jsonl"))


def mappings() -> Iterator[Item]:
    yield from any_file()
    for name, change in (
        ("evil", {"id": EVIL}),
        ("long", {"id": "a." * 50_000 + "a"}),
        ("every", {"messages": "[*]" * 20_000}),
        ("unknown", {EVIL: EVIL}),
        ("role", {"roles": {EVIL: EVIL}}),
        ("kinds", {"message": 7}),
    ):
        good: dict[str, Any] = {"id": "id", "messages": "messages", "message": {"role": "role", "text": "content"}}
        yield Item(f"map-{name}", written(json.dumps(good | change)), refused=name != "every")


def names() -> Iterator[Item]:
    yield from any_file()
    yield Item("names-evil", written(f"{EVIL}\n{EVIL}\n"))
    yield Item("names-many", written("".join(f"Person Number {n}\n" for n in range(MANY))))
    yield Item("pattern-everything", written("/./\n"))
    yield Item("pattern-nothing", written("/x*/\n"))
    yield Item("pattern-broken", written("/(/\n"), refused=True)
    yield Item("pattern-long", written(f"/{'a' * 10_000}/\n"), refused=True)


def splits() -> Iterator[Item]:
    yield from any_file()
    for name, line in (
        ("evil", {"conversation": EVIL, "message": 0, "begins": True}),
        ("huge", {"conversation": "log-1", "message": HUGE, "begins": True}),
        ("minus", {"conversation": "log-1", "message": -1, "begins": True}),
        ("kinds", {"conversation": 7, "message": "x", "begins": "y"}),
    ):
        yield _line(name, line)


def _line(name: str, value: object) -> Item:
    return Item(f"line-{name}", written(json.dumps(value) + "\n"))


def _packed(around: Surroundings) -> None:
    """An archive of a log with a bomb in it, and with names that lead outside."""
    with zipfile.ZipFile(around.target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/../../../x_epoch_1.json", "{}")
        archive.writestr("samples/bomb_epoch_1.json", b"0" * (80 << 20))
        archive.writestr("header.json", EVIL)
