"""Files of sessions: the format of one's own data, which `toolgauge generate` and `toolgauge data import` write, people
review, and every benchmark of dialogues reads (docs/files.md#data-of-your-own).

A line is a session in one language or in both: fields of the English side begin with `english_`, those of the Chinese
side have no prefix. Types and references have names in both languages and are read by their key words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec.structs import replace

from toolgauge.chat import Json, Message
from toolgauge.data.corrections import Corrections
from toolgauge.data.lines import LANGUAGES, known_language, numbered_lines, parse_line, sha256_of
from toolgauge.data.nodes import read_calls, read_tools, written_annotations
from toolgauge.data.record import DataLine, session_of, shown
from toolgauge.data.session import Call, Dataset, Reference, Session, Task, TaskType
from toolgauge.errors import DataError

T = TypeVar("T")
FILE = "sessions.jsonl"
"""In the folder of a generation."""
MULTI = "multi"
"""A task type that says no more than "several tools"; the shape of the graph says which."""
TASK_END = "====="
"""What stands between the messages of two tasks."""
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
_TYPE_WORDS: tuple[tuple[tuple[str, ...], TaskType | str], ...] = (
    (("clarif", "澄清", "反"), TaskType.CLARIFY),
    (("chat", "闲聊", "聊天", "拒"), TaskType.CHAT),
    (("single", "单"), TaskType.SINGLE_TOOL),
    (("mixed", "混合", "串并", "并串"), TaskType.MIXED_TOOLS),
    (("parallel", "并"), TaskType.PARALLEL_TOOLS),
    (("sequential", "serial", "串", "顺序"), TaskType.SEQUENTIAL_TOOLS),
    (("multi", "多"), MULTI),
)
_REFERENCE_WORDS: tuple[tuple[tuple[str, ...], Reference], ...] = (
    (("corefer", "implicit", "指代"), Reference.COREFERENCE),
    (("partial", "ellipsis", "省略", "部分"), Reference.PARTIAL_INFORMATION),
    (("long", "长"), Reference.LONG_RANGE),
    (("first", "首"), Reference.FIRST_TURN),
)
_SIDE = ("env_info", "tools", "tasks", "answer_list", "task_types", "turn_subtypes", "messages")
_KNOWN = frozenset({"id", *_SIDE, *(f"english_{name}" for name in _SIDE)})
_CLOCK = re.compile(r"(\d{4})[-/年](\d{1,2})[-/月](\d{1,2})日?(?:[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")


class RecordReader(Protocol):
    """Reads the records of a layout; this module is one."""

    def unneeded(self, language: str) -> frozenset[str]:
        """The fields that say nothing about this language."""
        ...

    def has_language(self, value: Mapping[str, object], language: str) -> bool:
        """Does a record have this language at all?"""
        ...

    def read_session(self, record: DataLine, language: str) -> Session | None:
        """A session in one language; None only where problems are collected and there were some (see DataLine)."""
        ...


def session_file(place: Path) -> Path:
    """The file that a user means: itself, or the sessions in the folder of a generation."""
    return place / FILE if place.is_dir() else place


def own_name(place: Path) -> str:
    """What data of one's own are called: as the file, or as its folder where every such file has the same name."""
    file = session_file(place)
    return file.stem if file.name != FILE else file.resolve().parent.name or file.stem


def load_sessions(
    path: Path, language: str, reader: RecordReader, name: str | None = None, corrections: Corrections | None = None
) -> Dataset:
    """All sessions of a file in one language ("en" or "zh"). name: of the data set; the file's name otherwise.
    corrections: applied to its records; its sha256 stays that of the file.

    Raises DataError, with file, line and JSON path, at the first thing that cannot be used.
    """
    known_language(language)
    sessions: list[Session] = []
    seen: dict[str, int] = {}
    for record, session in _read(path, reader, language, corrections):
        if session is None:  # only where problems are collected
            continue
        if session.id in seen:
            raise record.error(f"{shown(session.id)} is already used in line {seen[session.id]}", "id")
        seen[session.id] = record.line
        sessions.append(session)
    if not sessions:
        raise DataError("no sessions", path)
    if corrections is not None:
        corrections.require_sessions(seen)
    return Dataset(name or path.stem, language, sha256_of(path), tuple(sessions), str(path))


def unneeded(language: str) -> frozenset[str]:
    """The fields that say nothing about this language (types and references are fallen back to)."""
    if language == "en":
        return frozenset(_SIDE)
    return frozenset(f"english_{name}" for name in _SIDE if name not in ("task_types", "turn_subtypes"))


def has_language(value: Mapping[str, object], language: str) -> bool:
    """Does a record have this language at all?"""
    return language_prefix(language) + "tasks" in value


