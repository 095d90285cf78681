"""A conversation as a session in the usual data format, unreviewed, with what is weak in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from toolgauge.annotation.dialogue import Dialogue, PlannedTask, Speaker
from toolgauge.annotation.graph import REFERENCES, annotate
from toolgauge.annotation.grounding.values import leaves
from toolgauge.annotation.references import VerifiedReference, found_reference
from toolgauge.annotation.references import Why as EvidenceKind
from toolgauge.chat import Message, Tool
from toolgauge.conversations.asking import Wants, read_text
from toolgauge.conversations.clocks import clock_of
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.splitting import Split, Why, split, undefined_tools
from toolgauge.conversations.turns import LoggedTask, TaskReader, entries_of
from toolgauge.data.session import ASK, Call, Reference, Session, Task
from toolgauge.data.sessions import session_record
from toolgauge.data.weaknesses import UNREVIEWED, WEAK, WeakCode, Weakness
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.languages import has_han
from toolgauge.reasons import Parameter

MOST_MESSAGES, MOST_CHARACTERS = 2_000, 4_000_000
"""Of a conversation: every value is looked for in all that was said before."""


class NoSession(ToolgaugeError):
    """A conversation holds no task that a session could be made of; the text says why."""


class ImportedSession(Struct, frozen=True):
    """record: the session's line in the data format, marked as unreviewed in `origin`; splits: a verdict for each
    message of the user."""

    session: Session
    record: dict[str, object]
    splits: tuple[Split, ...]
    weak: tuple[Weakness, ...]


def to_session(
    conversation: Conversation,
    language: str | None = None,
    clock: str | None = None,
    decided: Mapping[int, bool] | None = None,
) -> ImportedSession:
    """The session that a conversation is.

    language: "en" or "zh", None: what its user writes. clock: date and time as the data write them
    ("2025-03-14 18:05:00 Friday"), None: what its system message or its `time` says. decided: by hand, does a message
    of the user (its place in the conversation's messages) begin a task? Raises NoSession; UsageError where `decided`
    names a message that is none of the user's.
    """
    _require_short(conversation)
    language = language or language_of(conversation)
    splits = split(conversation, language, decided)
    if not splits:
        raise NoSession("no user message; a session needs at least one")
    if foreign := sorted({*(decided or ())} - {one.message for one in splits}):
        raise UsageError(f"splits: message {foreign[0]} is not a user message")
    weak = list(_before_user(conversation, splits))
    tasks = list(_tasks(conversation.messages, splits, weak))
    if not tasks:
        raise NoSession("no assistant reply; a session needs at least one answered task")
    told = clock or clock_of(conversation, language)
    if told is None:
        weak.append(Weakness(WeakCode.NO_CLOCK))
    called = {call.name for task in tasks for call in task.calls}
    inferred = [tool for tool in undefined_tools(conversation) if tool.name in called]
    weak += [Weakness(WeakCode.TOOLS_INFERRED, parameters={"tool": tool.name}) for tool in inferred]
    if not (tools := (*conversation.tools, *inferred)):
        weak.append(Weakness(WeakCode.NO_TOOLS))
    dialogue = _dialogue(conversation.id, language, told or "", tools, tasks)
    session = annotate(dialogue, verify=False)
    references = list(_references(session))
    labelled = zip(session.tasks, [Reference.FIRST_TURN, *(one.label for one in references)], strict=True)
    done = tuple(replace(_with_questions(task, session.tools_by_name), reference=label) for task, label in labelled)
    session = replace(session, tasks=done, line=conversation.line)
    for number, task in enumerate(tasks):
        weak += [*task.weak, *_closing(task, number), *_ungrounded(session.tasks[number])]
    session = replace(session, extra={"origin": _origin(conversation, references, weak)})
    return ImportedSession(session, session_record(session, _spoken(session, dialogue)), splits, tuple(weak))


def _spoken(session: Session, dialogue: Dialogue) -> list[list[Message]]:
    """What user and assistant said in each task."""
    roles = {Speaker.USER: "user", Speaker.AGENT: "assistant"}
    return [
        [Message(roles[one.speaker], one.text) for one in dialogue.kept if one.task == index and one.speaker in roles]
        for index in range(len(session.tasks))
    ]


def _require_short(conversation: Conversation) -> None:
    length = sum(len(message.content or "") for message in conversation.messages)
    if len(conversation.messages) > MOST_MESSAGES or length > MOST_CHARACTERS:
        raise NoSession(
            f"too long (messages: {len(conversation.messages):,}, characters: {length:,}); at most {MOST_MESSAGES:,} "
            f"messages and {MOST_CHARACTERS:,} characters are supported"
        )


def language_of(conversation: Conversation) -> str:
    """What its user writes: "zh" where half of the messages have Chinese characters, else "en"."""
    said = [has_han(one.content or "") for one in conversation.messages if one.role == "user"]
    return "zh" if said and sum(said) * 2 >= len(said) else "en"


def _before_user(conversation: Conversation, splits: Sequence[Split]) -> Iterator[Weakness]:
    """What the assistant said or did before anybody asked."""
    for place, message in enumerate(conversation.messages[: splits[0].message]):
        if message.role == "tool" or (message.role == "assistant" and (message.content or message.tool_calls)):
            yield Weakness(WeakCode.BEFORE_USER, message=place)


def _tasks(messages: Sequence[Message], splits: Sequence[Split], weak: list[Weakness]) -> Iterator[LoggedTask]:
    begins = [one.message for one in splits if one.begins]
    goes_on = {one.message for one in splits if one.why is Why.GOES_ON}
    number = 0
    for first, end in zip(begins, [*begins[1:], len(messages)], strict=True):
        own = [(place, messages[place], place in goes_on) for place in range(first, end)]
        task = TaskReader(number).read(own)
        if task.steps or task.closing:
            number += 1
            yield task
        else:
            weak.append(Weakness(WeakCode.NO_ANSWER, message=first))


def _dialogue(name: str, language: str, clock: str, tools: tuple[Tool, ...], tasks: Sequence[LoggedTask]) -> Dialogue:
    planned = [PlannedTask(_kind(task)) for task in tasks]
    entries = [entry for number, task in enumerate(tasks) for entry in entries_of(task, number)]
    return Dialogue(name, language, clock, "", tools, tuple(planned), tuple(entries))


def _kind(task: LoggedTask) -> str:
    if any(step.reply is not None for step in task.steps):
        return "clarify"
    calls = len(task.calls)
    return "multi" if calls > 1 else "single" if calls else "chat"


def _references(session: Session) -> Iterator[VerifiedReference]:
    """How each later task leans on the dialogue; in doubt what its words say first."""
    for task in session.tasks[1:]:
        found, evidence = found_reference(task, session.tasks[: task.index], session.language)
        shown = {one.why for one in evidence}
        if EvidenceKind.REACHES_BACK in shown:
            likely = Reference.LONG_RANGE
        elif EvidenceKind.POINTS in shown and EvidenceKind.LEAVES_OUT not in shown:
            likely = Reference.COREFERENCE
        else:
            likely = Reference.PARTIAL_INFORMATION
        yield VerifiedReference(task.index, found or likely, found or likely, evidence)


def _with_questions(task: Task, tools: Mapping[str, Tool]) -> Task:
    """The task with what its questions were about: the required parameters whose values the replies gave."""
    return replace(task, calls=tuple(_about(call, task, tools) if call.name == ASK else call for call in task.calls))


def _about(question: Call, task: Task, tools: Mapping[str, Tool]) -> Call:
    listed = []
    for call in task.calls[question.index + 1 :]:
        given = [
            name
            for name in (tools[call.name].required if call.is_tool else ())
            if (sources := call.sources.get(name))
            and all((one.get("from"), one.get("step")) == ("reply", question.index) for one in sources)
        ]
        if given:
            listed.append({"tool_name": call.name, "missing_required_parameters": given})
    return replace(question, arguments={"tool_list": listed})


def _closing(task: LoggedTask, number: int) -> Iterator[Weakness]:
    if task.closing is None:
        yield Weakness(WeakCode.NO_REPLY, number)
    elif read_text(task.closing).wants is Wants.ASKS:
        yield Weakness(WeakCode.QUESTION_OPEN, number)


def _ungrounded(task: Task) -> Iterator[Weakness]:
    """Values that come from nowhere."""
    for call in task.calls:
        for path, _value in leaves(call.arguments) if call.is_tool else ():
            if not any(path == known or path.startswith((f"{known}.", f"{known}[")) for known in call.sources):
                told: dict[str, Parameter] = {"tool": call.name, "path": path}
                yield Weakness(WeakCode.UNGROUNDED, task.index, call.index, parameters=told)


def _origin(
    conversation: Conversation, references: Sequence[VerifiedReference], weak: Sequence[Weakness]
) -> dict[str, object]:
    """Where the session comes from, for those who review it. system: what the log tells the assistant, which the data
    format has no place for."""
    system = "\n\n".join(one.content for one in conversation.messages if one.role == "system" and one.content)
    told = {"line": conversation.line or None, "time": conversation.time, "system": system or None}
    origin: dict[str, object] = {"imported": {key: part for key, part in told.items() if part is not None}}
    origin |= {REFERENCES: to_builtins(references), UNREVIEWED: True}
    return origin | ({WEAK: to_builtins(weak)} if weak else {})
