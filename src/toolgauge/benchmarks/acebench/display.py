"""How ACEBench is shown on pages and in exports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.acebench.boards import ace_boards
from toolgauge.benchmarks.acebench.data import CATEGORIES, AceDataset
from toolgauge.benchmarks.acebench.figures import ace_figures
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.benchmarks.acebench.report import GROUPS
from toolgauge.benchmarks.acebench.task_views import AceTaskViews
from toolgauge.chat import Json
from toolgauge.report.display import LatexTable, Published, SubBoard

_COLUMNS = (*((group, "groups", group) for group in GROUPS), ("overall", "overall", "overall"))


class AceDisplay(Struct, frozen=True):
    title: str = ""
    by_category: bool = True
    latex: tuple[LatexTable, ...] = (LatexTable("ACEBench, leaderboard", _COLUMNS, as_printed=True),)
    main_published: str = "overall"

    def boards(self, metrics: Sequence[Metrics]) -> tuple[SubBoard, ...]:
        return ace_boards(metrics)

    def task_views(self, dataset: AceDataset | None) -> AceTaskViews:
        return AceTaskViews(dataset)

    def figures(
        self,
        metrics: Metrics,
        reading: str,
        language: str,
        published: Published | None,  # noqa: ARG002 - its paper has no shares of mistakes
    ) -> Iterator[tuple[str, Json | None]]:
        return ace_figures(metrics.readings[reading], language)

    def titles(self, language: str) -> dict[str, str]:
        """Categories stand under the headings of their groups."""
        errors = {error.value: title(error.value, language) for error in AceError}
        names = {one.name: f"{title(one.group, language)} · {title(one.name, language)}" for one in CATEGORIES.values()}
        return {**errors, **names, **{group: title(group, language) for group in GROUPS}}
