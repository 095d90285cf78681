"""Values of calls, labelled by hand: was a value given, written for the call, or invented? (value_sources.jsonl)

A line: `turns` (who, and what was said or answered; every user's turn begins a task), `tool`, `parameter` and `schema`
(its definition), and values of it that are `grounded`, `composed` or `invented` there; `about`: in a word, what it
tries; `held_out`: was looked at only when the rules stood. The clock is Wednesday, 12 March 2025, 10:20.
"""

from __future__ import annotations

import datetime
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.annotation.grounding.composed import COMPOSED
from toolgauge.annotation.grounding.context import Context
from toolgauge.annotation.grounding.sources import sources_of, typed_leaves

CASES = Path(__file__).with_name("value_sources.jsonl")
NOW = datetime.datetime(2025, 3, 12, 10, 20)
INVENTED, GROUNDED = "invented", "grounded"


class Scene(Struct, frozen=True):
    """What was said, and values of one parameter in it."""

    language: str
    about: str
    turns: list[tuple[str, object]]
    parameter: str
    schema: dict[str, object]
    tool: str = ""
    grounded: list[object] = []
    composed: list[object] = []
    invented: list[object] = []
    held_out: bool = False

    @property
    def labelled(self) -> list[tuple[object, str]]:
        """(value, label)."""
        groups = ((self.grounded, GROUNDED), (self.composed, COMPOSED), (self.invented, INVENTED))
        return [(value, label) for values, label in groups for value in values]

    def found(self, value: object) -> str:
        """The label that the annotation gives to a value."""
        arguments = {self.parameter: value}
        schema = {"properties": {self.parameter: self.schema}}
        sources = sources_of(arguments, schema, self._context(), self.language, self.tool)
        first = [sources[path][0] if path in sources else None for path, *_ in typed_leaves(arguments, schema)]
        if any(source is None or source.unsaid for source in first):
            return INVENTED
        return COMPOSED if any(source and source.origin == COMPOSED for source in first) else GROUNDED

    def _context(self) -> Context:
        context = Context(NOW)
        task, step = -1, 0
        for kind, content in self.turns:
            task, step = (task + 1, 0) if kind == "user" else (task, step)
            answers = kind in ("result", "reply")
            context.add(kind, task, content, step if answers else None)
            step += answers
        return context


@cache
def scenes() -> tuple[Scene, ...]:
    return tuple(msgspec.json.decode(line, type=Scene) for line in CASES.read_bytes().splitlines())


def table() -> str:
    """The table of docs/generation-checks.md: how well invented values are found."""
    rows = [
        "| values | | grounded | composed | invented | precision | recall |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for held_out in (False, True):
        for language, name in (("en", "English"), ("zh", "Chinese")):
            title = f"{name}, held out" if held_out else name
            rows.append(_row(title, [one for one in scenes() if (one.language, one.held_out) == (language, held_out)]))
    return "\n".join(rows)


def _row(title: str, chosen: list[Scene]) -> str:
    pairs = [(label, one.found(value)) for one in chosen for value, label in one.labelled]
    counts = [sum(label == kind for label, _ in pairs) for kind in (GROUNDED, COMPOSED, INVENTED)]
    right = sum(label == found == INVENTED for label, found in pairs)
    precision = right / sum(found == INVENTED for _, found in pairs)
    return f"| {title} | {len(pairs)} | {' | '.join(map(str, counts))} | {precision:.3f} | {right / counts[2]:.3f} |"
