"""The formats of logs by their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from toolgauge.conversations.formats.found import Finds
from toolgauge.conversations.formats.openai import read_openai
from toolgauge.conversations.formats.sharegpt import read_sharegpt

Reader = Callable[[Sequence[Path]], Finds]

FORMATS: dict[str, Reader] = {"openai": read_openai, "sharegpt": read_sharegpt}
