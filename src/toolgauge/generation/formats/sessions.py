"""Dialogues as records of sessions (data/sessions.py), in one language: made to be run and checked."""

from __future__ import annotations

from toolgauge.annotation.dialogue import Dialogue, Speaker
from toolgauge.chat import Json, Message
from toolgauge.data import sessions
from toolgauge.data.session import Session

_ROLES = {Speaker.USER: "user", Speaker.AGENT: "assistant"}


def session_record(session: Session, dialogue: Dialogue) -> Json:
    """The record of a session that was made from a dialogue; what user and assistant said are its messages."""
    spoken = [
        [Message(_ROLES[one.speaker], one.text) for one in dialogue.kept if one.task == index and one.speaker in _ROLES]
        for index in range(len(session.tasks))
    ]
    return sessions.session_record(session, spoken)


def as_reviewed(record: Json, reviewed: Json, dialogue: Dialogue) -> Json:
    """The record of a session that was made from a reviewed one: what stands is written as the reviewer wrote it, byte
    for byte."""
    written: Json = {key: _as_written(record[key], reviewed[key]) for key in reviewed if key in record}
    written |= {key: part for key, part in record.items() if key not in written}
    prefix, earlier = "" if "tasks" in record else "english_", min(dialogue.earlier, len(dialogue.tasks))
    count = len(reviewed[f"{prefix}tasks"])
    for name in ("tasks", "answer_list", "task_types", "turn_subtypes"):
        before, now = reviewed.get(f"{prefix}{name}"), written[f"{prefix}{name}"]
        if isinstance(before, list) and isinstance(now, list):
            first = max(earlier - 1, 0) if name == "turn_subtypes" else earlier
            standing = before[:earlier] if len(before) == count else before[:first]
            written[f"{prefix}{name}"] = [*standing, *now[first:]]
    return written


def _as_written(value: object, before: object) -> object:
    """A value in the writing of an earlier one, as far as both say the same: fields keep their order."""
    if isinstance(value, dict) and isinstance(before, dict):
        known = {key: _as_written(value[key], part) for key, part in before.items() if key in value}
        return known | {key: part for key, part in value.items() if key not in known}
    if isinstance(value, list) and isinstance(before, list):
        same = [_as_written(*pair) for pair in zip(value, before, strict=False)]
        return [*same, *value[len(same) :]]
    return value
