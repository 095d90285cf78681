"""Requests and responses of chat interfaces, alone or in pairs: the formats of providers and gateways.

A record with messages alone is a whole conversation. One with a response is one request of a conversation, whose
messages repeat what was said before: such records are joined, also those that lie apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.data.record import DataLine
from toolgauge.errors import DataError
from toolgauge.logs.conversation import LogMessage, made_id
from toolgauge.logs.definitions import read_definitions
from toolgauge.logs.formats.times import first_time
from toolgauge.logs.joining import Piece, opening, piece_of
from toolgauge.logs.messages import parse_messages
from toolgauge.logs.parts import Json, dicts, id_text, pick, text_of
from toolgauge.logs.text_calls import decoded

_MESSAGES = ("messages", "contents", "input", "history", "conversations", "prompt")
"""Fields that hold what was said, in a request of any provider."""
_SYSTEM = ("system", "instructions", "systemInstruction", "system_instruction")
_TOOLS = ("tools", "functions", "toolConfig", "tool_config")
_CONVERSATIONS = (
    "conversation_id", "session_id", "thread_id", "conversation", "chat_id", "sessionId", "threadId", "conversationId",
)  # fmt: skip
_TIMES = (
    "created_at", "createdAt", "timestamp", "created", "time", "start_time", "startTime", "started_at", "createTime",
    "request_created_at",
)  # fmt: skip
_REQUESTS = ("request", "body", "input", "inputs", "data", "kwargs", "request_body", "full_request")
_STREAM = re.compile(r"\s*(?:event|data|id):\s")
_CHUNKS = (
    "chat.completion.chunk", "message_start", "content_block_start", "content_block_delta", "message_delta",
    "response.created", "response.output_text.delta",
)  # fmt: skip


def object_of(value: object) -> Json:
    """An object, also one that is written as JSON text; an empty one for anything else."""
    if type(value) is str and value.lstrip()[:1] == "{":
        value = decoded(value)
    return value if type(value) is dict else {}


def read_request(record: DataLine, request: Json, path: str = "") -> tuple[list[LogMessage], tuple[Tool, ...]]:
    """The messages and the tools of a request to any provider. Raises DataError."""
    key = next((key for key in _MESSAGES if request.get(key)), None)
    if key is None:
        empty = next((key for key in _MESSAGES if key in request), None)
        raise record.error("no messages" if empty else "`messages` missing", f"{path}{empty}" if empty else None)
    messages = parse_messages(record, request[key], f"{path}{key}")
    holders = (request, object_of(pick(request, "config", "kwargs")))
    system = next((found for holder in holders if (found := pick(holder, *_SYSTEM))), None)
    if type(system) is dict and "parts" in system:
        system = system["parts"]
    if system and not (messages and messages[0].role == "system"):
        messages = [LogMessage("system", text_of(system)), *messages]
    return messages, next((found for holder in holders if (found := tools_in(holder))), ())


def tools_in(holder: Json) -> tuple[Tool, ...]:
    """The tools that a request, or what stands beside it, defines."""
    return next((found for key in _TOOLS if (found := read_definitions(holder.get(key)))), ())


def read_response(record: DataLine, response: object, path: str = "response") -> list[LogMessage]:
    """What a response of any provider says. Raises DataError for the chunks of a stream, and for several choices: which
    one went on nobody says."""
    if type(response) is str:
        if _STREAM.match(response):
            raise record.error("a stream in chunks; log the whole response", path)
        value = object_of(response)
        if not value:
            return [LogMessage("assistant", response)] if response.strip() else []
        response = value
    _require_whole(record, response, path)
    if type(response) is not dict or not response:
        return parse_messages(record, response, path) if type(response) is list and response else []
    if choice := _first_choice(response):
        message = pick(choice, "message", "content")
        if type(message) is not dict:
            message = {"content": message if type(message) is str else choice.get("text")}
        return _reply(record, message, f"{path}.choices[0]")
    for key in ("output", "message", "body", "messages"):
        inner = response.get(key)
        if type(inner) is list and inner:
            return parse_messages(record, inner, f"{path}.{key}")
        if type(inner) is dict and inner:
            return read_response(record, inner, f"{path}.{key}")
    if any(key in response for key in ("role", "content", "tool_calls", "parts", "kwargs")):
        return _reply(record, response, path)
    if "error" in response:
        return []
    raise record.error("holds no message that can be read", path)


def _require_whole(record: DataLine, response: object, path: str) -> None:
    """Raise DataError for the chunks of a stream, and for several choices."""
    for part in dicts(response if type(response) is list else [response]):
        if _is_chunk(part):
            raise record.error("a stream in chunks; log the whole response", path)
        if _has_several(part):
            raise record.error("holds several choices (n > 1); log the one that was used", path)


def _is_chunk(value: Json) -> bool:
    choice = _first_choice(value)
    return (
        value.get("object") in _CHUNKS
        or value.get("type") in _CHUNKS
        or ("delta" in choice and "message" not in choice)
    )


def _first_choice(response: Json) -> Json:
    """The first of several answers; LangChain's generations are a list of lists. An empty one where there are none."""
    choice = pick(response, "choices", "candidates", "generations")
    while type(choice) is list and choice:
        choice = choice[0]
    return choice if type(choice) is dict else {}


