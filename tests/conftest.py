"""Fixtures that several rooms use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the public benchmarks' sample data beside the project; tests that need it skip without it."""
    folder = Path(os.environ.get("TOOLGAUGE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"the benchmarks' sample data are not here ({folder.name}/data; set TOOLGAUGE_SHARED)")
    return folder
