"""How ACEBench is shown on pages and in exports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolgauge.analysis.numbers import Metrics, Rate, Rows, Tables, names_in
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, AceDataset
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.benchmarks.acebench.numbers.report import GROUPS
from toolgauge.benchmarks.acebench.view.task_views import AceTaskViews
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.locale import Text, _
from toolgauge.report.display import Column, LatexTable, Remark, SubBoard, column, further
from toolgauge.report.figures import mistake_chart, rate_chart
from toolgauge.report.marks import Chart
from toolgauge.report.papers import citation as citation_of

_COLUMNS = (*((group, "groups", group) for group in GROUPS), ("overall", "overall", "overall"))


class AceDisplay(Struct, frozen=True):
    title: str = "ACEBench"
    about: Text = _(
        "Single calls, flawed requests that must be noticed, and agents acting in small simulated worlds. 1,023 "
        "entries in English, 1,017 in Chinese."
    )
    citation: str = citation_of("acebench")
    by_category: bool = True
    latex: tuple[LatexTable, ...] = (LatexTable("ACEBench, leaderboard", _COLUMNS, as_printed=True),)
    main_published: str = "overall"

    def boards(self, metrics: Sequence[Metrics]) -> tuple[SubBoard, ...]:
        return ace_boards(metrics)

    def task_views(self, dataset: AceDataset | None) -> AceTaskViews:
        return AceTaskViews(dataset)

    def figures(self, metrics: Metrics, scoring: str, language: str) -> Iterator[tuple[str, Chart | None]]:
        return ace_figures(metrics.scorings[scoring], language)

    def filters(self, table: str, row: str) -> dict[str, str] | None:
        if table == "error_types":
            return {"result": "failed", "mistake": f"paper:{row}"}
        return {"type": row} if table == "categories" and row in CATEGORIES else None

    def deviations(self, manifest: Manifest, metrics: Metrics) -> tuple[Remark, ...]:  # noqa: ARG002 - files say it too
        if metrics.style in (None, "", "prompt"):
            return ()
        return (Remark("native_style", _("asked with native tool calls, not in the published style")),)

    def explanations(self) -> dict[str, Text]:
        return EXPLANATIONS

    def titles(self, language: str) -> dict[str, str]:
        """Categories stand under the headings of their groups."""
        errors = {error.value: title(error.value, language) for error in AceError}
        names = {one.name: f"{title(one.group, language)} · {title(one.name, language)}" for one in CATEGORIES.values()}
        return {**errors, **names, **{group: title(group, language) for group in GROUPS}}


def ace_boards(metrics: Sequence[Metrics]) -> tuple[SubBoard, ...]:
    paper = "acebench_accuracy"
    overall = Column(
        "overall", (("published", "overall"), ("overall", "overall")), (paper, "overall"), drawn=True, digits=1
    )
    groups = [
        Column(group, (("published", group), ("groups", group)), (paper, group), drawn=True, digits=1)
        for group in ("normal", "special", "agent")
    ]
    categories = [
        column("categories", row, None, f"group_{row.partition('_')[0]}", digits=1)
        for row in names_in("categories", metrics)
        if not row.endswith(("_process", "_detection"))
    ]
    return (
        SubBoard(
            "overall",
            (overall, *groups),
            "overall",
            about=_("The mean of each group's categories, and their weighted mean."),
        ),
        SubBoard("categories", tuple(categories), heat=True),
        SubBoard("causes", tuple(further("mistakes", (), metrics)), heat=True),
    )


def ace_figures(tables: Tables, language: str) -> Iterator[tuple[str, Chart | None]]:
    """tables: of one scoring."""
    yield "groups", rate_chart(_groups(tables, language), _("score"), language)
    yield "categories", rate_chart(_categories(tables.get("categories", {}), language), _("score"), language)
    yield "errors", mistake_chart(tables.get("mistakes", {}), _("share of wrong entries"), language)


def _groups(tables: Tables, language: str) -> Iterator[tuple[str, Rate]]:
    """Overall and the groups; what is part of a group is named after it."""
    group = ""
    for name, rate in {**tables.get("overall", {}), **tables.get("groups", {})}.items():
        heading = title(name, language)
        if heading.startswith("·"):
            heading = f"{group} {heading}"
        else:
            group = heading
        yield heading, rate


def _categories(categories: Rows, language: str) -> Iterator[tuple[str, Rate]]:
    """The categories themselves, without the rows that stand beside some of them."""
    for name, rate in categories.items():
        group = name.partition("_")[0]
        if not name.endswith(("_process", "_detection")):
            yield f"{title(group, language)} · {title(name, language)}", rate


EXPLANATIONS = {
    "wrong_output_format": _("no calls can be read from the reply."),
    "wrong functions number": _("more or fewer calls were made than expected."),
    "function_mismatch": _("other functions were called than expected."),
    "simple_function_checker:unclear": _("the public scorer gives no clear reason here."),
    "wrong_param": _("arguments are empty where some are due, or there where none are."),
    "wrong_function_name": _("the function has another name than expected."),
    "lack_args": _("an expected argument is missing."),
    "addition_args": _("an argument was given that is not expected."),
    "type_error": _("an argument is of another type than it has to be."),
    "value_error:string": _("a text differs from the expected one."),
    "value_error:list/tuple": _("a list differs from the expected one."),
    "value_error": _("a value differs from the expected one."),
    "value_error:list_dict_count": _("a list of objects has another length than expected."),
    "value_error:dict_items": _("an object in a list differs from the expected one."),
    "error_detection": _("the model did not notice that the request cannot be carried out as it is."),
    "error_correction": _("the model noticed the problem, but did not name what it lies in."),
    "wrong number of class": _("the end state has more or fewer parts than expected."),
    "class attributes wrong": _("the state of the world at the end is not the expected one."),
}
