"""Help and complaints about usage in Chinese: typer's texts are replaced where the interface is Chinese.

The command tree is walked once, before it is used. Typer's own words are constants of `typer.rich_utils`, which is only
imported (it is heavy) where help or a complaint is due: they are exchanged then, and put back at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, cast

import typer
from typer.core import TyperGroup

from toolgauge.cli.chinese import local, read
from toolgauge.cli.words import interface_language
from toolgauge.visible import visible

USAGE_ERROR = cast(type[Exception], typer.BadParameter.__base__)
"""Wrong usage of the command line; typer has no public name for it."""


@cache
def help_words() -> dict[str, Any]:
    """The catalogue: `texts` of commands and options, `metavars`, `frame` (constants of typer) and `usage`."""
    return read("help.json")


class LocalGroup(TyperGroup):
    """The root of the commands, in the interface's language."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        if interface_language() != "zh":
            return super().main(*args, **kwargs)
        translate(self)
        with _own_frame():
            return super().main(*args, **kwargs)

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _complaining():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _complaining():
            return super().invoke(ctx)


class ChineseContext(typer.Context):
    """The context of a command whose help is Chinese."""

    def __init__(self, command: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(command, *args, **kwargs)
        if option := command.get_help_option(self):
            option.help = help_words()["texts"].get(option.help, option.help)

    def make_formatter(self) -> Any:
        """What writes help and usage; typer makes one before it shows either."""
        _exchange_frame()
        formatter: Any = super().make_formatter()
        formatter.write_usage = partial(formatter.write_usage, prefix=help_words()["usage"])
        return formatter


def translate(command: Any) -> None:
    """Replace the help texts of a command, of its parameters and of its subcommands."""
    texts, metavars = help_words()["texts"], help_words()["metavars"]
    command.context_class = ChineseContext
    command.help = texts.get(command.help, command.help)
    command.options_metavar = metavars.get(command.options_metavar, command.options_metavar)
    for parameter in command.params:
        parameter.help = texts.get(parameter.help, parameter.help)
        parameter.metavar = metavars.get(parameter.metavar, parameter.metavar)
    if isinstance(command, TyperGroup):
        command.subcommand_metavar = metavars.get(command.subcommand_metavar, command.subcommand_metavar)
        for inner in command.commands.values():
            translate(inner)


@contextmanager
def _complaining() -> Iterator[None]:
    """Wrong usage is explained in the interface's language; what was typed may be the name of a stranger's file."""
    try:
        yield
    except USAGE_ERROR as error:
        if interface_language() == "zh":
            _exchange_frame()
        said: Any = error
        message = visible(local(said.format_message()), "\n")
        said.format_message = lambda: message
        raise


_before: dict[str, Any] = {}
"""What of typer's is exchanged at present, as it was."""


def _exchange_frame() -> None:
    from typer import rich_utils

    if _before:
        return
    for name, value in (help_words()["frame"] | {"highlighter": _highlighted}).items():
        if hasattr(rich_utils, name):
            _before[name] = getattr(rich_utils, name)
            setattr(rich_utils, name, value)


def _highlighted(text: object) -> Any:
    from toolgauge.cli.chinese.wrapping import ChineseText

    return ChineseText.of(_before["highlighter"](text))


@contextmanager
def _own_frame() -> Iterator[None]:
    try:
        yield
    finally:
        if _before:
            from typer import rich_utils

            for name, value in _before.items():
                setattr(rich_utils, name, value)
            _before.clear()
