"""Every message of the source has its translation and none is left over; the compiled catalogue is that of the .po."""

from __future__ import annotations

import io
import re
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
from toolgauge.report.wording import ASSETS, script_messages

REPOSITORY = Path(__file__).parents[2]
KEYWORDS = {**DEFAULT_KEYWORDS, "t": None, "pt": ((1, "c"), 2)}
"""As the Makefile has them: in the site's scripts messages are called t(...) and pt(...)."""
HAN = re.compile(r"[\u4e00-\u9fff]")
CODE = re.compile(r"`[^`]*`|'[^']*'|\"[^\"]*\"|pip install \S+|npx \w+ --outfile \S+ FILE|toolgauge( [\w-]+)+|--debug")
ENGLISH = re.compile(r"(?<![-\w/{])[a-z]{2,} [a-z]{2,}(?![-\w}])")
"""Two words of a sentence; what is code stands in CODE."""


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
def test_no_translation_is_left_over(language: str) -> None:
    assert keys(translations(language)) - keys(extracted()) == set()


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


def test_the_chinese_is_chinese() -> None:
    english = [
        one.id
        for one in translations("zh")
        if one.id
        and (
            ENGLISH.search(CODE.sub("", plain(one.string)))
            or (" " in plain(one.id).strip() and not HAN.search(plain(one.string)) and HAN_DUE.search(plain(one.id)))
        )
    ]
    assert english == []


HAN_DUE = re.compile(r"(?<![{`\w])[a-z]{2,} (?:[a-z]{2,} )?[a-z]{2,}(?![}`\w])")
"""Words of a sentence, which no translation may leave as they are."""


@pytest.mark.parametrize("language", languages())
def test_no_word_of_the_scripts_is_translated_by_itself(language: str) -> None:
    """A name of a command ("correct") stays as it is; the same word on a page is another message, with a context."""
    words = script_messages([file.stem for file in ASSETS.glob("*.js")], language)
    assert [english for english, said in words.items() if english == said and re.fullmatch("[a-z]{3,}", english)] == []
