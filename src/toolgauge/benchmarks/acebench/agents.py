"""The conversations of the agent categories: simulated user, agent and execution over a world.

Source: docs/acebench.md#agents; keys such as Q31: docs/acebench.md#scorings.

`prompt` is the published style: each request is a system message and one user message with everything so far. `native`
is the endpoint's own tool calling over a real conversation. In both, what counts is the world's state at the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.acebench.asking import function_text, native_calls, natively
from toolgauge.benchmarks.acebench.data import AceEntry
from toolgauge.benchmarks.acebench.data.entries import NativeTools
from toolgauge.benchmarks.acebench.environments.environment import CallOutcome
from toolgauge.benchmarks.acebench.environments.world import Execution, Executor
from toolgauge.benchmarks.acebench.options import Style
from toolgauge.benchmarks.acebench.prompts import prompt
from toolgauge.chat import GoldHint, Message, Reply, Request, Tool
from toolgauge.episode import ASSISTANT, Step, Stop
from toolgauge.models.dialects.ace import AceCall, Undecodable, render_calls, strip_reasoning

STOP = "finish conversation"
USER, AGENT, EXECUTION = "user", "agent", "execution"
ConversationSteps = Generator[Request, Reply, None]


class Line(Struct, frozen=True):
    """One message of the conversation, with the reply it came from (none for results)."""

    speaker: str
    text: str
    reply: Reply | None = None


class AgentConversation:
    """What happened so far in one episode: lines, executed messages, steps for the trajectory.

    ended_by: who said the stop phrase, or the limit of messages; None while it goes on.
    """

    def __init__(
        self, key: str, entry: AceEntry, executor: Executor, style: Style, max_turns: int, script: Script
    ) -> None:
        self.key, self.entry, self.executor, self.script = key, entry, executor, script
        self.style, self.max_turns = style, max_turns
        self.tools: NativeTools = entry.native
        self.offered = {function.name for function in entry.functions}
        self.lines: list[Line] = []
        self.process: list[str] = []
        self.steps: list[Step] = []
        self.failed_messages = self.environment_errors = 0
        self.ended_by: Stop | None = None
        self._sent: dict[str, int] = {}

    def ask(
        self, role: str, messages: tuple[Message, ...], tools: tuple[Tool, ...], gold_hint: GoldHint
    ) -> Generator[Request, Reply, Reply]:
        """One request; the step remembers the messages that this role had not been sent before."""
        index = len(self.steps)
        reply = yield Request(role, messages, tools, self.key, index, gold_hint)
        whole = role == ASSISTANT and self.style == "prompt"
        new = messages if whole else messages[self._sent.get(role, 0) :]
        self._sent[role] = len(messages)
        self.steps.append(Step(new, reply, role=role))
        return reply

    def is_over(self, index: int, line: Line) -> bool:
        """Whether a message ends the conversation: it holds the stop phrase, from the third message on.

        Under the exact rules a call is no end, even if one of its arguments holds the phrase (Q31). An agent under
        test that failed says nothing more.
        """
        if line.reply is not None and line.reply.error is not None:
            self.ended_by = Stop.BROKEN_OFF
            return True
        if index <= 1 or STOP not in line.text:
            return False
        if self.executor.world.exact and line.speaker == AGENT and self.is_call(line):
            return False
        self.ended_by = Stop(line.speaker)
        return True

    def is_call(self, line: Line) -> bool:
        if line.reply is not None and line.reply.tool_calls:
            return True
        return not isinstance(self.executor.decode(line.text), Undecodable)

    def execute(self, line: Line) -> Execution:
        """Run an agent's message; what reaches the executor belongs to the process."""
        calls = native_calls(self.tools, line.reply) if line.reply is not None and line.reply.tool_calls else None
        if calls is None:
            self.process.append(line.text)
            execution = self.executor.run(line.text)
        else:
            self.process.append(render_calls(calls))
            execution = self.executor.run_calls(calls)
        self.failed_messages += execution.failed or execution.undecodable is not None
        self.environment_errors += any(map(self._is_environments, execution.calls, execution.outcomes))
        return execution

    def _is_environments(self, call: AceCall, outcome: CallOutcome) -> bool:
        """Whether the environment is to blame: it broke, or does not have a function that the entry offers."""
        return outcome.defect or (call.name not in self.executor.world.functions and call.name in self.offered)

    def outcome(self) -> dict[str, object]:
        """What the checkers and the reader of a trajectory want to know of the end."""
        return {
            "result": self.executor.result(),
            "process": self.process,
            "ended_by": self.ended_by or "",
            "failed_messages": self.failed_messages,
            "environment_errors": self.environment_errors,
            "style": self.style,
        }


class Script(Struct):
    """What a perfect agent says, message by message: the entry's milestones, for built-in models.

    unfinished: the error type of ending before the last of them; where there is one, that is the mistake on offer.
    """

    messages: tuple[str, ...]
    unfinished: Callable[[], str | None]
    said: int = 0

    def next(self) -> GoldHint:
        """The next milestone, or the end."""
        position, steps = self.said, len(self.messages) + 1
        self.said += 1
        text = self.messages[position] if position < len(self.messages) else STOP
        last = 0 < position == len(self.messages) - 1  # the stop phrase does not count before the third message
        return GoldHint(
            "calls" if text != STOP else "final", Reply(text), steps=steps, mistakes=self._stop if last else tuple
        )

    def _stop(self) -> list[tuple[str, Reply]]:
        error = self.unfinished()
        return [(error, Reply(STOP))] if error else []