def language_prefix(language: str) -> str:
    """What the names of a language's fields begin with."""
    return "english_" if language == "en" else ""


def read_session(record: DataLine, language: str) -> Session | None:
    """A session in one language; None only where problems are collected and there were some (see DataLine).

    Names of types and references that are missing or unknown on the Chinese side are taken from the English one.
    """
    value, prefix = record.value, language_prefix(language)
    session_id = record.attempt(record.take, value, "id", str)
    clock = record.attempt(record.take, value, f"{prefix}env_info", str)
    tools = record.attempt(read_tools, record, f"{prefix}tools")
    utterances = record.attempt(record.texts, f"{prefix}tasks")
    tasks = _tasks(record, language, utterances) if utterances is not None else None
    if session_id is None or clock is None or tools is None or tasks is None:
        return None
    extra = {} if value.keys() <= _KNOWN else {key: part for key, part in value.items() if key not in _KNOWN}
    return Session(session_id, language, clock, tools[0], tasks, tools[1], extra, record.line)


def session_from(record: Json, language: str, file: Path | str = "", line: int = 0) -> Session:
    """A record as the session that it is. line: of the file, 0 for none. Raises DataError, with its JSON path, where it
    is none."""
    session = read_session(DataLine(file, line, record), language)
    assert session is not None, "without a list for problems they are raised"
    return session


def session_record(session: Session, dialogue: Sequence[Sequence[Message]] | None = None) -> Json:
    """The record of a session. dialogue: what user and assistant said in each task, if not what the session stores.

    Besides the format's own fields there is what a reviewer needs: sources of arguments, evidence for dependencies, the
    session's origin.
    """
    side, prefix = LANGUAGES.index(session.language), language_prefix(session.language)
    fields: dict[str, object] = {
        "env_info": session.clock,
        "tools": list(session.original_tools) or [tool.wire() for tool in session.tools],
        "tasks": [task.utterance for task in session.tasks],
        "answer_list": [[_node(call) for call in task.calls] for task in session.tasks],
        "task_types": [TYPE_NAMES[task.type][side] for task in session.tasks],
        "turn_subtypes": [REFERENCE_NAMES[task.reference][side] for task in session.tasks[1:]],
    }
    spoken = [task.dialogue for task in session.tasks] if dialogue is None else dialogue
    if all(spoken):
        fields["messages"] = joined_messages(
            [{"role": message.role, "content": message.content} for message in task] for task in spoken
        )
    return {"id": session.id, **{f"{prefix}{name}": value for name, value in fields.items()}, **session.extra}


def joined_messages(tasks: Iterable[Sequence[object]]) -> list[object]:
    """The messages of tasks as one list, with what stands between them."""
    first, *others = tasks
    return [*first, *(message for task in others for message in (TASK_END, *task))]


def split_messages(messages: Iterable[object]) -> tuple[tuple[Message, ...], ...]:
    """The messages of each task: a text element that contains `=====` closes a task.

    As in the public code, what follows the last such element is one more task unless it is empty
    (docs/files.md#mmtbs-format). Elements that are neither such a text nor a message with role and text are a
    ForeignMessageError.
    """
    tasks: list[tuple[Message, ...]] = []
    current: list[Message] = []
    for position, element in enumerate(messages):
        if isinstance(element, str) and TASK_END in element:
            tasks.append(tuple(current))
            current = []
            continue
        role, content = (element.get("role"), element.get("content")) if isinstance(element, Mapping) else (None, None)
        if not isinstance(role, str) or not isinstance(content, str | None):
            raise ForeignMessageError(position)
        current.append(Message(role, content))
    return tuple([*tasks, tuple(current)] if current else tasks)


