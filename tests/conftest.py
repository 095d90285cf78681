"""Fixtures that several rooms use."""

from __future__ import annotations

import gc
import os
import random
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.sizes import sized

ROOT = Path(__file__).parent.parent
settings.register_profile(  # an example may take longer than 200 ms on a busy machine, and the drawing of some seconds
    "no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=sized(30, 100)
)
settings.load_profile("no clock")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files, and the tests of each, in another order")


CACHE = tempfile.TemporaryDirectory(prefix="toolgauge-tests-")
"""What tests would keep in the user's cache."""


def pytest_configure() -> None:
    """English whatever the machine speaks, and a cache that is thrown away. The programs that tests start would inherit
    which signals are ignored: SIGHUP under nohup, SIGINT in a shell's background."""
    os.environ["TOOLGAUGE_LANG"] = "en"
    os.environ["TOOLGAUGE_CACHE"] = CACHE.name
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle if asked. Files stay together, for the fixtures that their tests share; the same seed, the same order."""
    seed = config.getoption("--shuffle")
    if seed is not None:
        draw = random.Random(seed)
        files = sorted({item.path for item in items})
        draw.shuffle(files)
        draw.shuffle(items)
        items.sort(key=lambda item: files.index(item.path))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What all the modules consist of need not be looked through again and again for garbage: a tenth of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the public benchmarks' sample data beside the project; tests that need it skip without it."""
    folder = Path(os.environ.get("TOOLGAUGE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"the benchmarks' sample data are not here ({folder.name}/data; set TOOLGAUGE_SHARED)")
    return folder
