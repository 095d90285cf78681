"""How one dialogue is made, from the first attempt to the accepted dialogue. The functions are in this order:

    attempt: over a tool list that is drawn                                                        dialogue_episode
      task by task, as the path dictates; one that fails is made again where the fault is          _task
        the user says what the task is                                                             _user_turn
        until the task is closed:                                                                  _until_closed
          the planner decides; validators, filters and the checker object, then it tries again     _planner_turn
          calls: the simulated tools answer; validators object, then they try again                _tools_turn
          a question: the assistant asks, the user answers                                         _answered, _spoken
          the end: the assistant answers, the task is closed                                       _answered
        filters judge the task                                                                     repair.py
      filters judge the whole dialogue                                                             filters/
    accepted, or the next attempt over other tools

What a filter would hold back later is told to its author at once (judging.py). A fault that shows only later raises
`Repairable`, and part of the task is made again (repair.py); what cannot be mended raises `Rejected`, which ends the
attempt. No I/O here: `dialogue_episode` is an episode like any other, with the roles user, planner, tool, agent and
checker. See docs/generation.md#how-a-dialogue-goes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec
from msgspec import UNSET

from toolgauge.annotation.dialogue import CheckerFinding, Decision, Entry, Speaker
from toolgauge.chat import Reply, Request
from toolgauge.data.session import ASK, FINAL
from toolgauge.episode import Episode, Trajectory
from toolgauge.generation.agents import assistant, checker, planner, tool, user
from toolgauge.generation.agents.messages import asked_again
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.agents.speech import read_words
from toolgauge.generation.attempts import MOST_EVIDENCE, SAID, Attempt
from toolgauge.generation.filters import FilterVerdict, filter_verdicts, require_passed
from toolgauge.generation.judging import Unfit, findings_on, fitting, require_fitting
from toolgauge.generation.repair import failed, mend, objected, require_on_course, require_task_passed
from toolgauge.generation.resume import resumed_state
from toolgauge.generation.sampling import draw_clock, draw_task, draw_tool_list
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.state import (
    AgentRequest,
    DialogueState,
    HintProvider,
    Rejected,
    Repairable,
    StepRecord,
    seeded_random,
)
from toolgauge.generation.validators.path import is_astray
from toolgauge.generation.validators.planner import check_planner_reply
from toolgauge.generation.validators.tool import check_tool_reply
from toolgauge.tools.toollist import ToolList

Content = TypeVar("Content")
Turn = Generator[Request, Reply, None]


def dialogue_episode(
    slot: Slot, pool: Sequence[ToolList], setup: GenerationSetup, hints: HintProvider | None = None
) -> Episode:
    """One slot: up to `setup.attempts` dialogues, each over another tool list, until one passes validators and filters.

    hints: what a perfect agent would say, for built-in models. The trajectory's `extra` says whether one was
    `accepted`, has the last `dialogue` with the verdicts of the filters (`gates`), and under `attempts` those of the
    others and why they failed (attempts.py).
    """
    record = StepRecord(slot.key)
    attempts: list[dict[str, object]] = []
    extra: dict[str, object] = {"accepted": False, "path": list(slot.path), "attempts": attempts}
    scenario = slot.scenario.id if slot.scenario else None
    tried: set[str] = set()
    for number in range(setup.attempts):
        if attempts:
            attempts[-1] |= {name: extra[name] for name in SAID}
        state = _begun(record, slot, pool, setup, number, tried, hints)
        tried.add(state.tool_list)
        rejected: Rejected | None = None
        verdicts: tuple[FilterVerdict, ...] = ()
        try:
            for kind in slot.path[len(state.tasks) :]:
                yield from _task(state, kind, slot, setup)
            dialogue = state.dialogue(scenario)
            verdicts = filter_verdicts(dialogue, state.ablations, setup.filters)
            require_passed(verdicts, setup.filters)
        except Rejected as error:
            rejected, dialogue = error, state.dialogue(scenario)
        attempts.append(msgspec.to_builtins(_attempt(state, rejected)))
        extra |= {
            "dialogue": msgspec.to_builtins(dialogue),
            "gates": msgspec.to_builtins(verdicts),
            "accepted": rejected is None,
        }
        if rejected is None:
            break
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
    """One task of the path. Where it fails the part that is at fault is made again, at most `setup.repairs` times; what
    was said before stays. Raises Rejected if it fails once more.
    """
    first = len(state.entries)
    state.draw = state.draws("task")
    state.tasks.append(draw_task(state, kind, setup))
    begun, refused = len(state.record.steps), ""
    for left in reversed(range(setup.repairs + 1)):
        try:
            if len(state.entries) == first:
                yield from _user_turn(state, slot, setup, refused)
            yield from _until_closed(state, setup)
            yield from require_task_passed(state, setup.filters)
            return
        except Repairable as fault:
            if not left:
                raise
            refused = mend(state, fault, first, begun)


def _user_turn(state: DialogueState, slot: Slot, setup: GenerationSetup, refused: str = "") -> Turn:
    """The user proposes tasks (a later one alone, unless all are kept); one that filters let pass is drawn and said.

    refused: why the task that was said before is to be another one.
    """
    if state.task == 0:
        ask = user.first_task(state, slot.scenario)
    else:
        ask = user.later_task(state, slot.scenario, setup.examples, user.CANDIDATES if setup.keep_candidates else 1)
    if refused:
        ask = asked_again(ask, refused, state.language)

    def read(reply: Reply) -> tuple[list[str], list[str]]:
        proposed = user.read_candidates(reply, ask.agent, state.language)
        return proposed, fitting(state, proposed, setup.filters)

    proposed, candidates = yield from _readable(state, ask, read, setup)
    chosen = state.draws("candidate").choice(candidates)
    if setup.keep_candidates:
        state.tasks[-1] = msgspec.structs.replace(state.tasks[-1], candidates=tuple(proposed))
    state.say(Speaker.USER, chosen, agent=ask.agent)


def _until_closed(state: DialogueState, setup: GenerationSetup) -> Turn:
    """What follows the user's words, decision by decision, up to the assistant's closing reply."""
    begun = len(state.record.steps)
    while len(state.record.steps) - begun < setup.turn_cap:
        last = state.entries[-1]
        if last.speaker is Speaker.AGENT:
            is_vague = state.draws("vague", len(state.standing)).random() < setup.vague
            yield from _spoken(state, Speaker.USER, user.answer(state.view(), is_vague), setup)
            continue
        decision = last.decision or (yield from _planner_turn(state, setup))
        require_on_course(state, setup.filters)
        action = decision.actions[0]
        if action.name == FINAL:
            has_results = action.arguments.get("answer_type") == "tool"
            closing = assistant.summary(state.view()) if has_results else assistant.chat(state.view())
            yield from _answered(state, decision, closing, setup)
            return
        if action.name == ASK:
            yield from _answered(state, decision, assistant.question(state.view()), setup)
        else:
            yield from _tools_turn(state, decision, setup)
    raise failed(state, "turn_cap", f"task {state.task + 1} was not done after {setup.turn_cap} requests")


def _planner_turn(state: DialogueState, setup: GenerationSetup) -> Generator[Request, Reply, Decision]:
    """The planner's decision: of `setup.tries` the first to which neither a validator nor the checker objects."""
    findings: tuple[CheckerFinding, ...] = ()
    for _ in range(setup.tries):
        view = state.view()
        reply = yield from state.ask(planner.plan(view, setup.planner_answers))
        decision, text, findings = check_planner_reply(view, reply)
        if decision is not None and not findings:
            entry = Entry(Speaker.PLANNER, text, state.task, decision=decision)
            findings = yield from _objections(state, entry, decision, setup)
        state.say(Speaker.PLANNER, text, agent="planner", accepted=not findings, decision=decision)
        if decision is not None and not findings:
            return decision
        _object(state, Speaker.PLANNER_CHECKER, "checker_planner", findings)
    raise objected(state, "planner", findings)


