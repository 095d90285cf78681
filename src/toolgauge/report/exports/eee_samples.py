"""The tasks of a run as samples of Every Eval Ever: what was said, and whether it was right."""

from __future__ import annotations

import json

from toolgauge.analysis.glossary import scoring_name
from toolgauge.data.lines import as_json
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import Score
from toolgauge.report.exports.conversations import messages_of, model_steps
from toolgauge.report.exports.eee_records import (
    SCHEMA_VERSION,
    Attribution,
    EvaluatedSample,
    Evaluation,
    Performance,
    SampleCall,
    SampleInput,
    SampleMessage,
    TokenUsage,
    texts,
)
from toolgauge.report.exports.hub_rows import HubCall, HubMessage, hub_messages

AGENTIC = "agentic"
"""Of a conversation with tools, as the schema calls it."""


def sample(
    trajectory: Trajectory, score: Score, reading: str, evaluation: tuple[str, str, str, str]
) -> EvaluatedSample:
    """A task of a conversation. evaluation: ids of evaluation and model, name and id of the result it counts in."""
    evaluation_id, model_id, name, result_id = evaluation
    steps = model_steps(trajectory, score.task_index if trajectory.task_index is None else None)
    own = [step for step in steps if step.task_index == score.task_index] or steps
    said = hub_messages(messages_of(steps))
    verdict, cause = score.readings[reading], score.cause(reading)
    return EvaluatedSample(
        evaluation_id=evaluation_id,
        model_id=model_id,
        evaluation_name=name,
        evaluation_result_id=result_id,
        sample_id=score.task_id,
        interaction_type=AGENTIC,
        input=SampleInput(next((one.content for one in reversed(said) if one.role == "user" and one.content), "")),
        messages=tuple(_message(place, one) for place, one in enumerate(said)),
        answer_attribution=_answer(said, reading),
        evaluation=Evaluation(
            float(verdict.correct), verdict.correct, len(own) or None, sum(len(step.reply.tool_calls) for step in own)
        ),
        schema_version=SCHEMA_VERSION,
        token_usage=_tokens(own),
        performance=Performance(round(1000 * sum(step.reply.latency for step in own), 1)),
        metadata=texts(
            session_id=score.session_id,
            mistake=cause.mistake if cause else None,
            why=cause.why.detail if cause and cause.why else None,
        ),
    )


def _answer(said: tuple[HubMessage, ...], reading: str) -> tuple[Attribution, ...]:
    """The last message: its calls, or its words."""
    if not said:
        return ()
    place, last = len(said) - 1, said[-1]
    calls = [{"name": one.function.name, "arguments": one.function.arguments} for one in last.tool_calls]
    part, value = ("tool_calls", as_json(calls)) if calls else ("content", last.content or "")
    return (Attribution(place, f"messages[{place}].{part}", value, f"toolgauge, scoring: {scoring_name(reading)}"),)


def _tokens(steps: list[Step]) -> TokenUsage | None:
    used = sum(step.reply.usage.input_tokens for step in steps), sum(step.reply.usage.output_tokens for step in steps)
    return TokenUsage(*used, sum(used)) if any(used) else None


def _message(place: int, message: HubMessage) -> SampleMessage:
    return SampleMessage(
        place,
        message.role,
        message.content,
        message.reasoning,
        tuple(map(_call, message.tool_calls)),
        None if message.tool_call_id is None else (message.tool_call_id,),
    )


def _call(call: HubCall) -> SampleCall:
    """Arguments are texts there; what is no JSON object stands under one name."""
    try:
        read: object = json.loads(call.function.arguments)
    except (ValueError, RecursionError):
        read = None
    found = read if isinstance(read, dict) else {"arguments": call.function.arguments}
    written = {name: value if isinstance(value, str) else as_json(value) for name, value in found.items()}
    return SampleCall(call.id, call.function.name, written)
