"""The options of a verb, out of the groups that the library declares (toolgauge/options.py).

    @with_groups
    def run(ctx: typer.Context, benchmark: ..., *, options: RunOptions) -> None:

A parameter annotated with a group, or with several groups together (`RunOptions`), stands for the flags of their
fields, a panel of the help for each group; the verb is called with the Struct made of them. What is rare has no flag:
`--set group.name=value`, listed by `--help-all`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import msgspec
import typer
from msgspec import Struct

from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError
from toolgauge.options import Option, declared, guess, shown, updated

if TYPE_CHECKING:
    from toolgauge.benchmarks.benchmark import Benchmark

OWN = "benchmark"
"""The group of a benchmark's own options in `--set`."""
GIVEN_OWN = "toolgauge.own_options"
"""Where a context keeps the benchmark's own options that have flags: names of fields -> values, if they were given."""
GIVEN = "toolgauge.given"
"""Where a context keeps the names of the options that were given."""
ModelName = typer.Option("-m", "--model", metavar="MODEL", help="provider/model: openai/gpt-5, builtin/noisy.")
AgentName = typer.Option(
    "--agent",
    metavar="AGENT",
    help="An agent instead of a model: http://..., a2a:http://..., python:module:function or command:'...' "
    "(docs/agents.md).",
)


def measured(model: str | None, agent: str | None) -> str:
    """Who is measured, by the name that the library knows. Raises UsageError for both or neither."""
    from toolgauge.models.model import AGENT

    if (model is None) == (agent is None):
        raise UsageError("name a model with --model, or an agent with --agent")
    return model or f"{AGENT}/{agent}"


