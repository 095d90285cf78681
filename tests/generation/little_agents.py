"""A prompter for scripted agents over the four tools of dialogues.py, and generations that are played by them.

It knows one way through every kind of task, and on the way it makes what real agents make: the planner's first try of
every second task names a tool that is not there, every third dialogue's first user says something unreadable, and the
tools of every second dialogue forget an observation once.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.generation.dialogues import TOOLS
from toolgauge.annotation.dialogue import Speaker
from toolgauge.chat import GoldHint, Reply, Usage
from toolgauge.data.session import ASK, FINAL
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.spec import GenerationPlan, plan_generation
from toolgauge.generation.state import AgentRequest, DialogueState
from toolgauge.runs.roles import Role
from toolgauge.tools.toollist import ToolList

POOL = tuple(ToolList(f"list-{number}", TOOLS, f"List {number}") for number in range(3))
CITIES = {"en": ("Oslo", "Bergen"), "zh": ("奥斯陆", "卑尔根")}
WORDS = {
    "en": {
        "single": "What is the weather in {city}, please?",
        "multi": "Weather in {city} and {other}?",
        "clarify": "What will the weather be like?",
        "chat": "Why is the sky blue?",
        "question": "Which city do you mean?",
        "vague": "The usual one.",
        "full": "{city}, of course.",
        "agent_answer": "It is **grey** in {city}.",
        "agent_answer_chat": "Because air scatters blue light most.",
    },
    "zh": {
        "single": "请问{city}的天气怎么样？",
        "multi": "{city}和{other}的天气如何？",
        "clarify": "天气会怎么样？",
        "chat": "天空为什么是蓝色的？",
        "question": "请问是哪座城市？",
        "vague": "老地方。",
        "full": "当然是{city}。",
        "agent_answer": "{city}**多云**。",
        "agent_answer_chat": "因为空气对蓝光的散射最强。",
    },
}


def little_hints(state: DialogueState, ask: AgentRequest) -> GoldHint:
    """What the agent asked says."""
    text = getattr(_Agents(state, ask), ask.role)()
    return GoldHint("final", Reply(text, usage=Usage(len(text), 7)))


class _Agents:
    def __init__(self, state: DialogueState, ask: AgentRequest) -> None:
        self.state, self.ask = state, ask
        self.words, (self.city, self.other) = WORDS[state.language], CITIES[state.language]
        self.mark = zlib.crc32(state.record.key.encode())
        self.turns = [entry for entry in state.entries if entry.task == state.task]

    def user(self) -> str:
        if self.ask.agent in ("user_answer_ask", "user_vague_answer_ask"):
            return self._say("vague" if "vague" in self.ask.agent else "full")
        said = f"{self._say(self.state.tasks[-1].kind)} [{self.state.record.key}/{self.state.task}]"
        if self.state.task:
            return said
        if self.mark % 3 == 0 and not self.state.record.steps:
            return "{}"
        return json.dumps({f"Task {number}": f"{said} ({number})" for number in range(1, 4)}, ensure_ascii=False)

    def planner(self) -> str:
        decided = [turn for turn in self.turns if turn.speaker is Speaker.PLANNER]
        if not decided and self.state.task % 2:
            return self._decision(("no_such_tool", {}))
        kind, standing = self.state.tasks[-1].kind, [turn for turn in decided if turn.accepted]
        if any(turn.speaker is Speaker.TOOL and turn.accepted for turn in self.turns):
            return self._decision((FINAL, {"answer_type": "tool"}))
        if kind == "chat":
            return self._decision((FINAL, {"answer_type": "chat"}))
        if kind == "clarify" and (not standing or self.turns[-1].agent == "user_vague_answer_ask"):
            missing = [{"tool_name": "get_weather", "missing_required_parameters": ["city"]}]
            return self._decision((ASK, {"tool_list": missing}))
        cities = (self.city, self.other) if kind == "multi" else (self.city,)
        return self._decision(*(("get_weather", {"city": city}) for city in cities))

    def tool(self) -> str:
        last = next(turn for turn in reversed(self.turns) if turn.speaker is Speaker.PLANNER and turn.decision)
        assert last.decision is not None
        tried = any(turn.speaker is Speaker.TOOL for turn in self.turns)
        count = len(last.decision.actions) - (self.mark % 2 == 0 and not tried)
        results = [{"status_code": 200, "response": {"sky": "grey", "number": number}} for number in range(count)]
        return _block({"Observation_List": results})

    def agent(self) -> str:
        return self._say("question" if self.ask.agent == "agent_ask" else self.ask.agent)

    def checker(self) -> str:
        return _block({"tool_call_analysis": "", "correct": "yes"})

    def _say(self, name: str) -> str:
        return self.words[name].format(city=self.city, other=self.other)

    def _decision(self, *actions: tuple[str, dict[str, Any]]) -> str:
        listed = [{"name": name, "arguments": arguments, "tool_call_purpose": ""} for name, arguments in actions]
        finished = "yes" if actions[0][0] == FINAL else "no"
        return _block({"Task_Finish": finished, "Thought": "T", "Plan": "P", "Action_List": listed})


def _block(value: Any) -> str:
    return f"```json\n{json.dumps(value, ensure_ascii=False)}\n```"


def little_plan(
    out: Path, roles: dict[str, Role] | None = None, filters: tuple[str, ...] = ("none",), **options: Any
) -> GenerationPlan:
    """A generation over three equal lists, played by the agents above unless roles say otherwise; no gates."""
    plan = plan_generation(GenerationOptions(checks=filters, **options), "builtin/oracle", None, out, roles=roles)
    pool = POOL if plan.options.resume_from is None else ()
    return replace(plan, pool=pool, hints=little_hints)
