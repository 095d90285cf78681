"""What a model is to the rest of the package, and the options with which one is opened. Light: imports no client."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from toolgauge.chat import Reply, Request
from toolgauge.limits import MAX_REPLY_BYTES
from toolgauge.models.retry import Backoff

AGENT = "agent"
"""The provider of what has a loop of its own (toolgauge/agents)."""
LONGER = 4
"""So many times the time-out a server may take for a whole reply."""


class Model(Protocol):
    """What answers requests: an endpoint, a built-in model, or what an entry point brings.

    One instance belongs to one event loop; any number of `ask` may be under way at once.
    """

    name: str
    """As the user wrote it: "openai/gpt-x", "builtin/noisy?seed=1&rate=0.3"."""

    async def ask(self, request: Request) -> Reply:
        """The reply, whatever it contains. Raises ProviderError, and nothing else, after the model's own retries."""
        ...

    async def close(self) -> None:
        """Let connections go; the model cannot be asked afterwards."""
        ...

    def describe(self) -> dict[str, Any]:
        """For the manifest of a run: provider, model, base URL. Never a key, nor a URL's credentials or query."""
        ...


@runtime_checkable
class ConversationModel(Model, Protocol):
    """A model that keeps something from request to request of one conversation, which cannot be taken up again: an
    agent with a loop of its own."""

    def conversation(self, sample: str) -> AbstractAsyncContextManager[Model]:
        """What answers the requests of one sample, in their order, until the context is left."""
        ...


class Sampling(Struct, frozen=True, omit_defaults=True):
    """How replies are drawn, in the words of the chat completions API. Only what is set is sent.

    extra_body: further fields of the request body as they are; they win over the others.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    parallel_tool_calls: bool | None = None
    tool_choice: str | dict[str, object] | None = None
    stop: str | list[str] | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    extra_body: dict[str, object] = {}


class ModelOptions(Struct, frozen=True):
    """How a model is reached.

    timeout: seconds for one attempt, connecting and reading together. max_attempts: how often a request is tried.
    patience: seconds without any reply for which an endpoint that did answer before and is now unreachable or busy is
    tried beyond max_attempts. concurrency: most requests under way at once; fewer while the endpoint is overloaded.
    batch: to be asked through the provider's batch API, where it has one.
    dialect: how the model writes calls as text (a name of models/dialects, or "auto"); None for native calls.
    max_reply_bytes: the most of one reply, unpacked; what is larger is a failed attempt.
    slots: how many requests the server works on at once, where it says so. whole_replies: an attempt may take longer
    than `timeout`, as long as a reply of `max_tokens` takes at the speed that was seen (`longest_timeout` at most).
    """

    base_url: str | None = None
    api_key: str | None = None
    timeout: float = 300.0
    max_attempts: int = 6
    patience: float = 600.0
    concurrency: int = 32
    batch: bool = False
    sampling: Sampling = Sampling()
    backoff: Backoff = Backoff()
    dialect: str | None = None
    max_reply_bytes: int = MAX_REPLY_BYTES
    slots: int | None = None
    whole_replies: bool = False

    @property
    def longest_timeout(self) -> float:
        """Seconds after which any attempt is given up."""
        return self.timeout * LONGER if self.whole_replies else self.timeout

    def __repr__(self) -> str:
        """Without key and address, which may hold one: options turn up in logs and tracebacks."""
        shown = ((name, getattr(self, name)) for name in self.__struct_fields__ if name not in ("api_key", "base_url"))
        return f"ModelOptions({', '.join(f'{name}={value!r}' for name, value in shown)})"
