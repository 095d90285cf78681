"""Task views of ACEBench: accepted answers against the decoded calls, what a special entry must name, agents'
states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, AceDataset, AceEntry, called_name, category_of
from toolgauge.benchmarks.acebench.decoder.decode import Undecodable
from toolgauge.benchmarks.acebench.judge.agent import json_keys, respelt
from toolgauge.benchmarks.acebench.judge.pairing import CallPair, pair_answer
from toolgauge.data.lines import as_json
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.wrong_arguments import WrongArgument
from toolgauge.reasons import Explanation
from toolgauge.report.task_views.differences import DifferenceRow as DiffRow
from toolgauge.report.task_views.differences import differences, value_text
from toolgauge.report.task_views.divergence import ComparedCall, Divergence
from toolgauge.report.task_views.task_view import (
    Pool,
    SharedSession,
    Shown,
    StepView,
    TaskListRow,
    called_names,
    last_words,
    said,
    turns_of,
)

USER = "user"
FACTS = ("style", "ended_by", "failed_messages", "environment_errors")
"""What of a trajectory's `extra` is shown as it is."""


class AceAnnotation(Struct, frozen=True, omit_defaults=True):
    """An entry as it is shown: values as JSON text. functions: the candidates as the file has them."""

    utterance: str
    kind: str
    type: str
    functions: tuple[dict[str, str], ...]
    position: int | None = None
    time: str = ""
    profile: str = ""
    classes: tuple[str, ...] = ()
    start: str = ""
    answers: tuple[str, ...] = ()
    milestones: tuple[tuple[str, ...], ...] = ()


class Pair(Struct, frozen=True, omit_defaults=True):
    """An expected call and the one made for it, or one of the two alone. wrong: its arguments by the exact rule."""

    expected: str | None = None
    made: str | None = None
    wrong: tuple[WrongArgument, ...] = ()
    rows: tuple[DiffRow, ...] = ()


class AnswerComparison(Struct, frozen=True, omit_defaults=True):
    """unreadable: why the text holds no calls; answer: which of the alternatives is compared, from 0.

    state: of agents, the expected state against that at the end; process: the messages that were carried out.
    """

    pairs: tuple[Pair, ...] = ()
    unreadable: Explanation | None = None
    answer: int = 0
    state: tuple[DiffRow, ...] | None = None
    process: tuple[str, ...] = ()


class AceTaskViews:
    """What is shown of the entries of one run. dataset: None where it is not at hand."""

    def __init__(self, dataset: AceDataset | None) -> None:
        self.dataset = dataset

    def row(self, session_id: str, key: str) -> TaskListRow:  # noqa: ARG002 - an entry's id says all
        entry = self.dataset.by_id.get(key) if self.dataset else None
        if entry is not None:
            return TaskListRow(entry.question, entry.kind.group, entry.category, position=_position(entry))
        category = category_of(key) or ""
        return TaskListRow(kind=CATEGORIES[category].group if category else "", type=category)

    def key(self, task_index: int, task_id: str) -> str:  # noqa: ARG002
        """The entry's id: a task id without the mark of its epoch."""
        return without_epoch(task_id)

    def annotate(self, shared: SharedSession, key: str) -> None:
        """Put what the data set knows of an entry into the shared material of its session."""
        entry = self.dataset.by_id.get(key) if self.dataset else None
        if entry is not None and key not in shared.tasks:
            shared.annotate(key, _annotation(entry))

    def shown(self, trajectory: Trajectory, shared: SharedSession, own: Pool) -> Iterator[Shown]:
        key = self.key(0, trajectory.task_id)
        self.annotate(shared, key)
        entry = self.dataset.by_id.get(key) if self.dataset else None
        turns = turns_of(trajectory.steps, shared.messages, own, is_opening_shared=True)
        row, steps = self.row(trajectory.session_id, key), trajectory.steps
        compared = compare_answer(entry, trajectory) if entry and steps else None
        names = called_names(steps) or ([pair.made for pair in compared.pairs if pair.made] if compared else [])
        yield Shown(
            trajectory.task_id,
            replace(row, text=row.text or last_words(steps), **said(steps, names)),
            {
                "tools": shared.tools.place(trajectory.tools) if trajectory.tools else None,
                "turns": tuple(_with_news(turns, steps)),
                "stopped": trajectory.stopped,
                "facts": {name: trajectory.extra[name] for name in FACTS if name in trajectory.extra},
                "comparison": compared,
            },
            _divergence(entry, compared, steps) if entry and compared else Divergence(),
        )


