"""Where a task went wrong, as a person would point at it: what came there, and what was due."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.judge.verdict import Verdict
from toolgauge.judge.wrong_arguments import WrongArgument, cut_pair
from toolgauge.report.task_views.differences import DifferenceRow

MOST_NAMES, MAX_NAME, MAX_SAID, MAX_VALUE = 8, 120, 160, 160
"""Names that are told, and the characters of one, of a reply's words, and of a value (a longer one is cut around the
first place where the two differ)."""


class ComparedCall(Struct, frozen=True):
    """A call beside the annotated one: its wrong arguments, and all of them against the annotated ones."""

    tool: str
    wrong: tuple[WrongArgument, ...] = ()
    rows: tuple[DifferenceRow, ...] = ()


class Divergence(Struct, frozen=True):
    """step: the reply that went wrong, from 0, None where it is no single one. called: the names of its calls; said:
    its words; due: the names of the calls that could have come instead; compared: its calls, or the end states."""

    step: int | None = None
    called: Sequence[str] = ()
    said: str = ""
    due: Sequence[str] = ()
    compared: Sequence[ComparedCall] = ()


class Contrast(Struct, frozen=True, omit_defaults=True):
    """What a sentence names of a divergence: a value and the expected one, or what came and what was due.

    tool, path: of the argument; made, expected: its values as JSON text, None where there is no such value; more: how
    many further arguments are wrong; called, said, due, step: as in `Divergence`, cut.
    """

    tool: str = ""
    path: str = ""
    made: str | None = None
    expected: str | None = None
    more: int = 0
    called: tuple[str, ...] = ()
    said: str = ""
    due: tuple[str, ...] = ()
    step: int | None = None

    def cut(self, limit: int) -> Contrast:
        """With at most so many characters of each value and of the words."""
        made, expected = cut_pair(self.made, self.expected, limit)
        said = self.said if len(self.said) <= limit else f"{self.said[:limit]}…"
        if (made, expected, said) == (self.made, self.expected, self.said):
            return self
        return replace(self, made=made, expected=expected, said=said)


def contrast_of(divergence: Divergence, verdict: Verdict) -> Contrast | None:
    """What to name of a task that is wrong by a verdict; None where its own words have to do.

    A verdict on an argument says which one (its parameters `tool` and `path`): the values are looked up. Any other
    one is about the step as a whole.
    """
    named = {} if verdict.parameters is UNSET else verdict.parameters
    tool, path = str(named.get("tool", "")), str(named.get("path", ""))
    found = next(_values(divergence.compared, tool, path), None)
    if found is not None:
        more = sum(len(one.wrong) for one in divergence.compared) - 1
        return replace(found, more=max(more, 0), step=divergence.step).cut(MAX_VALUE)
    if not (divergence.called or divergence.said or divergence.due):
        return None
    called, due = _names(divergence.called), _names(divergence.due)
    return Contrast(called=called, said=divergence.said, due=due, step=divergence.step).cut(MAX_SAID)


def _values(compared: Sequence[ComparedCall], tool: str, path: str) -> Iterator[Contrast]:
    """The arguments that a verdict can mean, the likeliest first."""
    calls = [one for one in compared if one.tool == tool or (path and not tool)]
    wrong = [Contrast(one.tool, one.path, one.made, one.expected) for call in calls for one in call.wrong]
    yield from (one for one in wrong if one.path == path)
    yield from (one for one in wrong if not path or _is_below(one.path, path))
    for call in calls:
        for row in call.rows:
            if path and row.state != "same" and (row.path == path or _is_below(row.path, path)):
                yield Contrast(call.tool, row.path, row.actual, row.expected)


def _is_below(path: str, other: str) -> bool:
    """Does one of the two paths lead through the other?"""
    return path.startswith((f"{other}.", f"{other}[")) or other.startswith((f"{path}.", f"{path}["))


def _names(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(one if len(one) <= MAX_NAME else f"{one[:MAX_NAME]}…" for one in names[:MOST_NAMES])
