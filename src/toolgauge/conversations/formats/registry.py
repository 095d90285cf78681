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
    if name not in FORMATS:
        raise UsageError(f"--from: unknown format '{name}'; choose one of {', '.join(FORMATS)}")
    if (mapping is None) == (name == MAPPED):
        raise UsageError(f"--map and --from {MAPPED} must be given together")
    return _READERS[name] if mapping is None else partial(read_mapped, mapping=read_mapping(mapping))
