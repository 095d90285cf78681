"""What a run is asked for, declared once in groups: the Python API, the command line and its help derive from them.

    RunOptions.of(benchmark, limit=2, temperature=0, roles={"user": "openai/gpt-5"}, history="own")

Names of fields are flat in Python and on the command line: `limit` is `selection.limit`. A whole group is given by its
own name: `sampling=Sampling(temperature=0)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from msgspec import Struct
from msgspec.structs import fields

from toolgauge.benchmarks.benchmark import MAX_EPOCHS, Benchmark, Setup, options_of
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.benchmarks.manifest import Selection as SelectionRecord
from toolgauge.benchmarks.registry import blamed_on
from toolgauge.errors import UsageError
from toolgauge.models.model import EndpointOptions, ModelOptions, Sampling
from toolgauge.options import declared, guess, option, updated
from toolgauge.runs.executors.executor import ExecutorFactory, LimitKeywords
from toolgauge.runs.roles import Role, as_roles

F = TypeVar("F", bound=Callable[..., object])


class Selection(Struct, frozen=True, kw_only=True):
    """Which data, and which part of them."""

    GROUP: ClassVar[str] = "selection"
    PANEL: ClassVar[str] = "Tasks"

    language: Annotated[str, option("Language of the data: en or zh.")] = "en"
    data: Annotated[
        Path | str | None,
        option("Data of your own in the benchmark's format: a file or a folder (default: fetched once)."),
    ] = None
    corrections: Annotated[
        Path | str | None,
        option("Corrections of the data: a file, or known for those of the benchmark.", metavar="FILE"),
    ] = None
    limit: Annotated[
        int | None, option("Only the first N sessions (of each category, if there are any).", metavar="N", ge=1)
    ] = None
    ids: Annotated[tuple[str, ...], option("Only these sessions or tasks, by commas: mini_3, mini_5/2.")] = ()
    epochs: Annotated[int, option("How many times each task is asked.", metavar="N", ge=1, le=MAX_EPOCHS)] = 1
    offline: Annotated[bool, option("Never fetch data.", rare=True)] = False


class Limits(Struct, frozen=True, kw_only=True):
    """How far a run goes, how fast, and where it runs."""

    GROUP: ClassVar[str] = "limits"
    PANEL: ClassVar[str] = "Limits"

    concurrency: Annotated[int, option("Conversations at once.", metavar="N", ge=1)] = 32
    max_cost: Annotated[float | None, option("Stop when so many US dollars are spent.", metavar="USD", ge=0)] = None
    max_tokens_total: Annotated[int | None, option("Stop when so many tokens are used.", ge=1, rare=True)] = None
    engine: Annotated[
        Literal["local", "ray", "batch"],
        option("What asks: this process, a Ray cluster, or the provider's batch API (half the price, hours to wait)."),
    ] = "local"
    address: Annotated[
        str | None, option("ray: host:port of the cluster (default: RAY_ADDRESS, else one of this machine).", rare=True)
    ] = None
    workers: Annotated[int | None, option("ray: maximum worker processes (default: one per CPU).", ge=1, rare=True)] = (
        None
    )
    probe: Annotated[bool, option("Ask a test question before a run of the command line.", rare=True)] = True

    def __post_init__(self) -> None:
        """Raise UsageError for options of Ray without it."""
        for name in ("address", "workers"):
            if getattr(self, name) is not None and self.engine != "ray":
                raise UsageError(f"limits.{name} goes with --engine ray")

    @property
    def executor(self) -> ExecutorFactory:
        """What runs the samples. Raises UsageError where Ray is not installed."""
        if self.engine == "ray":
            from toolgauge.runs.executors.ray import on_ray

            return on_ray(self.address, self.workers)
        from toolgauge.runs.executors.local import local_executor

        return local_executor

    @property
    def keywords(self) -> LimitKeywords:
        """As keyword arguments of `execute`."""
        return {"max_cost": self.max_cost, "max_tokens_total": self.max_tokens_total, "engine": self.executor}


class Output(Struct, frozen=True, kw_only=True):
    """Where files are written."""

    GROUP: ClassVar[str] = "output"
    PANEL: ClassVar[str] = "Output"

    out: Annotated[
        Path | str | None, option("Folder of the results (default: below runs/ or generated/).", metavar="DIR")
    ] = None
    overwrite: Annotated[bool, option("Replace files that exist, also in a folder that holds other files.")] = False


class ModelGroups(Struct, frozen=True, kw_only=True):
    """What everything that asks a model is asked for alike."""

    endpoint: EndpointOptions = EndpointOptions()
    sampling: Sampling = Sampling()
    limits: Limits = Limits()

    def model_options(self) -> ModelOptions:
        """How the measured model, or the one that plays every agent, is reached."""
        return ModelOptions.of(
            self.endpoint,
            concurrency=self.limits.concurrency,
            batch=self.limits.engine == "batch",
            sampling=self.sampling,
        )

    @classmethod
    def groups(cls) -> dict[str, type[Struct]]:
        """The groups by name, those of the class itself first."""
        own_first = sorted(fields(cls), key=lambda field: field.name in OptionGroups.__struct_fields__)
        return {field.name: type(field.default) for field in own_first if isinstance(field.default, Struct)}

    @classmethod
    def flat(cls) -> dict[str, object]:
        """Every option by its flat name, with its default."""
        return {option.name: option.default for group in cls.groups().values() for option in declared(group)}

    @classmethod
    def sorted_out(cls, given: Mapping[str, Any], function: str) -> Self:
        """From flat names and names of groups. Raises TypeError for a name that nobody has, UsageError for a value."""
        groups = cls.groups()
        group_of = {option.name: name for name, group in reversed(groups.items()) for option in declared(group)}
        values: dict[str, dict[str, object]] = {}
        whole: dict[str, Any] = {}
        for name, value in given.items():
            if name in groups and not isinstance(value, groups[name]):
                raise TypeError(f"{function}(): {name} must be {groups[name].__name__}, not {type(value).__name__}")
            if name in cls.__struct_fields__:
                whole[name] = as_roles(value) if name == "roles" else value
            elif name in group_of:
                values.setdefault(group_of[name], {})[name] = value
            else:
                raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{guess(name, group_of)}")
        for name, chosen in values.items():
            whole[name] = updated(whole.get(name, groups[name]()), chosen)
        return cls(**whole)


class OptionGroups(ModelGroups, frozen=True, kw_only=True):
    """What runs and generations are asked for alike. roles: who else speaks (runs/roles.py)."""

    output: Output = Output()
    roles: Mapping[str, Role] = {}


class RunOptions(OptionGroups, frozen=True, kw_only=True):
    """Everything that a run may be asked for, beside benchmark and model. own: the benchmark's own options."""

    selection: Selection = Selection()
    own: Mapping[str, Any] = {}

    def setup(self) -> Setup:
        """How the benchmark is asked."""
        selection = self.selection
        return Setup(selection.epochs, tuple(selection.ids), selection.limit, self.own)

    @classmethod
    def of(cls, benchmark: Benchmark, given: Mapping[str, Any], function: str = "run") -> Self:
        """From keyword arguments, the benchmark's own among them. Raises TypeError for one that nobody has."""
        with blamed_on(benchmark):
            names = {option.name for option in declared(options_of(benchmark))} | OWN_OF_OURS
        of_benchmark = {name: value for name, value in given.items() if name in names}
        rest = {name: value for name, value in given.items() if name not in names}
        if of_benchmark:
            rest["own"] = {**rest.get("own", {}), **of_benchmark}
        return cls.sorted_out(rest, function)


