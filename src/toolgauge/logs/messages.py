"""Messages of every chat interface as the one form that we keep.

A message is recognised by its own structure, not by the format of its file, since telemetry holds messages of all
providers: OpenAI's chat and Responses items, Anthropic's content blocks, Gemini's and Bedrock's parts, LangChain's
serialized messages, AutoGen's events, the AI SDK's UIMessages and ModelMessages, OpenTelemetry's parts, Inspect's.
What may be a tool call and is not known is an error, never a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolgauge.chat import ToolCall
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine, must_be
from toolgauge.logs.conversation import LogMessage
from toolgauge.logs.text_calls import decoded, literal, parse_tagged

Json = Mapping[str, Any]

ROLES = {
    "system": "system", "developer": "system", "user": "user", "human": "user", "assistant": "assistant",
    "ai": "assistant", "model": "assistant", "tool": "tool", "function": "tool", "ipython": "tool",
    "toolResult": "tool",
}  # fmt: skip
_LANGCHAIN = {
    "SystemMessage": "system", "HumanMessage": "human", "HumanMessageChunk": "human", "AIMessage": "ai",
    "AIMessageChunk": "ai", "ToolMessage": "tool", "FunctionMessage": "function",
}  # fmt: skip
_SKIPPED_ITEMS = ("mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "compaction", "remove")
_AUTOGEN_TEXTS = (
    "TextMessage",
    "MultiModalMessage",
    "StopMessage",
    "ToolCallSummaryMessage",
    "UserMessage",
    "AssistantMessage",
)
_AUTOGEN_SILENT = (
    "ThoughtEvent", "MemoryQueryEvent", "ModelClientStreamingChunkEvent", "UserInputRequestedEvent",
    "SelectSpeakerEvent", "HandoffMessage",
)  # fmt: skip
"""A hand-over's words stand in the result of the call that made it."""

_TEXTS = ("text", "input_text", "output_text", "summary_text", "refusal")
_THOUGHTS = ("reasoning", "thinking", "redacted_thinking", "reasoning_text", "thought")
_CALLS = (
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "tool_call",
    "tool-call",
    "server_tool_call",
    "function_call",
    "function",
)
_RESULTS = ("tool_result", "tool-result", "tool_call_response", "server_tool_call_response", "tool_call_result")
_SILENT = ("cachePoint", "cache_point", "guardContent", "input_json_delta", "source-url", "source-document")
_RISKY = ("tool", "function", "call", "mcp", "action", "exec")
"""In the kind of an unknown part: it may hold a call, so it is not passed over."""
_MEDIA = ("image", "audio", "video", "document", "inlineData", "inline_data", "fileData", "file_data")
_IDS = ("call_id", "toolCallId", "tool_call_id", "tool_use_id", "toolUseId", "id")
_CALL_FIELD = re.compile(r"tool_?(?:call|use)|function_?call", re.IGNORECASE)
_READ_FIELDS = frozenset(
    {"tool_calls", "toolCalls", "invalid_tool_calls", "function_call", "tool_call_id", "toolCallId", "tool_call_chunks"}
)
"""Fields of a message that may hold a call, and those that are read."""
_NAMES = ("name", "toolName", "tool_name")
_ARGUMENTS = ("arguments", "args", "input", "parameters")


def pick(holder: Json, *keys: str) -> Any:
    """The value of the first of these keys that is there and is not null."""
    return next((holder[key] for key in keys if holder.get(key) is not None), None)


def parse_messages(record: DataLine, listed: object, path: str) -> list[LogMessage]:
    """The messages of a list, of JSON text of one, or of a text, which the user said. Not linked yet (`settle`).

    Raises DataError with the place of what is no message.
    """
    if type(listed) is str:
        value = decoded(listed) if listed.lstrip()[:1] in ("[", "{") else None
        listed = value if type(value) is list else [{"role": "user", "content": listed}]
    if type(listed) is dict:
        listed = [listed]
    if type(listed) is not list:
        raise record.error(must_be(list, listed), path)
    if len(listed) == 1 and type(listed[0]) is list:  # LangChain's batch of one
        listed = listed[0]
    found: list[LogMessage] = []
    after_item = False
    for place, item in enumerate(listed):
        parsed = parse_message(record, item, f"{path}[{place}]")
        is_item = type(item) is dict and "role" not in item and str(item.get("type")).endswith("_call")
        if found and parsed and (merged := _merged(found[-1], parsed[0], is_item and after_item)) is not None:
            found[-1] = merged
            parsed = parsed[1:]
        found += parsed
        after_item = is_item
    return found


