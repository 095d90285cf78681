"""Telephone numbers and mail addresses in other notations than somebody gave them in."""

from __future__ import annotations

import re

from toolgauge.annotation.grounding.context import LONGEST, Context, ValueSource
from toolgauge.annotation.grounding.values import folded

_TELEPHONE = re.compile(r"(?:\+|00)?[\d\s().\-/]{5,24}", re.ASCII)
_SPOKEN = re.compile(r"(?<!\w)\+?\(?\d[\d\s().\-/]{4,22}\d", re.ASCII)
_SIGNS = re.compile(r"\s(?:at|dot)\s|艾特|点", re.IGNORECASE)
_MAIL = re.compile(r"[\w.+-]{1,100}@[\w.-]{1,100}")
SHORTEST = 6
"""Digits of a telephone number without the country."""
LONGEST_COUNTRY = 3
"""Digits of a country's code."""


def telephone(value: str, context: Context) -> ValueSource | None:
    """Where a telephone number was given, with or without the country's code and the nought of the area's."""
    if not _TELEPHONE.fullmatch(value):
        return None
    wanted = _digits(value)
    for one in context.by_weight:
        for path, leaf in one.leaves:
            for found in _SPOKEN.finditer(str(leaf)[:LONGEST]):
                if _same(wanted, _digits(found[0])):
                    return one.source(path if one.is_result else found[0].strip(), "the telephone number")
    return None


def _digits(text: str) -> tuple[str, bool]:
    """The digits behind 0 or 00, and whether they begin with a country's code."""
    digits = "".join(char for char in text if char.isdecimal())
    abroad = text.strip().startswith("+") or digits.startswith("00")
    return digits.lstrip("0"), abroad


def _same(one: tuple[str, bool], other: tuple[str, bool]) -> bool:
    if one[1] == other[1]:
        return one[0] == other[0] and len(one[0]) >= SHORTEST
    (whole, _), (local, _) = (one, other) if one[1] else (other, one)
    return len(local) >= SHORTEST and whole.endswith(local) and len(whole) - len(local) <= LONGEST_COUNTRY


def is_mail(value: str) -> bool:
    """Is it an address, and nothing else?"""
    return _MAIL.fullmatch(value.strip()) is not None


def mail(value: str, context: Context) -> ValueSource | None:
    """Where a mail address was spelled out ("ann at example dot org")."""
    if not is_mail(value):
        return None
    wanted = folded(value)
    for one in context.said:
        if wanted in folded(_SIGNS.sub("", one.text[:LONGEST])):
            return one.source(one.text[:40], "a mail address that was spelled out")
    return None
