"""How well a flattened session is found again: its tasks, kinds, references, edges and the sources of its values.

A session is flattened to what a log would have: messages of user, assistant and tools, the tools on offer and a system
message with the date. `perf/import_quality.py` prints what this measures, docs/import.md has it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct, field

from tests.conversations.split_cases import split_cases
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.dialogues.history import gold_task, system_message
from toolgauge.chat import Json, Message
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.sessions import to_session
from toolgauge.conversations.splitting import Split, split
from toolgauge.data.session import Call, Session, Task

ROOT = Path(__file__).parents[2]
MINI = ROOT / "src/toolgauge/benchmarks/dialogues/mini/sessions.jsonl"
DEMO = ("--demo", "--sample", "32", "--seed", "7")


class Count(Struct):
    """right: found and meant; found; meant."""

    right: int = 0
    found: int = 0
    meant: int = 0

    def add(self, found: set[object], meant: set[object]) -> None:
        self.right += len(found & meant)
        self.found += len(found)
        self.meant += len(meant)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.meant if self.meant else 1.0


class Quality(Struct):
    """begins: of tasks after the first; kinds, types: of the tasks that were found; references: of those after the
    first; edges: between calls; sources: of values that have any in the data."""

    begins: Count = field(default_factory=Count)
    kinds: Count = field(default_factory=Count)
    types: Count = field(default_factory=Count)
    references: Count = field(default_factory=Count)
    edges: Count = field(default_factory=Count)
    sources: Count = field(default_factory=Count)


def flattened(session: Session) -> tuple[Conversation, list[int]]:
    """A session as a log would have it, and where its tasks begin."""
    messages: list[Message] = [system_message("wildtoolbench", session, session.tasks[0])]
    begins = []
    for task in session.tasks:
        begins.append(len(messages))
        messages += gold_task(session, task)
    return Conversation(session.id, tuple(messages), session.tools), begins


def quality(sessions: Iterable[Session]) -> Quality:
    made = Quality()
    for session in sessions:
        conversation, begins = flattened(session)
        imported = to_session(conversation)
        _count_begins(made.begins, imported.splits, begins)
        found = [one.message for one in imported.splits if one.begins]
        pairs = ((begins.index(place), number) for number, place in enumerate(found) if place in begins)
        for gold, number in pairs:
            _count_task(made, session.tasks[gold], imported.session.tasks[number])
    return made


def quality_of_cases(language: str, part: str) -> Count:
    """Of the conversations written by hand: the beginnings of tasks after the first."""
    count = Count()
    for case in split_cases():
        if (case.language, case.part) == (language, part):
            _count_begins(count, split(case.conversation, language), sorted(case.begins))
    return count


def _count_begins(count: Count, splits: Sequence[Split], begins: Sequence[int]) -> None:
    count.add({one.message for one in splits[1:] if one.begins}, set(begins[1:]))


def _count_task(made: Quality, gold: Task, task: Task) -> None:
    for count, one, other in (
        (made.kinds, task.type.kind, gold.type.kind),
        (made.types, task.type, gold.type),
        *([(made.references, task.reference, gold.reference)] if gold.index else []),
    ):
        count.add({one}, {other})
    places = list(_same_calls(task.calls, gold.calls))
    edges = {(places[before], places[call.index]) for call in task.calls[:-1] for before in call.after}
    made.edges.add(set(edges), {(before, call.index) for call in gold.calls[:-1] for before in call.after})
    for call in task.calls:
        meant = gold.calls[places[call.index]].sources
        for path, sources in meant.items():
            named = {_origin(one, None, gold.index) for one in sources}
            first = next((_origin(one, places, gold.index) for one in call.sources.get(path, ())), None)
            made.sources.add({(path, first in named)} if first else set(), {(path, True)})


def _same_calls(calls: Sequence[Call], gold: Sequence[Call]) -> Iterator[int]:
    """The annotated call that each call is: the first of the same name and arguments that is not taken."""
    taken: set[int] = set()
    for call in calls:
        same = (one.index for one in gold if one.index not in taken and _key(one) == _key(call))
        place = next(same)
        taken.add(place)
        yield place


def _key(call: Call) -> tuple[str, bytes]:
    return call.name, msgspec.json.encode(call.arguments if call.is_tool else {}, order="sorted")


def _origin(source: Json, places: Sequence[int] | None, task: int) -> tuple[object, ...]:
    """Where a value comes from: what kind of place, and which. places: of own steps in the annotated task."""
    step = source.get("step")
    if places is not None and isinstance(step, int) and source.get("task") == task:
        step = places[step]
    return source.get("from"), source.get("task"), step


def mini(language: str) -> Sequence[Session]:
    return load_dataset(MINI, language=language).sessions


def demo(language: str, folder: Path) -> Sequence[Session]:
    """The dialogues of `toolgauge generate --demo`, made in a folder."""
    command = [sys.executable, "-m", "toolgauge", "generate", *DEMO, "--language", language, "--out", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return load_dataset(folder / "sessions.jsonl", language=language).sessions


def row(name: str, language: str, made: Quality) -> str:
    """A row of the table in docs/import.md."""
    pairs = (made.begins, made.edges)
    rates = (made.kinds, made.types, made.references, made.sources)
    begins, edges = (f"{one.precision:.3f} | {one.recall:.3f}" for one in pairs)
    kinds, types, references, sources = (f"{one.recall:.3f}" if one.meant else "-" for one in rates)
    return f"| {name} | {language} | {begins} | {kinds} | {types} | {references} | {edges} | {sources} |"


def row_of_cases(language: str, part: str) -> str:
    count = quality_of_cases(language, part)
    return f"| {language} | {part.replace('_', ' ')} | {count.meant} | {count.precision:.3f} | {count.recall:.3f} |"
