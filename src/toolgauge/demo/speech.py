"""What planner, tools, checker and agent say, in the form in which their replies are read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from toolgauge.annotation.dialogue import Action, Observation
from toolgauge.chat import Reply
from toolgauge.data.session import ASK, FINAL
from toolgauge.demo.fixture import Fixture
from toolgauge.demo.plans import PastCall, PlannedCall, TaskPlan
from toolgauge.demo.results import ids_in
from toolgauge.demo.templates import speak
from toolgauge.demo.wording import Wording
from toolgauge.generation.agents.blocks import json_block
from toolgauge.generation.filters.redundancy import may_write
from toolgauge.generation.prompts import texts
from toolgauge.generation.pseudo import MISSING

_END = re.compile(r"(?<![.。])[.。]+$")
_ONE = re.compile(r"(?<![\w.,:-])1 ((?:open |more |free |new )?)([a-z]{2,}s|people)\b")
_NO_PLURAL = frozenset({"is", "was", "has", "does", "its", "this", "plus", "across", "less", "us"})


def singular(text: str) -> str:
    """An English text whose template says "{n} minutes", with "1 minute" where there is one."""

    def one(found: re.Match[str]) -> str:
        noun = found[2]
        if noun in _NO_PLURAL:
            return found[0]
        ending = "es" if noun.endswith(("ches", "shes", "xes", "sses")) else "s"
        return f"1 {found[1]}{'person' if noun == 'people' else noun.removesuffix(ending)}"

    return _ONE.sub(one, text)


def block(name: str, value: Mapping[str, object]) -> str:
    """A speaker's name and a fenced JSON block."""
    return f"{name.strip()}\n{json_block(value)}"


