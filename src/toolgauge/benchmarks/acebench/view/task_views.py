"""Task views of ACEBench: accepted answers against the decoded calls, what a special entry must name, agents'
states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.acebench.asking import answer_text
from toolgauge.benchmarks.acebench.data import CATEGORIES, AceDataset, AceEntry, category_of
from toolgauge.benchmarks.acebench.data.keys import called_name
from toolgauge.benchmarks.acebench.judge.agent import MISSPELT, MISSPELT_OUT_OF_REACH, json_keys
from toolgauge.benchmarks.acebench.judge.exact import call_fault
from toolgauge.benchmarks.acebench.judge.judge import decode_normal
from toolgauge.data.lines import as_json
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.alignment import align
from toolgauge.models.dialects.ace import AceCall, Undecodable
from toolgauge.reasons import Explanation
from toolgauge.report.task_views.differences import DifferenceRow as DiffRow
from toolgauge.report.task_views.differences import differences, value_text
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
    """An expected call and the one made for it, or one of the two alone. fault: of the exact rule."""

    expected: str | None = None
    made: str | None = None
    fault: Explanation | None = None
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
        return task_id.partition("#")[0]

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
        compared = _compare(entry, trajectory) if entry and steps else None
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
        )


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


def _compare(entry: AceEntry, trajectory: Trajectory) -> AnswerComparison:
    if entry.kind.group == "agent":
        process = trajectory.extra.get("process")
        messages = tuple(text if isinstance(text, str) else value_text(text) for text in process or ())
        return AnswerComparison(state=_state(entry, trajectory.extra.get("result")), process=messages)
    text = answer_text(entry, trajectory.steps[0].reply)
    if entry.kind.group == "special":
        return AnswerComparison()
    decoded = decode_normal(entry.category, text, "exact")
    if isinstance(decoded, Undecodable):
        return AnswerComparison(unreadable=decoded.why.explained())
    paired = [tuple(_pairs(entry, answer, decoded)) for answer in entry.answers if isinstance(answer, dict)]
    if not paired:
        return AnswerComparison()
    nearest = min(range(len(paired)), key=lambda place: sum(_is_off(pair) for pair in paired[place]))
    return AnswerComparison(paired[nearest], answer=nearest)


def _is_off(pair: Pair) -> bool:
    return pair.fault is not None or pair.made is None or pair.expected is None


def _pairs(entry: AceEntry, answer: dict[str, object], calls: Sequence[AceCall]) -> Iterator[Pair]:
    """Expected calls in their order with those made for them: right ones first, then the nearest of the same name."""
    schemas = {function.name: function.parameters for function in entry.functions}
    wanted = [(called_name(key, schemas), want if isinstance(want, dict) else {}) for key, want in answer.items()]
    owner = _partners(schemas, wanted, calls)
    for row, (name, want) in enumerate(wanted):
        place = owner[row]
        if place is None:
            yield Pair(expected=name, rows=differences(want, {}))
            continue
        call = calls[place]
        fault = call_fault(schemas.get(name, {}), want, call)
        why = fault.why.explained(fault.path) if fault else None
        yield Pair(name, call.name, why, differences(want, call.arguments))
    for place, call in enumerate(calls):
        if place not in owner:
            yield Pair(made=call.name, rows=differences({}, call.arguments))


def _partners(
    schemas: Mapping[str, Mapping[str, object]],
    wanted: Sequence[tuple[str, dict[str, object]]],
    calls: Sequence[AceCall],
) -> list[int | None]:
    """For each expected call (name, arguments) the place of the call made for it."""
    named: dict[str, int] = {}
    for place, call in enumerate(calls):
        named[call.name] = named.get(call.name, 0) | 1 << place

    def is_right(row: int, place: int) -> bool:
        name, want = wanted[row]
        return call_fault(schemas.get(name, {}), want, calls[place]) is None

    rows = [(named.get(name, 0),) for name, _ in wanted]
    return align(rows, lambda row, place: _alike(wanted[row][1], calls[place]), is_right)


def _alike(want: dict[str, object], call: AceCall) -> int:
    return sum(key in call.arguments and as_json(call.arguments[key]) == as_json(value) for key, value in want.items())


def _state(entry: AceEntry, result: object) -> tuple[DiffRow, ...]:
    """The expected attributes of all classes against those at the end, class by class."""
    expected, actual = _classes(entry.final_state), _classes(json_keys(result))
    names = {name: _spelt(name, actual) for name in expected}
    return differences({names[name]: state for name, state in expected.items()}, actual)


def _spelt(name: str, actual: Mapping[str, object]) -> str:
    """The class that an expected state means: some are misspelt in the published data."""
    right = MISSPELT.get(name) or MISSPELT_OUT_OF_REACH.get(name, name)
    return name if name in actual else right


def _classes(states: object) -> dict[str, object]:
    """{class: {attribute: value}} of a list of such objects."""
    merged: dict[str, object] = {}
    for one in states if isinstance(states, list | tuple) else ():
        if isinstance(one, dict):
            merged.update(one)
    return merged
