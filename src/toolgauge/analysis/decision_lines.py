"""What is said of decisions (gate.py) and of two endpoints (verification.py), a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from toolgauge.analysis.compare.sentences import note_text
from toolgauge.analysis.gate import Decision, Kind, Outcome
from toolgauge.analysis.verification import Measure, Verification
from toolgauge.locale import Text, Value, _, ngettext

LEVEL = "95%"
"""Of the intervals that decide; a value, for gettext takes a percent sign in a message for a format."""
NOTHING = "-"
OUTCOMES = {Outcome.HOLDS: _("holds"), Outcome.FAILS: _("does not hold"), Outcome.UNDECIDED: _("undecided")}
MEASURES = {
    "valid_calls": _("valid calls"),
    "task_accuracy": _("task accuracy"),
    "call": _("agree on whether to call"),
    "ending": _("agree on the finish reason"),
    "names": _("agree on tools"),
    "arguments": _("agree on arguments"),
}


def decision_text(decision: Decision) -> Text:
    """A decision in a sentence: what was asked, what came out, by what it was decided, what it would take."""
    asked, what = _ASKED[decision.kind](decision)
    said = _("{asked}: {outcome}; {what}", asked=asked, outcome=OUTCOMES[decision.outcome], what=what)
    if decision.outcome is not Outcome.UNDECIDED or decision.interval is None:
        return said
    return _("{said}; {more}", said=said, more=_too_few(decision))


def _floor(decision: Decision) -> tuple[Text, Text]:
    return _("{name} at least {limit}", name=decision.name, limit=percent(decision.limit)), _(
        "the rate is {measured} of {count:,}, {level} interval {low} to {high}",
        **_estimate(decision, percent),
    )


def _drop(decision: Decision) -> tuple[Text, Text]:
    limit = f"{-100 * decision.limit:.1f}"
    return _("{name} at most {limit} points below the baseline", name=decision.name, limit=limit), _(
        "the paired difference is {measured} points over {count:,}, {level} interval {low} to {high}",
        **_estimate(decision, points),
    )


def _estimate(decision: Decision, shown: Callable[[float], str]) -> dict[str, Value]:
    """What was measured, over how much, and its interval."""
    low, high = map(shown, decision.interval or (0.0, 0.0))
    measured, count = shown(decision.measured), decision.tasks
    return {"measured": measured, "count": count, "level": LEVEL, "low": low, "high": high}


def _share(decision: Decision) -> tuple[Text, Text]:
    asked = _("{name} at most {limit}", name=decision.name, limit=percent(decision.limit))
    if decision.outcome is Outcome.UNDECIDED:
        return asked, ngettext(
            "how the {count:,} reply ended is not recorded",
            "how the {count:,} replies ended is not recorded",
            count=decision.tasks,
        )
    said = ngettext("{measured} of {count:,} reply", "{measured} of {count:,} replies", count=decision.tasks)
    return asked, said.filled(measured=percent(decision.measured))


_ASKED = {Kind.FLOOR: _floor, Kind.DROP: _drop, Kind.SHARE: _share}


def _too_few(decision: Decision) -> Text:
    if decision.needed is None and decision.kind is Kind.DROP:
        return _("no number of tasks shows that nothing at all was lost")
    if decision.needed is None:
        return _("what is measured is the limit itself, which no number of tasks decides")
    if decision.kind is Kind.DROP:
        return _(
            "too few to decide: with about {needed:,}, a run as good as the baseline holds 4 times in 5",
            needed=decision.needed,
        )
    return _(
        "too few to decide: with about {needed:,}, such a rate is decided 4 times in 5",
        needed=decision.needed,
    )


def verification_lines(found: Verification) -> Iterator[Text]:
    """The measures, a line each, and what they come to."""
    for note in found.notes:
        yield _("Note: {what}", what=note_text(note))
    if found.left_out:
        yield ngettext(
            "left out: {count:,} task that the runs were not asked with the same request",
            "left out: {count:,} tasks that the runs were not asked with the same request",
            count=found.left_out,
        )
    for measure in found.measures:
        if measure.pairs:
            yield _measure(measure)
    yield from _trigger(found)
    if not found.yardstick:
        yield _("the reference was asked once: how far it agrees with itself is not known; run it with --epochs 2")
    values: dict[str, Value] = {"margin": points(found.margin).lstrip("+"), "count": found.tasks}
    if found.outcome is Outcome.HOLDS:
        yield ngettext(
            "the same, within {margin} points, over {count:,} task",
            "the same, within {margin} points, over {count:,} tasks",
            **values,
        )
    elif found.outcome is Outcome.FAILS:
        yield ngettext(
            "not the same: it falls short by more than {margin} points, over {count:,} task",
            "not the same: it falls short by more than {margin} points, over {count:,} tasks",
            **values,
        )
    elif found.needed is None:
        yield ngettext(
            "cannot be decided with a margin of {margin} points and {count:,} task",
            "cannot be decided with a margin of {margin} points and {count:,} tasks",
            **values,
        )
    else:
        yield ngettext(
            "cannot be decided with a margin of {margin} points and {count:,} task: about {needed:,} are needed",
            "cannot be decided with a margin of {margin} points and {count:,} tasks: about {needed:,} are needed",
            needed=found.needed,
            **values,
        )


def _trigger(found: Verification) -> Iterator[Text]:
    trigger = found.trigger
    yield _(
        "calls a tool: both {both:,}, only the endpoint {endpoint:,}, only the reference {reference:,}, neither "
        "{neither:,} (pairs of replies)",
        both=trigger.both,
        endpoint=trigger.only_endpoint,
        reference=trigger.only_reference,
        neither=trigger.neither,
    )
    yield _(
        "calling, with the reference as truth: precision {precision}, recall {recall}, F1 {f1}; the reference against "
        "itself: F1 {yardstick}",
        precision=_optional(trigger.precision),
        recall=_optional(trigger.recall),
        f1=_optional(trigger.f1),
        yardstick=_optional(trigger.yardstick),
    )


def _measure(measure: Measure) -> Text:
    values: dict[str, Value] = {
        "name": MEASURES[measure.name],
        "reference": _optional(measure.reference),
        "endpoint": _optional(measure.endpoint),
        "count": measure.pairs,
    }
    if measure.decision is None or measure.decision.interval is None:
        return _("{name} ({count:,}): reference {reference}, endpoint {endpoint}", **values)
    low, high = map(points, measure.decision.interval)
    return _(
        "{name} ({count:,}): reference {reference}, endpoint {endpoint}, difference {low} to {high} points ({level} "
        "interval): {outcome}",
        level=LEVEL,
        low=low,
        high=high,
        outcome=OUTCOMES[measure.decision.outcome],
        **values,
    )


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def points(difference: float) -> str:
    """A difference of shares in percentage points, with its sign."""
    return f"{100 * difference:+.1f}"


def _optional(share: float | None) -> str:
    return NOTHING if share is None else percent(share)