class Speech:
    """Replies of all roles over one fixture."""

    def __init__(self, fixture: Fixture, words: Wording) -> None:
        self.fixture, self.words = fixture, words
        self._names = texts("speakers", fixture.language)

    def candidates(self, tasks: Sequence[str]) -> Reply:
        """Proposals for a first task."""
        label = "任务" if self.fixture.language == "zh" else "Task "
        value = {f"{label}{number}": task for number, task in enumerate(tasks, 1)}
        return Reply(content=json_block(value))

    def said(self, who: str, text: str) -> Reply:
        return Reply(content=f"{self._names[who]}{text}")

    def decision(self, thought: str, plan: str, actions: Sequence[Action], answer: str = "") -> Reply:
        """A planner's turn. answer: what it says to the user, who asks or answers."""
        finished = bool(actions) and actions[0].name == FINAL
        listed = [{"name": a.name, "arguments": a.arguments, "tool_call_purpose": a.purpose} for a in actions]
        value: dict[str, object] = {"Task_Finish": "yes" if finished else "no", "Thought": thought, "Plan": plan}
        said = {"Action_List": listed, "Answer": answer.removeprefix(self._names["agent"])}
        return Reply(content=block(self._names["planner"], value | said))

    def observations(self, found: Sequence[Observation | Mapping[str, object]]) -> Reply:
        """The tools' turn."""
        return Reply(content=block(self._names["tool"], {"Observation_List": msgspec.to_builtins(list(found))}))

    def verdict(self, text: str, correct: bool) -> Reply:
        """The checker's turn."""
        value = {"tool_call_analysis": text, "correct": "yes" if correct else "no"}
        return Reply(content=block(self._names["planner_checker"], value))

    def asking(self, tool: str, missing: Sequence[str], answer: str = "") -> Reply:
        """The planner asks back."""
        parameters = "; ".join(self.words("lacking", parameter=name) for name in missing)
        thought = self.words.joined([self.words("thought_ask", tool=tool), parameters])
        listed = self.words.listed(missing)
        plan = self.words("plan_ask", tool=tool, parameters=listed)
        return self.decision(thought, plan, [ask_action(tool, missing)], answer)

    def finishing(self, answer_type: str, answer: str = "") -> Reply:
        """The planner answers, or lets the agent answer."""
        kind = "done" if answer_type == "tool" else "chat"
        return self.decision(
            self.words(f"thought_{kind}"), self.words(f"plan_{kind}"), [final_action(answer_type)], answer
        )

    def calling(self, plan: TaskPlan, step: int, actions: Sequence[Action]) -> Reply:
        """The planner makes the calls of a step."""
        tools = self.words.listed(dict.fromkeys(action.name for action in actions))
        thought = [self.words("thought_calls", tools=tools)] if not step else [self.words("thought_rest")]
        if not step and len(plan.steps) > 1:
            thought.append(self.words("thought_sequential"))
        if len(plan.steps[step]) > 1:
            thought.append(self.words("thought_parallel"))
        thought += [self._parameters(plan.calls[number], plan) for number in plan.steps[step]]
        current = self._step(plan, step)
        if step:
            return self.decision(self.words.joined(thought), self.words("current", step=current), actions)
        steps = self.words("then").join(self._step(plan, number) for number in range(len(plan.steps)))
        if len(plan.steps) > 1 and all(len(one) == 1 for one in plan.steps):
            steps += self.words("sequentially")
        return self.decision(self.words.joined(thought), self.words("overall", steps=steps, step=current), actions)

    def _step(self, plan: TaskPlan, number: int) -> str:
        tools = [plan.calls[one].tool for one in plan.steps[number]]
        if len(tools) == 1:
            return self.words("call_one", tool=tools[0])
        if len(set(tools)) == 1:
            return self.words("call_several", tool=tools[0])
        return self.words("call_parallel", tools=self.words.listed(dict.fromkeys(tools)))

    def _parameters(self, call: PlannedCall, plan: TaskPlan) -> str:
        required = self.fixture.required(call.tool)
        parts = []
        for name in call.given:
            kind = "known" if name in call.known else "given" if name in required else "optional_given"
            parts.append(self.words(kind, parameter=name))
        for name, link in call.links.items():
            parts.append(self.words("from_result", parameter=name, tool=plan.calls[link.call].tool))
        return (
            f"{call.tool}: {'; '.join(parts)}" if self.fixture.language == "en" else f"{call.tool}：{'；'.join(parts)}"
        )

    def question(self, tool: str, missing: Sequence[str], again: bool = False) -> Reply:
        """The agent asks for what is missing; again: in other words, where it has done so before."""
        templates = self.fixture.templates.get(tool)
        asks = [templates.parameters[name].ask for name in missing if templates and name in templates.parameters]
        text = self.words("unknown_ask")
        if any(asks):
            text = self.words("question_again" if again else "question", asks=self.words.joined(asks))
        return self.said("agent", text)

    def summary(self, calls: Sequence[PastCall]) -> Reply:
        """The agent tells what the tools returned; every id stays."""
        parts = [self._told(call) for call in calls]
        if len(parts) > 1:
            text = self.words("told_list", told="\n".join(f"- {part}" for part in parts))
        elif parts and parts[0] not in self.words.every("no_result"):
            text = self.words("told_done" if may_write(calls[0].tool) else "told_found", told=parts[0])
        else:
            text = self.words("no_result")
        asked = {one for call in calls for one in ids_in(call.arguments)}
        found = dict.fromkeys(one for call in calls for one in ids_in(call.response))
        lost = [one for one in found if one not in text and one not in asked]
        if lost:
            text += "\n\n" + self.words("ids", ids=self.words.listed(lost))
        return self.said("agent", text)

    def _told(self, call: PastCall) -> str:
        if call.tool not in self.fixture.templates:
            return self.words("no_result")
        said = {name: self.fixture.spoken(call.tool, name, value).words for name, value in call.arguments.items()}
        try:
            told = speak(self.fixture.templates[call.tool].reply, said, call.response)
        except KeyError:
            return self.words("no_result")
        return singular(told) if self.fixture.language == "en" else told

    def purpose(self, tool: str) -> str:
        """Why a tool is called: what it is for."""
        return _END.sub("", self.fixture.tools[tool].description)


def ask_action(tool: str, missing: Sequence[str]) -> Action:
    """The action that asks the user back."""
    wanted: dict[str, object] = {"tool_name": tool, MISSING: list(missing)}
    return Action(ASK, {"tool_list": [wanted]})


def final_action(answer_type: str) -> Action:
    """The action that ends a task."""
    return Action(FINAL, {"answer_type": answer_type})
