"""The errors that people see: one or two lines that say what, where and what to do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

Tell = Callable[[str], None]
"""A function that takes a line for the user; the command line prints it."""


def warn(line: str) -> None:
    """The default `Tell` of the Python API: a warning."""
    warnings.warn(line, stacklevel=2)


class ToolgaugeError(Exception):
    """Base of every error that is explained to the user.

    exit_code: 1 something in the work failed, 2 wrong usage or unusable input.
    """

    exit_code = 1


class UsageError(ToolgaugeError):
    """An option, an environment variable or a combination of them cannot be used."""

    exit_code = 2


class DataError(ToolgaugeError):
    """A data file cannot be used: says file, line (from 1) and JSON path."""

    exit_code = 2

    def __init__(self, message: str, file: Path | str, line: int | None = None, path: str | None = None) -> None:
        self.message, self.file, self.line, self.path = message, str(file), line, path
        place = self.file if line is None else f"{self.file}:{line}"
        super().__init__(f"{place}: {path}: {message}" if path else f"{place}: {message}")


class StoreError(ToolgaugeError):
    """The run directory cannot be read or written."""


class ProviderError(ToolgaugeError):
    """A model could not be asked, after all retries: never the model's mistake.

    permanent: asking again in the same way cannot help (wrong key, unknown model, request refused as invalid).
    """

    def __init__(self, message: str, permanent: bool = False, attempts: int = 1) -> None:
        super().__init__(message)
        self.permanent, self.attempts = permanent, attempts


class ServerError(ToolgaugeError):
    """An MCP server could not be started or asked, or said what it may not."""
