"""Findings counted: how often, of how many, with 95% intervals clustered by conversation. None of it is an accuracy."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from toolgauge.analysis.intervals import clustered_interval
from toolgauge.artefacts import DIGITS
from toolgauge.conversations.checks.check import CheckedConversation
from toolgauge.conversations.checks.findings import SCHEMA, FindingCode, Unit

VERSION = 1
MOST_TOOLS = 100
"""Tools that are listed, the worst first."""
LONGEST_NAME = 200


class FoundRate(Struct, frozen=True):
    """found of total, clustered by conversation; conversations: in how many of them at least one was found.

    value: from 0 to 1; it and its interval are None without a total.
    """

    found: int
    total: int
    conversations: int
    value: float | None = None
    ci95: tuple[float, float] | None = None


class CodeRow(Struct, frozen=True):
    """How often something was found. unit: of what there are `total`; fault: see `FindingCode.is_fault`."""

    code: FindingCode
    unit: Unit
    fault: bool
    rate: FoundRate


class ToolRow(Struct, frozen=True):
    """Calls of a tool with at least one fault; codes: how many calls with each."""

    tool: str
    rate: FoundRate
    codes: dict[FindingCode, int] = {}


class CheckTables(Struct, frozen=True, tag_field="kind", tag="toolgauge.checks"):
    """checks.json. accuracy is always None: nothing here says whether an answer was right.

    calls: with at least one fault; whole: conversations with at least one; valid: calls that fit their tool's
    definition, of those of which that can be decided. untold: calls of which the log does not
    tell, or nobody can decide, what their tool's definition says, and where their values come from.
    """

    conversations: int
    messages: int
    calls: FoundRate
    whole: FoundRate
    valid: FoundRate
    rows: tuple[CodeRow, ...]
    tools: tuple[ToolRow, ...]
    untold: dict[Literal["names", "schemas", "sources"], int]
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
        found, total = sum(self.found), sum(self.total)
        ends = clustered_interval(self.found, self.total) if total else None
        interval = None if ends is None else (round(ends[0], DIGITS), round(ends[1], DIGITS))
        value = round(found / total, DIGITS) if total else None
        return FoundRate(found, total, sum(map(bool, self.found)), value, interval)


class Tally:
    """Counts checked conversations, one after the other."""

    def __init__(self) -> None:
        self.conversations = self.messages = 0
        self._codes = {code: _Counts() for code in FindingCode}
        self._tools: dict[str, _Counts] = {}
        self._of_tool: dict[str, dict[FindingCode, int]] = {}
        self._calls, self._whole, self._valid = _Counts(), _Counts(), _Counts()
        self._untold: dict[Literal["names", "schemas", "sources"], int] = {"names": 0, "schemas": 0, "sources": 0}

    def add(self, one: CheckedConversation) -> None:
        self.conversations += 1
        self.messages += one.messages
        for code, counts in self._codes.items():
            if code.unit is Unit.CALL:
                possible = [call for call in one.calls if call.can_be(code)]
                counts.add(sum(code in call.found for call in possible), len(possible))
            else:
                counts.add(sum(found.code is code for found in one.findings), one.units[code.unit])
        faulty = [any(code.is_fault for code in call.found) for call in one.calls]
        self._calls.add(sum(faulty), len(faulty))
        decided = [call for call in one.calls if call.by_schema]
        self._valid.add(sum(call.found.isdisjoint(SCHEMA) for call in decided), len(decided))
        self._whole.add(any(found.code.is_fault for found in one.findings), 1)
        self._untold["names"] += sum(not call.by_name for call in one.calls)
        self._untold["schemas"] += sum(not call.by_schema for call in one.calls)
        self._untold["sources"] += sum(not call.by_source for call in one.calls)
        self._add_tools(one)

    def _add_tools(self, one: CheckedConversation) -> None:
        by_tool: dict[str, list[int]] = {}
        for call in one.calls:
            name = call.tool[:LONGEST_NAME]
            counts = by_tool.setdefault(name, [0, 0])
            counts[0] += any(code.is_fault for code in call.found)
            counts[1] += 1
            for code in call.found:
                of_tool = self._of_tool.setdefault(name, {})
                of_tool[code] = of_tool.get(code, 0) + 1
        for name, (found, total) in by_tool.items():
            self._tools.setdefault(name, _Counts()).add(found, total)

    def tables(self) -> CheckTables:
        """The tables; the tools that surely have the most faults first."""
        rows = tuple(CodeRow(code, code.unit, code.is_fault, counts.rate()) for code, counts in self._codes.items())
        tools = [ToolRow(name, counts.rate(), self._of_tool.get(name, {})) for name, counts in self._tools.items()]
        tools.sort(key=lambda one: (-(one.rate.ci95 or (0.0, 0.0))[0], -one.rate.found, one.tool))
        more = max(0, len(tools) - MOST_TOOLS)
        return CheckTables(
            self.conversations, self.messages, self._calls.rate(), self._whole.rate(), self._valid.rate(), rows,
            tuple(tools[:MOST_TOOLS]), self._untold, more,
        )  # fmt: skip
