"""How ACEBench is shown on pages and in exports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.acebench.data import CATEGORIES, AceDataset
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.benchmarks.acebench.numbers.report import GROUPS
from toolgauge.benchmarks.acebench.view.boards import ace_boards
from toolgauge.benchmarks.acebench.view.explanations import EXPLANATIONS
from toolgauge.benchmarks.acebench.view.figures import ace_figures
from toolgauge.benchmarks.acebench.view.task_views import AceTaskViews
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.locale import Text, _
from toolgauge.report.citations import printed
from toolgauge.report.display import LatexTable, Remark, SubBoard
from toolgauge.report.marks import Chart

_COLUMNS = (*((group, "groups", group) for group in GROUPS), ("overall", "overall", "overall"))


class AceDisplay(Struct, frozen=True):
    title: str = "ACEBench"
    about: Text = _(
        "Single calls, flawed requests that must be noticed, and agents acting in small simulated worlds. 1,023 "
        "entries in English, 1,017 in Chinese."
    )
    citation: str = printed("acebench")
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
