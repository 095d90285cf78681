"""The shared list as the messages of a request: what the agent itself said is the assistant's, all else the user's.

Neighbours of one side are one message, so that endpoints which want the sides to alternate are content, and a request
begins like the one before it, which endpoints answer from their caches.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from toolgauge.annotation.dialogue import Entry, Speaker
from toolgauge.chat import Message, Tool
from toolgauge.generation.prompts import prompt, texts
from toolgauge.generation.state import AgentRequest, AgentView


def requested(system: str, view: AgentView, own: Iterable[Speaker], demand: str) -> tuple[Message, ...]:
    """The messages of a request. system: the agent's task; own: as whom it spoke before; demand: what is due now.

    Who opened the conversation is asked to, so that the first message behind the system's is a user's for everybody.
    """
    mine, names = frozenset(own), texts("speakers", view.language)
    messages = [Message("system", system)]
    if view.entries and view.entries[0].speaker in mine:
        messages.append(Message("user", prompt("switch_opening", view.language)))
    for entry in view.entries:
        role = "assistant" if entry.speaker in mine else "user"
        text = f"{names[entry.speaker]}{entry.text}"
        if messages[-1].role == role:
            messages[-1] = Message(role, f"{messages[-1].content}\n\n{text}")
        else:
            messages.append(Message(role, text))
    if messages[-1].role == "user":
        messages[-1] = Message("user", f"{messages[-1].content}\n\n{demand}")
    else:
        messages.append(Message("user", demand))
    return tuple(messages)


def asked_again(ask: AgentRequest, why: str, language: str) -> AgentRequest:
    """The same request with the reason for which the last reply to it was refused, at its end. The reply itself is not
    shown: what it did wrong would be copied."""
    *before, last = ask.messages
    again = texts("unreadable", language)["again"].format(why=why)
    demand = msgspec.structs.replace(last, content=f"{last.content}\n\n{again}")
    return msgspec.structs.replace(ask, messages=(*before, demand), objection=why)


def tools_as_text(tools: Iterable[Tool]) -> str:
    """Tool definitions as a prompt shows them: one JSON object a line."""
    return "\n".join(msgspec.json.encode(tool.wire()["function"]).decode() for tool in tools)


def last_of(entries: Iterable[Entry], speaker: Speaker) -> Entry | None:
    """What somebody said last."""
    return next((entry for entry in reversed(tuple(entries)) if entry.speaker is speaker), None)
