"""WildToolBench's session record, one per line (docs/data-format.md#wildtoolbenchs-format)."""

from __future__ import annotations

from msgspec.structs import replace

from toolgauge.benchmarks.dialogues.data.names import read_reference, read_type
from toolgauge.chat import Message
from toolgauge.data.dialogue import split_messages
from toolgauge.data.nodes import read_calls, read_tools
from toolgauge.data.record import DataLine, shown
from toolgauge.data.session import Reference, Session, Task, TaskType

_SIDE = ("env_info", "tools", "tasks", "answer_list", "task_types", "turn_subtypes", "messages")
_KNOWN = frozenset({"id", *_SIDE, *(f"english_{name}" for name in _SIDE)})


def unneeded(language: str) -> frozenset[str]:
    """The fields that say nothing about this language (types and references are fallen back to)."""
    if language == "en":
        return frozenset(_SIDE)
    return frozenset(f"english_{name}" for name in _SIDE if name not in ("task_types", "turn_subtypes"))


def has_language(value: dict[str, object], language: str) -> bool:
    """Does a record have this language at all?"""
    return language_prefix(language) + "tasks" in value


def read_session(record: DataLine, language: str) -> Session | None:
    """A session in one language; None only where problems are collected and there were some (see Record).

    Names of types and references that are missing or unknown on the Chinese side are taken from the English one.
    """
    value, prefix = record.value, language_prefix(language)
    session_id = record.attempt(record.take, value, "id", str)
    clock = record.attempt(record.take, value, f"{prefix}env_info", str)
    tools = record.attempt(read_tools, record, f"{prefix}tools", "wildtoolbench")
    utterances = record.attempt(record.texts, f"{prefix}tasks")
    tasks = _tasks(record, language, utterances) if utterances is not None else None
    if session_id is None or clock is None or tools is None or tasks is None:
        return None
    extra = {} if value.keys() <= _KNOWN else {key: part for key, part in value.items() if key not in _KNOWN}
    return Session(session_id, language, clock, tools[0], tasks, tools[1], extra, record.line)


def _tasks(record: DataLine, language: str, utterances: list[str]) -> tuple[Task, ...] | None:
    key, count = f"{language_prefix(language)}answer_list", len(utterances)
    if not count:
        record.attempt(no_task, record, f"{language_prefix(language)}tasks")
        return None
    types = record.attempt(_types, record, language, count)
    references = record.attempt(_references, record, language, count)
    answers = record.attempt(record.take, record.value, key, list)
    if answers is not None:
        record.attempt(record.same_length, answers, key, count)
    graphs = [
        record.attempt(read_calls, record, nodes, f"{key}[{index}]", annotated=True)
        for index, nodes in enumerate(answers or ())
    ]
    if types is None or references is None or len(graphs) != count:
        return None
    dialogues = _dialogues(record, language, count)
    tasks = [
        make_task(
            Task(index, utterances[index], TaskType.CHAT, references[index], calls, dialogues[index]), types[index]
        )
        for index, calls in enumerate(graphs)
        if calls is not None
    ]
    return tuple(tasks) if len(tasks) == count else None


def make_task(task: Task, kind: TaskType | str) -> Task:
    """The task with its type; where the file only says "several tools", the shape of the graph says which."""
    if isinstance(kind, TaskType):
        return replace(task, type=kind)
    return replace(task, type=task.shape or TaskType.PARALLEL_TOOLS)


def no_task(record: DataLine, key: str) -> None:
    """Raise DataError: the list of tasks is empty."""
    raise record.error("is empty; a session needs at least one task", key)


def _types(record: DataLine, language: str, count: int) -> list[TaskType | str]:
    key, names, english = _names(record, language, "task_types")
    record.same_length(names, key, count)
    kinds: list[TaskType | str] = []
    for index, name in enumerate(names):
        kind = read_type(name) or (read_type(english[index]) if index < len(english) else None)
        if kind is None:
            raise record.error(f"unknown task type {shown(name)}", f"{key}[{index}]")
        kinds.append(kind)
    return kinds


def _references(record: DataLine, language: str, count: int) -> list[Reference]:
    """The first task's is always `first_turn`; the list holds those of the later tasks, at times the first's too."""
    key, names, english = _names(record, language, "turn_subtypes")
    if len(names) == count:
        names, english = names[1:], english[1:]
    record.same_length(names, key, count - 1, "task after the first")
    references = [Reference.FIRST_TURN]
    for index, name in enumerate(names):
        reference = read_reference(name) or (read_reference(english[index]) if index < len(english) else None)
        if reference is None:
            raise record.error(f"unknown kind of reference {shown(name)}", f"{key}[{index}]")
        references.append(reference)
    return references


def _names(record: DataLine, language: str, field: str) -> tuple[str, list[str], list[str]]:
    """The key and the names of a field in the language, and the English names to fall back to."""
    key, english_key = language_prefix(language) + field, f"english_{field}"
    if language == "en":
        return key, record.texts(key), []
    english = record.texts(english_key) if english_key in record.value else []
    if key not in record.value and english:
        return english_key, english, []
    return key, record.texts(key), english


def _dialogues(record: DataLine, language: str, count: int) -> list[tuple[Message, ...]]:
    """The stored plain messages per task; nothing where they are absent or laid out in another way.

    The public evaluator never reads them and their layout is not documented, so they are no reason to refuse a file.
    """
    messages = record.value.get(f"{language_prefix(language)}messages")
    if type(messages) is list:
        try:
            dialogues = split_messages(messages)
        except ValueError:
            dialogues = ()
        if len(dialogues) == count:
            return list(dialogues)
    return [()] * count


def language_prefix(language: str) -> str:
    """What the names of a language's fields begin with, in both formats."""
    return "english_" if language == "en" else ""
