"""Is this endpoint the same model? Two runs on the same tasks, reply by reply.

What the operators of vendor verifiers measure (Moonshot AI's Kimi vendor verifier and those that followed it), and what
they leave out. Compared are the first replies of each conversation, where both runs sent the same request to the last
character; later requests depend on what was answered before.

- whether to call: agreement, and precision, recall and F1 of calling with the reference as truth (their
  `tool_call_f1`, which goes by the finish reason; here a reply calls that has calls);
- finish reasons: of the replies of which both say why they ended, those that say the same;
- valid calls: of the replies with calls, those whose calls all name a tool on offer and fit its schema (their
  `schema_accuracy`; here arguments that the tool does not have are invalid as well);
- names, arguments: of the replies in which both call, those with the same tools; of these, those with the same
  arguments;
- accuracy: the tasks that are right.

No model agrees with itself all the time, so the yardstick is the reference against itself: its epochs are compared with
one another, and the question is how much less the other endpoint agrees with it than it does itself. Each of the
measures is a non-inferiority test with the margin that was asked for (`no_drop`), over sessions. All of them have to
hold (Berger, Technometrics 24, 1982: intersection-union tests need no correction). docs/results.md has the error rates.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations, product

import msgspec
import numpy as np
from msgspec import Struct

from toolgauge.analysis.compare.pairing import Note
from toolgauge.analysis.compare.sentences import note_text, points
from toolgauge.analysis.decide import Decision, Outcome, PairedRow, no_drop, paired_tests, together
from toolgauge.analysis.gate import OUTCOMES
from toolgauge.chat import Reply, Tool
from toolgauge.data.task_ids import split_epoch
from toolgauge.data.validation import argument_validator
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.arguments import BadJson, read_arguments
from toolgauge.judge.verdict import Score
from toolgauge.models.dialects.pythonic import parse_lists
from toolgauge.models.dialects.turns import after_thinking
from toolgauge.models.endings import Ending, announces_calls, ending_of

MARGIN = 0.05
"""By how much the endpoint may fall short of the reference, unless something else is asked for."""


Task = tuple[str, int | None]
"""The session, and which of its tasks; None for the whole session."""
Check = Callable[[object], bool]
"""Do arguments fit a tool?"""


class FirstReply(Struct, frozen=True):
    """What a model did first. calls: (tool, arguments as JSON in one spelling) of each call, sorted; valid: do all of
    them fit a tool on offer; None without calls, and where tools are offered in no way that could be checked. ending:
    why it ended ("calls", or an `Ending`), None where nobody said."""

    calls: tuple[tuple[str, str], ...]
    valid: bool | None
    ending: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.calls)


class Asked(Struct, frozen=True):
    """A task of a run, or a whole session. request: what stands for the first request; replies: those to it, a first
    reply of each epoch, in their order; right: of each scored task, epoch by epoch."""

    session: str
    replies: tuple[FirstReply, ...]
    right: tuple[bool, ...] = ()
    request: bytes = b""


def first_reply(reply: Reply, tools: Mapping[str, Check]) -> FirstReply:
    """What a reply did. tools: by name, whether arguments fit the tool; without any, calls are looked for in the text,
    as a benchmark asks for them that puts its tools into the prompt."""
    reason = reply.finish_reason
    ending = "calls" if announces_calls(reason) else ending_of(reason).value
    said = None if ending == Ending.UNSAID.value else ending
    if not (tools or reply.tool_calls):
        written = after_thinking(reply.content or "", parse_lists).calls
        calls = ((call.name or "", _spelling(json.loads(call.arguments))) for call in written)
        return FirstReply(tuple(sorted(calls)), None, said)
    made, valid = [], True
    for call in reply.tool_calls:
        arguments = read_arguments(call.arguments)
        name = call.name if isinstance(call.name, str) else ""
        valid = valid and name in tools and not isinstance(arguments, BadJson) and tools[name](arguments)
        made.append((name, _spelling(call.arguments if isinstance(arguments, BadJson) else arguments)))
    return FirstReply(tuple(sorted(made)), valid if made else None, said)


def asked(trajectories: Iterable[Trajectory], scores: Iterable[Score] = (), scoring: str = "") -> dict[Task, Asked]:
    """What a run was asked, without epochs: tasks, or whole sessions where those were asked; right: in the scoring."""
    right: dict[object, list[bool]] = {}  # by the id of a task, and by the session and epoch of a whole session
    for score in {score.task_id: score for score in scores}.values():
        if (verdict := score.scorings.get(scoring)) is not None:
            right.setdefault(score.task_id, []).append(verdict.correct)
            whole = score.session_id, split_epoch(score.task_id)[1]
            right.setdefault(whole, []).append(verdict.correct)
    checks: dict[bytes, Mapping[str, Check]] = {}
    found: dict[Task, list[tuple[Trajectory, bytes, FirstReply]]] = {}
    for trajectory in trajectories:
        step = next((step for step in trajectory.steps if step.role == ASSISTANT), None)
        if step is None:
            continue
        offered = msgspec.json.encode(trajectory.tools)
        if offered not in checks:
            checks[offered] = {tool.name: _fits(tool) for tool in trajectory.tools}
        request = blake2b(offered + msgspec.json.encode(step.messages), digest_size=16).digest()
        key = trajectory.session_id, trajectory.task_index
        found.setdefault(key, []).append((trajectory, request, first_reply(step.reply, checks[offered])))
    tasks = {}
    for key, passes in found.items():
        passes.sort(key=lambda one: one[0].epoch)
        request = passes[0][1]  # a simulated user may have put it in other words in other epochs
        replies = tuple(reply for _trajectory, sent, reply in passes if sent == request)
        names = (one.task_id if one.task_index is not None else (one.session_id, one.epoch) for one, *_ in passes)
        tasks[key] = Asked(key[0], replies, tuple(own for name in names for own in right.get(name, ())), request)
    return tasks


def _fits(tool: Tool) -> Check:
    """A check of a tool's arguments; a schema that is invalid or undecidable lets everything pass."""
    validator = argument_validator(msgspec.json.encode(tool.parameters))
    if validator is None:
        return lambda _arguments: True
    return lambda arguments: not validator.check(arguments, 1).errors


