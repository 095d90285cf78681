"""What `toolgauge.run` is asked for, declared once: the Python API, the command line and their documentation share it.

`RunOptions` holds names, types and defaults; `RunKeywords` is the same for a type checker, which wants keyword
arguments as a TypedDict (a test compares the two, and both with the options of the command line).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from toolgauge.benchmarks.benchmark import Benchmark, Setup, options_of
from toolgauge.benchmarks.manifest import Manifest, Selection
from toolgauge.benchmarks.options import BenchmarkOptions, declared
from toolgauge.benchmarks.registry import blamed_on
from toolgauge.errors import UsageError
from toolgauge.limits import MAX_REPLY_BYTES
from toolgauge.models.model import ModelOptions, Sampling
from toolgauge.runs.executors.executor import ExecutorFactory
from toolgauge.runs.executors.local import local_executor

F = TypeVar("F", bound=Callable[..., object])


class EndpointOptions(Struct, frozen=True, kw_only=True):
    """How models are reached, and how much is asked of them: what runs and generations have in common.

    timeout: seconds per request; max_attempts, patience (seconds), max_reply_bytes: see `ModelOptions`. concurrency:
    conversations at once. max_cost (US dollars), max_tokens_total: nothing more is asked when so much is spent. engine:
    where the samples run, this process or `toolgauge.runs.executors.ray.on_ray()`. overwrite: also files in `out` that
    somebody has changed.
    """

    out: Path | str | None = None
    concurrency: int = 32
    sampling: Sampling | None = None
    base_url: str | None = None
    api_key: str | None = None
    timeout: float = 300.0
    max_reply_bytes: int = MAX_REPLY_BYTES
    max_attempts: int = 6
    patience: float = 600.0
    max_cost: float | None = None
    max_tokens_total: int | None = None
    engine: ExecutorFactory = local_executor
    overwrite: bool = False

    def model_options(self) -> ModelOptions:
        """How the models are reached."""
        return ModelOptions(
            base_url=self.base_url,
            api_key=self.api_key,
            timeout=self.timeout,
            max_reply_bytes=self.max_reply_bytes,
            max_attempts=self.max_attempts,
            patience=self.patience,
            concurrency=self.concurrency,
            sampling=self.sampling or Sampling(),
        )

    def limits(self) -> LimitKeywords:
        """How far the run goes, and where: keyword arguments of `execute`."""
        return {"max_cost": self.max_cost, "max_tokens_total": self.max_tokens_total, "engine": self.engine}

    def __repr__(self) -> str:
        """Without key and addresses, which may hold one: options turn up in logs and tracebacks."""
        hidden = ("api_key", "base_url", "base_urls", "user_base_url", "against_base_url")
        shown = ((name, getattr(self, name)) for name in self.__struct_fields__ if name not in hidden)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown)})"


class RunOptions(EndpointOptions, frozen=True, kw_only=True):
    """Everything that a run may be asked for, beside benchmark and model.

    data: a file (or folder) in the benchmark's format, fetched otherwise. corrections: a file of them, or "known" for
    those that come with the benchmark (docs/corrections.md). ids, limit, epochs: see `Setup`. options:
    the benchmark's own, by name; `toolgauge.run` takes them as keyword arguments too. user_model, user_base_url: who
    simulates the user, and where; user_max_tokens, user_timeout: see `SimulatedUser`. dialect: of a model that
    writes its calls as text (docs/dialects.md). offline: never fetch data. batch: ask through the provider's batch API,
    at half the price.
    """

    language: str = "en"
    data: Path | str | None = None
    corrections: Path | str | None = None
    limit: int | None = None
    ids: Sequence[str] = ()
    epochs: int = 1
    options: Mapping[str, Any] | BenchmarkOptions | None = None
    user_model: str | None = None
    user_base_url: str | None = None
    user_max_tokens: int | None = None
    user_timeout: float | None = None
    dialect: str | None = None
    offline: bool = False
    batch: bool = False

    def setup(self) -> Setup:
        """How the benchmark is asked; raises UsageError."""
        return Setup(self.epochs, tuple(self.ids), self.limit, self.options or {})

    def model_options(self) -> ModelOptions:
        return replace(super().model_options(), dialect=self.dialect, batch=self.batch)

    @classmethod
    def of(cls, benchmark: Benchmark, given: Mapping[str, Any]) -> Self:
        """From keyword arguments, the benchmark's own among them. Raises TypeError for one that nobody has."""
        fields = set(cls.__struct_fields__)
        with blamed_on(benchmark):
            known = {one.name for one in declared(options_of(benchmark))} | OwnKeywords.__annotations__.keys()
        function = cls.__name__.removesuffix("Options").lower()
        for name in given.keys() - fields - known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
        own = {name: value for name, value in given.items() if name not in fields}
        options = {name: value for name, value in given.items() if name in fields}
        if own:
            named = options.get("options") or {}
            options["options"] = {**(named if isinstance(named, Mapping) else asdict(named)), **own}
        return cls(**options)


