"""How WildToolBench, MMTB and data of one's own are shown on pages and in exports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.dialogues.boards import mmtb_boards, wildtoolbench_boards
from toolgauge.benchmarks.dialogues.figures import dialogue_figures
from toolgauge.benchmarks.dialogues.judge.readings import ARGUMENT_RULES
from toolgauge.benchmarks.dialogues.latex import MMTB, WILDTOOLBENCH
from toolgauge.benchmarks.dialogues.task_views import GraphTaskViews
from toolgauge.chat import Json
from toolgauge.data.session import Dataset
from toolgauge.judge.mistakes import Mistake
from toolgauge.report.display import LatexTable, Published, SubBoard
from toolgauge.report.wording import words

TYPES = ("single_tool", "parallel_tools", "sequential_tools", "mixed_tools", "clarify", "chat", "single", "multi")
REFERENCES = ("first_turn", "coreference", "partial_information", "long_range")


class DialogueDisplay(Struct, frozen=True):
    """name: of the benchmark; family: whose tables it has, "wildtoolbench" or "mmtb"."""

    name: str
    family: str
    title: str = ""
    by_category: bool = False

    @property
    def latex(self) -> tuple[LatexTable, ...]:
        return MMTB if self.family == "mmtb" else WILDTOOLBENCH

    @property
    def main_published(self) -> str:
        return {"wildtoolbench": "task_accuracy", "mmtb": "overall_accuracy"}.get(self.name, "")

    def boards(self, metrics: Sequence[Metrics]) -> tuple[SubBoard, ...]:
        if self.family == "mmtb":
            return mmtb_boards(metrics)
        return wildtoolbench_boards(metrics, printed=self.name == "wildtoolbench")

    def task_views(self, dataset: Dataset | None) -> GraphTaskViews:
        return GraphTaskViews(ARGUMENT_RULES[self.family], dataset)

    def figures(
        self, metrics: Metrics, reading: str, language: str, published: Published | None
    ) -> Iterator[tuple[str, Json | None]]:
        paper = "mistakes_mmtb" if self.family == "mmtb" else "mistakes_paper"
        return dialogue_figures(metrics, reading, language, published, paper)

    def titles(self, language: str) -> dict[str, str]:
        texts = words(("tasks",), language)
        mistakes = {one.value: title(one.value, language) for one in Mistake}
        kinds = {name: texts[f"type_{name}"] for name in TYPES}
        return {**mistakes, **kinds, **{name: texts[f"reference_{name}"] for name in REFERENCES}}
