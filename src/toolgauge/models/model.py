"""What a model is to the rest of the package, and the options with which one is opened. Light: imports no client."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any, ClassVar, Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import asdict, replace

from toolgauge.chat import Reply, Request
from toolgauge.errors import UsageError
from toolgauge.limits import MAX_REPLY_BYTES
from toolgauge.models.failures import Backoff
from toolgauge.options import option

AGENT = "agent"
"""The provider of what has a loop of its own (toolgauge/agents)."""
LONGER = 4
"""So many times the time-out a server of this machine may take for a whole reply."""


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


MOST_WRAPPED = 8
"""Models around one another that are looked through."""


def wrapped_models(model: object) -> Iterator[object]:
    """A model, and one by one those that it is wrapped around (`inner`)."""
    for _ in range(MOST_WRAPPED):
        if model is None:
            return
        yield model
        model = getattr(model, "inner", None)


@runtime_checkable
class ConversationModel(Model, Protocol):
    """A model that keeps something from request to request of one conversation, which cannot be taken up again: an
    agent with a loop of its own."""

    def conversation(self, sample: str) -> AbstractAsyncContextManager[Model]:
        """What answers the requests of one sample, in their order, until the context is left."""
        ...


class Sampling(Struct, frozen=True, omit_defaults=True):
    """How replies are drawn, in the words of the chat completions API. Only what is set is sent."""

    GROUP: ClassVar[str] = "sampling"
    PANEL: ClassVar[str] = "Sampling"

    temperature: Annotated[
        float | None, option("Sampling temperature; the provider's default if unset.", metavar="X", ge=0)
    ] = None
    top_p: Annotated[float | None, option("Nucleus sampling.", metavar="X", ge=0, le=1, rare=True)] = None
    max_tokens: Annotated[int | None, option("Maximum tokens of one reply.", metavar="N", ge=1)] = None
    seed: Annotated[int | None, option("The provider's sampling seed.", metavar="N")] = None
    reasoning_effort: Annotated[str | None, option("Of reasoning models: low, medium, high.", rare=True)] = None
    parallel_tool_calls: Annotated[bool | None, option("Several calls in one reply.", rare=True)] = None
    tool_choice: Annotated[
        str | dict[str, object] | None, option('As the API has it: "auto", "required" (JSON).', rare=True)
    ] = None
    stop: Annotated[str | list[str] | None, option("Texts at which a reply ends (JSON).", rare=True)] = None
    frequency_penalty: Annotated[float | None, option("As the API has it.", rare=True)] = None
    presence_penalty: Annotated[float | None, option("As the API has it.", rare=True)] = None
    extra_body: Annotated[
        dict[str, object],
        option('Further fields of the request body, a JSON object; they win over the others: {"top_k": 20}', rare=True),
    ] = {}

    def __post_init__(self) -> None:
        """Raise UsageError for an `extra_body` that is not an object."""
        if not isinstance(self.extra_body, dict):
            raise UsageError('sampling.extra_body must be a JSON object, for example {"top_k": 20}')

    @property
    def recorded(self) -> Sampling:
        """What a manifest keeps: no texts of `extra_body` under names such as api_key or token."""
        return replace(self, extra_body=_without_secrets(self.extra_body))


_SECRET_NAME = re.compile(
    r".*(key|secret|passw(or)?d|authorization|credentials?)|((.*[_-])?(access|auth|api|bearer|session)[_-]?)?token",
    re.IGNORECASE,
)


def _without_secrets(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_secrets(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _without_secrets(part)
        for name, part in value.items()
        if not (isinstance(part, str) and _SECRET_NAME.fullmatch(name))
    }


class EndpointOptions(Struct, frozen=True):
    """How a model is reached. An endpoint that answered before and is now unreachable or busy is tried for `patience`
    seconds without any reply, beyond max_attempts."""

    GROUP: ClassVar[str] = "endpoint"
    PANEL: ClassVar[str] = "Endpoint"

    base_url: Annotated[
        str | None, option("An OpenAI-compatible server, for example http://localhost:8000/v1.", metavar="URL")
    ] = None
    api_key: Annotated[
        str | None, option("Better in the environment or .env (OPENAI_API_KEY, AZURE_OPENAI_API_KEY).", rare=True)
    ] = None
    timeout: Annotated[float, option("Seconds for one request.", ge=0.1, rare=True)] = 300.0
    max_attempts: Annotated[int, option("Maximum attempts per request.", ge=1, rare=True)] = 6
    patience: Annotated[
        float, option("Seconds to keep trying an endpoint that answered before and is gone.", ge=0, rare=True)
    ] = 600.0
    dialect: Annotated[
        str | None,
        option("For servers that give calls as text: how the model writes them, or auto.", metavar="NAME"),
    ] = None
    max_reply_bytes: Annotated[int, option("The largest reply that is read, unpacked.", ge=1, rare=True)] = (
        MAX_REPLY_BYTES
    )

    def __repr__(self) -> str:
        """Without key and address, which may hold one: options turn up in logs and tracebacks."""
        fields = ((name, getattr(self, name)) for name in self.__struct_fields__ if name not in ("api_key", "base_url"))
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in fields)})"


class ModelOptions(EndpointOptions, frozen=True):
    """How a model is opened.

    concurrency: most requests under way at once; fewer while the endpoint is overloaded. batch: to be asked through the
    provider's batch API, where it has one. slots: how many requests the server works on at once, where it says so.
    whole_replies: an attempt may take LONGER times the `timeout`, as a long reply does without a GPU.
    """

    concurrency: int = 32
    batch: bool = False
    sampling: Sampling = Sampling()
    backoff: Backoff = Backoff()
    slots: int | None = None
    whole_replies: bool = False

    @property
    def attempt_timeout(self) -> float:
        """Seconds after which an attempt is given up."""
        return self.timeout * LONGER if self.whole_replies else self.timeout

    @classmethod
    def of(cls, endpoint: EndpointOptions, **more: Any) -> ModelOptions:
        """The options of an endpoint, and more."""
        return cls(**asdict(endpoint), **more)
