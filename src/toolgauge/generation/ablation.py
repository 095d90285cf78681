"""`--ablation`: a later task is planned once more from its message alone; where that leads to the same calls, the task
does not need the dialogue. By default the judge and the literal test decide (judge.py)."""

from __future__ import annotations

from collections.abc import Generator

import msgspec
from msgspec.structs import replace

from toolgauge.chat import Reply, Request
from toolgauge.data.session import FINAL
from toolgauge.generation.agents.planner import parse_decision, plan
from toolgauge.generation.dialogue import Decision
from toolgauge.generation.prompts import texts
from toolgauge.generation.replies import Unusable
from toolgauge.generation.state import DialogueState, Fault

AGENT = "planner_ablation"
"""The agent's name in the trajectory: the planner, shown nothing but the last message."""


def require_different(state: DialogueState, first: int) -> Generator[Request, Reply, None]:
    """Raise a Fault where the planner, shown the message alone, makes the calls of the task's first decision. A task
    that is answered in words alone is not compared."""
    decision = next(entry.decision for entry in state.standing if entry.decision is not None)
    if decision.actions[0].name == FINAL:
        return
    entries, state.entries = state.entries, state.entries[first : first + 1]
    ask = replace(plan(state), agent=AGENT)
    state.entries = entries
    reply = yield from state.ask(ask)
    try:
        alone = parse_decision(reply)
    except Unusable:
        return
    if _key(alone) == _key(decision):
        why = texts(state.language)["objection_context"]
        raise Fault("context", f"alone it leads to the same calls: {_key(alone)}", why, first)


def _key(decision: Decision) -> list[tuple[str, str]]:
    """The calls of a decision, in any order."""
    return sorted(
        (action.name, msgspec.json.encode(action.arguments, order="sorted").decode()) for action in decision.actions
    )
