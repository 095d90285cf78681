"""What the user wanted, what was expected and what the model did in some tasks, a short line each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from toolgauge.analysis.error_analysis.cases import SESSION_NEEDS, About, TaskDescriber, about_task
from toolgauge.analysis.error_analysis.oneline import one_line
from toolgauge.chat import Reply, ToolCall
from toolgauge.data.lines import as_json
from toolgauge.data.session import ASK, Dataset, Task
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.verdict import Score

LINE = 160
"""Characters of a line."""
ASKS, ANSWERS, SILENT, NO_ID = "<ask>", "<answer>", "<nothing>", "<no id>"
"""What takes the place of calls: a question to the user, a reply in words, neither; what a call lacks that cannot be
read. For show.py to put into words."""
_VALUE = 60


class ErrorExample(Struct, frozen=True):
    """wanted: the user's words; expected, done: a step after the other, from `steps` on words of calls, ASKS, ANSWERS
    (with the text that was said) or SILENT. Of hostile texts nothing but plain lines is left."""

    wanted: str
    expected: tuple[str, ...]
    done: tuple[str, ...]


def collect_examples(
    describer: TaskDescriber, trajectories: Iterable[Trajectory], ids: Collection[str]
) -> dict[str, ErrorExample]:
    """The examples of some tasks; trajectories stream by. Of tasks that are not there, none."""
    wanted = set(ids)
    found: dict[str, ErrorExample] = {}
    for trajectory in trajectories if wanted else ():
        found.update(describer.examples(trajectory, wanted))
        if len(found) == len(wanted):
            break
    return found


class SessionDescriber:
    """The tasks of a data set of sessions."""

    needs = SESSION_NEEDS

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def about(self, score: Score) -> About:
        session = self._dataset.by_id.get(score.session_id)
        return about_task(score.task_index, session.tasks if session else ())

    def length(self, session_id: str) -> int:
        session = self._dataset.by_id.get(session_id)
        return len(session.tasks) if session else 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
        return _of_tasks(self._dataset, trajectory, wanted)


class Positions:
    """Where there is no data set: only the position in the session is known of a task."""

    needs = SESSION_NEEDS

    def about(self, score: Score) -> About:
        return about_task(score.task_index, ())

    def length(self, session_id: str) -> int:  # noqa: ARG002 - nothing is known of any
        return 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:  # noqa: ARG002
        return iter(())


def _of_tasks(dataset: Dataset, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
    session = dataset.by_id.get(trajectory.session_id)
    if session is None:
        return
    for index, group in groupby(trajectory.steps, key=lambda step: step.task_index):
        number = index if trajectory.task_index is None else trajectory.task_index
        task_id = session.task_id(number, trajectory.epoch)
        if task_id in wanted and 0 <= number < len(session.tasks):
            task = session.tasks[number]
            replies = [step.reply for step in group if step.role == ASSISTANT]
            yield task_id, ErrorExample(one_line(task.utterance, LINE), _expected(task), tuple(map(said_in, replies)))


def _expected(task: Task) -> tuple[str, ...]:
    """The annotated calls, those that can be made together in one step."""
    depths: dict[int, int] = {}
    for call in task.calls:
        depths[call.index] = 1 + max((depths.get(before, 0) for before in call.after), default=0)
    steps = []
    for _, group in groupby(sorted(task.calls, key=lambda call: depths[call.index]), lambda call: depths[call.index]):
        calls = list(group)
        made = [call_text(call.name, call.arguments) for call in calls if call.is_tool]
        asked = [ASKS for call in calls if call.name == ASK]
        steps.append(" + ".join([*made, *asked]) or ANSWERS)
    return tuple(steps)


def said_in(reply: Reply) -> str:
    """A reply as a step of an example."""
    if reply.tool_calls:
        return " + ".join(map(_made, reply.tool_calls[:8]))
    text = one_line(reply.content or "", LINE)
    return f"{ANSWERS} {text}" if text else SILENT


def _made(call: ToolCall) -> str:
    """A call of a model, which may lack what makes it readable."""
    said = call_text(call.name, "?" if call.arguments is None else call.arguments)
    return f"{said} {NO_ID}" if call.id is None else said


def call_text(name: object, arguments: object) -> str:
    """A call as name and arguments in JSON; arguments of a model are its own text."""
    text = arguments if isinstance(arguments, str) else as_json(arguments)
    return f"{one_line(str(name or '?'), _VALUE)}({one_line(text, LINE)})"
