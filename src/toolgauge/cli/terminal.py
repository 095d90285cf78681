"""The one place through which everything is printed: lines, tables, progress, errors, files to standard output.

    echo("Files: runs/mini")            one line, whatever is in it
    console().print(table)              rich's tables, without its markup
    guard()                             what others print: logs, warnings, tracebacks

Nothing that a model, an endpoint or a file says is obeyed by a terminal: see toolgauge.visible. That holds for pipes,
too, for what is in a log is looked at later; only the content of files (`content`) goes through a pipe as it is.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from toolgauge.visible import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn


LAYOUT = "\n\t"
"""What stays of texts that have lines of their own: tracebacks, logs, content of files."""


def echo(line: object = "", err: bool = False) -> None:
    """Print one line, to standard output or to standard error; a line break in it is shown as an escape."""
    stream = sys.stderr if err else sys.stdout
    stream.write(visible(str(line)) + "\n")
    stream.flush()


def console(err: bool = False) -> Console:
    """What prints rich's tables and texts. Strings are one line, and no markup; `Text` may have line breaks."""
    from toolgauge.cli.rich_terminal import SafeConsole

    return SafeConsole(file=_own(sys.stderr if err else sys.stdout))


def progress(*columns: ProgressColumn, on: Console) -> Progress:
    """rich's progress bars over these columns."""
    from rich.progress import Progress

    return Progress(*columns, console=on)


def text_column(template: str) -> ProgressColumn:
    """A column of texts, such as "{task.description}": one line, no markup."""
    from toolgauge.cli.rich_terminal import PlainColumn

    return PlainColumn(template)


def live_column(text: Callable[[], str]) -> ProgressColumn:
    """A column whose text is asked for whenever the bar is drawn: one line, no markup."""
    from toolgauge.cli.rich_terminal import LiveColumn

    return LiveColumn(text)


@contextmanager
def content() -> Iterator[BinaryIO]:
    """Standard output for the content of a file, in UTF-8: as it is in a pipe or a file, harmless in a terminal."""
    sys.stdout.flush()
    stream = _own(sys.stdout)
    if stream.isatty():
        file = _Shown(stream)
        yield cast(BinaryIO, file)
        file.finish()
    else:
        yield stream.buffer
    stream.flush()


def guard() -> None:
    """From now on, whatever others write to sys.stdout and sys.stderr is made harmless, too.

    What their encoding lacks is shown by its number instead of being an error.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = (cast(TextIO, _Guarded(_own(stream))) for stream in (sys.stdout, sys.stderr))


def close_errors() -> None:
    """Nobody reads what we say."""
    sys.stderr.close()


class _Guarded:
    """A stream that makes harmless what is written to it. rich, typer's included, writes past it: it prints no text of
    others but through `SafeConsole`, and colours with escape sequences."""

    def __init__(self, stream: IO[str]) -> None:
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        self.rich_proxied_file.write(visible(text, LAYOUT))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        return getattr(self.rich_proxied_file, name)


class _Shown:
    """Bytes of UTF-8 for a terminal."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, data: bytes) -> int:
        self._stream.write(visible(self._decoder.decode(data), LAYOUT))
        return len(data)

    def finish(self) -> None:
        self._stream.write(visible(self._decoder.decode(b"", final=True), LAYOUT))


def _own(stream: TextIO) -> TextIO:
    """The stream behind the guards: ours, and rich's while a bar is shown."""
    while behind := getattr(stream, "rich_proxied_file", None):
        stream = behind
    return stream


def interface_language() -> str:
    """Of pages: that of TOOLGAUGE_LANG, or else of the terminal's locale, if there is a catalogue; "en" otherwise."""
    from toolgauge.locale import languages

    for variable in ("TOOLGAUGE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return next((language for language in languages() if value.lower().startswith(language)), "en")
    return "en"
