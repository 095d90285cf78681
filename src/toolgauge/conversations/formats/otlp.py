"""OTLP/JSON: spans and log records of a line as plain values. Source: the OpenTelemetry protocol, JSON encoding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from toolgauge.conversations.formats.definitions import decoded

Attributes = dict[str, object]


class Event(Struct, frozen=True):
    """Something that was told of a span: a log record, or an event in the span. body: its fields, those of its
    attributes included."""

    name: str
    body: Attributes
    time: int = 0


class Span(Struct, frozen=True):
    """A span, or a log record that belongs to one. start: nanoseconds since 1970, 0: not told."""

    trace: str
    id: str
    attributes: Attributes
    events: tuple[Event, ...] = ()
    start: int = 0
    line: int = 0
    file: str = ""


def spans_of(value: Mapping[str, object], file: str, line: int) -> Iterator[Span]:
    """The spans and log records of a request as an exporter writes it; what is none is passed over."""
    for resource in _objects(value, "resourceSpans", "resource_spans"):
        for scope in _objects(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
            for span in _objects(scope, "spans"):
                events = tuple(_event(one) for one in _objects(span, "events"))
                yield _span(span, attributes_of(span), events, file, line)
    for resource in _objects(value, "resourceLogs", "resource_logs"):
        for scope in _objects(resource, "scopeLogs", "scope_logs"):
            for record in _objects(scope, "logRecords", "log_records"):
                event = _event(record)
                yield _span(record, attributes_of(record), (event,), file, line)


def attributes_of(holder: Mapping[str, object]) -> Attributes:
    """The attributes of a span, an event or a record; also where somebody made an object of them."""
    listed = holder.get("attributes")
    if type(listed) is dict:
        return listed
    pairs = listed if type(listed) is list else []
    return {
        pair["key"]: plain(pair.get("value")) for pair in pairs if type(pair) is dict and type(pair.get("key")) is str
    }


def plain(value: object) -> object:
    """A value without the names of its kind: {"stringValue": "x"} is "x"."""
    if type(value) is not dict or len(value) != 1:
        return None if value == {} else value
    ((kind, inner),) = value.items()
    if kind in ("intValue", "int_value"):
        return int(inner) if type(inner) is str and inner.lstrip("-").isdecimal() and len(inner) < 30 else inner
    values = inner.get("values") if type(inner) is dict else None
    listed = values if type(values) is list else []
    if kind in ("arrayValue", "array_value"):
        return [plain(one) for one in listed]
    if kind in ("kvlistValue", "kvlist_value"):
        return attributes_of({"attributes": listed})
    return inner if kind.lower().endswith("value") else value


def structured(value: object) -> object:
    """A value that an exporter may have written as JSON text."""
    return decoded(value) if type(value) is str and value.lstrip()[:1] in ("[", "{") else value


def _span(
    holder: Mapping[str, object], attributes: Attributes, events: tuple[Event, ...], file: str, line: int
) -> Span:
    start = _nanoseconds(holder, "startTimeUnixNano", "start_time_unix_nano") or (events[0].time if events else 0)
    trace, own = holder.get("traceId", holder.get("trace_id")), holder.get("spanId", holder.get("span_id"))
    return Span(str(trace or ""), str(own or ""), attributes, events, start, line, file)


def _event(record: Mapping[str, object]) -> Event:
    attributes = attributes_of(record)
    name = record.get("eventName") or record.get("event_name") or record.get("name") or attributes.get("event.name")
    body = structured(plain(record.get("body")))
    content = structured(attributes.get("gen_ai.event.content"))
    fields = {key: part for one in (attributes, content, body) if type(one) is dict for key, part in one.items()}
    if type(body) is str:
        fields["content"] = body
    return Event(str(name or ""), fields, _nanoseconds(record, "timeUnixNano", "observedTimeUnixNano"))


def _nanoseconds(holder: Mapping[str, object], *keys: str) -> int:
    for key in keys:
        text = str(holder.get(key) or "")
        if text.isdecimal() and len(text) < 30 and int(text):
            return int(text)
    return 0


def _objects(holder: Mapping[str, object], *keys: str) -> Iterator[dict[str, object]]:
    for key in keys:
        listed = holder.get(key)
        for one in listed if type(listed) is list else ():
            if type(one) is dict:
                yield one
