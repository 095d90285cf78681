"""ACEBench's data sets, as several test files use them."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolgauge.benchmarks.acebench.data.entries import AceDataset
from toolgauge.benchmarks.acebench.data.load import load_acebench

SMALL = Path(__file__).parents[2] / "fixtures" / "acebench" / "data_all"


@pytest.fixture(scope="module", params=["en", "zh"])
def small(request: pytest.FixtureRequest) -> AceDataset:
    """The small data set of the repository."""
    return load_acebench(SMALL, request.param)


@pytest.fixture(scope="module", params=["en", "zh"])
def published(request: pytest.FixtureRequest, shared: Path) -> AceDataset:
    """The public data set."""
    folder = shared / "data" / "acebench"
    if not folder.is_dir():
        pytest.skip("ACEBench's data are not in the shared folder")
    return load_acebench(folder, request.param)