def _merged(before: LogMessage, message: LogMessage, as_calls: bool) -> LogMessage | None:
    """Two messages of the assistant as one, where the first is only reasoning, or both are calls that an interface
    gives as items of their own."""
    if before.role != "assistant" or message.role != "assistant":
        return None
    is_reasoning = before.content is None and not before.tool_calls and before.reasoning is not None
    if not is_reasoning and not (as_calls and before.tool_calls and message.content is None):
        return None
    reasoning = "\n".join(filter(None, (before.reasoning, message.reasoning))) or None
    return LogMessage("assistant", message.content, (*before.tool_calls, *message.tool_calls), None, reasoning)


def parse_message(record: DataLine, item: object, path: str) -> list[LogMessage]:
    """What one message of any interface says: results first, then the message. Raises DataError."""
    if type(item) is list and len(item) == 2 and all(type(one) is str for one in item):
        item = {"role": item[0], "content": item[1]}  # LangChain's shorthand
    if type(item) is str and item[:1] == "{":
        item = decoded(item)
    if type(item) is not dict:
        raise record.error(must_be(dict, item), path)
    message: Json = _from_langchain(item)
    kind = message.get("type")
    if "role" not in message and type(kind) is str:
        if "source" in message or kind.endswith(("Event", "Message")):
            return _parse_autogen(record, message, kind, path)
        if kind in _SKIPPED_ITEMS:
            return []
        if kind == "reasoning":
            thought = text_of(message.get("summary"))
            return [LogMessage("assistant", reasoning=thought)] if thought else []
        if kind == "item_reference":
            raise record.error("refers to an item that is not in the log", path)
        if kind.endswith(("_call", "_output")):
            return _parse_item(record, message, kind, path)
    content = message.get("content")
    if "role" not in message and type(content) is dict and "role" in content:  # a Content in an envelope
        message = content
    role = message.get("role")
    known = ROLES.get(role) if type(role) is str else None
    if known is None:
        text = "missing" if role is None else f"unknown role; must be one of {', '.join(ROLES)}"
        raise record.error(text, f"{path}.role")
    return _Parser(record, known, message, path).messages()


def _from_langchain(item: Json) -> Json:
    """A message of LangChain's, serialized in one of three ways, with the field `role`; anything else as it is."""
    inner, name = item.get("kwargs"), item.get("id")
    if type(inner) is dict and type(name) is list and name:
        role = _LANGCHAIN.get(str(name[-1]))
        return {**inner, "role": role} if role is not None else item
    kind = item.get("type")
    if "role" not in item and type(kind) is str and kind in (*ROLES, *_LANGCHAIN):
        held = item.get("data")
        return {**(held if type(held) is dict else item), "role": _LANGCHAIN.get(kind, kind)}
    return item


def _parse_item(record: DataLine, item: Json, kind: str, path: str) -> list[LogMessage]:
    """A call or a result of the Responses interface; calls of its own tools hold their results."""
    given = pick(item, "call_id", "id")
    failed = True if item.get("status") == "failed" or item.get("error") is not None else None
    if kind.endswith("output"):
        output = item.get("output")
        if type(output) is dict and type(output.get("success")) is bool and "content" in output:  # Codex
            return [make_result(given, result_text(output["content"]), is_error=not output["success"])]
        return [make_result(given, result_text(pick(item, "output", "tools")), is_error=failed)]
    arguments = pick(item, "arguments", "input", "action", "code", "queries")
    if type(arguments) is not dict and (kind not in ("function_call", "mcp_call") or type(arguments) is not str):
        arguments = {"code" if kind == "code_interpreter_call" else "input": arguments}
    call = make_call(record, given, item.get("name") or kind.removesuffix("_call"), arguments, path)
    own = pick(item, "output", "outputs", "results", "error")
    results = [] if own is None else [make_result(given, result_text(own), is_error=failed)]
    return [LogMessage("assistant", None, (call,)), *results]


