"""What is said: messages, tool calls, tools, requests and replies, in the vocabulary of the OpenAI tool-call API.

Everything here is frozen data. A `Request` is what an episode asks for, a `Reply` is what a model (or a person, or a
built-in model) answered. Nothing is assumed about the content of a reply: any field may be missing or absurd.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from toolgauge.call_problems import CallProblem

Json = dict[str, Any]
"""A JSON object."""


class ToolCall(Struct, frozen=True, omit_defaults=True):
    """One call as a model made it.

    `arguments` is normally JSON text; servers that deliver an object (or nonsense) are passed on as they are.
    """

    id: str | None = None
    name: str | None = None
    arguments: Any = None

    def wire(self) -> Json:
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


class Message(Struct, frozen=True, omit_defaults=True):
    """One message of a conversation: role is system, user, assistant or tool. echo: see `Reply`."""

    role: str
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    reasoning: str | None = None
    echo: Json | None = None

    def wire(self) -> Json:
        """The message as an OpenAI-compatible endpoint expects it (reasoning is not sent back)."""
        message: Json = {"role": self.role, "content": self.content}
        if self.tool_calls:
            message["tool_calls"] = [call.wire() for call in self.tool_calls]
        if self.tool_call_id is not None:
            message["tool_call_id"] = self.tool_call_id
        return message


class ToolHints(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What a server says that a tool does (MCP's annotations); None: it says nothing."""

    read_only_hint: bool | None = None
    destructive_hint: bool | None = None
    idempotent_hint: bool | None = None


class ToolFacts(Struct, frozen=True, omit_defaults=True, rename="camel"):
    """What is known of a tool besides its definition: for who simulates or sorts it, never for who may call it.

    output_schema: JSON Schema of a successful result.
    """

    output_schema: Json | None = None
    annotations: ToolHints | None = None
    deprecated: bool = False


class Tool(Struct, frozen=True):
    """A tool on offer; `parameters` is a JSON Schema of type object."""

    name: str
    description: str = ""
    parameters: Json = {}
    facts: ToolFacts | UnsetType = UNSET

    def wire(self) -> Json:
        """The definition as an endpoint expects it, without `facts`."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}

    @property
    def properties(self) -> Json:
        """The schemas of its parameters, by their names; none of definitions that are not objects."""
        found = self.parameters.get("properties")
        return found if isinstance(found, dict) else {}

    @property
    def required(self) -> list[str]:
        """The names of the required parameters, as they are listed."""
        found = self.parameters.get("required")
        return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

    def noting(self, facts: ToolFacts) -> Tool:
        """The tool with what is known of it; as it is where that is nothing."""
        return self if facts == ToolFacts() else replace(self, facts=facts)

    def filed(self) -> Json:
        """The definition as our files keep it: `facts` stand beside `function`, by MCP's names."""
        return self.wire() | (to_builtins(self.facts) if self.facts else {})


class Usage(Struct, frozen=True, omit_defaults=True):
    """Tokens of one request as the provider counted them (0 where it did not say)."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


class Timings(Struct, frozen=True, omit_defaults=True):
    """Seconds that a server itself worked on a request, its waiting apart: on the prompt, and on the reply."""

    prompt: float = 0.0
    reply: float = 0.0

    @property
    def total(self) -> float:
        return self.prompt + self.reply


class Reply(Struct, frozen=True, omit_defaults=True):
    """What was answered.

    latency: seconds from sending the request to the whole answer, retries apart. attempts: requests it took.
    planted: only set by the built-in noisy model, the class of the mistake it made on purpose. echo: what its provider
    wants to see again beside this message (signatures of reasoning), as it came; nobody else reads it. problem: why
    something in a text that looks like a call was not read as one (models/dialects); it stands in `content`. raw: the
    whole text that a dialect read, where `content` is not that text. timings: where the server says how long it worked
    (llama.cpp's does); what else there is of the latency is waiting. error: the last words of an agent under test that
    raised, hung or ended its turn with nothing, in one bounded line that may be printed; the task is wrong. no_tools:
    of an agent under test that ended its turn, and had neither listed nor called the tools of its conversation.
    """

    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    finish_reason: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    latency: float = 0.0
    attempts: int = 1
    planted: str | None = None
    echo: Json | None = None
    problem: CallProblem | None = None
    raw: str | None = None
    timings: Timings | None = None
    error: str | None = None
    no_tools: bool = False

    @property
    def seconds(self) -> float:
        """How long the answer took, without waiting in its server's queue where the server tells that apart."""
        return min(self.timings.total, self.latency) if self.timings else self.latency

    def message(self) -> Message:
        """The reply as the assistant's message in the conversation that goes on."""
        return Message("assistant", self.content, self.tool_calls, reasoning=self.reasoning, echo=self.echo)


class GoldHint(Struct, frozen=True):
    """The annotated answer at this point, for built-in models only; it is never sent anywhere.

    due: "calls", "ask" or "final", what a perfect model does now, or "search" for the tools of its calls; reply: how it
    does it, in the fewest steps.
    done, later: annotated calls already made, and those that must wait for others.
    steps: the least number of replies the whole task takes.
    mistakes: wrong replies with the name of the mistake each one makes, where the benchmark knows them; made on demand.
    """

    due: str
    reply: Reply
    done: tuple[ToolCall, ...] = ()
    later: tuple[ToolCall, ...] = ()
    steps: int = 1
    mistakes: Callable[[], Sequence[tuple[str, Reply]]] | None = None


class ReplySchema(Struct, frozen=True):
    """What a reply has to be: one JSON object of this JSON Schema; name: of letters, for the endpoint."""

    name: str
    schema: Json


class Request(Struct, frozen=True):
    """A role has to speak now.

    role: which ("assistant" in an evaluation); episode: its id (a task id); step: how many
    requests were made for it before; gold_hint: see `GoldHint`. max_tokens: most tokens of the reply, where less than
    the model's own setting will do. reply_schema: of a reply that is one JSON object; sent to endpoints that can be
    held to it, for others the messages say the form.
    """

    role: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    episode: str = ""
    step: int = 0
    gold_hint: GoldHint | None = None
    max_tokens: int | None = None
    reply_schema: ReplySchema | None = None
