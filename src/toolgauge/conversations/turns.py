"""A task of a conversation as the turns that annotation reads: decisions with results, questions with replies, the
closing reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from toolgauge.annotation.dialogue import Action, Decision, Entry, Observation, Speaker
from toolgauge.annotation.writes import writes
from toolgauge.chat import Message, ToolCall
from toolgauge.conversations.results import has_failed, read_result
from toolgauge.data.lines import within_depth
from toolgauge.data.session import ASK, FINAL
from toolgauge.data.weaknesses import WeakCode, Weakness


class LoggedCall(Struct):
    """A call as it was made. message: where; step: of the calls that were made together; result: None where none came;
    dropped: it does not belong into the annotation."""

    message: int
    step: int
    id: str | None
    name: str
    arguments: dict[str, object]
    result: Observation | None = None
    dropped: bool = False


class LoggedStep(Struct):
    """What the assistant did at once: calls, with what it said before them, or a question with the user's reply."""

    said: str = ""
    calls: list[LoggedCall] = []
    reply: str | None = None


class LoggedTask(Struct):
    """A task as the log has it. closing: the last text, None where there is none."""

    utterance: str
    steps: list[LoggedStep]
    closing: str | None
    weak: list[Weakness]

    @property
    def calls(self) -> list[LoggedCall]:
        """Those that belong into the annotation, in their order."""
        return [call for step in self.steps for call in step.calls if not call.dropped]


class TaskReader:
    """Reads the messages of one task, which begins with the user's. number: of the task, from 0."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.utterance = ""
        self.steps: list[LoggedStep] = []
        self.weak: list[Weakness] = []
        self.waiting: list[str] = []

    def read(self, messages: Sequence[tuple[int, Message, bool]]) -> LoggedTask:
        """messages: each with its place in the conversation, and whether it goes on before it was answered."""
        for place, message, goes_on in messages:
            text = (message.content or "").strip()
            if message.role == "user":
                self._user(text, goes_on)
            elif message.role == "tool":
                self._result(place, message)
            elif message.role == "assistant" and message.tool_calls:
                self._calls(place, [*self.waiting, text], message.tool_calls)
            elif message.role == "assistant" and text:
                self.waiting.append(text)
        self._without_failures()
        self._without_repeats()
        steps = [step for step in self.steps if step.reply is not None or any(not one.dropped for one in step.calls)]
        self._tell_of_kept(steps)
        return LoggedTask(self.utterance, steps, "\n\n".join(self.waiting) or None, self.weak)

    def _user(self, text: str, goes_on: bool) -> None:
        asked = [step for step in self.steps if step.reply is not None]
        if self.waiting and not goes_on:
            self.steps.append(LoggedStep("\n\n".join(self.waiting), [], text))
            self.waiting = []
        elif asked:
            asked[-1].reply = f"{asked[-1].reply}\n{text}".strip()
        else:
            self.utterance = f"{self.utterance}\n{text}".strip()

    def _calls(self, place: int, said: Sequence[str], calls: Sequence[ToolCall]) -> None:
        self.waiting = []
        step = LoggedStep("\n\n".join(filter(None, said)))
        for call in calls:
            arguments = _arguments(call.arguments)
            name = call.name or ""
            wrong = WeakCode.NAME_TAKEN if name in (ASK, FINAL) else None
            if arguments is None or not name:
                wrong = WeakCode.CALL_UNREADABLE
            made = LoggedCall(place, len(self.steps), call.id, name, arguments or {}, dropped=wrong is not None)
            if wrong is not None:
                self._tell(wrong, name or "?", message=place)
            step.calls.append(made)
        self.steps.append(step)

    def _result(self, place: int, message: Message) -> None:
        """A result belongs to the last call of its id that has none."""
        known = (call for step in reversed(self.steps) for call in reversed(step.calls) if call.result is None)
        call = next((one for one in known if one.id is not None and one.id == message.tool_call_id), None)
        if call is None:
            self.weak.append(Weakness(WeakCode.RESULT_ALONE, self.number, message=place))
        else:
            call.result = read_result(message.content or "")

    def _tell_of_kept(self, steps: Sequence[LoggedStep]) -> None:
        node = 0
        for step in steps:
            kept = [call for call in step.calls if not call.dropped]
            for place, call in enumerate(kept, node):
                failed = call.result is not None and has_failed(call.result)
                if call.result is None or failed:
                    code = WeakCode.CALL_FAILED if failed else WeakCode.RESULT_MISSING
                    self.weak.append(Weakness(code, self.number, place, parameters={"tool": call.name}))
            node += len(kept) or 1

    def _without_failures(self) -> None:
        """A failed call is left out where the same tool was called again before the user was asked: what counts is the
        call that did it. An error that the user was told of belongs to the task."""
        calls = list(self._kept())
        taken: set[int] = set()
        for call in calls:
            if call.result is None or not has_failed(call.result):
                continue
            asked = next((n for n, step in enumerate(self.steps) if n > call.step and step.reply is not None), None)
            end = len(self.steps) if asked is None else asked
            later = (
                n
                for n, one in enumerate(calls)
                if call.step < one.step < end and one.name == call.name and n not in taken
            )
            if (again := next(later, None)) is not None:
                taken.add(again)
                call.dropped = True
                self._tell(WeakCode.FAILED_DROPPED, call.name, message=call.message)

    def _without_repeats(self) -> None:
        """A call that only looks something up is left out where the same one has given the same result."""
        seen: dict[tuple[str, bytes], object] = {}
        for call in self._kept():
            key = (call.name, msgspec.json.encode(call.arguments, order="sorted"))
            result = call.result.response if call.result is not None else None
            if result is not None and not writes(call.name) and seen.get(key) == result:
                call.dropped = True
                self._tell(WeakCode.REPEAT_DROPPED, call.name, message=call.message)
            seen[key] = result

    def _kept(self) -> Iterator[LoggedCall]:
        return (call for step in self.steps for call in step.calls if not call.dropped)

    def _tell(self, code: WeakCode, tool: str, message: int) -> None:
        self.weak.append(Weakness(code, self.number, message=message, parameters={"tool": tool}))


def entries_of(task: LoggedTask, number: int) -> Iterator[Entry]:
    """The entries of a task in a dialogue."""
    yield Entry(Speaker.USER, task.utterance, number)
    for step in task.steps:
        if step.reply is not None:
            yield _decides(number, Action(ASK, {"tool_list": []}))
            yield Entry(Speaker.AGENT, step.said, number)
            yield Entry(Speaker.USER, step.reply, number)
            continue
        calls = [call for call in step.calls if not call.dropped]
        yield _decides(number, *(Action(call.name, call.arguments) for call in calls), said=step.said)
        nothing = Observation(200, None)
        yield Entry(Speaker.TOOL, "", number, observations=tuple(call.result or nothing for call in calls))
    yield _decides(number, Action(FINAL, {"answer_type": "tool" if task.calls else "chat"}))
    yield Entry(Speaker.AGENT, task.closing or "", number)


def _decides(task: int, *actions: Action, said: str = "") -> Entry:
    return Entry(Speaker.PLANNER, "", task, decision=Decision(actions[0].name == FINAL, said, "", actions))


def _arguments(value: object) -> dict[str, object] | None:
    """Arguments as an object; None where they are none."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) and within_depth(value) else None
