"""How one dialogue is made, from the first attempt to the accepted dialogue:

    user -> planner <-> question or tools -> answer -> judge -> record

    attempt: over a tool list that is drawn                                             dialogue_episode
      task by task, as the path dictates; what is at fault is made again                _task
        the user says what the task is, and what is meant by it                         _user_turn
        until the task is closed:                                                       _until_closed
          the planner decides; code and, for several calls, the checker object          _planner_turn
          calls: the simulated tools answer; code objects                               _tools_turn
          a question: the assistant asks, the user answers                              _answered, _spoken
          the end: the assistant answers
        the judge rules on the closed task                                              _judged
    accepted, or the next attempt over other tools

No I/O here: `dialogue_episode` is an episode like any other, with the roles user, planner, tool, agent and checker. See
docs/generation.md#how-a-dialogue-goes.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from functools import partial

import msgspec
from msgspec import Struct, convert
from msgspec.structs import replace

from toolgauge.chat import Reply, Request
from toolgauge.data.session import FINAL
from toolgauge.episode import Episode, Trajectory
from toolgauge.generation.agents import planner, replying, user
from toolgauge.generation.checks import (
    FORM,
    JUDGED,
    MOST_CHARACTERS,
    check_decision,
    check_observations,
    is_astray,
    text_objection,
)
from toolgauge.generation.dialogue import (
    Decision,
    Dialogue,
    Entry,
    Finding,
    Observation,
    Proposal,
    Speaker,
    actions_of,
    kind_of,
)
from toolgauge.generation.graph import made_task
from toolgauge.generation.judge import apply_verdict, faults, is_judged, judge, open_case, parse_verdict
from toolgauge.generation.prompts import text, texts
from toolgauge.generation.replies import ToolReply, Unusable, parse_reply
from toolgauge.generation.resume import resumed_state
from toolgauge.generation.sampling import draw_clock, draw_task, draw_tool_list
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.state import (
    MOST_EVIDENCE,
    AgentRequest,
    DialogueState,
    Fault,
    HintProvider,
    Rejected,
    Repair,
    StepRecord,
    seeded_random,
)
from toolgauge.tools.toollist import ToolList

Turn = Generator[Request, Reply, None]
ABLATION = "planner_ablation"
"""The agent of `--ablation` in the trajectory: the planner, shown nothing but the last message."""
MOST_VAGUE = 2
"""Answers in a row that do not say what was asked."""
MOST_QUOTED = 300
"""Characters of a reason that are quoted to who makes a message again."""


class Attempt(Struct, frozen=True, omit_defaults=True):
    """One attempt at a slot. tasks: that were begun; first, end: its steps in the trajectory, `end` not included;
    failed: why it was rejected, None where it was accepted, with the evidence; dialogue: as far as it got."""

    tool_list: str
    tasks: int
    first: int
    end: int
    dialogue: Dialogue
    failed: str | None = None
    evidence: str = ""
    repairs: tuple[Repair, ...] = ()


def attempts_of(trajectory: Trajectory) -> tuple[Attempt, ...]:
    """All attempts at a slot. Raises ValueError where the trajectory does not say."""
    return convert(trajectory.extra.get("attempts", ()), tuple[Attempt, ...])


def dialogue_episode(
    slot: Slot, pool: Sequence[ToolList], setup: GenerationSetup, hints: HintProvider | None = None
) -> Episode:
    """One slot: up to `setup.attempts` dialogues, each over another tool list, until one passes all checks.

    hints: what scripted agents would say, for built-in models. The trajectory's `extra` says whether one was
    `accepted`, and has all `attempts` (`Attempt`).
    """
    record = StepRecord(slot.key)
    attempts: list[Attempt] = []
    scenario = slot.scenario.id if slot.scenario else None
    for number in range(setup.attempts):
        state = _begun(record, slot, pool, setup, number, {one.tool_list for one in attempts}, hints)
        first, failed, evidence = len(record.steps), None, ""
        try:
            for kind in slot.path[len(state.tasks) :]:
                yield from _task(state, kind, slot, setup)
        except Rejected as error:
            failed, evidence = error.reason, error.evidence[:MOST_EVIDENCE]
        repairs = tuple(state.repairs)
        made = state.dialogue(scenario)
        attempts.append(
            Attempt(state.tool_list, len(state.tasks), first, len(record.steps), made, failed, evidence, repairs)
        )
        if failed is None:
            break
    extra = {"accepted": failed is None, "path": list(slot.path), "attempts": msgspec.to_builtins(attempts)}
    return Trajectory(slot.key, slot.key, tuple(record.steps), None, 0, (), None, extra)


def _begun(
    record: StepRecord,
    slot: Slot,
    pool: Sequence[ToolList],
    setup: GenerationSetup,
    attempt: int,
    tried: Collection[str],
    hints: HintProvider | None,
) -> DialogueState:
    """The state of an attempt before its first request: empty, or with the reviewed session that the slot continues."""
    draw = seeded_random(setup.seed, slot.key, attempt)
    if slot.opening is not None:
        return resumed_state(record, slot.opening, setup.language, draw, hints)
    tools = draw_tool_list(slot, pool, draw, tried)
    clock = draw_clock(draw, setup.language, setup.year)
    return DialogueState(record, setup.language, tools.tools, tools.id, draw, clock, hints)


def _task(state: DialogueState, kind: str, slot: Slot, setup: GenerationSetup) -> Turn:
    """One task of the path. The part that is at fault is made again, at most `setup.repairs` times; what was said
    before stays. Raises Rejected if it fails once more, unless flagged tasks are accepted.
    """
    first = len(state.entries)
    state.tasks.append(draw_task(state, kind, setup))
    for left in reversed(range(setup.repairs + 1)):
        try:
            if len(state.entries) == first:
                yield from _user_turn(state, slot, setup)
            yield from _until_closed(state, setup, first)
            yield from _judged(state, setup, first)
            return
        except Fault as fault:
            if left:
                state.take_back(fault)
            elif fault.reason in JUDGED and setup.accept_flagged:
                state.plan(flagged=tuple(sorted({*state.tasks[-1].flagged, fault.reason})))
            else:
                raise


def _user_turn(state: DialogueState, slot: Slot, setup: GenerationSetup) -> Turn:
    """The user proposes tasks (a later one alone, unless all are kept); one that may be said is drawn and said."""
    state.wanted = 1 if state.task and not setup.candidates else user.CANDIDATES
    if state.task == 0:
        ask = user.first_task(state, slot.scenario)
    else:
        ask = user.later_task(state, slot.scenario, setup.examples, state.wanted)

    def parse(reply: Reply) -> tuple[list[Proposal], list[Proposal]]:
        return user.parse_proposals(reply, state, setup.checks)

    proposed, fitting = yield from state.read(ask, parse, setup.tries)
    chosen = state.draws("candidate").choice(fitting)
    state.plan(intent=chosen, candidates=tuple(proposed) if setup.candidates else ())
    state.say(Speaker.USER, chosen.text, agent=ask.agent)


def _until_closed(state: DialogueState, setup: GenerationSetup, first: int) -> Turn:
    """What follows the user's words, decision by decision, up to the assistant's closing reply."""
    begun = len(state.record.steps)
    while len(state.record.steps) - begun < setup.turn_cap:
        last = state.entries[-1]
        if last.speaker is Speaker.AGENT:
            draw = state.draws("vague", len(state.standing)).random()
            is_vague = state.vague_answers < MOST_VAGUE and draw < setup.vague
            yield from _spoken(state, Speaker.USER, user.answer(state, is_vague), setup)
            continue
        decision = last.decision or (yield from _planner_turn(state, setup, first))
        if "path" in setup.checks and is_astray(state.standing, state.task, state.tasks[-1].kind):
            raise _another_kind(state, first)
        if decision.actions[0].is_tool:
            yield from _tools_turn(state, decision, setup, first)
            continue
        yield from _answered(state, decision, setup)
        if decision.actions[0].name == FINAL:
            return
    raise _failed(state, "turn_cap", f"not done after {setup.turn_cap} requests", first)


def _planner_turn(state: DialogueState, setup: GenerationSetup, first: int) -> Generator[Request, Reply, Decision]:
    """The planner's decision: of `setup.tries` the first to which neither code nor the checker objects."""
    findings: tuple[Finding, ...] = ()
    for _ in range(setup.tries):
        reply = yield from state.ask(planner.plan(state, setup.planner_answers))
        decision, words, findings = _read_decision(state, reply)
        if decision is not None and not findings:
            entry = Entry(Speaker.PLANNER, words, state.task, decision=decision)
            several = sum(action.is_tool for action in decision.actions) > 1
            if several and not is_astray([*state.standing, entry], state.task, state.tasks[-1].kind):
                findings = yield from state.read(planner.check(state, decision), planner.parse_check, setup.tries)
        state.say(Speaker.PLANNER, words, agent="planner", accepted=not findings, decision=decision)
        if decision is not None and not findings:
            return decision
        _object(state, Speaker.PLANNER_CHECKER, "checker_planner", findings)
    raise _failed(state, "planner", "; ".join(f"{one.rule}: {one.text}" for one in findings), first)


