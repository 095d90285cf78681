"""Is this endpoint the same model? Two runs on the same tasks, reply by reply.

What the operators of vendor verifiers measure (Moonshot AI's Kimi vendor verifier and those that followed it), and what
they leave out. Compared are the first replies of each conversation: their requests are alike to the last character,
later ones depend on what was answered before.

- whether to call: agreement, and the F1 of calling with the reference as truth (their `tool_call_f1`);
- valid calls: of the replies with calls, those whose calls all name a tool on offer and fit its schema (their
  `schema_accuracy`);
- names, arguments: of the replies in which both call, those with the same tools; of these, those with the same
  arguments;
- accuracy: the tasks that are right.

No model agrees with itself all the time, so the yardstick is the reference against itself: its epochs are compared with
one another, and the question is how much less the other endpoint agrees with it than it does itself. Each of the
measures is a non-inferiority test with the margin that was asked for (`gate.no_drop`), over sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import Struct

from toolgauge.analysis.compare.differences import PairedRow, paired_intervals, paired_replicates
from toolgauge.analysis.gate import Decision, Outcome, no_drop, together
from toolgauge.chat import Json, Reply, Tool
from toolgauge.data.schemas import closed
from toolgauge.data.validation import SchemaValidator, check_schema
from toolgauge.episode import Trajectory
from toolgauge.judge.arguments import BadJson, read_arguments

MARGIN = 0.05
"""By how much the endpoint may fall short of the reference, unless something else is asked for."""
AGREEMENTS = ("call", "names", "arguments")
"""Measures of two replies to one request: each is counted where the one before it agrees on a call."""


class FirstReply(Struct, frozen=True):
    """What a model did first. calls: (tool, arguments as JSON in one spelling) of each call, sorted; valid: do all of
    them fit a tool on offer; None without calls."""

    calls: tuple[tuple[str, str], ...]
    valid: bool | None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.calls)


class Asked(Struct, frozen=True):
    """A task of a run. replies: the first reply of each epoch, in their order; right: of each scored epoch."""

    session: str
    replies: tuple[FirstReply, ...]
    right: tuple[bool, ...] = ()


class Trigger(Struct, frozen=True):
    """Who called a tool: both, only the endpoint, only the reference, neither; in pairs of replies."""

    both: int
    only_endpoint: int
    only_reference: int
    neither: int

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall of calling, the reference being the truth."""
        calls = 2 * self.both + self.only_endpoint + self.only_reference
        return 2 * self.both / calls if calls else None


class Measure(Struct, frozen=True):
    """One measure. reference: of the reference (against itself, where two replies are compared), None without a
    yardstick; endpoint: of the endpoint (against the reference); pairs: how many replies or tasks were counted for it.
    decision: None where there is nothing to compare with."""

    name: str
    reference: float | None
    endpoint: float | None
    pairs: int
    decision: Decision | None


class Verification(Struct, frozen=True):
    """The answer. outcome: "holds" where every measure does, "fails" where one does. yardstick: has the reference
    several epochs, so that its agreement with itself is known?"""

    outcome: Outcome
    margin: float
    tasks: int
    yardstick: bool
    trigger: Trigger
    measures: list[Measure]


class _Count(NamedTuple):
    """Hits and trials of one measure in one task."""

    hits: float = 0
    trials: float = 0


def first_reply(reply: Reply, tools: Mapping[str, Callable[[object], bool]]) -> FirstReply:
    """What a reply did. tools: by name, whether arguments fit the tool."""
    made, valid = [], True
    for call in reply.tool_calls:
        arguments = read_arguments(call.arguments)
        name = call.name if isinstance(call.name, str) else ""
        valid = valid and name in tools and not isinstance(arguments, BadJson) and tools[name](arguments)
        made.append((name, _spelling(call.arguments if isinstance(arguments, BadJson) else arguments)))
    return FirstReply(tuple(sorted(made)), valid if made else None)


def asked(trajectories: Iterable[Trajectory], right: Mapping[str, bool]) -> dict[str, Asked]:
    """The tasks of a run by id, without epochs. right: by id of a scored task (with its epoch), is it right?"""
    found: dict[str, list[Trajectory]] = {}
    for trajectory in trajectories:
        if trajectory.steps:
            found.setdefault(trajectory.task_id.partition("#")[0], []).append(trajectory)
    checks: dict[bytes, Mapping[str, Callable[[object], bool]]] = {}
    tasks = {}
    for task_id, passes in found.items():
        passes.sort(key=lambda one: one.epoch)
        replies = []
        for trajectory in passes:
            key = msgspec.json.encode(trajectory.tools)
            if key not in checks:
                checks[key] = {tool.name: _fits(tool) for tool in trajectory.tools}
            replies.append(first_reply(trajectory.steps[0].reply, checks[key]))
        outcomes = tuple(right[one.task_id] for one in passes if one.task_id in right)
        tasks[task_id] = Asked(passes[0].session_id, tuple(replies), outcomes)
    return tasks


