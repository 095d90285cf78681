"""The papers' simplified format: the raw one without role switches, checkers and what these rejected."""

from __future__ import annotations

from msgspec.structs import replace

from toolgauge.generation.agents.reading import Unreadable, field, json_of
from toolgauge.generation.formats.raw import RawMessage, RawRecord

SWITCHES = ("Switch", "切换角色为")
"""How messages begin that switch the role."""
CHECKERS = ("Checker_Planner", "Checker_Tool")
"""How messages of checkers begin, before a colon of either width."""


def simplified(raw: RawRecord) -> RawRecord:
    """A record of raw.jsonl as one of simplified.jsonl: a verdict of `no` takes the last kept message with it."""
    kept: list[RawMessage] = []
    for message in raw.messages:
        if message.role == "user" and message.content.startswith(SWITCHES):
            continue
        if not _is_checker(message):
            kept.append(message)
        elif kept and _rejects(message):
            kept.pop()
    return replace(raw, messages=tuple(kept))


def _is_checker(message: RawMessage) -> bool:
    name, colon, _ = message.content.replace("：", ":", 1).partition(":")
    return bool(colon) and name.strip() in CHECKERS


def _rejects(message: RawMessage) -> bool:
    """Does a verdict say no? One that cannot be read does not."""
    try:
        return str(field(json_of(message.content), "correct")).strip().casefold() == "no"
    except Unreadable:
        return False