def _read_decision(state: DialogueState, reply: Reply) -> tuple[Decision | None, str, tuple[Finding, ...]]:
    """A decision, what its entry says, and what code objects; None where it cannot be read."""
    try:
        decision = planner.parse_decision(reply)
    except Unusable as error:
        words = (reply.content or "")[:MOST_CHARACTERS]
        return None, words, _unread(state, "finding_form", error)
    made = sum(action.is_tool for entry in state.standing for action in actions_of(entry))
    actions = tuple(
        replace(action, id=action.id or f"a{made + number}") if action.is_tool else replace(action, id="", needs=())
        for number, action in enumerate(decision.actions, 1)
    )
    decision = replace(decision, actions=actions)
    findings = check_decision(decision, state.standing, state.tools, state.language)
    return decision, planner.render_decision(decision), findings


def _unread(state: DialogueState, name: str, error: Unusable) -> tuple[Finding, ...]:
    """The objection to a try that cannot be read. name: of its text."""
    return (Finding("form", FORM, text(name, state.language, why=f"{error.told(state.language)} ")),)


def _tools_turn(state: DialogueState, decision: Decision, setup: GenerationSetup, first: int) -> Turn:
    """The simulated tools' results: of `setup.tries` the first to which code does not object."""
    findings: tuple[Finding, ...] = ()
    for _ in range(setup.tries):
        reply = yield from state.ask(replying.simulate(state, decision))
        observations: tuple[Observation, ...] = ()
        try:
            observations = parse_reply(reply, ToolReply).observation_list
            words = replying.render_observations(observations)
            findings = check_observations(decision, observations, state.tools, state.language)
        except Unusable as error:
            words = (reply.content or "")[:MOST_CHARACTERS]
            findings = _unread(state, "finding_form_tools", error)
        state.say(Speaker.TOOL, words, agent="tool", accepted=not findings, observations=observations)
        if not findings:
            return
        _object(state, Speaker.TOOL_CHECKER, "checker_tool", findings)
    raise _failed(state, "tool", "; ".join(f"{one.rule}: {one.text}" for one in findings), first)


