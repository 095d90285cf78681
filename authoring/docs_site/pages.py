"""The pages of the documentation, as the site's builder wants them: which there are, and their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import yaml
from msgspec import Struct, convert

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GENERATED = "reference/"
"""Before the names of pages that reference.py makes."""
Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_LINK = re.compile(r"\[([^\]]+)\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")
_CODE = re.compile(r"(^```.*?^```[ ]*$)", re.DOTALL | re.MULTILINE)
_BROKEN = re.compile(r"(?<=[\u2014-\u201d\u2026\u3000-\u9fff\uff00-\uffef])\n *(?=[\u201c\u3000-\u9fff\uff00-\uffef])")
_SAVED_AS = re.compile(r"^(\s*```\w+) file=(\S+)$", re.MULTILINE)


class Section(Struct, frozen=True, forbid_unknown_fields=True):
    """A section of the site. title: by language; pages: names below docs/, without the suffix."""

    title: dict[Language, str]
    pages: tuple[str, ...]


def sections() -> list[Section]:
    """What nav.yaml says."""
    return convert(yaml.safe_load(Path(__file__).with_name("nav.yaml").read_text(encoding="utf-8")), list[Section])


def source(name: str, language: Language) -> Path:
    """The file of a written page: docs/NAME.md, its Chinese docs/zh/NAME.md."""
    return (DOCS if language == "en" else DOCS / language) / f"{name}.md"


def written() -> Iterator[str]:
    """The names of the pages that people write, in the order of the site."""
    for section in sections():
        yield from (name for name in section.pages if not name.startswith(GENERATED))


def page(name: str, language: Language) -> str:
    """The text of a written page for the site.

    A link that leads out of docs/, into the checkout, becomes the name of the file: the site has no sources. A block
    that is to be saved under a name shows it as its title. Lines of Chinese are joined, because a browser shows
    the break between them as a space.
    """
    text = source(name, language).read_text(encoding="utf-8")
    if language != "en":
        text = text.replace("](../images/", "](images/").replace("](../../", "](../")
        text = "".join(part if _CODE.match(part) else _BROKEN.sub("", part) for part in _CODE.split(text))
    return _SAVED_AS.sub(r'\1 title="\2"', _LINK.sub(_as_name, text))


def tables_for_zensical(text: str) -> str:
    """The text with `|` in the code of a table's cells as Zensical wants it: bare, where GitHub wants a backslash."""
    return re.sub(
        r"^\|.*$", lambda row: re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), row[0]), text, flags=re.M
    )


def _as_name(link: re.Match[str]) -> str:
    said, path = link[1], link[2].removesuffix("/")
    return f"`{path}`" if said.strip("`") == path else f"{said} (`{path}`)"


def heading(text: str) -> str:
    """The first heading of a page."""
    return next(line.removeprefix("# ").strip() for line in text.splitlines() if line.startswith("# "))
