"""A conversation as a session of tasks, by rules that need no understanding; a person or a judge corrects the rest.

A message of the user begins a task when the assistant had closed the one before: with calls, a text behind them, or
with a text that asks nothing. A text that ends with a question mark before any call asks the user back, and the answer
belongs to the task. What follows the closing reply behind the last call of a conversation is one last task: thanks and
goodbye are not taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from toolgauge.chat import Json, Message, Tool
from toolgauge.data import sessions
from toolgauge.data.lines import as_json, read_lines
from toolgauge.data.record import DataLine, shown
from toolgauge.data.session import ASK, FINAL, Call, Reference, Session, Task, TaskType
from toolgauge.data.weaknesses import UNREVIEWED, WEAK, WeakCode, Weakness
from toolgauge.errors import DataError, ToolgaugeError, UsageError
from toolgauge.languages import date_and_weekday, has_han
from toolgauge.logs.conversation import Conversation, LogMessage
from toolgauge.logs.text_calls import decoded

MOST_MESSAGES, MOST_CALLS, MOST_CHARACTERS = 2_000, 1_000, 4_000_000
"""Of a conversation: every value is looked for in all that was said before."""
_QUESTION = re.compile(r"[?？][\s\"'”’)）*_~`]*\Z")
_DATE = re.compile(r"\d{4}[-/年]\d{1,2}[-/月]\d{1,2}日?(?:[ T]+\d{1,2}:\d{2}(?::\d{2})?)?")
_SHOWN = 100
_SEARCHED, _COMPARED = 400_000, 50
"""Characters in which a value is looked for; values of a call that are."""


class NoSession(ToolgaugeError):
    """No session can be made of a conversation; the text says why."""


class Split(Struct, frozen=True):
    """A line of splits.jsonl: a message of the user (its place, from 0), and whether it begins a task. by_hand: a
    person said so; text: its first words."""

    conversation: str
    message: int
    begins: bool
    text: str = ""
    by_hand: bool = False


Splits = Mapping[str, Mapping[int, bool]]
"""What people decided: conversation -> place of a message -> does it begin a task?"""


class ImportedSession(Struct, frozen=True):
    """record: the session's line in the data format, marked as unreviewed in `origin`."""

    session: Session
    record: Json
    splits: tuple[Split, ...]
    weak: tuple[Weakness, ...]


def read_splits(path: Path | str) -> Splits:
    """The file as people gave it back: only `conversation`, `message` and `begins` are looked at.

    Raises DataError for a line that lacks one of them, and for two lines that say different things of one message.
    """
    decisions: dict[str, dict[int, bool]] = {}
    for number, value in read_lines(path):
        line = DataLine(path, number, value)
        conversation = line.take(line.value, "conversation", str)
        place, begins = line.take(line.value, "message", int), line.take(line.value, "begins", bool)
        if decisions.setdefault(conversation, {}).setdefault(place, begins) != begins:
            raise DataError(f"contradicts an earlier line on message {place} of {shown(conversation)}", path, number)
    return decisions


def split_tasks(conversation: Conversation, decided: Mapping[int, bool] | None = None) -> tuple[Split, ...]:
    """The messages of the user, in order, and which of them begin a task. decided: by hand, of some of them."""
    messages = conversation.messages
    last_call = max((place for place, one in enumerate(messages) if one.tool_calls), default=None)
    splits: list[Split] = []
    is_closed, has_called, is_ending = True, False, False
    for place, message in enumerate(messages):
        if message.role == "assistant":
            text = (message.content or "").strip()
            has_called = has_called or bool(message.tool_calls)
            if text or message.tool_calls:
                is_question = not has_called and _QUESTION.search(text) is not None
                is_closed = not is_question
        elif message.role == "user" and not message.injected:
            begins = not splits or (is_closed and not is_ending)
            by_hand = decided is not None and bool(splits) and decided.get(place, begins) != begins
            begins = begins != by_hand
            if begins:
                is_ending = bool(splits) and last_call is not None and last_call < place
                has_called = False
            is_closed = False
            splits.append(Split(conversation.id, place, begins, _cut(message.content or ""), by_hand))
    return tuple(splits)


