"""Whatever a benchmark of somebody else's does wrong is one line that names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import toolgauge
from toolgauge.benchmarks.conversation import SimpleBenchmark
from toolgauge.benchmarks.options import BenchmarkOptions
from toolgauge.errors import ToolgaugeError


def fails(*_: Any, **__: Any) -> Any:
    raise KeyError("oh")


class Raises(BenchmarkOptions, frozen=True):
    depth: int = 1

    def __post_init__(self) -> None:
        fails()


class OfARun(BenchmarkOptions, frozen=True):
    limit: int = 1


class OfTheManifest(BenchmarkOptions, frozen=True):
    dataset: str = ""


METHODS = ("load", "samples", "roles", "task_ids", "scores", "order", "judge", "report")
CLASSES: tuple[Any, ...] = (Raises, OfARun, OfTheManifest, 3)


@pytest.mark.parametrize(
    "members",
    [*({name: fails} for name in METHODS), *({"Options": one} for one in CLASSES)],
    ids=lambda members: "-".join(getattr(value, "__name__", "3") + name for name, value in members.items()),
)
def test_one_line_names_the_benchmark(members: dict[str, Any], tmp_path: Path) -> None:
    data = tmp_path / "one.jsonl"
    data.write_text('{"id": "a", "question": "1 + 1?", "expected": "2"}\n')
    name = "fails-" + "-".join(members).lower().replace("_", "-")
    benchmark: Any = type("Failing", (SimpleBenchmark,), {"name": name, **members})()
    with pytest.raises(ToolgaugeError, match=f"benchmark '{name}'") as raised:
        toolgauge.run(benchmark, "builtin/oracle", data=data, out=tmp_path / "run")
    assert "\n" not in str(raised.value)
