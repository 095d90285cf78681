"""Where personal data and secrets stand in a text, by the detectors of libraries where there are any.

Keys and tokens are found by detect-secrets, national numbers by python-stdnum, which checks their digits; patterns of
the user's run in the library regex, with a limit of time. All three come with the extra `redact`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec import Struct

from toolgauge.errors import DataError, MissingExtra, UsageError, os_cause
from toolgauge.files import read_whole
from toolgauge.logs.placeholders import Kind, digits_of

MAX_PATTERN = 5000
"""Characters of one of the user's patterns."""
PATTERN_SECONDS = 2.0
"""Of one search of one of the user's patterns."""
MAX_NAMES_BYTES = 16 << 20

_CJK = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = re.compile(rf"[^\W{_CJK}]")
_LOCAL = re.compile(rf"[^\W{_CJK}](?:[^\W{_CJK}]|[.%+'-])*\Z")
_DOMAIN = re.compile(rf"(?:(?:[^\W{_CJK}]|-){{1,63}}\.){{1,8}}[^\W\d_{_CJK}]{{2,24}}")
_CARD = re.compile(r"(?<!\d)[2-6](?:[ -]?\d){13,18}(?!\d)")
_CHINESE_ID = re.compile(
    r"(?<!\d)[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![\dA-Za-z])"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d\d(?: ?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")
_PHONES = (
    re.compile(r"(?<![\d.])(?:\+|00)[1-9][\d ().\-/]{6,20}\d(?!\d)"),
    re.compile(r"(?<!\d)1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\d)"),
    re.compile(r"(?<![\d-])0\d{2,3}[- ]\d{7,8}(?!\d)"),
    re.compile(r"(?<![\d-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-])"),
)
"""International; Chinese mobile; Chinese landline; North American."""
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)", re.ASCII)
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])", re.ASCII)
_LONG = re.compile(r"[\w+/=-]{16,}|-----BEGIN|://[^\s/@]{1,200}@")
"""What a text without any holds no key."""
_KEY = re.compile(
    r"(?<![\w-])(?:sk|pk|rk|hf|xai|gsk|pplx|nvapi|r8|glpat|dop_v1)[-_][\w-]{16,200}|(?<=Bearer )[\w.~+/=-]{16,2000}",
    re.ASCII,
)
"""Forms of keys that detect-secrets does not know: those of most providers of models, and tokens in a header."""
_NATIONAL = {
    "us.ssn": r"\d{3}-\d{2}-\d{4}", "ca.sin": r"\d{3}[ -]\d{3}[ -]\d{3}", "br.cpf": r"\d{3}\.\d{3}\.\d{3}-\d{2}",
    "in_.aadhaar": r"\d{4}[ -]\d{4}[ -]\d{4}", "es.dni": r"\d{8}-?[A-Z]", "es.nie": r"[XYZ]-?\d{7}-?[A-Z]",
    "it.codicefiscale": r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", "de.idnr": r"\d{2} ?\d{3} ?\d{3} ?\d{3}",
    "fr.nir": r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", "pl.pesel": r"\d{11}",
    "se.personnummer": r"(?:\d{2})?\d{6}[-+]\d{4}", "fi.hetu": r"\d{6}[-+A]\d{3}[0-9A-Z]", "dk.cpr": r"\d{6}-\d{4}",
    "no.fodselsnummer": r"\d{6} ?\d{5}", "kr.rrn": r"\d{6}-\d{7}", "be.nn": r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}",
    "ch.ssn": r"756\.?\d{4}\.?\d{4}\.?\d{2}", "mx.curp": r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d",
}  # fmt: skip
"""Modules of python-stdnum, and how their numbers are written."""
_NUMBERED = re.compile(r"\d(?:[ .+-]?\d){5,}|[A-Z]{4}\d\d")
"""What a text without any holds no national number."""
_RECURSION = re.compile(r"\(\?(?:R|[+-]?\d+|&\w+|P>\w+)\)")
_NARROW: dict[int, int | str] = {
    **{0xFF01 + place: 0x21 + place for place in range(94)},
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2212), "-"),
    **dict.fromkeys((0xA0, 0x2007, 0x2009, 0x202F, 0x3000), " "),
}
"""Full-width characters, and the many dashes and spaces, as those of ASCII: one character for one."""
_ESCAPE = re.compile(r"\\[nrtbf]")
"""In JSON inside of a text, where the letter is no part of the word behind it."""
_NUMBER = re.compile(r"\d(?:[ .\-()/]{0,2}\d){6,}")
_LAST = 7
"""Digits of a phone number that are replaced: its last ones, which every way of writing it has."""


class Name(Struct, frozen=True):
    """A name to look for. alone: as a word by itself; names in Chinese stand within others."""

    folded: str
    length: int
    alone: bool


