"""How WildToolBench, MMTB and data of one's own are shown on pages and in exports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.dialogues.judge.paper_classes import MMTB_CLASSES, PAPER_COLUMNS, PAPER_TABLES
from toolgauge.benchmarks.dialogues.judge.scorings import ARGUMENT_RULES
from toolgauge.benchmarks.dialogues.view.boards import mmtb_boards, wildtoolbench_boards
from toolgauge.benchmarks.dialogues.view.figures import dialogue_figures
from toolgauge.benchmarks.dialogues.view.latex import MMTB, WILDTOOLBENCH
from toolgauge.benchmarks.dialogues.view.task_views import GraphTaskViews
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.data.session import Dataset
from toolgauge.judge.mistakes import Mistake
from toolgauge.locale import Text, _, translated
from toolgauge.report.citations import printed
from toolgauge.report.display import LatexTable, Remark, SubBoard
from toolgauge.report.marks import Chart

TYPES = {
    "single_tool": _("single-tool"),
    "parallel_tools": _("parallel tools"),
    "sequential_tools": _("sequential tools"),
    "mixed_tools": _("mixed tools"),
    "clarify": _("clarify"),
    "chat": _("chat"),
    "single": _("single-tool"),
    "multi": _("multi-tool (all)"),
}
REFERENCES = {
    "first_turn": _("first turn"),
    "coreference": _("coreference"),
    "partial_information": _("partial information"),
    "long_range": _("long range"),
}
HISTORIES = {
    "own": (Remark("own_history", _("own history instead of the annotated one")),),
    "plain": (Remark("plain_history", _("earlier tasks without their calls")),),
    "none": (Remark("no_history", _("without the earlier tasks")),),
}
"""How a run was asked otherwise than the paper's models (MMTB's own history is plain)."""
TITLES = {"wildtoolbench": "WildToolBench", "mmtb": "MMTB (C3-Bench)"}
ABOUT = {
    "wildtoolbench": _(
        "Conversations of four tasks as real users have them: half-said requests, small talk in between, steps "
        "that depend on one another. 256 conversations, 1,024 tasks."
    ),
    "mmtb": _(
        "The older sister of WildToolBench (Multi-Mission Tool Bench): four related missions per conversation, "
        "every sequence of kinds once. 1,024 missions."
    ),
    "sessions": _("Conversations of your own, or made from your tools. Nothing is published for them."),
    "mini": _(
        "A small benchmark that comes with toolgauge, to try everything without a download. Nothing is "
        "published for it."
    ),
}


class DialogueDisplay(Struct, frozen=True):
    """name: of the benchmark; family: whose tables it has: "wildtoolbench" or "mmtb"; decides: what ranks."""

    name: str
    family: str
    decides: str = "task_accuracy"
    by_category: bool = False

    @property
    def paper_classes(self) -> dict[str, list[str]]:
        return {mistake.value: [PAPER_COLUMNS[mistake], MMTB_CLASSES[mistake]] for mistake in Mistake}

    @property
    def title(self) -> str:
        return TITLES.get(self.name, self.name)

    @property
    def about(self) -> Text | None:
        return ABOUT.get(self.name)

    @property
    def citation(self) -> str:
        return printed(self.name)

    @property
    def latex(self) -> tuple[LatexTable, ...]:
        return MMTB if self.family == "mmtb" else WILDTOOLBENCH

    @property
    def main_published(self) -> str:
        return {"wildtoolbench": "task_accuracy", "mmtb": "overall_accuracy"}.get(self.name, "")

    def boards(self, metrics: Sequence[Metrics]) -> tuple[SubBoard, ...]:
        if self.family == "mmtb":
            return mmtb_boards(metrics, self.decides)
        return wildtoolbench_boards(metrics, self.decides, printed=self.name == "wildtoolbench")

    def task_views(self, dataset: Dataset | None) -> GraphTaskViews:
        return GraphTaskViews(ARGUMENT_RULES[self.family], dataset)

    def figures(self, metrics: Metrics, scoring: str, language: str) -> Iterator[tuple[str, Chart | None]]:
        return dialogue_figures(metrics, scoring, language)

    def filters(self, table: str, row: str) -> dict[str, str] | None:
        return {"result": "failed", "mistake": f"paper:{row}"} if table in PAPER_TABLES else None

    def deviations(self, manifest: Manifest, metrics: Metrics) -> tuple[Remark, ...]:  # noqa: ARG002 - of options
        history = manifest.more.get("history", "gold")
        known = () if self.family == "mmtb" and history == "plain" else HISTORIES.get(str(history), ())
        roles = () if manifest.more.get("remove_role", True) else (Remark("kept_roles", _("with role prefixes")),)
        return (*known, *roles)

    def titles(self, language: str) -> dict[str, str]:
        mistakes = {one.value: title(one.value, language) for one in Mistake}
        return mistakes | {name: translated(text, language) for name, text in (TYPES | REFERENCES).items()}
