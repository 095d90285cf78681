"""All charts of a run: which there are for its kind of benchmark, under which names and captions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from toolgauge.analysis.sections import EXACT
from toolgauge.analysis.titles import title
from toolgauge.chat import Json
from toolgauge.report.figures.bars import rate_bars, scale_top
from toolgauge.report.figures.channels import Say, say_in
from toolgauge.report.figures.matrix import kind_position
from toolgauge.report.figures.mistakes import Published, mistake_profile
from toolgauge.report.figures.routes import route_triangle
from toolgauge.report.figures.rows import rate_rows
from toolgauge.report.figures.theme import Theme, themed
from toolgauge.report.figures.transitions import transition_curve

TYPES = ("single", "multi", "parallel_tools", "sequential_tools", "mixed_tools", "clarify", "chat")
ORCHESTRATION = (
    "acc_parallel", "acc_sequential", "acc_mixed", "op_parallel", "op_mixed", "ap_sequential", "ap_mixed",
)  # fmt: skip
MOST_ERRORS = 12


class Figure(NamedTuple):
    """A chart without colours: see `themed`. name: a fixed identifier; caption: for people."""

    name: str
    caption: str
    spec: Json


def main_figures(metrics: Json, reading: str, language: str, theme: Theme = "light") -> dict[str, Json]:
    """The main figures of a run as complete Vega-Lite specifications, by name: what is exported as PNG and SVG.

    metrics: the content of metrics.json; language: of the texts, "en" or "zh". Figures without a value are left out;
    a reading that the metrics do not have has none.
    """
    subtitle = f"{metrics['benchmark']} · {metrics['language']} · {reading}"
    return {
        figure.name: themed({**figure.spec, "title": {"text": figure.caption, "subtitle": subtitle}}, theme)
        for figure in figures_of(metrics, reading, language)
    }


def figures_of(metrics: Json, reading: str, language: str, published: Published | None = None) -> list[Figure]:
    """The charts of one reading that have something to show. published: for the profile of mistakes."""
    if reading not in metrics["readings"]:
        return []
    say = say_in(language)
    if metrics.get("tables") == "acebench":
        found = _ace_figures(metrics["readings"][reading], say, language)
    else:
        found = _graph_figures(metrics, reading, language, published)
    beside = {"mistakes": "caption_mistakes_published"} if published else {}
    return [Figure(name, say(beside.get(name, f"caption_{name}")), spec) for name, spec in found if spec is not None]


def _graph_figures(
    metrics: Json, reading: str, language: str, published: Published | None
) -> Iterator[tuple[str, Json | None]]:
    tables, say = metrics["readings"][reading], say_in(language)
    accuracy = _headed(language, tables, ("overall", ("task_accuracy", "session_accuracy")), ("by_type", TYPES))
    yield "accuracy", _bars(accuracy, say, "accuracy")
    yield "matrix", kind_position(tables.get("layers", {}), say, language)
    yield "mistakes", mistake_profile(metrics, reading, say, language, published)
    yield "orchestration", _bars(_headed(language, tables, ("orchestration", ORCHESTRATION)), say, "rate")
    yield "transitions", transition_curve(tables, say)
    yield "routes", route_triangle(metrics.get("figures", {}).get(reading, {}), say, language)


def _ace_figures(tables: Json, say: Say, language: str) -> Iterator[tuple[str, Json | None]]:
    yield "groups", _bars(_groups(tables, language), say, "score")
    yield "categories", _bars(_categories(tables.get("categories", {}), language), say, "score")
    errors = sorted(tables.get("error_types", {}).items(), key=lambda item: -item[1]["correct"])[:MOST_ERRORS]
    rows = rate_rows((title(name, language), entry) for name, entry in errors if entry["correct"])
    yield "errors", rate_bars(rows, say, say("share_of_wrong"), scale_top(rows)) if rows else None


def _groups(tables: Json, language: str) -> list[Json]:
    """Overall and the groups; what is part of a group is named after it."""
    overall, groups = (tables.get(table, {}) for table in ("overall", "groups"))
    entries = {title(name, language): entry for name, entry in overall.items()}
    whole = ""
    for name, entry in groups.items():
        heading = title(name, language)
        whole = whole if heading.startswith("·") else heading
        entries[f"{whole} {heading}" if heading.startswith("·") else heading] = entry
    return rate_rows(entries.items())


def _categories(categories: Json, language: str) -> list[Json]:
    """The categories themselves, without the rows that stand beside some of them."""
    beside = ("_process", "_detection")
    groups = {group: title(group, language) for group in ("normal", "special", "agent")}
    return rate_rows(
        (f"{groups.get(name.partition('_')[0], '')} · {title(name, language)}", entry)
        for name, entry in categories.items()
        if not name.endswith(beside)
    )


def _headed(language: str, tables: Json, *names: tuple[str, Sequence[str]]) -> list[Json]:
    """Rows of tables under their headings."""
    entries = (
        (title(row, language).removeprefix("· "), tables.get(table, {}).get(row))
        for table, rows in names
        for row in rows
    )
    return rate_rows(entries)


def _bars(rows: Sequence[Json], say: Callable[[str], str], name: str) -> Json | None:
    return rate_bars(rows, say, say(name)) if rows else None


def headline_reading(metrics: Json) -> str:
    """The reading to show first: the benchmark's, else `exact`, else any that there is."""
    found: Iterable[str] = metrics["readings"]
    wanted = (str(metrics.get("headline")), EXACT, *found)
    return next((reading for reading in wanted if reading in metrics["readings"]), EXACT)
