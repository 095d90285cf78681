"""The papers' simplified format: the raw one without role switches, checkers and what these rejected."""

from __future__ import annotations

from toolgauge.chat import Json
from toolgauge.generation.agents.reading import Unreadable, field, json_of

SWITCHES = ("Switch", "切换角色为")
"""How messages begin that switch the role."""
CHECKERS = ("Checker_Planner", "Checker_Tool")
"""How messages of checkers begin, before a colon of either width."""


def simplified(raw: Json) -> Json:
    """A record of raw.jsonl as one of simplified.jsonl: a verdict of `no` takes the last kept message with it."""
    kept: list[dict[str, object]] = []
    for message in raw["messages"]:
        if _is_switch(message):
            continue
        if not _is_checker(message):
            kept.append(message)
        elif kept and _rejects(message):
            kept.pop()
    return {**raw, "messages": kept}


def _is_switch(message: Json) -> bool:
    content: str = message["content"]
    return message["role"] == "user" and content.startswith(SWITCHES)


def _is_checker(message: Json) -> bool:
    name, colon, _ = message["content"].replace("：", ":", 1).partition(":")
    return bool(colon) and name.strip() in CHECKERS


def _rejects(message: Json) -> bool:
    """Does a verdict say no? One that cannot be read does not."""
    try:
        return str(field(json_of(message["content"]), "correct")).strip().casefold() == "no"
    except Unreadable:
        return False