class Wanted(Struct, frozen=True):
    """What the user wants replaced besides: names by their first two characters, the longest first, and patterns."""

    names: dict[str, list[Name]] = {}
    patterns: tuple[tuple[str, Any], ...] = ()
    """Each with its file and line."""


NOTHING = Wanted()


class Detected(Struct, frozen=True):
    """A value in a text. key: the same for all ways of writing it."""

    start: int
    end: int
    kind: Kind
    key: str


def read_wanted(path: Path) -> Wanted:
    """The names and patterns of a file: one a line, a pattern between slashes; # begins a comment.

    Raises DataError for a pattern that is none, or that calls itself.
    """
    try:
        lines = read_whole(path, MAX_NAMES_BYTES).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise DataError(f"cannot read: {os_cause(error)}", path) from error
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 (byte {error.start})", path) from error
    names, patterns = [], []
    for number, line in enumerate(map(str.strip, lines), 1):
        if len(line) > 2 and line[0] == line[-1] == "/":
            patterns.append((f"{path}:{number}", _compiled(line[1:-1], path, number)))
        elif line and line[0] != "#":
            names.append(line)
    return Wanted(_by_beginning(names), tuple(patterns))


def detect(text: str, wanted: Wanted = NOTHING) -> list[Detected]:
    """The values in a text, in their order and apart from each other."""
    return apart(text, _all(_ESCAPE.sub("\n\n", text.translate(_NARROW)), wanted))


def apart(text: str, candidates: Iterable[Detected]) -> list[Detected]:
    """Findings in the order of the text; of those that overlap the one that comes first here."""
    chosen: list[Detected] = []
    covered = bytearray()
    for candidate in candidates:
        covered = covered or bytearray(len(text))
        if covered.find(1, candidate.start, candidate.end) < 0:
            covered[candidate.start : candidate.end] = b"\1" * (candidate.end - candidate.start)
            chosen.append(candidate)
    return sorted(chosen, key=lambda candidate: candidate.start)


def numbers(text: str) -> Iterator[tuple[str, list[int]]]:
    """Every number of at least 7 digits, grouped in whatever way: its digits, and where they stand."""
    for match in _NUMBER.finditer(text.translate(_NARROW)):
        places = [place for place in range(match.start(), match.end()) if text[place].isdecimal()]
        yield digits_of(match[0]), places


def _all(text: str, wanted: Wanted) -> Iterator[Detected]:
    """What every kind finds; a kind that comes first counts where two overlap."""
    yield from _emails(text)
    for place, pattern in wanted.patterns:
        yield from _matches(text, place, pattern)
    yield from _keys(text)
    if any(char.isdecimal() for char in text):
        yield from _addresses(text)
        yield from _ibans(text)
        for match in _CHINESE_ID.finditer(text):
            yield Detected(match.start(), match.end(), Kind.CHINESE_ID, _ascii(match[0]).upper())
        for match in _CARD.finditer(text):
            if _library("stdnum.luhn").is_valid(digits := digits_of(match[0])):
                yield Detected(match.start(), match.end(), Kind.CARD, digits)
        yield from _national_ids(text)
        yield from _phones(text)
    if wanted.names:
        yield from _names(text, wanted.names)


def _matches(text: str, place: str, pattern: Any) -> Iterator[Detected]:
    """What a pattern of the user's finds. Raises UsageError where it takes too long."""
    try:
        for match in pattern.finditer(text, timeout=PATTERN_SECONDS):
            if match[0]:
                yield Detected(match.start(), match.end(), Kind.PATTERN, f"{place}:{match[0]}")
    except (TimeoutError, MemoryError, RecursionError) as error:
        raise UsageError(f"{place}: the pattern takes too long; write one that backtracks less") from error


def _keys(text: str) -> Iterator[Detected]:
    """Keys and tokens, at every place where they stand."""
    if not _LONG.search(text):
        return
    for match in _KEY.finditer(text):
        yield Detected(match.start(), match.end(), Kind.KEY, match[0])
    for pattern in _secret_patterns():
        for match in pattern.finditer(text):
            groups = [place for place in range(1, pattern.groups + 1) if len(match[place] or "") >= 8]
            start, end = match.span(groups[-1] if groups else 0)  # a password in an address, not the address
            yield Detected(start, end, Kind.KEY, text[start:end])


@cache
def _secret_patterns() -> tuple[re.Pattern[str], ...]:
    """detect-secrets' patterns of known forms: without those that guess by entropy or by a word nearby, and without
    those of public addresses, since all addresses are found. Raises MissingExtra."""
    plugins = _library("detect_secrets.core.plugins.util")
    base = _library("detect_secrets.plugins.base").RegexBasedDetector
    kinds = plugins.get_mapping_from_secret_type_to_class().values()
    detectors = [kind for kind in kinds if issubclass(kind, base) and kind.__name__ != "IPPublicDetector"]
    return tuple(
        pattern for kind in sorted(detectors, key=lambda kind: str(kind.__name__)) for pattern in kind().denylist
    )


