"""JSON as agents write it: indented, in a fenced block."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from toolgauge.chat import Json

_BLOCK = re.compile(r"```json\n(?P<json>.*)\n```", re.DOTALL)


def indented(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def json_block(value: object) -> str:
    """A value as a fenced block of JSON."""
    return f"```json\n{indented(value)}\n```"


def within_block(text: str, change: Callable[[Json], None]) -> str:
    """A text with a change in the object of its fenced block; as it is where it has none."""
    found = _BLOCK.search(text)
    if found is None:
        return text
    value = msgspec.json.decode(found["json"])
    change(value)
    return text[: found.start("json")] + indented(value) + text[found.end("json") :]
