"""A fault in a task is mended where it is: the part of the task that it is in is made again, the dialogue before stays.

Words and decisions are judged before they stand (judging.py), and whoever erred tries again. Here is what shows only
later: that the task has become of another kind, that it failed, what filters find when it is closed. The user's
message is made again, or the decision that is at fault, by an agent who is told why.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence

from msgspec.structs import replace

from toolgauge.annotation.dialogue import CheckerFinding, Speaker
from toolgauge.chat import Reply, Request
from toolgauge.data.session import ASK
from toolgauge.generation.agents import checker
from toolgauge.generation.attempts import MOST_EVIDENCE, Redone, Repair
from toolgauge.generation.filters import FILTERS
from toolgauge.generation.filters.filter import TOLERATED, marked
from toolgauge.generation.filters.multi_turn import NAME as MULTI_TURN
from toolgauge.generation.filters.multi_turn import ablated
from toolgauge.generation.judging import Evidence, annotated, encoded, objection
from toolgauge.generation.prompts import texts
from toolgauge.generation.state import DialogueState, Repairable
from toolgauge.generation.validators.path import is_astray, kind_of
from toolgauge.generation.validators.planner import PARAMETER

MOST_QUOTED = 300
"""Characters of a message that are quoted to who makes it again."""
CLARIFY = "clarify_lacks"


def require_on_course(state: DialogueState, filters: Collection[str]) -> None:
    """Raise Repairable, after a decision, where the task cannot become what was dictated: it is of another kind by now,
    or a question was needless, as the call behind it shows."""
    if is_astray(state.entries, state.task, state.tasks[-1].kind):
        raise _another_kind(state)
    actions = [action.name for entry in state.standing if entry.decision for action in entry.decision.actions]
    if CLARIFY in filters and ASK in actions[:-1]:
        for evidence in FILTERS[CLARIFY](*annotated(state)).counted:
            raise _at_fault(state, CLARIFY, evidence)


def require_task_passed(state: DialogueState, filters: Collection[str]) -> Generator[Request, Reply, None]:
    """Raise Repairable where a filter finds something in the closed task; the one that asks a model does so if there is
    nothing else."""
    session, dialogue = annotated(state)
    for name, one in FILTERS.items():
        if name in filters and one.check is not None:
            for evidence in one(session, dialogue).counted:
                raise _at_fault(state, name, evidence)
    if MULTI_TURN in filters:
        alone = yield from ablated(session.tasks[-1], session, dialogue, state)
        for evidence in marked([alone] if alone is not None else [], dialogue):
            if not evidence.get(TOLERATED):
                raise _at_fault(state, MULTI_TURN, evidence)
            state.ablations.append(evidence)
    state.annotated = session


def _another_kind(state: DialogueState) -> Repairable:
    """The task became of another kind, which is the user's fault: the planner does what the message asks for."""
    found, wanted = kind_of(state.entries, state.task), state.tasks[-1].kind
    said = texts("objections", state.language)
    why = said[f"became_{found}"] + said[f"wanted_{wanted}"]
    return Repairable("path", f"task {state.task + 1} is {found} instead of {wanted}", why)


def objected(state: DialogueState, role: str, findings: Sequence[CheckerFinding]) -> Repairable:
    """All tries of the planner or the tools met with objections, the last one with these."""
    gate = next((finding.rule for finding in findings if finding.rule.startswith("gate:")), role)
    return failed(state, gate, "; ".join(f"{finding.rule}: {finding.text}" for finding in findings))


def failed(state: DialogueState, reason: str, evidence: str) -> Repairable:
    """The task could not be carried out: one of another message may."""
    why = texts("objections", state.language)["failed"].format(why=evidence[:MOST_QUOTED])
    return Repairable(reason, evidence, why)


def _at_fault(state: DialogueState, gate: str, evidence: Evidence) -> Repairable:
    why, call = objection(gate, evidence, state.language), evidence.get("call")
    decision = _decision(state, call) if FILTERS[gate].redone is Redone.DECISION and isinstance(call, int) else None
    return Repairable(f"gate:{gate}", encoded(evidence), why, decision)


def _decision(state: DialogueState, call: int) -> int:
    """The number of the entry whose decision made a call of the task under way."""
    made = 0
    for number, entry in enumerate(state.entries):
        if entry.task == state.task and entry.accepted and entry.decision:
            made += len(entry.decision.actions)
            if call < made:
                return number
    raise AssertionError(f"task {state.task} has no call {call}")


def mend(state: DialogueState, fault: Repairable, first: int, begun: int) -> str:
    """Take back the part of the task that is at fault, so that it is made again. Returns the reason to be told to the
    user; empty where it is the planner's turn, who reads an objection to its decision.

    first: the first entry of the task; begun: how many steps there were before it.
    """
    if fault.decision is None:
        said = next((entry.text for entry in state.standing), "")
        state.take_back(first)
        _note(state, fault, Redone.REQUEST, begun)
        return texts("objections", state.language)["request"].format(said=said[:MOST_QUOTED], why=fault.why)
    state.entries[fault.decision] = replace(state.entries[fault.decision], accepted=False)
    state.take_back(fault.decision + 1)
    finding = CheckerFinding(fault.reason, PARAMETER, fault.why)
    words = checker.worded((finding,), state.language)
    state.say(Speaker.PLANNER_CHECKER, words, agent="checker_planner", findings=(finding,))
    _note(state, fault, Redone.DECISION, state.said_at[fault.decision])
    return ""


def _note(state: DialogueState, fault: Repairable, redone: Redone, first: int) -> None:
    evidence = fault.evidence[:MOST_EVIDENCE]
    state.repairs.append(Repair(state.task, fault.reason, evidence, redone, first, len(state.record.steps)))
