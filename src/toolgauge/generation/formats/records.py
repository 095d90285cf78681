"""The lines that a dialogue has in the files: the papers' three formats, and training data.

Raw has everything that was said, in one list, with role switches and rejected tries. A speaker is told by the prefix of
a message; before everybody but the user who opens stands a message that switches the role; a checker speaks only to
reject, and what it rejects stands before its verdict. Simplified leaves out switches, checkers and what these rejected.
Captures are the requests and replies of single agents.

Training data are the calls, results and words as they came, without plans and checkers. The time stands in a system
message, in the words in which benchmarks say it: a model is trained as it will be asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from msgspec import Struct

from toolgauge.chat import Json, Message, ToolCall
from toolgauge.data.lines import as_json
from toolgauge.episode import Trajectory, requested
from toolgauge.generation.dialogue import Dialogue, Entry, Speaker, actions_of
from toolgauge.generation.episode import Attempt
from toolgauge.generation.prompts import text, texts
from toolgauge.generation.pseudo import pseudo_tools
from toolgauge.report.exports.training import TrainingConversation

FIRST_USERS = ("user_single_tool", "user_multi_tool", "user_multi_tool_parallel", "user_multi_tool_serial_parallel",
               "user_ask", "user_chat")  # fmt: skip
"""Users who open the dialogue: their captures have no `env_info`, as the papers' have none."""
_REPEATED = ("planner", "tool")
"""Agents whose tries may be rejected."""


class RawMessage(Struct, frozen=True):
    role: str
    content: str


class RawRecord(Struct, frozen=True):
    """A dialogue as one line of raw.jsonl, or of simplified.jsonl. env_info: its clock."""

    id: str
    tools: tuple[Json, ...]
    env_info: str
    messages: tuple[RawMessage, ...]


def raw_record(dialogue: Dialogue) -> RawRecord:
    """The whole dialogue."""
    words = texts(dialogue.language)
    messages = []
    for number, entry in enumerate(dialogue.entries):
        if number:
            messages.append(RawMessage("user", words[f"switch_{entry.speaker}"]))
        messages.append(_message(entry, number == 0, dialogue.language))
    return RawRecord(dialogue.id, _tools(dialogue), env_info(dialogue), tuple(messages))


def simplified_record(dialogue: Dialogue) -> RawRecord:
    """What stood, without switches and checkers."""
    messages = tuple(_message(entry, not number, dialogue.language) for number, entry in enumerate(dialogue.kept))
    return RawRecord(dialogue.id, _tools(dialogue), env_info(dialogue), messages)


def _message(entry: Entry, opens: bool, language: str) -> RawMessage:
    """Tools are the user's side of the list, and so is the user who opens it; everybody else is the model's."""
    role = "user" if opens or entry.speaker is Speaker.TOOL else "assistant"
    return RawMessage(role, f"{texts(language)[f'speaker_{entry.speaker}']}{entry.text}")


def _tools(dialogue: Dialogue) -> tuple[Json, ...]:
    return tuple(tool.wire() for tool in (*dialogue.tools, *pseudo_tools(dialogue.language)))


def env_info(dialogue: Dialogue) -> str:
    """The clock of a dialogue behind its label."""
    return texts(dialogue.language)["switch_moment"] + dialogue.clock


def captures(trajectory: Trajectory, attempt: Attempt) -> Iterator[Json]:
    """The lines of one dialogue in captures.jsonl: what each agent was told and replied, in the order of the requests.

    Of planner and tools what was accepted; nothing that was asked again or thrown away by a repair.
    """
    dialogue = attempt.dialogue
    gone = {number for one in attempt.repairs for number in range(one.first, one.end)}
    stood = {role: _accepted(dialogue, role) for role in _REPEATED}
    lines: list[tuple[str, tuple[Message, ...], Json]] = []
    for number, (step, messages) in enumerate(requested(trajectory.steps[: attempt.end])):
        if number < attempt.first or number in gone:
            continue
        if step.agent in _REPEATED and not next(stood[step.agent], False):
            continue
        pseudo = pseudo_tools(dialogue.language) if step.role == "planner" else ()
        line = {
            "id": dialogue.id,
            "task": step.agent,
            "tools": [tool.wire() for tool in (*dialogue.tools, *pseudo)],
            "env_info": None if step.agent in FIRST_USERS else env_info(dialogue),
            "messages": [message.wire() for message in messages],
            "answer": step.reply.content or "",
        }
        if lines and _is_again(lines[-1], step.agent, messages):
            lines.pop()
        lines.append((step.agent, messages, line))
    yield from (line for _agent, _messages, line in lines)


def _accepted(dialogue: Dialogue, role: str) -> Iterator[bool]:
    """Of each try of the planner or the tools that was made here, whether it stood."""
    made = [entry for entry in dialogue.entries if entry.speaker == role and entry.task >= dialogue.earlier]
    return iter([entry.accepted for entry in made])


def _is_again(before: tuple[str, tuple[Message, ...], Json], agent: str, messages: tuple[Message, ...]) -> bool:
    """Is this the same request once more, with the reason at its end?"""
    if before[0] != agent or before[1][:-1] != messages[:-1]:
        return False
    return (messages[-1].content or "").startswith(before[1][-1].content or "")


def conversation_of(dialogue: Dialogue) -> TrainingConversation:
    """What user, assistant and tools said to each other."""
    system = text("current_date", dialogue.language, clock=dialogue.clock)
    return TrainingConversation((Message("system", system), *_messages(dialogue)), dialogue.tools)


def _messages(dialogue: Dialogue) -> Iterator[Message]:
    made: list[ToolCall] = []
    count = 0
    for entry in dialogue.kept:
        if entry.speaker is Speaker.USER:
            yield Message("user", entry.text)
        elif entry.speaker is Speaker.AGENT:
            yield Message("assistant", entry.text)
        elif entry.speaker is Speaker.PLANNER:
            actions = [action for action in actions_of(entry) if action.is_tool]
            made = [
                ToolCall(f"call_{count + number}", action.name, json.dumps(action.arguments, ensure_ascii=False))
                for number, action in enumerate(actions, 1)
            ]
            count += len(made)
            if made:
                yield Message("assistant", None, tuple(made))
        else:
            for call, observation in zip(made, entry.observations, strict=False):
                yield Message("tool", as_json(observation.response), tool_call_id=call.id)
