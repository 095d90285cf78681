"""Every verb against every hostile thing that it may read or find: the table of `table.py`, a cell at a time.

Each command ends with a code that is documented, within its limits of time and memory, in few lines without a
traceback or a control character; it changes nothing outside of its folders, and keys and other people's files stay
where they are.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.corpus.endpoints import Servers
from tests.hostile.expected_failures import EXPECTED_FAILURES
from tests.hostile.samples import make_samples
from tests.hostile.sandbox import Sandbox, complaints, platform_has_limits
from tests.hostile.table import Cell, cells

pytestmark = pytest.mark.skipif(not platform_has_limits(), reason="needs Linux: limits and /proc")


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "samples"
    make_samples(folder)
    return folder


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    with Servers() as started:
        yield started


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The whole table only where it is asked for: thousands of cells take seconds to collect."""
    if "cell" in metafunc.fixturenames:
        whole = "not hostile" not in metafunc.config.getoption("-m").replace("hostile or not hostile", "")
        metafunc.parametrize("cell", list(_parameters(whole)))


def _parameters(whole: bool) -> Iterator[object]:
    for cell in cells():
        if not (whole or cell.usual):
            continue
        marks = [] if cell.usual else [pytest.mark.hostile]
        if cell.id in EXPECTED_FAILURES:
            marks.append(pytest.mark.xfail(strict=True, reason=EXPECTED_FAILURES[cell.id]))
        yield pytest.param(cell, id=cell.id, marks=marks)


def test_every_verb_withstands(cell: Cell, samples: Path, servers: Servers, tmp_path: Path) -> None:
    if cell.item.name == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads every file")
    box = Sandbox(tmp_path / "box", samples, servers, cell)
    words, wrong = complaints(box)
    shutil.rmtree(box.root, ignore_errors=True)  # many thousands of them would fill a disk
    assert not wrong, "\n".join([*wrong, words])
