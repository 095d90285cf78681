"""One dialogue in the form of every format: the files of tests/fixtures/logs, `FORMAT.which-form.ending`.

Two tasks, a call in each; forms that hold one call have the first of them. A new form is a file there, nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A task of the dialogue. call: its name, arguments and result."""

    ask: str
    call: tuple[str, dict[str, Any], dict[str, Any]]
    reply: str


STEPS = (
    Step("find me a hotel in Bergen", ("search_hotels", {"city": "Bergen"}, {"hotels": ["H7"]}), "I found H7."),
    Step("book it for 3 nights", ("book_hotel", {"hotel_id": "H7", "nights": 3}, {"booking": "B-22"}), "Booked: B-22."),
)
SAMPLES = {path.stem: path for path in sorted((Path(__file__).parent.parent / "fixtures/logs").iterdir())}


def format_of(path: Path) -> str:
    """The format that must be recognised."""
    return path.name.partition(".")[0]
