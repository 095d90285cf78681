"""Scripted agents: for every request of a generation the reply that a perfect agent would give, and faulty ones.

What they say depends on the dialogue alone: on what was said, and on random numbers of their own, seeded with its key,
its tools, the task and the purpose. Plans are remembered per dialogue only to save work.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from toolgauge.annotation.dialogue import Speaker
from toolgauge.chat import GoldHint, Reply
from toolgauge.demo.faults import faulty
from toolgauge.demo.fixture import Fixture
from toolgauge.demo.habits import Writer, habitual
from toolgauge.demo.history import facts_of, past_calls
from toolgauge.demo.plans import TaskPlan
from toolgauge.demo.request_builder import RequestBuilder
from toolgauge.demo.tasks import first_plan, later_plan
from toolgauge.demo.templates import ToolListTemplates, scripted_templates
from toolgauge.demo.turns import ScriptedTurn
from toolgauge.demo.wording import Wording
from toolgauge.errors import UsageError
from toolgauge.generation.agents.user import CANDIDATES
from toolgauge.generation.state import AgentRequest, DialogueState, seeded_random

STYLES = 5
"""Kinds of words around a first task, from none to many."""
STEPS = 5
"""Requests of the shortest task with a call: the noisy model's fault comes among the first ones."""


class _Memory(Struct):
    """Of one dialogue: the plans proposed for each task, by what the user would say."""

    fixture: Fixture
    proposed: dict[int, dict[str, TaskPlan]] = field(default_factory=dict)


class LibraryAgents(Struct, frozen=True):
    """The scripted agents of the embedded library. Pickled as the language; each process reads the templates once."""

    language: str

    def __call__(self, state: DialogueState, ask: AgentRequest) -> GoldHint:
        return _library_agents(self.language)(state, ask)


@cache
def _library_agents(language: str) -> ScriptedAgents:
    return ScriptedAgents(scripted_templates(language))


class ScriptedAgents:
    """A `HintProvider` over templates, by the id of a tool list (`scripted_templates(language)`).

    insistent: who is asked once more makes the same fault again.
    Pickled without what it remembers. Asked about a dialogue over tools without templates, it raises UsageError.
    """

    def __init__(self, templates: Mapping[str, ToolListTemplates], insistent: bool = False) -> None:
        self.templates, self.insistent = templates, insistent
        self._memories: WeakKeyDictionary[DialogueState, _Memory] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[ScriptedAgents], tuple[Mapping[str, ToolListTemplates], bool]]:
        return ScriptedAgents, (self.templates, self.insistent)

    def __call__(self, state: DialogueState, ask: AgentRequest) -> GoldHint:
        """The reply of a perfect agent to a request, with the faults that are possible now."""
        memory = self._memories.get(state)
        if memory is None:
            templates = _templates_of(state, self.templates)
            memory = self._memories[state] = _Memory(Fixture(templates, state.tools, state.language, state.clock))
        plan = plan_of(state, state.task, memory) if ask.role != "user" or _answers(ask) else None
        draw = _draw(state, state.task, ask.agent, len(state.entries))
        turn = ScriptedTurn(state, ask, memory.fixture, plan, Wording(state.language, draw))
        reply = _user(state, ask, memory, turn) if ask.role == "user" else turn.reply()
        rejected = bool(state.entries) and state.entries[-1].speaker in (Speaker.PLANNER_CHECKER, Speaker.TOOL_CHECKER)
        again = not self.insistent and (bool(ask.objection) or rejected or state.is_repaired)

        def habits(said: Reply, draw: random.Random, only: str) -> Reply:
            return habitual(Writer(ask.role, state.language, Wording(state.language, draw)), said, draw, only)

        mistakes = lambda: () if again else tuple(faulty(turn, reply))  # noqa: E731 - one line, made on demand
        return GoldHint("", reply, steps=STEPS, mistakes=mistakes, habits=habits)


def _templates_of(state: DialogueState, templates: Mapping[str, ToolListTemplates]) -> ToolListTemplates:
    """The templates for a dialogue's tools: by the id of their list, else by their names."""
    names = {tool.name for tool in state.tools}
    found = templates.get(state.tool_list)
    if found is None:
        found = next((one for one in templates.values() if names <= one.tools.keys()), None)
    if found is None or not names & found.tools.keys():
        raise UsageError(
            f"the built-in agents do not know the tool list {state.tool_list}: they use only the embedded library; "
            "leave out --tools, or choose a model with -m"
        )
    return found


def _answers(ask: AgentRequest) -> bool:
    return ask.agent in ("user_answer_ask", "user_vague_answer_ask")


def plan_of(state: DialogueState, task: int, memory: _Memory) -> TaskPlan | None:
    """The plan behind what the user said in a task: the proposal that is most like it; None where none was made."""
    proposed = memory.proposed.get(task, {})
    said = next((one.text for one in state.entries if one.task == task and one.speaker is Speaker.USER), "")
    if said in proposed:
        return proposed[said]
    alike = get_close_matches(said, proposed, n=1, cutoff=0.0)
    return proposed[alike[0]] if alike else None


def _user(state: DialogueState, ask: AgentRequest, memory: _Memory, turn: ScriptedTurn) -> Reply:
    """What the user wants, or answers; plans are made here."""
    if _answers(ask):
        return turn.reply()
    if state.task not in memory.proposed:
        memory.proposed[state.task] = _proposals(state, memory, _asked_for(ask))
    plans = memory.proposed[state.task]
    for plan in list(plans.values()):  # a user who says everything at once: for the ablated planner to know
        plans.setdefault(plan.complete or plan.utterance, plan)
    tasks = list(dict.fromkeys(plan.utterance for plan in plans.values()))
    turn.plan = next(iter(plans.values()))
    return turn.speech.candidates(tasks) if _asked_for(ask) > 1 else turn.speech.said("user", tasks[0])


def _asked_for(ask: AgentRequest) -> int:
    """How many proposals for a task."""
    count = ask.hint.get("count") if isinstance(ask.hint, dict) else None
    return count if isinstance(count, int) else CANDIDATES


def _proposals(state: DialogueState, memory: _Memory, count: int) -> dict[str, TaskPlan]:
    task, fixture = state.tasks[-1], memory.fixture
    if state.task:
        past = past_calls(state.entries)
        plans = [plan_of(state, number, memory) for number in range(state.task)]
        facts = facts_of(fixture, past, plans, state.entries)
        draws = [_draw(state, state.task, "plan", *([number] if number else [])) for number in range(count)]
        later = [
            later_plan(RequestBuilder(fixture, draw, past, facts), task, state.task, _replies(state)) for draw in draws
        ]
        return {plan.utterance: plan for plan in later}
    proposals = []
    for number in range(count):
        builder = RequestBuilder(fixture, _draw(state, 0, "plan", number), (), ())
        proposals.append(first_plan(builder, task, builder.words(f"style_{number % STYLES + 1}")))
    return {plan.utterance: plan for plan in sorted(proposals, key=lambda plan: len(plan.utterance))}


def _replies(state: DialogueState) -> Sequence[str]:
    """The agent's closing words of every task before."""
    closing = {one.task: one.text for one in state.entries if one.speaker is Speaker.AGENT and one.task < state.task}
    return [closing.get(number, "") for number in range(state.task)]


def _draw(state: DialogueState, task: int, *purpose: object) -> random.Random:
    return seeded_random(0, state.record.key, state.tool_list, state.clock, task, *purpose)
