"""Every message of the source has its translation, with the same values; the compiled catalogue is that of the .po."""

from __future__ import annotations

import io
import string
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from toolgauge.locale import DOMAIN, FOLDER, languages

REPOSITORY = Path(__file__).parents[2]
KEYWORDS = {**DEFAULT_KEYWORDS, "t": None, "pt": ((1, "c"), 2)}
"""As the Makefile has them: in the site's scripts messages are called t(...) and pt(...)."""


@cache
def extracted() -> Catalog:
    """What `make messages` finds in the source."""
    with (REPOSITORY / "babel.cfg").open() as file:
        methods, options = parse_mapping_cfg(file)  # type: ignore[no-untyped-call]
    found = Catalog()
    for _name, line, message, comments, context in extract_from_dir(REPOSITORY, methods, options, KEYWORDS):
        found.add(message, None, [(_name, line)], auto_comments=comments, context=context)
    return found


@cache
def translations(language: str) -> Catalog:
    with (FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=language)


def keys(catalogue: Catalog) -> set[tuple[str | None, str]]:
    return {(one.context, str(one.id)) for one in catalogue if one.id}


def plain(said: object) -> str:
    """A message, or its translation; of one and many what is said of many."""
    return str(said[-1] if isinstance(said, tuple | list) else said)


def slots(template: str) -> set[tuple[str, str | None, str | None]]:
    """The values of a template with their formats."""
    return {(name, spec, how) for _, name, spec, how in string.Formatter().parse(template) if name is not None}


@pytest.mark.parametrize("language", languages())
def test_every_message_has_its_translation(language: str) -> None:
    """`make messages` adds what is missing; the translation is written into the .po by hand."""
    ours = translations(language)
    assert len(keys(extracted())) > 500
    assert keys(extracted()) - keys(ours) == set()
    assert [one.id for one in ours if one.id and (not plain(one.string) or one.fuzzy)] == []


@pytest.mark.parametrize("language", languages())
def test_both_sides_have_the_same_values_in_the_same_formats(language: str) -> None:
    differing = [
        one.id for one in translations(language) if one.id and slots(plain(one.id)) != slots(plain(one.string))
    ]
    assert differing == []


@pytest.mark.parametrize("language", languages())
def test_the_compiled_catalogue_is_that_of_the_source(language: str) -> None:
    made = io.BytesIO()
    write_mo(made, translations(language))
    assert made.getvalue() == (FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.mo").read_bytes(), "run `make messages`"