def _parse_autogen(record: DataLine, item: Json, kind: str, path: str) -> list[LogMessage]:
    """A message or an event of AutoGen's, and of the context that its agents keep."""
    content = item.get("content")
    parts = _dicts(content)
    if kind in ("ToolCallRequestEvent", "AssistantMessage") and parts:
        calls = tuple(read_call(record, one, path) for one in parts)
        thought = item.get("thought")
        return [LogMessage("assistant", None, calls, reasoning=thought if type(thought) is str else None)]
    if kind in ("ToolCallExecutionEvent", "FunctionExecutionResultMessage"):
        return [
            make_result(one.get("call_id"), result_text(one.get("content")), one.get("name"), one.get("is_error"))
            for one in parts
        ]
    if kind in _AUTOGEN_SILENT:
        return []
    if kind == "SystemMessage":
        return [LogMessage("system", text_of(content))]
    if kind not in _AUTOGEN_TEXTS:
        raise record.error("unknown kind of message", f"{path}.type")
    is_user = kind == "UserMessage" or (kind != "AssistantMessage" and "user" in str(item.get("source")).lower())
    return [LogMessage("user" if is_user else "assistant", text_of(content))]


class _Parser:
    """Reads one message with a role, whose content is a text or parts. Results that stand in a message of the assistant
    divide it: what comes behind them was said later."""

    def __init__(self, record: DataLine, role: str, message: Json, path: str) -> None:
        self.record, self.role, self.message, self.path = record, role, message, path
        self.done: list[LogMessage] = []
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[ToolCall] = []
        self.results: list[LogMessage] = []
        content = message.get("content")
        if type(content) is dict and type(content.get("parts")) is list:
            content = content["parts"]
        if type(content) is str and content.lstrip()[:2] == "[{":  # blocks that were written as text
            parts = literal(content)
            is_blocks = type(parts) is list and all(type(one) is dict and "type" in one for one in parts)
            content = (
                parts if is_blocks and any(one["type"] in (*_CALLS, *_RESULTS) for one in _dicts(parts)) else content
            )
        self.content: object = message["parts"] if type(message.get("parts")) is list and message["parts"] else content

    def messages(self) -> list[LogMessage]:
        message = self.message
        if type(thought := pick(message, "reasoning_content", "reasoning", "thinking")) is str and thought:
            self.thoughts.append(thought)
        responses = message.get("tool_responses")  # AutoGen 0.2
        if type(responses) is list:
            return [one for response in responses for one in parse_message(self.record, response, self.path)]
        if self.role == "tool" and not any(_result_in(part) for part in _dicts(self.content)):
            return [self._plain_result()]
        calls = [read_call(self.record, call, self.path) for call in self._listed_calls()]
        self._read_content(has_calls=bool(calls))
        self._add_calls(*calls)
        if type(message.get("parts")) is not list:
            for invocation in _dicts(message.get("toolInvocations")):
                self._read_invocation(invocation)
        self._flush(last=True)
        return self.done

    def _listed_calls(self) -> Iterator[object]:
        """The calls beside the content; also those that LangChain could not parse."""
        extra = self.message.get("additional_kwargs")
        holders: list[Json] = [self.message, extra if type(extra) is dict else {}]
        listed = next((one[key] for one in holders for key in ("tool_calls", "toolCalls") if one.get(key)), None)
        yield from listed if type(listed) is list else [listed] if listed else []
        broken = self.message.get("invalid_tool_calls")
        yield from broken if type(broken) is list else []
        legacy = next((one["function_call"] for one in holders if one.get("function_call")), None)
        if type(legacy) is str:
            read = decoded(legacy)
            legacy = read if isinstance(read, dict) else legacy
        if legacy is not None and not listed:
            if type(legacy) is not dict:
                raise self.record.error("function_call cannot be read", self.path)
            yield {"function": legacy}
        for key in self.message.keys() - _READ_FIELDS if self.role == "assistant" else ():
            if self.message[key] and _CALL_FIELD.search(key):
                raise self.record.error("an unknown field may hold a tool call", self.path)

    def _plain_result(self) -> LogMessage:
        message = self.message
        error = message.get("error")
        failed = message.get("is_error") or message.get("isError") or message.get("status") == "error" or bool(error)
        is_told = any(key in message for key in ("is_error", "isError", "status", "error"))
        text = result_text(self.content)
        if not text and type(error) is dict:
            text = str(error.get("message") or "")
        given = pick(message, "tool_call_id", "toolCallId", "call_id")
        return make_result(given, text, pick(message, *_NAMES, "function"), failed if is_told else None)

    def _read_content(self, has_calls: bool) -> None:
        content = self.content
        if content is None:
            content = self.message.get("refusal")
        if type(content) is str:
            if self.role == "assistant" and "<tool_call>" in content and not has_calls:
                text, calls = parse_tagged(content)
                self.calls += calls
                self.texts += [text] if text else []
            else:
                self.texts.append(content)
            return
        for part in content if type(content) is list else [] if content is None else [content]:
            if type(part) is dict:
                self._read_part(part, has_calls)
            else:
                self._add_text(part if type(part) is str else as_json(part))

    def _read_part(self, part: Json, has_calls: bool) -> None:
        """A part of a content. has_calls: its calls stand beside the content as well."""
        kind = part["type"] if type(part.get("type")) is str else ""
        if kind == "step-start":
            self._flush()
        elif kind in ("dynamic-tool", "tool-invocation") or (kind.startswith("tool-") and "state" in part):
            held = part.get("toolInvocation")
            self._read_invocation({"toolName": kind.removeprefix("tool-"), **(held if type(held) is dict else part)})
        elif (call := _call_in(part, kind)) is not None:
            if self.role == "assistant" and self.results:
                self._flush()
            if not has_calls:
                self._add_calls(make_call(self.record, *call, self.path))
        elif (result := _result_in(part)) is not None:
            self.results.append(result)
        elif kind in _THOUGHTS or part.get("thought") is True or "reasoningContent" in part:
            self.thoughts.append(text_of(pick(part, "thinking", "text", "content", "reasoning", "summary")))
        elif kind in _TEXTS or (not kind and type(part.get("text")) is str):
            self._add_text(text_of(pick(part, "text", "content", "refusal")))
        elif kind not in _SILENT and not kind.startswith("data-") and not any(key in _SILENT for key in part):
            if any(word in (kind or " ".join(part)).lower() for word in _RISKY):
                raise self.record.error("an unknown kind of part that may hold a tool call", f"{self.path}.content")
            self._add_text(_in_brackets(part))

    def _add_text(self, text: str) -> None:
        if self.role == "assistant" and self.results:
            self._flush()
        self.texts.append(text)

    def _add_calls(self, *calls: ToolCall) -> None:
        if calls and self.role != "assistant":
            raise self.record.error(f"a tool call by the role {self.role}", self.path)
        self.calls += calls

    def _read_invocation(self, part: Json) -> None:
        """A call of the AI SDK's with its state, and its result where it has come."""
        given, state = part.get("toolCallId"), part.get("state")
        if state in ("input-streaming", "partial-call"):
            raise self.record.error("a tool call that was not finished", self.path)
        self._add_calls(make_call(self.record, given, part.get("toolName"), pick(part, "input", "args"), self.path))
        if state in ("output-error", "output-denied"):
            self.results.append(make_result(given, result_text(part.get("errorText") or "denied"), is_error=True))
        elif state in ("output-available", "result") or "output" in part or "result" in part:
            self.results.append(make_result(given, result_text(pick(part, "output", "result"))))

    def _flush(self, last: bool = False) -> None:
        """Close what was said up to here."""
        is_empty = not (self.texts or self.calls or self.thoughts)
        text = "".join(self.texts) if self.texts and not (self.calls and not any(self.texts)) else None
        reasoning = "\n".join(filter(None, self.thoughts)) or None
        if self.role == "assistant":
            if not is_empty or (last and not self.done and not self.results):
                self.done.append(LogMessage("assistant", text, tuple(self.calls), None, reasoning))
            self.done += self.results
        else:
            injected = self.role == "user" and (bool(self.results) or self.message.get("injected") is True)
            self.done += self.results
            if self.texts or not self.done:
                self.done.append(LogMessage(self.role, text, injected=injected))
        self.texts, self.thoughts, self.calls, self.results = [], [], [], []


