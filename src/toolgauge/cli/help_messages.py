"""The texts of help, for pybabel (babel.cfg): they stand in declarations of options and in docstrings."""

from __future__ import annotations

from collections.abc import Iterator

from typer import rich_utils
from typer.main import get_command

from toolgauge.cli.help import FRAME, HELP_OPTION, USAGE, texts_of
from toolgauge.cli.main import app


def extract(*_given: object, **_options: object) -> Iterator[tuple[int, str, str, list[str]]]:
    """Every text once, as pybabel wants it."""
    typers = [getattr(rich_utils, name) for name in FRAME]
    for text in dict.fromkeys((USAGE, HELP_OPTION, *typers, *texts_of(get_command(app)))):
        yield 1, "_", text, []
