"""The language of the person at the terminal, and what is said in it."""

from __future__ import annotations

import os

from toolgauge.locale import Text, languages, translated


def interface_language() -> str:
    """Of TOOLGAUGE_LANG, or else of the terminal's locale, if there is a catalogue for it; "en" otherwise."""
    for variable in ("TOOLGAUGE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return next((one for one in languages() if value.lower().startswith(one)), "en")
    return "en"


def local(said: Text) -> str:
    """A message in the interface's language."""
    return translated(said, interface_language(), option)


def option(field: str) -> str:
    """The option that sets a field which a message of the library names."""
    return f"--{field.replace('_', '-')}"
