"""Names that become parts of paths."""

from __future__ import annotations

import re


def slug(text: str) -> str:
    """A model's name as a folder name: letters, digits and ._- only, never empty, never a path of its own."""
    safe = re.sub(r"[^\w.-]+", "_", text, flags=re.ASCII).strip("._")
    return safe[:120] or "model"
