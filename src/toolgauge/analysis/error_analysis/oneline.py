"""Texts of models and of data as one short line that does no harm in a terminal, a table or a file name's place."""

from __future__ import annotations


def one_line(text: str, limit: int = 160) -> str:
    """A text without line breaks, control characters, marks of direction and lone surrogates, at most `limit` long."""
    begun = text[: 8 * limit + 64]  # a text of megabytes is not walked through for one line
    words = " ".join(begun.split())
    shown = words if words.isprintable() else "".join(char if char.isprintable() else "\ufffd" for char in words)
    whole = len(begun) == len(text) and len(shown) <= limit
    return shown if whole else shown[: limit - 1] + "…"
