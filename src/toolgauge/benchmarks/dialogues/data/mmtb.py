"""MMTB's session record, one per line (docs/files.md#mmtbs-format)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from toolgauge.chat import Message
from toolgauge.data.nodes import read_calls, read_tools
from toolgauge.data.record import DataLine, must_be, session_of, shown
from toolgauge.data.schemas import Flavour, untidy_types
from toolgauge.data.session import Reference, Session, Task, TaskType
from toolgauge.data.sessions import (
    ForeignMessageError,
    language_prefix,
    make_task,
    no_task,
    parse_clock,
    read_reference,
    read_type,
    split_messages,
)

_ROLES = {
    "en": (":", frozenset({"ai", "ai agent", "user", "ai agent assistant"})),
    "zh": ("：", frozenset({"用户", "AI Agent助手", "AI Agent"})),
}
_TYPES = {
    "float": "number",
    "interger": "integer",
    "int": "integer",
    "complex_string": "string",
    "String": "string",
    "UUID": "string",
    "list of dictionaries": "object",
}
FLAVOUR = Flavour(partial(untidy_types, names=_TYPES), with_properties=True)
"""How MMTB's tools name types."""
_SIDE = ("tools", "task", "answer_list", "messages")
_BOTH = ("id", "type", "task_ids", "env_info", "turn_type", "turn_subtypes")
_KNOWN = frozenset({*_BOTH, *_SIDE, *(f"english_{name}" for name in _SIDE)})


def unneeded(language: str) -> frozenset[str]:
    """The fields that say nothing about this language."""
    return frozenset(_SIDE if language == "en" else (f"english_{name}" for name in _SIDE))


def has_language(value: Mapping[str, object], language: str) -> bool:
    """Does a record have this language at all?"""
    return language_prefix(language) + "task" in value


def read_session(record: DataLine, language: str) -> Session | None:
    """A session in one language; None only where problems are collected and there were some (see Record)."""
    value, prefix = record.value, language_prefix(language)
    name = record.attempt(session_of, record)
    tools = record.attempt(read_tools, record, f"{prefix}tools", FLAVOUR)
    utterances = record.attempt(record.texts, f"{prefix}task")
    tasks = _tasks(record, language, utterances) if utterances else None
    clocks = record.attempt(_clocks, record, len(utterances)) if utterances else None
    if utterances == []:
        record.attempt(no_task, record, f"{prefix}task")
    if name is None or tools is None or tasks is None or clocks is None:
        return None
    extra = {} if value.keys() <= _KNOWN else {key: part for key, part in value.items() if key not in _KNOWN}
    return Session(name, language, clocks, tools[0], tasks, tools[1], extra, record.line)


def _tasks(record: DataLine, language: str, utterances: list[str]) -> tuple[Task, ...] | None:
    key, count = f"{language_prefix(language)}answer_list", len(utterances)
    types = record.attempt(_types, record, count)
    true_turns = record.attempt(_true_turns, record, count)
    references = record.attempt(_references, record, true_turns) if true_turns is not None else None
    dialogues = record.attempt(_dialogues, record, language, count)
    openings = record.attempt(_openings, record, dialogues) if dialogues is not None else None
    answers = record.attempt(record.take, record.value, key, list)
    if answers is not None:
        record.attempt(record.same_length, answers, key, count)
    graphs = [record.attempt(read_calls, record, nodes, f"{key}[{index}]") for index, nodes in enumerate(answers or ())]
    if types is None or true_turns is None or references is None or dialogues is None or openings is None:
        return None
    env_info = record.value.get("env_info")
    clocks = env_info if type(env_info) is list and len(env_info) == count else [None] * count
    tasks = [
        make_task(
            Task(
                index,
                utterances[index],
                TaskType.CHAT,
                references[index],
                calls,
                dialogues[index],
                openings[index],
                true_turns[index],
                clocks[index],
            ),
            types[index],
        )
        for index, calls in enumerate(graphs[:count])
        if calls is not None
    ]
    return tuple(tasks) if len(tasks) == count else None


def _types(record: DataLine, count: int) -> list[TaskType | str]:
    names = record.texts("type")
    record.same_length(names, "type", count)
    kinds = [read_type(name) for name in names]
    if None in kinds:
        index = kinds.index(None)
        raise record.error(f"unknown task type {shown(names[index])} (expected 单, 多, 反 or 拒)", f"type[{index}]")
    return [kind for kind in kinds if kind is not None]


