"""The conversations of the agent categories: simulated user, agent and execution over a world.

Source: docs/acebench.md#agents; keys such as Q31: docs/acebench.md#scorings.

`prompt` is the published style: each request is a system message and one user message with everything so far. `native`
is the endpoint's own tool calling over a real conversation. In both, what counts is the world's state at the end.
"""

from __future__ import annotations

import json
from collections.abc import Generator

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.acebench.asking import Style, function_text, native_calls, natively
from toolgauge.benchmarks.acebench.builtin import cut_short, scripts
from toolgauge.benchmarks.acebench.data.entries import AceEntry
from toolgauge.benchmarks.acebench.decoder.decode import Undecodable, render_calls, strip_reasoning
from toolgauge.benchmarks.acebench.environments.environment import Scoring
from toolgauge.benchmarks.acebench.environments.world import Executor, Manner, World
from toolgauge.benchmarks.acebench.prompts import prompt
from toolgauge.benchmarks.benchmark import Sample
from toolgauge.chat import GoldHint, Json, Message, Reply, Request, Tool
from toolgauge.episode import ASSISTANT, Episode, Step, Stop, Trajectory

STOP = "finish conversation"
USER, AGENT, EXECUTION = "user", "agent", "execution"
MULTI_TURN: Manner = "multi_turn"
MULTI_STEP: Manner = "multi_step"


def agent_episode(entry: AceEntry, sample: Sample, style: Style, max_turns: int, tables: Json) -> Episode:
    """A conversation over a fresh world; its end state and executed messages go into the trajectory.

    The published style runs on the published environments' rules, native calling on the repaired ones.
    """
    scoring: Scoring = "released" if style == "prompt" else "exact"
    world = World(entry.involved_classes, tables, entry.initial_config, entry.language, scoring)
    talk = AgentConversation(sample.key, entry, world, style, tables)
    yield from talk.play(max_turns)
    extra = {
        "result": talk.executor.result(),
        "process": talk.process,
        "ended_by": talk.ended_by or "",
        "failed_messages": talk.failed_messages,
        "environment_errors": talk.environment_errors,
        "style": style,
    }
    tools = entry.native.tools if style == "native" else ()
    steps = tuple(talk.steps)
    return Trajectory(sample.key, entry.session_id, steps, 0, sample.epoch, tools, talk.ended_by, extra)


class Line(Struct, frozen=True):
    """One message of the conversation, with the reply it came from (none for results)."""

    speaker: str
    text: str
    reply: Reply | None = None


