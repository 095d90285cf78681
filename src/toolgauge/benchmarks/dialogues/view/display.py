"""How WildToolBench, MMTB and data of one's own are shown on pages and in exports: boards, charts, LaTeX rows.

Columns of boards name rows of metrics.json and columns of published/. A column without `measured` has only published
numbers, one without `published` only ours. Source of the pairs:
docs/rules.md#where-the-published-tables-come-from and docs/results.md#published-models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.layout import Place
from toolgauge.analysis.numbers import Metrics, RouteNumbers, Tables
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.dialogues.judge.scorings import (
    ARGUMENT_RULES,
    MMTB_CLASSES,
    MMTB_ERRORS,
    PAPER_COLUMNS,
    PAPER_TABLES,
    TABLE_4,
)
from toolgauge.benchmarks.dialogues.numbers.report import TYPES
from toolgauge.benchmarks.dialogues.numbers.tables import routes_of
from toolgauge.benchmarks.dialogues.view.task_views import GraphTaskViews
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.data.session import KINDS, Dataset
from toolgauge.judge.mistakes import Mistake
from toolgauge.locale import Text, _, translated
from toolgauge.report.display import Column, LatexTable, Remark, SubBoard, column, further
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
from toolgauge.report.papers import citation as citation_of

TYPE_TITLES = {
    "single_tool": _("single-tool"),
    "parallel_tools": _("parallel tools"),
    "sequential_tools": _("sequential tools"),
    "mixed_tools": _("mixed tools"),
    "clarify": _("clarify"),
    "chat": _("chat"),
    "single": _("single-tool"),
    "multi": _("multi-tool (all)"),
}
REFERENCE_TITLES = {
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
        return mistakes | {name: translated(text, language) for name, text in (TYPE_TITLES | REFERENCE_TITLES).items()}


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


MAIN_TEXT = "mistakes_main_text"
SHAPES = ("parallel", "sequential", "mixed", "overall")
PRINTED_REFERENCES = (
    ("later", "overall"),
    ("partial_information", "partial_information"),
    ("coreference", "coreferential_reference"),
    ("long_range", "long_range_dependency"),
)
"""Rows of ours, columns of Figure 6: by their printed headings, which are doubtful (published/notes.json)."""


def wildtoolbench_boards(metrics: Sequence[Metrics], decides: str, printed: bool) -> tuple[SubBoard, ...]:
    """decides: the column that ranks; printed: beside the paper's numbers."""
    columns = [
        column("references", row, ("wildtoolbench_references", printed), drawn=row == "later", digits=1)
        for row, printed in PRINTED_REFERENCES
    ]
    boards = (
        _overall(decides),
        SubBoard("references", (*columns, *_distances()), "later"),
        _orchestration(),
        *_in_the_session(),
        _causes(metrics),
    )
    return (*boards, *_mistakes(metrics)) if printed else tuple(map(_unpublished, boards))


def _overall(decides: str) -> SubBoard:
    paper = "wildtoolbench_accuracy"
    return SubBoard(
        "overall",
        (
            column("overall", "session_accuracy", (paper, "session_accuracy"), drawn=True),
            column("overall", "task_accuracy", (paper, "task_accuracy"), drawn=True),
            *(column("by_type", kind, (paper, kind), "by_kind") for kind in KINDS),
            *_orders(paper),
        ),
        decides,
    )


def _orders(paper: str) -> list[Column]:
    """By position; MMTB's pictures print no numbers of it."""
    return [
        Column(f"task_{place}", (("by_order", place),), (paper, f"task{place}") if paper else None, "by_order")
        for place in "1234"
    ]


def _distances() -> list[Column]:
    """Hidden information by how far back it lies, which no paper has."""
    return [Column(f"back_{count}", (("by_distance", count),), None, "by_distance", count, digits=1) for count in "123"]


