"""A question asks for what was not known: the user had not given it in the task before."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.annotation.grounding.dates import days_in
from toolgauge.annotation.grounding.numbers import quantities_in
from toolgauge.annotation.grounding.points import DatePoint, point_of
from toolgauge.annotation.grounding.times import minutes_in
from toolgauge.annotation.grounding.values import is_short, leaves, quote_of
from toolgauge.data.record import shown
from toolgauge.data.session import ASK, Call, Session, Task
from toolgauge.data.sessions import parse_clock
from toolgauge.data.toolnames import name_words
from toolgauge.generation.filters.filter import against, made_here
from toolgauge.generation.pseudo import asked_for

_ANYWHERE = frozenset({"something", "anything", "everything", "someone", "anyone", "somewhere", "anywhere", "today"})


def needless_questions(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Parameters asked for although the value used afterwards stood in the user's words of this task before.

    Tolerated, for reviewers: values that stood in earlier tasks only, where it may be doubtful what is meant, and
    questions after which the tool is not called, where nothing can be compared.
    """
    for task in made_here(session, dialogue):
        for call in task.calls:
            if call.name == ASK:
                for tool, names in asked_for(call.arguments):
                    yield from _of_tool(session, task, call, tool, names)


def _of_tool(session: Session, task: Task, question: Call, tool: str, names: list[str]) -> Iterator[dict[str, object]]:
    used = next((call for call in task.calls[question.index :] if call.name == tool), None)
    if used is None:
        yield against(task, question, path=tool, note="not called afterwards", tolerated=True)
        return
    now = [task.utterance, *_replies(task, question.index)]
    before = [text for one in session.tasks[: task.index] for text in (one.utterance, *_replies(one, len(one.calls)))]
    clock = parse_clock(task.clock or session.clock)
    for name in names:
        for path, value in leaves(used.arguments.get(name), name):
            place = {"path": path, "value": shown(value)}
            if quote := _said(value, now) or _said_otherwise(value, name, now, clock):
                yield against(task, question, quote=quote, **place)
            elif quote := _said(value, before):
                yield against(task, question, quote=quote, **place, tolerated=True)


def _replies(task: Task, end: int) -> list[str]:
    return [call.user_input or "" for call in task.calls[:end] if call.name == ASK]


def _said(value: object, texts: list[str]) -> str | None:
    """Where a value stands word for word; short numbers, two letters and "something" stand anywhere by chance."""
    text = str(value)
    is_code = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    if isinstance(value, bool | None) or text.casefold() in _ANYWHERE or (is_short(text) and not is_code):
        return None
    return next((quote for said in texts if (quote := quote_of(text, said))), None)


def _said_otherwise(value: object, name: str, texts: list[str], clock: datetime | None) -> str | None:
    """Where a date, a time that means one hour, or a number of just these things is said in another writing."""
    point = point_of(value)
    for text in texts:
        if point is not None and (quote := _said_when(point, text, clock)):
            return quote
        if isinstance(value, int | float) and not isinstance(value, bool) and (quote := _counted(value, name, text)):
            return quote
    return None


def _said_when(point: DatePoint, text: str, clock: datetime | None) -> str | None:
    if point.minutes is None:
        if clock is None:
            return None
        return next((means.quote for means in days_in(text, clock) if means.day == point.date), None)
    times = list(minutes_in(text))
    readings = {quote: {minutes for minutes, other in times if other == quote} for _, quote in times}
    return next((quote for quote, meant in readings.items() if point.date is None and meant == {point.minutes}), None)


_COUNTED = {
    "day": r"days?|天|日",
    "night": r"nights?|晚",
    "week": r"weeks?|个?星期|周",
    "month": r"months?|个?月",
    "hour": r"hours?|个?小时",
    "minute": r"min(?:ute)?s?|分钟",
    "star": r"stars?|颗?星",
    "ticket": r"tickets?|张",
    "seat": r"seats?|个?座",
    "room": r"rooms?|间",
} | dict.fromkeys(
    ("people", "person", "guest", "party", "passenger", "adult", "participant"),
    r"of us|people|persons?|guests?|passengers?|adults?|participants?|[个位名口]?人|[个位](?![\u4e00-\u9fff])",
)
"""What stands behind a number of the things that a parameter is named after."""


def _counted(value: float, name: str, text: str) -> str | None:
    """Where a text counts the very things of which a parameter wants the number ("four of us": party_size 4)."""
    things = "|".join(_COUNTED[word] for word in name_words(name) if word in _COUNTED)
    if not things:
        return None
    folded = unicodedata.normalize("NFKC", text).casefold()
    for number, quote in quantities_in(folded):
        if number == value and (found := re.search(rf"{re.escape(quote)}\W?(?:{things})", folded)):
            return found[0]
    return None
