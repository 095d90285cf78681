"""A gymnasium environment over episodes: `reset`, `step`, no threads, no network.

With gymnasium installed (extra gym) `ToolEnv` is a `gymnasium.Env` with spaces of its own; without it the class works
the same by its methods alone. A simulated user speaks by the data's script. docs/training.md has an example.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgauge.benchmarks.benchmark import Sample, Setup, own_options
from toolgauge.chat import Json, Reply, Request
from toolgauge.data.session import Dataset
from toolgauge.episode import ASSISTANT, Episode, Trajectory
from toolgauge.errors import UsageError
from toolgauge.integrations.credit import SessionReward
from toolgauge.integrations.message_adapter import MessageAdapter, message_or_text, reply_of
from toolgauge.integrations.source import spec_of
from toolgauge.models.builtin.models import oracle
from toolgauge.models.provider_adapter import wire_message

if TYPE_CHECKING:
    from gymnasium import Env

    _Base = Env[dict[str, str], str]
else:
    try:
        from gymnasium import Env as _Base
    except ImportError:
        _Base = object

Observation = dict[str, str]
"""messages: the whole conversation as JSON in the form of the chat completions API; tools: those on offer, likewise."""


class ToolEnv(_Base):
    """One conversation per episode; the rewards of its steps add up to what `Rewards` says of the whole.

    An action is what the model says: raw text, or an assistant message, as a mapping or as JSON text with
    `"role": "assistant"`.
    """

    metadata: dict[str, object] = {"render_modes": []}  # noqa: RUF012 - gymnasium's own declaration

    def __init__(
        self,
        source: str | Path | Dataset,
        language: str = "en",
        scoring: str = "exact",
        shape: str = "label",
        *,
        setup: Setup | None = None,
        max_steps: int = 32,
        dialect: str | None = None,
        benchmark: str | None = None,
        offline: bool = False,
    ) -> None:
        """source, language, benchmark, dialect: see `Rewards`. shape: "label" rewards at the end, "progress" as calls
        are made rightly. setup: ids, limit, and the benchmark's own options. max_steps: replies after
        which an episode is truncated."""
        opened = spec_of(source, language, benchmark, offline).open()
        self.benchmark, self.dataset, self.setup = opened.benchmark, opened.dataset, setup or Setup()
        own_options(self.benchmark, self.setup)
        self.worth = SessionReward(self.benchmark, self.dataset, scoring, shape)
        self.max_steps, self._read = max_steps, MessageAdapter(dialect)
        self._units = {sample.key: sample for sample in self.benchmark.samples(self.dataset, self.setup)}
        self._draw = random.Random()
        self._episode: Episode | None = None
        self._unit: Sample | None = None
        self._request: Request | None = None
        self._said: list[Reply] = []
        self._earned = 0.0
        if _Base is not object:
            self.observation_space, self.action_space = _spaces()

    @property
    def task_ids(self) -> tuple[str, ...]:
        """The conversations that `reset` draws from."""
        return tuple(self._units)

    def reset(self, *, seed: int | None = None, options: Json | None = None) -> tuple[Observation, dict[str, object]]:
        """Begin a conversation: the one that options["task_id"] names, else one drawn at random.

        seed: makes the drawing, from here on, the same every time. Raises UsageError for an unknown task.
        """
        if _Base is not object:
            super().reset(seed=seed)
        if seed is not None:
            self._draw = random.Random(seed)
        wanted = (options or {}).get("task_id")
        sample = self._units.get(self._draw.choice(self.task_ids) if wanted is None else wanted)
        if sample is None:
            raise UsageError(f"options: unknown task_id '{wanted}'; see task_ids ({len(self._units)})")
        self._unit, self._said, self._earned = sample, [], 0.0
        self._episode = self.benchmark.episode(self.dataset, sample, self.setup)
        self._request, _done = self._advance(None)
        return self._observation(), self._info()

    def step(self, action: object) -> tuple[Observation, float, bool, bool, dict[str, object]]:
        """Say something: (observation, reward, terminated, truncated, info).

        info holds task_id and step, and at the end reward (of the whole), correct, progress, mistake and detail.
        """
        if self._episode is None or self._unit is None:
            raise UsageError("no episode is running; call reset() first")
        reply = reply_of(message_or_text(action), self._read)
        self._said.append(reply)
        request, trajectory = self._advance(reply)
        if trajectory is not None:
            self._episode = None
            whole = self.worth.of(trajectory)
            return self._observation(), whole.reward - self._earned, True, False, self._info() | whole.info()
        self._request = request
        truncated = len(self._said) >= self.max_steps
        if truncated:
            self._episode = None
        earned_before, self._earned = self._earned, self.worth.so_far(self._unit, self._said)
        return self._observation(), self._earned - earned_before, False, truncated, self._info()

    def render(self) -> None:
        """Nothing to show; the observation is the conversation."""

    def close(self) -> None:
        """Let the episode go."""
        self._episode = None

    def _advance(self, reply: Reply | None) -> tuple[Request | None, Trajectory | None]:
        """To the model's next turn, or to the end; other roles speak by their script."""
        assert self._episode is not None, "called while an episode goes on"
        try:
            request = next(self._episode) if reply is None else self._episode.send(reply)
            while request.role != ASSISTANT:
                request = self._episode.send(oracle(request))
        except StopIteration as end:
            return None, end.value
        return request, None

    def _observation(self) -> Observation:
        """What was last asked; after the end it stays as it was."""
        assert self._request is not None, "every conversation begins with the model being asked"
        messages = [wire_message(message) for message in self._request.messages]
        tools = [tool.wire() for tool in self._request.tools]
        return {"messages": json.dumps(messages, ensure_ascii=False), "tools": json.dumps(tools, ensure_ascii=False)}

    def _info(self) -> dict[str, object]:
        assert self._unit is not None, "a conversation was begun"
        return {"task_id": self._unit.key, "step": len(self._said)}


def _spaces() -> tuple[Any, Any]:
    """Any text: gymnasium's Text knows a set of characters, a conversation knows none."""
    from gymnasium import spaces

    class AnyText(spaces.Text):
        """Text of any characters; samples are short and of the usual ones."""

        def contains(self, x: object) -> bool:
            return isinstance(x, str)

    text = AnyText(max_length=64)
    return spaces.Dict({"messages": AnyText(max_length=64), "tools": AnyText(max_length=64)}), text