def _spelling(arguments: object) -> str:
    """Arguments as JSON whose keys are in one order; of what is no JSON, what it is instead."""
    try:
        return json.dumps(arguments, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return repr(type(arguments))


class Trigger(Struct, frozen=True):
    """Who called a tool: both, only the endpoint, only the reference, neither; in pairs of replies.

    precision, recall, f1: of calling, the reference being the truth; None where nobody called. yardstick: the F1 of the
    reference against itself, None where it was asked once.
    """

    both: int
    only_endpoint: int
    only_reference: int
    neither: int
    precision: float | None
    recall: float | None
    f1: float | None
    yardstick: float | None


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
    """The answer. outcome: "holds" where every measure does, "fails" where one does. tasks: that both were asked, with
    the same request; left_out: with different ones. yardstick: has the reference several epochs, so that its agreement
    with itself is known? needed: about how many tasks it would take to tell that an endpoint as good as the reference
    is, where that is undecided. notes: what else differs between the runs."""

    outcome: Outcome
    margin: float
    tasks: int
    left_out: int
    yardstick: bool
    needed: int | None
    trigger: Trigger
    measures: list[Measure]
    notes: list[Note] = []


Count = tuple[float, float]
"""Hits and trials of one measure in one task."""


def verify(reference: Mapping[Task, Asked], endpoint: Mapping[Task, Asked], margin: float = MARGIN) -> Verification:
    """Whether an endpoint answers as the reference does, over the tasks that both were asked with the same request.

    Raises ValueError where there are none.
    """
    both = [(reference[task], endpoint[task]) for task in reference if task in endpoint]
    pairs = [(ours, theirs) for ours, theirs in both if ours.request == theirs.request]
    if not pairs:
        raise ValueError("the runs have no request in common")
    repeated = [pair for pair in pairs if len(pair[0].replies) > 1]
    trigger = _trigger(pairs, repeated)
    rows, measures = rows_of(pairs), []
    for row, test in zip(rows, paired_tests(rows), strict=True):
        decision = None
        if test.difference is not None and test.interval is not None:
            decision = no_drop(row.name, test.difference, test.interval, margin, len(pairs))
        measures.append(Measure(row.name, *test.rates, round(float(row.trials[1].sum())), decision))
    outcomes = [one.decision.outcome if one.decision else Outcome.UNDECIDED for one in measures if one.pairs]
    outcome = together(outcomes) if outcomes else Outcome.UNDECIDED
    needed = [one.decision.needed for one in measures if one.decision and one.decision.needed]
    enough = max(needed) if needed and outcome is Outcome.UNDECIDED and repeated else None
    return Verification(outcome, margin, len(pairs), len(both) - len(pairs), bool(repeated), enough, trigger, measures)


def rows_of(pairs: Sequence[tuple[Asked, Asked]]) -> list[PairedRow]:
    """The measures, over sessions: the reference (against itself) first, then the endpoint (against the reference)."""
    repeated = [pair for pair in pairs if len(pair[0].replies) > 1]
    places = {session: place for place, session in enumerate(dict.fromkeys(one.session for one, _ in pairs))}
    judged = [pair for pair in pairs if pair[0].right and pair[1].right]  # others would compare two sets of tasks

    def row(name: str, some: Sequence[tuple[Asked, Asked]], counts: Sequence[tuple[Count, Count]]) -> PairedRow:
        sums = np.zeros((2, 2, len(places)))  # hits and trials, reference and endpoint, sessions
        for (task, _), both in zip(some, counts, strict=True):
            sums[:, :, places[task.session]] += np.array(both).T
        return PairedRow("verification", name, sums[0], sums[1])

    rows = [
        row("valid_calls", pairs, [(_valid(one), _valid(other)) for one, other in pairs]),
        row("task_accuracy", judged, [(_right(one), _right(other)) for one, other in judged]),
    ]
    for name, agree in AGREEMENTS.items():
        counts = []
        for one, other in repeated or pairs:
            own = combinations(one.replies, 2) if repeated else ()
            counts.append((_agreement(own, agree), _agreement(product(one.replies, other.replies), agree)))
        rows.append(row(name, repeated or pairs, counts))
    return rows


def _valid(task: Asked) -> Count:
    called = [reply.valid for reply in task.replies if reply.valid is not None]
    return sum(called), len(called)


def _right(task: Asked) -> Count:
    return sum(task.right), len(task.right)


Agree = Callable[[FirstReply, FirstReply], bool | None]


def _agreement(pairs: Iterable[tuple[FirstReply, FirstReply]], agree: Agree) -> Count:
    """Agreement of one kind over pairs of replies to one request; a request counts once, however many pairs it has."""
    found = [agreed for one, other in pairs if (agreed := agree(one, other)) is not None]
    return (sum(found) / len(found), 1) if found else (0, 0)


def _same_names(one: FirstReply, other: FirstReply) -> bool | None:
    return one.names == other.names if one.calls and other.calls else None


AGREEMENTS: dict[str, Agree] = {
    "call": lambda one, other: bool(one.calls) == bool(other.calls),
    "ending": lambda one, other: None if None in (one.ending, other.ending) else one.ending == other.ending,
    "names": _same_names,
    "arguments": lambda one, other: one.calls == other.calls if _same_names(one, other) else None,
}
"""Measures of two replies to one request; None where they do not apply."""


def _trigger(pairs: Iterable[tuple[Asked, Asked]], repeated: Iterable[tuple[Asked, Asked]]) -> Trigger:
    """Who called, over all pairs of replies. repeated: tasks of which the reference has several replies."""
    across = Counter(_called(pair) for one, other in pairs for pair in product(one.replies, other.replies))
    itself = Counter(_called(pair) for one, _other in repeated for pair in combinations(one.replies, 2))
    both, theirs, ours = across[True, True], across[False, True], across[True, False]
    precision, recall = _share(both, both + theirs), _share(both, both + ours)
    neither = across[False, False]
    return Trigger(both, theirs, ours, neither, precision, recall, _f1(across), _f1(itself))


def _called(pair: tuple[FirstReply, FirstReply]) -> tuple[bool, bool]:
    return bool(pair[0].calls), bool(pair[1].calls)


def _f1(counts: Mapping[tuple[bool, bool], int]) -> float | None:
    both = 2 * counts[True, True]
    return _share(both, both + counts[True, False] + counts[False, True])


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


NAMES = {
    "valid_calls": "valid calls",
    "task_accuracy": "task accuracy",
    "call": "agree on whether to call",
    "ending": "agree on the finish reason",
    "names": "agree on tools",
    "arguments": "agree on arguments",
}


def verification_lines(found: Verification) -> Iterator[str]:
    """The answer, then a line for each measure."""
    yield _answer(found)
    if not found.yardstick:
        yield "the reference was asked only once, so its agreement with itself is unknown; run it with --epochs 2"
    yield from (f"Note: {note_text(note)}" for note in found.notes)
    if found.left_out:
        yield f"tasks left out, as their requests differ: {found.left_out:,}"
    for measure in found.measures:
        if measure.pairs:
            reference, endpoint = _optional(measure.reference), _optional(measure.endpoint)
            text = f"{NAMES[measure.name]} ({measure.pairs:,}): reference {reference}, endpoint {endpoint}"
            if measure.decision and measure.decision.interval:
                low, high = map(points, measure.decision.interval)
                text += f", difference {low} to {high} points (95% interval): {OUTCOMES[measure.decision.outcome]}"
            yield text
    trigger = found.trigger
    yield (
        f"calls a tool: both {trigger.both:,}, only the endpoint {trigger.only_endpoint:,}, only the reference "
        f"{trigger.only_reference:,}, neither {trigger.neither:,} (pairs of replies)"
    )
    yield (
        f"calling, with the reference as truth: precision {_optional(trigger.precision)}, recall "
        f"{_optional(trigger.recall)}, F1 {_optional(trigger.f1)}; the reference against itself: F1 "
        f"{_optional(trigger.yardstick)}"
    )


def _answer(found: Verification) -> str:
    margin, count = f"{100 * found.margin:.1f}", f"{found.tasks:,}"
    if found.outcome is Outcome.HOLDS:
        return f"the same, within {margin} points, over {count} tasks"
    if found.outcome is Outcome.FAILS:
        return f"not the same: it falls short by more than {margin} points, over {count} tasks"
    needed = "" if found.needed is None else f": about {found.needed:,} are needed"
    return f"cannot be decided with a margin of {margin} points and {count} tasks{needed}"


def _optional(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