def _call_in(part: Json, kind: str) -> tuple[object, object, object] | None:
    """Id, name and arguments of a part that is a call; None where it is none."""
    held = pick(part, "functionCall", "function_call", "toolUse")
    if type(held) is not dict and type(code := pick(part, "executableCode", "executable_code")) is dict:
        return None, "code_execution", code
    if type(held) is not dict:
        if kind not in _CALLS:
            return None
        held = {**part, **(part[kind] if type(part.get(kind)) is dict else {})}
    return pick(held, *_IDS), pick(held, *_NAMES), pick(held, *_ARGUMENTS)


def _result_in(part: Json) -> LogMessage | None:
    """The result that a part is; None where it is none."""
    if type(held := pick(part, "functionResponse", "function_response")) is dict:
        response = held.get("response")
        failed = type(response) is dict and set(response) == {"error"}
        return make_result(held.get("id"), result_text(response), held.get("name"), failed or None)
    if type(held := part.get("toolResult")) is dict:
        failed = held.get("status") == "error"
        return make_result(held.get("toolUseId"), result_text(held.get("content")), None, failed or None)
    if type(held := pick(part, "codeExecutionResult", "code_execution_result")) is dict:
        failed = str(held.get("outcome", "OUTCOME_OK")).upper() != "OUTCOME_OK"
        return make_result(None, result_text(held.get("output")), "code_execution", failed or None)
    kind = str(part.get("type"))
    if kind not in _RESULTS and not kind.endswith("_tool_result"):
        return None
    held = {**part, **(part[kind] if type(part.get(kind)) is dict else {})}
    value = pick(held, "output", "result", "response", "content")
    failed = bool(part.get("is_error") or part.get("isError"))
    if type(value) is dict and type(value.get("type")) is str:
        failed = failed or value["type"].startswith("error") or value["type"].endswith(("_error", "denied"))
        value = value.get("value", value)  # the AI SDK's output
    is_told = failed or "is_error" in part or "isError" in part
    return make_result(pick(held, *_IDS), result_text(value), pick(held, *_NAMES), failed if is_told else None)


