"""What is trained or played on: a benchmark by name, a file of sessions, or a data set in memory; and how its episodes
are played without a model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from toolgauge.benchmarks.benchmark import Benchmark, Setup
from toolgauge.benchmarks.registry import SESSIONS_BENCHMARK, find_benchmark, names
from toolgauge.chat import Reply, Request
from toolgauge.data.corrections import Corrections
from toolgauge.data.session import Dataset
from toolgauge.episode import ASSISTANT, Episode, Trajectory, drive
from toolgauge.models.builtin.models import oracle
from toolgauge.runs.corrections import load_data, named_corrections
from toolgauge.runs.plan import find_data


class TaskSource(Struct, frozen=True):
    """A benchmark with its data in one language."""

    benchmark: Benchmark
    dataset: Any
    setup: Setup = Setup()


class SourceSpec(Struct, frozen=True):
    """How a source is found, light enough to travel to other processes. what: see `open_source`; corrections: of the
    data, a file or "known"."""

    what: str | Dataset
    language: str = "en"
    benchmark: str = SESSIONS_BENCHMARK
    offline: bool = False
    corrections: str | None = None

    def open(self) -> TaskSource:
        """The source; files are read once per process. Raises UsageError or DataError."""
        if isinstance(self.what, Dataset):
            return TaskSource(find_benchmark(self.benchmark), self.what)
        named = self.what in names()
        benchmark = find_benchmark(self.what if named else self.benchmark)
        file = find_data(benchmark, None if named else self.what, self.offline)
        correct = named_corrections(benchmark, self.corrections) if self.corrections else None
        return TaskSource(benchmark, _loaded(benchmark.name, str(file), self.language, _version(file), correct))


def spec_of(what: str | Path | Dataset, language: str, benchmark: str | None, offline: bool) -> SourceSpec:
    """what: a benchmark's name, the path of a file in the layout of `benchmark`, or a data set in memory."""
    return SourceSpec(str(what) if isinstance(what, Path) else what, language, benchmark or SESSIONS_BENCHMARK, offline)


def _version(file: Path) -> tuple[int, int]:
    """Changes when the file does; (0, 0) where there is none, which loading reports."""
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _loaded(
    benchmark: str,
    file: str,
    language: str,
    version: tuple[int, int],  # noqa: ARG001 - part of the key
    corrections: Corrections | None,
) -> object:
    """Frozen data, so that sharing them between all who ask is safe."""
    return load_data(find_benchmark(benchmark), Path(file), language, corrections)


class NotEnough(Exception):
    """The replies ran out before the episode did."""


def annotated_course(episode: Episode) -> list[tuple[Request, Reply]]:
    """The measured model's requests with the annotated answers, in the fewest steps."""
    course: list[tuple[Request, Reply]] = []

    def answer(request: Request) -> Reply:
        reply = oracle(request)
        if request.role == ASSISTANT:
            course.append((request, reply))
        return reply

    drive(episode, answer)
    return course


def play(episode: Episode, said: Sequence[Reply]) -> Trajectory:
    """The trajectory of these replies, other roles by their script; raises NotEnough."""
    coming = iter(said)

    def answer(request: Request) -> Reply:
        if request.role != ASSISTANT:
            return oracle(request)
        reply = next(coming, None)
        if reply is None:
            raise NotEnough
        return reply

    return drive(episode, answer)
