"""When a conversation takes place: what its system message says, else its own time, as the data formats write it."""

from __future__ import annotations

import datetime
import re

from toolgauge.annotation.grounding.dates import days_in
from toolgauge.conversations.conversation import Conversation
from toolgauge.languages import date_and_weekday

_NEAR, _LONGEST = 80, 20_000
"""Characters behind a word for today in which its date stands; of a system message that are searched."""
_NOW = re.compile(
    r"\b(?:today|current(?:ly)?|now|as of|date|time|timestamp|clock)\b|今天|今日|现在|当前|目前|日期|时间",
    re.IGNORECASE,
)
_ISO = re.compile(r"(\d{4})[-/.年]\s?(\d{1,2})[-/.月]\s?(\d{1,2})")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_TIME = re.compile(r"(?<!\d)(\d{1,2})[:：点](\d{2})(?:[:：](\d{2}))?\s?(am|pm)?", re.IGNORECASE)
_SOME_DAY = datetime.datetime(2024, 1, 1)
"""What relative dates would be counted from; they are not looked for."""


def clock_of(conversation: Conversation, language: str) -> str | None:
    """Date, time and weekday ("2025-03-14 18:05:00 Friday"); None where nobody says."""
    for message in conversation.messages:
        if message.role == "system" and (found := _in_text((message.content or "")[:_LONGEST])):
            return date_and_weekday(found, language)
    try:
        told = datetime.datetime.fromisoformat(conversation.time) if conversation.time else None
    except ValueError:
        return None
    return date_and_weekday(told.replace(tzinfo=None), language) if told else None


def _in_text(text: str) -> datetime.datetime | None:
    """The first date that stands behind a word for today, with the time beside it."""
    for found in _NOW.finditer(text):
        near = text[found.end() : found.end() + _NEAR]
        if (day := _day(near)) is not None:
            return datetime.datetime.combine(day, _time(near))
    return None


def _day(near: str) -> datetime.date | None:
    if written := _ISO.search(near):
        try:
            return datetime.date(*map(int, written.groups()))
        except ValueError:
            return None
    if not _YEAR.search(near):
        return None
    named = (one for one in days_in(near, _SOME_DAY) if one.written and _YEAR.search(one.quote))
    return next((one.day for one in named), None)


def _time(near: str) -> datetime.time:
    found = _TIME.search(near)
    if found is None:
        return datetime.time()
    hour, minute, second = int(found[1]), int(found[2]), int(found[3] or 0)
    if found[4] and hour <= 12:
        hour = hour % 12 + (12 if found[4].casefold() == "pm" else 0)
    try:
        return datetime.time(hour, minute, second)
    except ValueError:
        return datetime.time()
