"""Which tables the boards of WildToolBench, MMTB and data of one's own have, and which published number stands where.

Columns name rows of metrics.json and columns of published/. A column without `measured` has only published numbers,
one without `published` only ours. Source of the pairs:
docs/rules.md#where-the-published-tables-come-from and docs/results.md#published-models.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from toolgauge.analysis.layout import Place
from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.dialogues.judge.paper_classes import MMTB_ERRORS, TABLE_4
from toolgauge.report.display import Column, SubBoard, column, further

MAIN_TEXT = "mistakes_main_text"
KINDS = ("single", "multi", "clarify", "chat")
SHAPES = ("parallel", "sequential", "mixed", "overall")
REFERENCES = (
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
        for row, printed in REFERENCES
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
