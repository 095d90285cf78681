"""What is said of decisions (gate.py) and of two endpoints (verification.py), a line each."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.compare.sentences import note_text
from toolgauge.analysis.gate import Decision, Kind, Outcome
from toolgauge.analysis.verification import Measure, Verification

NOTHING = "-"
OUTCOMES = {Outcome.HOLDS: "holds", Outcome.FAILS: "does not hold", Outcome.UNDECIDED: "undecided"}
MEASURES = {
    "valid_calls": "valid calls",
    "task_accuracy": "task accuracy",
    "call": "agree on whether to call",
    "ending": "agree on the finish reason",
    "names": "agree on tools",
    "arguments": "agree on arguments",
}


def decision_text(decision: Decision) -> str:
    """A decision in a sentence: what was asked, what came out, by what it was decided, what it would take."""
    asked, measured = _asked_and_measured(decision)
    text = f"{asked}: {OUTCOMES[decision.outcome]}; {measured}"
    if decision.outcome is not Outcome.UNDECIDED or decision.interval is None:
        return text
    return f"{text}; {_too_few(decision)}"


def _asked_and_measured(decision: Decision) -> tuple[str, str]:
    count = f"{decision.tasks:,}"
    if decision.kind is Kind.SHARE:
        asked = f"{decision.name} at most {percent(decision.limit)}"
        if decision.outcome is Outcome.UNDECIDED:
            return asked, f"the recorded replies ({count}) do not say how they ended"
        return asked, f"{percent(decision.measured)} of {count} replies"
    shown = percent if decision.kind is Kind.FLOOR else points
    low, high = map(shown, decision.interval or (0.0, 0.0))
    interval = f"95% interval {low} to {high}"
    if decision.kind is Kind.FLOOR:
        asked = f"{decision.name} at least {percent(decision.limit)}"
        return asked, f"the rate is {shown(decision.measured)} of {count}, {interval}"
    asked = f"{decision.name} at most {-100 * decision.limit:.1f} points below the baseline"
    return asked, f"the paired difference is {shown(decision.measured)} points over {count}, {interval}"


def _too_few(decision: Decision) -> str:
    if decision.needed is None:
        if decision.kind is Kind.DROP:
            return "no number of tasks can show that nothing at all was lost"
        return "the rate equals the limit, which no number of tasks decides"
    if decision.kind is Kind.DROP:
        return f"too few to decide: with about {decision.needed:,}, a run as good as the baseline holds 4 times in 5"
    return f"too few to decide: with about {decision.needed:,}, such a rate is decided 4 times in 5"


def verification_lines(found: Verification) -> Iterator[str]:
    """The measures, a line each, and what they come to."""
    for note in found.notes:
        yield f"Note: {note_text(note)}"
    if found.left_out:
        yield f"tasks left out, as their requests differ: {found.left_out:,}"
    for measure in found.measures:
        if measure.pairs:
            yield _measure(measure)
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
    if not found.yardstick:
        yield "the reference was asked only once, so its agreement with itself is unknown; run it with --epochs 2"
    margin, count = points(found.margin).lstrip("+"), f"{found.tasks:,}"
    if found.outcome is Outcome.HOLDS:
        yield f"the same, within {margin} points, over {count} tasks"
    elif found.outcome is Outcome.FAILS:
        yield f"not the same: it falls short by more than {margin} points, over {count} tasks"
    else:
        needed = "" if found.needed is None else f": about {found.needed:,} are needed"
        yield f"cannot be decided with a margin of {margin} points and {count} tasks{needed}"


def _measure(measure: Measure) -> str:
    reference, endpoint = _optional(measure.reference), _optional(measure.endpoint)
    text = f"{MEASURES[measure.name]} ({measure.pairs:,}): reference {reference}, endpoint {endpoint}"
    if measure.decision is None or measure.decision.interval is None:
        return text
    low, high = map(points, measure.decision.interval)
    return f"{text}, difference {low} to {high} points (95% interval): {OUTCOMES[measure.decision.outcome]}"


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    return f"{100 * difference:+.1f}"


def _optional(share: float | None) -> str:
    return NOTHING if share is None else percent(share)