def _answered(state: DialogueState, decision: Decision, setup: GenerationSetup) -> Turn:
    """The assistant's words: the decision's own if they may be said, else what the assistant says when asked."""
    ask = replying.speak(state, decision)
    answer = decision.answer if setup.planner_answers and not state.why else None
    if answer is not None and _objection(state, Speaker.AGENT, answer, setup) is None:
        state.say(Speaker.AGENT, answer, agent=ask.agent)
    else:
        yield from _spoken(state, Speaker.AGENT, ask, setup)


def _spoken(state: DialogueState, speaker: Speaker, ask: AgentRequest, setup: GenerationSetup) -> Turn:
    """What the assistant or the user says to the other."""

    def parse(reply: Reply) -> str:
        words = replying.parse_words(reply)
        if (objection := _objection(state, speaker, words, setup)) is not None:
            raise Unusable(objection)
        return words

    words = yield from state.read(ask, parse, setup.tries)
    state.say(speaker, words, agent=ask.agent)


def _objection(state: DialogueState, speaker: Speaker, words: str, setup: GenerationSetup) -> str | None:
    most = MOST_CHARACTERS if speaker is Speaker.USER else replying.MOST_CHARACTERS
    return text_objection(words, state.language, setup.checks, state.entries, most)


def _judged(state: DialogueState, setup: GenerationSetup, first: int) -> Turn:
    """The judge's verdict on the closed task. Raises the worst Fault that it finds; the task notes all."""
    case = open_case(state)
    if is_judged(setup.checks):
        parse = partial(parse_verdict, case=case)
        verdict = yield from state.read(judge(state, case), parse, setup.tries)
        apply_verdict(state, case, verdict)
        found = list(faults(state, case, setup.checks, first))
        state.plan(flagged=tuple(sorted({fault.reason for fault in found})))
        if found:
            raise found[0]
    if "path" in setup.checks:
        _require_shape(state, first)
    if setup.ablation and state.task:
        yield from _require_different(state, first)


