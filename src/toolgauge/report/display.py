"""What a benchmark says of how people see it: the tables of its board, charts, LaTeX rows, the view of a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from toolgauge.analysis.layout import Place
from toolgauge.analysis.numbers import Metrics, names_in
from toolgauge.benchmarks.benchmark import Benchmark, OwnData
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.benchmarks.registry import blamed_on, find_benchmark
from toolgauge.episode import Trajectory
from toolgauge.locale import Text
from toolgauge.report.marks import Chart
from toolgauge.report.task_views.task_view import Pool, SharedSession, Shown, TaskListRow


class Column(Struct, frozen=True):
    """One column of numbers.

    key: its name on the page and in addresses. group: what stands over it. measured: where metrics.json has it, the
    first that is there. published: table and column of a paper that has it.
    heading: a key of COLUMNS (pages/board.py), else the key's title. drawn: shown with its interval as a drawing.
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
    """A table of a board. ranked: the column that ranks, "" where more is not better. heat: coloured by value.

    beside_only: of interest beside its published numbers alone. about: the sentence above it, where
    pages/board.py has none for its name.
    """

    name: str
    columns: tuple[Column, ...]
    ranked: str = ""
    heat: bool = False
    beside_only: bool = False
    about: Text | None = None


class Remark(Struct, frozen=True):
    """Something to say about a row of a board. key: what code knows it by."""

    key: str
    text: Text


class LatexTable(NamedTuple):
    """heading: which table it is like; columns: name, table and row of metrics.json each.

    as_printed: numbers from 0 to 1 with three digits, from the table `published` where there is one; else percentages.
    """

    heading: str
    columns: tuple[tuple[str, str, str], ...]
    as_printed: bool = False


class TaskViews(Protocol):
    """What is shown of the tasks of one run."""

    def row(self, session_id: str, key: str) -> TaskListRow:
        """What the list tells of a task before anything was said."""
        ...

    def key(self, task_index: int, task_id: str) -> str:
        """The name of a task's annotation within its session."""
        ...

    def annotate(self, shared: SharedSession, key: str) -> None:
        """Put what the data set knows of a task, or of its session, into the shared material."""
        ...

    def shown(self, trajectory: Trajectory, shared: SharedSession, own: Pool) -> Iterator[Shown]:
        """The tasks of a trajectory."""
        ...


class Display(Protocol):
    """How a benchmark is shown.

    title: its name on pages; about: what it is, in a sentence; citation: the BibTeX entry of its paper, "" without one
    (a display of another package may lack these two).
    paper_classes: names of the papers' classes of each mistake, which the filter `mistake=paper:NAME` of the list
    chooses by (it may lack this too).
    by_category: its types of tasks are categories.
    latex: the tables of its paper. main_published: the column of its paper's main table, "" where nothing is published.
    """

    @property
    def title(self) -> str: ...
    @property
    def by_category(self) -> bool: ...
    @property
    def latex(self) -> tuple[LatexTable, ...]: ...
    @property
    def main_published(self) -> str: ...

    def boards(self, metrics: Sequence[Metrics]) -> tuple[SubBoard, ...]:
        """The tables of its board; metrics: of its runs, which can have mistakes that no paper has."""
        ...

    def task_views(self, dataset: OwnData) -> TaskViews:
        """dataset: None where it is not at hand."""
        ...

    def figures(self, metrics: Metrics, scoring: str, language: str) -> Iterator[tuple[str, Chart | None]]:
        """The charts of a scoring by the names of their files, None for one without anything to show (report/figures.py
        has what several benchmarks draw, and the captions)."""
        ...

    def filters(self, table: str, row: str) -> dict[str, str] | None:
        """Which filters of the list choose the tasks that a row of a table of its own counts; None where none does. A
        display of another package may lack this."""
        ...

    def deviations(self, manifest: Manifest, metrics: Metrics) -> Iterable[Remark]:
        """How a run was asked otherwise than its paper's models, which makes it incomparable with them. A display of
        another package may lack this."""
        ...

    def explanations(self) -> Mapping[str, Text]:
        """What mistakes of its own mean, in a sentence each. A display of another package may lack this."""
        ...

    def titles(self, language: str) -> dict[str, str]:
        """Types of tasks, references and mistakes in words, for the list of tasks."""
        ...


def display_of(benchmark: Benchmark | str) -> Display:
    """The display of a benchmark, or of the one of that name; raises UsageError for an unknown name."""
    found = find_benchmark(benchmark) if isinstance(benchmark, str) else benchmark
    with blamed_on(found):
        display: Display = found.display()
    return display


def column(
    table: str, row: str, published: Place | None = None, group: str = "", *, drawn: bool = False, digits: int = 2
) -> Column:
    """A column of what stands in one row of metrics.json."""
    return Column(row, ((table, row),), published, group, "", drawn, digits)


def further(table: str, known: Sequence[str], metrics: Sequence[Metrics]) -> list[Column]:
    """What happened in any of the runs in a table of mistakes, beside the known rows."""
    return [
        column(table, row)
        for row in names_in(table, metrics)
        if row not in known
        and any(rate.correct for run in metrics for scoring in run.scorings if (rate := run.rate(scoring, table, row)))
    ]
