"""Prediction files of the original projects, read as trajectories.

Source: docs/rules.md#result-files-of-the-original-projects.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.history import gold_dialogue, plain_dialogue
from toolgauge.benchmarks.original_files import language_in_name, language_in_texts
from toolgauge.chat import Message, Reply, Usage
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


# The bulk of a line is the requests that were sent; fields that the structs below do not name are skipped unread, and
# messages are decoded where they are needed.


class _Output(Struct):
    """One recorded model output; every field may hold anything."""

    content: object = None
    tool_calls: object = None
    reasoning_content: object = None


class _Sent(Struct):
    """A message that was sent; every field may hold anything."""

    role: object = None
    content: object = None
    tool_calls: object = None
    tool_call_id: object = None


class _Input(Struct):
    messages: msgspec.Raw = msgspec.Raw(b"[]")


class _Step(Struct):
    inference_output: _Output | _NoObject = None
    inference_input: _Input | _NoObject = None


class _Task(Struct):
    inference_log: dict[str, _Step | _NoObject] = {}
    latency: object = None
    input_token_count: object = None
    output_token_count: object = None
    action_name_label: object = None


class _SessionLine(Struct):
    """WildToolBench's line."""

    id: str
    result: list[_Task] | str


class _TaskLine(Struct):
    """MMTB's line, and that of earlier versions of WildToolBench."""

    id: object
    idx: int
    predict_label: object = None
    predict_result: list[_Output] | None = None
    messages: msgspec.Raw = msgspec.Raw(b"[]")
    messages_length: object = None
    answer_list: object = None


class _AnyLine(Struct):
    """What tells layouts apart."""

    id: object = None
    result: msgspec.Raw = msgspec.Raw(b"")
    idx: object = None
    process: msgspec.Raw = msgspec.Raw(b"")


class _Log(Struct):
    begin_of_current_task: object = None


class _Logged(Struct):
    inference_log: _Log | _NoObject = None


class _Texts(Struct):
    """Where a line of either layout has what the user says."""

    task: object = None
    result: list[_Logged | str | int | float | bool | None] | dict[str, Any] | str | int | float | bool | None = None


LOOKED_AT = 50
"""Lines of a file whose language is looked for."""


def language_recorded(file: Path) -> str | None:
    """The language of a result file, by what users say in it, else by its name; None where neither tells."""
    texts: list[str] = []
    for _number, line in islice(numbered_lines(file), LOOKED_AT):
        try:
            said = msgspec.json.decode(line, type=_Texts)
        except (ValueError, RecursionError):
            continue
        results = said.result if isinstance(said.result, list) else []
        logs = [one.inference_log for one in results if isinstance(one, _Logged)]
        begun = [log.begin_of_current_task for log in logs if isinstance(log, _Log)]
        found = [said.task, *(message.get("content") for message in begun if isinstance(message, dict))]
        texts += [text for text in found if isinstance(text, str)]
    return language_in_texts(texts) or language_in_name(file)


def results_in(folder: Path) -> list[Path]:
    """The result files in a folder: right in it, and in the folders of models; runs of ours are none."""
    if (folder / "run.json").exists():
        return []
    found: list[Path] = []
    for one in sorted(folder.iterdir()):
        if one.is_dir() and not one.is_symlink() and not (one / "run.json").exists():
            found += [file for file in sorted(one.iterdir()) if _is_result(file)]
        elif _is_result(one):
            found.append(one)
    return found


def _is_result(file: Path) -> bool:
    return file.is_file() and file.name.endswith((".jsonl", ".jsonl.merge")) and not file.name.endswith("_score.jsonl")


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

        Raises DataError (file:line) where a line cannot be read, names a session that the data file does not have, or
        was recorded with other answers than the data's.
        """
        seen: set[str] = set()
        read = _task_line if self._has_tasks() else _session_line
        for number, line in numbered_lines(self.file):
            for trajectory in read(self, line, number):
                if trajectory.task_id not in seen:
                    seen.add(trajectory.task_id)
                    yield trajectory

    def _has_tasks(self) -> bool:
        """Is each line that of a task, not of a session? Raises DataError for a file of another benchmark."""
        for number, line in numbered_lines(self.file):
            fields = self.decode(line, _AnyLine, number)
            if fields.idx is not None:
                return True
            result = bytes(fields.result).lstrip()
            if bytes(fields.process) or (result[:1] == b'"' and fields.id not in self.dataset.by_id):
                raise DataError("a result file of ACEBench; use --benchmark acebench", self.file, number)
            if self.family == "mmtb" and result:
                raise DataError("a result file of WildToolBench; use --benchmark wildtoolbench", self.file, number)
            break
        return self.family == "mmtb"

    def opening(self, session_id: str, index: int) -> tuple[Message, ...]:
        """What was said before a task, by the data: for files that do not hold it."""
        session = self.dataset.by_id[session_id]
        return (plain_dialogue if self.family == "mmtb" else gold_dialogue)(session, index)

    def decode(self, line: bytes, kind: type[T], number: int) -> T:
        """A line as a struct; what strict readers refuse (NaN, lone surrogates) is read as Python's json does."""
        try:
            return msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as strict:
            try:
                return msgspec.convert(_with_raw(json.loads(line), kind), kind)
            except msgspec.ValidationError as error:
                raise DataError(f"invalid result line of {self.family}: {error}", self.file, number) from error
            except (ValueError, RecursionError):
                raise DataError(f"invalid JSON: {strict}", self.file, number) from strict

    def recording(self, session_id: str, index: int, steps: Sequence[Step], label: object) -> Trajectory:
        """label: what the original runner noted of the names while it asked, to be held against our reading of them."""
        extra = {RECORDED: label} if label in (CORRECT, ERROR) else {}
        made = list(steps)
        if made and not made[0].messages:
            made[0] = msgspec.structs.replace(made[0], messages=self.opening(session_id, index))
        tools = self.dataset.by_id[session_id].tools
        return Trajectory(f"{session_id}/{index}", session_id, tuple(made), index, 0, tools, Stop.RECORDING, extra)

    def check_answers(self, session_id: str, index: int, answers: object, number: int) -> None:
        """Raise DataError where a task was recorded with other annotated calls than those of the data."""
        if not isinstance(answers, list) or not answers:
            return
        gold = [(call.name, call.arguments) for call in self.dataset.by_id[session_id].tasks[index].calls]
        told = [one.get("action") for one in answers if isinstance(one, dict)]
        if [(one.get("name"), one.get("arguments")) for one in told if isinstance(one, dict)] != gold:
            raise DataError(
                f"the recorded answers of {session_id}/{index} are not those of {self.dataset.name} in "
                f"{self.dataset.language} ({self.dataset.file}); give the data file that these results were made with "
                "(--data), or its language (--language)",
                self.file,
                number,
            )

    def check_known(self, session_id: str, task_index: int, number: int) -> None:
        session = self.dataset.by_id.get(session_id)
        if session is None:
            raise DataError(
                f"session {session_id!r} is not in {self.dataset.name}; is this its data file?", self.file, number
            )
        if not 0 <= task_index < len(session.tasks):
            raise DataError(f"session {session_id!r} has no task {task_index}", self.file, number)


