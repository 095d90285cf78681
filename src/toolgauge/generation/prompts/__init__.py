"""What agents are told, one file per agent and language: `<name>.<language>.txt`, with $names for what is filled in."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

import msgspec


@cache
def prompt(name: str, language: str) -> str:
    """The text of a prompt without its final line break."""
    return files(__name__).joinpath(f"{name}.{language}.txt").read_text(encoding="utf-8").rstrip("\n")


@cache
def texts(name: str, language: str) -> dict[str, str]:
    """A file of short texts by name, `<name>.<language>.json`."""
    content = files(__name__).joinpath(f"{name}.{language}.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, str])


def filled(name: str, language: str, **values: object) -> str:
    """A prompt with every $name filled in; a value is never read as a template again. Raises KeyError for a lack."""
    return Template(prompt(name, language)).substitute({key: str(value) for key, value in values.items()})
