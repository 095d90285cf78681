"""The content of a message with a role: a text, or parts of all interfaces, read in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.chat import ToolCall
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine
from toolgauge.logs.conversation import LogMessage
from toolgauge.logs.parts import (
    CALLS,
    NAMES,
    RESULTS,
    TEXTS,
    THOUGHTS,
    Json,
    call_in,
    dicts,
    in_brackets,
    make_call,
    make_result,
    pick,
    read_call,
    result_in,
    result_text,
    text_of,
    transcript_of,
)
from toolgauge.logs.text_calls import decoded, literal, parse_tagged

_SILENT = ("cachePoint", "cache_point", "guardContent", "input_json_delta", "source-url", "source-document")
_RISKY = ("tool", "function", "call", "mcp", "action", "exec")
"""In the kind of an unknown part: it may hold a call, so it is not passed over."""
_CALL_FIELD = re.compile(r"tool_?(?:call|use)|function_?call", re.IGNORECASE)
_READ_FIELDS = frozenset(
    {"tool_calls", "toolCalls", "invalid_tool_calls", "function_call", "tool_call_id", "toolCallId", "tool_call_chunks"}
)
"""Fields of a message that may hold a call, and those that are read."""


class Content:
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
            is_blocks = type(parts) is list and all(type(part) is dict and "type" in part for part in parts)
            content = (
                parts if is_blocks and any(part["type"] in (*CALLS, *RESULTS) for part in dicts(parts)) else content
            )
        self.content: object = message["parts"] if type(message.get("parts")) is list and message["parts"] else content

    def messages(self) -> list[LogMessage]:
        message = self.message
        if type(thought := pick(message, "reasoning_content", "reasoning", "thinking")) is str and thought:
            self.thoughts.append(thought)
        if self.role == "tool" and not any(result_in(part) for part in dicts(self.content)):
            return [self._plain_result()]
        calls = [read_call(self.record, call, self.path) for call in self._listed_calls()]
        self._read_content(has_calls=bool(calls))
        self._add_calls(*calls)
        if type(message.get("parts")) is not list:
            for invocation in dicts(message.get("toolInvocations")):
                self._read_invocation(invocation)
        self._flush(last=True)
        return self.done

    def _listed_calls(self) -> Iterator[object]:
        """The calls beside the content; also those that LangChain could not parse."""
        extra = self.message.get("additional_kwargs")
        holders: list[Json] = [self.message, extra if type(extra) is dict else {}]
        listed = next(
            (holder[key] for holder in holders for key in ("tool_calls", "toolCalls") if holder.get(key)), None
        )
        yield from listed if type(listed) is list else [listed] if listed else []
        broken = self.message.get("invalid_tool_calls")
        yield from broken if type(broken) is list else []
        legacy = next((holder["function_call"] for holder in holders if holder.get("function_call")), None)
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
        call_id = pick(message, "tool_call_id", "toolCallId", "call_id")
        return make_result(call_id, text, pick(message, *NAMES, "function"), failed if is_told else None)

    def _read_content(self, has_calls: bool) -> None:
        content = self.content
        if content is None:
            content = self.message.get("refusal") or transcript_of(self.message) or None
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
            invocation = part.get("toolInvocation")
            self._read_invocation(
                {"toolName": kind.removeprefix("tool-"), **(invocation if type(invocation) is dict else part)}
            )
        elif (call := call_in(part, kind)) is not None:
            if self.role == "assistant" and self.results:
                self._flush()
            if not has_calls:
                self._add_calls(make_call(self.record, *call, self.path))
        elif (result := result_in(part)) is not None:
            self.results.append(result)
        elif kind in THOUGHTS or part.get("thought") is True or "reasoningContent" in part:
            self.thoughts.append(text_of(pick(part, "thinking", "text", "content", "reasoning", "summary")))
        elif kind in TEXTS or (not kind and type(part.get("text")) is str):
            self._add_text(text_of(pick(part, "text", "content", "refusal")))
        elif transcript := transcript_of(part):
            self._add_text(transcript)
        elif kind not in _SILENT and not kind.startswith("data-") and not any(key in _SILENT for key in part):
            if any(word in (kind or " ".join(part)).lower() for word in _RISKY):
                raise self.record.error("an unknown kind of part that may hold a tool call", f"{self.path}.content")
            self._add_text(in_brackets(part))

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
        call_id, state = part.get("toolCallId"), part.get("state")
        if state in ("input-streaming", "partial-call"):
            raise self.record.error("a tool call that was not finished", self.path)
        self._add_calls(make_call(self.record, call_id, part.get("toolName"), pick(part, "input", "args"), self.path))
        if state in ("output-error", "output-denied"):
            self.results.append(make_result(call_id, result_text(part.get("errorText") or "denied"), is_error=True))
        elif state in ("output-available", "result") or "output" in part or "result" in part:
            self.results.append(make_result(call_id, result_text(pick(part, "output", "result"))))

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
