"""Dialogues as records of WildToolBench's layout, in one language (docs/data-format.md): made to be run and checked."""

from __future__ import annotations

from toolgauge.annotation.dialogue import Dialogue, Speaker
from toolgauge.chat import Json
from toolgauge.data.annotation_fields import written_annotations
from toolgauge.data.session import Call, Reference, Session, TaskType

TYPE_NAMES = {
    TaskType.SINGLE_TOOL: ("Single-Tool", "单工具"),
    TaskType.PARALLEL_TOOLS: ("Parallel Multi-Tool", "并行多工具"),
    TaskType.SEQUENTIAL_TOOLS: ("Sequential Multi-Tool", "串行多工具"),
    TaskType.MIXED_TOOLS: ("Mixed Multi-Tool", "混合多工具"),
    TaskType.CLARIFY: ("Clarify", "澄清"),
    TaskType.CHAT: ("Chat", "闲聊"),
}
REFERENCE_NAMES = {
    Reference.FIRST_TURN: ("First Turn", "首轮"),
    Reference.COREFERENCE: ("Coreferential Reference", "指代理解"),
    Reference.PARTIAL_INFORMATION: ("Partial Information", "省略成分"),
    Reference.LONG_RANGE: ("Long-Range Dependency", "长期记忆"),
}
TASK_END = "====="
"""What stands between the messages of two tasks."""


def session_record(session: Session, dialogue: Dialogue | None = None) -> Json:
    """The record of a session. dialogue: what it was made from; its messages are the record's `messages`.

    Fields of the English side begin with `english_`, those of the Chinese side have no prefix. Besides the format's own
    fields there is what a reviewer needs: sources of arguments, evidence for dependencies, the session's origin.
    """
    side = 0 if session.language == "en" else 1
    prefix = "" if side else "english_"
    fields: dict[str, object] = {
        "env_info": session.clock,
        "tools": list(session.original_tools) or [tool.wire() for tool in session.tools],
        "tasks": [task.utterance for task in session.tasks],
        "answer_list": [[_node(call) for call in task.calls] for task in session.tasks],
        "task_types": [TYPE_NAMES[task.type][side] for task in session.tasks],
        "turn_subtypes": [REFERENCE_NAMES[task.reference][side] for task in session.tasks[1:]],
    }
    messages = _messages(session, dialogue)
    if messages:
        fields["messages"] = messages
    return {"id": session.id, **{f"{prefix}{name}": value for name, value in fields.items()}, **session.extra}


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


def _node(call: Call) -> dict[str, object]:
    node: dict[str, object] = {
        "idx": call.index,
        "action": {"name": call.name, "arguments": call.arguments},
        "dependency_list": list(call.after),
        "observation": call.observation,
    }
    if call.user_input is not None:
        node["user_input"] = call.user_input
    if call.sources:
        node["argument_sources"] = call.sources
    node |= written_annotations(call)
    return node | {key: value for key, value in call.extra.items() if key not in node}


def _messages(session: Session, dialogue: Dialogue | None) -> list[object]:
    """What user and assistant say to each other, task by task; nothing where that is not known of every task."""
    spoken: list[list[dict[str, object]]]
    if dialogue is not None:
        spoken = [
            [
                {"role": "user" if entry.speaker is Speaker.USER else "assistant", "content": entry.text}
                for entry in dialogue.kept
                if entry.task == index and entry.speaker in (Speaker.USER, Speaker.AGENT)
            ]
            for index in range(len(session.tasks))
        ]
    else:
        spoken = [[{"role": one.role, "content": one.content} for one in task.dialogue] for task in session.tasks]
    if not all(spoken):
        return []
    plain: list[object] = list(spoken[0])
    for task in spoken[1:]:
        plain += [TASK_END, *task]
    return plain
