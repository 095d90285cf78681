"""The options that benchmarks have of their own, on the command line of `toolgauge run`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

import typer
from msgspec.structs import replace
from typer.core import TyperCommand

from toolgauge.benchmarks.benchmark import Benchmark, options_of
from toolgauge.benchmarks.options import Option, declared
from toolgauge.benchmarks.registry import DEFAULT_BENCHMARK, OURS, blamed_on, find_benchmark, installed
from toolgauge.errors import UsageError

OWN = "toolgauge.own_options"
"""Where a context keeps what was given: names of fields -> values, without what was not."""
_AFTER = "concurrency"
"""The option behind which they stand."""


class RunCommand(TyperCommand):
    """A verb that runs benchmarks, with the options of the one that is named; of all of ours where none of them is, and
    of all where help is asked for or an option is not known. They are put in when the verb is used, so that nothing is
    imported in vain."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._common = list(self.params)
        self._own: dict[str, Option] = {}

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:
        named = [name for name in OURS if name in args]
        self.offer(named or OURS)
        every = "--help" in args or self._unknown(args)
        if every or not named:
            self.offer((*OURS, *(name for name in sorted(installed()) if every or name in args)))
        return super().make_context(info_name, args, *rest, **extra)

    def invoke(self, ctx: Any) -> object:
        given = {flag: ctx.params.pop(flag) for flag in self._own}
        chosen = {self._own[flag].name: _value(self._own[flag], said) for flag, said in given.items()}
        ctx.meta[OWN] = {name: value for name, value in chosen.items() if value is not None}
        # Raise UsageError for an option that the chosen benchmark does not have
        if not ctx.params["model"]:  # a run is verified: what it was asked is settled
            return super().invoke(ctx)
        benchmark = str(ctx.params["benchmark"] or DEFAULT_BENCHMARK)
        own = {one.flag for one in _declared_by(find_benchmark(benchmark))}
        for name, said in given.items():
            flag = self._own[name].flag
            if flag not in own and said not in (None, ""):
                raise UsageError(f"--{flag}: {benchmark} has no such option")
        return super().invoke(ctx)

    def offer(self, benchmarks: Iterable[str]) -> None:
        """Take the options of these benchmarks."""
        taken = {flag for one in self._common for flag in (*one.opts, *one.secondary_opts)}
        self._own = {
            f"own_{one.flag.replace('-', '_')}": one for one in _merged(benchmarks) if f"--{one.flag}" not in taken
        }
        place = 1 + next((number for number, one in enumerate(self._common) if one.name == _AFTER), len(self._common))
        self.params = [*self._common[:place], *_parameters(self._own), *self._common[place:]]

    def _unknown(self, args: Sequence[str]) -> bool:
        flags = {flag for one in self.params for flag in (*one.opts, *one.secondary_opts)}
        return any(arg.startswith("--") and arg.partition("=")[0] not in flags for arg in args)


def own_options_given(ctx: typer.Context) -> dict[str, object]:
    """The benchmark's own options as they were given on the command line, by the names of their fields."""
    given: dict[str, object] = ctx.meta.get(OWN, {})
    return given


def _declared_by(benchmark: Benchmark) -> tuple[Option, ...]:
    with blamed_on(benchmark):
        return declared(options_of(benchmark))


def _merged(benchmarks: Iterable[str]) -> Iterator[Option]:
    """Each flag once, its help headed by the benchmarks that have it; what two understand differently is a text.

    A package that fails while it is asked is left out: it is named where somebody runs it.
    """
    found: dict[str, list[tuple[str, Option]]] = {}
    for name in benchmarks:
        try:
            options = _declared_by(find_benchmark(name))
        except Exception:  # noqa: S112 - of a package of somebody else's; the others work
            continue
        for one in options:
            if re.fullmatch(r"[a-z][a-z0-9-]*", one.flag):
                found.setdefault(one.flag, []).append((name, one))
    for holders in found.values():
        yield _one_of(holders)


def _one_of(holders: list[tuple[str, Option]]) -> Option:
    first = holders[0][1]
    texts: dict[tuple[str, str], list[str]] = {}
    for name, one in holders:
        texts.setdefault((one.help, one.chinese), []).append(name)
    english = "; ".join(f"{', '.join(names)}: {text}" for (text, _), names in texts.items())
    chinese = "；".join(f"{'、'.join(names)}：{text}" for (_, text), names in texts.items())
    alike = all((one.kind, one.choices, one.least) == (first.kind, first.choices, first.least) for _, one in holders)
    kind = first.kind if alike else "word"
    return replace(first, help=english, chinese=chinese, kind=kind, choices=first.choices if alike else ())


def _parameters(options: dict[str, Option]) -> list[Any]:
    """The options as typer has them, made by typer."""

    def verb(**given: object) -> None: ...

    keyword = inspect.Parameter.KEYWORD_ONLY
    made = [inspect.Parameter(name, keyword, default=None, annotation=_hint(one)) for name, one in options.items()]
    vars(verb)["__signature__"] = inspect.Signature(made)
    verb.__annotations__ = {one.name: one.annotation for one in made}
    app = typer.Typer(add_completion=False)
    app.command()(verb)
    command: Any = typer.main.get_command(app)
    return [one for one in command.params if one.name in options]


def _hint(one: Option) -> object:
    types: dict[str, object] = {"number": int | None, "switch": bool | None}
    kind = Literal[one.choices] | None if one.kind == "choice" else types.get(one.kind, str | None)
    help_ = one.help
    flag = f"--{one.flag}"
    if one.kind == "number":
        return Annotated[kind, typer.Option(flag, help=help_, min=one.least, metavar="N")]
    if one.kind == "switch":
        return Annotated[kind, typer.Option(f"{flag}/--no-{one.flag}", help=help_)]
    return Annotated[kind, typer.Option(flag, help=help_)]


def _value(one: Option, said: Any) -> object:
    """What was said on the command line as the field takes it; None where nothing was."""
    if one.kind == "words" and said is not None:
        return tuple(part.strip() for part in said.split(",") if part.strip()) or None
    return said or None if isinstance(said, str) else said
