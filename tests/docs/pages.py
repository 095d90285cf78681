"""The fenced blocks of the project's pages, and the commands that stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
PAGES = (
    *(ROOT / name for name in ("README.md", "README.zh-CN.md", "CONTRIBUTING.md", "src/toolgauge/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)
_FENCE = re.compile(r"```(\w*)[ ]*([^\n]*)\n(.*?)^```[ ]*$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its language, what follows it on the line (`file=NAME`), its text, its first line's number."""

    language: str
    info: str
    text: str
    line: int

    @property
    def file(self) -> str | None:
        """The name under which a reader is to save the block."""
        return self.info.removeprefix("file=") if self.info.startswith("file=") else None


class Command(NamedTuple):
    """A line after `$ ` with its continuations, and what the page says that it prints."""

    text: str
    output: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2].strip(), found[3], text.count("\n", 0, found.start()) + 2)
        for found in _FENCE.finditer(text)
    ]


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block."""
    command, output, line, open_ended = "", "", block.line, False
    for number, row in enumerate(block.text.splitlines(), block.line):
        if open_ended:
            command += "\n" + row
        elif row.startswith("$ "):
            if command:
                yield Command(command, output, line)
            command, output, line = row[2:], "", number
        else:
            output += row + "\n"
            continue
        open_ended = command.endswith("\\")
    if command:
        yield Command(command, output, line)
