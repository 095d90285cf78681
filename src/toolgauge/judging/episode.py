"""One recorded conversation before the judge: where its tasks begin, if that is asked, and a verdict on each of them.

    recorded conversation -> tasks (by rule, or as the judge says) -> a request for each task -> verdicts

The questions about a task are those of the generation (generation/judge.py). No I/O here: an episode like any other.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.judgments import Judgment, RepeatedCall, WrongValue
from toolgauge.chat import Message, Reply, Request
from toolgauge.data.session import Call, Session, Task
from toolgauge.data.sessions import session_record
from toolgauge.data.weaknesses import WeakCode
from toolgauge.episode import Episode, Trajectory
from toolgauge.generation.agents.requests import compact
from toolgauge.generation.dialogue import Dialogue, PlannedTask, Ruling, Verdict
from toolgauge.generation.graph import EVIDENCE, JUDGED, annotate
from toolgauge.generation.judge import Case, judge, leans_literally, open_case, parse_verdict
from toolgauge.generation.prompts import prompt, text, texts
from toolgauge.generation.replies import SplitReply, Unusable, parse_reply
from toolgauge.generation.resume import add_task
from toolgauge.generation.state import AgentRequest, DialogueState, Rejected, StepRecord, seeded_random
from toolgauge.judging.conversations import Recorded
from toolgauge.logs.conversation import Conversation
from toolgauge.logs.tasks import ImportedSession, NoSession, Split, language_of, split_tasks, to_session

TRIES = 3
"""Of a reply that cannot be used."""
JUDGE = "judge"
"""Field of a session's origin: the name of the model that judged it."""
NO_REPLY = "a task without any reply or call"
MOST_SHOWN = 2_000
"""Characters of a message that are shown where it is asked where tasks begin."""


class JudgedConversation(Struct, frozen=True, omit_defaults=True):
    """What a trajectory's `extra` says. session: the annotated record, where that was asked for; splits: with it, which
    messages of the user begin a task; left_out: why nothing, or not all, could be judged."""

    judgments: tuple[Judgment, ...] = ()
    session: dict[str, object] | None = None
    splits: tuple[Split, ...] = ()
    left_out: str = ""


def judging_episode(recorded: Recorded, name: str, annotates: bool = False) -> Episode:
    """The judge's verdicts on a conversation. name: the judge's; annotates: it also says where tasks begin, and the
    session is annotated by its verdicts. The trajectory's `extra` is a `JudgedConversation`."""
    record = StepRecord(recorded.key)
    try:
        begins = recorded.begins
        if annotates:
            begins = {**(yield from _splits(record, recorded)), **begins}
        imported = to_session(recorded.conversation, recorded.language, begins)
        found = yield from _verdicts(record, recorded, imported, name, annotates)
    except NoSession as error:
        found = JudgedConversation(left_out=error.text)
    except Rejected as error:
        found = JudgedConversation(left_out=error.evidence)
    return Trajectory(
        recorded.key, recorded.session, tuple(record.steps), None, 0, (), None, msgspec.to_builtins(found)
    )


def _state(record: StepRecord, session: Session) -> DialogueState:
    draw = seeded_random(0, session.id)
    return DialogueState(record, session.language, session.tools, session.id, draw, session.clock)


def _verdicts(
    record: StepRecord, recorded: Recorded, imported: ImportedSession, name: str, annotates: bool
) -> Generator[Request, Reply, JudgedConversation]:
    """Of each task, with what came before it; where a reply cannot be used, of those before."""
    session, places = imported.session, _places(imported)
    state = _state(record, session)
    judgments: list[Judgment] = []
    for task, place in zip(session.tasks, places, strict=True):
        add_task(state, task)
        task_id = f"{recorded.session}/{task.index}" if recorded.tasks is None else recorded.tasks.get(place)
        if task_id is None:
            continue
        try:
            case = open_case(state)
            verdict = yield from _verdict(state, case)
        except Rejected as error:
            return JudgedConversation(tuple(judgments), left_out=error.evidence)
        judgments.append(_judgment(verdict, case, name, task_id, recorded.session))
    if not annotates:
        unanswered = len(recorded.tasks) - len(judgments) if recorded.tasks else 0
        return JudgedConversation(tuple(judgments), left_out=NO_REPLY if unanswered else "")
    made = annotated(session, state.dialogue(), name)
    return JudgedConversation(tuple(judgments), session_record(made), imported.splits)


def _places(imported: ImportedSession) -> list[int]:
    """Of the message that begins each task; a message that nobody answered has no task."""
    unanswered = {one.message for one in imported.weak if one.code is WeakCode.NO_ANSWER}
    return [one.message for one in imported.splits if one.begins and one.message not in unanswered]


