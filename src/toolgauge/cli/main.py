"""The command line with all its verbs, for whoever looks at it as a whole: documentation, translations, tests."""

from __future__ import annotations

from toolgauge.cli.verbs import VERBS, main, program

__all__ = ["app", "main"]

app = program(VERBS)
