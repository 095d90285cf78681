"""The errors that people see: one or two lines that say what, where and what to do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from toolgauge.locale import Text, Value, _, named_field, plain

Tell = Callable[[Text], None]
"""A function that takes a line for the user; the command line prints it."""


def warn(line: Text) -> None:
    """The default `Tell` of the Python API: a warning."""
    warnings.warn(str(line), stacklevel=2)


class ToolgaugeError(Exception):
    """Base of every error that is explained to the user.

    text: what it says; str(error) is its English. A str, as other people's code may give it, is said as it is.
    exit_code: 1 something in the work failed, 2 wrong usage or unusable input.
    """

    exit_code = 1

    def __init__(self, text: Text | str) -> None:
        self.text = plain(text)
        super().__init__(self.text)

    @property
    def fields(self) -> tuple[str, ...]:
        """The parameters that it speaks of, by their names in Python; the command line shows its options for them."""
        return self.text.fields()


class UsageError(ToolgaugeError):
    """An option, an environment variable or a combination of them cannot be used."""

    exit_code = 2


class MissingExtra(UsageError):
    """A library is missing that comes with one of our extras. what: what was asked for; library: its name, for people;
    extra: as pip calls it."""

    def __init__(self, what: Text, library: str, extra: str) -> None:
        super().__init__(
            _(
                "{what} needs {library}; install it with: pip install 'toolgauge[{extra}]'",
                what=what,
                library=library,
                extra=extra,
            )
        )


class MissingKey(UsageError):
    """A provider has no key. variable: the one that would give it."""

    def __init__(self, provider: str, variable: str) -> None:
        super().__init__(
            _(
                "{provider}: no key; set {key_variables} (also in .env of this folder) or give {api_key}",
                provider=provider,
                key_variables=variable,
                api_key=named_field("api_key"),
            )
        )
        self.variable = variable


class DataError(ToolgaugeError):
    """A data file cannot be used: says file, line (from 1) and JSON path."""

    exit_code = 2

    def __init__(self, message: Text, file: Path | str, line: int | None = None, path: str | None = None) -> None:
        self.message, self.file, self.line, self.path = plain(message), str(file), line, path
        super().__init__(placed(self.message, self.file, line, path))


class StoreError(ToolgaugeError):
    """The run directory cannot be read or written."""


class ProviderError(ToolgaugeError):
    """A model could not be asked, after all retries: never the model's mistake.

    permanent: asking again in the same way cannot help (wrong key, unknown model, request refused as invalid).
    answered: the endpoint did answer, with an error about this request. timed_out: there was no answer in time.
    """

    def __init__(
        self,
        message: Text | str,
        permanent: bool = False,
        attempts: int = 1,
        *,
        answered: bool = False,
        timed_out: bool = False,
    ) -> None:
        super().__init__(message)
        self.permanent, self.attempts = permanent, attempts
        self.answered, self.timed_out = answered, timed_out


class ContextOverflow(ProviderError):
    """The conversation is longer than the endpoint's context: nobody's mistake, and asking again cannot help."""


class ServerError(ToolgaugeError):
    """An MCP server could not be started or asked, or said what it may not."""


def placed(message: Text, file: str, line: int | None = None, path: str | None = None) -> Text:
    """A message behind its place in a file, as every tool writes places: file:line: path: message."""
    values: dict[str, Value] = {"file": file, "line": line or 0, "path": path or "", "message": message}
    where = "{file}" if line is None else "{file}:{line}"
    return Text(f"{where}: {{path}}: {{message}}" if path else f"{where}: {{message}}", values)