def make_result(given: object, text: str, tool: object = None, is_error: object = None) -> LogMessage:
    """A result of a tool. given: the id of its call, as far as the log has it."""
    name = tool if type(tool) is str and tool else None
    return LogMessage(
        "tool", text, (), id_text(given), tool=name, is_error=None if is_error is None else bool(is_error)
    )


def read_call(record: DataLine, call: object, path: str) -> ToolCall:
    """A call of a list `tool_calls`, in the forms of OpenAI, LangChain, Inspect and the AI SDK. Raises DataError."""
    if type(call) is not dict:
        raise record.error(must_be(dict, call), f"{path}.tool_calls")
    inner = pick(call, "function", "custom", "tool_call")
    function: Json = inner if type(inner) is dict else call
    name = pick(function, *_NAMES) or (inner if type(inner) is str else None)
    return make_call(record, pick(call, *_IDS) or function.get("id"), name, pick(function, *_ARGUMENTS), path)


def make_call(record: DataLine, given: object, name: object, arguments: object, path: str) -> ToolCall:
    """A call with its arguments as JSON text. Raises DataError for one without a name."""
    if type(name) is not str or not name:
        raise record.error("a tool call without a name", path)
    text = arguments if type(arguments) is str else "{}" if arguments is None else as_json(arguments)
    return ToolCall(id_text(given), name, text)


def id_text(value: object) -> str | None:
    """An id as text; None for anything but a text or an integer."""
    return value if type(value) is str and value else str(value) if type(value) is int else None


def text_of(content: object) -> str:
    """The text of a content: a text, parts, or other JSON, which is kept as its text.

    Of parts that are no text - pictures, sound, files - only the kind is kept, in brackets.
    """
    if content is None or type(content) is str:
        return content or ""
    texts = []
    for part in content if type(content) is list else [content]:
        if type(part) is not dict:
            texts.append(part if type(part) is str else as_json(part))
        elif part.get("type") in _THOUGHTS:
            continue
        elif type(text := pick(part, "text", "content", "value")) is str:
            texts.append(text)
        elif "json" in part:
            texts.append(as_json(part["json"]))
        else:
            is_part = type(part.get("type")) is str or any(key in _MEDIA for key in part)
            texts.append(_in_brackets(part) if is_part else as_json(part))
    return "".join(texts)


def result_text(value: object) -> str:
    """What a tool answered as text: a text, the text of parts, else its JSON."""
    if value is None or type(value) is str:
        return value or ""
    is_parts = type(value) is list and value and all(type(one) is dict and _is_content(one) for one in value)
    return text_of(value) if is_parts else as_json(value)


def _is_content(part: Json) -> bool:
    """Is it a part of a content, and not something that a tool answered in JSON?"""
    kind = part.get("type")
    if type(kind) is not str:
        return len(part) == 1 and any(key in part for key in ("text", "json", *_MEDIA))
    return (kind in _TEXTS and type(part.get("text")) is str) or kind in (
        *_MEDIA,
        "image_url",
        "input_image",
        "resource",
        "file",
    )


def _in_brackets(part: Json) -> str:
    kind = part["type"] if type(part.get("type")) is str else next((key for key in part if key in _MEDIA), "part")
    return f"[{kind if kind.replace('-', '_').isidentifier() and len(kind) <= 30 else 'part'}]"


def _dicts(value: object) -> list[Json]:
    return [one for one in value if type(one) is dict] if type(value) is list else []
