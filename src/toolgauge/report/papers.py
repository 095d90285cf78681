"""The published result tables: numbers as printed, where they come from, and what is odd about them.

The files and their fields are described in published/README.md.
"""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.benchmarks.benchmark import Published
from toolgauge.benchmarks.registry import blamed_on, foreign

FOLDER = Path(__file__).parent / "published"
UNITS = {"percent": 100, "fraction": 1}
"""What a printed number is divided by to be a rate from 0 to 1."""
_SIZE = re.compile(r"(?<![\w.])(\d{1,4}(?:\.\d{1,3})?)[bB](?![A-Za-z0-9])", re.ASCII)


class Paper(Struct, frozen=True, forbid_unknown_fields=True):
    """What published a benchmark's numbers. language: of the data; tasks, sessions: how many its numbers are of."""

    title: str
    venue: str
    link: str
    language: str
    tasks: int
    sessions: int


class PublishedModel(Struct, frozen=True):
    """family: the heading it is printed under. size: billions of parameters, where the name says it."""

    name: str
    family: str
    thinking: bool
    size: float | None


class PaperNote(Struct, frozen=True, forbid_unknown_fields=True):
    """A misprint or peculiarity. No models: all rows; no columns: the whole row."""

    tables: tuple[str, ...]
    models: tuple[str, ...]
    columns: tuple[str, ...]
    en: str
    zh: str

    def text(self, language: str) -> str:
        return self.zh if language == "zh" else self.en

    def marks_row(self, model: str) -> bool:
        """Is it about a row as a whole?"""
        return model in self.models and not self.columns


class PaperTable(Struct, frozen=True):
    """One printed table. place: what it is called there, by language. rows: model, then column, as printed."""

    name: str
    benchmark: str
    place: dict[str, str]
    link: str
    unit: str
    columns: tuple[str, ...]
    rows: dict[str, dict[str, str]]
    notes: tuple[PaperNote, ...]

    def rate(self, model: str, column: str) -> float | None:
        """A printed number as a rate from 0 to 1; None where none is printed."""
        printed = self.rows.get(model, {}).get(column)
        return float(printed) / UNITS[self.unit] if printed else None

    def percent(self, model: str, column: str) -> str | None:
        """A printed number in percent, with exactly its printed digits; None where none is printed."""
        printed = self.rows.get(model, {}).get(column)
        if not printed or self.unit == "percent":
            return printed or None
        return f"{float(printed) * 100:.{max(0, len(printed.partition('.')[2]) - 2)}f}"


class Papers(Struct, frozen=True):
    """All that is published. models: by benchmark, then name; beside: tables about other benchmarks."""

    papers: dict[str, Paper]
    tables: dict[str, PaperTable]
    models: dict[str, dict[str, PublishedModel]]
    beside: dict[str, PaperTable]


class _TableSource(Struct, forbid_unknown_fields=True):
    paper: str
    place: dict[str, str]
    link: str
    unit: str


class _Sources(Struct, forbid_unknown_fields=True):
    papers: dict[str, Paper]
    tables: dict[str, _TableSource]
    beside: dict[str, _TableSource]


def published() -> Papers:
    """The published tables of all benchmarks: ours, and those of other packages that were asked for."""
    papers, others = _ours(), [one for one in foreign() if getattr(one, "published", None) is not None]
    for one in others:
        with blamed_on(one):
            papers = _with(papers, one.name, one.published)  # type: ignore[attr-defined]
    return papers


def _with(papers: Papers, name: str, one: Published) -> Papers:
    """With what a benchmark of another package brings; its numbers are the table "<benchmark>_accuracy"."""
    lines = _read_lines(one.file)
    key, *columns = lines[0]
    rows = {line[key]: {column: line[column] for column in columns} for line in lines}
    place = dict.fromkeys(("en", "zh"), one.date or one.venue or one.title)
    table = PaperTable(f"{name}_accuracy", name, place, one.link, one.unit, tuple(columns), rows, ())
    models = {model: PublishedModel(model, "", False, size_in_name(model)) for model in rows}
    paper = Paper(one.title, one.venue or one.date, one.link, one.language, one.tasks, one.tasks)
    return Papers(
        {**papers.papers, name: paper},
        {**papers.tables, table.name: table},
        {**papers.models, name: models},
        papers.beside,
    )


@cache
def _ours() -> Papers:
    sources = msgspec.json.decode((FOLDER / "sources.json").read_bytes(), type=_Sources)
    notes = msgspec.json.decode((FOLDER / "notes.json").read_bytes(), type=tuple[PaperNote, ...])
    tables = {name: _table(name, source, notes) for name, source in sources.tables.items()}
    models: dict[str, dict[str, PublishedModel]] = {name: {} for name in sources.papers}
    for row in _lines("models"):
        size = float(row["size"]) if row["size"] else None
        models[row["benchmark"]][row["model"]] = PublishedModel(
            row["model"], row["family"], row["thinking"] == "1", size
        )
    beside = {name: _table(name, source, notes) for name, source in sources.beside.items()}
    return Papers(sources.papers, tables, models, beside)


def citation(benchmark: str) -> str:
    """The BibTeX entry of a paper in published/; "" of a benchmark without one."""
    file = FOLDER / f"{benchmark}.bib"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def size_in_name(name: str) -> float | None:
    """Billions of parameters that a model's name states ("Qwen3-30B-A3B" has 30), or None."""
    found = _SIZE.search(name)
    return float(found[1]) if found else None


def alike(name: str) -> str:
    """Under what a model is found in several papers: the printed name without regard to case and ACEBench's "-local".

    Nothing else is equated: "GPT-4o" and "GPT-4o-2024-11-20" may differ.
    """
    return name.casefold().removesuffix("-local")


def _table(name: str, source: _TableSource, notes: tuple[PaperNote, ...]) -> PaperTable:
    lines = _lines(name)
    key, *columns = lines[0]
    rows = {line[key]: {column: line[column] for column in columns} for line in lines}
    own = tuple(note for note in notes if name in note.tables)
    return PaperTable(name, source.paper, source.place, source.link, source.unit, tuple(columns), rows, own)


def _lines(name: str) -> list[dict[str, str]]:
    return _read_lines(FOLDER / f"{name}.csv")


def _read_lines(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
