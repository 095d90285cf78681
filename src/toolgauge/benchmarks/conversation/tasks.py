"""What a benchmark asks, what it says of one conversation, calls as plain data (what authors read of a reply, and write
into `gold`), and the data set that holds its tasks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.chat import Reply, ToolCall
from toolgauge.data.lines import sha256_of
from toolgauge.episode import ASSISTANT, Step
from toolgauge.errors import DataError
from toolgauge.judge.verdict import CORRECT, ERROR, Verdict
from toolgauge.reasons import Explanation, Parameter, ReasonTexts, slots

MAX_ID = 200
"""Characters of a task's id."""
MAX_FILES = 10_000
"""Of a data set that is a folder."""


class Task(Struct, frozen=True, kw_only=True):
    """One conversation that a benchmark has with a model."""

    id: str
    """Printable, without `#` and `/`, unique in the data set."""
    kind: str = ""
    """The type of task it counts under; a row of the tables, "" for none."""
    text: str = ""
    """What the user wants, in a line, for lists and pages."""
    data: Any = None
    """Whatever the benchmark's own `play` and `judge` read; it is never written anywhere."""
    gold: Sequence[Sequence[Reply]] = ()
    """What a perfect model replies: turn by turn, its replies in their order. For `builtin/oracle` and `data check`."""
    group: str = ""
    """Tasks of one group are variants of one thing: intervals take them together. Without it a task stands alone."""
    expected: Any = None
    """What is due, for pages: a text, or calls, or anything that JSON holds."""

    @property
    def session(self) -> str:
        """What it is clustered by."""
        return self.group or self.id


class Outcome(Struct, frozen=True, kw_only=True):
    """What one scoring says of one conversation."""

    mistake: str | None = None
    """The class of what went wrong, a row of the tables and a loss of `toolgauge analyse`; None: the task is right."""
    detail: str = ""
    """Why, in words, for the task's page."""
    progress: tuple[int, int] | None = None
    """How many of how many steps (turns, goals) were reached; without it, all or nothing."""
    parts: Mapping[str, float] = {}
    """Parts of the verdict from 0 to 1, such as {"db": 1.0, "communicate": 0.0}; tables have the mean of each."""
    turn: int | None = None
    """The turn (from 0) at which it went wrong."""
    states: tuple[object, object] | None = None
    """The state that is expected and the one there is: they stand side by side on the task's page."""
    code: str = ""
    """`detail` as data: one of the benchmark's `texts`, which `parameters` fill."""
    parameters: Mapping[str, Parameter] = {}

    def explained(self, texts: ReasonTexts) -> Explanation:
        """Why, in words; of a code without any, the code itself with its parameters. texts: see `verdict`."""
        why = Explanation(self.detail, self.code, slots(self.parameters))
        shown = "".join(f", {name}: {value}" for name, value in self.parameters.items())
        bare = f"{self.code}{shown}" if self.code else ""
        return replace(why, detail=self.detail or why.in_words(texts) or bare)

    def verdict(self, texts: ReasonTexts) -> Verdict:
        """What scores.jsonl keeps. texts: the English ones of the benchmark's codes."""
        right = self.mistake is None
        label = CORRECT if right else ERROR
        done = self.progress or (int(right), 1)
        if right:
            return Verdict(label, label, True, done, parts=dict(self.parts) or UNSET)
        detail = self.explained(texts).detail
        return Verdict(
            label,
            label,
            False,
            done,
            self.mistake,
            detail,
            code=self.code or UNSET,
            parameters=dict(self.parameters) or UNSET,
            parts=dict(self.parts) or UNSET,
            turn=UNSET if self.turn is None else self.turn,
        )


class TaskSet(Struct, frozen=True, dict=True):
    """The tasks in one language. sha256: of the content of its files; file: where they were read from."""

    name: str
    language: str
    sha256: str
    file: str
    tasks: tuple[Any, ...]

    @cached_property
    def by_id(self) -> dict[str, Any]:
        return {task.id: task for task in self.tasks}

    @cached_property
    def sessions(self) -> dict[str, list[Any]]:
        """The tasks of each group, in the order of the data."""
        groups: dict[str, list[Any]] = {}
        for task in self.tasks:
            groups.setdefault(task.session, []).append(task)
        return groups

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each task within its group."""
        return {task.id: place for tasks in self.sessions.values() for place, task in enumerate(tasks)}

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each group in the data, from 0."""
        return {session: place for place, session in enumerate(self.sessions)}


def task_set(name: str, language: str, file: Path, files: Iterable[Path], tasks: Iterable[Any]) -> TaskSet:
    """A data set of these tasks; DataError where there are none, or two of one id, or one with an impossible id."""
    every = tuple(tasks)
    seen: set[str] = set()
    for task in every:
        if not isinstance(task, Task):
            raise DataError(f"`tasks` gave a {type(task).__name__}, not a Task", file)
        if (problem := id_problem(task.id) or (task.group and id_problem(task.group))) is not None and problem:
            raise DataError(f"task {task.id!r}: {problem}", file)
        if not all(isinstance(turn, Sequence) and all(isinstance(one, Reply) for one in turn) for turn in task.gold):
            raise DataError(f"task {task.id!r}: gold must hold a list of Reply for each turn", file)
        if task.id in seen:
            raise DataError(f"duplicate id {task.id!r}", file)
        seen.add(task.id)
    if not every:
        raise DataError(f"no tasks in {language}", file)
    return TaskSet(name, language, content_of(file, files), str(file), every)


def id_problem(name: object) -> str | None:
    """Why this can be no id; None where it can."""
    if isinstance(name, str) and name and len(name) <= MAX_ID and name.isprintable() and not set(name) & set("#/"):
        return None
    return f"invalid id: must have 1 to {MAX_ID} printable characters, without # and /"


def content_of(file: Path, files: Iterable[Path]) -> str:
    """The sha256 of a data set: of its file, or over the lines "<file> <sha256>" of several, sorted."""
    several = list(files)
    if several == [file]:
        return sha256_of(file)
    if len(several) > MAX_FILES:
        raise DataError(f"more than {MAX_FILES:,} files", file)
    lines = sorted(f"{one.name if one == file else _relative(one, file)} {sha256_of(one)}\n" for one in several)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _relative(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name


def calls_made(reply: Reply) -> list[dict[str, object]]:
    """The calls of a reply as {"name", "arguments"}; arguments that are no JSON stay as they are."""
    return [{"name": call.name, "arguments": _read(call.arguments)} for call in reply.tool_calls]


def calling(calls: Iterable[Mapping[str, Any]], content: str | None = None) -> Reply:
    """A reply with these calls ({"name", "arguments"}), as `gold` has them."""
    made = [
        ToolCall(f"call_{number}", call["name"], json.dumps(call.get("arguments") or {}, ensure_ascii=False))
        for number, call in enumerate(calls)
    ]
    return Reply(content, tuple(made))


def replies_by_turn(steps: Sequence[Step]) -> list[list[Reply]]:
    """The model's replies in each turn of the user's, up to the last one that was begun."""
    said = [step for step in steps if step.role == ASSISTANT]
    turns: list[list[Reply]] = [[] for _ in range(1 + max((step.turn for step in said), default=-1))]
    for step in said:
        turns[step.turn].append(step.reply)
    return turns


def _read(arguments: object) -> object:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
