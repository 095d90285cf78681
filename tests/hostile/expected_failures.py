"""Cells that fail today, by the item that mends them. A cell that passes has to leave this list."""

from __future__ import annotations

EXPECTED_FAILURES: dict[str, int] = {}
"""Id of a cell -> number of the item."""
