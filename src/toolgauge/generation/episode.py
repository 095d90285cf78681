"""How a dialogue is made: who speaks next, until every task of the path is done (spec 3.2 and 3.3).

    user | tool result -> planner (checked)
    planner asks       -> agent asks -> user answers -> planner
    planner calls      -> tools (checked) -> planner
    planner finishes   -> agent answers -> task over, the user goes on with the next one

No I/O here: `dialogue_episode` is an episode like any other, with the roles user, planner, tool, agent and checker.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence

import msgspec

from toolgauge.annotation.dialogue import CheckerFinding, Decision, Dialogue, Observation, Speaker
from toolgauge.chat import Reply, Request
from toolgauge.data.session import ASK, FINAL
from toolgauge.episode import Episode, Trajectory
from toolgauge.generation.agents import assistant, checker, planner, tool, user
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.filters import FilterRejected, check_dialogue
from toolgauge.generation.resume import resume_dialogue
from toolgauge.generation.sampling import moment_of, next_task, tools_for
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.state import DialogueState, HintProvider, Rejected, StepRecord, drawer
from toolgauge.generation.validators.path import kind_of
from toolgauge.generation.validators.planner import check_decision, needs_parallelism_check, unreadable_decision
from toolgauge.generation.validators.tool import check_observations
from toolgauge.tools.toollist import ToolList

Turn = Generator[Request, Reply, None]


def dialogue_episode(
    slot: Slot, pool: Sequence[ToolList], setup: GenerationSetup, hints: HintProvider | None = None
) -> Episode:
    """One slot: dialogues are begun, each over another tool list, until one passes every rule and gate.

    The trajectory's `extra` says whether one was `accepted`, with its `dialogue` and the verdicts of the `gates`, and
    under `attempts` why the others were not. whisper: for built-in players.
    """
    record = StepRecord(slot.key)
    extra: dict[str, object] = {"accepted": False, "path": list(slot.path), "attempts": []}
    tried: set[str] = set()
    for attempt in range(setup.attempts):
        state = _begin(record, slot, pool, setup, attempt, tried, hints)
        tried.add(state.tool_list)
        failed: Rejected | None = None
        verdicts: Sequence[object] = ()
        try:
            yield from _tasks(state, slot, setup)
            dialogue = state.finished(slot.key, slot.scenario.id if slot.scenario else None, _given(slot))
            verdicts = yield from check_dialogue(dialogue, state, setup)
        except Rejected as rejected:
            failed, dialogue = rejected, state.finished(slot.key)
            verdicts = rejected.verdicts if isinstance(rejected, FilterRejected) else ()
        extra["attempts"] = [*_listed(extra["attempts"]), _outcome(state, failed)]
        extra |= {"dialogue": _plain(dialogue), "gates": _plain(verdicts), "accepted": failed is None}
        if failed is None:
            break
    return Trajectory(slot.key, slot.key, tuple(record.steps), None, 0, (), None, extra)


def _begin(
    record: StepRecord,
    slot: Slot,
    pool: Sequence[ToolList],
    setup: GenerationSetup,
    attempt: int,
    tried: Collection[str],
    hints: HintProvider | None,
) -> DialogueState:
    """A fresh talk; of a slot that goes on with a reviewed session, with that session said already."""
    draw = drawer(setup.seed, slot.key, attempt)
    if slot.opening is not None:
        return resume_dialogue(record, slot.opening, setup.language, draw, hints)
    tools = tools_for(slot, pool, draw, tried)
    moment = moment_of(draw, setup.language)
    return DialogueState(record, setup.language, tools.tools, tools.id, draw, moment, hints)


def _tasks(state: DialogueState, slot: Slot, setup: GenerationSetup) -> Turn:
    for kind in slot.path[len(state.tasks) :]:
        state.tasks.append(next_task(state, kind, setup))
        yield from _opening(state, slot, setup)
        yield from _task(state, setup)
        found = kind_of(state.entries, state.task)
        if found != kind:
            raise Rejected("path", f"task {state.task + 1} was to be {kind} and became {found}")


def _opening(state: DialogueState, slot: Slot, setup: GenerationSetup) -> Turn:
    """What the user wants, in the user's words."""
    if state.task == 0:
        ask = user.first_task(state, slot.scenario)
    else:
        ask = user.later_task(state, slot.scenario, setup.examples)
    for left in reversed(range(setup.tries)):
        reply = yield from state.ask(ask)
        try:
            candidates = user.read_candidates(reply, ask.agent, state.language)
        except Unreadable as error:
            if not left:
                raise Rejected("user", str(error)) from error
            continue
        chosen = state.draw.choice(candidates)
        if setup.keep_candidates:
            state.tasks[-1] = msgspec.structs.replace(state.tasks[-1], candidates=tuple(candidates))
        state.say(Speaker.USER, chosen, agent=ask.agent)
        return


