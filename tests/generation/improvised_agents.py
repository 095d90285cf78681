"""Agents that know nothing but definitions: plausible dialogues over any tools, for lists that nobody wrote words for.

What the user asks for holds every value of the calls in the user's own words; results are made up.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from toolgauge.annotation.dialogue import Speaker
from toolgauge.chat import GoldHint, Json, Reply, Tool
from toolgauge.data.session import ASK, FINAL
from toolgauge.generation.dialogue_options import GenerationOptions
from toolgauge.generation.spec import GenerationPlan, plan_generation
from toolgauge.generation.state import AgentRequest, DialogueState
from toolgauge.tools.toollist import read_tool_lists

Call = tuple[str, Json]
WORDS = {
    "en": {
        "calls": "Could you see to {what} for me, please?",
        "clarify": "There is something you could do for me.",
        "chat": "What do people mean by a good day, number {mark}?",
        "question": "Gladly; what exactly do you have in mind?",
        "vague": "Hmm, whatever you think.",
        "full": "It is about {what}.",
        "agent_answer": "That is done, everything went well.",
        "agent_answer_chat": "Mostly a day on which something turned out well.",
        "value": "plum",
    },
    "zh": {
        "calls": "麻烦帮我处理一下{what}，好吗？",
        "clarify": "有件事想请你帮个忙。",
        "chat": "人们说的好日子到底是什么意思，第{mark}次问了？",
        "question": "可以的，请问具体是什么内容？",
        "vague": "嗯，你看着办吧。",
        "full": "是关于{what}的。",
        "agent_answer": "已经处理好了，一切顺利。",
        "agent_answer_chat": "大概就是有件事顺利办成的日子。",
        "value": "梅花",
    },
}


def improvise(state: DialogueState, ask: AgentRequest) -> GoldHint:
    """What the agent asked says."""
    return GoldHint("final", Reply(getattr(_Agents(state, ask), ask.role)()))


def value_of(schema: Any, word: str, number: int) -> Any:
    """A value that fits a schema; texts hold the word and the number, numbers are the number where they may be."""
    schema = schema if isinstance(schema, dict) else {}
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        parts = schema.get("properties") or {}
        return {name: value_of(parts.get(name), word, number) for name in schema.get("required") or ()}
    if kind == "array":
        return [value_of(schema.get("items"), word, number)]
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        least, most = schema.get("minimum", 1), schema.get("maximum", 10**6)
        return min(max(number, least), most)
    return f"{word}{number}"


def told(value: Any) -> list[str]:
    """The single values in a value, as they are said."""
    if isinstance(value, dict | list):
        return [text for part in (value.values() if isinstance(value, dict) else value) for text in told(part)]
    return [str(value)]


class _Agents:
    def __init__(self, state: DialogueState, ask: AgentRequest) -> None:
        self.state, self.ask, self.words = state, ask, WORDS[state.language]
        self.kind = state.tasks[-1].kind
        self.turns = [entry for entry in state.entries if entry.task == state.task and entry.accepted]

    def calls(self) -> list[Call]:
        """The calls of the task: of a tool that requires something where there is one."""
        tools = sorted(self.state.tools, key=lambda tool: not tool.parameters.get("required"))
        chosen = next((tool for tool in tools if tool.name == self.state.tasks[-1].chosen), tools[0])
        return [(chosen.name, self._arguments(chosen, n)) for n in range(2 if self.kind == "multi" else 1)]

    def _arguments(self, tool: Tool, number: int) -> Json:
        parts = tool.parameters.get("properties") or {}
        # an optional text stands in where nothing is required, so that no call repeats another one
        names = tool.parameters.get("required") or [name for name in parts if parts[name].get("type") == "string"][:1]
        mark = 10 + 2 * self.state.task + number + zlib.crc32(self.state.record.key.encode()) % 70 * 10
        return {name: value_of(parts.get(name), self.words["value"], mark) for name in names}

    def what(self) -> str:
        comma = ", " if self.state.language == "en" else "、"
        return comma.join(dict.fromkeys(text for _, arguments in self.calls() for text in told(arguments)))

    def user(self) -> str:
        if self.ask.agent in ("user_answer_ask", "user_vague_answer_ask"):
            return self.words["vague" if "vague" in self.ask.agent else "full"].format(what=self.what())
        mark = f"{zlib.crc32(self.state.record.key.encode()) % 1000}{self.state.task}"
        name = self.kind if self.kind in ("chat", "clarify") else "calls"
        said = self.words[name].format(what=self.what(), mark=mark)
        if self.state.task:
            return said
        return json.dumps({f"Task {number}": f"{said}{'!' * (number - 1)}" for number in range(1, 6)})

    def planner(self) -> str:
        if isinstance(self.ask.hint, dict) and "ablated" in self.ask.hint:
            return self._decision((FINAL, {"answer_type": "chat"}))
        if any(turn.speaker is Speaker.TOOL for turn in self.turns):
            return self._decision((FINAL, {"answer_type": "tool"}))
        if self.kind == "chat":
            return self._decision((FINAL, {"answer_type": "chat"}))
        (name, arguments), *others = self.calls()
        if self.kind == "clarify" and not any(turn.agent == "user_answer_ask" for turn in self.turns):
            missing = {"tool_name": name, "missing_required_parameters": list(arguments)}
            return self._decision((ASK, {"tool_list": [missing]}))
        return self._decision((name, arguments), *others)

    def tool(self) -> str:
        made = next(turn.decision for turn in reversed(self.turns) if turn.decision)
        results = [{"status_code": 200, "response": {"done": True}} for _ in made.actions]
        return f"```json\n{json.dumps({'Observation_List': results})}\n```"

    def agent(self) -> str:
        return self.words["question" if self.ask.agent == "agent_ask" else self.ask.agent]

    def checker(self) -> str:
        return '{"tool_call_analysis": "", "correct": "yes"}'

    def _decision(self, *actions: Call) -> str:
        listed = [{"name": name, "arguments": value, "tool_call_purpose": ""} for name, value in actions]
        finished = "yes" if actions[0][0] == FINAL else "no"
        said = {"Task_Finish": finished, "Thought": "T", "Plan": "P", "Action_List": listed}
        return f"```json\n{json.dumps(said, ensure_ascii=False)}\n```"


def improvised_plan(out: Path, tools: Path, **options: Any) -> GenerationPlan:
    """A generation over the lists of a file, with all the usual gates."""
    plan = plan_generation(GenerationOptions(**options), "builtin/oracle", None, out)
    return replace(plan, pool=tuple(read_tool_lists(tools)), hints=improvise)
