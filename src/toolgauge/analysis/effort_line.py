"""What a run took, in a sentence."""

from __future__ import annotations

from toolgauge.analysis.numbers import Metrics

DOLLARS = "dollars"
AMOUNTS = {
    "steps": "{} steps",
    "input_tokens": "{} tokens in",
    "output_tokens": "{} tokens out",
    "seconds": "{} s",
    DOLLARS: "${}",
}


def effort_line(metrics: Metrics) -> str | None:
    """What a task took on average; None where nothing was measured."""
    amounts = metrics.effort.amounts
    parts = [
        "1 step" if (name, average) == ("steps", 1) else text.format(_number(average, name))
        for name, text in AMOUNTS.items()
        if name in amounts and (average := amounts[name].per_task)
    ]
    line = f"Per task: {', '.join(parts)}." if parts else None
    tasks = metrics.effort.tasks
    for role, used in (metrics.effort.roles or {}).items() if tasks else ():
        tokens = _number((used.input_tokens + used.output_tokens) / tasks, "tokens")
        dollars = "" if used.dollars is None else f", ${_number(used.dollars / tasks, DOLLARS)}"
        line = f"{line or ''} {role}: {tokens} tokens{dollars}.".strip()
    return line


def _number(number: float, name: str) -> str:
    """Three digits that say something, whole numbers from a hundred on; dollars to the cent and below."""
    if number == int(number) or abs(number) >= 100:
        return f"{number:,.2f}" if name == DOLLARS else f"{number:,.0f}"
    if abs(number) >= 1:
        return f"{number:.2f}"
    return f"{number:.4f}" if name == DOLLARS and number < 0.1 else f"{number:.3f}"