def _has_several(response: Json) -> bool:
    """Are there choices that differ in more than their number?"""
    choices = pick(response, "choices", "candidates", "generations")
    while type(choices) is list and len(choices) == 1:
        choices = choices[0]
    texts = (
        [{**choice, "index": 0} if type(choice) is dict else choice for choice in choices]
        if type(choices) is list
        else []
    )
    return any(choice != texts[0] for choice in texts)


def _reply(record: DataLine, message: Json, path: str) -> list[LogMessage]:
    is_serialized = any(key in message for key in ("kwargs", "data")) or message.get("type") in ("ai", "AIMessage")
    return parse_messages(record, [message if is_serialized else {"role": "assistant", **message}], path)


def exchange(
    record: DataLine, request: Json, response: object, *, holders: tuple[Json, ...] = (), key: str | None = None
) -> Piece:
    """The piece that a request with its response is. holders: what else may name the conversation, its time and tools.
    key: the conversation, where the caller knows it. Raises DataError; where the conversation is known, all of it has
    a fault."""
    around = (record.value, *holders, request)
    conversation = key or conversation_name(*around)
    try:
        messages, tools = read_request(record, request)
        reply = read_response(record, response)
    except DataError as error:
        if conversation is None:
            raise
        return piece_of(record, conversation, key=conversation, fault=error.message)
    if reply and messages[-len(reply) :] != reply:
        messages = [*messages, *reply]
    name = conversation or (None if reply else id_text(pick(record.value, "id", "custom_id")))
    return piece_of(
        record,
        name or made_id(record.file, record.line),
        messages=tuple(messages),
        tools=tools or next((found for holder in around if (found := tools_in(holder))), ()),
        time=first_time(_TIMES, *around),
        key=conversation,
        alias=opening(messages) if reply and conversation is None else None,
    )


def conversation_name(*holders: Json) -> str | None:
    """The log's own name for the conversation that a record belongs to, also in `metadata`."""
    every = (*holders, *(object_of(holder.get("metadata")) for holder in holders))
    return next((found for holder in every for key in _CONVERSATIONS if (found := id_text(holder.get(key)))), None)


def request_in(value: Json, depth: int = 2) -> Json | None:
    """The object that has the messages; None where there are none."""
    if any(value.get(key) and type(value[key]) in (list, str) for key in ("messages", "contents", "history")):
        return value
    if type(value.get("conversations")) is list:
        return value
    if type(value.get("input")) is list:
        return value
    inner = (object_of(value.get(key)) for key in _REQUESTS) if depth else iter(())
    return next((found for part in inner if part and (found := request_in(part, depth - 1)) is not None), None)


def read_chat(record: DataLine) -> Iterator[Piece]:
    """Chat messages of any provider: `messages`, `contents`, `history`; a request with its response; a batch's body."""
    value: Json = record.value
    request = request_in(value)
    if request is None:
        raise record.error("no messages" if type(value.get("messages")) is list else "`messages` missing")
    response = pick(value, "response", "completion", "result", "outputs", "preferred_output", "full_response")
    if response is None and request is not value:
        response = next(
            (value[key] for key in ("output", "body") if value.get(key) and object_of(value[key]) != request), None
        )
    if response is None:
        response = {key: value[key] for key in ("choices", "candidates") if key in value}
    if not response and type(value.get("output")) in (list, dict):
        response = {"output": value["output"]}
    yield exchange(record, request, response)


def read_bedrock(record: DataLine) -> Iterator[Piece]:
    """Converse requests, with their response or not, and invocation logs. Raises DataError."""
    value: Json = record.value
    if value.get("schemaType") != "ModelInvocationLog":
        yield from read_chat(record)
        return
    request, output = object_of(value.get("input")), object_of(value.get("output"))
    if "inputBodyJson" not in request:
        raise record.error("the content of this request is not in the log", "input.inputBodyJson")
    yield exchange(record, object_of(request["inputBodyJson"]), output.get("outputBodyJson"))


