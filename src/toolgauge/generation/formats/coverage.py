"""coverage.json: what was asked for, what came of it, why the rest did not, and what was spent on either."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import UNSET, Struct, UnsetType, field

from toolgauge.chat import Reply, Usage
from toolgauge.episode import Trajectory
from toolgauge.generation.duplicates import DiversityFigures
from toolgauge.generation.formats.outcomes import Outcome, Produced, Rejection
from toolgauge.generation.paths import path_codes
from toolgauge.generation.setup import Slot
from toolgauge.models.endings import Ending, ending_of
from toolgauge.runs.budget import Pricing
from toolgauge.runs.store import RoleMap

COVERAGE_VERSION = 2
PRODUCED, REJECTED, MISSING = "produced", "rejected", "missing"
"""A slot has its dialogue, was given up after all its attempts, or was not reached (an endpoint, a budget)."""
_COUNTED = ("kinds", "types", "references", "drawn", "transitions", "tool_lists", "scenarios", "flagged", "rejected",
            "repairs", "cut_off")  # fmt: skip


class Slots(Struct, frozen=True):
    requested: int
    produced: int
    rejected: int
    missing: int


class PathCounts(Struct):
    """path: the kinds of its tasks; codes: the same in short; failed: why slots were given up, and how many."""

    path: str
    codes: str
    requested: int = 0
    produced: int = 0
    missing: int = 0
    failed: dict[str, int] = field(default_factory=dict)


class Paths(Struct, frozen=True):
    requested: int
    produced: int
    each: list[PathCounts]


class Attempts(Struct, frozen=True):
    """rejected: why, and how many; example: the evidence of one of the most frequent reason; repairs: why parts of
    tasks were made again, and how often."""

    begun: int
    rejected: dict[str, int]
    example: str
    repairs: dict[str, int]


class Spent(Struct, frozen=True):
    """cost: US dollars, None where a price is not known."""

    requests: int = 0
    input: int = 0
    output: int = 0
    cost: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.output


class Spending(Struct, frozen=True):
    """accepted: on the dialogues that are in the files; rejected: on attempts that were; unfinished: on dialogues that
    are under way."""

    accepted: Spent = Spent()
    rejected: Spent = Spent()
    unfinished: Spent = Spent()


class CoverageReport(Struct, frozen=True, kw_only=True):
    """What coverage.json holds. kinds ... flagged: of the dialogues that were made.

    references: as judged; references_drawn: as they had been dictated. tokens: of the finished slots, by the member
    that spent them (input, output). statistics: the figures of a data set; duplicates: where they are looked for.
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
    flagged: dict[str, int]
    tokens: dict[str, dict[str, int]]
    cost: float | None
    spending: Spending
    duplicates: int | None
    statistics: DiversityFigures
    cut_off: dict[str, int] | UnsetType = UNSET


class Purse:
    """Adds up requests, by the model that answered."""

    def __init__(self, role_map: RoleMap, price: Pricing) -> None:
        self._role_map, self._price = role_map, price
        self.requests = 0
        self.tokens: dict[str, Usage] = {}

    def pay(self, key: str, role: str, usage: Usage) -> None:
        """A request of the slot `key`."""
        member = self._role_map(key, role)
        self.tokens[member] = self.tokens.get(member, Usage()) + usage
        self.requests += 1

    def spent(self) -> Spent:
        whole = sum(self.tokens.values(), Usage())
        return Spent(self.requests, whole.input_tokens, whole.output_tokens, total_price(self._price, self.tokens))


def total_price(price: Pricing, spent: Mapping[str, Usage]) -> float | None:
    """US dollars for the tokens of several models; None where the price of one is not known."""
    parts = [price(member, usage) for member, usage in spent.items()]
    known = [part for part in parts if part is not None]
    return round(sum(known, 0.0), 6) if len(known) == len(parts) else None


