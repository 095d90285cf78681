"""Why tasks failed, as shares of the failed tasks, beside the same shares of published models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.titles import title
from toolgauge.locale import _
from toolgauge.report.display import Published
from toolgauge.report.figures.bars import rate_bars, scale_top
from toolgauge.report.figures.channels import Say, told
from toolgauge.report.figures.rows import in_percent, rate_rows, shortened
from toolgauge.report.vega import Spec


def mistake_profile(
    metrics: Metrics,
    scoring: str,
    say: Say,
    language: str,
    published: Published | None = None,
    counted: str = "mistakes",
) -> Spec | None:
    """counted: the table, by cause or with the classes of the benchmark's paper. None where no task failed."""
    published = published or {}
    table = metrics.rows(scoring, counted)
    classes = [name for name, entry in table.items() if entry.correct or published]
    rows = rate_rows((title(name, language, counted), table[name]) for name in classes)
    if not rows or not any(row["value"] for row in rows):
        return None
    others = _others(published, dict(zip(classes, (row["name"] for row in rows), strict=False)))
    if not published:
        rows.sort(key=lambda row: -row["value"])
    spec = rate_bars(rows, say, say(_("share of failed tasks")), scale_top([*rows, *others]))
    if others:
        spec["layer"].append(_published_layer(others, say))
    return spec


def _others(published: Published, names: Mapping[str, str]) -> list[Spec]:
    """A value per published model and class."""
    return [
        {"name": names[kind], "model": shortened(model), "value": share, "shown": in_percent(share)}
        for model, shares in published.items()
        for kind, share in shares.items()
        if kind in names
    ]


def _published_layer(values: Sequence[Spec], say: Say) -> Spec:
    tooltip = [
        told("model", say(_("published model"))),
        told("name", say(_("row"))),
        told("shown", say(_("value"))),
    ]
    return {
        "data": {"values": list(values)},
        "mark": {"type": "tick", "style": "other", "thickness": 1.2, "opacity": 0.4, "height": {"band": 0.9}},
        "encoding": {"x": {"field": "value", "type": "quantitative"}, "tooltip": tooltip},
    }
