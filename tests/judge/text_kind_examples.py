"""The hand-labelled texts of fixtures/text_kinds, and how often the rules agree with the labels."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from toolgauge.judge.texts import TextKind, kind_of_text

FOLDER = Path(__file__).parent.parent / "fixtures" / "text_kinds"
TOOLS = (
    *("get_weather", "search_trains", "book_train", "search_hotels", "book_hotel", "send_email", "set_alarm"),
    *("get_stock_price", "convert_currency", "create_event", "cancelOrder", "order.track", "查天气"),
)
"""The tools on offer where an example names none."""
WRITTEN = "written"
"""How the origin of a text begins that nobody's model said."""


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: TextKind
    text: str
    origin: str
    tools: tuple[str, ...] = TOOLS

    @property
    def found(self) -> TextKind:
        return kind_of_text(self.text, frozenset(self.tools))


class Agreement(NamedTuple):
    """right: told as labelled; told: by the rules; labelled: by hand."""

    right: int
    told: int
    labelled: int

    def __str__(self) -> str:
        return f"{self.right}/{self.told} | {self.right}/{self.labelled}"


def examples(half: str, language: str, written: bool | None = None) -> list[Example]:
    """half: "heldout". written: only those that we wrote, or only a model's."""
    lines = (FOLDER / f"{half}.{language}.jsonl").read_bytes().splitlines()
    found = [msgspec.json.decode(line, type=Example) for line in lines]
    return [one for one in found if written is None or one.origin.startswith(WRITTEN) == written]


def agreement(kind: TextKind, tried: list[Example]) -> Agreement:
    pairs = [(example.kind, example.found) for example in tried]
    return Agreement(
        sum(pair == (kind, kind) for pair in pairs),
        sum(found is kind for _, found in pairs),
        sum(label is kind for label, _ in pairs),
    )


def table_row(kind: TextKind) -> str:
    """A row of the table in fixtures/text_kinds/README.md: precision and recall in English and Chinese, and on a
    model's replies."""
    written = (agreement(kind, examples("heldout", language, True)) for language in ("en", "zh"))
    model = (agreement(kind, examples("heldout", language, False)) for language in ("en", "zh"))
    cells = [*map(str, written), *(f"{one.right}/{one.told}" for one in model)]
    return f"| `{kind.value}` | {' | '.join(cells)} |"


if __name__ == "__main__":  # python -m tests.judge.text_kind_examples
    print(*map(table_row, TextKind), sep="\n")
