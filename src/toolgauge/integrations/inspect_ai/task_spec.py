"""What a task of Inspect's asks: the benchmark's data and choices.

Solver and scorer find them by plain words, since Inspect records their arguments and makes them anew when an evaluation
is retried, or scored later.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inspect_ai._util.error import PrerequisiteError
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Benchmark, Sample, Setup, own_options
from toolgauge.benchmarks.registry import blamed_on
from toolgauge.data.task_ids import with_epoch
from toolgauge.errors import ToolgaugeError
from toolgauge.integrations.source import SourceSpec

SESSION, TASK, TASKS = "session", "task", "tasks"
"""Metadata of a sample: its session, its task's place in it (None: all of them), and how many tasks it holds."""


class TaskSpec(Struct, frozen=True):
    """A benchmark with its data in one language, and how it is asked."""

    benchmark: Benchmark
    dataset: Any
    setup: Setup


def open_asked(
    benchmark: str, language: str, data: str | None, setup: Setup, corrections: str | None = None
) -> TaskSpec:
    """The data are read once per process. Raises PrerequisiteError, which Inspect shows in one line."""
    with explained():
        source = SourceSpec(data or benchmark, language, benchmark, corrections=corrections).open()
        with blamed_on(source.benchmark):
            own = own_options(source.benchmark, setup)
        return TaskSpec(source.benchmark, source.dataset, replace(setup, options=own))


@contextmanager
def explained() -> Iterator[None]:
    """Our errors in the way that Inspect shows without a traceback."""
    try:
        yield
    except ToolgaugeError as error:
        raise PrerequisiteError(str(error).replace("[", r"\[")) from error


def unit_of(sample_id: str, metadata: dict[str, Any], epoch: int) -> Sample:
    """The conversation of a sample, under the name that our own runner gives it. epoch: Inspect's, from 1."""
    return Sample(with_epoch(sample_id, epoch - 1), str(metadata[SESSION]), metadata[TASK], epoch - 1)
