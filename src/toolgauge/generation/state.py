"""A dialogue under way: what has been said, the draws that make it, and the requests it puts to the agents."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Generator, Sequence
from typing import Any

from msgspec import Struct

from toolgauge.annotation.dialogue import CHECKERS, Dialogue, Entry, PlannedTask, Speaker
from toolgauge.annotation.grounding.context import Context
from toolgauge.chat import GoldHint, Message, Reply, Request, Tool
from toolgauge.data.session import Session
from toolgauge.episode import Step
from toolgauge.generation.agents.reasoning import without_reasoning
from toolgauge.generation.attempts import Repair


class AgentView(Struct, frozen=True):
    """What an agent may see: the tools (without pseudo-actions), the clock of the dialogue, everything said so far.

    clock: date, time and weekday it is set in; task: the number of the task under way, from 0; wanted: its kind.
    """

    language: str
    tools: tuple[Tool, ...]
    clock: str
    entries: tuple[Entry, ...]
    task: int
    wanted: str


class AgentRequest(Struct, frozen=True):
    """A request to an agent. role: its family, for which a model is named ("user", "planner", "tool", "agent",
    "checker"); agent: its second-level name ("user_ask"); hint: what scripted agents may be told; objection: why the
    last reply to the same request was refused."""

    role: str
    agent: str
    messages: tuple[Message, ...]
    hint: object = None
    objection: str = ""


HintProvider = Callable[["DialogueState", AgentRequest], GoldHint]
"""The reply of a perfect agent to a request, for built-in models; it is never sent anywhere."""


class Rejected(Exception):
    """This attempt at a dialogue has failed.

    reason: a short name for counting ("planner", "tool", "gate:provenance" ...); evidence: what exactly, for people.
    """

    def __init__(self, reason: str, evidence: str) -> None:
        super().__init__(f"{reason}: {evidence}")
        self.reason, self.evidence = reason, evidence


class Repairable(Rejected):
    """A fault in the task under way that may be mended by making a part of it again; else it is a rejection.

    why: what the agent is told who makes it again; decision: the number of the entry with the decision that is made
    again, None where it is the user's message.
    """

    def __init__(self, reason: str, evidence: str, why: str, decision: int | None = None) -> None:
        super().__init__(reason, evidence)
        self.why, self.decision = why, decision


class StepRecord:
    """All requests and replies of one slot, over all its attempts."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.steps: list[Step] = []
        self._last: dict[str, tuple[Message, ...]] = {}

    def add(self, ask: AgentRequest, reply: Reply, task: int) -> None:
        """Note a step: of its messages only those that differ from the role's request before."""
        before = self._last.get(ask.role, ())
        kept = next(
            (i for i, (a, b) in enumerate(zip(before, ask.messages, strict=False)) if a != b),
            min(len(before), len(ask.messages)),
        )
        self._last[ask.role] = ask.messages
        shown = None if kept == len(before) else kept
        self.steps.append(Step(ask.messages[kept:], reply, task, ask.role, shown, ask.agent))


class DialogueState:
    """The state of one attempt at a slot.

    Draws depend on the seed, the slot, the attempt and their purpose alone (`draws`). annotated: the session that the
    closed tasks are, where they were judged; context: what was said and answered, as it was read then; ablations: what
    was found when later tasks were planned again on their own; repairs: of its tasks so far; said_at: per entry the
    number of steps that there were when it was said.

    earlier: how many tasks at the beginning were given by a reviewed session.
    """

    def __init__(
        self,
        record: StepRecord,
        language: str,
        tools: tuple[Tool, ...],
        tool_list: str,
        draw: random.Random,
        clock: str,
        hints: HintProvider | None = None,
    ) -> None:
        self.record, self.language, self.tools, self.tool_list = record, language, tools, tool_list
        self.draw, self.clock, self.hints = draw, clock, hints
        self.tasks: list[PlannedTask] = []
        self.entries: list[Entry] = []
        self.earlier = 0
        self.annotated: Session | None = None
        self.context: Context | None = None
        self.ablations: list[dict[str, object]] = []
        self.repairs: list[Repair] = []
        self._seed = draw.getrandbits(64)
        self.said_at: list[int] = []

    @property
    def task(self) -> int:
        return len(self.tasks) - 1

    def view(self) -> AgentView:
        """What agents see now; of rejected tries only those of the turn under way."""
        return AgentView(
            self.language, self.tools, self.clock, seen_by_agents(self.entries), self.task, self.tasks[-1].kind
        )

    def say(self, speaker: Speaker, text: str, **fields: Any) -> None:
        """Append what somebody said."""
        self.entries.append(Entry(speaker, text, self.task, **fields))
        self.said_at.append(len(self.record.steps))

    def take_back(self, entry: int) -> None:
        """Forget what was said from an entry on."""
        del self.entries[entry:], self.said_at[entry:]

    def draws(self, *purpose: object) -> random.Random:
        """Random numbers for one purpose in the task under way: the same whatever else is drawn, or made again."""
        return seeded_random(self._seed, self.task, *purpose)

    @property
    def is_repaired(self) -> bool:
        """Was a part of the task under way made again?"""
        return any(one.task == self.task for one in self.repairs)

    @property
    def standing(self) -> list[Entry]:
        """What was said in the task under way, without rejected tries and checkers."""
        return [one for one in self.entries if one.task == self.task and one.accepted and one.speaker not in CHECKERS]

    def ask(self, ask: AgentRequest) -> Generator[Request, Reply, Reply]:
        """Put a request to an agent and note it, with reasoning in the text of the reply set apart."""
        gold_hint = self.hints(self, ask) if self.hints else None
        reply = yield Request(ask.role, ask.messages, (), self.record.key, len(self.record.steps), gold_hint)
        reply = without_reasoning(reply)
        self.record.add(ask, reply, self.task)
        return reply

    def dialogue(self, scenario: str | None = None) -> Dialogue:
        """The dialogue so far. scenario: its id."""
        return Dialogue(
            self.record.key,
            self.language,
            self.clock,
            self.tool_list,
            self.tools,
            tuple(self.tasks),
            tuple(self.entries),
            scenario,
            self.earlier,
        )


def seen_by_agents(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """What agents see: all accepted entries, then the rejected tries of the turn under way with their verdicts."""
    standing = [number for number, entry in enumerate(entries) if entry.accepted and entry.speaker not in CHECKERS]
    last = standing[-1] if standing else -1
    return tuple(entries[number] for number in standing) + tuple(entries[last + 1 :])


def seeded_random(seed: int, *parts: object) -> random.Random:
    """Random numbers that depend on the seed and the parts' texts alone."""
    text = "/".join(str(part) for part in (seed, *parts))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big"))
