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
from toolgauge.benchmarks.dialogues.view.task_views import GraphTaskViews
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.data.session import Dataset
from toolgauge.judge.mistakes import Mistake
from toolgauge.locale import Text, _, translated
from toolgauge.report.display import LatexTable, Remark, SubBoard
from toolgauge.report.marks import Chart
from toolgauge.report.papers import citation as citation_of

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
        return citation_of(self.name)

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


def _columns(table: str, rows: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((row, table, row) for row in rows.split())


_KINDS = _columns("by_type", "single multi clarify chat")
_ORDER = tuple((f"task{position}", "by_order", str(position)) for position in range(1, 5))
_OVERALL = _columns("overall", "task_accuracy session_accuracy")
_ORCHESTRATION = (
    *_columns("orchestration", "acc_parallel acc_sequential acc_mixed acc_overall"),
    *(
        (name, "orchestration", f"{name}_as_published")
        for name in ("ap_sequential", "ap_mixed", "ap_overall")
    ),
    *_columns("orchestration", "op_parallel op_mixed op_overall"),
)  # fmt: skip
_MISTAKES = _columns(
    "mistakes_paper",
    "refusal wrong_name_missing_info wrong_refusal redundant_call call_error early_termination param_type_error "
    "param_hallucination param_value_error",
)
_LAYERS = tuple(
    (f"{kind}{turn}", "layers", f"{kind}@{turn}")
    for turn in (*"1234", "all")
    for kind in ("single", "multi", "clarify", "chat", "all")
)
_CHANGES = tuple(
    (f"{name}{count}", table, count)
    for name, table in (("types", "transitions"), ("groups", "transitions_two_groups"))
    for count in "0123"
)
_DISTANCES = tuple((f"back{count}", "by_distance", count) for count in "123")
_FURTHER = (
    LatexTable("changes of task type, by four types and by two groups (WildToolBench, Figure 7)", _CHANGES),
    LatexTable("type by turn (MMTB, heat map)", _LAYERS),
    LatexTable("hidden information by the number of tasks back", _DISTANCES),
)
WILDTOOLBENCH = (
    LatexTable("WildToolBench, Table 2", (*_KINDS, *_ORDER, *_OVERALL)),
    LatexTable("WildToolBench, Table 3", _ORCHESTRATION),
    LatexTable("WildToolBench, Table 4 (percent of failed tasks)", _MISTAKES),
    LatexTable("WildToolBench, Figure 6", _columns("references", "later partial_information coreference long_range")),
    *_FURTHER,
)
MMTB = (
    LatexTable(
        "MMTB, action types",
        (
            *_columns("by_type", "single chat clarify"),
            *((f"multi_{name}", "orchestration", f"acc_{name}") for name in ("parallel", "sequential", "mixed")),
            ("optimal_path_rate", "orchestration", "op_overall"),
            ("accomplished_progress", "orchestration", "ap_overall_as_published"),
        ),
    ),
    LatexTable(
        "MMTB, subtypes",
        (
            ("implicit", "subtypes", "coreference"),
            ("ellipsis", "subtypes", "partial_information"),
            ("long_term", "subtypes", "long_range"),
        ),
    ),
    LatexTable("MMTB, overall", (("overall_accuracy", "overall", "task_accuracy"),)),
    *_FURTHER,
)
