"""Every dialect by name, and which one a model's name tells."""

from __future__ import annotations

import difflib
import re

from toolgauge.errors import UsageError
from toolgauge.models.dialects.dialect import Dialect

AUTO = "auto"
"""What `--dialect` takes for the one that the model's name tells."""

DIALECTS: dict[str, Dialect] = {}
"""Name -> dialect, in the order of the documentation."""

ALIASES: dict[str, str] = {}
"""Other names that people use -> name."""


def find_dialect(name: str) -> Dialect:
    """The dialect of this name or alias, in any case; raises UsageError."""
    wanted = name.strip().lower()
    wanted = ALIASES.get(wanted, wanted)
    if wanted in DIALECTS:
        return DIALECTS[wanted]
    close = difflib.get_close_matches(wanted, [*DIALECTS, *ALIASES], 1)
    guess = f" (did you mean {close[0]}?)" if close else ""
    raise UsageError(f"--dialect: no dialect '{name}'{guess}; known: {AUTO}, {', '.join(DIALECTS)}")


def dialect_for(model: str) -> str | None:
    """The name of the dialect that a model surely writes, told from the model's name; None where it is not sure.

    model: as `-m` takes it or as its makers name it: "openai/Qwen/Qwen2.5-7B-Instruct", "qwen2.5:7b". A name that
    several dialects claim is not sure.
    """
    base = model.rstrip("/").rpartition("/")[2].strip().lower().replace(":", "-")
    claims = [name for name, dialect in DIALECTS.items() if any(re.fullmatch(known, base) for known in dialect.models)]
    return claims[0] if len(claims) == 1 else None
