"""The keys of an accepted answer: names of functions, numbered where one is called twice.

Source: docs/acebench.md#entries; keys such as Q09: docs/acebench.md#scorings.
"""

from __future__ import annotations

import re
from collections.abc import Container

_NUMBERED = re.compile(r"_[0-9]+\Z")


def unnumbered(key: str) -> str:
    """A key without its trailing number, as the public scorer reads it."""
    return _NUMBERED.sub("", key)


def called_name(key: str, names: Container[str]) -> str:
    """The function that a key means: the number is cut unless the whole key is a candidate's name (Q09, Q10)."""
    return key if key in names else unnumbered(key)
