"""Headings of tables, columns and rows for people, and what tables count.

Rows have the names that metrics.json has. What only one benchmark has, it declares with its layout.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolgauge.locale import Text, _, ngettext, translated
from toolgauge.visible import tell_unseen

TITLES: dict[str, Text] = {
    "accuracy": _("Accuracy"),
    "context": _("What the earlier tasks are worth"),
    "mistakes": _("Failure causes"),
    "passes": _("Several passes"),
    "by_distance": _("By distance of hidden information"),
    "by_calls": _("By tool calls"),
    "by_tools_offered": _("By number of available tools"),
    "by_messages": _("By messages so far"),
    "by_context_tokens": _("By length of the conversation"),
    "by_parameter_types": _("By types of arguments"),
    "by_argument_source": _("By sources of arguments"),
    "task_accuracy": _("task accuracy"),
    "all": _("all"),
    "true": _("yes"),
    "false": _("no"),
    "unclassified": _("unclassified"),
    "not_judgeable": _("not judgeable"),
    "counted_wrong": _("right, yet counted as wrong"),
    "agent_error": _("agent error"),
    "agent_without_tools": _("agent without tools"),
    "enum": _("one of a list (enum)"),
    "truncated": _("truncated"),
    "filtered": _("filtered"),
    "only_reasoning": _("only reasoning"),
    "empty_output": _("empty output"),
    "malformed_call": _("malformed call"),
    "unknown_tool": _("unknown tool"),
    "needless_tool": _("needless tool"),
    "missed_clarification": _("missed clarification"),
    "refusal": _("text instead of a call"),
    "early_termination": _("early termination"),
    "redundant_call": _("redundant call"),
    "order_violation": _("order violation"),
    "wrong_tool": _("wrong tool"),
    "bad_json": _("bad json"),
    "missing_required": _("missing required"),
    "undefined_param": _("undefined param"),
    "wrong_type": _("wrong type"),
    "extra_value": _("extra value"),
    "missing_value": _("missing value"),
    "wrong_value": _("wrong value"),
    "string": _("string"),
    "integer": _("integer"),
    "number": _("number"),
    "boolean": _("boolean"),
    "array": _("array"),
    "object": _("object"),
    "single": _("single-tool"),
    "multi": _("multi-tool"),
    "clarify": _("clarify"),
    "chat": _("chat"),
}
"""Of rows that any benchmark may have. Others are known by `declare`."""

NOTES: dict[str, Text] = {
    "passes": _(
        "pass@k: one of k passes is right; pass^k: all k are. Estimated from all passes; only tasks and "
        "sessions scored in every pass count."
    ),
    "by_distance": _("How many tasks back the farthest value lies that the annotated calls take from an earlier task."),
    "by_context_tokens": _("Tokens of a task’s first request, as the provider counts them."),
    "by_parameter_types": _("A task counts in every row of which it needs an argument."),
    "by_argument_source": _("Where the annotation takes the values from; a task counts in every row it needs."),
}


def declare(titles: Mapping[str, Text], notes: Mapping[str, Text]) -> None:
    """Let the headings of a benchmark's tables and rows, and the notes on its tables, be known."""
    TITLES.update(titles)
    NOTES.update(notes)


def title(key: str, language: str = "en", table: str = "") -> str:
    """The heading of a table, column or row; a key without one is its own heading, with blanks for underscores.

    table: where a row stands, for rows whose name means something else in one table (declared as "table.key").
    """
    return translated(TITLES.get(f"{table}.{key}") or TITLES.get(key) or tell_unseen(key).replace("_", " "), language)


def part_title(key: str, language: str = "en", table: str = "") -> str:
    """The heading of a row where it does not stand below the row that it is a part of."""
    return title(key, language, table).removeprefix("· ")


def note(key: str, language: str = "en") -> str:
    """A sentence about what a table counts, "" where it needs none."""
    return translated(NOTES.get(key, ""), language)


def sessions_with_tasks(sessions: int, tasks: int) -> Text:
    """How much a data set holds, as a sentence."""
    return _(
        "{sessions} with {tasks}.",
        sessions=ngettext("{count:,} session", "{count:,} sessions", count=sessions),
        tasks=ngettext("{count:,} task", "{count:,} tasks", count=tasks),
    )
