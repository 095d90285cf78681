"""What is said in a terminal, in English; and the language that pages have for the person at it."""

from __future__ import annotations

import os

from toolgauge.locale import Text, languages, translated


def interface_language() -> str:
    """Of pages: that of TOOLGAUGE_LANG, or else of the terminal's locale, if there is a catalogue; "en" otherwise."""
    for variable in ("TOOLGAUGE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return next((one for one in languages() if value.lower().startswith(one)), "en")
    return "en"


def local(said: Text) -> str:
    """A message as the command line says it: in English, and fields as options."""
    return translated(said, "en", option)


def option(field: str) -> str:
    """The option that sets a field which a message of the library names."""
    return f"--{field.replace('_', '-')}"