class Coverage:
    """Counts slot by slot."""

    def __init__(self, role_map: RoleMap, price: Pricing) -> None:
        self._slots: Counter[str] = Counter()
        self._paths: dict[tuple[str, ...], PathCounts] = {}
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._begun = 0
        self._examples: dict[str, str] = {}
        self._purses = {name: Purse(role_map, price) for name in ("all", "accepted", "rejected", "unfinished")}

    def add(self, slot: Slot, trajectory: Trajectory | None, results: Sequence[Outcome] = ()) -> None:
        """Count a slot with what its attempts came to."""
        path = self._paths.setdefault(slot.path, PathCounts(",".join(slot.path), path_codes(slot.path)))
        path.requested += 1
        if trajectory is None:
            self._slots[MISSING] += 1
            path.missing += 1
            return
        for step in trajectory.steps:
            self._purses["all"].pay(slot.key, step.role, step.reply.usage)
            self._count_ending(step.role, step.reply)
        state, why = REJECTED, ""
        for attempt, outcome in results:
            self._begun += 1
            self._counts["repairs"].update(repair.reason for repair in attempt.repairs)
            purse = self._purses[REJECTED if isinstance(outcome, Rejection) else "accepted"]
            for step in trajectory.steps[attempt.first : attempt.end]:
                purse.pay(slot.key, step.role, step.reply.usage)
            if isinstance(outcome, Rejection):
                why = outcome.reason
                self._counts["rejected"][why] += 1
                self._examples.setdefault(why, f"{outcome.slot}: {outcome.evidence}")
            else:
                state = PRODUCED
                self._count_dialogue(outcome)
        self._slots[state] += 1
        if state == PRODUCED:
            path.produced += 1
        else:
            path.failed[why] = path.failed.get(why, 0) + 1

    def begun(self, key: str, role: str, reply: Reply) -> None:
        """Count a reply of a slot that is under way."""
        self._purses["unfinished"].pay(key, role, reply.usage)
        self._count_ending(role, reply)

    def _count_ending(self, role: str, reply: Reply) -> None:
        if ending_of(reply.finish_reason) is Ending.LIMIT:
            self._counts["cut_off"][role] += 1

    def _count_dialogue(self, produced: Produced) -> None:
        session, dialogue, counts = produced.session, produced.dialogue, self._counts
        kinds = [task.type.kind for task in session.tasks]
        counts["kinds"].update(kinds)
        counts["types"].update(task.type.value for task in session.tasks)
        counts["references"].update(task.reference.value for task in session.tasks)
        counts["drawn"].update(task.reference.value for task in dialogue.tasks)
        counts["transitions"].update(f"{before}>{after}" for before, after in pairwise(kinds))
        counts["flagged"].update({flag for task in dialogue.tasks for flag in task.flagged})
        counts["tool_lists"][dialogue.tool_list] += 1
        if dialogue.scenario is not None:
            counts["scenarios"][dialogue.scenario] += 1

    def report(self, language: str, duplicates: int | None, statistics: DiversityFigures) -> CoverageReport:
        """What the file says."""
        counts = {name: most_frequent(self._counts[name]) for name in _COUNTED}
        states = (self._slots[state] for state in (PRODUCED, REJECTED, MISSING))
        covered = sum(path.produced > 0 for path in self._paths.values())
        example = self._examples.get(next(iter(counts["rejected"]), ""), "")
        whole = self._purses["all"]
        return CoverageReport(
            language=language,
            slots=Slots(self._slots.total(), *states),
            paths=Paths(len(self._paths), covered, [*self._paths.values()]),
            attempts=Attempts(self._begun, counts["rejected"], example, counts["repairs"]),
            references_drawn=counts["drawn"],
            tokens={
                member: {"input": usage.input_tokens, "output": usage.output_tokens}
                for member, usage in sorted(whole.tokens.items())
            },
            cost=whole.spent().cost,
            spending=Spending(*(self._purses[name].spent() for name in ("accepted", "rejected", "unfinished"))),
            duplicates=duplicates,
            statistics=statistics,
            cut_off=counts["cut_off"] or UNSET,
            kinds=counts["kinds"],
            types=counts["types"],
            references=counts["references"],
            transitions=counts["transitions"],
            tool_lists=counts["tool_lists"],
            scenarios=counts["scenarios"],
            flagged=counts["flagged"],
        )


def most_frequent(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
