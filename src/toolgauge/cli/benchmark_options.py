"""The options that benchmarks have of their own, on the command line of `toolgauge run`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import typer
from msgspec.structs import replace
from typer.core import TyperCommand

from toolgauge.benchmarks.registry import (
    DEFAULT_BENCHMARK,
    OURS,
    SESSIONS_BENCHMARK,
    find_benchmark,
    installed,
    is_session_file,
)
from toolgauge.cli.options import GIVEN_OWN, OWN, declared_by, flag_hint
from toolgauge.errors import UsageError
from toolgauge.options import Option

PANEL = "Benchmark"


class RunCommand(TyperCommand):
    """A verb that runs benchmarks, with the options of the one that is named, else of all of ours. They are put in when
    the verb is used, so that nothing is imported in vain, and of other people's packages nothing that is not named."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._common = list(self.params)
        self._own: dict[str, Option] = {}
        self._offered: tuple[str, ...] = ()

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:
        benchmarks = [name for name in OURS if name in args]
        benchmarks += [SESSIONS_BENCHMARK] if not benchmarks and args and is_session_file(args[0]) else []
        self.offer(benchmarks or OURS)
        if not benchmarks or {"--help", "--help-all"} & set(args) or self._unknown(args):
            self.offer((*OURS, *(name for name in sorted(installed()) if name in args)))
        return super().make_context(info_name, args, *rest, **extra)

    def invoke(self, ctx: Any) -> object:
        values = {flag: ctx.params.pop(flag) for flag in self._own}
        chosen = {self._own[flag].name: _value(self._own[flag], value) for flag, value in values.items()}
        ctx.meta[GIVEN_OWN] = {name: value for name, value in chosen.items() if value is not None}
        # Raise UsageError for an option that the chosen benchmark does not have
        if not ctx.params["model"]:  # a run is verified: what it was asked is settled
            return super().invoke(ctx)
        benchmark = str(ctx.params["benchmark"] or DEFAULT_BENCHMARK)
        benchmark = SESSIONS_BENCHMARK if is_session_file(benchmark) else benchmark
        flags = {one.flag for one in declared_by(find_benchmark(benchmark))}
        for name, value in values.items():
            flag = self._own[name].flag
            if flag not in flags and value not in (None, ""):
                raise UsageError(f"--{flag}: {benchmark} has no such option")
        return super().invoke(ctx)

    def offer(self, benchmarks: Iterable[str]) -> None:
        """Take the options of these benchmarks."""
        self._offered = tuple(benchmarks)
        used = {flag for one in self._common for flag in (*one.opts, *one.secondary_opts)}
        usual = [one for one in _merged(self._offered) if not one.rare and f"--{one.flag}" not in used]
        self._own = {f"own_{one.flag.replace('-', '_')}": one for one in usual}
        self.params = [*self._common, *_parameters(self._own)]

    def rare(self) -> Iterator[tuple[str, Option]]:
        """Those that `--set benchmark.NAME=VALUE` sets."""
        return ((f"{OWN}.{option.name}", option) for option in _merged(self._offered) if option.rare)

    def _unknown(self, args: Sequence[str]) -> bool:
        flags = {flag for parameter in self.params for flag in (*parameter.opts, *parameter.secondary_opts)}
        return any(arg.startswith("--") and arg.partition("=")[0] not in flags for arg in args)


def _merged(benchmarks: Iterable[str]) -> Iterator[Option]:
    """Each flag once, its help headed by the benchmarks that have it; what two understand differently is a text.

    A package that fails while it is asked is left out: it is named where somebody runs it.
    """
    by_flag: dict[str, list[tuple[str, Option]]] = {}
    for name in benchmarks:
        try:
            options = declared_by(find_benchmark(name))
        except Exception:  # noqa: S112 - of a package of somebody else's; the others work
            continue
        for option in options:
            if re.fullmatch(r"[a-z][a-z0-9-]*", option.flag):
                by_flag.setdefault(option.flag, []).append((name, option))
    for holders in by_flag.values():
        first = holders[0][1]
        texts: dict[str, list[str]] = {}
        for name, option in holders:
            texts.setdefault(option.help, []).append(name)
        alike = all(
            (option.kind, option.choices, option.least) == (first.kind, first.choices, first.least)
            for _, option in holders
        )
        text = "; ".join(f"{', '.join(names)}: {text}" for text, names in texts.items())
        yield replace(first, help=text) if alike else replace(first, help=text, kind="word", choices=())


def _parameters(options: dict[str, Option]) -> list[Any]:
    """The options as typer has them, made by typer."""

    def verb(**given: object) -> None: ...

    keyword = inspect.Parameter.KEYWORD_ONLY
    hints = {name: flag_hint(option, None, PANEL) for name, option in options.items()}
    vars(verb)["__signature__"] = inspect.Signature(
        [inspect.Parameter(name, keyword, default=None, annotation=hint) for name, hint in hints.items()]
    )
    verb.__annotations__ = dict(hints)
    app = typer.Typer(add_completion=False)
    app.command()(verb)
    command: Any = typer.main.get_command(app)
    return [option for option in command.params if option.name in options]


def _value(option: Option, value: Any) -> object:
    """What was said on the command line as the field takes it; None where nothing was."""
    if option.kind == "words" and value is not None:
        return option.parsed(value) or None
    return value or None if isinstance(value, str) else value
