"""Data files for the tests of this room: two small ones made by hand, and any that are written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures"
Record = dict[str, Any]


@pytest.fixture(scope="session")
def small_wildtoolbench() -> Path:
    return FIXTURES / "wildtoolbench_small.jsonl"


@pytest.fixture(scope="session")
def small_mmtb() -> Path:
    return FIXTURES / "mmtb_small.jsonl"


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    """Writes values as JSON lines and returns the file."""

    def write(*values: Any, name: str = "data.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values), encoding="utf-8")
        return path

    return write
