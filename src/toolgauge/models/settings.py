"""Variables for the providers: those of the shell, and those in a `.env` of the folder that the command runs in.

That folder may come from a stranger. So only the names of the provider table count there, nothing is expanded, and it
is known of every value whether the shell or the file gave it: an address from the file gets no key from elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Literal

from msgspec import Struct

from toolgauge.errors import UsageError, os_cause
from toolgauge.files import open_regular
from toolgauge.models.provider import PROVIDERS

ENV_FILE = ".env"
MOST_BYTES = 32 << 10
"""The largest `.env` that is read; the time that parsing a hostile one takes grows with its square."""
AZURE_VERSION_VARIABLE = "AZURE_OPENAI_API_VERSION"

Source = Literal["option", "shell", "file", "table"]
"""Who gave a value: an option (or argument), the shell, the file `.env`, or the provider table."""


class Setting(Struct, frozen=True):
    """A value and its origin. name: of the option or variable; "" for the provider table."""

    value: str
    name: str
    source: Source

    def __repr__(self) -> str:
        """Without the value, which may be a key."""
        return f"Setting({self.name}, {self.source})"

    @property
    def place(self) -> str:
        """The origin in words, for errors."""
        return f"{self.name} in {ENV_FILE}" if self.source == "file" else self.name


class Settings(Struct, frozen=True):
    """Variables of the shell, which win, and those of `.env`. Empty ones count as absent."""

    shell: Mapping[str, str]
    file: Mapping[str, str] = {}

    def __repr__(self) -> str:
        """Without values, which may be keys."""
        return f"Settings({len(self.shell)} of the shell, {len(self.file)} of {ENV_FILE})"

    def has(self, name: str) -> bool:
        return bool(self.shell.get(name) or self.file.get(name))

    def in_shell(self, names: tuple[str, ...]) -> Setting | None:
        """The first of these variables that the shell has."""
        name = next((name for name in names if self.shell.get(name)), None)
        return Setting(self.shell[name], name, "shell") if name else None

    def in_file(self, names: tuple[str, ...]) -> Setting | None:
        """The first of these variables that `.env` has; raises UsageError where its value asks to be expanded."""
        name = next((name for name in names if self.file.get(name)), None)
        if name is None:
            return None
        if "${" in self.file[name]:
            raise UsageError(f"{ENV_FILE}: {name}: variables are not expanded; write the value itself")
        return Setting(self.file[name], name, "file")

    def find(self, names: tuple[str, ...]) -> Setting | None:
        """The first of these variables that the shell has, else the first that `.env` has; raises as `in_file`."""
        return self.in_shell(names) or self.in_file(names)


def settings() -> Settings:
    """The variables as they are now; raises UsageError for a `.env` that cannot be read."""
    return Settings(dict(os.environ), read_env_file(Path(ENV_FILE)))


def without_hosted_keys(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables for a program that has no use for our keys: without those of providers on the net (an engine of this
    machine reads a key of its own, such as VLLM_API_KEY)."""
    foreign = {name for row in PROVIDERS.values() if row.group != "local" for name in row.key_variables}
    return {name: value for name, value in variables.items() if name not in foreign}


class Travelling(Struct, frozen=True):
    """Variables for the providers, keys included, for workers on other machines and nowhere else.

    usual: hold on a machine that has none of that name. together: an address that `.env` gives and the key beside it;
    they hold whatever the machine has, so that no key of its own goes to that address.
    """

    usual: dict[str, str] = {}
    together: dict[str, str] = {}

    def __repr__(self) -> str:
        """Without values, which may be keys."""
        return f"Travelling({', '.join(sorted({*self.usual, *self.together}))})"

    def arrive(self) -> None:
        """Set them in this process."""
        for name, value in self.usual.items():
            os.environ.setdefault(name, value)
        for name, value in self.together.items():
            if value:
                os.environ[name] = value
            else:
                os.environ.pop(name, None)


def travelling_settings(known: Settings | None = None) -> Travelling:
    """What `settings` has here for the providers; raises UsageError as it does."""
    known = known or settings()
    together: dict[str, str] = {}
    for row in PROVIDERS.values():
        address = known.find(row.url_variables)
        if address is not None and address.source == "file":
            together |= {name: known.file.get(name, "") for name in (*row.key_variables, *row.url_variables)}
    every = {name: known.shell.get(name) or known.file.get(name, "") for name in sorted(known_names())}
    usual = {name: value for name, value in every.items() if value}
    return Travelling({name: value for name, value in usual.items() if name not in together}, together)


def known_names() -> frozenset[str]:
    """The variables that a `.env` may set."""
    return frozenset({AZURE_VERSION_VARIABLE, *(name for row in PROVIDERS.values() for name in row.variables)})


def read_env_file(path: Path) -> dict[str, str]:
    """The known variables of a file in the format of `.env`, with their values as they stand there.

    {} if it is missing or a folder (a virtual environment). Raises UsageError where it is a link or
    no regular file, larger than `MOST_BYTES`, no text, or a known variable stands in a line that cannot be read; no
    error quotes what the file holds.
    """
    text = _text(path)
    if not text:
        return {}
    from dotenv.parser import parse_stream

    names, values = known_names(), {}
    for line in parse_stream(StringIO(text)):
        if line.error:
            if any(name in line.original.string for name in names):
                raise UsageError(f"{path}:{line.original.line}: invalid line; write NAME=value")
        elif line.key in names and line.value:
            values[line.key] = line.value
    return values


def _text(path: Path) -> str:
    try:
        with open_regular(path, follow=False) as file:
            content = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, IsADirectoryError):
        return ""
    except OSError as error:
        raise UsageError(f"cannot read {path}: {os_cause(error)}") from None
    if len(content) > MOST_BYTES:
        raise UsageError(f"cannot read {path}: larger than {MOST_BYTES >> 10} KB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"cannot read {path}: not UTF-8")
    return text
