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

from toolgauge.chat import Reply, Request
from toolgauge.data.session import ASK, FINAL
from toolgauge.data.tools.toollist import ToolList
from toolgauge.episode import Episode, Trajectory
from toolgauge.generation.agents import assistant, checker, planner, tool, user
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.dialogue import Decision, Dialogue, Finding, Observation, Speaker
from toolgauge.generation.drawing import moment_of, next_task, tools_for
from toolgauge.generation.gates import GateRejected, check_dialogue
from toolgauge.generation.reviewed import reopen
from toolgauge.generation.rules.path import kind_of
from toolgauge.generation.rules.planner import check_decision, needs_parallelism_check, unreadable_decision
from toolgauge.generation.rules.tool import check_observations
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.generation.talk import Record, Rejected, Talk, Whisper, drawer

Turn = Generator[Request, Reply, None]


def dialogue_episode(
    slot: Slot, pool: Sequence[ToolList], setup: GenerationSetup, whisper: Whisper | None = None
) -> Episode:
    """One slot: dialogues are begun, each over another tool list, until one passes every rule and gate.

    The trajectory's `extra` says whether one was `accepted`, with its `dialogue` and the verdicts of the `gates`, and
    under `attempts` why the others were not. whisper: for built-in players.
    """
    record = Record(slot.key)
    extra: dict[str, object] = {"accepted": False, "path": list(slot.path), "attempts": []}
    tried: set[str] = set()
    for attempt in range(setup.attempts):
        talk = _begin(record, slot, pool, setup, attempt, tried, whisper)
        tried.add(talk.tool_list)
        failed: Rejected | None = None
        verdicts: Sequence[object] = ()
        try:
            yield from _tasks(talk, slot, setup)
            dialogue = talk.finished(slot.key, slot.scenario.id if slot.scenario else None, _given(slot))
            verdicts = yield from check_dialogue(dialogue, talk, setup)
        except Rejected as rejected:
            failed, dialogue = rejected, talk.finished(slot.key)
            verdicts = rejected.verdicts if isinstance(rejected, GateRejected) else ()
        extra["attempts"] = [*_listed(extra["attempts"]), _outcome(talk, failed)]
        extra |= {"dialogue": _plain(dialogue), "gates": _plain(verdicts), "accepted": failed is None}
        if failed is None:
            break
    return Trajectory(slot.key, slot.key, tuple(record.steps), None, 0, (), None, extra)


def _begin(
    record: Record,
    slot: Slot,
    pool: Sequence[ToolList],
    setup: GenerationSetup,
    attempt: int,
    tried: Collection[str],
    whisper: Whisper | None,
) -> Talk:
    """A fresh talk; of a slot that goes on with a reviewed session, with that session said already."""
    draw = drawer(setup.seed, slot.key, attempt)
    if slot.opening is not None:
        return reopen(record, slot.opening, setup.language, draw, whisper)
    tools = tools_for(slot, pool, draw, tried)
    moment = moment_of(draw, setup.language)
    return Talk(record, setup.language, tools.tools, tools.id, draw, moment, whisper)


def _tasks(talk: Talk, slot: Slot, setup: GenerationSetup) -> Turn:
    for kind in slot.path[len(talk.tasks) :]:
        talk.tasks.append(next_task(talk, kind, setup))
        yield from _opening(talk, slot, setup)
        yield from _task(talk, setup)
        found = kind_of(talk.entries, talk.task)
        if found != kind:
            raise Rejected("path", f"task {talk.task + 1} was to be {kind} and became {found}")


def _opening(talk: Talk, slot: Slot, setup: GenerationSetup) -> Turn:
    """What the user wants, in the user's words."""
    if talk.task == 0:
        ask = user.first_task(talk, slot.scenario)
    else:
        ask = user.later_task(talk, slot.scenario, setup.examples)
    for left in reversed(range(setup.tries)):
        reply = yield from talk.ask(ask)
        try:
            candidates = user.read_candidates(reply, ask.agent, talk.language)
        except Unreadable as error:
            if not left:
                raise Rejected("user", str(error)) from error
            continue
        chosen = talk.draw.choice(candidates)
        if setup.keep_candidates:
            talk.tasks[-1] = msgspec.structs.replace(talk.tasks[-1], candidates=tuple(candidates))
        talk.say(Speaker.USER, chosen, agent=ask.agent)
        return


def _task(talk: Talk, setup: GenerationSetup) -> Turn:
    """From the user's words to the closing reply."""
    begun = len(talk.record.steps)
    while len(talk.record.steps) - begun < setup.turn_cap:
        decision = yield from _decision(talk, setup)
        match decision.actions[0].name:
            case name if name == ASK:
                yield from _question(talk, setup)
            case name if name == FINAL:
                yield from _closing(talk, decision, setup)
                return
            case _:
                yield from _results(talk, decision, setup)
    raise Rejected("turn_cap", f"task {talk.task + 1} was not done after {setup.turn_cap} requests")