def read_gateway(record: DataLine) -> Iterator[Piece]:
    """What LiteLLM and Helicone log of a request: its fields stand beside those of the gateway."""
    value: Json = object_of(record.value.get("standard_logging_object")) or record.value
    body = object_of(pick(value, "request_body", "body") or object_of(value.get("proxy_server_request")).get("body"))
    parameters = object_of(pick(value, "model_parameters", "optional_params"))
    is_whole = any(body.get(key) for key in _MESSAGES)
    request = body if is_whole else {**parameters, "messages": pick(value, "messages", "input")}
    properties = object_of(pick(value, "request_properties", "properties"))
    session = properties.get("Helicone-Session-Id") or value.get("litellm_session_id")
    response = pick(value, "response_body", "response")
    is_chat = any(
        word in str(value.get("call_type", "completion")) for word in ("completion", "response", "generate", "message")
    )
    if is_chat and "data" not in object_of(response):  # neither embeddings nor pictures
        yield exchange(record, request, response, holders=(parameters, body), key=id_text(session))


class ResponsesReader:
    """OpenAI's Responses: a request and its response, or items alone. A request that names the response before it
    (`previous_response_id`) holds only what is new."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[str | None, str | None]] = {}

    def __call__(self, record: DataLine) -> Iterator[Piece]:
        value: Json = record.value
        request = object_of(value.get("request")) or object_of(value.get("body")) or value
        response = object_of(value.get("response")) or (value if value.get("object") == "response" else {})
        response = object_of(response.get("body")) or response
        output = response or ({"output": value["output"]} if type(value.get("output")) is list else None)
        before = request.get("previous_response_id") or response.get("previous_response_id")
        conversation = pick(request, "conversation") or response.get("conversation")
        key = id_text(conversation.get("id")) if type(conversation) is dict else id_text(conversation)
        piece = exchange(record, request, output, holders=(response,), key=key)
        place = (piece.key, piece.alias)
        if type(before) is str:
            fault = None if before in self._places or piece.key else "continues a response that is not in the log"
            place = self._places.get(before, place)
            piece = replace(piece, key=place[0], alias=place[1], appended=True, fault=fault)
        if (name := id_text(response.get("id"))) is not None:
            self._places[name] = place
        yield piece


def is_responses(value: Json) -> bool:
    """Is it a request or a response of OpenAI's Responses, or are its messages items of these?"""
    request = object_of(value.get("request")) or object_of(value.get("body")) or value
    response = object_of(value.get("response")) or value
    response = object_of(response.get("body")) or response
    if response.get("object") == "response":
        return True
    for listed in (request.get("input"), response.get("output"), value.get("messages")):
        for item in listed[:50] if type(listed) is list else ():
            content = item.get("content") if type(item) is dict else None
            part = content[0] if type(content) is list and content else None
            kind = item.get("type") if type(item) is dict else None
            if kind in ("function_call", "function_call_output", "reasoning", "custom_tool_call", "item_reference"):
                return True
            if type(part) is dict and part.get("type") in ("input_text", "output_text"):
                return True
    return False


def has_parts(value: Json, *kinds: str) -> bool:
    """Has a message of a request a part with one of these keys, or of one of these types?"""
    request = request_in(value) or {}
    listed = pick(request, "messages", "contents", "history")
    for message in listed[:50] if type(listed) is list else ():
        content = pick(message, "parts", "content") if type(message) is dict else None
        for part in content if type(content) is list else ():
            if type(part) is dict and (part.get("type") in kinds or any(key in part for key in kinds)):
                return True
    return False


def first_message(value: Json) -> Json:
    """The first message of a request; an empty one where there is none."""
    listed = pick(request_in(value) or {}, "messages", "contents", "history")
    return listed[0] if type(listed) is list and listed and type(listed[0]) is dict else {}


def is_anthropic(value: Json) -> bool:
    """Is it a request to Anthropic's interface, by its blocks, the place of the system text or the response?"""
    request = request_in(value) or {}
    is_pair = ("system" in request and type(request.get("messages")) is list) or object_of(value.get("response")).get(
        "type"
    ) == "message"
    return is_pair or has_parts(value, "tool_use", "tool_result", "server_tool_use", "thinking")


def is_ai_sdk(value: Json) -> bool:
    """Are its messages UIMessages or ModelMessages of the AI SDK?"""
    first = first_message(value)
    if type(first.get("parts")) is list and first.get("role") in ("user", "assistant", "system"):
        return not has_parts(value, "tool_call", "tool_call_response", "functionCall", "functionResponse")
    listed = (request_in(value) or {}).get("messages")
    has_invocations = type(listed) is list and any(
        type(message) is dict and "toolInvocations" in message for message in listed
    )
    return has_invocations or has_parts(value, "tool-call", "tool-result")


def is_langchain(value: Json) -> bool:
    """Are its messages serialized by LangChain?"""
    first = first_message(value)
    return ("kwargs" in first and "lc" in first) or (
        "role" not in first and first.get("type") in ("human", "ai", "system")
    )


def is_gemini(value: Json) -> bool:
    """Are its messages contents of Gemini's?"""
    request = request_in(value) or {}
    return "contents" in request or ("history" in request and "parts" in first_message(value))