def _cut(text: str) -> str:
    text = " ".join(text[: 10 * _SHOWN].split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def to_session(
    conversation: Conversation, language: str | None = None, decided: Mapping[int, bool] | None = None
) -> ImportedSession:
    """The session that a conversation is. language: "en" or "zh", None: what its user writes. decided: by hand, does a
    message of the user (its place) begin a task?

    Raises NoSession; UsageError where `decided` names a message that is none of the user's.
    """
    _require_usable(conversation)
    language = language or language_of(conversation)
    splits = split_tasks(conversation, decided)
    if not splits:
        raise NoSession("no user message; a session needs at least one")
    if foreign := sorted({*(decided or ())} - {one.message for one in splits}):
        raise UsageError(f"splits: message {foreign[0]} is not a user message")
    weak: list[Weakness] = []
    if any(
        one.role == "tool" or one.tool_calls or (one.role == "assistant" and one.content)
        for one in conversation.messages[: splits[0].message]
    ):
        weak.append(Weakness(WeakCode.BEFORE_USER, message=0))
    begins = [one.message for one in splits if one.begins]
    tasks: list[Task] = []
    for first, end in zip(begins, [*begins[1:], len(conversation.messages)], strict=True):
        task = _TaskReader(conversation, len(tasks), first, end).task()
        if task is None:
            weak.append(Weakness(WeakCode.NO_ANSWER, message=first))
        else:
            tasks.append(task)
            weak += _weak_calls(task)
    if not tasks:
        raise NoSession("no assistant reply; a session needs at least one answered task")
    clock = clock_of(conversation, language)
    if clock is None:
        weak.insert(0, Weakness(WeakCode.NO_CLOCK))
    known = {tool.name for tool in conversation.tools}
    called = dict.fromkeys(
        call.name for task in tasks for call in task.calls if call.is_tool and call.name not in known
    )
    tools = (*conversation.tools, *(Tool(name, "", {"type": "object"}) for name in called))
    weak += [Weakness(WeakCode.TOOLS_INFERRED, parameters={"tool": name}) for name in called]
    if not tools:
        weak.append(Weakness(WeakCode.NO_TOOLS))
    extra: Json = {"origin": _origin(conversation, weak)}
    wired = tuple(tool.filed() for tool in tools)
    session = Session(conversation.id, language, clock or "", tools, tuple(tasks), wired, extra, conversation.line)
    return ImportedSession(session, sessions.session_record(session), splits, tuple(weak))


def _require_usable(conversation: Conversation) -> None:
    """Raise NoSession for what is too long, and for calls that no annotated answer can hold."""
    calls = [call for message in conversation.messages for call in message.tool_calls]
    length = sum(len(message.content or "") for message in conversation.messages)
    length += sum(len(as_json(call.arguments)) for call in calls)
    if len(conversation.messages) > MOST_MESSAGES or len(calls) > MOST_CALLS or length > MOST_CHARACTERS:
        raise NoSession(
            f"too long (messages: {len(conversation.messages):,}, calls: {len(calls):,}, characters: {length:,}); at "
            f"most {MOST_MESSAGES:,} messages, {MOST_CALLS:,} calls and {MOST_CHARACTERS:,} characters are supported"
        )
    for place, message in enumerate(conversation.messages):
        for call in message.tool_calls:
            if arguments_of(call.arguments) is None:
                raise NoSession(f"message {place}: a call whose arguments are not a JSON object")
            if call.name in (ASK, FINAL):
                raise NoSession(f"message {place}: calls {call.name}, a name that the data format keeps for itself")


def language_of(conversation: Conversation) -> str:
    """What its user writes: "zh" where half of the messages have Chinese characters, else "en"."""
    is_chinese = [
        has_han(message.content or "")
        for message in conversation.messages
        if message.role == "user" and not message.injected
    ]
    return "zh" if is_chinese and sum(is_chinese) * 2 >= len(is_chinese) else "en"


def clock_of(conversation: Conversation, language: str) -> str | None:
    """Date, time and weekday ("2025-03-14 18:05:00 Friday"): the only date in the system message, else the log's time;
    None where nobody says."""
    system = " ".join((message.content or "")[:20_000] for message in conversation.messages if message.role == "system")
    dates = {match[0] for match in _DATE.finditer(system)}
    moment = sessions.parse_clock(dates.pop()) if len(dates) == 1 else None
    try:
        moment = moment or (datetime.fromisoformat(conversation.time) if conversation.time else None)
    except ValueError:
        return None
    return date_and_weekday(moment.replace(tzinfo=None), language) if moment else None


def arguments_of(value: object) -> dict[str, object] | None:
    """Arguments of a call as an object, none at all as an empty one; None where they are no object."""
    if value is None or value == "":
        return {}
    parsed = decoded(value) if isinstance(value, str) else value
    return parsed if isinstance(parsed, dict) else None


def result_value(text: str) -> object:
    """An object or a list where a result is one in JSON, else its text."""
    value = decoded(text) if text.lstrip()[:1] in ("{", "[") else None
    return text if value is None else value


class _TaskReader:
    """Reads the messages of one task into annotated nodes. first, end: their places; `first` is the user's message."""

    def __init__(self, conversation: Conversation, index: int, first: int, end: int) -> None:
        self.conversation, self.index, self.first, self.end = conversation, index, first, end
        self.nodes: list[Call] = []
        self.ancestors: list[set[int]] = []
        """The nodes that each node needs, directly or not."""
        self.open: dict[str, list[int]] = {}
        self.failed: set[int] = set()
        self.steps: list[list[int]] = []
        self.known = " ".join(message.content or "" for message in conversation.messages[:first]).casefold()[
            -_SEARCHED:
        ]
        self.results: list[tuple[int, str]] = []

    def task(self) -> Task | None:
        """The task; None where nobody answered."""
        messages = self.conversation.messages
        calls = [place for place, message in enumerate(messages) if message.tool_calls]
        is_ending = bool(calls) and calls[-1] < self.first  # thanks and goodbye: their questions are courtesy
        last_said = max(
            (place for place in range(self.first, self.end) if messages[place].role == "assistant"), default=-1
        )
        utterance: list[str] = []
        closing: list[str] = []
        dialogue: list[Message] = []
        for place in range(self.first, self.end):
            message = messages[place]
            text = (message.content or "").strip()
            if message.role == "user" and not message.injected:
                if closing and place < last_said and not is_ending:
                    self._ask("\n\n".join(closing), text)
                    closing = []
                elif not closing and not self.nodes:
                    utterance.append(text)
                self.known = f"{self.known} {text.casefold()}"[-_SEARCHED:]
                dialogue.append(Message("user", text))
            elif message.role == "tool":
                self._result(message)
            elif message.role == "assistant" and message.tool_calls:
                self._calls(message, "\n\n".join([*closing, text] if text else closing))
                closing = []
            elif message.role == "assistant" and text:
                closing.append(text)
                dialogue.append(Message("assistant", text))
        if not self.nodes and not closing:
            return None
        nodes = self._without_retried()
        needed = {before for node in nodes for before in node.after}
        last = tuple(node.index for node in nodes if node.index not in needed)
        answer_type = "tool" if any(node.is_tool for node in nodes) else "chat"
        nodes.append(Call(len(nodes), FINAL, {"answer_type": answer_type}, last, "\n\n".join(closing)))
        reference = Reference.PARTIAL_INFORMATION if self.index else Reference.FIRST_TURN
        task = Task(self.index, "\n".join(utterance), TaskType.CHAT, reference, tuple(nodes), tuple(dialogue))
        return sessions.make_task(task, _task_type(nodes))

    def _ask(self, question: str, answer: str) -> None:
        before = tuple(self.steps[-1]) if self.steps else ()
        node = Call(len(self.nodes), ASK, {"tool_list": []}, before, question, answer)
        self.ancestors.append(set(before).union(*(self.ancestors[place] for place in before)))
        self.nodes.append(node)
        self.steps.append([node.index])

    def _calls(self, message: LogMessage, thought: str) -> None:
        step: list[int] = []
        before, first = self.steps[-1] if self.steps else [], len(self.nodes)
        for call in message.tool_calls:
            arguments = arguments_of(call.arguments) or {}
            after = self._needs(arguments, before, first)
            extra: Json = {"thought": thought} if thought and not step else {}
            step.append(len(self.nodes))
            self.ancestors.append(set(after).union(*(self.ancestors[one] for one in after)))
            self.nodes.append(Call(len(self.nodes), call.name or "", arguments, after, extra=extra))
            self.open.setdefault(call.id or "", []).append(step[-1])
        self.steps.append(step)

    def _needs(self, arguments: dict[str, object], before: Sequence[int], first: int) -> tuple[int, ...]:
        """The nodes that a call needs: those of which a result, and no word before it, has one of its values; the
        question before it; where nothing has one of its values (a sum, say), all that was done before."""
        needed = {place for place in before if self.nodes[place].name == ASK}
        for value in islice(_values(arguments), _COMPARED):
            if not _stands_in(value, self.known):
                source = next((place for place, text in self.results if _stands_in(value, text)), None)
                needed |= {source} if source is not None else set(range(first))
        indirect = {place for one in needed for place in self.ancestors[one]}
        return tuple(sorted(needed - indirect))

    def _result(self, message: LogMessage) -> None:
        waiting = self.open.get(message.tool_call_id or "")
        if not waiting:
            return  # of a call of the task before
        place = waiting.pop(0)
        text = message.content or ""
        node = self.nodes[place]
        extra: Json = {**node.extra, "is_error": True} if message.is_error else node.extra
        self.nodes[place] = replace(node, observation=result_value(text), extra=extra)
        self.results.append((place, text.casefold()[-_SEARCHED:]))
        if message.is_error:
            self.failed.add(place)

    def _without_retried(self) -> list[Call]:
        """The nodes without failed calls of a tool that was called again later: what counts is the call that did it."""
        last = {node.name: node.index for node in self.nodes if node.index not in self.failed}
        gone = {place for place in self.failed if last.get(self.nodes[place].name, -1) > place}
        places = {old: new for new, old in enumerate(node.index for node in self.nodes if node.index not in gone)}
        return [
            replace(node, index=places[node.index], after=tuple(places[one] for one in node.after if one in places))
            for node in self.nodes
            if node.index not in gone
        ]


def _task_type(nodes: Sequence[Call]) -> TaskType | str:
    """By the graph alone; of several calls its shape says it."""
    if any(node.name == ASK for node in nodes):
        return TaskType.CLARIFY
    count = sum(node.is_tool for node in nodes)
    return TaskType.CHAT if not count else TaskType.SINGLE_TOOL if count == 1 else sessions.MULTI


def _values(arguments: object) -> Iterator[str]:
    """The scalars of arguments that say something, folded: texts, and numbers of two digits and more."""
    if isinstance(arguments, dict | list):
        for part in arguments.values() if isinstance(arguments, dict) else arguments:
            yield from _values(part)
    elif isinstance(arguments, str) and arguments.strip():
        yield arguments.strip().casefold()
    elif isinstance(arguments, int | float) and not isinstance(arguments, bool) and abs(arguments) >= 10:
        yield as_json(arguments)


def _stands_in(value: str, text: str) -> bool:
    """Does a text hold a value, as a word of its own? Both are folded."""
    if value not in text:
        return False
    return not value.isascii() or re.search(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])", text) is not None