def _task(state: DialogueState, setup: GenerationSetup) -> Turn:
    """From the user's words to the closing reply."""
    begun = len(state.record.steps)
    while len(state.record.steps) - begun < setup.turn_cap:
        decision = yield from _decision(state, setup)
        match decision.actions[0].name:
            case name if name == ASK:
                yield from _question(state, setup)
            case name if name == FINAL:
                yield from _closing(state, decision, setup)
                return
            case _:
                yield from _results(state, decision, setup)
    raise Rejected("turn_cap", f"task {state.task + 1} was not done after {setup.turn_cap} requests")


def _decision(state: DialogueState, setup: GenerationSetup) -> Generator[Request, Reply, Decision]:
    """What the planner decides: of its tries the first that every rule and the checker let pass."""
    findings: tuple[CheckerFinding, ...] = ()
    for _ in range(setup.tries):
        scene = state.scene()
        reply = yield from state.ask(planner.plan(scene))
        text, decision = planner.said(reply), None
        try:
            decision = planner.read_decision(reply)
            findings = check_decision(scene, decision)
        except Unreadable as error:
            findings = unreadable_decision(scene, text, str(error))
        if decision is not None and not findings and needs_parallelism_check(decision):
            findings = yield from _parallelism(state, decision, setup)
        state.say(Speaker.PLANNER, text, agent="planner", accepted=not findings, decision=decision)
        if decision is not None and not findings:
            return decision
        verdict = checker.worded(findings, state.language)
        state.say(Speaker.PLANNER_CHECKER, verdict, agent="checker_planner", findings=findings)
    raise Rejected("planner", "; ".join(f"{finding.rule}: {finding.text}" for finding in findings))


def _parallelism(
    state: DialogueState, decision: Decision, setup: GenerationSetup
) -> Generator[Request, Reply, tuple[CheckerFinding, ...]]:
    """The checker's view of which calls can be made together (spec 6.2)."""
    ask = checker.parallelism(state.scene(), decision)
    reason = ""
    for _ in range(setup.tries):
        reply = yield from state.ask(ask)
        try:
            return checker.read_parallelism(reply)
        except Unreadable as error:
            reason = str(error)
    raise Rejected("checker", reason)


def _results(state: DialogueState, decision: Decision, setup: GenerationSetup) -> Turn:
    """What the simulated tools answer: of their tries the first that the checker lets pass."""
    findings: tuple[CheckerFinding, ...] = ()
    for _ in range(setup.tries):
        reply = yield from state.ask(tool.simulate(state.scene(), decision))
        text = tool.said(reply)
        observations: tuple[Observation, ...] = ()
        try:
            observations = tool.read_observations(reply)
            findings = check_observations(decision, observations, state.language)
        except Unreadable as error:
            findings = (CheckerFinding("parsable", "format_analysis", str(error)),)
        state.say(Speaker.TOOL, text, agent="tool", accepted=not findings, observations=observations)
        if not findings:
            return
        verdict = checker.worded(findings, state.language)
        state.say(Speaker.TOOL_CHECKER, verdict, agent="checker_tool", findings=findings)
    raise Rejected("tool", "; ".join(f"{finding.rule}: {finding.text}" for finding in findings))


def _question(state: DialogueState, setup: GenerationSetup) -> Turn:
    """The agent asks the user back, and the user answers, sometimes vaguely."""
    text = yield from _words(state, assistant.question(state.scene()), setup)
    state.say(Speaker.AGENT, text, agent="agent_ask")
    answer = user.answer(state.scene(), vague=state.draw.random() < setup.vague)
    text = yield from _words(state, answer, setup)
    state.say(Speaker.USER, text, agent=answer.agent)


def _closing(state: DialogueState, decision: Decision, setup: GenerationSetup) -> Turn:
    """The agent's last words on a task: a summary of results, or an answer without tools."""
    from_tools = decision.actions[0].arguments.get("answer_type") == "tool"
    ask = assistant.summary(state.scene()) if from_tools else assistant.chat(state.scene())
    text = yield from _words(state, ask, setup)
    state.say(Speaker.AGENT, text, agent=ask.agent)


def _words(state: DialogueState, ask: user.AgentRequest, setup: GenerationSetup) -> Generator[Request, Reply, str]:
    """What an agent says that speaks to people; it must say something."""
    for _ in range(setup.tries):
        reply = yield from state.ask(ask)
        try:
            return assistant.read_words(reply)
        except Unreadable:
            continue
    raise Rejected(ask.role, f"{ask.agent} said nothing")


def _given(slot: Slot) -> int:
    """How many tasks of the slot were there before."""
    return len(slot.opening.get("tasks", ())) if slot.opening else 0


def _outcome(state: DialogueState, failed: Rejected | None) -> dict[str, object]:
    steps = len(state.record.steps)  # of all attempts so far: the next one begins there
    outcome: dict[str, object] = {"tool_list": state.tool_list, "tasks": len(state.tasks), "steps": steps}
    return outcome | ({"failed": failed.reason, "evidence": failed.evidence[:2000]} if failed else {})


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _plain(value: Dialogue | Sequence[object]) -> object:
    return msgspec.to_builtins(value)