def _true_turns(record: DataLine, count: int) -> list[bool]:
    """Per task, whether it needs the context; no `turn_type` at all means that none does, as in the public analysis."""
    flags = record.value.get("turn_type") or []
    if type(flags) is not list:
        raise record.error(must_be(list, flags), "turn_type")
    if not flags:
        return [False] * count
    record.same_length(flags, "turn_type", count)
    known = {"真": True, "伪": False, True: True, False: False}
    for index, flag in enumerate(flags):
        if type(flag) not in (str, bool) or flag not in known:
            raise record.error("must be 真, 伪, true or false", f"turn_type[{index}]")
    return [known[flag] for flag in flags]


def _references(record: DataLine, true_turns: list[bool]) -> list[Reference]:
    """One reference per task. The list has an entry per task, per task after the first, or per true task only.

    Tasks that need no context, and the first, are `first_turn`; without any list a true task is `long_range`, as in the
    public analysis.
    """
    values = record.value.get("turn_subtypes") or []
    if type(values) is not list:
        raise record.error(must_be(list, values), "turn_subtypes")
    count, leaning = len(true_turns), [index for index, true in enumerate(true_turns) if true]
    positions = {len(leaning): leaning, count - 1: list(range(1, count)), count: list(range(count))}
    if values and len(values) not in positions:
        entries = "entry" if len(values) == 1 else "entries"
        raise record.error(
            f"has {len(values)} {entries}, expected {count}, one per task, or {len(leaning)}, one per true task",
            "turn_subtypes",
        )
    references = [Reference.LONG_RANGE if true and not values else Reference.FIRST_TURN for true in true_turns]
    for entry, index in enumerate(positions[len(values)] if values else ()):
        if true_turns[index]:
            references[index] = _reference(record, values[entry], entry)
    references[0] = Reference.FIRST_TURN
    return references


def _reference(record: DataLine, name: object, entry: int) -> Reference:
    reference = read_reference(name) if type(name) is str else None
    if reference is None:
        raise record.error(f"unknown kind of reference {shown(name)}", f"turn_subtypes[{entry}]")
    return reference


def _dialogues(record: DataLine, language: str, count: int) -> tuple[tuple[Message, ...], ...]:
    key = f"{language_prefix(language)}messages"
    try:
        dialogues = split_messages(record.take(record.value, key, list))
    except ForeignMessageError as error:
        raise record.error(error.text, f"{key}[{error.position}]") from error
    if len(dialogues) != count:
        raise record.error(
            (f"holds the messages of {len(dialogues)} task{'' if len(dialogues) == 1 else 's'}, expected {count}"),
            key,
        )
    return dialogues


def _openings(record: DataLine, dialogues: tuple[tuple[Message, ...], ...]) -> list[int]:
    """Where in its own messages each task is said."""
    openings = record.take(record.value, "task_ids", list)
    record.same_length(openings, "task_ids", len(dialogues))
    for index, (opening, dialogue) in enumerate(zip(openings, dialogues, strict=True)):
        if type(opening) is not int:
            raise record.error(must_be(int, opening), f"task_ids[{index}]")
        if not 0 <= opening < len(dialogue):
            raise record.error(
                f"the task has no message {opening} (it has {len(dialogue)})",
                f"task_ids[{index}]",
            )
    return openings


def _clocks(record: DataLine, count: int) -> str:
    """The clock of the session (the first task's, where every task has its own)."""
    env_info = record.value.get("env_info")
    if type(env_info) is list:
        entries = record.texts("env_info")
        record.same_length(entries, "env_info", count)
        return entries[0]
    return record.take(record.value, "env_info", str)


def broken_dialogue(session: Session, key: str) -> Iterator[tuple[str, str]]:
    """MMTB: the stored messages take turns, user first, and each task is said where `task_ids` points."""
    for task in session.tasks:
        if parse_clock(task.clock or session.clock) is None:
            yield (
                f"env_info[{task.index}]" if task.clock else "env_info",
                "must contain a date like 2024-07-10 09:30:00",
            )
        place = f"{key} (task {task.index})"
        said = task.dialogue[task.opening].content or ""
        if strip_role(task.utterance, session.language).strip() not in said:
            yield f"task_ids[{task.index}]", f"message {task.opening} of the task does not contain its text"
        roles = [message.role for message in task.dialogue]
        if roles != [("user", "assistant")[position % 2] for position in range(len(roles))]:
            yield place, "user and assistant must alternate, starting with the user"
        elif len(roles) % 2 and task.index < len(session.tasks) - 1:
            yield place, "ends with the user, who would speak twice in a row"


def strip_role(text: str, language: str) -> str:
    """The text without a role prefix such as `User:` or `用户：`; a blank after the colon stays."""
    colon, roles = _ROLES[language]
    role, found, rest = text.partition(colon)
    if not found:
        return text
    # The Chinese prefixes are compared as they are written, the English ones in any case.
    return rest if (role.lower() if language == "en" else role) in roles else text
