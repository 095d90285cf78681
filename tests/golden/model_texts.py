"""What goes to models and what is read from them: request bodies of every provider, texts of every dialect.

The same three conversations everywhere: a first turn with tools; an annotated history with parallel calls and results;
and what follows the model's own reply, with all that it wants to see again, sampling options set.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from msgspec.structs import replace

from tests.mockserver import Server, serve
from tests.models.dialect_texts import EXAMPLES, situation
from tests.models.fakes import MANNERS, playing
from toolgauge.chat import Message, Reply, Request, Tool, ToolCall
from toolgauge.models import ModelOptions, Sampling, open_model

LINE = "\n"
KEY = "key-of-mine-0123456789abcdef"
TRANSPORT = {"accept", "accept-encoding", "connection", "content-length", "host", "user-agent"}
"""Headers that the library for HTTP sends, which may be another one tomorrow."""
SAMPLING = Sampling(
    temperature=0.3,
    top_p=0.9,
    max_tokens=512,
    seed=7,
    reasoning_effort="low",
    parallel_tool_calls=True,
    tool_choice="auto",
    stop=["END"],
    frequency_penalty=0.1,
    presence_penalty=0.2,
    extra_body={"top_p": 0.95},
)
RAIN = Tool(
    "rain",
    "Will it rain?",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Its name."},
            "days": {"type": "integer", "minimum": 1, "default": 1},
            "units": {"type": "string", "enum": ["mm", "inch"]},
        },
        "required": ["city"],
        "additionalProperties": False,
    },
)
BOOK = Tool(
    "book",
    "Book places.",
    {
        "type": "object",
        "properties": {
            "who": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}}},
            "days": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "sure": {"type": "boolean"},
        },
        "required": ["who", "days"],
    },
)
TOOLS = (RAIN, BOOK)
SYSTEM = Message("system", "Current Date: 2025-05-04 08:00:00 Sunday")
CALLS = (
    ToolCall("call_7", "rain", '{"city": "Oslo", "units": "mm"}'),
    ToolCall("call_8", "book", '{"who": {"name": "Ana \\"A\\"", "age": null}, "days": [[1, 2], []], "sure": true}'),
)
RESULTS = (
    Message("tool", '{"rain": 0.5}', tool_call_id="call_7"),
    Message("tool", "booked <1>", tool_call_id="call_8"),
)
FIRST = (SYSTEM, Message("user", "Rain in Oslo? Then book for Ana."))
HISTORY = (
    *FIRST,
    Message("assistant", "I look.", CALLS),
    *RESULTS,
    Message("assistant", "Hardly any. It is booked."),
    Message("user", "And in Bergen?"),
)
CONVERSATIONS = ("first", "history", "followed")
FIRST_ZH = (Message("system", "当前时间：2025-05-04 08:00:00 星期日"), Message("user", "奥斯陆会下雨吗？"))
SCRIPT = {
    ("Rain in Oslo? Then book for Ana.", 0): Reply(None, CALLS),
    ("Rain in Oslo? Then book for Ana.", 2): Reply("Done."),
    ("Rain in Oslo? Then book for Ana.\n\nAnd in Bergen?", 2): Reply("It pours."),
}
"""What the fake providers answer; they add the ids, thoughts and signatures that they want back."""

DIALECTS = (
    "hermes", "qwen3-coder", "llama3-json", "llama-pythonic", "toolace", "watt", "hammer", "mistral", "granite",
    "granite4", "phi4-mini", "hunyuan", "hunyuan3", "xlam2", "deepseek-v3", "deepseek-v3.1", "deepseek-v3.2",
    "deepseek-v4", "kimi", "glm4.5", "lfm2", "lfm2.5", "gemma", "functiongemma", "gemma4", "gpt-oss", "minimax-m2",
    "seed-oss", "generic",
)  # fmt: skip
SITUATIONS = ("parallel", "nested", "unicode", "text around", "thinking", "cut off", "broken beside a call")
"""Of tests/models/dialect_texts.py: what a reply may look like."""


def requests() -> Iterator[str]:
    """Path, names of headers and body of what every provider is sent, a message, a tool or a field on a line."""
    for name in MANNERS:
        with playing(name, KEY, SCRIPT) as fake:
            plain = ModelOptions(fake.base_url, KEY, max_attempts=1, patience=0.0)
            asyncio.run(three_conversations(f"{name}/some-model", plain, replace(plain, sampling=SAMPLING)))
            assert fake.refusals == [], name
            yield from request_lines(name, fake.server)


async def three_conversations(model: str, plain: ModelOptions, sampled: ModelOptions) -> None:
    """Ask a model the three questions."""
    first = await asked(model, plain, Request("assistant", FIRST, TOOLS, "golden"))
    await asked(model, plain, Request("assistant", HISTORY, TOOLS, "golden"))
    results = [replace(result, tool_call_id=call.id) for result, call in zip(RESULTS, first.tool_calls, strict=True)]
    await asked(model, sampled, Request("assistant", (*FIRST, first.message(), *results), TOOLS, "golden", 1))


async def asked(model: str, options: ModelOptions, request: Request) -> Reply:
    """The reply of a model that is opened for this one request."""
    opened = open_model(model, options)
    try:
        return await opened.ask(request)
    finally:
        await opened.close()


def request_lines(provider: str, server: Server) -> Iterator[str]:
    """What a server received. Tools stand there once."""
    tools = server.requests[0]["tools"]
    for conversation, path, headers, body in zip(
        CONVERSATIONS, server.paths, server.headers, server.requests, strict=True
    ):
        where = f"{provider} {conversation}:"
        names = sorted({name.lower() for name in headers} - TRANSPORT)
        yield f"{where} POST {path} ({', '.join(names)})"
        for field, value in body.items():
            if field == "tools" and value == tools and body is not server.requests[0]:
                yield f"{where} tools as in {CONVERSATIONS[0]}"
                continue
            elements = value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
            for element in elements:
                yield f"{where} {field} {json.dumps(element, ensure_ascii=False)}"


def dialects() -> Iterator[str]:
    """What every dialect makes of the conversations, and what it reads from replies."""
    for name in DIALECTS:
        yield from rendered(name)
        yield from read(name)


def rendered(dialect: str) -> Iterator[str]:
    """The texts that a model is sent, each of them once."""
    seen: set[str] = set()
    with answering(lambda: "fine") as server:
        options = ModelOptions(server.base_url, KEY, dialect=dialect)
        for where, messages in (("first", FIRST), ("history", HISTORY), ("first in Chinese", FIRST_ZH)):
            asyncio.run(asked("openai/some-model", options, Request("assistant", messages, TOOLS, "golden")))
            body = server.requests[-1]
            texts = [f"[{message.pop('role')}] {message.pop('content')}" for message in body["messages"]]
            assert not any(body.pop("messages")), "more than texts"
            yield f"== {dialect}, {where}: {json.dumps(body)}"
            for text in texts:
                yield from [f"{text[:40].partition(LINE)[0]} ... (as above)"] if text in seen else text.split(LINE)
            seen.update(texts)


def read(dialect: str) -> Iterator[str]:
    """The calls, words and problems that are found in a model's texts."""
    texts = {where: situation(where, EXAMPLES[dialect])[0] for where in SITUATIONS}
    pending = iter(texts.values())
    with answering(lambda: next(pending)) as server:
        options = ModelOptions(server.base_url, KEY, dialect=dialect)
        for where in texts:
            reply = asyncio.run(asked("openai/some-model", options, Request("assistant", FIRST, TOOLS, "golden")))
            yield f"== {dialect} reads {where}: {reply.problem or 'no problem'}"
            yield from (f"call {call.id} {call.name} {call.arguments}" for call in reply.tool_calls)
            for part, text in (("content", reply.content), ("reasoning", reply.reasoning)):
                if text is not None:
                    yield f"{part} {json.dumps(text, ensure_ascii=False)}"


def answering(text: Callable[[], str]) -> AbstractContextManager[Server]:
    """A server whose replies have this text."""
    return serve(lambda _body: {"role": "assistant", "content": text()})
