"""coverage.json: what was asked for, what came of it, and why the rest did not."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

from msgspec import UNSET, Struct, UnsetType, field

from toolgauge.annotation.graph import DRAWN
from toolgauge.chat import Reply
from toolgauge.episode import Step, Trajectory
from toolgauge.generation.attempts import thrown_away
from toolgauge.generation.duplicates import DiversityFigures
from toolgauge.generation.formats.outcomes import Outcome, Produced, Rejection
from toolgauge.generation.formats.spending import Answered, Purse, Spending
from toolgauge.generation.paths import CODES
from toolgauge.generation.setup import Slot
from toolgauge.models.endings import Ending, ending_of
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
    repairs: dict[str, int] = {}
    thrown_away: int = 0


class Tokens(Struct, frozen=True):
    input: int
    output: int


class CoverageReport(Struct, frozen=True, kw_only=True):
    """What coverage.json holds. kinds ... scenarios: of the dialogues that were made; gates: what each filter passed.

    references: as found in the messages; references_drawn: as they had been dictated.
    tokens: of the finished slots, by the member that spent them; cost: US dollars, None where a price is not known;
    spending: what became of it. statistics: the figures of a data set; duplicates: where they are looked for.
    cut_off: replies that the token limit ended, by role, also in slots that are under way; UNSET where there are none.
    """

    version: int = COVERAGE_VERSION
    language: str
    slots: Slots
    paths: Paths
    attempts: Attempts
    kinds: dict[str, int]
    types: dict[str, int]
    references: dict[str, int]
    references_drawn: dict[str, int]
    transitions: dict[str, int]
    tool_lists: dict[str, int]
    scenarios: dict[str, int]
    gates: dict[str, dict[str, int]]
    tokens: dict[str, Tokens]
    cost: float | None
    spending: Spending
    duplicates: int | None
    statistics: DiversityFigures
    cut_off: dict[str, int] | UnsetType = UNSET


class Coverage:
    """Counts slot by slot."""

    def __init__(self, role_map: RoleMap, price: Pricing) -> None:
        self._slots: Counter[str] = Counter()
        self._paths: dict[tuple[str, ...], _Path] = {}
        self._counts: dict[str, Counter[str]] = {
            name: Counter()
            for name in ("kinds", "types", "references", "drawn", "transitions", "tool_lists", "scenarios")
        }
        self._attempts, self._rejected = 0, Counter[str]()
        self._repairs, self._cut_off = Counter[str](), Counter[str]()
        self._gates: dict[str, Counter[str]] = {}
        purse = partial(Purse, role_map, price)
        self._all, self._accepted, self._gone, self._unfinished = purse(), purse(), purse(), purse()
        self._wasted: defaultdict[str, Purse] = defaultdict(purse)

    def add(self, slot: Slot, trajectory: Trajectory | None, results: Iterable[Outcome] = ()) -> None:
        """Count a slot with what its attempts came to."""
        path = self._paths.setdefault(slot.path, _Path())
        path.requested += 1
        if trajectory is None:
            self._slots[MISSING] += 1
            path.missing += 1
            return
        self._all.add(slot.key, answered(trajectory.steps))
        for step in trajectory.steps:
            self._count_ending(step.role, step.reply)
        for verdict in trajectory.extra.get("gates") or ():
            self._count_gate(verdict)
        fills, why = False, ""
        for kept, one in results:
            self._attempts += 1
            self._repairs.update(repair.reason for repair in kept.attempt.repairs)
            gone = thrown_away(kept.attempt.repairs)
            self._gone.add(slot.key, answered(step for number, step in kept.numbered if number in gone))
            if isinstance(one, Rejection):
                why = one.reason
                self._rejected[why] += 1
                self._wasted[why].add(slot.key, answered(kept.steps))
            else:
                fills = True
                self._accepted.add(slot.key, answered(kept.steps))
                self._count_dialogue(one)
        self._slots[PRODUCED if fills else REJECTED] += 1
        if fills:
            path.produced += 1
        else:
            path.failed[why] += 1

    def begun(self, key: str, role: str, reply: Reply) -> None:
        """Count a reply of a slot that is under way."""
        self._unfinished.add(key, [(role, reply.usage)])
        self._count_ending(role, reply)

    def _count_ending(self, role: str, reply: Reply) -> None:
        if ending_of(reply.finish_reason) is Ending.LIMIT:
            self._cut_off[role] += 1

    def report(self, language: str, duplicates: int | None, statistics: DiversityFigures) -> CoverageReport:
        """What the file says."""
        states = (self._slots[state] for state in (PRODUCED, REJECTED, MISSING))
        covered = sum(path.produced > 0 for path in self._paths.values())
        return CoverageReport(
            language=language,
            slots=Slots(self._slots.total(), *states),
            paths=Paths(len(self._paths), covered, [_counts(kinds, path) for kinds, path in self._paths.items()]),
            attempts=Attempts(
                self._attempts,
                _sorted(self._rejected),
                _sorted(self._repairs),
                self._gone.requests,
            ),
            kinds=_sorted(self._counts["kinds"]),
            types=_sorted(self._counts["types"]),
            references=_sorted(self._counts["references"]),
            references_drawn=_sorted(self._counts["drawn"]),
            transitions=_sorted(self._counts["transitions"]),
            tool_lists=_sorted(self._counts["tool_lists"]),
            scenarios=_sorted(self._counts["scenarios"]),
            gates={name: dict(sorted(counts.items())) for name, counts in sorted(self._gates.items())},
            tokens={
                member: Tokens(usage.input_tokens, usage.output_tokens)
                for member, usage in sorted(self._all.tokens.items())
            },
            cost=self._all.spent().cost,
            spending=self._spending(),
            duplicates=duplicates,
            statistics=statistics,
            cut_off=_sorted(self._cut_off) or UNSET,
        )

    def _spending(self) -> Spending:
        wasted = {why: self._wasted[why].spent() for why in _sorted(self._rejected)}
        return Spending(self._accepted.spent(), wasted, self._gone.spent(), self._unfinished.spent())

    def _count_dialogue(self, produced: Produced) -> None:
        session, dialogue = produced.session, produced.dialogue
        kinds = [task.type.kind for task in session.tasks]
        self._counts["kinds"].update(kinds)
        self._counts["types"].update(task.type.value for task in session.tasks)
        self._counts["references"].update(task.reference.value for task in session.tasks)
        self._counts["drawn"].update(str(task.extra.get(DRAWN, task.reference.value)) for task in session.tasks)
        self._counts["transitions"].update(f"{before}>{after}" for before, after in pairwise(kinds))
        self._counts["tool_lists"][dialogue.tool_list] += 1
        if dialogue.scenario is not None:
            self._counts["scenarios"][dialogue.scenario] += 1

    def _count_gate(self, verdict: Mapping[str, object]) -> None:
        counts = self._gates.setdefault(str(verdict.get("gate", "")), Counter())
        counts["passed" if verdict.get("passed") else "failed"] += 1


def answered(steps: Iterable[Step]) -> Iterator[Answered]:
    """What is counted of steps."""
    return ((step.role, step.reply.usage) for step in steps)


def _counts(kinds: Sequence[str], path: _Path) -> PathCounts:
    codes = ".".join(CODES[kind] for kind in kinds)
    return PathCounts(",".join(kinds), codes, path.requested, path.produced, path.missing, _sorted(path.failed))


def _sorted(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
