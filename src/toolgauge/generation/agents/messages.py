"""What agents are sent: rules, tools, what was said so far as far as it is theirs to see, and last what is due now.

What stays the same stands first, so that endpoints answer from their caches: the rules are the same in all dialogues of
a language, the tools over a dialogue, and the conversation only grows. The time and what is due stand at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

import msgspec

from toolgauge.annotation.dialogue import CHECKERS, Entry, Speaker
from toolgauge.chat import Message, Tool
from toolgauge.generation.prompts import filled, prompt, texts
from toolgauge.generation.pseudo import NAMES
from toolgauge.generation.state import AgentRequest, AgentView

Shown = Callable[[Entry, str], str]
"""How an agent is shown an entry, in a language; "" for what it does not see."""


def requested(
    rules: str, view: AgentView, demand: str, shown: Shown, own: Collection[Speaker] = (), setting: str = ""
) -> tuple[Message, ...]:
    """The messages of a request. rules: the agent's task; demand: what is due now; own: as whom it spoke before;
    setting: what it is told before the conversation.

    What it said itself, and its rejected tries of the turn under way, are the assistant's, all else is the user's.
    Neighbours of one side are one message, so that endpoints which want the sides to alternate are content. Who opened
    the conversation is asked to, so that the first message behind the system's is a user's for everybody.
    """
    frame = texts("frame", view.language)
    messages = [Message("system", f"{rules}\n\n{frame['tools']}\n\n{tools_as_text(view.tools)}")]
    said = [(entry, text) for entry in view.entries if (text := shown(entry, view.language))]
    if setting or (said and said[0][0].speaker in own):
        _add(messages, "user", f"{prompt('switch_opening', view.language)}\n\n{setting}".rstrip())
    for entry, text in said:
        is_own = entry.speaker in own or not (entry.accepted or entry.speaker in CHECKERS)
        _add(messages, "assistant" if is_own else "user", text)
    _add(messages, "user", f"{frame['moment'].format(moment=view.clock)}\n\n{demand}")
    return tuple(messages)


def user_and_tools(language: str) -> str:
    """The rules for users and tools: one text for both, long enough that endpoints keep it in their caches."""
    names = {
        "first": "user_first_task",
        "later": "user_continue_question",
        "answer": "user_answer_ask",
        "vague": "user_vague_answer_ask",
    }
    rules = {part: prompt(name, language) for part, name in (names | {"tool": "tool"}).items()}
    return filled("user_and_tools", language, **rules)


def _add(messages: list[Message], role: str, text: str) -> None:
    if messages[-1].role == role:
        messages[-1] = Message(role, f"{messages[-1].content}\n\n{text}")
    else:
        messages.append(Message(role, text))


def words_said(entry: Entry, language: str) -> str:
    """What user and assistant say to each other."""
    is_said = entry.speaker in (Speaker.USER, Speaker.AGENT)
    return f"{texts('speakers', language)[entry.speaker]}{entry.text}" if is_said else ""


def calls_and_results(entry: Entry, language: str) -> str:
    """What was called and what came back; of tries that were rejected, all that was said."""
    name = texts("speakers", language)[entry.speaker]
    if entry.speaker in CHECKERS:
        said = " ".join(finding.text for finding in entry.findings)
        return texts("frame", language)["verdict"] + (said or entry.text)
    if not entry.accepted:
        return f"{name.strip()}\n{entry.text}"
    if entry.observations:
        return name + msgspec.json.encode(entry.observations).decode()
    actions = [one for one in entry.decision.actions if one.name not in NAMES] if entry.decision else []
    calls = [{"name": one.name, "arguments": one.arguments} for one in actions]
    return texts("frame", language)["calls"] + msgspec.json.encode(calls).decode() if calls else ""


def what_tools_see(entry: Entry, language: str) -> str:
    """Calls and results, and what the user said: results that fit it."""
    return words_said(entry, language) if entry.speaker is Speaker.USER else calls_and_results(entry, language)


def everything(entry: Entry, language: str) -> str:
    """What was said, called and found, with the planner's plans; its thoughts were for the moment."""
    seen = words_said(entry, language) or calls_and_results(entry, language)
    if seen and entry.decision is not None and entry.accepted:
        return f"{texts('speakers', language)[entry.speaker]}{entry.decision.plan}\n{seen}"
    return seen


def again_after(view: AgentView, checker: Speaker, name: str) -> str:
    """What is said to an agent whose last try a checker has just rejected: a text of frame.json."""
    return texts("frame", view.language)[name] if view.entries and view.entries[-1].speaker is checker else ""


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