def verify(reference: Mapping[str, Asked], endpoint: Mapping[str, Asked], margin: float = MARGIN) -> Verification:
    """Whether an endpoint answers as the reference does, over the tasks that both were asked.

    Raises ValueError where there are none.
    """
    common = [task for task in reference if task in endpoint]
    if not common:
        raise ValueError("the runs have no task in common")
    pairs = [(reference[task], endpoint[task]) for task in common]
    yardstick = all(len(ours.replies) > 1 for ours, _ in pairs)
    trigger = _trigger((ours, theirs) for one, other in pairs for ours in one.replies for theirs in other.replies)
    rows = [*_own_rates(pairs), *_agreements(pairs, yardstick)]
    tested = [row for row in rows if all(rate is not None for rate in row.rates)]
    bounds = iter(paired_intervals(tested, paired_replicates(tested)) if tested else [])
    measures = []
    for row in rows:
        decision = None
        trials = round(float(row.trials[1].sum()))
        interval = next(bounds) if row in tested else None
        if interval is not None and row.difference is not None:
            decision = no_drop(row.name, row.difference, interval, margin, trials)
        measures.append(Measure(row.name, *row.rates, trials, decision))
    outcomes = [one.decision.outcome if one.decision else Outcome.UNDECIDED for one in measures if one.pairs]
    outcome = together(outcomes) if outcomes else Outcome.UNDECIDED
    return Verification(outcome, margin, len(common), yardstick, trigger, measures)


def _own_rates(pairs: Sequence[tuple[Asked, Asked]]) -> Iterator[PairedRow]:
    """Rates that each run has by itself: valid calls, and accuracy."""

    def valid(task: Asked) -> _Count:
        called = [reply.valid for reply in task.replies if reply.valid is not None]
        return _Count(sum(called), len(called))

    def right(task: Asked) -> _Count:
        return _Count(sum(task.right), len(task.right))

    for name, count in (("valid_calls", valid), ("task_accuracy", right)):
        yield _row(name, pairs, [(count(one), count(other)) for one, other in pairs])


def _agreements(pairs: Sequence[tuple[Asked, Asked]], yardstick: bool) -> Iterator[PairedRow]:
    """How often two replies agree: of the reference's own, and of the reference's and the endpoint's."""
    for place, name in enumerate(AGREEMENTS):
        counts = []
        for one, other in pairs:
            own = combinations(one.replies, 2) if yardstick else ()
            across = ((ours, theirs) for ours in one.replies for theirs in other.replies)
            counts.append((_agreement(own, place), _agreement(across, place)))
        yield _row(name, pairs, counts)


def _agreement(pairs: Iterable[tuple[FirstReply, FirstReply]], place: int) -> _Count:
    """Agreement of one kind over pairs of replies to one request; a request counts once, however many pairs it has."""
    found = [agreed[place] for agreed in (_agreed(one, other) for one, other in pairs) if agreed[place] is not None]
    return _Count(sum(map(bool, found)) / len(found), 1) if found else _Count()


def _agreed(one: FirstReply, other: FirstReply) -> tuple[bool | None, ...]:
    """Whether two replies agree on calling, on names and on arguments; None where that does not arise."""
    if not (one.calls and other.calls):
        return bool(one.calls) == bool(other.calls), None, None
    names = one.names == other.names
    return True, names, one.calls == other.calls if names else None


def _row(name: str, pairs: Sequence[tuple[Asked, Asked]], counts: Sequence[tuple[_Count, _Count]]) -> PairedRow:
    """The counts of tasks summed over their sessions: the tasks of one dialogue are no independent trials."""
    places = {session: place for place, session in enumerate(dict.fromkeys(one.session for one, _ in pairs))}
    sums = np.zeros((2, 2, len(places)))  # hits and trials, reference and endpoint, sessions
    for (task, _), count in zip(pairs, counts, strict=True):
        sums[:, :, places[task.session]] += np.array(count).T
    return PairedRow("verification", name, sums[0], sums[1])


def _trigger(pairs: Iterable[tuple[FirstReply, FirstReply]]) -> Trigger:
    counts = {(True, True): 0, (False, True): 0, (True, False): 0, (False, False): 0}
    for ours, theirs in pairs:
        counts[bool(ours.calls), bool(theirs.calls)] += 1
    return Trigger(*counts.values())


def _fits(tool: Tool) -> Callable[[object], bool]:
    """A check of a tool's arguments; an invalid or undecidable schema lets everything pass."""
    schema: Json = closed(tool.parameters)
    if check_schema(schema, 1).errors:
        return lambda _: True
    validator = SchemaValidator(schema)
    return lambda arguments: not validator.check(arguments, 1).errors


def _spelling(arguments: object) -> str:
    """Arguments as JSON whose keys are in one order; what is no JSON as it stands."""
    try:
        return msgspec.json.encode(arguments, order="sorted").decode()
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return repr(arguments)
