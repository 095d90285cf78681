"""What a run took, in a sentence."""

from __future__ import annotations

from toolgauge.analysis.numbers import Metrics
from toolgauge.locale import Text, _, ngettext

DOLLARS = "dollars"
AMOUNTS = {
    "steps": ngettext("{number} step", "{number} steps"),
    "input_tokens": ngettext("{number} token in", "{number} tokens in"),
    "output_tokens": ngettext("{number} token out", "{number} tokens out"),
    "seconds": _("{number} s"),
    DOLLARS: _("${number}"),
}


def effort_line(metrics: Metrics) -> Text | None:
    """What a task took on average; None where there is nothing to say."""
    amounts = metrics.effort.amounts
    said = [
        text.filled(number=_number(average, name), count=int(average == 1))
        for name, text in AMOUNTS.items()
        if name in amounts and (average := amounts[name].per_task)
    ]
    return _("Per task: {amounts}.", amounts=said) if said else None


def _number(number: float, name: str) -> str:
    """Three digits that say something, whole numbers from a hundred on; dollars to the cent and below."""
    if number == int(number) or abs(number) >= 100:
        return f"{number:,.2f}" if name == DOLLARS else f"{number:,.0f}"
    if abs(number) >= 1:
        return f"{number:.2f}"
    return f"{number:.4f}" if name == DOLLARS and number < 0.1 else f"{number:.3f}"
