"""Prediction files of the original projects, read as trajectories.

Source: docs/rules.md#result-files-of-the-original-projects.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Usage
from toolgauge.data.lines import numbered_lines
from toolgauge.data.session import Dataset
from toolgauge.episode import Step, Stop, Trajectory
from toolgauge.errors import DataError
from toolgauge.judge.verdict import CORRECT, ERROR
from toolgauge.models.replies import message_reply

T = TypeVar("T")
RECORDED = "recorded_label"
"""Under this key a trajectory's extra holds the label that the original runner gave to its calls' names."""
_NoObject = str | int | float | bool | list[Any] | None
"""Any JSON value but an object: where an object is expected, these are read too, and count as nothing."""


# The bulk of a line is the requests that were sent; fields that the structs below do not name are skipped unread.


class _Output(Struct):
    """One recorded model output; every field may hold anything."""

    content: object = None
    tool_calls: object = None
    reasoning_content: object = None


class _Step(Struct):
    inference_output: _Output | _NoObject = None


class _Task(Struct):
    inference_log: dict[str, _Step | _NoObject] = {}
    latency: object = None
    input_token_count: object = None
    output_token_count: object = None
    action_name_label: object = None


class _SessionLine(Struct):
    id: str
    result: list[_Task] | str


class _TaskLine(Struct):
    id: object
    idx: int
    predict_label: object = None
    predict_result: list[_Output] | None = None


class GraphPredictions(Struct):
    """What a prediction file holds, and how to read it.

    family: whose layout it has; unusable: ids of sessions that hold an error instead of results, with that text.
    """

    family: str
    file: Path
    dataset: Dataset
    unusable: dict[str, str] = {}

    def files(self) -> list[Path]:
        return [self.file]

    def setup(self) -> Setup:
        """A result file says of nothing that it was left out: the whole data set counts as asked."""
        return Setup()

    def __iter__(self) -> Iterator[Trajectory]:
        """The trajectories in the order of the file; of a task that stands there twice, the first.

        Raises DataError (file:line) where a line cannot be read or names a session that the data file does not have.
        """
        read = _mmtb_line if self.family == "mmtb" else _wildtoolbench_line
        seen: set[str] = set()
        for number, line in numbered_lines(self.file):
            for trajectory in read(self, line, number):
                if trajectory.task_id not in seen:
                    seen.add(trajectory.task_id)
                    yield trajectory

    def decode(self, line: bytes, kind: type[T], number: int) -> T:
        """A line as a struct; what strict readers refuse (NaN, lone surrogates) is read as Python's json does."""
        try:
            return msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as strict:
            try:
                return msgspec.convert(json.loads(line), kind)
            except msgspec.ValidationError as error:
                raise DataError(f"invalid result line of {self.family}: {error}", self.file, number) from error
            except (ValueError, RecursionError):
                raise DataError(f"invalid JSON: {strict}", self.file, number) from strict

    def check_known(self, session_id: str, task_index: int, number: int) -> None:
        session = self.dataset.by_id.get(session_id)
        if session is None:
            raise DataError(
                f"session {session_id!r} is not in {self.dataset.name}; is this its data file?", self.file, number
            )
        if not 0 <= task_index < len(session.tasks):
            raise DataError(f"session {session_id!r} has no task {task_index}", self.file, number)


def _wildtoolbench_line(predictions: GraphPredictions, line: bytes, number: int) -> Iterator[Trajectory]:
    session = predictions.decode(line, _SessionLine, number)
    if isinstance(session.result, str):  # the released runner gave the whole session up: nothing was recorded
        predictions.check_known(session.id, 0, number)
        predictions.unusable[session.id] = session.result
        return
    for index, task in enumerate(session.result):
        predictions.check_known(session.id, index, number)
        steps: list[Step] = []
        while (step := f"step_{len(steps)}") in task.inference_log:
            output = _output(task.inference_log[step])
            steps.append(Step((), _reply(output, *_measured(task, len(steps)))))
        yield _recording(session.id, index, steps, task.action_name_label)


def _output(step: _Step | _NoObject) -> _Output:
    """What a step recorded; an unreadable step is an empty output."""
    output = step.inference_output if isinstance(step, _Step) else None
    return output if isinstance(output, _Output) else _Output()


def _mmtb_line(predictions: GraphPredictions, line: bytes, number: int) -> Iterator[Trajectory]:
    task = predictions.decode(line, _TaskLine, number)
    session_id = "".join(map(str, task.id)) if isinstance(task.id, list) else str(task.id)
    predictions.check_known(session_id, task.idx, number)
    steps = [Step((), _identified(_reply(output, 0.0, Usage()))) for output in task.predict_result or ()]
    yield _recording(session_id, task.idx, steps, task.predict_label)


def _recording(session_id: str, index: int, steps: Iterable[Step], label: object) -> Trajectory:
    """label: what the original runner noted of the names while it asked, to be held against our reading of them."""
    extra = {RECORDED: label} if label in (CORRECT, ERROR) else {}
    return Trajectory(f"{session_id}/{index}", session_id, tuple(steps), index, stopped=Stop.RECORDING, extra=extra)


def _identified(reply: Reply) -> Reply:
    """With an id for every call: MMTB's handlers of local models record none, and its analysis asks for none."""
    calls = tuple(
        call if call.id is not None else msgspec.structs.replace(call, id=f"call_{position}")
        for position, call in enumerate(reply.tool_calls)
    )
    return msgspec.structs.replace(reply, tool_calls=calls)


def _measured(task: _Task, step: int) -> tuple[float, Usage]:
    """Latency (seconds) and tokens of one step, 0 where the file has none."""

    tokens = Usage(int(_entry(task.input_token_count, step)), int(_entry(task.output_token_count, step)))
    return float(_entry(task.latency, step)), tokens


def _entry(values: object, step: int) -> float:
    found = values[step] if isinstance(values, list) and step < len(values) else 0
    return found if isinstance(found, (int, float)) and 0 <= found < 1e12 else 0


def _reply(output: _Output, latency: float, usage: Usage) -> Reply:
    """A recorded output, read like an endpoint's message: whatever is missing or misshapen stays missing."""
    message = {
        "content": output.content,
        "tool_calls": output.tool_calls,
        "reasoning_content": output.reasoning_content,
    }
    return msgspec.structs.replace(message_reply(message, usage=usage), latency=latency)