def _objections(
    state: DialogueState, entry: Entry, decision: Decision, setup: GenerationSetup
) -> Generator[Request, Reply, tuple[CheckerFinding, ...]]:
    """What filters and, where calls are made together or one by one, the checker have against a decision. Nothing
    where the task becomes one of another kind by it: that is what is mended then."""
    if is_astray([*state.entries, entry], state.task, state.tasks[-1].kind):
        return ()
    findings = findings_on(state, entry, setup.filters)
    if not findings and checker.can_object(state.view(), decision):
        ask = checker.parallelism(state.view(), decision)
        findings = yield from _readable(state, ask, checker.read_parallelism, setup)
    return findings


def _tools_turn(state: DialogueState, decision: Decision, setup: GenerationSetup) -> Turn:
    """The simulated tools' results: of `setup.tries` the first to which no validator objects."""
    findings: tuple[CheckerFinding, ...] = ()
    for _ in range(setup.tries):
        view = state.view()
        reply = yield from state.ask(tool.simulate(view, decision))
        observations, text, findings = check_tool_reply(view, decision, reply)
        if not findings:
            entry = Entry(Speaker.TOOL, text, state.task, observations=observations)
            findings = findings_on(state, entry, setup.filters)
        state.say(Speaker.TOOL, text, agent="tool", accepted=not findings, observations=observations)
        if not findings:
            return
        _object(state, Speaker.TOOL_CHECKER, "checker_tool", findings)
    raise objected(state, "tool", findings)


