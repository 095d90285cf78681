"""What tables of findings are called, for the terminal and the page."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.conversations.checks.findings import FindingCode, Unit
from toolgauge.conversations.checks.tables import CheckTables, FoundRate
from toolgauge.locale import Text, _, ngettext, pgettext

TITLES: dict[FindingCode, Text] = {
    FindingCode.UNREADABLE_CALL: _("calls that cannot be read"),
    FindingCode.UNKNOWN_TOOL: _("tools that were not offered"),
    FindingCode.MISSING_ARGUMENT: _("required arguments missing"),
    FindingCode.UNKNOWN_ARGUMENT: _("arguments that the tool does not have"),
    FindingCode.WRONG_TYPE: _("values of a wrong type"),
    FindingCode.REFUSED_VALUE: _("values that the definition refuses"),
    FindingCode.INVENTED_VALUE: _("invented values"),
    FindingCode.INVENTED_CLAIM: _("invented claims in written texts"),
    FindingCode.REPEATED_CALL: _("repeated calls"),
    FindingCode.KNOWN_RESULT: _("lookups of what was known"),
    FindingCode.ANSWERED_QUESTION: _("questions that were answered before"),
    FindingCode.UNHANDLED_ERROR: _("errors that were not handled"),
    FindingCode.UNANSWERED: _("requests without an answer"),
    FindingCode.RETRIED_CALL: _("retries after an error"),
    FindingCode.CUT_OFF: _("recordings that end before the answer"),
}
"""In the order in which tables have them; what is no fault comes last."""
UNITS: dict[Unit, Text] = {
    Unit.CALL: pgettext("counted", "calls"),
    Unit.REPLY: pgettext("counted", "questions"),
    Unit.ERROR: pgettext("counted", "failed calls"),
    Unit.REQUEST: pgettext("counted", "requests"),
}
NO_ACCURACY = _("Without an annotation nobody can say what is right: these are findings with evidence, no accuracy.")
NAMELESS = _("(no name)")
NOTHING = "–"


def opening(tables: CheckTables) -> Iterator[Text]:
    """What was looked at, in a few lines."""
    yield _(
        "conversations: {conversations:,}, messages: {messages:,}, calls: {calls:,}",
        conversations=tables.conversations,
        messages=tables.messages,
        calls=tables.calls.total,
    )
    yield _(
        "Calls with faults: {calls:,} of {of_calls:,}; conversations with faults: {whole:,} of {of_whole:,}",
        calls=tables.calls.found,
        of_calls=tables.calls.total,
        whole=tables.whole.found,
        of_whole=tables.whole.total,
    )
    yield _(
        "Calls that fit their tool's definition: {valid:,} of {of_valid:,}",
        valid=tables.valid.found,
        of_valid=tables.valid.total,
    )
    if any(tables.untold.values()):
        yield ngettext(
            "Not judged: the tools on offer are not known for {count:,} call, the definition cannot be applied to "
            "{schemas:,}, and for {sources:,} nobody can tell where values come from",
            "Not judged: the tools on offer are not known for {count:,} calls, the definition cannot be applied to "
            "{schemas:,}, and for {sources:,} nobody can tell where values come from",
            count=tables.untold["names"],
            **tables.untold,
        )


def rate_text(rate: FoundRate) -> str:
    """A percentage."""
    return NOTHING if rate.value is None else f"{100 * rate.value:.1f}%"


def interval_text(rate: FoundRate) -> str:
    """Its interval."""
    return NOTHING if rate.ci95 is None else f"{100 * rate.ci95[0]:.1f} – {100 * rate.ci95[1]:.1f}"
