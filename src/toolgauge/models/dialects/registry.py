"""The dialect that an option or a model's name means."""

from __future__ import annotations

from toolgauge.errors import UsageError
from toolgauge.models.dialects.dialect import Dialect
from toolgauge.models.dialects.table import ALIASES, DIALECTS
from toolgauge.models.families import family_of
from toolgauge.options import guess

AUTO = "auto"
"""What `--dialect` takes for the one that the model's name tells."""


def find_dialect(name: str) -> Dialect:
    """The dialect of this name or alias, in any case; raises UsageError."""
    wanted = name.strip().lower()
    wanted = ALIASES.get(wanted, wanted)
    if wanted in DIALECTS:
        return DIALECTS[wanted]
    meant = guess(wanted, [*DIALECTS, *ALIASES]) or "."
    raise UsageError(f"--dialect: unknown dialect '{name}'{meant} Choose one of {', '.join([AUTO, *DIALECTS])}")


def choose_dialect(name: str, model: str) -> Dialect:
    """The dialect of this name, or of the model's where the name is "auto"; raises UsageError."""
    if name.strip().lower() != AUTO:
        return find_dialect(name)
    told = dialect_for(model)
    if told is None:
        raise UsageError(
            f"--dialect {AUTO}: no dialect known for model '{model}'; choose one (generic works with any chat model): "
            f"{', '.join(DIALECTS)}"
        )
    return DIALECTS[told]


def dialect_for(model: str) -> str | None:
    """The name of the dialect that a model's name implies; None if that is not certain."""
    family = family_of(model)
    return family.dialect or None if family else None