def _session_line(predictions: GraphPredictions, line: bytes, number: int) -> Iterator[Trajectory]:
    session = predictions.decode(line, _SessionLine, number)
    if isinstance(session.result, str):  # the released runner gave the whole session up: nothing was recorded
        predictions.check_known(session.id, 0, number)
        predictions.unusable[session.id] = session.result
        return
    for index, task in enumerate(session.result):
        predictions.check_known(session.id, index, number)
        steps: list[Step] = []
        known = 0
        while (step := f"step_{len(steps)}") in task.inference_log:
            entry = task.inference_log[step]
            asked = entry.inference_input if isinstance(entry, _Step) else None
            output = entry.inference_output if isinstance(entry, _Step) else None
            new = _messages(asked.messages, known) if isinstance(asked, _Input) else ()
            read = output if isinstance(output, _Output) else _Output()  # an unreadable step is an empty output
            tokens = [int(_entry(counts, len(steps))) for counts in (task.input_token_count, task.output_token_count)]
            steps.append(Step(new, _reply(read, float(_entry(task.latency, len(steps))), Usage(*tokens))))
            known += len(new)
        yield predictions.recording(session.id, index, steps, task.action_name_label)


def _task_line(predictions: GraphPredictions, line: bytes, number: int) -> Iterator[Trajectory]:
    task = predictions.decode(line, _TaskLine, number)
    session_id = "".join(map(str, task.id)) if isinstance(task.id, list) else str(task.id)
    predictions.check_known(session_id, task.idx, number)
    predictions.check_answers(session_id, task.idx, task.answer_list, number)
    said = _messages(task.messages)
    begun = task.messages_length if type(task.messages_length) is int else len(said)
    replied = [place for place, one in enumerate(said) if place >= begun and one.role == "assistant"]
    ends = [min(begun, len(said)), *replied[1:], len(said)]
    starts = [0, *replied]
    steps = []
    for place, output in enumerate(task.predict_result or ()):
        new = said[starts[place] : ends[place]] if place < len(starts) else ()
        steps.append(Step(new, _identified(_reply(output, 0.0, Usage()))))
    yield predictions.recording(session_id, task.idx, steps, task.predict_label)


def _with_raw(value: object, kind: type[Any]) -> object:
    """A decoded line with what the struct leaves undecoded as text again."""
    if not isinstance(value, dict):
        return value
    for name in (field.name for field in msgspec.structs.fields(kind) if field.type is msgspec.Raw):
        if name in value:
            value[name] = _raw(value[name])
    tasks = value.get("result")
    for task in tasks if isinstance(tasks, list) else ():
        log = task.get("inference_log") if isinstance(task, dict) else None
        for step in log.values() if isinstance(log, dict) else ():
            asked = step.get("inference_input") if isinstance(step, dict) else None
            if isinstance(asked, dict) and "messages" in asked:
                asked["messages"] = _raw(asked["messages"])
    return value


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def _messages(raw: msgspec.Raw, known: int = 0) -> tuple[Message, ...]:
    """The messages of a list behind the first `known`, as far as they can be read; none of anything but a list."""
    try:
        if not known:
            return tuple(map(_message, msgspec.json.decode(raw, type=list[_Sent])))
        return tuple(
            _message(msgspec.json.decode(one, type=_Sent))
            for one in msgspec.json.decode(raw, type=list[msgspec.Raw])[known:]
        )
    except (ValueError, RecursionError):
        return ()


def _message(sent: _Sent) -> Message:
    content, answered = sent.content, sent.tool_call_id
    text = content if content is None or isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    calls = message_reply({"tool_calls": sent.tool_calls}).tool_calls if sent.tool_calls else ()
    role = sent.role if isinstance(sent.role, str) else "user"
    return Message(role, text, calls, answered if isinstance(answered, str) else None)


def _identified(reply: Reply) -> Reply:
    """With an id for every call: MMTB's handlers of local models record none, and its analysis asks for none."""
    calls = tuple(
        call if call.id is not None else msgspec.structs.replace(call, id=f"call_{position}")
        for position, call in enumerate(reply.tool_calls)
    )
    return msgspec.structs.replace(reply, tool_calls=calls)


def _entry(values: object, step: int) -> float:
    """The measure of one step, 0 where the file has none."""
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
