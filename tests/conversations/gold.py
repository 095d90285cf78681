"""Dialogues as they should have gone, as recorded conversations: in these nothing is to be found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from toolgauge.benchmarks.acebench.data.entries import AceEntry, called_name
from toolgauge.benchmarks.acebench.data.load import load_acebench
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.dialogues.history import gold_task, system_message
from toolgauge.chat import Message, Tool, ToolCall
from toolgauge.conversations.conversation import Conversation

_SPEAKER = re.compile(r"(?m)^(?=(?:user|system)\s*[:：])")


def sessions(file: Path, language: str) -> Iterator[Conversation]:
    """The annotated sessions of a file, whole."""
    for session in load_dataset(file, None, language).sessions:
        said = [system_message("wildtoolbench", session, session.tasks[0])]
        for task in session.tasks:
            said += gold_task(session, task)
        yield Conversation(session.id, tuple(said), session.tools)


def embedded(language: str) -> list[Conversation]:
    return list(sessions(MINI_FILE, language))


def acebench(folder: Path, language: str) -> Iterator[Conversation]:
    """The dialogues of the normal categories up to the annotated calls; what came back for these is not recorded."""
    for entry in load_acebench(folder, language).entries:
        if entry.id.startswith("normal"):
            yield _entry(entry)


def _entry(entry: AceEntry) -> Conversation:
    names = {function.name for function in entry.functions}
    about = f"{entry.time}\n{entry.profile}".strip()
    said = [Message("system", about)] if about else []
    for part in filter(str.strip, _SPEAKER.split(entry.question)):
        who, text = re.split("[:：]", part, maxsplit=1)
        said.append(Message("user" if who.strip() == "user" else "assistant", text.strip()))
    calls = tuple(
        ToolCall(f"call_{number}", called_name(key, names), json.dumps(arguments, ensure_ascii=False))
        for number, (key, arguments) in enumerate(entry.answers[0].items())
    )
    tools = tuple(Tool(one.name, one.description, one.parameters) for one in entry.functions)
    return Conversation(entry.id, (*said, Message("assistant", None, calls)), tools)