def _weak_calls(task: Task) -> Iterator[Weakness]:
    """What is weak in a task's calls and its reply."""
    seen: set[tuple[str, str]] = set()
    for call in task.calls:
        if not call.is_tool:
            continue
        parameters: dict[str, str] = {"tool": call.name}
        if call.observation is None:
            yield Weakness(WeakCode.RESULT_MISSING, task.index, call.index, parameters=dict(parameters))
        elif call.extra.get("is_error"):
            yield Weakness(WeakCode.CALL_FAILED, task.index, call.index, parameters=dict(parameters))
        key = (call.name, as_json(dict(sorted(call.arguments.items()))))
        if key in seen:
            yield Weakness(WeakCode.CALL_REPEATED, task.index, call.index, parameters=dict(parameters))
        seen.add(key)
    if not str(task.calls[-1].observation or "").strip():
        yield Weakness(WeakCode.NO_REPLY, task.index)


def _origin(conversation: Conversation, weak: Iterable[Weakness]) -> Json:
    """Where the session comes from, for those who review it. system: what the log tells the assistant, which the data
    format has no place for."""
    system = "\n\n".join(
        message.content for message in conversation.messages if message.role == "system" and message.content
    )
    facts = {
        "line": conversation.line or None,
        "time": conversation.time,
        "format": conversation.format or None,
        "system": system or None,
    }
    origin: Json = {"imported": {key: part for key, part in facts.items() if part is not None}, UNREVIEWED: True}
    listed = to_builtins(list(weak))
    return origin | ({WEAK: listed} if listed else {})
