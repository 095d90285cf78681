"""Whose turn it is, and what a perfect agent says."""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.annotation.dialogue import Action, Decision, Speaker
from toolgauge.chat import Json, Reply
from toolgauge.data.session import ASK
from toolgauge.demo.fixture import Fixture
from toolgauge.demo.history import past_calls
from toolgauge.demo.plans import FromResult, PastCall, PlannedCall, TaskPlan
from toolgauge.demo.results import observe
from toolgauge.demo.speech import Speech
from toolgauge.demo.templates import follow
from toolgauge.demo.wording import Wording
from toolgauge.generation.pseudo import NAMES, asked_for
from toolgauge.generation.state import AgentRequest, DialogueState

PATIENCE = 2
"""Vague answers after which even a vague user gets to the point."""


class ScriptedTurn:
    """A request, with the plan of its task (None where it was not made here) and what has been done of it."""

    def __init__(
        self,
        state: DialogueState,
        ask: AgentRequest,
        fixture: Fixture,
        plan: TaskPlan | None,
        words: Wording,
    ) -> None:
        self.state, self.ask, self.fixture, self.task, self.words = state, ask, fixture, state.task, words
        self.speech = Speech(fixture, words)
        self.plan = plan or TaskPlan("chat", "", reply=words("unsure_reply"))

    @property
    def is_ablated(self) -> bool:
        """Is the planner asked with the last message alone?"""
        return isinstance(self.ask.hint, dict) and "ablated" in self.ask.hint

    @property
    def done(self) -> list[PastCall]:
        """The calls of this task with their results."""
        return past_calls(self.state.standing)

    @property
    def last_decision(self) -> Decision | None:
        return next((one.decision for one in reversed(self.state.standing) if one.decision), None)

    def reply(self) -> Reply:
        """What a perfect agent says."""
        match self.ask.role, self.ask.agent:
            case "planner", _:
                return self._ablated() if self.is_ablated else self._planner()
            case "tool", _:
                return self._tool()
            case "checker", _:
                return self._checker()
            case "agent", "agent_ask":
                return self._question(*self._asked())
            case "agent", agent:
                return self._closing("tool" if agent == "agent_answer" else "chat")
            case _, "user_vague_answer_ask" if self._answers() < PATIENCE:
                return self.speech.said("user", self._vague_answer())
            case _:
                return self.speech.said("user", self._answer())

    @property
    def answers(self) -> bool:
        """Does the planner word what the user gets to read?"""
        return isinstance(self.ask.hint, dict) and bool(self.ask.hint.get("answers"))

    def _planner(self) -> Reply:
        if self.plan.missing and not self._is_answered():
            asked = self.plan.calls[0].tool, self.plan.missing
            return self.speech.asking(*asked, (self._question(*asked).content or "") if self.answers else "")
        step = self.due_step()
        if step is not None:
            return self.speech.calling(self.plan, step, self.due(step))
        answer_type = "tool" if self.done else "chat"
        return self.speech.finishing(answer_type, (self._closing(answer_type).content or "") if self.answers else "")

    def _question(self, tool: str, missing: Sequence[str]) -> Reply:
        return self.speech.question(tool, missing, again=self._answers() > 0)

    def _closing(self, answer_type: str) -> Reply:
        if answer_type == "tool":
            return self.speech.summary(self.done)
        return self.speech.said("agent", self.plan.reply or self.words("unsure_reply"))

    def _is_answered(self) -> bool:
        return self._answers() > PATIENCE or any(one.agent == "user_answer_ask" for one in self.state.standing)

    def _answers(self) -> int:
        """How often the user has been asked and has said something."""
        return sum(one.agent in ("user_answer_ask", "user_vague_answer_ask") for one in self.state.standing)

    def due_step(self) -> int | None:
        """The first step with a call that has not been made."""
        return next((number for number in range(len(self.plan.steps)) if self.due(number)), None)

    def due(self, step: int) -> list[Action]:
        """The calls of a step that have not been made, with values from results where they need them."""
        made = [(call.tool, call.arguments) for call in self.done]
        planned = [self._action(self.plan.calls[number]) for number in self.plan.steps[step]]
        waiting = []
        for action in planned:
            if (action.name, action.arguments) in made:
                made.remove((action.name, action.arguments))
            else:
                waiting.append(action)
        return [action for action in waiting if not _taken(made, action.name)]

    def _action(self, call: PlannedCall) -> Action:
        """A call with its arguments in the order of their definition."""
        arguments = {name: self._linked(link) for name, link in call.links.items()} | call.arguments
        ordered = {name: arguments[name] for name in self.fixture.templates[call.tool].parameters if name in arguments}
        return Action(call.tool, ordered, self.speech.purpose(call.tool))

    def _linked(self, link: FromResult) -> object:
        """A value from a result of this task; None if the result is missing or a different one."""
        source = self.plan.calls[link.call]
        same = [one for one in self.done if one.tool == source.tool]
        exact = [one for one in same if all(one.arguments.get(k) == v for k, v in source.arguments.items())]
        for call in exact or same:
            try:
                return follow(call.response, link.path)
            except KeyError:
                continue
        return None

    def _ablated(self) -> Reply:
        """The decision of a planner that sees only this task's user turn."""
        said = next((one.text for one in self.state.standing if one.speaker is Speaker.USER), "")
        if not self.plan.calls or (said != self.plan.complete and not self.plan.tool_known):
            return self.speech.finishing("chat")
        call = self.plan.calls[0]
        missing = list(self.plan.missing)
        if said != self.plan.complete:
            call = next((one for one in self.plan.calls if one.known), call)
            missing = [name for name in self.fixture.required(call.tool) if name in (*missing, *call.known)]
        if missing:
            return self.speech.asking(call.tool, missing)
        first_step = [self._action(self.plan.calls[number]) for number in self.plan.steps[0]]
        return self.speech.calling(self.plan, 0, first_step)

    def _tool(self) -> Reply:
        decision = self.last_decision
        before = [call.response for call in past_calls(self.state.entries)]
        key = f"{self.state.record.key}/{self.state.clock}"
        actions = decision.actions if decision else ()
        return self.speech.observations([observe(self.fixture, action, key, before) for action in actions])

    def _checker(self) -> Reply:
        """Which calls go together is known from the plan."""
        hint = self.ask.hint if isinstance(self.ask.hint, dict) else {}
        named = [str(one.get("name")) for one in hint.get("Action_List", ()) if isinstance(one, dict)]
        steps = {name: self.plan.step_of(name) for name in named if name not in NAMES}
        known = [step for step in steps.values() if step is not None]
        if known and max(known) > min(known):
            late = next(name for name, step in steps.items() if step == max(known))
            return self.speech.verdict(self.words("together_wrong", tool=late), correct=False)
        due = self.due_step()
        if known and due is not None and known[0] == due and len(named) < len(self.due(due)):
            tools = self.words.listed(dict.fromkeys(action.name for action in self.due(due)))
            return self.speech.verdict(self.words("apart_wrong", tools=tools), correct=False)
        return self.speech.verdict(self.words("together_right"), correct=True)

    def _asked(self) -> tuple[str, Sequence[str]]:
        """Tool and parameters of the planner's question."""
        decision = self.last_decision
        asked = (
            [pair for one in decision.actions if one.name == ASK for pair in asked_for(one.arguments)]
            if decision
            else []
        )
        return asked[0] if asked else ("", ())

    def _vague_answer(self) -> str:
        """Nothing that was asked for, and nothing that was said in this task before."""
        return self.words.other("vague_answers", {one.text for one in self.state.standing})

    def _answer(self) -> str:
        """Everything that was asked for, in the order of the question."""
        tool, names = self._asked()
        call = next((one for one in self.plan.calls if one.tool == tool), None)
        found = [
            self.fixture.in_passing(tool, name, call.given[name].words) for name in names if call and name in call.given
        ]
        if not found:
            return self._vague_answer()
        comma = ", " if self.fixture.language == "en" else "，"
        return self.words("answers", words=comma.join(found))


def _taken(made: list[tuple[str, Json]], tool: str) -> bool:
    """Was the tool called with other arguments than planned? Then that call counts, and it is used up."""
    found = next((one for one in made if one[0] == tool), None)
    if found:
        made.remove(found)
    return found is not None