def with_groups(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb as typer is to see it."""
    hints = get_type_hints(verb, include_extras=True)
    names = inspect.signature(verb).parameters
    defaults: dict[str, Struct] = {}
    groups: dict[str, Struct] = {}
    flags: dict[str, tuple[str, Option]] = {}
    parameters: list[inspect.Parameter] = []
    keyword = inspect.Parameter.KEYWORD_ONLY
    for name, parameter in names.items():
        hint = hints[name]
        if not (isinstance(hint, type) and issubclass(hint, Struct)):
            parameters.append(parameter.replace(annotation=hint, kind=keyword))
            continue
        defaults[name] = hint() if parameter.default is inspect.Parameter.empty else parameter.default
        for group in _groups_of(defaults[name]):
            kind: type[Struct] = type(group)
            groups[group.GROUP] = group
            for option in declared(kind):
                if not option.rare and option.name not in flags and option.name not in names:
                    flags[option.name] = (group.GROUP, option)
                    parameters.append(_flag(option, getattr(group, option.name), group.PANEL))
    members = {field for value in defaults.values() for field in value.__struct_fields__}
    if "roles" in members:
        parameters.append(inspect.Parameter("role", keyword, default=None, annotation=_ROLE))
    parameters += [
        inspect.Parameter("set_", keyword, default=None, annotation=_SET),
        inspect.Parameter("help_all", keyword, default=False, annotation=_help_all(groups, flags)),
    ]

    @wraps(verb)
    def called(**values: Any) -> None:
        del values["help_all"]
        settings = _Settings(groups, "roles" in members, "own" in members, values.pop("set_") or ())
        chosen: dict[str, dict[str, object]] = {name: {} for name in groups}
        for flag, (group, option) in flags.items():
            value = values.pop(flag)
            if value is not None:
                chosen[group][flag] = option.parsed(value) if isinstance(value, str) else value
        built: dict[str, object] = {
            name: updated(base, chosen[name] | settings.of_groups[name]) for name, base in groups.items()
        }
        if "roles" in members:
            from toolgauge.runs.roles import parsed_roles

            built["roles"] = parsed_roles(values.pop("role") or (), settings.of_roles)
        if "own" in members:
            built["own"] = _own_options(values["ctx"], str(values["benchmark"] or ""), settings.own)
        if "ctx" in values:
            values["ctx"].meta[GIVEN] = settings.names | _sources(values["ctx"])
        for name, value in defaults.items():
            group = getattr(value, "GROUP", "")
            parts = {field: built[field] for field in value.__struct_fields__ if field in built}
            values[name] = built[group] if group else msgspec.structs.replace(value, **parts)
        verb(**values)

    del vars(called)["__wrapped__"]  # else its annotations are read instead of these
    vars(called)["__signature__"] = inspect.Signature(parameters)
    called.__annotations__ = {option.name: option.annotation for option in parameters}
    return called


def _groups_of(value: Any) -> list[Any]:
    """The groups of a Struct: itself, or those that it holds."""
    if hasattr(value, "GROUP"):
        return [value]
    return [getattr(value, name) for name in value.groups()]


def declared_by(benchmark: Benchmark) -> tuple[Option, ...]:
    """A benchmark's own options."""
    from toolgauge.benchmarks.benchmark import options_of
    from toolgauge.benchmarks.registry import blamed_on

    with blamed_on(benchmark):
        return declared(options_of(benchmark))


def _own_options(ctx: Any, benchmark: str, texts: Mapping[str, str]) -> dict[str, object]:
    """The benchmark's own options as they were given, by the names of their fields. texts: what `--set` says. Raises
    UsageError for one that the benchmark does not have."""
    chosen: dict[str, object] = dict(ctx.meta.get(GIVEN_OWN, {}))
    if texts:
        from toolgauge.benchmarks.registry import DEFAULT_BENCHMARK, find_benchmark

        benchmark = benchmark or DEFAULT_BENCHMARK
        by_name = {option.name: option for option in declared_by(find_benchmark(benchmark))}
        for name, text in texts.items():
            if name not in by_name:
                raise UsageError(f"--set {OWN}.{name}: {benchmark} has no such option{guess(name, by_name)}")
            chosen[name] = by_name[name].parsed(text)
    return chosen


def flag_hint(declared_option: Option, default: object, panel: str | None = None) -> object:
    """The annotation with which typer makes a flag of an option."""
    types: dict[str, Any] = {"integer": int, "number": float, "switch": bool, "path": Path}
    kind: Any = (
        Literal[declared_option.choices] if declared_option.kind == "choice" else types.get(declared_option.kind, str)
    )
    name = (
        f"--{declared_option.flag}"
        if declared_option.kind != "switch" or default is False
        else f"--{declared_option.flag}/--no-{declared_option.flag}"
    )
    limits = (
        {"min": declared_option.least, "max": declared_option.most}
        if declared_option.kind in ("integer", "number")
        else {}
    )
    more = {"metavar": declared_option.metavar} if declared_option.metavar else {}
    option = typer.Option(name, help=declared_option.help, rich_help_panel=panel, **limits, **more)  # type: ignore[arg-type]
    return Annotated[kind if default not in (None, ()) else kind | None, option]


def _flag(declared_option: Option, default: object, panel: str) -> inspect.Parameter:
    default = None if default == () else default
    hint = flag_hint(declared_option, default, panel)
    return inspect.Parameter(declared_option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _sources(ctx: Any) -> set[str]:
    """The names of the parameters that stand on the command line."""
    return {
        str(parameter)
        for parameter in ctx.params
        if getattr(ctx.get_parameter_source(parameter), "name", "") == "COMMANDLINE"
    }


class _Settings:
    """What `--set GROUP.NAME=VALUE` says, by group, by role, and of the benchmark's own options (as texts)."""

    def __init__(self, groups: Mapping[str, Struct], has_roles: bool, has_own: bool, texts: Iterable[str]) -> None:
        self.of_groups: dict[str, dict[str, object]] = {name: {} for name in groups}
        self.of_roles: dict[str, dict[str, object]] = {}
        self.own: dict[str, str] = {}
        by_place = {
            f"{name}.{option.name}": option for name, group in groups.items() for option in declared(type(group))
        }
        for text in texts:
            place, sign, value = text.partition("=")
            place = place.strip().replace("-", "_")
            group, dot, name = place.partition(".")
            if not (sign and dot):
                raise UsageError(f"--set {text!r} must be GROUP.NAME=VALUE, for example endpoint.timeout=60")
            if place in by_place:
                self.of_groups[group][name] = by_place[place].parsed(value)
            elif group == OWN and has_own:
                self.own[name] = value
            elif has_roles and group not in groups and (option := _of_role(name)):
                self.of_roles.setdefault(group, {})[name] = option.parsed(value)
            else:
                raise UsageError(f"--set: unknown option {place!r}{guess(place, by_place)} (--help-all lists all)")
        self.names = {name for group in self.of_groups.values() for name in group}


def _of_role(name: str) -> Option | None:
    from toolgauge.runs.roles import SETTINGS

    return SETTINGS.get(name)


def _help_all(groups: Mapping[str, Struct], flags: Mapping[str, object]) -> object:
    def show(ctx: typer.Context, wanted: bool) -> None:
        if not wanted:
            return
        if text := ctx.get_help():
            echo(text)
        echo("Rare options, for --set GROUP.NAME=VALUE (may be repeated):")
        rare: Callable[[], Iterator[tuple[str, Option]]] = getattr(ctx.command, "rare", lambda: iter(()))
        rows = [(f"{name}.{option.name}", option) for name, group in groups.items() for option in declared(type(group))]
        for place, option in (*((place, option) for place, option in rows if option.name not in flags), *rare()):
            default = f" [default: {shown(option.default)}]" if shown(option.default) else ""
            echo(f"  {place:<30}  {option.help}{default}")
        raise typer.Exit

    option = typer.Option("--help-all", is_eager=True, callback=show, hidden=True, help="Rare options too.")
    return Annotated[bool, option]


_ROLE = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        metavar="ROLE=MODEL[@URL]",
        help="Who plays a role: user=openai/gpt-5. Repeated for one role: one is drawn for each conversation. "
        "--set user.temperature=0 sets how.",
        rich_help_panel="Endpoint",
    ),
]
_SET = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="GROUP.NAME=VALUE", help="A rare option; --help-all lists them."),
]
