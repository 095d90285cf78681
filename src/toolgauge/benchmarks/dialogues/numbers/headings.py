"""Rows that are named by numbers, pairs or codes, with headings made for them: (table, row, heading) each."""

from __future__ import annotations

from toolgauge.analysis.layout import Headed
from toolgauge.analysis.numbers import Tables
from toolgauge.analysis.titles import part_title, title
from toolgauge.data.session import KINDS
from toolgauge.locale import Text, _, ngettext, translated

CHANGES = ngettext("{count} change", "{count} changes")
COUNTED: dict[str, tuple[Text, dict[str, Text]]] = {
    "transitions": (CHANGES, {"0": _("no change")}),
    "transitions_two_groups": (CHANGES, {"0": _("no change")}),
    "sessions_by_correct": (_("{count} right"), {}),
    "by_calls": (ngettext("{count} call", "{count} calls"), {"0": _("no call")}),
    "by_tools_offered": (ngettext("{count} tool", "{count} tools"), {}),
    "by_messages": (ngettext("{count} message", "{count} messages"), {}),
    "by_context_tokens": (_("{count} tokens"), {}),
}
"""Tables whose rows are numbers: what is counted, and numbers that are said in words of their own."""
SOURCES = {
    "user": _("the user’s words"),
    "user_earlier": _("the user’s words, earlier task"),
    "reply": _("an answer to a question"),
    "reply_earlier": _("an answer, earlier task"),
    "result": _("a tool’s result"),
    "result_earlier": _("a tool’s result, earlier task"),
    "clock": _("the clock"),
    "knowledge": _("general knowledge"),
    "composed": _("written for the call"),
    "other": _("other"),
}
"""Where the annotation takes values of arguments from."""


def numbered_rows(tables: Tables, table: str, language: str) -> Headed:
    """ "3 calls", of a table in COUNTED."""
    several, own = COUNTED[table]
    for row in tables.get(table, {}):
        yield (
            table,
            row,
            translated(own.get(row) or several.filled(count=int(row) if row.isdecimal() else row), language),
        )


def paired_rows(tables: Tables, table: str, language: str) -> Headed:
    """A kind and the kind after it; pairs that do not occur are left out."""
    for row, entry in tables.get(table, {}).items():
        before, _sign, now = row.partition(">")
        if entry.total:
            yield table, row, f"{part_title(before, language)} → {part_title(now, language)}"


def crossed_rows(tables: Tables, table: str, language: str) -> Headed:
    """Something at a position; what does not occur is left out, and first tasks, which have a row among positions."""
    for row, entry in tables.get(table, {}).items():
        what, _sign, position = row.partition("@")
        if entry.total and what != "first_turn":
            said = _("{what}, turn {position}", what=part_title(what, language), position=position)
            yield table, row, translated(said, language)


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
        yield "by_argument_source", row, translated(SOURCES.get(row, row), language)