def _in_the_session() -> tuple[SubBoard, SubBoard]:
    """Figure 7, whose curves have no printed numbers, by four types and two groups; MMTB's heat map, type by turn."""
    changes = [
        Column(f"{table}_{count}", ((table, count),), None, table, count, digits=1)
        for table in ("transitions", "transitions_two_groups")
        for count in "0123"
    ]
    layers = [
        Column(f"{kind}@{turn}", (("layers", f"{kind}@{turn}"),), None, f"turn_{turn}", kind, digits=1)
        for turn in (*"1234", "all")
        for kind in (*KINDS, "all")
    ]
    return SubBoard("transitions", tuple(changes), heat=True), SubBoard("layers", tuple(layers), heat=True)


def _orchestration() -> SubBoard:
    paper = "wildtoolbench_orchestration"
    accuracy = [
        _shape("acc", shape, f"acc_{shape}", (paper, f"acc_{shape}"), drawn=shape == "overall")
        for shape in ("overall", *SHAPES[:3])
    ]
    progress = [
        _shape("ap", shape, f"ap_{shape}_as_published", (paper, f"ap_{shape}")) for shape in ("overall", *SHAPES[1:3])
    ]
    path = [_shape("op", shape, f"op_{shape}", (paper, f"op_{shape}")) for shape in ("overall", "parallel", "mixed")]
    ours = _shape("ap_ours", "overall", "ap_overall", None)
    return SubBoard("orchestration", (*accuracy, *path, *progress, ours), "acc_overall")


def _causes(metrics: Sequence[Metrics]) -> SubBoard:
    return SubBoard("causes", tuple(further("mistakes", (), metrics)), heat=True)


def _mistakes(metrics: Sequence[Metrics]) -> tuple[SubBoard, SubBoard]:
    """Table 8, and Table 4 whose numbers are slightly others."""
    boards = []
    for name in ("mistakes", MAIN_TEXT):
        published = [column("mistakes_paper", row, (f"wildtoolbench_{name}", row)) for row in TABLE_4]
        columns = (*published, *further("mistakes_paper", TABLE_4, metrics))
        boards.append(SubBoard(name, columns, heat=True, beside_only=name == MAIN_TEXT))
    return boards[0], boards[1]


def mmtb_boards(metrics: Sequence[Metrics], decides: str) -> tuple[SubBoard, ...]:
    paper, kinds = "mmtb_accuracy", "mmtb_kinds"
    simple = [column("by_type", kind, (kinds, kind), "by_kind") for kind in ("single", "clarify", "chat")]
    several = [_shape("several", shape, f"acc_{shape}", (kinds, f"multi_{shape}")) for shape in SHAPES[:3]]
    path = _shape("op", "overall", "op_overall", (kinds, "optimal_path_rate_as_printed"))
    progress = _shape("ap", "overall", "ap_overall_as_published", (kinds, "accomplished_progress_as_printed"))
    subtypes = (
        column("subtypes", "coreference", ("mmtb_references", "implicit")),
        column("subtypes", "partial_information", ("mmtb_references", "ellipsis")),
        column("subtypes", "long_range", ("mmtb_references", "long_term")),
    )
    whole = (
        column("overall", "task_accuracy", (paper, "overall_accuracy"), drawn=True),
        column("overall", "session_accuracy"),
    )
    mistakes = [column("mistakes_mmtb", row) for row in MMTB_ERRORS]
    return (
        SubBoard("overall", (*whole, *simple, *several), decides),
        SubBoard("references", (*subtypes, *_distances())),
        SubBoard("orchestration", (path, progress, _shape("ap_ours", "overall", "ap_overall", None))),
        SubBoard("by_order", tuple(_orders(""))),
        *_in_the_session(),
        _causes(metrics),
        SubBoard("mistakes", (*mistakes, *further("mistakes_mmtb", MMTB_ERRORS, metrics)), heat=True),
    )


def _shape(group: str, shape: str, row: str, published: Place | None, *, drawn: bool = False) -> Column:
    """A column of the tables on several tools: under what is counted stands the shape."""
    return Column(row, (("orchestration", row),), published, group, f"shape_{shape}", drawn)


def _unpublished(board: SubBoard) -> SubBoard:
    """The same for a benchmark of which nothing is published."""
    columns = tuple(replace(column, published=None, digits=1) for column in board.columns)
    return replace(board, columns=columns)


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
