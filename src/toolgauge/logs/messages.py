"""Messages of every chat interface as the one form that we keep.

A message is recognised by its own structure, not by the format of its file, since telemetry holds messages of all
providers: OpenAI's chat and Responses items, Anthropic's content blocks, Gemini's and Bedrock's parts, LangChain's
serialized messages, AutoGen's events, the AI SDK's UIMessages and ModelMessages, OpenTelemetry's parts, Inspect's.
What may be a tool call and is not known is an error, never a text.
"""

from __future__ import annotations

from toolgauge.data.record import DataLine, must_be
from toolgauge.logs.content import Content
from toolgauge.logs.conversation import LogMessage
from toolgauge.logs.parts import Json, dicts, make_call, make_result, pick, read_call, result_text, text_of
from toolgauge.logs.text_calls import decoded

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
    messages: list[LogMessage] = []
    after_item = False
    for place, item in enumerate(listed):
        parsed = parse_message(record, item, f"{path}[{place}]")
        is_item = type(item) is dict and "role" not in item and str(item.get("type")).endswith("_call")
        if messages and parsed and (merged := _merged(messages[-1], parsed[0], is_item and after_item)) is not None:
            messages[-1] = merged
            parsed = parsed[1:]
        messages += parsed
        after_item = is_item
    return messages


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
    standard_role = ROLES.get(role) if type(role) is str else None
    if standard_role is None:
        text = "missing" if role is None else f"unknown role; must be one of {', '.join(ROLES)}"
        raise record.error(text, f"{path}.role")
    if type(responses := message.get("tool_responses")) is list:  # AutoGen 0.2
        return [one for response in responses for one in parse_message(record, response, path)]
    return Content(record, standard_role, message, path).messages()


def _from_langchain(item: Json) -> Json:
    """A message of LangChain's, serialized in one of three ways, with the field `role`; anything else as it is."""
    inner, name = item.get("kwargs"), item.get("id")
    if type(inner) is dict and type(name) is list and name:
        role = _LANGCHAIN.get(str(name[-1]))
        return {**inner, "role": role} if role is not None else item
    kind = item.get("type")
    if "role" not in item and type(kind) is str and kind in (*ROLES, *_LANGCHAIN):
        inner_message = item.get("data")
        return {**(inner_message if type(inner_message) is dict else item), "role": _LANGCHAIN.get(kind, kind)}
    return item


def _parse_item(record: DataLine, item: Json, kind: str, path: str) -> list[LogMessage]:
    """A call or a result of the Responses interface; calls of its own tools hold their results."""
    call_id = pick(item, "call_id", "id")
    failed = True if item.get("status") == "failed" or item.get("error") is not None else None
    if kind.endswith("output"):
        output = item.get("output")
        if type(output) is dict and type(output.get("success")) is bool and "content" in output:  # Codex
            return [make_result(call_id, result_text(output["content"]), is_error=not output["success"])]
        return [make_result(call_id, result_text(pick(item, "output", "tools")), is_error=failed)]
    arguments = pick(item, "arguments", "input", "action", "code", "queries")
    if type(arguments) is not dict and (kind not in ("function_call", "mcp_call") or type(arguments) is not str):
        arguments = {"code" if kind == "code_interpreter_call" else "input": arguments}
    call = make_call(record, call_id, item.get("name") or kind.removesuffix("_call"), arguments, path)
    result = pick(item, "output", "outputs", "results", "error")
    results = [] if result is None else [make_result(call_id, result_text(result), is_error=failed)]
    return [LogMessage("assistant", None, (call,)), *results]


def _parse_autogen(record: DataLine, item: Json, kind: str, path: str) -> list[LogMessage]:
    """A message or an event of AutoGen's, and of the context that its agents keep."""
    content = item.get("content")
    parts = dicts(content)
    if kind in ("ToolCallRequestEvent", "AssistantMessage") and parts:
        calls = tuple(read_call(record, part, path) for part in parts)
        thought = item.get("thought")
        return [LogMessage("assistant", None, calls, reasoning=thought if type(thought) is str else None)]
    if kind in ("ToolCallExecutionEvent", "FunctionExecutionResultMessage"):
        return [
            make_result(part.get("call_id"), result_text(part.get("content")), part.get("name"), part.get("is_error"))
            for part in parts
        ]
    if kind in _AUTOGEN_SILENT:
        return []
    if kind == "SystemMessage":
        return [LogMessage("system", text_of(content))]
    if kind not in _AUTOGEN_TEXTS:
        raise record.error("unknown kind of message", f"{path}.type")
    is_user = kind == "UserMessage" or (kind != "AssistantMessage" and "user" in str(item.get("source")).lower())
    return [LogMessage("user" if is_user else "assistant", text_of(content))]
