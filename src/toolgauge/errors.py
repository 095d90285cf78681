"""The errors that people see: one or two lines that say what, where and what to do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

Tell = Callable[[str], None]
"""A function that takes a line for the user; the command line prints it."""


def warn(line: str) -> None:
    """The default `Tell` of the Python API: a warning."""
    warnings.warn(str(line), stacklevel=2)


class ToolgaugeError(Exception):
    """Base of every error that is explained to the user; its text says what, where and what to do.

    exit_code: 1 something in the work failed, 2 wrong usage or unusable input.
    """

    exit_code = 1

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


class UsageError(ToolgaugeError):
    """An option, an environment variable or a combination of them cannot be used."""

    exit_code = 2


class MissingExtra(UsageError):
    """A library is missing that comes with one of our extras. what: what was asked for; library: its name, for people;
    extra: as pip calls it."""

    def __init__(self, what: str, library: str, extra: str) -> None:
        super().__init__(f"{what} needs {library}; install it with: pip install 'toolgauge[{extra}]'")


class MissingKey(UsageError):
    """A provider has no key. variable: the one that would give it."""

    def __init__(self, provider: str, variable: str) -> None:
        super().__init__(
            f"{provider}: no key; set {variable} (also in .env of this folder) or use --set endpoint.api_key=KEY"
        )
        self.variable = variable


class DataError(ToolgaugeError):
    """A data file cannot be used: says file, line (from 1) and JSON path."""

    exit_code = 2

    def __init__(self, message: str, file: Path | str, line: int | None = None, path: str | None = None) -> None:
        self.message, self.file, self.line, self.path = str(message), str(file), line, path
        super().__init__(placed(self.message, self.file, line, path))


class StoreError(ToolgaugeError):
    """The run directory cannot be read or written."""


class ProviderError(ToolgaugeError):
    """A model could not be asked, after all retries: never the model's mistake.

    permanent: asking again in the same way cannot help (wrong key, unknown model, request refused as invalid).
    answered: the endpoint did answer, with an error about this request. timed_out: there was no answer in time.
    refused: it works, and will not take this request because of what stands in it (tools, length, values).
    """

    def __init__(
        self,
        message: str,
        permanent: bool = False,
        attempts: int = 1,
        *,
        answered: bool = False,
        timed_out: bool = False,
        refused: bool = False,
    ) -> None:
        super().__init__(message)
        self.permanent, self.attempts = permanent, attempts
        self.answered, self.timed_out, self.refused = answered, timed_out, refused


class Endless(ToolgaugeError):
    """Somebody's code does not end a conversation."""


class ContextOverflow(ProviderError):
    """The conversation is longer than the endpoint's context: nobody's mistake, and asking again cannot help."""


class ServerError(ToolgaugeError):
    """An MCP server could not be started or asked, or said what it may not."""


def placed(message: str, file: str, line: int | None = None, path: str | None = None) -> str:
    """A message behind its place in a file, as every tool writes places: file:line: path: message."""
    where = file if line is None else f"{file}:{line}"
    return f"{where}: {path}: {message}" if path else f"{where}: {message}"


def os_cause(error: OSError) -> str:
    """Why the system refused, without the number and the file."""
    inner = getattr(error, "reason", None)  # of urllib's
    return os_cause(inner) if isinstance(inner, OSError) else error.strerror or str(error)
