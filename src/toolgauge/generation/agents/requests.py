"""What agents are sent: rules, tools, what was said so far as far as it is theirs to see, and last what is due now.

What stays the same stands first, so that endpoints answer from their caches: the rules are the same in all dialogues of
a language, tools and time over a dialogue, and the conversation only grows. What is due stands at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec

from toolgauge.chat import Message, Tool
from toolgauge.generation.dialogue import CHECKERS, Entry, Speaker, actions_of
from toolgauge.generation.prompts import filled, prompt, text, texts
from toolgauge.generation.state import DialogueState

Shown = Callable[[Entry, str], str]
"""How an agent is shown an entry, in a language; "" for what it does not see."""


def render_request(
    rules: str,
    state: DialogueState,
    demand: str,
    shown: Shown,
    own: Collection[Speaker] = (),
    setting: str = "",
    tools: Sequence[Tool] | None = None,
) -> tuple[Message, ...]:
    """The messages of a request. rules: the name of the agent's; demand: what is due now; own: as whom it spoke before;
    setting: what it is told before the conversation; tools: the ones that are shown, if not all.

    What it said itself, and its rejected tries of the turn under way, are the assistant's, all else is the user's;
    neighbours of one side are one message, so that endpoints which want the sides to alternate are content.
    """
    language = state.language
    shown_tools = state.tools if tools is None else tools
    defined = f"\n\n{texts(language)['tools']}\n\n{render_tools(shown_tools)}" if shown_tools else ""
    messages = [
        Message("system", f"{rules_of(rules, language)}{defined}\n\n{text('moment', language, clock=state.clock)}")
    ]
    said = [(entry, words) for entry in state.seen if (words := shown(entry, language))]
    if setting or (said and said[0][0].speaker in own):
        _add(messages, "user", f"{texts(language)['user_opens']}\n\n{setting}".rstrip())
    for entry, words in said:
        is_own = entry.speaker in own or not (entry.accepted or entry.speaker in CHECKERS)
        _add(messages, "assistant" if is_own else "user", words)
    again = "\n\n" + text("made_again", language, why=state.why) if state.why else ""
    _add(messages, "user", demand + again)
    return tuple(messages)


def rules_of(name: str, language: str) -> str:
    """The rules of a role, by the name of their prompt: "users_and_tools" for both, "planner" for its checker too."""
    return filled(name, language, words=prompt("words", language))


def render_tools(tools: Iterable[Tool]) -> str:
    """Tool definitions, one JSON object a line."""
    return "\n".join(compact(tool.wire()["function"]) for tool in tools)


def compact(value: object) -> str:
    """JSON in one line."""
    return msgspec.json.encode(value).decode()


def words_said(entry: Entry, language: str) -> str:
    """What user and assistant say to each other."""
    is_said = entry.speaker in (Speaker.USER, Speaker.AGENT)
    return f"{texts(language)[f'speaker_{entry.speaker}']}{entry.text}" if is_said else ""


def calls_and_results(entry: Entry, language: str) -> str:
    """What was called and what came back; of tries that were rejected, all that was said."""
    words = texts(language)
    name = words[f"speaker_{entry.speaker}"]
    if entry.speaker in CHECKERS:
        return words["verdict"] + " ".join(finding.text for finding in entry.findings)
    if not entry.accepted:
        return f"{name.strip()}\n{entry.text}"
    if entry.observations:
        return name + "\n".join(f"{one.status_code} {compact(one.response)}" for one in entry.observations)
    calls = [f"{one.id}: {one.name}({compact(one.arguments)})" for one in actions_of(entry) if one.is_tool]
    return words["calls"] + "\n".join(calls) if calls else ""


def what_tools_see(entry: Entry, language: str) -> str:
    """Calls and results, and what the user said: results that fit it."""
    return words_said(entry, language) if entry.speaker is Speaker.USER else calls_and_results(entry, language)


def what_was_done(entry: Entry, language: str) -> str:
    """What was said, called and found, with the needs that the planner states."""
    seen = words_said(entry, language) or calls_and_results(entry, language)
    needs = [
        text("needs", language, id=action.id, needs=", ".join(f"{need.id} ({need.why})" for need in action.needs))
        for action in actions_of(entry)
        if action.needs
    ]
    return "\n".join([seen, *needs])


def everything(entry: Entry, language: str) -> str:
    """What was said, called and found, with the planner's plans; its thoughts were for the moment."""
    seen = words_said(entry, language) or calls_and_results(entry, language)
    if seen and entry.decision is not None and entry.accepted:
        return f"{texts(language)[f'speaker_{entry.speaker}']}{entry.decision.plan}\n{seen}"
    return seen


def _add(messages: list[Message], role: str, words: str) -> None:
    if messages[-1].role == role:
        messages[-1] = Message(role, f"{messages[-1].content}\n\n{words}")
    else:
        messages.append(Message(role, words))
