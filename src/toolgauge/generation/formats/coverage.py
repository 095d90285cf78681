"""coverage.json: what was asked for, what came of it, and why the rest did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, field

from toolgauge.chat import Json, Usage
from toolgauge.data.session import Session
from toolgauge.episode import Trajectory
from toolgauge.generation.paths import CODES
from toolgauge.generation.setup import Slot
from toolgauge.runs.budget import Pricing
from toolgauge.runs.store import RoleMap

COVERAGE_VERSION = 1
PRODUCED, REJECTED, MISSING = "produced", "rejected", "missing"
"""A slot has its dialogue, was given up after all its attempts, or was not reached (an endpoint, a budget)."""


class _Path(Struct):
    """The slots of one path."""

    requested: int = 0
    produced: int = 0
    missing: int = 0
    failed: Counter[str] = field(default_factory=Counter)


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
        attempts: list[Json] = trajectory.extra.get("attempts", [])
        self._attempts += len(attempts)
        failed = [str(attempt["failed"]) for attempt in attempts if "failed" in attempt]
        self._reasons.update(failed)
        for verdict in trajectory.extra.get("gates") or ():
            self._count_gate(verdict)
        self._count_tokens(trajectory)
        if state == PRODUCED and session is not None:
            path.produced += 1
            self._count_session(slot, session, str(attempts[-1].get("tool_list", "")) if attempts else "")
        elif state == REJECTED:
            path.failed[failed[-1] if failed else "gate:duplicates"] += 1

    def reject(self, reason: str) -> None:
        """Count a dialogue that passed everything of its own and is rejected for another one's sake."""
        self._reasons[reason] += 1

    def wire(self, language: str, more: Json) -> Json:
        """The content of the file. more: further keys (statistics, duplicates)."""
        usages = dict(sorted(self._spent.items()))
        return {
            "version": COVERAGE_VERSION,
            "language": language,
            "slots": {"requested": self._slots.total(), **{k: self._slots[k] for k in (PRODUCED, REJECTED, MISSING)}},
            "paths": {
                "requested": len(self._paths),
                "produced": sum(path.produced > 0 for path in self._paths.values()),
                "each": [_wire_path(kinds, path) for kinds, path in self._paths.items()],
            },
            "attempts": {"begun": self._attempts, "rejected": _sorted(self._reasons)},
            **{name: _sorted(counts) for name, counts in self._counts.items()},
            "gates": {name: dict(sorted(counts.items())) for name, counts in sorted(self._gates.items())},
            "tokens": {member: _tokens(usage) for member, usage in usages.items()},
            "cost": self._cost(),
            **more,
        }

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


def _wire_path(kinds: Sequence[str], path: _Path) -> Json:
    return {
        "path": ",".join(kinds),
        "codes": ".".join(CODES[kind] for kind in kinds),
        "requested": path.requested,
        "produced": path.produced,
        "missing": path.missing,
        "failed": _sorted(path.failed),
    }


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _tokens(usage: Usage) -> dict[str, int]:
    return {"input": usage.input_tokens, "output": usage.output_tokens}
