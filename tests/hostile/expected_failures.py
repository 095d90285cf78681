"""Cells that fail today, with the reason. A cell that passes leaves this list."""

from __future__ import annotations

EXPECTED_FAILURES: dict[str, str] = {}
"""Id of a cell -> why it fails."""
