"""Writes result files as the original projects do (docs/rules.md#result-files-of-the-original-projects), from
trajectories of ours: for tests and benchmarks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory


def wildtoolbench_lines(dataset: Dataset, trajectories: Iterable[Trajectory], model: str = "m") -> Iterator[str]:
    """`Wild-Tool-Bench_result.jsonl`: a line per session, every step with the messages and tools that were sent."""
    by_id = {trajectory.task_id: trajectory for trajectory in trajectories}
    for session in dataset.sessions:
        results = [_task(by_id[session.task_id(task.index)]) for task in session.tasks]
        line = {"id": session.id, "result": results, "model_name": model}
        yield json.dumps(line, ensure_ascii=False) + "\n"


def _task(trajectory: Trajectory) -> dict[str, Any]:
    tools = [tool.wire() for tool in trajectory.tools]
    messages: list[dict[str, Any]] = []
    log: dict[str, Any] = {"task_idx": trajectory.task_index}
    for number, step in enumerate(trajectory.steps):
        messages = [*messages, *(message.wire() for message in step.messages)]
        log.setdefault("begin_of_current_task", messages[-1])
        reply = step.reply
        output = {
            "reasoning_content": reply.reasoning,
            "content": reply.content,
            "tool_calls": [call.wire() for call in reply.tool_calls] or None,
            "current_action_name_label": "correct",
        }
        answer = {"candidate_0_answer_function_list": {"action": [{"name": "x", "arguments": "{}"}]}}
        log[f"step_{number}"] = {
            "inference_input": {"messages": messages, "tools": tools},
            "inference_output": output,
            "inference_answer": answer,
        }
    return {
        "action_name_label": "correct",
        "is_optimal": True,
        "inference_log": log,
        "latency": [step.reply.latency for step in trajectory.steps],
        "input_token_count": [step.reply.usage.input_tokens for step in trajectory.steps],
        "output_token_count": [step.reply.usage.output_tokens for step in trajectory.steps],
    }


def mmtb_lines(dataset: Dataset, trajectories: Iterable[Trajectory]) -> Iterator[str]:
    """MMTB's result file: a line per task."""
    for trajectory in trajectories:
        session = dataset.by_id[trajectory.session_id]
        assert trajectory.task_index is not None
        task = session.tasks[trajectory.task_index]
        line = {
            "id": session.id,
            "idx": task.index,
            "messages": [message.wire() for step in trajectory.steps for message in step.messages],
            "messages_length": len(trajectory.steps[0].messages),
            "task": task.utterance,
            "tools": list(session.original_tools),
            "predict_result": [
                {
                    "step": number,
                    "content": step.reply.content,
                    "tool_calls": [call.wire() for call in step.reply.tool_calls] or None,
                }
                for number, step in enumerate(trajectory.steps)
            ],
            "predict_label": "correct",
            "predict_is_optimal": "True",
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"
