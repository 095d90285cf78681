"""True multi-turn by ablation: replanned with the last user message alone, a later task must not
come to the same calls, or it never needed the dialogue.

One request per later task. A task whose answer is words alone has no calls to compare and is left out.
"""

from __future__ import annotations

from collections.abc import Generator

import msgspec
from msgspec.structs import replace

from toolgauge.annotation.dialogue import Action, Decision, Dialogue, Speaker
from toolgauge.annotation.grounding.values import folded, leaves
from toolgauge.chat import Reply, Request
from toolgauge.data.session import ASK, FINAL, Session, Task
from toolgauge.generation.agents import planner
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.filters.filter import against
from toolgauge.generation.pseudo import asked_for
from toolgauge.generation.state import AgentView, DialogueState

NAME = "multi_turn"
AGENT = "planner_ablation"
"""The agent's name in the trajectory: the planner, shown nothing but the last message."""


def ablated(
    task: Task, session: Session, dialogue: Dialogue, state: DialogueState
) -> Generator[Request, Reply, dict[str, object] | None]:
    """Ask the planner again with the last message alone: evidence against this task, None where there is none.

    A first task and one without calls pass without a request; a reply that cannot be read counts as different.
    """
    first = next((entry.decision for entry in dialogue.kept if entry.task == task.index and entry.decision), None)
    if not task.index or first is None or first.actions[0].name == FINAL:
        return None
    opening = next(one for one in dialogue.of_task(task.index) if one.speaker is Speaker.USER)
    kind = dialogue.tasks[task.index].kind
    view = AgentView(session.language, dialogue.tools, dialogue.clock, (opening,), task.index, kind)
    ask = replace(planner.plan(view), agent=AGENT, hint={"ablated": task.index})
    reply = yield from state.ask(ask)
    try:
        alone = planner.read_decision(reply)
    except Unreadable:
        return None
    if not alone.actions or calls_key(alone) != calls_key(first):
        return None
    names = [action.name for action in first.actions]
    return against(task, path="utterance", value=task.utterance[:200], calls=names)


def calls_key(decision: Decision) -> list[bytes]:
    """The calls of a decision apart from order, case and blanks; of a question what it asks for."""
    return sorted(_key(action) for action in decision.actions)


def _key(action: Action) -> bytes:
    if action.name == ASK:
        wanted = sorted((tool, sorted(names)) for tool, names in asked_for(action.arguments))
        return msgspec.json.encode([action.name, wanted])
    values = [(path, folded(value) if isinstance(value, str) else value) for path, value in leaves(action.arguments)]
    return msgspec.json.encode([action.name, sorted(values, key=lambda pair: pair[0])])
