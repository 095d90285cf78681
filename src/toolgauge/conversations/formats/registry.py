"""The formats of logs by their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from toolgauge.conversations.formats.found import Finds
from toolgauge.conversations.formats.inspect_logs import read_inspect
from toolgauge.conversations.formats.jsonl_map import read_mapped
from toolgauge.conversations.formats.mapping import read_mapping
from toolgauge.conversations.formats.openai import read_openai
from toolgauge.conversations.formats.otel import read_otel
from toolgauge.conversations.formats.sharegpt import read_sharegpt
from toolgauge.errors import UsageError
from toolgauge.locale import _, named_field

Reader = Callable[[Sequence[Path]], Finds]

MAPPED = "jsonl-map"
_READERS: dict[str, Reader] = {
    "openai": read_openai,
    "sharegpt": read_sharegpt,
    "otel": read_otel,
    "inspect": read_inspect,
}
FORMATS = (*_READERS, MAPPED)


def reader(name: str, mapping: Path | None = None) -> Reader:
    """The reader of a format. mapping: where things are, for "jsonl-map". Raises UsageError and DataError."""
    field = named_field("from")
    if name not in FORMATS:
        known = list(FORMATS)
        raise UsageError(_("{field} {name!r} is not known; choose one of {names}", field=field, name=name, names=known))
    if (mapping is None) == (name == MAPPED):
        fields = {"mapping": named_field("map"), "field": field}
        raise UsageError(_("{mapping} goes with {field} {name}, which needs it", name=MAPPED, **fields))
    return _READERS[name] if mapping is None else partial(read_mapped, mapping=read_mapping(mapping))
