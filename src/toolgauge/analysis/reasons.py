"""Why a task failed, in the reader's language: the judge's texts (`detail`) recognised by their form.

reasons.json has every form, with {slots} for names and values: `sentences` are the judge's own words, with their
Chinese; `codes` are texts of the published evaluators, which stay and get their meaning beside them; `endings` may
follow both. Before a form stands, where there is one, the place: "tool(path): ...". The site's pages read the same
table by the same rules (report/assets/reasons.js). A text of no known form is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

_FILE = Path(__file__).with_suffix(".json")
_SLOT = re.compile(r"\{(\w+)\}")
_PLACE = re.compile(r"""[^\s(:{'"]{1,200}(?:\([^()]{0,500}\))?: (?=\S)""")
"""The tool and the path of the argument, or a path alone."""
LONGEST = 2000
"""Characters of a text that is looked at; longer ones come from hostile names and stay as they are."""
PLACES = 4
"""How many colons a place before a form may hold: names of tools come from models."""


class Forms(msgspec.Struct, frozen=True):
    """The content of reasons.json."""

    sentences: dict[str, str]
    codes: dict[str, dict[str, str]]
    endings: dict[str, str]


class Reason(NamedTuple):
    """A text taken apart. place: "tool(path): " or ""; form: a key of the table; ending: what stands behind, or ""."""

    place: str
    form: str
    values: dict[str, str]
    ending: str


@cache
def forms() -> Forms:
    return msgspec.json.decode(_FILE.read_bytes(), type=Forms)


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [(form, re.compile(_expression(form), re.DOTALL)) for form in (*forms().codes, *forms().sentences)]


def _expression(form: str) -> str:
    parts = _SLOT.split(form)  # text, name, text, name ... text
    return "".join(f"(?P<{part}>.*?)" if place % 2 else re.escape(part) for place, part in enumerate(parts))


def taken_apart(detail: str) -> Reason | None:
    """None for a text of no known form."""
    if len(detail) > LONGEST:
        return None
    text, ending = detail, ""
    while found := next((one for one in forms().endings if text.endswith(one)), None):
        text, ending = text.removesuffix(found), found + ending
    for start, open_start in _starts(text):
        for form, pattern in _patterns():
            if (open_start or not form.startswith("{")) and (match := pattern.fullmatch(text, start)):
                return Reason(text[:start], form, match.groupdict(), ending)
    return None


def _starts(text: str) -> Iterator[tuple[int, bool]]:
    """Where a form may begin, best first, and whether one with a slot at its start may: it would take in a place."""
    yield 0, False
    if place := _PLACE.match(text):
        yield place.end(), True
    start = 0
    for _ in range(PLACES):
        start = text.find(": ", start) + 2
        if start < 2:
            break
        yield start, False
    yield 0, True


def in_words(detail: str, language: str) -> str:
    """The text for readers of a language ("en", "zh")."""
    reason = taken_apart(detail)
    if reason is None:
        return detail
    place = reason.place.removesuffix(": ")
    core = detail[len(reason.place) : len(detail) - len(reason.ending)]
    if language != "zh":
        meaning = forms().codes.get(reason.form, {}).get("en")
        return f"{reason.place}{meaning} ({core}){reason.ending}" if meaning else detail
    code = forms().codes.get(reason.form)
    said = f"{code['zh']}（{core}）" if code else filled(forms().sentences[reason.form], reason.values)
    ending = reason.ending
    for english, chinese in forms().endings.items():
        ending = ending.replace(english, chinese)
    return f"{place}：{said}{ending}" if place else f"{said}{ending}"


def filled(text: str, values: dict[str, str]) -> str:
    """The values in their slots; what looks like a slot in a value is text."""
    return _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), text)
