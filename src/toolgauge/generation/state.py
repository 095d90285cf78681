"""A dialogue under way: what has been said, the draws that make it, and the requests it puts to the agents."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Generator, Iterable
from typing import Any, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import GoldHint, Message, Reply, Request, Tool
from toolgauge.episode import Step
from toolgauge.generation.dialogue import CHECKERS, Dialogue, Entry, PlannedTask, Speaker
from toolgauge.generation.prompts import text
from toolgauge.generation.replies import Unusable, schema_of, without_thought
from toolgauge.tools.toollist import ToolList

Content = TypeVar("Content")
MOST_EVIDENCE = 2000
"""Characters that are kept of the reason for a rejection or a repair."""


class AgentRequest(Struct, frozen=True):
    """A request to an agent. role: its family, for which a model is named ("user", "planner", "tool", "agent",
    "checker"); agent: its second-level name ("user_ask"); reply: the Struct that the reply has to be."""

    role: str
    agent: str
    messages: tuple[Message, ...]
    reply: type[Struct]

    def again(self, why: str) -> AgentRequest:
        """The same request with the reason for which the last reply was refused at its end. The reply itself is not
        shown: what it did wrong would be copied."""
        *before, last = self.messages
        demand = replace(last, content=f"{last.content}\n\n{why}")
        return replace(self, messages=(*before, demand))


HintProvider = Callable[["DialogueState", AgentRequest], GoldHint]
"""The reply of a scripted agent to a request, for built-in models; it is never sent anywhere."""


class Scripted(Protocol):
    """A HintProvider for dialogues over any tools."""

    def __call__(self, state: DialogueState, ask: AgentRequest, /) -> GoldHint: ...

    def require_values(self, pool: Iterable[ToolList]) -> None:
        """Raise UsageError for tool lists over which it has nothing to say."""
        ...


class Rejected(Exception):
    """This attempt at a dialogue has failed.

    reason: a short name for counting ("planner", "tool", a check's name); evidence: what exactly, for people.
    """

    def __init__(self, reason: str, evidence: str) -> None:
        super().__init__(f"{reason}: {evidence}")
        self.reason, self.evidence = reason, evidence


class Fault(Rejected):
    """A fault in the task under way: the part of it behind entry `keep` is made again by who is told `why`; a rejection
    where that was done too often."""

    def __init__(self, reason: str, evidence: str, why: str, keep: int) -> None:
        super().__init__(reason, evidence)
        self.why, self.keep = why, keep


class Repair(Struct, frozen=True):
    """A fault that was mended by making a part of a task again. task: from 0; first, end: the steps of the trajectory
    that were thrown away, the last one not included."""

    task: int
    reason: str
    evidence: str
    first: int
    end: int


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

    Draws depend on the seed, the slot, the attempt and their purpose alone (`draws`). why: what the next agent is told
    of the part that is made again; wanted: how many proposals for the next task; said_at: per entry the number of steps
    that there were when it was said, begun: when the attempt began. earlier: how many
    tasks at the beginning were given by a reviewed session. scripted: what a HintProvider remembers of it.
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
        self.clock, self.hints = clock, hints
        self.tasks: list[PlannedTask] = []
        self.entries: list[Entry] = []
        self.said_at: list[int] = []
        self.begun = len(record.steps)
        self.repairs: list[Repair] = []
        self.earlier = 0
        self.wanted = 1
        self.why = ""
        self.scripted: object = None
        self._seed = draw.getrandbits(64)

    @property
    def task(self) -> int:
        return len(self.tasks) - 1

    @property
    def seen(self) -> tuple[Entry, ...]:
        """What agents see: all accepted entries, and of rejected tries only those of the turn under way."""
        standing = [n for n, entry in enumerate(self.entries) if entry.accepted and entry.speaker not in CHECKERS]
        last = standing[-1] if standing else -1
        return (*(self.entries[number] for number in standing), *self.entries[last + 1 :])

    @property
    def standing(self) -> list[Entry]:
        """What was said in the task under way, without rejected tries and checkers."""
        return [one for one in self.entries if one.task == self.task and one.accepted and one.speaker not in CHECKERS]

    @property
    def vague_answers(self) -> int:
        """How many answers in a row have not said what was asked."""
        answers = [one.agent for one in self.standing if one.agent.endswith("answer_ask")]
        return next((n for n, agent in enumerate(reversed(answers)) if agent == "user_answer_ask"), len(answers))

    def say(self, speaker: Speaker, text: str, **fields: Any) -> None:
        """Append what somebody said."""
        self.entries.append(Entry(speaker, text, self.task, **fields))
        self.said_at.append(len(self.record.steps))
        if self.entries[-1].accepted and speaker not in CHECKERS:
            self.why = ""

    def plan(self, **changes: Any) -> None:
        """Note something about the task under way."""
        self.tasks[-1] = replace(self.tasks[-1], **changes)

    def take_back(self, fault: Fault) -> None:
        """Forget what was said behind entry `fault.keep`, and note that."""
        first = self.said_at[fault.keep - 1] if fault.keep else self.begun
        evidence = fault.evidence[:MOST_EVIDENCE]
        self.repairs.append(Repair(self.task, fault.reason, evidence, first, len(self.record.steps)))
        del self.entries[fault.keep :], self.said_at[fault.keep :]
        self.plan(verdict=None)
        self.why = fault.why

    def draws(self, *purpose: object) -> random.Random:
        """Random numbers for one purpose in the task under way: the same whatever else is drawn, or made again."""
        return seeded_random(self._seed, self.task, *purpose)

    def ask(self, ask: AgentRequest) -> Generator[Request, Reply, Reply]:
        """Put a request to an agent and note it, with the thoughts in its reply set apart."""
        hint = self.hints(self, ask) if self.hints else None
        step = len(self.record.steps)
        schema = schema_of(ask.reply)
        reply = yield Request(ask.role, ask.messages, (), self.record.key, step, hint, reply_schema=schema)
        reply = without_thought(reply)
        self.record.add(ask, reply, max(self.task, 0))
        return reply

    def read(
        self, ask: AgentRequest, parse: Callable[[Reply], Content], tries: int
    ) -> Generator[Request, Reply, Content]:
        """The content of the first of so many replies that can be used; who is asked again is told why.

        parse: raises Unusable. Raises Rejected.
        """
        request, refused = ask, ""
        for _ in range(tries):
            reply = yield from self.ask(request)
            try:
                return parse(reply)
            except Unusable as error:
                refused = str(error)
                request = ask.again(text("again", self.language, why=f"{error.told(self.language)} "))
        raise Rejected(ask.role, f"{ask.agent}: {refused}")

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


def seeded_random(seed: int, *parts: object) -> random.Random:
    """Random numbers that depend on the seed and the parts' texts alone."""
    text = "/".join(str(part) for part in (seed, *parts))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big"))
