"""Spans and log records of OpenTelemetry as plain values: OTLP/JSON, and what the console exporters print.

Source: the OpenTelemetry protocol, JSON encoding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from toolgauge.logs.text_calls import decoded

Attributes = dict[str, object]
_NAMESPACES = ("gen_ai", "llm", "openinference", "ai", "session", "tool", "input", "output")
REQUESTS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")


class Event(Struct, frozen=True):
    """Something told of a span: a log record, or an event in the span. body: its fields, its attributes included."""

    name: str
    body: Attributes
    start: float = 0.0


class Span(Struct, frozen=True):
    """A span, or a log record that belongs to one. start: seconds since 1970, 0: not told."""

    trace: str
    id: str
    name: str
    attributes: Attributes
    events: tuple[Event, ...] = ()
    start: float = 0.0
    failed: bool = False
    is_record: bool = False


def spans_of(value: Mapping[str, object]) -> Iterator[Span]:
    """The spans and log records of a request as an exporter writes it; what is none is passed over."""
    if type(value.get("context")) is dict and "attributes" in value:  # a console exporter's span
        context: Mapping[str, object] = value["context"]  # type: ignore[assignment]
        yield _span({**value, **context}, is_record=False)
        return
    for resource in _objects(value, "resourceSpans", "resource_spans"):
        for scope in _objects(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
            for span in _objects(scope, "spans"):
                yield _span(span, is_record=False)
    for resource in _objects(value, "resourceLogs", "resource_logs"):
        for scope in _objects(resource, "scopeLogs", "scope_logs"):
            for record in _objects(scope, "logRecords", "log_records"):
                yield _span(record, is_record=True)


def attributes_of(holder: Mapping[str, object]) -> Attributes:
    """The attributes of a span, an event or a record; also where somebody made an object of them."""
    listed = holder.get("attributes")
    if type(listed) is dict:
        return _flat(listed)
    pairs = listed if type(listed) is list else []
    return {
        pair["key"]: plain(pair.get("value")) for pair in pairs if type(pair) is dict and type(pair.get("key")) is str
    }


def _flat(attributes: Attributes, prefix: str = "") -> Attributes:
    """Attributes that stand in each other ({"llm": {"model_name": ...}}) with names that have dots."""
    flat: Attributes = {}
    for key, value in attributes.items():
        if type(value) is dict and value and (prefix or key in _NAMESPACES):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


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
        return [plain(element) for element in listed]
    if kind in ("kvlistValue", "kvlist_value"):
        return attributes_of({"attributes": listed})
    return inner if kind.lower().endswith("value") else value


def structured(value: object) -> object:
    """A value that an exporter may have written as JSON text."""
    if type(value) is str and value.lstrip()[:1] in ("[", "{"):
        inner = decoded(value)
        return value if inner is None else inner
    return value


def nested(attributes: Attributes, prefix: str) -> object:
    """Attributes whose names have dots and numbers (`llm.input_messages.0.message.role`) as what they describe; None
    where there are none. A value that is nested already is taken as it is."""
    tree: dict[str, object] = {}
    for key, value in attributes.items():
        if key == prefix:
            return _undotted(structured(value))
        if key.startswith(prefix + "."):
            holder = tree
            *path, last = key[len(prefix) + 1 :].split(".")[:20]
            for step in path:
                inner = holder.setdefault(step, {})
                holder = inner if type(inner) is dict else {}
            holder[last] = value
    return _listed(tree) if tree else None


def _listed(tree: object) -> object:
    if type(tree) is not dict:
        return tree
    if tree and all(key.isdecimal() and len(key) < 6 for key in tree):
        return [_listed(tree[key]) for key in sorted(tree, key=int)]
    return {key: _listed(part) for key, part in tree.items()}


def _undotted(value: object) -> object:
    """Objects with dots in their keys ({"message.role": ...}) as nested ones."""
    if type(value) is list:
        return [_undotted(element) for element in value]
    if type(value) is not dict:
        return value
    tree: dict[str, object] = {}
    for key, part in value.items():
        holder = tree
        *path, last = str(key).split(".")[:20]
        for step in path:
            inner = holder.setdefault(step, {})
            holder = inner if type(inner) is dict else {}
        holder[last] = _undotted(part)
    return tree


def _span(holder: Mapping[str, object], is_record: bool) -> Span:
    events = (_event(holder),) if is_record else tuple(_event(event) for event in _objects(holder, "events"))
    start = _seconds(holder, "startTimeUnixNano", "start_time_unix_nano") or (events[0].start if events else 0.0)
    trace = next((holder[key] for key in ("traceId", "trace_id") if holder.get(key)), "")
    span_id = next((holder[key] for key in ("spanId", "span_id", "id") if holder.get(key)), "")
    status = holder.get("status")
    code = status.get("code", status.get("status_code")) if type(status) is dict else holder.get("status_code")
    failed = code in (2, "STATUS_CODE_ERROR", "ERROR")
    name = holder.get("name")
    attributes = attributes_of(holder)
    return Span(
        str(trace), str(span_id), name if type(name) is str else "", attributes, events, start, failed, is_record
    )


def _event(record: Mapping[str, object]) -> Event:
    attributes = attributes_of(record)
    name = record.get("eventName") or record.get("event_name") or record.get("name") or attributes.get("event.name")
    body = structured(plain(record.get("body")))
    content = structured(attributes.get("gen_ai.event.content"))
    fields = {
        key: part for source in (attributes, content, body) if type(source) is dict for key, part in source.items()
    }
    if type(body) is str and body:
        fields["content"] = body
    return Event(str(name or ""), fields, _seconds(record, "timeUnixNano", "observedTimeUnixNano"))


def _seconds(holder: Mapping[str, object], *keys: str) -> float:
    for key in keys:
        text = str(holder.get(key) or "")
        if text.isdecimal() and len(text) < 30 and int(text):
            return int(text) / 1e9
    return 0.0


def _objects(holder: Mapping[str, object], *keys: str) -> Iterator[dict[str, object]]:
    for key in keys:
        listed = holder.get(key)
        for element in listed if type(listed) is list else ():
            if type(element) is dict:
                yield element
