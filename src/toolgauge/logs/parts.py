"""Parts of messages in every chat interface: calls, results, and the text of what is one.

A part is recognised by its own structure, as messages are (messages.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgauge.chat import ToolCall
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine, must_be
from toolgauge.logs.conversation import LogMessage

Json = Mapping[str, Any]

TEXTS = ("text", "input_text", "output_text", "summary_text", "refusal")
THOUGHTS = ("reasoning", "thinking", "redacted_thinking", "reasoning_text", "thought")
CALLS = (
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "tool_call",
    "tool-call",
    "server_tool_call",
    "function_call",
    "function",
)
RESULTS = ("tool_result", "tool-result", "tool_call_response", "server_tool_call_response", "tool_call_result")
_MEDIA = ("image", "audio", "video", "document", "inlineData", "inline_data", "fileData", "file_data")
_IDS = ("call_id", "toolCallId", "tool_call_id", "tool_use_id", "toolUseId", "id")
NAMES = ("name", "toolName", "tool_name")
_ARGUMENTS = ("arguments", "args", "input", "parameters")


def pick(holder: Json, *keys: str) -> Any:
    """The value of the first of these keys that is there and is not null."""
    return next((holder[key] for key in keys if holder.get(key) is not None), None)


def call_in(part: Json, kind: str) -> tuple[object, object, object] | None:
    """Id, name and arguments of a part that is a call; None where it is none."""
    holder = pick(part, "functionCall", "function_call", "toolUse")
    if type(holder) is not dict and type(code := pick(part, "executableCode", "executable_code")) is dict:
        return None, "code_execution", code
    if type(holder) is not dict:
        if kind not in CALLS:
            return None
        holder = {**part, **(part[kind] if type(part.get(kind)) is dict else {})}
    return pick(holder, *_IDS), pick(holder, *NAMES), pick(holder, *_ARGUMENTS)


def result_in(part: Json) -> LogMessage | None:
    """The result that a part is; None where it is none."""
    if type(holder := pick(part, "functionResponse", "function_response")) is dict:
        response = holder.get("response")
        failed = type(response) is dict and set(response) == {"error"}
        return make_result(holder.get("id"), result_text(response), holder.get("name"), failed or None)
    if type(holder := part.get("toolResult")) is dict:
        failed = holder.get("status") == "error"
        return make_result(holder.get("toolUseId"), result_text(holder.get("content")), None, failed or None)
    if type(holder := pick(part, "codeExecutionResult", "code_execution_result")) is dict:
        failed = str(holder.get("outcome", "OUTCOME_OK")).upper() != "OUTCOME_OK"
        return make_result(None, result_text(holder.get("output")), "code_execution", failed or None)
    kind = str(part.get("type"))
    if kind not in RESULTS and not kind.endswith("_tool_result"):
        return None
    holder = {**part, **(part[kind] if type(part.get(kind)) is dict else {})}
    value = pick(holder, "output", "result", "response", "content")
    failed = bool(part.get("is_error") or part.get("isError"))
    if type(value) is dict and type(value.get("type")) is str:
        failed = failed or value["type"].startswith("error") or value["type"].endswith(("_error", "denied"))
        value = value.get("value", value)  # the AI SDK's output
    is_told = failed or "is_error" in part or "isError" in part
    return make_result(pick(holder, *_IDS), result_text(value), pick(holder, *NAMES), failed if is_told else None)


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
    name = pick(function, *NAMES) or (inner if type(inner) is str else None)
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
        elif part.get("type") in THOUGHTS:
            continue
        elif type(text := pick(part, "text", "content", "value")) is str:
            texts.append(text)
        elif "json" in part:
            texts.append(as_json(part["json"]))
        else:
            is_part = type(part.get("type")) is str or any(key in _MEDIA for key in part)
            texts.append(in_brackets(part) if is_part else as_json(part))
    return "".join(texts)


def result_text(value: object) -> str:
    """What a tool answered as text: a text, the text of parts, else its JSON."""
    if value is None or type(value) is str:
        return value or ""
    is_parts = type(value) is list and value and all(type(part) is dict and _is_content(part) for part in value)
    return text_of(value) if is_parts else as_json(value)


def _is_content(part: Json) -> bool:
    """Is it a part of a content, and not something that a tool answered in JSON?"""
    kind = part.get("type")
    if type(kind) is not str:
        return len(part) == 1 and any(key in part for key in ("text", "json", *_MEDIA))
    return (kind in TEXTS and type(part.get("text")) is str) or kind in (
        *_MEDIA,
        "image_url",
        "input_image",
        "resource",
        "file",
    )


def transcript_of(value: Json) -> str:
    """What was said in sound, of a message or a part of one, where it stands beside the sound as text; else ""."""
    audio = value.get("audio")
    for holder in (value, audio if type(audio) is dict else {}):
        if type(text := holder.get("transcript")) is str:
            return text
    return ""


def in_brackets(part: Json) -> str:
    kind = part["type"] if type(part.get("type")) is str else next((key for key in part if key in _MEDIA), "part")
    return f"[{kind if kind.replace('-', '_').isidentifier() and len(kind) <= 30 else 'part'}]"


def dicts(value: object) -> list[Json]:
    return [element for element in value if type(element) is dict] if type(value) is list else []
