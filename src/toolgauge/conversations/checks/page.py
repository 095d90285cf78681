"""What was found, to be read: Markdown with the tables, and findings in their dialogues."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from toolgauge.chat import Message
from toolgauge.conversations.checks.check import CheckedConversation
from toolgauge.conversations.checks.findings import CallFinding, FindingCode, Place, Unit, brief, finding_texts
from toolgauge.conversations.checks.tables import CheckTables, FoundRate
from toolgauge.conversations.checks.words import NAMELESS, NO_ACCURACY, TITLES, UNITS, interval_text, opening, rate_text
from toolgauge.conversations.conversation import Conversation
from toolgauge.locale import Text, _, translated
from toolgauge.report.exports.escaping import code as code_span
from toolgauge.report.exports.escaping import plain

MOST_SHOWN = 5
"""Findings of a kind that are shown in their dialogues."""
MOST_MESSAGES = 8
LONGEST = 300
"""Characters of a message that are shown."""
_ROLES = {"system": _("system"), "user": _("user"), "assistant": _("assistant"), "tool": _("result")}


class _Shown(Struct, frozen=True):
    finding: CallFinding
    messages: tuple[tuple[int, Message], ...]


class Page:
    """Collects examples while conversations are checked; `lines` makes the page."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = finding_texts(language)
        self._shown: dict[FindingCode, list[_Shown]] = {}

    def add(self, conversation: Conversation, checked: CheckedConversation) -> None:
        """Keep the first finding of each kind of a conversation, as long as few of the kind are kept."""
        for code in dict.fromkeys(one.code for one in checked.findings):
            kept = self._shown.setdefault(code, [])
            if len(kept) < MOST_SHOWN:
                finding = next(one for one in checked.findings if one.code is code)
                kept.append(_Shown(finding, tuple(_around(finding, conversation))))

    def lines(self, tables: CheckTables) -> Iterator[str]:
        """The lines of the page."""
        yield "# " + self._say(_("Recorded conversations, checked without an annotation"))
        yield ""
        yield from (f"- {plain(self._say(line), 1000)}" for line in (*opening(tables), NO_ACCURACY))
        rows = {row.code: row for row in tables.rows}
        yield from self._table(
            _("finding"),
            [(plain(self._say(TITLES[one])), rows[one].rate, self._say(UNITS[one.unit])) for one in TITLES],
        )
        worst = [one for one in tables.tools if one.rate.found]
        if worst:
            calls = self._say(UNITS[Unit.CALL])
            heading = _("calls with a fault, by tool")
            yield from self._table(
                heading, [(code_span(one.tool or self._say(NAMELESS), in_table=True), one.rate, calls) for one in worst]
            )
        for one in TITLES:
            if one in self._shown:
                yield from self._examples(one, rows[one].rate)

    def _say(self, text: Text) -> str:
        return translated(text, self.language)

    def _table(self, heading: Text, rows: list[tuple[str, FoundRate, str]]) -> Iterator[str]:
        columns = (_("found"), _("of"), _("share"), _("{level} interval", level="95%"), _("conversations"))
        yield ""
        yield f"| {' | '.join((self._say(heading), *map(self._say, columns)))} |"
        yield "|---" + "|---:" * len(columns) + "|"
        for title, rate, unit in rows:
            cells = (title, f"{rate.found:,}", f"{rate.total:,} {unit}", rate_text(rate), interval_text(rate))
            yield f"| {' | '.join(cells)} | {rate.conversations:,} |"

    def _examples(self, code: FindingCode, rate: FoundRate) -> Iterator[str]:
        yield ""
        yield f"## {plain(self._say(TITLES[code]))} ({rate.found:,})"
        for one in self._shown[code]:
            finding = one.finding
            yield ""
            yield f"**{code_span(finding.conversation, 80)}**: {plain(finding.text(self._texts), 600)}  "
            if finding.other is not None and finding.other.value is not None:
                yield self._nearest(finding.code, finding.other)
            yield ""
            for position, message in one.messages:
                yield from self._message(position, message, finding)

    def _nearest(self, code: FindingCode, other: Place) -> str:
        """The evidence in a line of its own: where the value stands that comes nearest, or stood before."""
        value = code_span(other.value or "", 160)
        if other.message < 0:
            return self._say(_("Nearest name: {value}", value=value))
        where = _("message {number}", number=other.message + 1)
        if code in (FindingCode.ANSWERED_QUESTION, FindingCode.UNHANDLED_ERROR):
            return self._say(_("See {where}: {value}", where=where, value=value))
        return self._say(_("Nearest value, in {where}: {value}", where=where, value=value))

    def _message(self, position: int, message: Message, finding: CallFinding) -> Iterator[str]:
        role = self._say(_ROLES[message.role]) if message.role in _ROLES else plain(message.role, 40)
        begins = f"- {position + 1} · {role}"
        if message.content or not message.tool_calls:
            yield f"{begins}: {code_span(message.content or '', LONGEST)}"
        for index, call in enumerate(message.tool_calls):
            here = finding.at.message == position and finding.at.call in (index, None)
            said = code_span(f"{call.name}({brief(call.arguments)})", LONGEST)
            yield f"{begins} → {f'**{said}**' if here else said}"


def _around(finding: CallFinding, conversation: Conversation) -> Iterator[tuple[int, Message]]:
    """The messages of the finding and its evidence, and those beside and between them."""
    places = {finding.at.message} | ({finding.other.message} if finding.other and finding.other.message >= 0 else set())
    near = {one + away for one in places for away in (-1, 0, 1)}
    between = range(min(places), max(places) + 1)
    wanted = near | (set(between) if len(between) <= MOST_MESSAGES else set())
    user = next((one for one in range(finding.at.message, -1, -1) if conversation.messages[one].role == "user"), None)
    for position in sorted(wanted | ({user} if user is not None else set())):
        if 0 <= position < len(conversation.messages):
            yield position, conversation.messages[position]
