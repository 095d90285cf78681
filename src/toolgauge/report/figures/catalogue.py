"""All charts of a run: which there are for its kind of benchmark, under which names and captions."""

from __future__ import annotations

from typing import NamedTuple

from toolgauge.analysis.glossary import scoring_name
from toolgauge.analysis.numbers import Metrics
from toolgauge.judge.verdict import EXACT
from toolgauge.locale import _, pgettext, plain
from toolgauge.report.display import Published, display_of
from toolgauge.report.figures.channels import say_in
from toolgauge.report.figures.theme import Theme, themed
from toolgauge.report.vega import Spec

CAPTIONS = {
    "accuracy": _("Accuracy by task type"),
    "matrix": _("Accuracy by task type and turn"),
    "mistakes": _("Failure causes: shares of the failed tasks"),
    "orchestration": _("Multi-tool tasks: accuracy, optimal path (OP), accomplish progress (AP)"),
    "transitions": _("Accuracy by changes of task type"),
    "routes": _("Accuracy by sequence of task types, up to the task that is asked"),
    "groups": _("Groups of categories"),
    "categories": pgettext("caption", "Categories"),
    "counted": _(
        "Shares of the failed tasks as the paper counts their mistakes; the small strokes are the paper's models"
    ),
    "errors": _("Failure causes of wrong entries"),
    "latency": _("Latency of a task"),
}


class Figure(NamedTuple):
    """A chart without colours: see `themed`. name: a fixed identifier; caption: for people."""

    name: str
    caption: str
    spec: Spec


def main_figures(metrics: Metrics, scoring: str, language: str, theme: Theme = "light") -> dict[str, Spec]:
    """The main figures of a run as complete Vega-Lite specifications, by name: what is exported as SVG.

    language: of the texts, "en" or "zh". Figures without a value are left out;
    a scoring that the metrics do not have has none.
    """
    subtitle = f"{metrics.benchmark} · {metrics.language} · {scoring_name(scoring, language)}"
    return {
        figure.name: themed({**figure.spec, "title": {"text": figure.caption, "subtitle": subtitle}}, theme)
        for figure in figures_of(metrics, scoring, language)
    }


def figures_of(metrics: Metrics, scoring: str, language: str, published: Published | None = None) -> list[Figure]:
    """The charts of one scoring that have something to show. published: for the profile of mistakes."""
    if scoring not in metrics.scorings:
        return []
    say = say_in(language)
    found = display_of(metrics.benchmark).figures(metrics, scoring, language, published)
    return [Figure(name, say(CAPTIONS.get(name, plain(name))), spec) for name, spec in found if spec is not None]


def headline_scoring(metrics: Metrics) -> str:
    """The scoring to show first: the benchmark's, else `exact`, else any that there is."""
    wanted = (str(metrics.headline), EXACT, *metrics.scorings)
    return next((scoring for scoring in wanted if scoring in metrics.scorings), EXACT)
