"""The stored plain dialogue of a session, and the small conventions of its texts: task ends, role prefixes, clocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from toolgauge.chat import Message

_TASK_END = "====="
_ROLES = {
    "en": (":", frozenset({"ai", "ai agent", "user", "ai agent assistant"})),
    "zh": ("：", frozenset({"用户", "AI Agent助手", "AI Agent"})),
}
_CLOCK = re.compile(r"(\d{4})[-/年](\d{1,2})[-/月](\d{1,2})日?(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")


class ForeignMessageError(ValueError):
    """An element of a dialogue is neither a message nor the end of a task. position: from 0; text: what is wrong."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.text = f"must be a message with role and content, or a string with {_TASK_END}"
        super().__init__(f"[{position}] {self.text}")


def split_messages(messages: Iterable[object]) -> tuple[tuple[Message, ...], ...]:
    """The messages of each task: a text element that contains `=====` closes a task.

    As in the public code, what follows the last such element is one more task unless it is empty
    (docs/data-format.md#mmtbs-format). Elements
    that are neither such a text nor a message with role and text are a ValueError that says which.
    """
    tasks: list[tuple[Message, ...]] = []
    current: list[Message] = []
    for position, element in enumerate(messages):
        if isinstance(element, str) and _TASK_END in element:
            tasks.append(tuple(current))
            current = []
        elif isinstance(element, Mapping) and isinstance(element.get("role"), str) and _text(element.get("content")):
            current.append(Message(element["role"], element.get("content")))
        else:
            raise ForeignMessageError(position)
    if current:
        tasks.append(tuple(current))
    return tuple(tasks)


def strip_role(text: str, language: str) -> str:
    """The text without a role prefix such as `User:` or `用户：`; a blank after the colon stays."""
    colon, roles = _ROLES[language]
    role, found, rest = text.partition(colon)
    if not found:
        return text
    # The Chinese prefixes are compared as they are written, the English ones in any case.
    return rest if (role.lower() if language == "en" else role) in roles else text


def parse_clock(env_info: str | list[str], index: int = 0) -> datetime | None:
    """The date and time that holds at a task, from `env_info` as the data files write it; None where it has no date.

    A list has an entry per task. Prefixes (`当前时间：`, `环境：`) and the weekday do not matter: an entry without a
    weekday counts like any other (the public code drops it and with it a task: M5 of docs/rules.md#defect-by-defect).
    """
    text = env_info if isinstance(env_info, str) else env_info[index]
    found = _CLOCK.search(text)
    if not found:
        return None
    try:
        return datetime(*(int(part or 0) for part in found.groups()))  # type: ignore[arg-type]
    except ValueError:
        return None


def _text(content: object) -> bool:
    return content is None or isinstance(content, str)
