"""Findings in a file of conversations counted, with 95% intervals clustered by conversation: `toolgauge score DIR`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from toolgauge.analysis.rates import rate_of
from toolgauge.analysis.terminal import headed_table
from toolgauge.errors import UsageError
from toolgauge.files import read_marker, replacing, require_new, write_whole
from toolgauge.logs.checks import LONGEST_NAME, SCHEMA, TITLES, CheckedCall, Finding, FindingCode, check_conversation
from toolgauge.logs.files import read_conversations

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

FINDINGS, TABLES = "checks.jsonl", "checks.json"
VERSION = 2
MOST_TOOLS = 100
"""Tools that are listed, the worst first."""
SHOWN_TOOLS, SHOWN_FINDINGS = 10, 5


class FoundRate(Struct, frozen=True):
    """found of total; conversations: in how many of them at least one was found. value: from 0 to 1; it and its
    interval are None without a total."""

    found: int
    total: int
    conversations: int
    value: float | None = None
    ci95: tuple[float, float] | None = None


class CodeRow(Struct, frozen=True):
    """How often something was found. unit: "calls", or "failed calls"."""

    code: FindingCode
    unit: str
    rate: FoundRate


class ToolRow(Struct, frozen=True):
    """Calls of a tool with at least one finding; codes: how many calls with each."""

    tool: str
    rate: FoundRate
    codes: dict[FindingCode, int] = {}


class CheckTables(Struct, frozen=True, tag_field="kind", tag="toolgauge.checks"):
    """checks.json. accuracy is always None: nothing here says whether an answer was right.

    calls: with at least one finding; whole: conversations with at least one; valid: calls that fit their tool's
    definition, of those of which that can be decided. undecided: calls of which the log does not have the tools, or
    nobody can decide whether they fit.
    """

    conversations: int
    messages: int
    calls: FoundRate
    whole: FoundRate
    valid: FoundRate
    rows: tuple[CodeRow, ...]
    tools: tuple[ToolRow, ...]
    undecided: dict[str, int]
    examples: tuple[Finding, ...] = ()
    more_tools: int = 0
    accuracy: None = None
    version: int = VERSION


class _Counts:
    """Found and possible, conversation by conversation; those without any possible one are no cluster."""

    def __init__(self) -> None:
        self.found: list[int] = []
        self.total: list[int] = []

    def add(self, found: int, total: int) -> None:
        if total:
            self.found.append(found)
            self.total.append(total)

    def rate(self) -> FoundRate:
        rate = rate_of(self.found, self.total)
        return FoundRate(int(rate.correct), rate.total, sum(map(bool, self.found)), rate.value, rate.ci95)


def _can_have(call: CheckedCall, code: FindingCode) -> bool:
    """Can this be found of a call at all?"""
    if code is FindingCode.UNKNOWN_TOOL:
        return call.by_name
    if code in SCHEMA:
        return call.by_schema
    return call.failed if code is FindingCode.ERROR_AS_SUCCESS else True


class _Tally:
    """Counts the calls of conversations, one after the other."""

    def __init__(self) -> None:
        self.conversations = self.messages = 0
        self.codes = {code: _Counts() for code in FindingCode}
        self.calls, self.whole, self.valid = _Counts(), _Counts(), _Counts()
        self.tools: dict[str, _Counts] = {}
        self.of_tool: dict[str, dict[FindingCode, int]] = {}
        self.undecided = {"names": 0, "schemas": 0}
        self.examples: dict[FindingCode, Finding] = {}

    def add(self, calls: list[CheckedCall], messages: int) -> None:
        self.conversations += 1
        self.messages += messages
        codes_by_call = [{finding.code for finding in call.findings} for call in calls]
        for code, counts in self.codes.items():
            possible = [codes for call, codes in zip(calls, codes_by_call, strict=True) if _can_have(call, code)]
            counts.add(sum(code in codes for codes in possible), len(possible))
        self.calls.add(sum(map(bool, codes_by_call)), len(calls))
        self.whole.add(any(codes_by_call), 1)
        decided = [codes for call, codes in zip(calls, codes_by_call, strict=True) if call.by_schema]
        self.valid.add(sum(codes.isdisjoint(SCHEMA) for codes in decided), len(decided))
        self.undecided["names"] += sum(not call.by_name for call in calls)
        self.undecided["schemas"] += sum(not call.by_schema for call in calls)
        by_tool: dict[str, list[set[FindingCode]]] = {}
        for call, codes in zip(calls, codes_by_call, strict=True):
            by_tool.setdefault(call.tool[:LONGEST_NAME], []).append(codes)
            for finding in call.findings:
                self.examples.setdefault(finding.code, finding)
        for name, listed in by_tool.items():
            self.tools.setdefault(name, _Counts()).add(sum(map(bool, listed)), len(listed))
            counted = self.of_tool.setdefault(name, {})
            for code in (code for codes in listed for code in codes):
                counted[code] = counted.get(code, 0) + 1

    def tables(self) -> CheckTables:
        """The tables; the tools that surely have the most findings first."""
        rows = tuple(
            CodeRow(code, "failed calls" if code is FindingCode.ERROR_AS_SUCCESS else "calls", counts.rate())
            for code, counts in self.codes.items()
        )
        tools = [ToolRow(name, counts.rate(), self.of_tool.get(name, {})) for name, counts in self.tools.items()]
        tools.sort(key=lambda row: (-(row.rate.ci95 or (0.0, 0.0))[0], -row.rate.found, row.tool))
        return CheckTables(
            self.conversations, self.messages, self.calls.rate(), self.whole.rate(), self.valid.rate(), rows,
            tuple(tools[:MOST_TOOLS]), self.undecided, tuple(self.examples.values()), max(0, len(tools) - MOST_TOOLS),
        )  # fmt: skip


def check_log(path: Path, overwrite: bool = False) -> CheckTables:
    """Check every conversation of a file and write what was found beside it: checks.jsonl and checks.json.

    Those of an earlier check are replaced. Raises DataError where the file cannot be read, UsageError where other files
    have these names and are not to be overwritten.
    """
    folder = path.parent
    replaced = overwrite or read_marker(folder / TABLES, CheckTables) is not None
    for name in (FINDINGS, TABLES):
        require_new(folder / name, replaced, inputs=[path])
    tally = _Tally()
    with replacing(folder / FINDINGS) as file:
        for conversation in read_conversations(path):
            calls = check_conversation(conversation)
            file.writelines(msgspec.json.encode(finding) + b"\n" for call in calls for finding in call.findings)
            tally.add(calls, len(conversation.messages))
        if not tally.conversations:
            raise UsageError(f"{path}: no conversation in this file")
    tables = tally.tables()
    write_whole(folder / TABLES, msgspec.json.format(msgspec.json.encode(tables), indent=1) + b"\n")
    return tables


def show_checks(tables: CheckTables, console: Console) -> None:
    """Print the tables, and an example of each kind."""
    calls, whole, valid = tables.calls, tables.whole, tables.valid
    print_ = console.print
    print_(
        f"conversations: {tables.conversations:,}, messages: {tables.messages:,}, calls: {calls.total:,}",
        highlight=False,
    )
    print_(
        f"Calls with findings: {calls.found:,} of {calls.total:,}; conversations: {whole.found:,} of {whole.total:,}",
        highlight=False,
    )
    print_(f"Calls that fit their tool's definition: {valid.found:,} of {valid.total:,}", highlight=False)
    print_(
        "No accuracy: there is no gold, and a call without a finding may still be the wrong one.",
        style="dim",
        highlight=False,
    )
    print_()
    table = _table("finding", console)
    for row in tables.rows:
        _add(table, TITLES[row.code], row.rate, row.unit)
    print_(table)
    worst = [row for row in tables.tools if row.rate.found][:SHOWN_TOOLS]
    if worst:
        print_()
        table = _table("calls with findings, by tool", console)
        for tool in worst:
            _add(table, tool.tool or "(no name)", tool.rate, "calls")
        print_(table)
        print_()
    for example in tables.examples[:SHOWN_FINDINGS]:
        place = f"{example.tool}({example.path})" if example.path else example.tool
        value = f": {example.value}" if example.value else f" (nearest: {example.near})" if example.near else ""
        text = f"e.g. {example.conversation}, message {example.message}: {place}: {TITLES[example.code]}{value}"
        console.print(text, style="dim", highlight=False, markup=False)


def _table(heading: str, console: Console) -> Table:
    table = headed_table(heading)
    table.width = min(92, console.width)
    for column in ("found", "of", "", "share", "95% interval", "conversations"):
        table.add_column(column, justify="right")
    return table


def _add(table: Table, title: str, rate: FoundRate, unit: str) -> None:
    share = "–" if rate.value is None else f"{rate.value:.1%}"
    interval = "–" if rate.ci95 is None else f"{rate.ci95[0]:.1%} to {rate.ci95[1]:.1%}"
    cells = (f"{rate.found:,}", f"{rate.total:,}", unit, share, interval, f"{rate.conversations:,}")
    table.add_row(title, *cells, style="" if rate.found else "dim")
