"""The charts of a run of WildToolBench, MMTB or data of one's own."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.analysis.numbers import Metrics, RouteNumbers, Tables
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.dialogues.numbers.report import TYPES
from toolgauge.benchmarks.dialogues.numbers.tables import routes_of
from toolgauge.data.session import KINDS
from toolgauge.locale import _, translated
from toolgauge.report.figures import chosen_rates, kind_by_turn, mistake_chart, rate_chart, rate_row
from toolgauge.report.marks import (
    FEW,
    Chart,
    HeatCell,
    HeatRow,
    HeatTable,
    Kind,
    PlacedPoint,
    Point,
    Scatter,
    rate_scale,
    step_scale,
)

ORCHESTRATION = (
    "acc_parallel", "acc_sequential", "acc_mixed", "op_parallel", "op_mixed", "ap_sequential", "ap_mixed",
)  # fmt: skip
CURVES = {
    "transitions": (Kind.SECOND, _("four task types"), -0.05),
    "transitions_two_groups": (Kind.FIRST, _("two groups: needs a tool or not"), 0.05),
}
"""Table of metrics.json -> the look of its curve, its name, how far it stands beside the number of changes."""


def dialogue_figures(metrics: Metrics, scoring: str, language: str) -> Iterator[tuple[str, Chart | None]]:
    """Accuracy by type, by type and turn, causes, orchestration, changes of type, sequences of types."""
    tables = metrics.scorings[scoring]
    accuracy = chosen_rates(tables, language, overall=("task_accuracy", "session_accuracy"), by_type=TYPES)
    yield "accuracy", rate_chart(accuracy, _("accuracy"), language)
    yield "matrix", kind_by_turn(tables.get("layers", {}), language)
    yield "mistakes", mistake_chart(tables.get("mistakes", {}), _("share of failed tasks"), language)
    orchestration = chosen_rates(tables, language, orchestration=ORCHESTRATION)
    yield "orchestration", rate_chart(orchestration, _("rate"), language)
    yield "transitions", transition_curves(tables, language)
    yield "routes", route_triangle((metrics.figures or {}).get(scoring), language)


def transition_curves(tables: Tables, language: str) -> Scatter | None:
    """Accuracy by how often the kind of task changed so far in the session, WildToolBench's Figure 7: a curve for four
    kinds, one for two groups of kinds. None where nothing was scored."""
    steps = list(dict.fromkeys(row for table in CURVES for row in tables.get(table, {})))
    points, curves = [], []
    for table, (kind, name, beside) in CURVES.items():
        rates = {row: rate for row, rate in tables.get(table, {}).items() if rate.value is not None}
        for row, rate in rates.items():
            shown = rate_row(row, rate)
            about = f"{translated(name, language)}, {row}: {shown.text} ({shown.about})"
            points.append(PlacedPoint(Point(about, steps.index(row) + beside, rate.value or 0.0, rate.ci95, kind)))
        if rates:
            curves.append((kind, translated(name, language)))
    if not points:
        return None
    changes = translated(_("changes of task type so far"), language)
    accuracy = translated(_("{measure}, percent", measure=_("accuracy")), language)
    return Scatter("", changes, accuracy, step_scale(steps), rate_scale((), whole=True), tuple(points), tuple(curves))


def route_triangle(numbers: RouteNumbers | None, language: str) -> HeatTable | None:
    """MMTB's triangle: accuracy of a task by the kinds of all tasks up to it, 4, 16, 64 and 256 routes. Each row splits
    every cell of the row above in four: what stands below a cell are the routes that begin like it. None where no
    route was scored."""
    if numbers is None or not any(mean is not None for means in numbers.routes for mean in means):
        return None
    names, rows = {kind: title(kind, language) for kind in KINDS}, []
    for turn, means in enumerate(numbers.routes):
        counts = numbers.route_counts[turn] if numbers.route_counts else [(0, 0)] * len(means)
        cells = []
        for route, mean, (right, scored) in zip(routes_of(turn + 1), means, counts, strict=True):
            if mean is None:
                cells.append(HeatCell())
                continue
            text = f"{names[route[-1]]} {100 * mean:.1f}" if turn == 0 else f"{100 * mean:.0f}"
            about = f"{' → '.join(names[kind] for kind in route)}: {100 * mean:.1f}%"
            about += f" ({right:,} / {scored:,})" if scored else ""
            cells.append(HeatCell(text, mean, about=about, few=0 < scored < FEW))
        rows.append(HeatRow(str(turn + 1), tuple(cells)))
    return HeatTable("", translated(_("turn"), language), (), tuple(rows))
