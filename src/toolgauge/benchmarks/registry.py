"""The benchmarks by name: ours, and those of installed packages (entry points `toolgauge.benchmarks`)."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import Path
from traceback import extract_tb, walk_tb
from typing import Any

from msgspec import convert

from toolgauge.benchmarks.benchmark import Benchmark
from toolgauge.benchmarks.manifest import PackageRecord
from toolgauge.errors import Tell, ToolgaugeError, UsageError, warn
from toolgauge.options import guess
from toolgauge.reasons import Frame, ReasonText, ReasonTexts, texts_of
from toolgauge.visible import visible

GROUP = "toolgauge.benchmarks"
"""Entry-point group: the name is the benchmark's, the object a Benchmark or a callable without arguments that makes
one."""
DEFAULT_BENCHMARK = "mini"
"""What models are verified with unless another one is named."""
SESSIONS_BENCHMARK = "sessions"
"""Data of one's own: files of sessions, such as `toolgauge generate` writes, under their own name."""
SESSIONS_FILE = "sessions.jsonl"
"""In the folder of a generation."""
OURS = {
    "mini": "toolgauge.benchmarks.dialogues.benchmark:MINI",
    "wildtoolbench": "toolgauge.benchmarks.dialogues.benchmark:WILDTOOLBENCH",
    "mmtb": "toolgauge.benchmarks.dialogues.benchmark:MMTB",
    "sessions": "toolgauge.benchmarks.dialogues.benchmark:SESSIONS",
    "acebench": "toolgauge.benchmarks.acebench.benchmark:AceBench",
}
"""As pyproject.toml has them; known without asking for the metadata of every installed package."""
MEMBERS = (
    "headline", "scorings", "load", "samples", "speakers", "task_ids", "episode", "scores", "order", "report",
    "display",
)  # fmt: skip
"""What an object must have to be used as a benchmark."""
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")
_GIVEN: dict[str, Benchmark] = {}
"""Those that were given as objects, for the rest of the process."""
_LOADED: dict[str, Benchmark] = {}
"""Those of installed packages that were asked for."""
_OUR_CODE = Path(__file__).parents[1]


def find_benchmark(name: str) -> Benchmark:
    """The benchmark of that name. Raises UsageError where there is none (with the names that there are), and for a
    package that cannot be loaded (with its distribution)."""
    if name in _GIVEN or name in _LOADED:
        return _GIVEN.get(name) or _LOADED[name]
    point = EntryPoint(name, OURS[name], GROUP) if name in OURS else installed().get(name)
    if point is None:
        raise UsageError(f"unknown benchmark {name!r}{guess(name, names())} (known: {', '.join(names())})")
    return _loaded(point)


def is_session_file(name: str) -> bool:
    """Does somebody who names a benchmark like this mean a file of sessions, or the folder of a generation?"""
    if name in OURS:
        return False
    return name.endswith((".jsonl", ".jsonl.gz")) or "/" in name or (Path(name) / SESSIONS_FILE).is_file()


def benchmark_of(what: str | Benchmark) -> Benchmark:
    """A benchmark by its name, or one that is given as an object, which is known by its name from now on. A file of
    sessions stands for the benchmark of data of one's own.

    Raises UsageError for an unknown name, for what is no benchmark, and for an object with the name of another one.
    """
    if isinstance(what, str):
        return find_benchmark(SESSIONS_BENCHMARK if is_session_file(what) else what)
    found = _checked(what, type(what).__qualname__)
    if found.name not in OURS:
        _GIVEN[found.name] = found
    elif find_benchmark(found.name) != found:
        raise UsageError(f"benchmark {found.name!r}: toolgauge already has one of that name; choose another name")
    return found


def names() -> tuple[str, ...]:
    """Ours first, then those of installed packages by name, then those given as objects."""
    return tuple(dict.fromkeys((*OURS, *sorted(installed()), *_GIVEN)))


def usable(tell: Tell = warn) -> Iterator[Benchmark]:
    """Every benchmark, as `names` orders them; why one of a package cannot be loaded is told, and it is left out."""
    for name in names():
        try:
            yield find_benchmark(name)
        except UsageError as error:
            tell(error.text)


def installed() -> dict[str, EntryPoint]:
    """Name -> entry point of other people's benchmarks; a name of ours stays ours."""
    return {point.name: point for point in entry_points(group=GROUP) if point.name not in OURS}


