"""Traces of applications with OpenTelemetry's conventions for generative AI, as OTLP/JSON.

A conversation is what has one `gen_ai.conversation.id`, else one trace. Its spans repeat what was said before them, and
are joined; what is told apart in events (a file of logs) is brought to its span.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from toolgauge.chat import Message
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.formats.found import Finds, Found, Rejected, rejected
from toolgauge.conversations.formats.genai import AGENTS, TOOL, operation, result_in, said_in, tools_in
from toolgauge.conversations.formats.grouping import Part, grouped
from toolgauge.conversations.formats.joining import joined
from toolgauge.conversations.formats.messages import id_text
from toolgauge.conversations.formats.otlp import Span, spans_of
from toolgauge.conversations.formats.times import iso_time
from toolgauge.data.record import DataLine
from toolgauge.errors import DataError

_CONVERSATION = "gen_ai.conversation.id"
_OTHERS = ("", "embeddings", "retrieval", "create_agent")
"""What is done without anything being said."""
_REQUESTS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "resourceMetrics")


def read_otel(paths: Sequence[Path]) -> Finds:
    """The conversations in files of traces, with files of logs where those hold what was said."""
    return grouped(paths, _parts, _conversations)


def _parts(record: DataLine) -> Iterator[Part[Span]]:
    if not any(key in record.value for key in _REQUESTS):
        raise record.error("not an OTLP request: `resourceSpans` and `resourceLogs` missing")
    for span in spans_of(record.value, str(record.file), record.line):
        named = id_text(span.attributes.get(_CONVERSATION))
        if operation(span) not in _OTHERS:
            yield Part(span, named, span.trace or f"{record.file}:{record.line}")


def _conversations(spans: Sequence[Span], named: bool) -> Iterator[Found]:
    """The conversations of spans that have an id or a trace in common."""
    own: dict[str, list[Span]] = {}
    for span in spans:
        own.setdefault(span.id, []).append(span)
    kinds = {name: next(filter(None, map(operation, group)), "") for name, group in own.items()}
    chats = [group for name, group in own.items() if kinds[name] not in (TOOL, *AGENTS)]
    found = list(_exchanges(chats)) or list(_exchanges([group for name, group in own.items() if kinds[name] in AGENTS]))
    yield from (one for one in found if isinstance(one, Rejected))
    parts = [one for one in found if isinstance(one, Conversation)]
    results = dict(filter(None, (result_in(span) for span in spans if operation(span) == TOOL)))
    for conversation in joined(parts, named) if parts else ():
        yield replace(conversation, messages=_answered(conversation.messages, results))
    if not found:
        first = spans[0]
        text = "no message content in these spans; turn on content recording in the instrumented application"
        yield Rejected(first.file, text, first.line)


def _exchanges(groups: Sequence[Sequence[Span]]) -> Iterator[Conversation | Rejected]:
    """What was said in each span, in the order of their times."""
    for group in sorted(groups, key=lambda spans: min(span.start for span in spans)):
        first = min(group, key=lambda span: span.start)
        record = DataLine(first.file, first.line, {})
        try:
            messages = said_in(record, group)
        except DataError as error:
            yield rejected(error)
            continue
        if messages:
            name = next((named for span in group if (named := id_text(span.attributes.get(_CONVERSATION)))), None)
            yield Conversation(
                name or first.trace or first.id, messages, tools_in(group), first.line, iso_time(first.start)
            )


def _answered(messages: Sequence[Message], results: dict[str, str]) -> tuple[Message, ...]:
    """The messages with the results that only the spans of the tools tell, behind the others of the same reply."""
    have = {message.tool_call_id for message in messages if message.role == "tool"}
    made: list[Message] = []
    waiting: list[Message] = []
    for message in messages:
        if message.role != "tool":
            made += waiting
            waiting = []
        made.append(message)
        for call in message.tool_calls:
            if call.id in results and call.id not in have:
                waiting.append(Message("tool", results[call.id], tool_call_id=call.id))
    return (*made, *waiting)
