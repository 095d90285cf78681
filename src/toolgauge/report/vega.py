"""Vega-Lite, the language in which charts are written: somebody else's format, plain JSON to the end."""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]
"""A specification, a part of one, or a row of its data."""
