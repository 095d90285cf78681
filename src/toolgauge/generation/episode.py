"""How one dialogue is made, from the first attempt to the accepted dialogue. The functions are in this order:

    attempt: over a tool list that is drawn                                                        dialogue_episode
      task by task, as the path dictates                                                           _tasks
        the user says what the task is                                                             _user_turn
        until the task is closed:                                                                  _until_closed
          the planner decides; validators and the checker object, then it tries again              _planner_turn
          calls: the simulated tools answer; validators object, then they try again                _tools_turn
          a question: the assistant asks, the user answers                                         _spoken
          the end: the assistant answers, the task is closed                                       _spoken
      filters judge the whole dialogue                                                             filters/
    accepted, or the next attempt over other tools

What cannot be repaired raises `Rejected`, which ends the attempt. No I/O here: `dialogue_episode` is an episode like
any other, with the roles user, planner, tool, agent and checker. See docs/generation.md#how-a-dialogue-goes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from typing import TypeVar

import msgspec
from msgspec import UNSET

from toolgauge.annotation.dialogue import CheckerFinding, Decision, Speaker
from toolgauge.chat import Reply, Request
from toolgauge.data.session import ASK, FINAL
from toolgauge.episode import Episode, Trajectory
from toolgauge.generation.agents import assistant, checker, planner, tool, user
from toolgauge.generation.agents.messages import asked_again
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.agents.speech import read_words
from toolgauge.generation.attempts import Attempt
from toolgauge.generation.filters import FilterVerdict, filter_verdicts, require_passed
from toolgauge.generation.resume import resumed_state
from toolgauge.generation.sampling import draw_clock, draw_task, draw_tool_list
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.state import (
    AgentRequest,
    DialogueState,
    HintProvider,
    Rejected,
    StepRecord,
    seeded_random,
)
from toolgauge.generation.validators.path import kind_of
from toolgauge.generation.validators.planner import check_planner_reply, needs_parallelism_check
from toolgauge.generation.validators.tool import check_tool_reply
from toolgauge.tools.toollist import ToolList

Content = TypeVar("Content")
Turn = Generator[Request, Reply, None]

MOST_EVIDENCE = 2000
"""Characters that are kept of the reason for a rejection."""


def dialogue_episode(
    slot: Slot, pool: Sequence[ToolList], setup: GenerationSetup, hints: HintProvider | None = None
) -> Episode:
    """One slot: up to `setup.attempts` dialogues, each over another tool list, until one passes validators and filters.

    hints: what a perfect agent would say, for built-in models. The trajectory's `extra` says whether one was
    `accepted`, has the last `dialogue` with the verdicts of the filters (`gates`), and under `attempts` why the others
    failed.
    """
    record = StepRecord(slot.key)
    attempts: list[dict[str, object]] = []
    extra: dict[str, object] = {"accepted": False, "path": list(slot.path), "attempts": attempts}
    scenario = slot.scenario.id if slot.scenario else None
    tried: set[str] = set()
    for number in range(setup.attempts):
        state = _begun(record, slot, pool, setup, number, tried, hints)
        tried.add(state.tool_list)
        given = len(state.tasks)
        rejected: Rejected | None = None
        verdicts: tuple[FilterVerdict, ...] = ()
        try:
            yield from _tasks(state, slot, setup)
            dialogue = state.dialogue(scenario, given)
            verdicts = yield from filter_verdicts(dialogue, state, setup)
            require_passed(verdicts, setup.filters)
        except Rejected as error:
            rejected, dialogue = error, state.dialogue()
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


def _tasks(state: DialogueState, slot: Slot, setup: GenerationSetup) -> Turn:
    """The tasks of the path that are not there yet, each checked to have become of the kind that was dictated."""
    for kind in slot.path[len(state.tasks) :]:
        state.tasks.append(draw_task(state, kind, setup))
        yield from _user_turn(state, slot, setup)
        yield from _until_closed(state, setup)
        found = kind_of(state.entries, state.task)
        if found != kind:
            raise Rejected("path", f"task {state.task + 1} was to be {kind} and became {found}")


def _user_turn(state: DialogueState, slot: Slot, setup: GenerationSetup) -> Turn:
    """The user proposes tasks (a later one is usually alone); one of them is drawn and said."""
    if state.task == 0:
        ask = user.first_task(state, slot.scenario)
    else:
        ask = user.later_task(state, slot.scenario, setup.examples)
    candidates = yield from _readable(
        state, ask, lambda reply: user.read_candidates(reply, ask.agent, state.language), setup
    )
    chosen = state.draw.choice(candidates)
    if setup.keep_candidates:
        state.tasks[-1] = msgspec.structs.replace(state.tasks[-1], candidates=tuple(candidates))
    state.say(Speaker.USER, chosen, agent=ask.agent)


def _until_closed(state: DialogueState, setup: GenerationSetup) -> Turn:
    """What follows the user's words, decision by decision, up to the assistant's closing reply."""
    begun = len(state.record.steps)
    while len(state.record.steps) - begun < setup.turn_cap:
        decision = yield from _planner_turn(state, setup)
        action = decision.actions[0]
        if action.name == FINAL:
            has_results = action.arguments.get("answer_type") == "tool"
            closing = assistant.summary(state.view()) if has_results else assistant.chat(state.view())
            yield from _spoken(state, Speaker.AGENT, closing, setup)
            return
        if action.name == ASK:
            yield from _spoken(state, Speaker.AGENT, assistant.question(state.view()), setup)
            is_vague = state.draw.random() < setup.vague
            yield from _spoken(state, Speaker.USER, user.answer(state.view(), is_vague), setup)
        else:
            yield from _tools_turn(state, decision, setup)
    raise Rejected("turn_cap", f"task {state.task + 1} was not done after {setup.turn_cap} requests")


def _planner_turn(state: DialogueState, setup: GenerationSetup) -> Generator[Request, Reply, Decision]:
    """The planner's decision: of `setup.tries` the first to which neither a validator nor the checker objects."""
    findings: tuple[CheckerFinding, ...] = ()
    for _ in range(setup.tries):
        view = state.view()
        reply = yield from state.ask(planner.plan(view))
        decision, text, findings = check_planner_reply(view, reply)
        if decision is not None and not findings and needs_parallelism_check(decision):
            ask = checker.parallelism(view, decision)
            findings = yield from _readable(state, ask, checker.read_parallelism, setup)
        state.say(Speaker.PLANNER, text, agent="planner", accepted=not findings, decision=decision)
        if decision is not None and not findings:
            return decision
        _object(state, Speaker.PLANNER_CHECKER, "checker_planner", findings)
    raise Rejected("planner", _listed(findings))


