"""An episode is one conversation with a model, written as a plain generator without I/O.

It yields a `Request`, is sent the `Reply`, and returns a `Trajectory`. Any driver can run it: the asyncio runner, a Ray
worker, or the four lines of `drive`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from enum import StrEnum
from typing import Any

from msgspec import Struct

from toolgauge.chat import Message, Reply, Request, Tool, Usage

TRAJECTORY_VERSION = 1
ASSISTANT = "assistant"
"""The role of the model that is measured."""


class Step(Struct, frozen=True, omit_defaults=True):
    """One request and its reply. `messages` are those added since this role's step before (at its first: all).

    kept: how many messages of that earlier request this one begins with, where it is not all of them. agent: who of the
    role's family spoke (data generation). turn: of the user's, within the task, from 0.
    """

    messages: tuple[Message, ...]
    reply: Reply
    task_index: int = 0
    role: str = ASSISTANT
    kept: int | None = None
    agent: str = ""
    turn: int = 0


class Stop(StrEnum):
    """Why our own episodes and recordings ended; those of other packages may say it in their words."""

    ANSWERED = "answered"
    NO_OUTPUT = "no usable output"
    ILLEGAL_STEP = "a step that no legal order admits"
    BROKEN_OFF = "broken off"
    USER = "user"  # who said the phrase that ends a conversation
    AGENT = "agent"
    EXECUTION = "execution"
    LIMIT = "limit"
    RECORDING = "end of the recording"  # by whoever recorded it; the model might have gone on


class Trajectory(Struct, frozen=True, omit_defaults=True):
    """What happened in one episode: the only thing that scoring and reports read (a line of trajectories.jsonl).

    task_id: "<session id>/<task index>" and "#<epoch>" from the second epoch on; for an episode over a whole session
    the session id. stopped: why the episode ended, in the environment's words (for people; scoring only asks whether
    it is a recording).
    corrections: the sha256 of the corrections of the data that were asked, "" for data as they are.
    """

    task_id: str
    session_id: str
    steps: tuple[Step, ...]
    task_index: int | None = None
    epoch: int = 0
    tools: tuple[Tool, ...] = ()
    stopped: str | None = None
    extra: dict[str, Any] = {}
    version: int = TRAJECTORY_VERSION
    corrections: str = ""

    @property
    def is_recording(self) -> bool:
        """Does it end where a recording of somebody else's ends, which need not be where the model would have?"""
        return self.stopped == Stop.RECORDING

    @property
    def replies(self) -> tuple[Reply, ...]:
        return tuple(step.reply for step in self.steps)

    @property
    def usage(self) -> Usage:
        return sum((step.reply.usage for step in self.steps), Usage())


def requested(steps: Iterable[Step]) -> Iterator[tuple[Step, tuple[Message, ...]]]:
    """Each step with all messages of its request, those that its role had before among them."""
    before: dict[str, tuple[Message, ...]] = {}
    for step in steps:
        before[step.role] = (*before.get(step.role, ())[: step.kept], *step.messages)
        yield step, before[step.role]


Episode = Generator[Request, Reply, Trajectory]


def drive(episode: Episode, answer: Callable[[Request], Reply]) -> Trajectory:
    """Run an episode with a function that answers each request, and return what happened.

    One that is played by ordinary code (it has `run`) is played in this thread.
    """
    play: Callable[[Callable[[Request], Reply]], Trajectory] | None = getattr(episode, "run", None)
    if play is not None:
        return play(answer)
    try:
        request = next(episode)
        while True:
            request = episode.send(answer(request))
    except StopIteration as end:
        trajectory: Trajectory = end.value
        return trajectory