class VerifyOptions(RunOptions, frozen=True, kw_only=True):
    """Everything that `toolgauge.verify` may be asked for, beside its two sides.

    margin: how far the endpoint may fall short, from 0 to 1. against_base_url: where the reference is served. epochs:
    of the reference. out: the folder of both runs. max_cost, max_tokens_total: of both together.
    """

    epochs: int = 2
    margin: float = 0.05
    against_base_url: str | None = None


def check_names(benchmark: Benchmark) -> None:
    """Raise UsageError where a benchmark's own option has the name of one that every run has, or of a field of
    run.json."""
    taken = {*RunOptions.__struct_fields__, *Manifest.__struct_fields__, *Selection.__struct_fields__} - {"categories"}
    if clash := [one.name for one in declared(options_of(benchmark)) if one.name in taken]:
        raise UsageError(f"benchmark {benchmark.name!r}: its option {clash[0]!r} has a name that toolgauge uses itself")


class ReachKeywords(TypedDict, total=False):
    """How models are reached."""

    base_url: str | None
    api_key: str | None
    timeout: float
    max_reply_bytes: int
    max_attempts: int
    patience: float


class LimitKeywords(TypedDict, total=False):
    """How far a run goes, and where."""

    max_cost: float | None
    max_tokens_total: int | None
    engine: ExecutorFactory


class EndpointKeywords(ReachKeywords, LimitKeywords, total=False):
    """`EndpointOptions` as keyword arguments."""

    out: Path | str | None
    concurrency: int
    sampling: Sampling | None
    overwrite: bool


class OwnKeywords(TypedDict, total=False):
    """The own options of the benchmarks that come with toolgauge, as keyword arguments of `toolgauge.run`; those of
    other packages are given in `options` where a type checker looks (a test compares these with the benchmarks)."""

    history: Literal["gold", "own"] | None
    categories: Sequence[str]
    style: Literal["prompt", "native"] | None
    max_turns: int | None


class RunKeywords(EndpointKeywords, OwnKeywords, total=False):
    """`RunOptions` as keyword arguments."""

    language: str
    data: Path | str | None
    corrections: Path | str | None
    limit: int | None
    ids: Sequence[str]
    epochs: int
    options: Mapping[str, Any] | BenchmarkOptions | None
    user_model: str | None
    user_base_url: str | None
    user_max_tokens: int | None
    user_timeout: float | None
    dialect: str | None
    offline: bool
    batch: bool


class VerifyKeywords(RunKeywords, total=False):
    """`VerifyOptions` as keyword arguments."""

    margin: float
    against_base_url: str | None


def takes(options: type[EndpointOptions], own: Any = None) -> Callable[[F], F]:
    """Show the fields of `options` in the signature of a function that takes them as `**options`, for help(); `own`: a
    TypedDict of keywords that it takes as well."""

    def described(function: F) -> F:
        signature = inspect.signature(function)
        named = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        fields = inspect.signature(options).parameters.values()
        keyword = inspect.Parameter.KEYWORD_ONLY
        more = (inspect.Parameter(name, keyword, default=None) for name in getattr(own, "__annotations__", ()))
        vars(function)["__signature__"] = signature.replace(parameters=[*named, *fields, *more])
        return function

    return described