@cache
def _national_checks() -> tuple[tuple[re.Pattern[str], Any], ...]:
    return tuple(
        (re.compile(rf"(?<![\w.-]){form}(?![\w-]|\.\d)", re.ASCII), _library(f"stdnum.{name}").is_valid)
        for name, form in _NATIONAL.items()
    )


def require_libraries() -> None:
    """Raise MissingExtra where the libraries of the extra `redact` are missing."""
    _secret_patterns()
    _national_checks()
    _library("regex")


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        library = {"detect_secrets": "detect-secrets", "stdnum": "python-stdnum"}.get(name.partition(".")[0], name)
        raise MissingExtra("--redact", library, "redact") from error


def _addresses(text: str) -> Iterator[Detected]:
    """IP addresses, but those that every machine has for itself."""
    for pattern in (_IPV4, _IPV6):
        for match in pattern.finditer(text):
            try:
                address = ipaddress.ip_address(_ascii(match[0]))
            except ValueError:
                continue
            if not (address.is_loopback or address.is_unspecified):
                yield Detected(match.start(), match.end(), Kind.IP, str(address))


def _national_ids(text: str) -> Iterator[Detected]:
    if not _NUMBERED.search(text):
        return
    for pattern, is_valid in _national_checks():
        for match in pattern.finditer(text):
            if is_valid(_ascii(match[0])):
                key = "".join(char for char in _ascii(match[0]).upper() if char.isalnum())
                yield Detected(match.start(), match.end(), Kind.NATIONAL_ID, key)


def _emails(text: str) -> Iterator[Detected]:
    """Addresses, looked for on both sides of every @."""
    for at in re.finditer("@|%40", text):
        before = text[max(0, at.start() - 64) : at.start()]
        local = next((match for n in range(len(before)) if (match := _LOCAL.match(before, n))), None)
        domain = _DOMAIN.match(text, at.end(), at.end() + 255)
        if local and domain:
            start = at.start() - len(local[0])
            yield Detected(start, domain.end(), Kind.EMAIL, f"{local[0]}@{domain[0]}".casefold())


def _ibans(text: str) -> Iterator[Detected]:
    for match in _IBAN.finditer(text):
        end = match.end()
        while end - match.start() >= 15:  # the words behind it may look like a part of it
            plain = _ascii(text[match.start() : end]).replace(" ", "").upper()
            if _library("stdnum.iban").is_valid(plain):
                yield Detected(match.start(), end, Kind.IBAN, plain)
                break
            end = match.start() + len(text[match.start() : end].rstrip()[:-1])


def _phones(text: str) -> Iterator[Detected]:
    """Phone numbers; what is found is their last digits."""
    for pattern in _PHONES:
        for match in pattern.finditer(text):
            digits = digits_of(match[0])
            if 8 <= len(digits) <= 17:
                places = [place for place in range(*match.span()) if text[place].isdecimal()]
                yield Detected(places[-_LAST], match.end(), Kind.PHONE, digits[-_LAST:])


def _names(text: str, names: dict[str, list[Name]]) -> Iterator[Detected]:
    """The names in a text, at each place the longest."""
    start = 0
    while start < len(text):
        end = start + 1
        for name in (*names.get(text[start : start + 2].casefold(), ()), *names.get(text[start].casefold(), ())):
            after = start + name.length
            inside = name.alone and (_LETTER.fullmatch(text[start - 1 : start]) or _LETTER.match(text, after))
            if not inside and text[start:after].casefold() == name.folded:
                yield Detected(start, after, Kind.NAME, name.folded)
                end = after
                break
        start = end


def _by_beginning(names: list[str]) -> dict[str, list[Name]]:
    index: dict[str, list[Name]] = {}
    for name in sorted(names, key=len, reverse=True):
        entry = Name(name.casefold(), len(name), not re.search(f"[{_CJK}]", name))
        index.setdefault(name[:2].casefold(), []).append(entry)
    return index


def _compiled(pattern: str, path: Path, number: int) -> Any:
    library = _library("regex")
    if _RECURSION.search(pattern):
        raise DataError("the regular expression calls itself; write one without recursion", path, number)
    try:
        if len(pattern) <= MAX_PATTERN:
            return library.compile(pattern)
    except (library.error, OverflowError, RecursionError, MemoryError, ValueError):
        pass
    raise DataError("invalid regular expression", path, number)


def _ascii(text: str) -> str:
    return "".join(digits_of(char) or char for char in text)
