"""What agents are told: prompts, `<name>.<language>.txt` with $names for what is filled in, and short texts by name,
`texts.<language>.json`."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from string import Template

import msgspec

_SLOT = re.compile(r"\{(\w+)\}")


@cache
def prompt(name: str, language: str) -> str:
    """The text of a prompt without its final line break."""
    return files(__name__).joinpath(f"{name}.{language}.txt").read_text(encoding="utf-8").rstrip("\n")


@cache
def texts(language: str) -> dict[str, str]:
    content = files(__name__).joinpath(f"texts.{language}.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, str])


def filled(name: str, language: str, **values: object) -> str:
    """A prompt with every $name filled in; a value is never read as a template again. Raises KeyError for a lack."""
    return Template(prompt(name, language)).substitute({key: str(value) for key, value in values.items()})


def text(name: str, language: str, **values: object) -> str:
    """A short text with its {slots} filled in; a slot without a value stays as it is."""
    return _SLOT.sub(lambda slot: str(values.get(slot[1], slot[0])), texts(language)[name])
