"""The rows of a data set for Hugging Face's hub: every column has one type, whatever the runs hold.

data_card.py declares the columns from these Structs. What differs from tool to tool (schemas, arguments) is JSON text,
as in OpenAI's format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from toolgauge.chat import Message
from toolgauge.data.lines import as_json
from toolgauge.report.exports.conversations import all_right, epoch_of, judged, messages_of, model_steps
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.exports.training import openai_messages
from toolgauge.report.page import RunEntry

LARGEST = 2**63 - 1
"""Of a whole number there."""


class RunRow(Struct, frozen=True, kw_only=True):
    """Which run a row is of. run: the name that tells it apart from the others here. started: when, as text that
    `datasets` does not turn into a time without a zone; None where nobody knows."""

    benchmark: str
    language: str
    model: str
    run: str
    started: str | None


class TaskRow(RunRow, frozen=True, kw_only=True):
    """A task and the verdict on it in one scoring. correct: None without one; mistake, why: of a wrong one."""

    task_id: str
    session_id: str
    task_index: int
    epoch: int
    scoring: str
    correct: bool | None
    optimal: bool | None
    mistake: str | None
    why: str | None


class HubFunction(Struct, frozen=True):
    """arguments: JSON text, or whatever else the model wrote."""

    name: str
    arguments: str


class HubCall(Struct, frozen=True):
    id: str
    type: str
    function: HubFunction


class HubMessage(Struct, frozen=True):
    role: str
    content: str | None = None
    tool_calls: tuple[HubCall, ...] = ()
    tool_call_id: str | None = None
    reasoning: str | None = None


class ConversationRow(RunRow, frozen=True, kw_only=True):
    """What was said. task_id: of the session where it is all of its tasks. correct: all tasks in it are right.

    tools: a JSON list. requests: replies of the measured model; the tokens are what its provider counted, seconds how
    long it took to answer.
    """

    task_id: str
    session_id: str
    epoch: int
    correct: bool | None
    messages: tuple[HubMessage, ...]
    tools: str
    stopped: str | None
    requests: int
    input_tokens: int
    output_tokens: int
    seconds: float


class RateRow(RunRow, frozen=True, kw_only=True):
    """A number of metrics.json: correct of total, from 0 to 1, with its 95% interval."""

    scoring: str
    table: str
    row: str
    value: float | None
    low: float | None
    high: float | None
    correct: float
    total: int


def _run(entry: RunEntry) -> RunRow:
    moment = entry.run.manifest.started
    return RunRow(
        benchmark=entry.benchmark,
        language=entry.language,
        model=entry.run.model,
        run=entry.label,
        started=moment.replace("T", " ").replace("Z", " UTC") if moment else None,
    )


def task_rows(wanted: ExportRequest) -> Iterator[TaskRow]:
    """A row per task that was scored, in the order of the scores."""
    for entry in wanted.entries:
        scoring = wanted.scoring_of(entry)
        for score in entry.run.scores:
            verdict, cause = score.scorings.get(scoring), score.cause(scoring)
            yield TaskRow(
                **asdict(_run(entry)),
                task_id=score.task_id,
                session_id=score.session_id,
                task_index=score.task_index,
                epoch=epoch_of(score.task_id),
                scoring=scoring,
                correct=verdict.correct if verdict else None,
                optimal=verdict.optimal if verdict else None,
                mistake=cause.mistake if cause else None,
                why=cause.why.detail if cause and cause.why else None,
            )


def conversation_rows(wanted: ExportRequest) -> Iterator[ConversationRow]:
    """A row per conversation, in the order in which they ended."""
    for entry in wanted.entries:
        scoring = wanted.scoring_of(entry)
        for trajectory, scores in judged(entry.run):
            steps = model_steps(trajectory)
            replies = [step.reply for step in steps]
            yield ConversationRow(
                **asdict(_run(entry)),
                task_id=trajectory.task_id,
                session_id=trajectory.session_id,
                epoch=trajectory.epoch,
                correct=all_right(scores, scoring) if any(scoring in score.scorings for score in scores) else None,
                messages=hub_messages(messages_of(steps)),
                tools=as_json([tool.wire() for tool in trajectory.tools]),
                stopped=trajectory.stopped,
                requests=len(replies),
                input_tokens=min(sum(reply.usage.input_tokens for reply in replies), LARGEST),
                output_tokens=min(sum(reply.usage.output_tokens for reply in replies), LARGEST),
                seconds=round(sum(reply.latency for reply in replies), 3),
            )


def rate_rows(wanted: ExportRequest) -> Iterator[RateRow]:
    """A row per rate, in every scoring."""
    for entry in wanted.entries:
        for scoring, tables in entry.run.metrics.scorings.items():
            for table, rows in tables.items():
                for row, rate in rows.items():
                    low, high = rate.ci95 or (None, None)
                    yield RateRow(
                        **asdict(_run(entry)),
                        scoring=scoring,
                        table=table,
                        row=row,
                        value=rate.value,
                        low=low,
                        high=high,
                        correct=float(rate.correct),
                        total=rate.total,
                    )


def hub_messages(messages: tuple[Message, ...]) -> tuple[HubMessage, ...]:
    """Messages with every field, and an id for every call."""
    wires = openai_messages(messages)
    reasoned = [{**wire, "reasoning": one.reasoning} for wire, one in zip(wires, messages, strict=True)]
    return msgspec.convert(reasoned, tuple[HubMessage, ...])


CONFIGS: dict[str, tuple[type[RunRow], Callable[[ExportRequest], Iterator[RunRow]]]] = {
    "tasks": (TaskRow, task_rows),
    "conversations": (ConversationRow, conversation_rows),
    "rates": (RateRow, rate_rows),
}
"""Its parts, as `load_dataset` names them; the first is the default."""
