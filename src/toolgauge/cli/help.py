"""Help and complaints about usage in the interface's language: typer's texts are replaced where that is not English.

The command tree is walked once, before it is used. Typer's own words are constants of `typer.rich_utils`, which is only
imported (it is heavy) where help or a complaint is due: they are exchanged then, and put back at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import typer
from typer.core import TyperGroup

from toolgauge.cli.language import interface_language, local
from toolgauge.locale import catalogue
from toolgauge.locale.foreign import foreign
from toolgauge.visible import visible

USAGE_ERROR = cast(type[Exception], typer.BadParameter.__base__)
"""Wrong usage of the command line; typer has no public name for it."""


FRAME = (
    "ARGUMENTS_PANEL_TITLE",
    "OPTIONS_PANEL_TITLE",
    "COMMANDS_PANEL_TITLE",
    "ERRORS_PANEL_TITLE",
    "ABORTED_TEXT",
    "DEFAULT_STRING",
    "REQUIRED_LONG_STRING",
    "RICH_HELP",
)
"""typer's own words: constants of `typer.rich_utils`."""
USAGE = "Usage: "
HELP_OPTION = "Show this message and exit."
"""What typer says at places of their own."""


def texts_of(command: Any) -> Iterator[str]:
    """Everything that the help of a command and of those below it shows, as typer has it."""
    yield from filter(None, (command.help, command.options_metavar))
    for parameter in command.params:
        yield from filter(None, (parameter.help, parameter.metavar))
    if isinstance(command, TyperGroup):
        yield command.subcommand_metavar
        for inner in command.commands.values():
            yield from texts_of(inner)


def in_language(text: str | None) -> str | None:
    """A text of help in the interface's language; help is no template."""
    return catalogue(interface_language()).gettext(text) if text else text


class LocalGroup(TyperGroup):
    """The root of the commands, in the interface's language."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        if interface_language() == "en":
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


class LocalContext(typer.Context):
    """The context of a command whose help is translated."""

    def __init__(self, command: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(command, *args, **kwargs)
        if option := command.get_help_option(self):
            option.help = in_language(option.help)

    def make_formatter(self) -> Any:
        """What writes help and usage; typer makes one before it shows either."""
        _exchange_frame()
        formatter: Any = super().make_formatter()
        formatter.write_usage = partial(formatter.write_usage, prefix=in_language(USAGE))
        return formatter


def translate(command: Any) -> None:
    """Replace the help texts of a command, of its parameters and of its subcommands."""
    command.context_class = LocalContext
    command.help = in_language(command.help)
    command.options_metavar = in_language(command.options_metavar)
    for parameter in command.params:
        parameter.help = in_language(parameter.help)
        parameter.metavar = in_language(parameter.metavar)
    if isinstance(command, TyperGroup):
        command.subcommand_metavar = cast(str, in_language(command.subcommand_metavar))
        for inner in command.commands.values():
            translate(inner)


@contextmanager
def _complaining() -> Iterator[None]:
    """Wrong usage is explained in the interface's language; what was typed may be the name of a stranger's file."""
    try:
        yield
    except USAGE_ERROR as error:
        if interface_language() != "en":
            _exchange_frame()
        said: Any = error
        message = visible(local(foreign(said.format_message())), "\n")
        said.format_message = lambda: message
        raise


_before: dict[str, Any] = {}
"""What of typer's is exchanged at present, as it was."""


def _exchange_frame() -> None:
    from typer import rich_utils

    if _before:
        return
    for name in (*FRAME, "highlighter"):
        if hasattr(rich_utils, name):
            _before[name] = getattr(rich_utils, name)
            setattr(rich_utils, name, _highlighted if name == "highlighter" else in_language(_before[name]))


def _highlighted(text: object) -> Any:
    from toolgauge.cli.wrapping import ChineseText

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
