"""coverage.json: what was asked for, what came of it, and why the rest did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import UNSET, Struct, field

from toolgauge.chat import Usage
from toolgauge.data.session import Session
from toolgauge.episode import Trajectory
from toolgauge.generation.attempts import attempts_of, thrown_away
from toolgauge.generation.duplicates import DiversityFigures
from toolgauge.generation.paths import CODES
from toolgauge.generation.setup import Slot
from toolgauge.runs.budget import Pricing
from toolgauge.runs.store import RoleMap

COVERAGE_VERSION = 1
PRODUCED, REJECTED, MISSING = "produced", "rejected", "missing"
"""A slot has its dialogue, was given up after all its attempts, or was not reached (an endpoint, a budget)."""


class _Path(Struct):
    requested: int = 0
    produced: int = 0
    missing: int = 0
    failed: Counter[str] = field(default_factory=Counter)


class Slots(Struct, frozen=True):
    requested: int
    produced: int
    rejected: int
    missing: int


class PathCounts(Struct, frozen=True):
    """path: the kinds of its tasks; codes: the same in short; failed: why slots were given up, and how many."""

    path: str
    codes: str
    requested: int
    produced: int
    missing: int
    failed: dict[str, int]


class Paths(Struct, frozen=True):
    requested: int
    produced: int
    each: list[PathCounts]


class Attempts(Struct, frozen=True):
    """rejected: why, and how many; repairs: why parts of tasks were made again, and how often; thrown_away: the
    requests for what was there before."""

    begun: int
    rejected: dict[str, int]
    repairs: dict[str, int]
    thrown_away: int


class Tokens(Struct, frozen=True):
    input: int
    output: int


class CoverageReport(Struct, frozen=True, kw_only=True):
    """What coverage.json holds. kinds ... scenarios: of the dialogues that were made; gates: what each filter passed.

    tokens: by the member that spent them; cost: US dollars, None where a price is not known. statistics: the figures of
    a data set; duplicates: where they are looked for.
    """

    version: int = COVERAGE_VERSION
    language: str
    slots: Slots
    paths: Paths
    attempts: Attempts
    kinds: dict[str, int]
    types: dict[str, int]
    references: dict[str, int]
    transitions: dict[str, int]
    tool_lists: dict[str, int]
    scenarios: dict[str, int]
    gates: dict[str, dict[str, int]]
    tokens: dict[str, Tokens]
    cost: float | None
    duplicates: int | None
    statistics: DiversityFigures


class Coverage:
    """Counts slot by slot."""

    def __init__(self, role_map: RoleMap, price: Pricing) -> None:
        self._role_map, self._price = role_map, price
        self._slots: Counter[str] = Counter()
        self._paths: dict[tuple[str, ...], _Path] = {}
        self._counts: dict[str, Counter[str]] = {
            name: Counter() for name in ("kinds", "types", "references", "transitions", "tool_lists", "scenarios")
        }
        self._attempts, self._reasons = 0, Counter[str]()
        self._repairs, self._thrown_away = Counter[str](), 0
        self._gates: dict[str, Counter[str]] = {}
        self._spent: dict[str, Usage] = {}

    def add(self, slot: Slot, trajectory: Trajectory | None, state: str, session: Session | None = None) -> None:
        """Count a slot. session: of a produced one."""
        path = self._paths.setdefault(slot.path, _Path())
        path.requested += 1
        self._slots[state] += 1
        if trajectory is None:
            path.missing += 1
            return
        attempts = attempts_of(trajectory)
        self._attempts += len(attempts)
        failed = [attempt.failed for attempt in attempts if attempt.failed is not UNSET]
        self._reasons.update(failed)
        repairs = [repair for attempt in attempts for repair in attempt.repairs]
        self._repairs.update(repair.reason for repair in repairs)
        self._thrown_away += len(thrown_away(repairs))
        for verdict in trajectory.extra.get("gates") or ():
            self._count_gate(verdict)
        self._count_tokens(trajectory)
        if state == PRODUCED and session is not None:
            path.produced += 1
            self._count_session(slot, session, attempts[-1].tool_list or "" if attempts else "")
        elif state == REJECTED:
            path.failed[failed[-1] if failed else "gate:duplicates"] += 1

    def reject(self, reason: str) -> None:
        """Count a dialogue that passed everything of its own and is rejected for another one's sake."""
        self._reasons[reason] += 1

    def report(self, language: str, duplicates: int | None, statistics: DiversityFigures) -> CoverageReport:
        """What the file says."""
        states = (self._slots[state] for state in (PRODUCED, REJECTED, MISSING))
        covered = sum(path.produced > 0 for path in self._paths.values())
        return CoverageReport(
            language=language,
            slots=Slots(self._slots.total(), *states),
            paths=Paths(len(self._paths), covered, [_counts(kinds, path) for kinds, path in self._paths.items()]),
            attempts=Attempts(self._attempts, _sorted(self._reasons), _sorted(self._repairs), self._thrown_away),
            kinds=_sorted(self._counts["kinds"]),
            types=_sorted(self._counts["types"]),
            references=_sorted(self._counts["references"]),
            transitions=_sorted(self._counts["transitions"]),
            tool_lists=_sorted(self._counts["tool_lists"]),
            scenarios=_sorted(self._counts["scenarios"]),
            gates={name: dict(sorted(counts.items())) for name, counts in sorted(self._gates.items())},
            tokens={
                member: Tokens(usage.input_tokens, usage.output_tokens) for member, usage in sorted(self._spent.items())
            },
            cost=self._cost(),
            duplicates=duplicates,
            statistics=statistics,
        )

    def _count_session(self, slot: Slot, session: Session, tool_list: str) -> None:
        kinds = [task.type.kind for task in session.tasks]
        self._counts["kinds"].update(kinds)
        self._counts["types"].update(task.type.value for task in session.tasks)
        self._counts["references"].update(task.reference.value for task in session.tasks)
        self._counts["transitions"].update(f"{before}>{after}" for before, after in pairwise(kinds))
        self._counts["tool_lists"][tool_list] += 1
        if slot.scenario is not None:
            self._counts["scenarios"][slot.scenario.id] += 1

    def _count_gate(self, verdict: Mapping[str, object]) -> None:
        counts = self._gates.setdefault(str(verdict.get("gate", "")), Counter())
        counts["passed" if verdict.get("passed") else "failed"] += 1

    def _count_tokens(self, trajectory: Trajectory) -> None:
        for step in trajectory.steps:
            member = self._role_map(trajectory.task_id, step.role)
            self._spent[member] = self._spent.get(member, Usage()) + step.reply.usage

    def _cost(self) -> float | None:
        """US dollars; None where a price is not known."""
        parts = [self._price(member, usage) for member, usage in self._spent.items()]
        known = [part for part in parts if part is not None]
        return round(sum(known), 6) if len(known) == len(parts) else None


def _counts(kinds: Sequence[str], path: _Path) -> PathCounts:
    codes = ".".join(CODES[kind] for kind in kinds)
    return PathCounts(",".join(kinds), codes, path.requested, path.produced, path.missing, _sorted(path.failed))


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
