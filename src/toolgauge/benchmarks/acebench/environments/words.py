"""Sentences in the two languages of the benchmark."""

from __future__ import annotations

from msgspec import Struct


class BilingualText(Struct, frozen=True):
    """A sentence in both languages, its gaps filled by name."""

    en: str
    zh: str

    def say(self, language: str, **gaps: object) -> str:
        return (self.zh if language == "zh" else self.en).format(**gaps)