def _divergence(entry: AceEntry, compared: AnswerComparison, steps: Sequence[Step]) -> Divergence:
    """What was called, or said, beside what was expected; of agents the end states."""
    if compared.state is not None:
        return Divergence(compared=(ComparedCall("", rows=compared.state),))
    pairs = compared.pairs
    called = [one.made for one in pairs if one.made]
    names = {one.name for one in entry.functions}
    first = next((one for one in entry.answers if isinstance(one, dict)), {}) if compared.unreadable else {}
    due = [one.expected for one in pairs if one.expected] or [called_name(key, names) for key in first]
    both = [ComparedCall(one.made, one.wrong, one.rows) for one in pairs if one.made and one.expected]
    said = "" if called else steps[0].reply.content or ""
    return Divergence(0, called, said, due, both)


def _position(entry: AceEntry) -> int | None:
    return None if entry.turn is None else entry.turn + 1


def _annotation(entry: AceEntry) -> AceAnnotation:
    return AceAnnotation(
        utterance=entry.question,
        kind=entry.kind.group,
        type=entry.category,
        position=_position(entry),
        functions=tuple(
            {"name": one.name, "description": one.description, "parameters": value_text(one.parameters)}
            for one in entry.functions
        ),
        time=entry.time,
        profile=entry.profile,
        classes=entry.involved_classes,
        start=value_text(entry.initial_config) if entry.initial_config else "",
        answers=tuple(as_json(answer) for answer in entry.answers),
        milestones=entry.milestones,
    )


def _with_news(turns: Sequence[StepView], steps: Sequence[Step]) -> Iterator[StepView]:
    """The turns, with what is new in a prompt that repeats the one before it."""
    before: dict[str, str] = {}
    for turn, step in zip(turns, steps, strict=True):
        content = (step.messages[-1].content or "") if step.messages else ""
        known = before.get(step.role)
        repeated = step.role != USER and known is not None and len(step.messages) > 1
        yield replace(turn, news=_added(known or "", content)) if repeated else turn
        before[step.role] = content


def _added(known: str, content: str) -> str:
    """What stands in a text between the beginning and the end that it shares with an earlier one."""
    start = _alike_letters(known, content)
    end = _alike_letters(known[start:][::-1], content[start:][::-1])
    return content[start : len(content) - end].strip("\n")


def _alike_letters(one: str, other: str) -> int:
    """The length of the beginning that two texts share."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def compare_answer(entry: AceEntry, trajectory: Trajectory) -> AnswerComparison:
    if entry.kind.group == "agent":
        process = trajectory.extra.get("process")
        messages = tuple(text if isinstance(text, str) else value_text(text) for text in process or ())
        return AnswerComparison(state=_state(entry, trajectory.extra.get("result")), process=messages)
    if entry.kind.group == "special":
        return AnswerComparison()
    found = pair_answer(entry, trajectory)
    if isinstance(found, Undecodable):
        return AnswerComparison(unreadable=found.why.explained())
    return AnswerComparison(tuple(map(_shown_pair, found.pairs)), answer=found.answer)


def _shown_pair(pair: CallPair) -> Pair:
    made = pair.made.arguments if pair.made else {}
    name = pair.made.name if pair.made else None
    return Pair(pair.expected, name, pair.wrong, differences(pair.wanted, made))


def _state(entry: AceEntry, result: object) -> tuple[DiffRow, ...]:
    """The expected attributes of all classes against those at the end, class by class."""
    expected, actual = _classes(entry.final_state), _classes(json_keys(result))
    names = {name: name if name in actual else respelt(name) for name in expected}
    return differences({names[name]: state for name, state in expected.items()}, actual)


def _classes(states: object) -> dict[str, object]:
    """{class: {attribute: value}} of a list of such objects."""
    merged: dict[str, object] = {}
    for one in states if isinstance(states, list | tuple) else ():
        if isinstance(one, dict):
            merged.update(one)
    return merged
