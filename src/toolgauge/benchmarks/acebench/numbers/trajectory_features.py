"""What the details want to know of a trajectory: the model's answer as a reader wants to see it, and what it cost."""

from __future__ import annotations

from typing import NamedTuple

from toolgauge.analysis.spreadsheets import clipped
from toolgauge.benchmarks.acebench.data import AceEntry
from toolgauge.benchmarks.acebench.judge.pairing import wrong_in_entry
from toolgauge.chat import Reply
from toolgauge.data.lines import as_json
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.wrong_arguments import as_rows


class EntryFeatures(NamedTuple):
    """One conversation. steps, tokens and latency (seconds) are those of the model that is measured."""

    answer: str
    style: str | None
    ended_by: str | None
    steps: int
    input_tokens: int
    output_tokens: int
    latency: float
    planted: str | None
    wrong_arguments: list[dict[str, str | None]] | None

    @staticmethod
    def of(entry: AceEntry, trajectory: Trajectory) -> EntryFeatures:
        replies = [step.reply for step in trajectory.steps if step.role == ASSISTANT]
        return EntryFeatures(
            answer=clipped(_answer(entry, trajectory, replies)),
            style=_text(trajectory.extra.get("style")),
            ended_by=_text(trajectory.extra.get("ended_by")),
            steps=len(replies),
            input_tokens=sum(reply.usage.input_tokens for reply in replies),
            output_tokens=sum(reply.usage.output_tokens for reply in replies),
            latency=round(sum(reply.seconds for reply in replies), 3),
            planted=next((reply.planted for reply in replies if reply.planted), None),
            wrong_arguments=as_rows(wrong_in_entry(entry, trajectory)) or None,
        )


def _answer(entry: AceEntry, trajectory: Trajectory, replies: list[Reply]) -> str:
    """The reply's text, its native calls as JSON, or (agents) the executed messages and the state at the end."""
    if entry.kind.group == "agent":
        return as_json({key: trajectory.extra.get(key) for key in ("process", "result")})
    if not replies:
        return ""
    calls = [call.wire()["function"] for call in replies[-1].tool_calls]
    return as_json(calls) if calls else replies[-1].content or ""


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