def _decision(talk: Talk, setup: GenerationSetup) -> Generator[Request, Reply, Decision]:
    """What the planner decides: of its tries the first that every rule and the checker let pass."""
    findings: tuple[Finding, ...] = ()
    for _ in range(setup.tries):
        scene = talk.scene()
        reply = yield from talk.ask(planner.plan(scene))
        text, decision = planner.said(reply), None
        try:
            decision = planner.read_decision(reply)
            findings = check_decision(scene, decision)
        except Unreadable as error:
            findings = unreadable_decision(scene, text, str(error))
        if decision is not None and not findings and needs_parallelism_check(decision):
            findings = yield from _parallelism(talk, decision, setup)
        talk.say(Speaker.PLANNER, text, agent="planner", accepted=not findings, decision=decision)
        if decision is not None and not findings:
            return decision
        verdict = checker.worded(findings, talk.language)
        talk.say(Speaker.PLANNER_CHECKER, verdict, agent="checker_planner", findings=findings)
    raise Rejected("planner", "; ".join(f"{finding.rule}: {finding.text}" for finding in findings))


def _parallelism(
    talk: Talk, decision: Decision, setup: GenerationSetup
) -> Generator[Request, Reply, tuple[Finding, ...]]:
    """The checker's view of which calls can be made together (spec 6.2)."""
    ask = checker.parallelism(talk.scene(), decision)
    reason = ""
    for _ in range(setup.tries):
        reply = yield from talk.ask(ask)
        try:
            return checker.read_parallelism(reply)
        except Unreadable as error:
            reason = str(error)
    raise Rejected("checker", reason)


def _results(talk: Talk, decision: Decision, setup: GenerationSetup) -> Turn:
    """What the simulated tools answer: of their tries the first that the checker lets pass."""
    findings: tuple[Finding, ...] = ()
    for _ in range(setup.tries):
        reply = yield from talk.ask(tool.simulate(talk.scene(), decision))
        text = tool.said(reply)
        observations: tuple[Observation, ...] = ()
        try:
            observations = tool.read_observations(reply)
            findings = check_observations(decision, observations, talk.language)
        except Unreadable as error:
            findings = (Finding("parsable", "format_analysis", str(error)),)
        talk.say(Speaker.TOOL, text, agent="tool", accepted=not findings, observations=observations)
        if not findings:
            return
        verdict = checker.worded(findings, talk.language)
        talk.say(Speaker.TOOL_CHECKER, verdict, agent="checker_tool", findings=findings)
    raise Rejected("tool", "; ".join(f"{finding.rule}: {finding.text}" for finding in findings))


def _question(talk: Talk, setup: GenerationSetup) -> Turn:
    """The agent asks the user back, and the user answers, sometimes vaguely."""
    text = yield from _words(talk, assistant.question(talk.scene()), setup)
    talk.say(Speaker.AGENT, text, agent="agent_ask")
    answer = user.answer(talk.scene(), vague=talk.draw.random() < setup.vague)
    text = yield from _words(talk, answer, setup)
    talk.say(Speaker.USER, text, agent=answer.agent)


def _closing(talk: Talk, decision: Decision, setup: GenerationSetup) -> Turn:
    """The agent's last words on a task: a summary of results, or an answer without tools."""
    from_tools = decision.actions[0].arguments.get("answer_type") == "tool"
    ask = assistant.summary(talk.scene()) if from_tools else assistant.chat(talk.scene())
    text = yield from _words(talk, ask, setup)
    talk.say(Speaker.AGENT, text, agent=ask.agent)


def _words(talk: Talk, ask: user.Ask, setup: GenerationSetup) -> Generator[Request, Reply, str]:
    """What an agent says that speaks to people; it must say something."""
    for _ in range(setup.tries):
        reply = yield from talk.ask(ask)
        try:
            return assistant.read_words(reply)
        except Unreadable:
            continue
    raise Rejected(ask.role, f"{ask.agent} said nothing")


def _given(slot: Slot) -> int:
    """How many tasks of the slot were there before."""
    return len(slot.opening.get("tasks", ())) if slot.opening else 0


def _outcome(talk: Talk, failed: Rejected | None) -> dict[str, object]:
    steps = len(talk.record.steps)  # of all attempts so far: the next one begins there
    outcome: dict[str, object] = {"tool_list": talk.tool_list, "tasks": len(talk.tasks), "steps": steps}
    return outcome | ({"failed": failed.reason, "evidence": failed.evidence[:2000]} if failed else {})


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _plain(value: Dialogue | Sequence[object]) -> object:
    return msgspec.to_builtins(value)
