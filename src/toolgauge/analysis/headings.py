"""Rows that are named by numbers, pairs or codes, with headings made for them: (table, row, heading) each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgauge.analysis.numbers import Tables
from toolgauge.analysis.titles import TITLES, title
from toolgauge.data.session import KINDS

Headed = Iterator[tuple[str, str, str]]

_PASS = re.compile(r"([a-z]+)_(pass[@^](?P<k>[0-9]{1,9}))")


def numbered_rows(tables: Tables, table: str, word: str, language: str) -> Headed:
    """ "3 calls"; a number may have a word of its own, as "no call" has."""
    for row in tables.get(table, {}):
        own = f"{word}_{row}"
        heading = title(own, language) if own in TITLES["en"] else title(word, language).format(row)
        yield table, row, heading


def paired_rows(tables: Tables, table: str, language: str) -> Headed:
    """A kind and the kind after it; pairs that do not occur are left out."""
    for row, entry in tables.get(table, {}).items():
        before, _, now = row.partition(">")
        if entry.total:
            yield table, row, title("pair", language).format(plain(before, language), plain(now, language))


def crossed_rows(tables: Tables, table: str, language: str) -> Headed:
    """Something at a position; what does not occur is left out, and first tasks, which have a row among positions."""
    for row, entry in tables.get(table, {}).items():
        what, _, position = row.partition("@")
        if entry.total and what != "first_turn":
            yield table, row, title("at", language).format(plain(what, language), position)


def action_rows(tables: Tables, language: str) -> Headed:
    """The action label of all tasks, and by kind."""
    for kind in ("all", *KINDS):
        row = f"{kind}@all"
        if row in tables.get("layers_action", {}):
            yield "layers_action", row, title("task_accuracy" if kind == "all" else kind, language)


def near_miss_rows(tables: Tables, language: str) -> Headed:
    """The share of near misses, and the kinds that stood in the way; nothing where no session was scored whole."""
    rows = tables.get("near_misses", {})
    if "one_task_short" not in rows or not rows["one_task_short"].total:
        return
    for row in rows:
        heading = title(row, language)
        yield "near_misses", row, heading if row == "one_task_short" else f"· {heading}"


def source_rows(tables: Tables, language: str) -> Headed:
    for row in tables.get("by_argument_source", {}):
        yield "by_argument_source", row, title(f"source_{row}", language)


def pass_rows(tables: Tables, language: str, brief: bool = False) -> Headed:
    """The rows of `passes`; pass^1 is pass@1. brief: only for k a power of two, and for all passes."""
    found = [match for row in tables.get("passes", {}) if (match := _PASS.fullmatch(row))]
    last = max((int(match["k"]) for match in found), default=0)
    for match in found:
        k = int(match["k"])
        if match[2] != "pass^1" and (not brief or k & (k - 1) == 0 or k == last):
            yield "passes", match[0], title("pass", language).format(title(f"pass_{match[1]}", language), match[2])


def plain(row: str, language: str) -> str:
    """A row's heading where it does not stand below another."""
    return title(row, language).removeprefix("· ")
