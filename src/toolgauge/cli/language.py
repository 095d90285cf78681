"""The language that pages have for the person at a terminal, which itself speaks English."""

from __future__ import annotations

import os

from toolgauge.locale import languages


def interface_language() -> str:
    """Of pages: that of TOOLGAUGE_LANG, or else of the terminal's locale, if there is a catalogue; "en" otherwise."""
    for variable in ("TOOLGAUGE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return next((one for one in languages() if value.lower().startswith(one)), "en")
    return "en"