def _another_kind(state: DialogueState, first: int) -> Fault:
    """The task became of another kind, which is the user's fault: the planner does what the message asks for."""
    found, wanted, words = kind_of(tuple(state.standing), state.task), state.tasks[-1].kind, texts(state.language)
    values = {"found": words[f"page_kind_{found}"], "wanted": words[f"page_kind_{wanted}"]}
    why = text("objection_path", state.language, demand=words[f"objection_wanted_{wanted}"], **values)
    return Fault("path", f"task {state.task + 1} is {found} instead of {wanted}", why, first)


def _require_shape(state: DialogueState, first: int) -> None:
    """The calls of a task depend on each other as its path dictates."""
    planned = state.tasks[-1]
    if not planned.dictated or planned.shape is None:
        return
    made = made_task(state.dialogue(), state.task).type.value
    if made != planned.shape:
        words = texts(state.language)
        why = words["objection_wanted_multi"] + words[f"shape_{planned.shape}"]
        raise Fault("path", f"task {state.task + 1} has {made} instead of {planned.shape}", why, first)


def _failed(state: DialogueState, reason: str, evidence: str, first: int) -> Fault:
    """The task could not be carried out: one of another message may."""
    return Fault(reason, evidence, text("objection_failed", state.language, why=evidence[:MOST_QUOTED]), first)


def _object(state: DialogueState, speaker: Speaker, agent: str, findings: Sequence[Finding]) -> None:
    """Let a checker say its objections, as the papers write them, so that the next try knows them."""
    joint = "\n" if state.language == "en" else ""
    fields = ("format_analysis", "thought_and_plan_analysis", "tool_call_analysis", "parameter_input_analysis")
    said = {name: joint.join(one.text for one in findings if one.field == name) for name in fields}
    words = planner.json_block(said | {"correct": "no" if findings else "yes"})
    state.say(speaker, words, agent=agent, accepted=True, findings=findings)


def _require_different(state: DialogueState, first: int) -> Turn:
    """`--ablation`: plan a later task once more from its message alone. Raises a Fault where that leads to the calls of
    the task's first decision: then the task does not need the dialogue. One answered in words alone is not compared.
    """
    decision = next(entry.decision for entry in state.standing if entry.decision is not None)
    if decision.actions[0].name == FINAL:
        return
    entries, state.entries = state.entries, state.entries[first : first + 1]
    ask = replace(planner.plan(state), agent=ABLATION)
    state.entries = entries
    reply = yield from state.ask(ask)
    try:
        alone = planner.parse_decision(reply)
    except Unusable:
        return
    if _calls_key(alone) == _calls_key(decision):
        why = texts(state.language)["objection_context"]
        raise Fault("context", f"alone it leads to the same calls: {_calls_key(alone)}", why, first)


def _calls_key(decision: Decision) -> list[tuple[str, str]]:
    """The calls of a decision, in any order."""
    return sorted(
        (action.name, msgspec.json.encode(action.arguments, order="sorted").decode()) for action in decision.actions
    )