def distribution_of(point: EntryPoint) -> str:
    """The package that a benchmark comes from, and its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


def summary_of(point: EntryPoint) -> str:
    """What a package says of itself in its metadata, in a line."""
    metadata = point.dist.metadata if point.dist is not None else None
    summary = metadata["Summary"] if metadata is not None and "Summary" in metadata else ""
    return visible(summary or "benchmark of an installed package")[:200]


@contextmanager
def blamed_on(benchmark: Benchmark, task: str = "") -> Iterator[None]:
    """Whatever a benchmark of somebody else's raises inside becomes one line that names it, its package and the
    place. task: which one it was about."""
    try:
        yield
    except ToolgaugeError:
        raise
    except (Exception, SystemExit) as error:
        if benchmark.name in OURS:
            raise
        raise _failure([benchmark], error, task) from error


@contextmanager
def blamed_by_place() -> Iterator[None]:
    """The same for whatever runs inside: the benchmark whose code stands in the traceback is named."""
    try:
        yield
    except Exception as error:
        told = blamed(error)
        if told is None:
            raise
        raise told from error


def blamed(error: Exception) -> ToolgaugeError | None:
    """What is told of an error in the code of somebody else's benchmark; None where it arose elsewhere."""
    if isinstance(error, ToolgaugeError):
        return None
    frames = [frame for frame, _line in walk_tb(error.__traceback__)][::-1]
    for frame in frames:
        room = _room(frame.f_globals.get("__name__", ""))
        if here := [one for one in foreign() if _room(type(one).__module__) == room]:
            used = [one for frame in frames for value in frame.f_locals.values() for one in here if one is value]
            return _failure(used[:1] or here, error)
    return None


def _failure(suspects: Sequence[Benchmark], error: BaseException, task: str = "") -> ToolgaugeError:
    """suspects: the benchmark; several where nothing tells which one of a module it was."""
    at = visible(f" at task {task!r}") if task else ""
    names, origin = " or ".join(repr(one.name) for one in suspects), visible(_origin(suspects[0]))
    return ToolgaugeError(f"benchmark {names} ({origin}) failed{at}: {_described(error)}")


def foreign() -> list[Benchmark]:
    """The benchmarks of other people that are loaded."""
    return [*_GIVEN.values(), *_LOADED.values()]


def package_of(benchmark: Benchmark) -> PackageRecord | None:
    """The package that a benchmark of somebody else's comes from, and the library that it wraps; None of ours."""
    if benchmark.name in OURS:
        return None
    point = None if benchmark.name in _GIVEN else installed().get(benchmark.name)
    name, number = (point.dist.name, point.dist.version) if point and point.dist else (_origin(benchmark), "")
    wraps = str(getattr(benchmark, "wraps", "") or "")
    try:
        wraps_version = version(wraps) if wraps else ""
    except PackageNotFoundError:
        wraps_version = "not installed"
    return PackageRecord(name, number, wraps, wraps_version)


def _room(module: str) -> str:
    """The package that a module is in; of ours the module itself, for benchmarks of others are never there."""
    return module if module.startswith("toolgauge.") else module.partition(".")[0]


def _origin(benchmark: Benchmark) -> str:
    point = None if benchmark.name in _GIVEN else installed().get(benchmark.name)
    return distribution_of(point) if point else type(benchmark).__qualname__


def _described(error: BaseException) -> str:
    """What was raised, and where: the last place that is not ours."""
    frames = extract_tb(error.__traceback__)
    own = (_OUR_CODE, Path(importlib.__file__).parent)
    place = next((one for one in reversed(frames) if not set(own) & set(Path(one.filename).parents)), None)
    where = f" ({'/'.join(Path(place.filename).parts[-2:])}:{place.lineno})" if place else ""
    return visible(f"{type(error).__name__}: {error}")[:300] + visible(where)


def reason_texts(benchmark: Benchmark, language: str) -> ReasonTexts:
    """The texts with which the explanations of a benchmark's verdicts are put into words of a language ("en", "zh")."""
    frames = texts_of(Frame, language)
    if not hasattr(benchmark, "reason_texts"):  # a package that knows nothing of codes
        return frames
    with blamed_on(benchmark):
        texts = convert(benchmark.reason_texts(language), dict[str, ReasonText])
    return {**texts, **frames}


def _loaded(point: EntryPoint) -> Benchmark:
    package = visible(distribution_of(point))
    try:
        found = point.load()
        found = found() if isinstance(found, type) or not hasattr(found, "episode") else found
    except ToolgaugeError as error:
        raise UsageError(f"benchmark {point.name!r}: cannot load the package {package} ({error.text})") from error
    except (Exception, SystemExit) as error:  # a package of somebody else's: anything may be wrong with it
        said = _described(error)
        raise UsageError(f"benchmark {point.name!r}: cannot load the package {package}: {said}") from error
    benchmark = _checked(found, package)
    if benchmark.name != point.name:
        raise UsageError(f"benchmark {benchmark.name!r}: the package {package} registers it as {point.name!r}")
    if point.name not in OURS:
        _LOADED[point.name] = benchmark
    return benchmark


def _checked(found: Any, origin: str) -> Benchmark:
    """The object, if it has what a benchmark has and a name that may be part of a path."""
    missing = [member for member in ("name", *MEMBERS) if not hasattr(found, member)]
    if missing:
        raise UsageError(f"{origin}: not a benchmark; missing {', '.join(missing)}")
    if not isinstance(found.name, str) or not _NAME.fullmatch(found.name):
        name = visible(repr(found.name)[:80])
        raise UsageError(f"{origin}: invalid benchmark name {name}; use at most 60 of a-z, 0-9, - and _")
    benchmark: Benchmark = found
    return benchmark