def _tools_turn(state: DialogueState, decision: Decision, setup: GenerationSetup) -> Turn:
    """The simulated tools' results: of `setup.tries` the first to which no validator objects."""
    findings: tuple[CheckerFinding, ...] = ()
    for _ in range(setup.tries):
        reply = yield from state.ask(tool.simulate(state.view(), decision))
        observations, text, findings = check_tool_reply(decision, reply, state.tools, state.language)
        state.say(Speaker.TOOL, text, agent="tool", accepted=not findings, observations=observations)
        if not findings:
            return
        _object(state, Speaker.TOOL_CHECKER, "checker_tool", findings)
    raise Rejected("tool", _listed(findings))


def _spoken(state: DialogueState, speaker: Speaker, ask: AgentRequest, setup: GenerationSetup) -> Turn:
    """What the assistant or the user says to the other; it must be something."""
    text = yield from _readable(state, ask, lambda reply: read_words(reply, speaker), setup)
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
    raise Rejected(ask.role, f"{ask.agent}: {refused}")


def _object(state: DialogueState, speaker: Speaker, agent: str, findings: Sequence[CheckerFinding]) -> None:
    """Let a checker say its objections, so that the next try knows them."""
    state.say(speaker, checker.worded(findings, state.language), agent=agent, findings=findings)


def _listed(findings: Sequence[CheckerFinding]) -> str:
    return "; ".join(f"{finding.rule}: {finding.text}" for finding in findings)


def _attempt(state: DialogueState, rejected: Rejected | None) -> Attempt:
    failed, evidence = (rejected.reason, rejected.evidence[:MOST_EVIDENCE]) if rejected else (UNSET, UNSET)
    return Attempt(state.tool_list, len(state.tasks), len(state.record.steps), failed, evidence)
