"""The scripted conversations in tau2-bench alone: its orchestrator, agent, user, evaluator and message conversion.

Only litellm's `completion`, which would go to a provider, is answered by the script.
"""

from __future__ import annotations

import json
import os
from typing import Any

os.environ.setdefault("LOGURU_LEVEL", "CRITICAL")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

from litellm import ModelResponse
from tau2.data_model.simulation import TextRunConfig
from tau2.data_model.tasks import Task
from tau2.runner import run_simulation
from tau2.runner.build import build_text_orchestrator
from tau2.utils import llm_utils

from tests_tau2.scripted import Json, Script, digest, plain

ROLES = {"agent": "assistant", "customer": "user"}


def verdict(script: Script, max_steps: int, max_errors: int) -> Json:
    """What tau2-bench says of a conversation: the reward, its parts, every single check; or that it gave up."""
    numbers, requests = iter(range(10_000)), []

    def completion(model: str, messages: list[Json], tools: Any = None, **_: Any) -> ModelResponse:
        role = ROLES.get(model, "judge")
        requests.append(plain(role, messages, tools or ()))
        reply = script.reply(role, messages)
        calls = [
            {"id": f"call_{next(numbers)}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for name, arguments in reply.calls
        ]
        message = {"role": "assistant", "content": reply.content, "tool_calls": calls or None}
        return ModelResponse(choices=[{"index": 0, "finish_reason": "stop", "message": message}], model="scripted")

    llm_utils.completion = completion
    llm_utils.completion_cost = lambda **_: 0.0
    config = TextRunConfig(
        domain=script.domain, llm_agent="agent", llm_user="customer", max_steps=max_steps, max_errors=max_errors
    )
    try:
        simulation = run_simulation(build_text_orchestrator(config, Task.model_validate(script.task)))
    except Exception as error:
        return {"gave_up": type(error).__name__}
    said = {"stopped": simulation.termination_reason.value, "requests": digest(requests)}
    return said | checks(simulation.reward_info)


def checks(info: Any) -> Json:
    """The reward and everything that it was made of."""
    kept = info.model_dump(mode="json", include={"reward", "reward_breakdown", "db_check", "action_checks"}) | {
        "env_assertions": [one.met for one in info.env_assertions or ()],
        "communicate": [one.met for one in info.communicate_checks or ()],
        "nl_assertions": [one.met for one in info.nl_assertions or ()],
    }
    kept["action_checks"] = [one["action_match"] for one in kept["action_checks"] or ()]
    plain: Json = json.loads(json.dumps(kept))
    return plain