OWN_OF_OURS = frozenset({"history", "categories", "style", "max_turns"})
"""Own options of the benchmarks that come with toolgauge: to give one to another benchmark is wrong usage."""


def check_names(benchmark: Benchmark) -> None:
    """Raise UsageError where a benchmark's own option has the name of one that every run has, or of a field of
    run.json."""
    fixed = {*Manifest.__struct_fields__, *SelectionRecord.__struct_fields__}
    taken = {*RunOptions.flat(), *RunOptions.__struct_fields__, *fixed} - {"categories"}
    if clash := [option.name for option in declared(options_of(benchmark)) if option.name in taken]:
        raise UsageError(f"benchmark {benchmark.name!r}: its option {clash[0]!r} has a name that toolgauge uses itself")


def takes(options: type[ModelGroups], *own: str) -> Callable[[F], F]:
    """Show the options in the signature of a function that takes them as `**options`, for help(); own: more names."""

    def described(function: F) -> F:
        signature = inspect.signature(function)
        parameters = [
            parameter
            for parameter in signature.parameters.values()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        keyword = inspect.Parameter.KEYWORD_ONLY
        there = {parameter.name for parameter in parameters}
        roles: dict[str, object] = {"roles": {}} if "roles" in options.__struct_fields__ else {}
        flat = {**options.flat(), **roles, **dict.fromkeys(own)}
        more = [
            inspect.Parameter(name, keyword, default=parameter) for name, parameter in flat.items() if name not in there
        ]
        vars(function)["__signature__"] = signature.replace(parameters=[*parameters, *more])
        return function

    return described
