"""Pages read back: rows of tables by what they say they show, in the part of the scoring that they stand in."""

from __future__ import annotations

import base64
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

from toolgauge.runs.lines import decode

CHUNK = re.compile(rb'toolgauge\.receive\("([^"\\]+)", "([A-Za-z0-9+/=]*)"\);\n')
VOID = {"meta", "link", "br", "img", "input", "hr", "wbr"}


class Element:
    def __init__(self, tag: str, attributes: dict[str, str], parent: Element | None) -> None:
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children: list[Element | str] = []

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def every(self, tag: str, **attributes: str) -> list[Element]:
        """All elements inside, in their order; attributes: `data_row` is data-row, `kind` is class."""
        wanted = {"class" if name == "kind" else name.replace("_", "-"): value for name, value in attributes.items()}
        found = []
        for child in self.children:
            if isinstance(child, Element):
                same = all(child.attributes.get(name) == value for name, value in wanted.items())
                found += ([child] if child.tag == tag and same else []) + child.every(tag, **attributes)
        return found

    def one(self, tag: str, **attributes: str) -> Element:
        (found,) = self.every(tag, **attributes)
        return found


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.here = Element("", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.here)
        self.here.children.append(element)
        if tag not in VOID:
            self.here = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.here.children.append(Element(tag, {name: value or "" for name, value in attrs}, self.here))

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.here.tag, f"</{tag}> closes <{self.here.tag}>"
        assert self.here.parent is not None
        self.here = self.here.parent

    def handle_data(self, data: str) -> None:
        self.here.children.append(data)


def read(html: str) -> Element:
    """The tree of a page; fails where an element is closed by another's end."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert builder.here is builder.root, f"<{builder.here.tag}> is left open"
    return builder.root


def read_chunk(path: Path) -> tuple[str, object]:
    """The key and the content of a data file of a site."""
    match = CHUNK.fullmatch(path.read_bytes())
    assert match is not None, path
    return match[1].decode(), decode(zlib.decompress(base64.b64decode(match[2])), object)
