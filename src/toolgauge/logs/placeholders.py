"""What stands in the place of personal data: made up of a number, in the shape of what was there."""

from __future__ import annotations

import unicodedata
from datetime import date, timedelta
from enum import StrEnum
from importlib import import_module
from itertools import product
from typing import Any

_STEMS = "甲乙丙丁戊己庚辛壬癸"
_PHONE = 5550000


class Kind(StrEnum):
    """What is replaced."""

    EMAIL = "email"
    PATTERN = "pattern"
    KEY = "key"
    IP = "ip"
    NATIONAL_ID = "national_id"
    IBAN = "iban"
    CHINESE_ID = "chinese_id"
    CARD = "card"
    PHONE = "phone"
    NAME = "name"


KINDS = {
    Kind.EMAIL: "email addresses",
    Kind.PATTERN: "matches of patterns",
    Kind.KEY: "keys and tokens",
    Kind.IP: "IP addresses",
    Kind.NATIONAL_ID: "national identity numbers",
    Kind.IBAN: "IBANs",
    Kind.CHINESE_ID: "Chinese identity numbers",
    Kind.CARD: "card numbers",
    Kind.PHONE: "telephone numbers",
    Kind.NAME: "names",
}
"""What each is called."""


def placeholder(kind: Kind, number: int, original: str) -> str:
    """What stands for the value with that number, written as the original is: its length, grouping and case.

    Numbers of cards, Chinese identities and accounts have valid check digits.
    """
    if kind is Kind.EMAIL:
        mark = next((sign for sign in ("%40", "\uff20") if sign in original), "@")
        return _cased(f"person{number}{mark}example.com", original)
    if kind is Kind.NAME:
        return (
            _cased(f"person{number}", original)
            if original.isascii() or not _is_cjk(original)
            else "某" + _stems(number)
        )
    if kind is Kind.PHONE:
        return _put(f"{(_PHONE + number) % 10**7:07d}", original)
    if kind is Kind.CARD:
        return _put(_card(number, digits_of(original)), original)
    if kind is Kind.CHINESE_ID:
        return _chinese_id(number, original)
    if kind is Kind.IBAN:
        return _iban(number, original)
    if kind is Kind.IP:
        if ":" in original:
            return f"2001:db8::{number:x}"
        return f"198.{18 + (number >> 16 & 1)}.{number >> 8 & 255}.{number & 255}"  # set apart for tests (RFC 2544)
    return shaped(number, original)


def shaped(number: int, original: str) -> str:
    """A number in the shape of a text: digits for digits, letters for letters, the rest as it is."""
    characters = []
    for char in reversed(original):
        if char.isdecimal():
            number, digit = divmod(number, 10)
            characters.append(str(digit))
        elif char.isalpha():
            letters = "abcdefghijklmnopqrstuvwxyz" if ord(char) < 0x2E80 else _STEMS
            number, digit = divmod(number, len(letters))
            characters.append(letters[digit].upper() if char.isupper() else letters[digit])
        else:
            characters.append(char)
    return (str(number) if number else "") + "".join(reversed(characters))


def digits_of(text: str) -> str:
    """The digits of a text, of whatever script, as ASCII."""
    return "".join(str(unicodedata.decimal(char)) for char in text if char.isdecimal())


def _card(number: int, digits: str) -> str:
    body = digits[0] + str(number).zfill(len(digits) - 2)[-(len(digits) - 2) :]
    return body + str(_stdnum("luhn").calc_check_digit(body))


def _chinese_id(number: int, original: str) -> str:
    """A number whose check digit is an X where that of the original is one, and a digit where it is one."""
    wants_x = original[-1] in "xX"
    day = date(1990, 1, 1) + timedelta(days=number // 100 % 10_000)
    for region, last in product(range(110101, 110110), range(10)):
        body = f"{region}{day:%Y%m%d}{number % 100:02d}{last}"
        check = str(_stdnum("cn.ric").calc_check_digit(body + "0"))
        if (check == "X") == wants_x:
            return body + (original[-1] if wants_x else check)
    raise AssertionError("one in eleven has an X")


def _iban(number: int, original: str) -> str:
    country, plain = original[:2], original.replace(" ", "")
    account = shaped(number, "".join("0" if char.isdecimal() else char for char in plain[4:]))[-len(plain[4:]) :]
    check = _stdnum("iban").calc_check_digits(f"{country}00{account}".upper())
    return _put(f"{country}{check}{account}", original)


def _stdnum(name: str) -> Any:
    """A module of python-stdnum; whoever redacts has it (`detectors.require_libraries`)."""
    return import_module(f"stdnum.{name}")


def _put(replacement: str, original: str) -> str:
    """Letters and digits in the places of those of the original, whose grouping stays."""
    left = iter(replacement)
    return "".join(next(left) if char.isalnum() else char for char in original)


def _cased(replacement: str, original: str) -> str:
    """In the case of the original: upper case, a capital at the beginning, or lower case."""
    if original.isupper():
        return replacement.upper()
    return replacement if original.islower() else replacement.capitalize()


def _is_cjk(text: str) -> bool:
    return any(ord(char) >= 0x2E80 for char in text)


def _stems(number: int) -> str:
    stems = ""
    while number:
        number, digit = divmod(number - 1, len(_STEMS))
        stems = _STEMS[digit] + stems
    return stems
