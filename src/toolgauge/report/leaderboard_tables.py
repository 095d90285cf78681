"""Which tables a benchmark's board has, and which published number stands beside which of ours.

Columns name rows of metrics.json and columns of published/. A column without `measured` has only published numbers,
one without `published` only ours. Source of the pairs: spec, sections 5.2 to 5.9.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.tables import MMTB_ERRORS, TABLE_4
from toolgauge.chat import Json

Place = tuple[str, str]
"""Table and row of metrics.json, or table and column of a paper."""


class Column(Struct, frozen=True):
    """One column of numbers.

    key: its name on the page and in addresses. group: what stands over it. measured: where metrics.json has it, the
    first that is there. published: where a paper has it.
    heading: a key of words/board (`column_...`), else the key's title. drawn: shown with its interval as a drawing.
    digits: of the percentage.
    """

    key: str
    measured: tuple[Place, ...]
    published: Place | None = None
    group: str = ""
    heading: str = ""
    drawn: bool = False
    digits: int = 2


class SubBoard(Struct, frozen=True):
    """A table of a board. ranked: the column that ranks, "" where more is not better. heat: coloured by value."""

    name: str
    columns: tuple[Column, ...]
    ranked: str = ""
    heat: bool = False


MAIN_TEXT = "mistakes_main_text"
"""Only of interest beside its published numbers."""
KINDS = ("single", "multi", "clarify", "chat")
SHAPES = ("parallel", "sequential", "mixed", "overall")
REFERENCES = (
    ("later", "overall"),
    ("partial_information", "partial_information"),
    ("coreference", "coreferential_reference"),
    ("long_range", "long_range_dependency"),
)
"""Rows of ours, columns of Figure 6: by their printed headings, which are doubtful (published/notes.json)."""


def subboards(benchmark: str, metrics: Sequence[Json]) -> tuple[SubBoard, ...]:
    """The tables of a benchmark's board; metrics: of its runs, which can have mistakes that no paper has."""
    if benchmark == "acebench":
        return _acebench(metrics)
    if benchmark == "mmtb":
        return _mmtb(metrics)
    printed = benchmark == "wildtoolbench"
    boards = (_overall(), _references(), _orchestration(), *_mistakes(metrics))
    return boards if printed else tuple(_unpublished(board) for board in boards if board.name != MAIN_TEXT)


def _overall() -> SubBoard:
    paper = "wildtoolbench_accuracy"
    return SubBoard(
        "overall",
        (
            _column("overall", "session_accuracy", (paper, "session_accuracy"), drawn=True),
            _column("overall", "task_accuracy", (paper, "task_accuracy"), drawn=True),
            *(_column("by_type", kind, (paper, kind), "by_kind") for kind in KINDS),
            *_orders(paper),
        ),
        "session_accuracy",
    )


def _orders(paper: str) -> list[Column]:
    """By position; MMTB's pictures print no numbers of it."""
    return [
        Column(f"task_{place}", (("by_order", place),), (paper, f"task{place}") if paper else None, "by_order")
        for place in "1234"
    ]


def _references() -> SubBoard:
    columns = [
        _column("references", row, ("wildtoolbench_references", column), drawn=row == "later", digits=1)
        for row, column in REFERENCES
    ]
    return SubBoard("references", tuple(columns), "later")


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


def _mistakes(metrics: Sequence[Json]) -> tuple[SubBoard, SubBoard]:
    """Table 8, and Table 4 whose numbers are slightly others."""
    boards = []
    for name in ("mistakes", MAIN_TEXT):
        published = [_column("mistakes_paper", row, (f"wildtoolbench_{name}", row)) for row in TABLE_4]
        boards.append(SubBoard(name, (*published, *_more("mistakes_paper", TABLE_4, metrics)), heat=True))
    return boards[0], boards[1]


def _more(table: str, known: Sequence[str], metrics: Sequence[Json]) -> list[Column]:
    """What the runs have in a table of mistakes beside the known rows."""
    rows = {row: None for run in metrics for tables in run["readings"].values() for row in tables.get(table, {})}
    return [_column(table, row) for row in rows if row not in known]


def _mmtb(metrics: Sequence[Json]) -> tuple[SubBoard, ...]:
    paper, kinds = "mmtb_accuracy", "mmtb_kinds"
    simple = [_column("by_type", kind, (kinds, kind), "by_kind") for kind in ("single", "clarify", "chat")]
    several = [_shape("several", shape, f"acc_{shape}", (kinds, f"multi_{shape}")) for shape in SHAPES[:3]]
    path = _shape("op", "overall", "op_overall", (kinds, "optimal_path_rate_as_printed"))
    progress = _shape("ap", "overall", "ap_overall_as_published", (kinds, "accomplished_progress_as_printed"))
    subtypes = (
        _column("subtypes", "coreference", ("mmtb_references", "implicit")),
        _column("subtypes", "partial_information", ("mmtb_references", "ellipsis")),
        _column("subtypes", "long_range", ("mmtb_references", "long_term")),
    )
    whole = (
        _column("overall", "task_accuracy", (paper, "overall_accuracy"), drawn=True),
        _column("overall", "session_accuracy"),
    )
    mistakes = [_column("mistakes_mmtb", row) for row in MMTB_ERRORS]
    return (
        SubBoard("overall", (*whole, *simple, *several), "task_accuracy"),
        SubBoard("references", subtypes),
        SubBoard("orchestration", (path, progress, _shape("ap_ours", "overall", "ap_overall", None))),
        SubBoard("by_order", tuple(_orders(""))),
        SubBoard("mistakes", (*mistakes, *_more("mistakes_mmtb", MMTB_ERRORS, metrics)), heat=True),
    )


def _acebench(metrics: Sequence[Json]) -> tuple[SubBoard, ...]:
    paper = "acebench_accuracy"
    overall = Column(
        "overall", (("published", "overall"), ("overall", "overall")), (paper, "overall"), drawn=True, digits=1
    )
    groups = [
        Column(group, (("published", group), ("groups", group)), (paper, group), drawn=True, digits=1)
        for group in ("normal", "special", "agent")
    ]
    names = {
        row: None for run in metrics for tables in run["readings"].values() for row in tables.get("categories", {})
    }
    categories = [
        _column("categories", row, None, f"group_{row.partition('_')[0]}", digits=1)
        for row in names
        if not row.endswith(("_process", "_detection"))
    ]
    return (
        SubBoard("overall", (overall, *groups), "overall"),
        SubBoard("categories", tuple(categories), heat=True),
        SubBoard("mistakes", tuple(_more("error_types", (), metrics)), heat=True),
    )


def _column(
    table: str, row: str, published: Place | None = None, group: str = "", *, drawn: bool = False, digits: int = 2
) -> Column:
    return Column(row, ((table, row),), published, group, "", drawn, digits)


def _shape(group: str, shape: str, row: str, published: Place | None, *, drawn: bool = False) -> Column:
    """A column of the tables on several tools: under what is counted stands the shape."""
    return Column(row, (("orchestration", row),), published, group, f"shape_{shape}", drawn)


def _unpublished(board: SubBoard) -> SubBoard:
    """The same for a benchmark of which nothing is published."""
    columns = tuple(replace(column, published=None, digits=1) for column in board.columns)
    return replace(board, columns=columns)
