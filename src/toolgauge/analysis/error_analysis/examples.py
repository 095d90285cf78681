"""What the user wanted, what was expected and what the model did in some tasks, a short line each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from toolgauge.analysis.error_analysis.oneline import one_line
from toolgauge.chat import Reply, ToolCall
from toolgauge.data.acebench import AceDataset, AceEntry
from toolgauge.data.lines import as_json
from toolgauge.data.session import ASK, Dataset, Task
from toolgauge.episode import ASSISTANT, Trajectory

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
    dataset: Dataset | AceDataset | None, trajectories: Iterable[Trajectory], ids: Collection[str]
) -> dict[str, ErrorExample]:
    """The examples of some tasks; trajectories stream by. Without a data set, or of tasks that are not there, none."""
    wanted = set(ids)
    if dataset is None or not wanted:
        return {}
    found: dict[str, ErrorExample] = {}
    for trajectory in trajectories:
        found.update(_of_entry(dataset, trajectory, wanted) if isinstance(dataset, AceDataset)
                     else _of_tasks(dataset, trajectory, wanted))  # fmt: skip
        if len(found) == len(wanted):
            break
    return found


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
            yield task_id, ErrorExample(one_line(task.utterance, LINE), _expected(task), tuple(map(_said, replies)))


def _of_entry(
    dataset: AceDataset, trajectory: Trajectory, wanted: Collection[str]
) -> Iterator[tuple[str, ErrorExample]]:
    entry = dataset.by_id.get(trajectory.task_id.partition("#")[0])
    if entry is None or trajectory.task_id not in wanted:
        return
    replies = [step.reply for step in trajectory.steps if step.role == ASSISTANT]
    yield trajectory.task_id, ErrorExample(_question(entry), _answer(entry), tuple(map(_said, replies)))


def _expected(task: Task) -> tuple[str, ...]:
    """The annotated calls, those that can be made together in one step."""
    depths: dict[int, int] = {}
    for call in task.calls:
        depths[call.index] = 1 + max((depths.get(before, 0) for before in call.after), default=0)
    steps = []
    for _, group in groupby(sorted(task.calls, key=lambda call: depths[call.index]), lambda call: depths[call.index]):
        calls = list(group)
        made = [_call(call.name, call.arguments) for call in calls if call.is_tool]
        asked = [ASKS for call in calls if call.name == ASK]
        steps.append(" + ".join([*made, *asked]) or ANSWERS)
    return tuple(steps)


def _said(reply: Reply) -> str:
    if reply.tool_calls:
        return " + ".join(map(_made, reply.tool_calls[:8]))
    text = one_line(reply.content or "", LINE)
    return f"{ANSWERS} {text}" if text else SILENT


def _made(call: ToolCall) -> str:
    """A call of a model, which may lack what makes it readable."""
    said = _call(call.name, "?" if call.arguments is None else call.arguments)
    return f"{said} {NO_ID}" if call.id is None else said


def _call(name: object, arguments: object) -> str:
    """A call as name and arguments in JSON; arguments of a model are its own text."""
    text = arguments if isinstance(arguments, str) else as_json(arguments)
    return f"{one_line(str(name or '?'), _VALUE)}({one_line(text, LINE)})"


def _question(entry: AceEntry) -> str:
    """The user's last words: questions of sessions hold the dialogue so far."""
    words = entry.question[-20_000:]
    last = max(words.rfind("user:"), words.rfind("user："))
    return one_line(words[last + 5 :] if last >= 0 else words, LINE)


def _answer(entry: AceEntry) -> tuple[str, ...]:
    if entry.kind.group == "agent":
        steps: Sequence[str] = entry.milestones[0] if entry.milestones else ()
        return tuple(one_line(step, LINE) for step in steps[:8])
    answer = entry.answers[0] if entry.answers else None
    if entry.kind.group == "normal" and isinstance(answer, Mapping):
        return tuple(_call(key, arguments) for key, arguments in answer.items())
    return (f"{ANSWERS} {one_line(answer if isinstance(answer, str) else as_json(answer), LINE)}",)