class AgentConversation:
    """What happened so far in one episode."""

    def __init__(self, key: str, entry: AceEntry, world: World, style: Style, tables: Json) -> None:
        self.key, self.entry, self.style = key, entry, style
        self.manner = MULTI_TURN if entry.category == "agent_multi_turn" else MULTI_STEP
        self.executor = Executor(world, self.manner)
        self.lines: list[Line] = []
        self.process: list[str] = []
        """The messages that reached the executor, as text."""
        self.steps: list[Step] = []
        self.failed_messages = self.environment_errors = 0
        self.ended_by: Stop | None = None
        """Who said the stop phrase, or the limit of messages; None while it goes on."""
        self.script = scripts(entry, tables)
        """What a perfect agent says, message by message: the entry's milestones, for built-in models."""
        self._tables, self._scripted = tables, 0
        self._sent: dict[str, int] = {}

    def play(self, max_turns: int) -> Generator[Request, Reply, None]:
        """In `multi_turn` every message has a recipient; in `multi_step` all that the agent writes is executed."""
        if self.manner == MULTI_TURN:
            self.lines.append((yield from self._user_speaks()))
        else:
            self.lines.append(Line(USER, self.entry.question))
        recipient = AGENT
        for index in range(max_turns):
            if recipient == AGENT:
                line = yield from self._agent_speaks()
                recipient = EXECUTION if self.manner == MULTI_STEP or self._is_call(line) else USER
            else:
                line = self._execute(self.lines[-1]) if recipient == EXECUTION else (yield from self._user_speaks())
                recipient = AGENT
            self.lines.append(line)
            if self._is_over(index, line):
                return
        self.ended_by = Stop.LIMIT

    def _is_over(self, index: int, line: Line) -> bool:
        """Whether a message ends the conversation: it holds the stop phrase, from the third message on.

        Under the exact rules a call is no end, even if one of its arguments holds the phrase (Q31). An agent under
        test that failed says nothing more.
        """
        if line.reply is not None and line.reply.error is not None:
            self.ended_by = Stop.BROKEN_OFF
            return True
        if index <= 1 or STOP not in line.text:
            return False
        if self.executor.world.exact and line.speaker == AGENT and self._is_call(line):
            return False
        self.ended_by = Stop(line.speaker)
        return True

    def _is_call(self, line: Line) -> bool:
        if line.reply is not None and line.reply.tool_calls:
            return True
        return not isinstance(self.executor.decode(line.text), Undecodable)

    def _execute(self, line: Line) -> Line:
        """Run an agent's message; what reaches the executor belongs to the process."""
        calls = native_calls(self.entry.native, line.reply) if line.reply and line.reply.tool_calls else None
        self.process.append(line.text if calls is None else render_calls(calls))
        execution = self.executor.run(line.text) if calls is None else self.executor.run_calls(calls)
        self.failed_messages += execution.failed or execution.undecodable is not None
        # The environment is to blame where it broke, or does not have a function that the entry offers.
        offered, there = {function.name for function in self.entry.functions}, self.executor.world.functions
        self.environment_errors += any(
            outcome.defect or (call.name in offered and call.name not in there)
            for call, outcome in zip(execution.calls, execution.outcomes, strict=False)
        )
        return Line(EXECUTION, execution.content)

    def _ask(
        self, role: str, messages: tuple[Message, ...], tools: tuple[Tool, ...], gold_hint: GoldHint
    ) -> Generator[Request, Reply, Reply]:
        """One request; the step remembers the messages that this role had not been sent before."""
        reply = yield Request(role, messages, tools, self.key, len(self.steps), gold_hint)
        whole = role == ASSISTANT and self.style == "prompt"
        self.steps.append(Step(messages if whole else messages[self._sent.get(role, 0) :], reply, role=role))
        self._sent[role] = len(messages)
        return reply

    def _user_speaks(self) -> Generator[Request, Reply, Line]:
        """The simulated user's next message; its own earlier ones stand under `assistant`, not `system`."""
        language = self.entry.language
        rules = prompt("user_phone" if "BaseApi" in self.entry.involved_classes else "user_travel", language)
        messages = [
            Message("system", prompt("user", language, instruction=self.entry.question, rules=rules)),
            Message("user", prompt("greeting", language)),
        ]
        for line in self.lines:
            if line.speaker == USER:
                messages.append(Message("assistant", line.text))
            elif line.speaker == AGENT and not self._is_call(line):
                text = line.text.removeprefix(f"{USER}:").removeprefix(f"{AGENT}:")
                messages.append(Message("user", text))
        words = Reply(self.entry.question if not self.lines else "好的。" if language == "zh" else "Yes.")
        reply = yield from self._ask("user", tuple(messages), (), GoldHint("final", words, mistakes=tuple))
        return Line(USER, reply.content or "", reply)

    def _agent_speaks(self) -> Generator[Request, Reply, Line]:
        """The agent's next message; its native calls as text."""
        entry, native, gold_hint = self.entry, self.entry.native, self._gold_hint()
        scenes = [("Travel", "rules_travel"), ("BaseApi", "rules_phone")]  # the multi-step text has no place for any
        rules = "\n\n".join(prompt(text, entry.language) for kind, text in scenes if kind in entry.involved_classes)
        if self.style == "prompt":
            asked = prompt("functions", entry.language, functions=function_text(entry), history=self._history())
            system = Message("system", prompt(self.manner, entry.language, rules=rules))
            reply = yield from self._ask(ASSISTANT, (system, Message("user", asked)), (), gold_hint)
            return Line(AGENT, strip_reasoning(reply.content or ""), reply)
        right = natively(native, gold_hint.reply, len(self.steps))
        if len(right.tool_calls) == 1:  # several in one message may not be made one by one: the script has moved on
            gold_hint = replace(gold_hint, reply=right)
        system = Message("system", prompt(f"{self.manner}_native", entry.language, rules=rules))
        reply = yield from self._ask(ASSISTANT, (system, *self._native_messages()), native.tools, gold_hint)
        calls = native_calls(native, reply) if reply.tool_calls else None
        return Line(AGENT, strip_reasoning(reply.content or "") if calls is None else render_calls(calls), reply)

    def _gold_hint(self) -> GoldHint:
        """The next milestone, or the end. At the last milestone, to end before it is the mistake on offer."""
        position, steps = self._scripted, len(self.script) + 1
        self._scripted += 1
        if position >= len(self.script):
            return GoldHint("final", Reply(STOP), steps=steps, mistakes=tuple)
        text = self.script[position]
        last = 0 < position == len(self.script) - 1  # the stop phrase does not count before the third message
        kind = "calls" if text != STOP else "final"
        return GoldHint(kind, Reply(text), steps=steps, mistakes=self._stop_early if last else tuple)

    def _stop_early(self) -> list[tuple[str, Reply]]:
        """The end before the last milestone, unless it would be right all the same."""
        error = cut_short(self.entry, self.script, self._tables)
        return [(error, Reply(STOP))] if error else []

    def _history(self) -> str:
        """The conversation as one text.

        In `multi_step` the published agent does not see its own messages (Q28), the exact one does.
        """
        if self.manner == MULTI_TURN:
            return "\n".join(f"{line.speaker}:{line.text}" for line in self.lines)
        names = {USER: "user", AGENT: "agent", EXECUTION: "execution result"}
        shown = [line for line in self.lines if self.executor.world.exact or line.speaker != AGENT]
        return "\n".join(f"{names[line.speaker]}:{line.text}" for line in shown)

    def _native_messages(self) -> list[Message]:
        """The conversation with real roles: results as tool messages, one for each call."""
        messages: list[Message] = []
        for line in self.lines:
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
