"""A tau2-bench of one small domain, in the shape of the parts that toolgauge_tau2.original uses: a house with lamps.

`install` makes it importable under the names of the real one, with a folder of data in its layout.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from enum import Enum
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal

import pytest
from pydantic import BaseModel

import toolgauge_tau2

Json = dict[str, Any]
DOMAIN = "lamps"
TASKS: list[Json] = [
    {
        "id": "hall",
        "user_scenario": {"instructions": "You want light in the hall, and to know what it costs."},
        "evaluation_criteria": {
            "actions": [{"name": "switch", "arguments": {"lamp": "hall", "on": True}}],
            "communicate_info": ["5 cents"],
            "nl_assertions": ["The agent is kind."],
            "reward_basis": ["DB", "COMMUNICATE", "NL_ASSERTION"],
        },
    },
    {
        "id": "[cellar]fuse|lamp",
        "user_scenario": {"instructions": {"reason_for_call": "You want light in the cellar, where the fuse is out."}},
        "initial_state": {"initialization_actions": [{"func_name": "blow_fuse", "arguments": {}}]},
        "evaluation_criteria": {
            "actions": [
                {"name": "put_fuse_in", "arguments": {}, "requestor": "user"},
                {"name": "switch", "arguments": {"lamp": "cellar", "on": True}},
            ],
            "reward_basis": ["DB"],
        },
    },
    {"id": "never asked", "user_scenario": {"instructions": ""}, "evaluation_criteria": {}},
]


class ToolCall(BaseModel):
    id: str = ""
    name: str
    arguments: dict[str, Any]
    requestor: str = "assistant"


class Said(BaseModel):
    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: list[ToolCall] | None = None
    id: str | None = None
    requestor: str | None = None
    error: bool | None = None
    raw_data: dict[str, Any] | None = None


class InitialState(BaseModel):
    initialization_data: None = None
    initialization_actions: list[dict[str, Any]] | None = None
    message_history: list[Said] | None = None


class Task(BaseModel):
    id: str
    user_scenario: dict[str, Any]
    initial_state: InitialState | None = None
    evaluation_criteria: dict[str, Any]


class Reason(Enum):
    user_stop = "user_stop"
    max_steps = "max_steps"
    too_many_errors = "too_many_errors"


class SimulationRun(BaseModel):
    termination_reason: Reason
    messages: list[Said]


class House(BaseModel):
    lamps: dict[str, bool] = {"hall": False, "cellar": False}
    fuses: list[bool] = [True]


class World:
    """The house; agent and user have a kit each, and one state."""

    def __init__(self) -> None:
        self.tools, self.user_tools = SimpleNamespace(db=House()), None

    def set_state(self, _data: None, actions: list[Json] | None, history: list[Said]) -> None:
        if actions:
            self.tools.db.fuses[0] = False
        for message in history:
            for call in message.tool_calls or ():
                self.response(call)

    def make_tool_call(self, tool_name: str, requestor: str = "assistant", **arguments: Any) -> str:
        if (requestor, tool_name) == ("user", "put_fuse_in"):
            self.tools.db.fuses[0] = True
        elif (requestor, tool_name) == ("assistant", "switch"):
            if not self.tools.db.fuses[0]:
                raise ValueError("no current")
            self.tools.db.lamps[arguments["lamp"]] = arguments["on"]
        else:
            raise ValueError(f"no tool {tool_name}")
        return "done"

    def response(self, call: ToolCall) -> Said:
        try:
            content, error = self.make_tool_call(call.name, call.requestor, **call.arguments), False
        except Exception as problem:
            content, error = f"Error: {problem}", True
        return Said(role="tool", id=call.id, content=content, requestor=call.requestor, error=error)


def _tool(name: str) -> Any:
    parameters = {"type": "object", "properties": {"lamp": {"type": "string"}, "on": {"type": "boolean"}}}
    return SimpleNamespace(openai_schema={"type": "function", "function": {"name": name, "parameters": parameters}})


class Orchestrator:
    """Greeting, user, agent, in turn; whoever calls tools speaks again with their results."""

    def __init__(self, config: Any, task: Task) -> None:
        self.config, self.task, self.world = config, task, World()
        self.said = [Said(role="assistant", content="Hello?")]

    def get_trajectory(self) -> list[Said]:
        return self.said

    def run(self) -> SimulationRun:
        start = self.task.initial_state
        self.world.set_state(None, start.initialization_actions if start else None, [])
        speaks, errors = "user", 0
        while len(self.said) <= self.config.max_steps and errors < self.config.max_errors:
            message = self._message(speaks)
            self.said.append(message)
            if "###STOP###" in (message.content or ""):
                return self._run(Reason.user_stop)
            if message.tool_calls:
                results = [self.world.response(call) for call in message.tool_calls]
                self.said += results
                errors += sum(bool(result.error) for result in results)
            else:
                speaks = "assistant" if speaks == "user" else "user"
        return self._run(Reason.too_many_errors if errors >= self.config.max_errors else Reason.max_steps)

    def _run(self, reason: Reason) -> SimulationRun:
        return SimulationRun(termination_reason=reason, messages=self.said)

    def _message(self, speaks: str) -> Said:
        module = MODULES["tau2.agent.llm_agent" if speaks == "assistant" else "tau2.user.user_simulator"]
        name = "agent_response" if speaks == "assistant" else "user_simulator_response"
        system = Said(role="system", content="A house." if speaks == "assistant" else str(self.task.user_scenario))
        seen = [one if speaks == "assistant" else _flipped(one) for one in self.said if self._hears(speaks, one)]
        tools = [_tool("switch")] if speaks == "assistant" else [_tool("put_fuse_in")]
        reply = module.generate(model="", messages=[system, *seen], tools=tools, call_name=name)
        calls = [call.model_copy(update={"requestor": speaks}) for call in reply.tool_calls or ()]
        return Said(role=speaks, content=reply.content, tool_calls=calls or None, raw_data=reply.raw_data)  # type: ignore[arg-type]

    @staticmethod
    def _hears(speaks: str, message: Said) -> bool:
        return message.requestor in (None, speaks) and (message.role == speaks or not message.tool_calls)


def _flipped(message: Said) -> Said:
    roles = {"user": "assistant", "assistant": "user"}
    return message.model_copy(update={"role": roles.get(message.role, message.role), "raw_data": None})


class NLAssertionsEvaluator:
    @classmethod
    def calculate_reward(cls, _task: Task, full_trajectory: list[Said]) -> list[Json]:
        said = [Said(role="user", content="\n".join(str(one.content) for one in full_trajectory))]
        reply = MODULES["tau2.evaluator.evaluator_nl_assertions"].generate(
            model="", messages=said, call_name="nl_assertions_eval"
        )
        return [
            {"met": one["metExpectation"], "text": one["expectedOutcome"]}
            for one in json.loads(reply.content)["results"]
        ]


def to_litellm_messages(messages: list[Said]) -> list[Json]:
    """As OpenAI's API has them."""
    every = []
    for message in messages:
        calls = [
            {"id": call.id, "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
            for call in message.tool_calls or ()
        ]
        every.append(
            {"role": message.role, "content": message.content, "tool_calls": calls, "tool_call_id": message.id}
        )
    return every


class Part(Enum):
    DB = "DB"
    COMMUNICATE = "COMMUNICATE"
    NL_ASSERTION = "NL_ASSERTION"


def evaluate_simulation(simulation: SimulationRun, task: Task, _kind: str, _solo: bool, _domain: str) -> Any:
    if simulation.termination_reason != Reason.user_stop:
        return _info(0.0, {}, info={"note": f"ended early: {simulation.termination_reason.value}"})
    due, start = task.evaluation_criteria, task.initial_state
    expected, actual = World(), World()
    for world in (expected, actual):
        world.set_state(
            None, start.initialization_actions if start else None, [] if world is expected else simulation.messages
        )
    for action in due["actions"]:
        expected.make_tool_call(action["name"], action.get("requestor", "assistant"), **action["arguments"])
    words = " ".join(one.content or "" for one in simulation.messages if one.role == "assistant")
    communicated = [SimpleNamespace(info=one, met=one in words) for one in due.get("communicate_info", ())]
    judged = NLAssertionsEvaluator.calculate_reward(task, simulation.messages) if "nl_assertions" in due else []
    every = {
        Part.DB: float(expected.tools.db == actual.tools.db),
        Part.COMMUNICATE: float(all(one.met for one in communicated)),
        Part.NL_ASSERTION: float(all(one["met"] for one in judged)),
    }
    parts = {part: value for part, value in every.items() if part.value in due["reward_basis"]}
    checks = [SimpleNamespace(nl_assertion=one["text"], justification="seen", met=one["met"]) for one in judged]
    return _info(float(min(parts.values())), parts, communicate_checks=communicated, nl_assertions=checks)


def _info(reward: float, parts: dict[Part, float], **more: Any) -> Any:
    empty: Json = {"action_checks": None, "env_assertions": None, "communicate_checks": None, "nl_assertions": None}
    return SimpleNamespace(reward=reward, reward_breakdown=parts, **{**empty, "info": {}, **more})


def _module(name: str, **content: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(content)
    return module


def _constructor(_domain: str) -> Callable[[], World]:
    return World


MODULES = {
    one.__name__: one
    for one in (
        _module("tau2"),
        _module("tau2.agent"),
        _module("tau2.agent.llm_agent", generate=None),
        _module("tau2.data_model"),
        _module("tau2.data_model.message", AssistantMessage=Said, ToolCall=ToolCall),
        _module("tau2.data_model.simulation", SimulationRun=SimulationRun, TextRunConfig=SimpleNamespace),
        _module("tau2.data_model.tasks", Task=Task),
        _module("tau2.evaluator"),
        _module(
            "tau2.evaluator.evaluator",
            EvaluationType=SimpleNamespace(ALL="all"),
            evaluate_simulation=evaluate_simulation,
        ),
        _module("tau2.evaluator.evaluator_nl_assertions", generate=None, NLAssertionsEvaluator=NLAssertionsEvaluator),
        _module("tau2.registry", registry=SimpleNamespace(get_env_constructor=_constructor)),
        _module("tau2.runner"),
        _module("tau2.runner.build", build_text_orchestrator=Orchestrator),
        _module("tau2.utils"),
        _module("tau2.utils.llm_utils", to_litellm_messages=to_litellm_messages),
        _module("tau2.user"),
        _module("tau2.user.user_simulator", generate=None),
    )
}


def install(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Put the small tau2-bench where the real one is looked for, with its data in a folder."""
    for name in [name for name in sys.modules if name.split(".")[0] == "tau2"]:
        patch.delitem(sys.modules, name)
    for name, module in MODULES.items():
        patch.setitem(sys.modules, name, module)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(MODULES[parent], child, module)
    MODULES["tau2"].__spec__ = spec = ModuleSpec("tau2", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    ours = "toolgauge_tau2.original"
    patch.setitem(sys.modules, ours, None)  # so that what is there, or nothing, comes back in the end
    patch.setattr(toolgauge_tau2, "original", None, raising=False)
    del sys.modules[ours]
    import_module(ours)
    data = folder / "tau2" / "domains" / DOMAIN
    data.mkdir(parents=True)
    (data / "tasks.json").write_text(json.dumps(TASKS), "utf-8")
    (data / "split_tasks.json").write_text(json.dumps({"base": [task["id"] for task in TASKS[:2]]}), "utf-8")
    patch.setenv("TAU2_DATA_DIR", str(folder))