def _answered(state: DialogueState, decision: Decision, ask: AgentRequest, setup: GenerationSetup) -> Turn:
    """The assistant's words: the decision's own if filters let them pass, else what the assistant says when asked."""
    with suppress(Unreadable):
        if decision.answer is not None and setup.planner_answers:
            require_fitting(state, Speaker.AGENT, decision.answer, setup.filters)
            state.say(Speaker.AGENT, decision.answer, agent=ask.agent)
            return
    yield from _spoken(state, Speaker.AGENT, ask, setup)


def _spoken(state: DialogueState, speaker: Speaker, ask: AgentRequest, setup: GenerationSetup) -> Turn:
    """What the assistant or the user says to the other; it must be something that filters let pass."""

    def read(reply: Reply) -> str:
        text = read_words(reply, speaker)
        require_fitting(state, speaker, text, setup.filters)
        return text

    text = yield from _readable(state, ask, read, setup)
    state.say(speaker, text, agent=ask.agent)


def _readable(
    state: DialogueState, ask: AgentRequest, read: Callable[[Reply], Content], setup: GenerationSetup
) -> Generator[Request, Reply, Content]:
    """The content of the first of `setup.tries` replies that can be read; who is asked again is told why.

    read: raises Unreadable.
    """
    request = ask
    for _ in range(setup.tries):
        reply = yield from state.ask(request)
        try:
            return read(reply)
        except Unreadable as error:
            refused = error
            request = asked_again(ask, error.said(state.language), state.language)
    raise Rejected(f"gate:{refused.code}" if isinstance(refused, Unfit) else ask.role, f"{ask.agent}: {refused}")


def _object(state: DialogueState, speaker: Speaker, agent: str, findings: Sequence[CheckerFinding]) -> None:
    """Let a checker say its objections, so that the next try knows them."""
    state.say(speaker, checker.worded(findings, state.language), agent=agent, findings=findings)


def _attempt(state: DialogueState, rejected: Rejected | None) -> Attempt:
    why, evidence = (rejected.reason, rejected.evidence[:MOST_EVIDENCE]) if rejected else (UNSET, UNSET)
    return Attempt(state.tool_list, len(state.tasks), len(state.record.steps), why, evidence, tuple(state.repairs))