def multi_turn(conversation: AgentConversation) -> ConversationSteps:
    """User, agent and execution take turns; every message has a recipient."""
    opening = yield from _user_speaks(conversation)
    conversation.lines.append(Line(USER, opening.content or "", opening))
    recipient = AGENT
    for index in range(conversation.max_turns):
        if recipient == AGENT:
            line = yield from _agent_speaks(conversation, _flattened)
            recipient = EXECUTION if conversation.is_call(line) else USER
        elif recipient == EXECUTION:
            line, recipient = Line(EXECUTION, conversation.execute(conversation.lines[-1]).content), AGENT
        else:
            reply = yield from _user_speaks(conversation)
            line, recipient = Line(USER, reply.content or "", reply), AGENT
        conversation.lines.append(line)
        if conversation.is_over(index, line):
            return
    conversation.ended_by = Stop.LIMIT


def multi_step(conversation: AgentConversation) -> ConversationSteps:
    """The agent acts alone; whatever it writes reaches the executor."""
    conversation.lines.append(Line(USER, conversation.entry.question))
    spoken: Line | None = None
    for index in range(conversation.max_turns):
        if spoken is None:
            line = spoken = yield from _agent_speaks(conversation, _results_only)
        else:
            line, spoken = Line(EXECUTION, conversation.execute(spoken).content), None
        conversation.lines.append(line)
        if conversation.is_over(index, line):
            return
    conversation.ended_by = Stop.LIMIT


History = Callable[[AgentConversation], str]


def _flattened(conversation: AgentConversation) -> str:
    return "\n".join(f"{line.speaker}:{line.text}" for line in conversation.lines)


def _results_only(conversation: AgentConversation) -> str:
    """Opening and results; the published agent does not see its own messages (Q28), the exact one does."""
    whole = conversation.executor.world.exact
    names = {USER: "user", AGENT: "agent", EXECUTION: "execution result"}
    return "\n".join(
        f"{names[line.speaker]}:{line.text}" for line in conversation.lines if whole or line.speaker != AGENT
    )


def _agent_speaks(conversation: AgentConversation, history: History) -> Generator[Request, Reply, Line]:
    entry = conversation.entry
    kind = entry.category.removeprefix("agent_")
    gold_hint = conversation.script.next()
    if conversation.style == "native":
        native = natively(conversation.tools, gold_hint.reply, len(conversation.steps))
        if len(native.tool_calls) == 1:  # several in one message may not be made one by one: the script has moved on
            gold_hint = replace(gold_hint, reply=native)
        system = prompt(f"{kind}_native", entry.language, **_rules(entry))
        messages = (Message("system", system), *_native_messages(conversation))
        reply = yield from conversation.ask("assistant", messages, conversation.tools.tools, gold_hint)
        calls = native_calls(conversation.tools, reply) if reply.tool_calls else None
        text = render_calls(calls) if calls is not None else strip_reasoning(reply.content or "")
        return Line(AGENT, text, reply)
    asked = prompt("functions", entry.language, functions=function_text(entry), history=history(conversation))
    messages = (Message("system", prompt(kind, entry.language, **_rules(entry))), Message("user", asked))
    reply = yield from conversation.ask("assistant", messages, (), gold_hint)
    return Line(AGENT, strip_reasoning(reply.content or ""), reply)


def _rules(entry: AceEntry) -> dict[str, str]:
    """The scenario rules of an entry's world; the multi-step text has no place for any."""
    scenes = [("Travel", "rules_travel"), ("BaseApi", "rules_phone")]
    return {
        "rules": "\n\n".join(prompt(text, entry.language) for kind, text in scenes if kind in entry.involved_classes)
    }


def _native_messages(conversation: AgentConversation) -> list[Message]:
    """The conversation with real roles: results as tool messages, one for each call."""
    messages: list[Message] = []
    for line in conversation.lines:
        if line.speaker == USER:
            messages.append(Message("user", line.text))
        elif line.speaker == AGENT and line.reply is not None:
            messages.append(line.reply.message())
        else:
            messages += _tool_messages(messages[-1], line.text)
    return messages


def _tool_messages(made: Message, content: str) -> list[Message]:
    """Results under the ids of the calls; a notice that concerns the message as a whole goes to each of them."""
    if not made.tool_calls:
        return [Message("user", content)]
    try:
        answers = json.loads(content)
    except ValueError:
        answers = content
    whole = not isinstance(answers, list) or len(answers) != len(made.tool_calls)
    return [
        Message("tool", content if whole else json.dumps(answers[index], ensure_ascii=False), tool_call_id=call.id)
        for index, call in enumerate(made.tool_calls)
    ]


def _user_speaks(conversation: AgentConversation) -> Generator[Request, Reply, Reply]:
    """The simulated user's next message; its own earlier ones stand under `assistant`, not `system`."""
    entry, language = conversation.entry, conversation.entry.language
    kind = "user_phone" if "BaseApi" in entry.involved_classes else "user_travel"
    rules = prompt(kind, language)
    messages = [Message("system", prompt("user", language, instruction=entry.question, rules=rules))]
    messages.append(Message("user", prompt("greeting", language)))
    for line in conversation.lines:
        if line.speaker == USER:
            messages.append(Message("assistant", line.text))
        elif line.speaker == AGENT and not conversation.is_call(line):
            messages.append(Message("user", _without_speaker(line.text)))
    words = Reply(entry.question if not conversation.lines else "好的。" if language == "zh" else "Yes.")
    reply = yield from conversation.ask("user", tuple(messages), (), GoldHint("final", words, mistakes=tuple))
    return reply


def _without_speaker(text: str) -> str:
    for speaker in (USER, AGENT):
        text = text.removeprefix(f"{speaker}:")
    return text
