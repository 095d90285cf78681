"""What a benchmark knows of its tasks, for the search for losses: where each stands, and what was wanted, expected and
done in some of them, a short line each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Any, Protocol

from msgspec import Struct

from toolgauge.chat import Reply, ToolCall
from toolgauge.data.lines import as_json
from toolgauge.data.session import ASK, Dataset, Task
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.arguments import ArgumentRule, BadJson, read_arguments
from toolgauge.judge.exact import Followed, follow
from toolgauge.judge.mistakes import ARGUMENT_MISTAKES, Mistake
from toolgauge.judge.replies import AnnotatedTask, annotated_task
from toolgauge.judge.searches import judged_replies
from toolgauge.judge.values import exact_faults
from toolgauge.judge.verdict import Score
from toolgauge.judge.wrong_arguments import WrongArgument, cut_pair, wrong_arguments
from toolgauge.visible import one_line

ANY = "any"
"""The circumstance that holds for every task."""

Place = tuple[str, str]
"""A dimension ("kind", "position", "reference", "shape", "tool", "parameter", or another of the benchmark's) and a name
in it."""
SESSION_NEEDS: dict[str, str] = {
    Mistake.NEEDLESS_TOOL: "no_calls",
    Mistake.MISSED_CLARIFICATION: "asks",
    Mistake.REFUSAL: "tools",
    Mistake.EARLY_TERMINATION: "several_steps",
    Mistake.ORDER_VIOLATION: "several_steps",
    Mistake.WRONG_TOOL: "tools",
    Mistake.REDUNDANT_CALL: "tools",
    **dict.fromkeys(ARGUMENT_MISTAKES, "tools"),
}


About = tuple[frozenset[Place], frozenset[str]]
"""Where a task stands, and its circumstances: what a mistake may need to be possible at all ("tools", "asks", ...)."""


ASKS, ANSWERS, SILENT, NO_ID = "<ask>", "<answer>", "<nothing>", "<no id>"
"""What takes the place of calls: a question to the user, a reply in words, neither; what a call lacks that cannot be
read. For show.py to put into words."""


class ErrorExample(Struct, frozen=True):
    """wanted: the user's words; expected, done: a step after the other, from `steps` on words of calls, ASKS, ANSWERS
    (with the text that was said) or SILENT. Of hostile texts nothing but plain lines is left. wrong: all wrong
    arguments of the calls that made it fail.
    """

    wanted: str
    expected: tuple[str, ...]
    done: tuple[str, ...]
    wrong: tuple[WrongArgument, ...] = ()


class TaskDescriber(Protocol):
    """What a benchmark knows of the tasks of a data set, for the search for losses.

    needs: mistake -> the circumstance without which it cannot happen (a chat task cannot miss a clarification).
    """

    @property
    def needs(self) -> Mapping[str, str]: ...

    def about(self, score: Score) -> About: ...

    def length(self, session_id: str) -> int:
        """How many tasks a session has; 0 where that is not known."""
        ...

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
        """The wanted tasks (ids) of a trajectory, as they are shown."""
        ...


def about_task(index: int, tasks: Sequence[Task]) -> About:
    """Of a task of a session; without tasks only its position is known."""
    position = ("position", str(index + 1))
    if not 0 <= index < len(tasks):
        return frozenset({position}), frozenset({ANY})
    task = tasks[index]
    tools = [call for call in task.calls if call.is_tool]
    asks = any(call.name == ASK for call in task.calls)
    places: set[Place] = {position, ("kind", task.type.kind)}
    if index:  # the first task's reference is its position
        places.add(("reference", task.reference.value))
    if task.shape:
        places.add(("shape", task.shape.value))
    for call in tools:
        places.add(("tool", call.name))
        places.update(("parameter", f"{call.name}.{name}") for name in call.arguments)
    facts = {ANY: True, "tools": bool(tools), "asks": asks, "no_calls": not tools and not asks}
    facts["several_steps"] = len(tools) + asks > 1
    return frozenset(places), frozenset(name for name, holds in facts.items() if holds)


LINE = 160
"""Characters of a line."""
VALUE = 60
"""Characters of a value where the whole call is longer than a line."""
_NAME = 60
_LEFT_OUT = "…"


def call_text(name: object, arguments: object, beside: object = None) -> str:
    """Name and arguments in JSON.

    beside: the arguments that it is compared with. Where the call is longer than a line, values are cut around the
    place that differs, and of what does not fit whole arguments are left out, those first that do not differ.
    """
    called = one_line(str(name or "?"), _NAME)
    if not isinstance(arguments, dict):
        text = arguments if isinstance(arguments, str) else as_json(arguments)
        return f"{called}({one_line(text, LINE)})"
    other = beside if isinstance(beside, dict) else {}
    texts = {str(key): as_json(value) for key, value in arguments.items()}
    members = {key: _member(key, text) for key, text in texts.items()}
    if sum(len(text) + 2 for text in members.values()) > LINE:
        others = {key: as_json(in_order(other[key], arguments[key])) if key in other else None for key in texts}
        differing = [key for key in texts if texts[key] != others[key]]
        cut = {key: _member(key, cut_pair(text, others[key], VALUE)[0] or "") for key, text in texts.items()}
        members = _fitting(cut, [*differing, *(key for key in texts if key not in differing)])
    return f"{called}({{{', '.join(members.values())}}})"


def _member(key: str, text: str) -> str:
    return f"{one_line(as_json(key), _NAME)}: {one_line(text, LINE)}"


def _fitting(members: Mapping[str, str], by_weight: list[str]) -> dict[str, str]:
    """As many of the weightiest members as fit a line, at least one, in their order; a mark for those left out."""
    keys_kept: set[str] = set()
    room = LINE
    for key in by_weight:
        if keys_kept and len(members[key]) + 2 > room:
            break
        keys_kept.add(key)
        room -= len(members[key]) + 2
    texts: dict[str, str] = {}
    gap = False
    for key, text in members.items():
        if key in keys_kept or not gap:
            texts[key] = text if key in keys_kept else _LEFT_OUT
        gap = key not in keys_kept
    return texts


def in_order(value: Any, like: object) -> Any:
    """The same value, members of its objects in the order of another one's, those that only it has behind them."""
    if isinstance(value, dict) and isinstance(like, dict):
        keys = [*(key for key in like if key in value), *(key for key in value if key not in like)]
        return {key: in_order(value[key], like.get(key)) for key in keys}
    if isinstance(value, list) and isinstance(like, list):
        return [in_order(item, like[place] if place < len(like) else None) for place, item in enumerate(value)]
    return value


MOST_CALLS = 8


class ExampleCollector:
    """Collects the examples of some tasks (ids) in `found` while trajectories stream by."""

    def __init__(self, describer: TaskDescriber, ids: Collection[str]) -> None:
        self._describer, self._wanted = describer, set(ids)
        self.found: dict[str, ErrorExample] = {}

    @property
    def has_all(self) -> bool:
        return len(self.found) == len(self._wanted)

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        """The same trajectories."""
        for trajectory in trajectories:
            if not self.has_all:
                self.found.update(self._describer.examples(trajectory, self._wanted))
            yield trajectory


def collect_examples(
    describer: TaskDescriber, trajectories: Iterable[Trajectory], ids: Collection[str]
) -> dict[str, ErrorExample]:
    """The examples of some tasks. Of tasks that are not there, none."""
    collector = ExampleCollector(describer, ids)
    for _trajectory in collector.watch(trajectories) if ids else ():
        if collector.has_all:
            break
    return collector.found


class SessionDescriber:
    """The tasks of a data set of sessions. rule: the benchmark's; without it no wrong arguments are told."""

    needs = SESSION_NEEDS

    def __init__(self, dataset: Dataset, rule: ArgumentRule | None = None) -> None:
        self._dataset, self._rule = dataset, rule
        self._about: dict[tuple[str, int], About] = {}

    def about(self, score: Score) -> About:
        place = score.session_id, score.task_index
        if place not in self._about:
            session = self._dataset.by_id.get(score.session_id)
            self._about[place] = about_task(score.task_index, session.tasks if session else ())
        return self._about[place]

    def length(self, session_id: str) -> int:
        session = self._dataset.by_id.get(session_id)
        return len(session.tasks) if session else 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
        session = self._dataset.by_id.get(trajectory.session_id)
        only = trajectory.task_index
        if session is None or (only is not None and session.task_id(only, trajectory.epoch) not in wanted):
            return
        for index, group in groupby(trajectory.steps, key=lambda step: step.task_index):
            number = index if only is None else only
            if 0 <= number < len(session.tasks):
                task_id = session.task_id(number, trajectory.epoch)
                if task_id in wanted:
                    replies = [step.reply for step in group if step.role == ASSISTANT]
                    task = annotated_task(session, number)
                    yield task_id, self._example(task, judged_replies(session, replies))

    def _example(self, task: AnnotatedTask, replies: Sequence[Reply]) -> ErrorExample:
        followed = follow(task, self._rule or exact_faults, replies).made
        expected, done = _expected(task.task, followed), tuple(_done(task.task, replies, followed))
        wrong = wrong_arguments(task, self._rule, replies) if self._rule else ()
        return ErrorExample(one_line(task.task.utterance, LINE), expected, done, wrong)


class Positions:
    """Where there is no data set: only the position in the session is known of a task."""

    needs = SESSION_NEEDS

    def about(self, score: Score) -> About:
        return about_task(score.task_index, ())

    def length(self, session_id: str) -> int:  # noqa: ARG002 - nothing is known of any
        return 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:  # noqa: ARG002
        return iter(())


def _expected(task: Task, followed: Sequence[Followed]) -> tuple[str, ...]:
    """The annotated calls, those that can be made together in one step; each beside the call that stands for it."""
    beside = {entry.node: entry.made.value for entry in followed if entry.made is not None and entry.node is not None}
    depths: dict[int, int] = {}
    for call in task.calls:
        depths[call.index] = 1 + max((depths.get(before, 0) for before in call.after), default=0)
    steps = []
    for _, group in groupby(sorted(task.calls, key=lambda call: depths[call.index]), lambda call: depths[call.index]):
        calls = list(group)
        calls_due = [call_text(call.name, call.arguments, beside.get(call.index)) for call in calls if call.is_tool]
        questions = [ASKS for call in calls if call.name == ASK]
        steps.append(" + ".join([*calls_due, *questions]) or ANSWERS)
    return tuple(steps)


def _done(task: Task, replies: Sequence[Reply], followed: Sequence[Followed]) -> Iterator[str]:
    """The replies, each call beside the annotated one that it stands for."""
    by_place = {(entry.step, entry.call): entry for entry in followed}
    for step, reply in enumerate(replies):
        calls = [by_place.get((step, place)) for place in range(len(reply.tool_calls))]
        nodes = (entry.node if entry else None for entry in calls)
        yield said_in(reply, [None if node is None else task.calls[node].arguments for node in nodes])


def said_in(reply: Reply, beside: Sequence[object] = ()) -> str:
    """A reply as a step of an example. beside: per call the arguments expected of it, whose order its keys take."""
    if reply.tool_calls:
        pairs = list(zip_longest(reply.tool_calls, beside[: len(reply.tool_calls)]))
        more = [f"… {len(pairs) - MOST_CALLS}"] if len(pairs) > MOST_CALLS else []
        return " + ".join([_made(call, gold) for call, gold in pairs[:MOST_CALLS]] + more)
    text = one_line(reply.content or "", LINE)
    return f"{ANSWERS} {text}" if text else SILENT


def _made(call: ToolCall, beside: object) -> str:
    """A call of a model, which may lack what makes it readable."""
    value = "?" if call.arguments is None else read_arguments(call.arguments)
    arguments = call.arguments if isinstance(value, BadJson) else in_order(value, beside)
    text = call_text(call.name, arguments, beside)
    return f"{text} {NO_ID}" if call.id is None else text
