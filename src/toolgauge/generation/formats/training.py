"""A dialogue as training data: the calls, results and words as they came, without plans and checkers.

The time stands in a system message, in the words in which benchmarks say it: a model is trained as it will be asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolgauge.chat import Message, ToolCall
from toolgauge.data.lines import as_json
from toolgauge.generation.dialogue import Dialogue, Entry, Speaker, actions_of
from toolgauge.generation.prompts import text
from toolgauge.report.exports.training import TrainingConversation


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
            made = _calls(entry, count)
            count += len(made)
            if made:
                yield Message("assistant", None, tuple(made))
        else:
            for call, observation in zip(made, entry.observations, strict=False):
                yield Message("tool", as_json(observation.response), tool_call_id=call.id)


def _calls(entry: Entry, before: int) -> list[ToolCall]:
    actions = [one for one in actions_of(entry) if one.is_tool]
    return [
        ToolCall(f"call_{before + number}", one.name, json.dumps(one.arguments, ensure_ascii=False))
        for number, one in enumerate(actions, 1)
    ]