def _verdict(state: DialogueState, case: Case) -> Generator[Request, Reply, Verdict]:
    def parse(reply: Reply) -> Verdict:
        return parse_verdict(reply, case)

    verdict = yield from state.read(judge(state, case, is_recorded=True), parse, TRIES)
    if leans_literally(case, state.task):
        verdict = replace(verdict, needs_earlier=True)
    state.plan(verdict=verdict)
    return verdict


def _judgment(verdict: Verdict, case: Case, name: str, task: str, session: str) -> Judgment:
    """What of a verdict concerns a recorded task: an unasked value is no error of somebody whom nobody instructed."""
    wrong = [one for one in verdict.arguments if one.ruling is Ruling.WRONG]
    tools = [node.action.name for node in case.nodes]
    return Judgment(
        name,
        task,
        session,
        tuple(WrongValue(one.call, tools[one.call], one.path, one.value, one.reason) for one in wrong),
        "" if verdict.answer_agrees else verdict.answer_reason or "it does not agree with the results",
        tuple(RepeatedCall(call, tools[call]) for call in verdict.repeated),
        verdict.unmet,
    )


def _splits(record: StepRecord, recorded: Recorded) -> Generator[Request, Reply, dict[int, bool]]:
    """Which messages of the user begin a task, as the judge says; {} where there is nothing to ask."""
    conversation = recorded.conversation
    users = [one.message for one in split_tasks(conversation)]
    if len(users) < 2:
        return {}
    language = recorded.language or language_of(conversation)
    demand = f"{_numbered(conversation, users, language)}\n\n{text('demand_split', language, count=len(users))}"
    messages = (Message("system", prompt("split", language)), Message("user", demand))
    state = DialogueState(record, language, conversation.tools, conversation.id, seeded_random(0), "")

    def parse(reply: Reply) -> dict[int, bool]:
        begins = set(parse_reply(reply, SplitReply).begins)
        if odd := sorted(begins - set(range(1, len(users) + 1))):
            raise Unusable("unusable_split", number=odd[0], most=len(users))
        return {place: number in begins for number, place in enumerate(users, 1) if number > 1}

    return (yield from state.read(AgentRequest("checker", "split", messages, SplitReply), parse, TRIES))


def _numbered(conversation: Conversation, users: Sequence[int], language: str) -> str:
    """A conversation as a text, the messages of its user with numbers."""
    words = texts(language)
    said: list[str] = []
    for place, message in enumerate(conversation.messages):
        content = (message.content or "").strip()[:MOST_SHOWN]
        if place in users:
            said.append(text("split_message", language, number=users.index(place) + 1) + content)
        elif message.role == "tool":
            said.append(words["speaker_tool"] + content)
        elif message.role == "assistant":
            calls = [{"name": call.name, "arguments": call.arguments} for call in message.tool_calls]
            said += [words["speaker_agent"] + content] if content else []
            said += [words["calls"] + compact(calls)[:MOST_SHOWN]] if calls else []
    return "\n\n".join(said)


# The verdicts as an annotation: dependencies, values that are right too, references. Calls, results and texts stay as
# they were recorded; what the judge objects to stands in the session's origin, where the review shows it.


def annotated(session: Session, dialogue: Dialogue, judge: str) -> Session:
    """The session with what follows from the verdicts in the dialogue that was made of it."""
    ruled = annotate(dialogue)
    tasks = tuple(
        _task(task, better, planned)
        for task, better, planned in zip(session.tasks, ruled.tasks, dialogue.tasks, strict=True)
    )
    origin = {**session.extra["origin"], JUDGED: ruled.extra["origin"][JUDGED], JUDGE: judge}
    return replace(session, tasks=tasks, extra={**session.extra, "origin": origin})


def _task(task: Task, ruled: Task, planned: PlannedTask) -> Task:
    calls = tuple(_call(call, better) for call, better in zip(task.calls, ruled.calls, strict=True))
    needs_earlier = planned.verdict is None or planned.verdict.needs_earlier
    return replace(
        task,
        type=ruled.type,
        reference=ruled.reference,
        calls=calls,
        true_multi_turn=task.true_multi_turn and (needs_earlier or not task.index),
    )


def _call(call: Call, ruled: Call) -> Call:
    evidence = {EVIDENCE: ruled.extra[EVIDENCE]} if EVIDENCE in ruled.extra else {}
    return replace(
        call,
        after=ruled.after,
        sources=ruled.sources,
        acceptance=ruled.acceptance,
        extra={**call.extra, **evidence},
    )