class ForeignMessageError(ValueError):
    """An element of a dialogue is neither a message nor the end of a task. position: from 0; text: what is wrong."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.text = f"must be a message with role and content, or a string with {TASK_END}"
        super().__init__(f"[{position}] {self.text}")


@cache
def read_type(name: str) -> TaskType | str | None:
    """The task type that a name means, MULTI where only the graph can tell, None where it says nothing to us."""
    text = name.casefold()
    return next((kind for words, kind in _TYPE_WORDS if any(word in text for word in words)), None)


@cache
def read_reference(name: str) -> Reference | None:
    """The reference type that a name means, or None."""
    text = name.casefold()
    return next((kind for words, kind in _REFERENCE_WORDS if any(word in text for word in words)), None)


def parse_clock(env_info: str) -> datetime | None:
    """The date and time that `env_info` says, as the data files write it; None where it has no date.

    Prefixes (`当前时间：`, `环境：`) and the weekday do not matter: an entry without a weekday counts like any other
    (the public code drops it and with it a task: M5 of docs/rules.md#defect-by-defect).
    """
    match = _CLOCK.search(env_info)
    if not match:
        return None
    try:
        return datetime(*(int(part or 0) for part in match.groups()))  # type: ignore[arg-type]
    except ValueError:
        return None


def make_task(task: Task, kind: TaskType | str) -> Task:
    """The task with its type; where the file only says "several tools", the shape of the graph says which."""
    if isinstance(kind, TaskType):
        return replace(task, type=kind)
    return replace(task, type=task.shape or TaskType.PARALLEL_TOOLS)


def no_task(record: DataLine, key: str) -> None:
    """Raise DataError: the list of tasks is empty."""
    raise record.error("is empty; a session needs at least one task", key)


def _read(
    path: Path, reader: RecordReader, language: str, corrections: Corrections | None
) -> Iterator[tuple[DataLine, Session | None]]:
    """Each record and its session. A record with corrections is read whole: they may be about the other language."""
    skip = reader.unneeded(language)
    for number, text in numbered_lines(path):
        record = DataLine(path, number, parse_line(text, path, number, skip))
        if corrections is None or (name := session_of(record)) not in corrections.by_session:
            if not reader.has_language(record.value, language):
                _require_language(DataLine(path, number, parse_line(text, path, number)), reader, language)
            yield record, reader.read_session(record, language)
            continue

        def read(value: Json, line: int = number) -> Session | None:
            return reader.read_session(DataLine(path, line, value), language)

        whole = DataLine(path, number, parse_line(text, path, number))
        yield whole, corrections.corrected(name, whole.value, read)


def _require_language(record: DataLine, reader: RecordReader, language: str) -> None:
    """DataError for a record that has another language than the one asked for."""
    there = next((other for other in LANGUAGES if other != language and reader.has_language(record.value, other)), None)
    if there:
        raise record.error(f"no session in {language}, but one in {there}; use --language {there}")


def _tasks(record: DataLine, language: str, utterances: list[str]) -> tuple[Task, ...] | None:
    prefix, count = language_prefix(language), len(utterances)
    key = f"{prefix}answer_list"
    if not count:
        record.attempt(no_task, record, f"{prefix}tasks")
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
    if types is None or references is None or len(graphs) != count or None in graphs:
        return None
    dialogues = _dialogues(record.value.get(f"{prefix}messages"), count)
    return tuple(
        make_task(
            Task(index, utterances[index], TaskType.CHAT, references[index], calls, dialogues[index]), types[index]
        )
        for index, calls in enumerate(graphs)
        if calls is not None
    )


def _types(record: DataLine, language: str, count: int) -> list[TaskType | str]:
    key, names, english = _names(record, language, "task_types")
    record.same_length(names, key, count)
    return _meanings(record, read_type, "task type", key, names, english)


def _references(record: DataLine, language: str, count: int) -> list[Reference]:
    """The first task's is always `first_turn`; the list holds those of the later tasks, at times the first's too."""
    key, names, english = _names(record, language, "turn_subtypes")
    if len(names) == count:
        names, english = names[1:], english[1:]
    record.same_length(names, key, count - 1, "task after the first")
    return [Reference.FIRST_TURN, *_meanings(record, read_reference, "kind of reference", key, names, english)]


def _meanings(
    record: DataLine, read: Callable[[str], T | None], what: str, key: str, names: list[str], english: list[str]
) -> list[T]:
    """What names mean, or where one is unknown its English name."""
    meanings = []
    for index, name in enumerate(names):
        meaning = read(name) or (read(english[index]) if index < len(english) else None)
        if meaning is None:
            raise record.error(f"unknown {what} {shown(name)}", f"{key}[{index}]")
        meanings.append(meaning)
    return meanings


def _names(record: DataLine, language: str, field: str) -> tuple[str, list[str], list[str]]:
    """The key and the names of a field in the language, and the English names to fall back to."""
    key, english_key = language_prefix(language) + field, f"english_{field}"
    if language == "en":
        return key, record.texts(key), []
    english = record.texts(english_key) if english_key in record.value else []
    if key not in record.value and english:
        return english_key, english, []
    return key, record.texts(key), english


def _dialogues(messages: object, count: int) -> Sequence[tuple[Message, ...]]:
    """The stored plain messages per task; nothing where they are absent or laid out in another way: no evaluator reads
    them, so they are no reason to refuse a file."""
    try:
        dialogues = split_messages(messages) if type(messages) is list else ()
    except ForeignMessageError:
        dialogues = ()
    return dialogues if len(dialogues) == count else [()] * count


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
