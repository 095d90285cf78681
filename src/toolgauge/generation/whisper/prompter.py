"""The prompter: for every request of a generation the reply that a perfect agent would give, and faulty ones.

What it says depends on the talk alone: on what was said, and on draws of its own made from the dialogue's key, its
tools, the task and what is drawn for. It remembers plans per talk only to save work.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from toolgauge.chat import Cue, Reply
from toolgauge.data.tools.play import PlayList
from toolgauge.errors import UsageError
from toolgauge.generation.agents.user import CANDIDATES
from toolgauge.generation.dialogue import Speaker
from toolgauge.generation.talk import Ask, Talk, Whisper, drawer
from toolgauge.generation.whisper.acting import Turn
from toolgauge.generation.whisper.faults import faulty
from toolgauge.generation.whisper.material import Stage
from toolgauge.generation.whisper.memory import facts_of, past_calls
from toolgauge.generation.whisper.phrases import Pen
from toolgauge.generation.whisper.plans import TaskPlan
from toolgauge.generation.whisper.tasks import first_plan, later_plan
from toolgauge.generation.whisper.wording import Words

STYLES = 5
"""Kinds of words around a first task, from none to many."""
STEPS = 5
"""Requests of the shortest task with a call: the noisy player's fault comes among the first ones."""


class _Memory(Struct):
    """Of one talk: its stage, the plans proposed for each task by what the user would say, and the last request."""

    stage: Stage
    proposed: dict[int, dict[str, TaskPlan]] = field(default_factory=dict)
    last: Ask | None = None


class Prompter:
    """See `whisper`. It travels to other machines as its material alone."""

    def __init__(self, material: Mapping[str, PlayList]) -> None:
        self.material = material
        self._memories: WeakKeyDictionary[Talk, _Memory] = WeakKeyDictionary()

    def __reduce__(self) -> tuple[type[Prompter], tuple[Mapping[str, PlayList]]]:
        return Prompter, (self.material,)

    def __call__(self, talk: Talk, ask: Ask) -> Cue:
        """The cue for a request, with the faults that are possible now."""
        memory = self._memories.get(talk)
        if memory is None:
            play = _material_of(talk, self.material)
            memory = self._memories[talk] = _Memory(Stage(play, talk.tools, talk.language, talk.moment))
        is_retry, memory.last = memory.last is ask, ask
        turn = _turn(talk, ask, memory)
        reply = _user(talk, ask, memory, turn) if ask.role == "user" else turn.reply()
        again = is_retry or _was_rejected(talk)
        return Cue("", reply, steps=STEPS, mistakes=lambda: () if again else tuple(faulty(turn, reply)))


def whisper(material: Mapping[str, PlayList]) -> Whisper:
    """A prompter over play material, by list id (`play_material(language)`).

    Asked about a talk over tools that the material does not have, it raises UsageError.
    """
    return Prompter(material)


def _material_of(talk: Talk, material: Mapping[str, PlayList]) -> PlayList:
    """The material for a talk's tools: by the id of their list, else by their names."""
    names = {tool.name for tool in talk.tools}
    found = material.get(talk.tool_list)
    if found is None:
        found = next((one for one in material.values() if names <= one.tools.keys()), None)
    if found is None or not names & found.tools.keys():
        raise UsageError(
            f"built-in players have nothing to say about the tool list {talk.tool_list}: they play with the embedded "
            "library; leave out --tools, or name a model"
        )
    return found


def _was_rejected(talk: Talk) -> bool:
    return bool(talk.entries) and talk.entries[-1].speaker in (Speaker.PLANNER_CHECKER, Speaker.TOOL_CHECKER)


def _turn(talk: Talk, ask: Ask, memory: _Memory) -> Turn:
    """Who is to speak, about which plan."""
    task = _task_of(talk, ask)
    plan = plan_of(talk, task, memory) if ask.role != "user" or _answers(ask) else None
    draw = _draw(talk, task, ask.agent, len(talk.entries))
    return Turn(talk, ask, memory.stage, plan, task, Words(talk.language, draw))


def _task_of(talk: Talk, ask: Ask) -> int:
    ablated = ask.hint.get("ablated") if isinstance(ask.hint, dict) else None
    return ablated if isinstance(ablated, int) else talk.task


def _answers(ask: Ask) -> bool:
    return ask.agent in ("user_answer_ask", "user_vague_answer_ask")


def plan_of(talk: Talk, task: int, memory: _Memory) -> TaskPlan | None:
    """The plan behind what the user said in a task; where somebody else said it, the first one proposed."""
    proposed = memory.proposed.get(task, {})
    said = next((one.text for one in talk.entries if one.task == task and one.speaker is Speaker.USER), "")
    return proposed.get(said) or next(iter(proposed.values()), None)


def _user(talk: Talk, ask: Ask, memory: _Memory, turn: Turn) -> Reply:
    """What the user wants, or answers; plans are made here."""
    if _answers(ask):
        return turn.reply()
    if talk.task not in memory.proposed:
        memory.proposed[talk.task] = _proposals(talk, memory)
    plans = memory.proposed[talk.task]
    for plan in list(plans.values()):  # a user who says everything at once: for the ablated planner to know
        plans.setdefault(plan.complete or plan.utterance, plan)
    tasks = list(dict.fromkeys(plan.utterance for plan in plans.values()))
    turn.plan = next(iter(plans.values()))
    return turn.speech.said("user", tasks[0]) if talk.task else turn.speech.candidates(tasks)


def _proposals(talk: Talk, memory: _Memory) -> dict[str, TaskPlan]:
    task, stage = talk.tasks[-1], memory.stage
    if talk.task:
        draw = _draw(talk, talk.task, "plan")
        past = past_calls(talk.entries)
        plans = [plan_of(talk, number, memory) for number in range(talk.task)]
        pen = Pen(stage, draw, past, facts_of(stage, past, plans, talk.entries))
        plan = later_plan(pen, task, talk.task, _replies(talk))
        return {plan.utterance: plan}
    proposals = []
    for number in range(CANDIDATES):
        pen = Pen(stage, _draw(talk, 0, "plan", number), (), ())
        proposals.append(first_plan(pen, task, pen.words(f"style_{number % STYLES + 1}")))
    return {plan.utterance: plan for plan in sorted(proposals, key=lambda plan: len(plan.utterance))}


def _replies(talk: Talk) -> Sequence[str]:
    """The agent's closing words of every task before."""
    closing = {one.task: one.text for one in talk.entries if one.speaker is Speaker.AGENT and one.task < talk.task}
    return [closing.get(number, "") for number in range(talk.task)]


def _draw(talk: Talk, task: int, *purpose: object) -> random.Random:
    return drawer(0, talk.record.key, talk.tool_list, talk.moment, task, *purpose)
