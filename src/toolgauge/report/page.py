"""What a page of the site is before it is rendered, and what all pages are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import NamedTuple

from msgspec import Struct

from toolgauge.analysis.compare.content import Comparison
from toolgauge.analysis.told_apart import asked_of, differences
from toolgauge.locale import _, translated
from toolgauge.report.display import display_of
from toolgauge.report.vega import Spec
from toolgauge.runs.names import slug
from toolgauge.runs.scored import ScoredRun

LANGUAGES = ("en", "zh")
"""Of the interface. Data stay in their own language."""
DATA_LANGUAGES = {
    "en": _("English"),
    "zh": _("Chinese"),
}


PageValues = Mapping[str, object]
"""What a template is given, by the names that it uses: Structs and tuples with names."""


class Drawn(NamedTuple):
    """A chart on a page: its identifier there, what stands below it, and its specification with its colours."""

    id: str
    caption: str
    spec: Spec


class Page(Struct, frozen=True):
    """path: below the root of a language, with "/" ("runs/x.html"). template: in templates/; values: what the
    template is given."""

    path: str
    template: str
    heading: str
    values: PageValues


class RunEntry(Struct, frozen=True):
    """A run on the site. slug: its name in addresses; label: its name for people, another for each run; told: the part
    of it that tells runs of one model apart, "" of the only one."""

    run: ScoredRun
    slug: str
    label: str
    told: str = ""

    @property
    def benchmark(self) -> str:
        return self.run.benchmark.name

    @property
    def language(self) -> str:
        return self.run.language

    @property
    def board(self) -> str:
        """Where it is ranked: runs of one benchmark in one language."""
        return f"{self.benchmark}-{self.language}"

    @property
    def page(self) -> str:
        return f"runs/{self.slug}.html"


class Refused(Struct, frozen=True):
    """A comparison that could not be made. reason: a key of pages/comparison.py."""

    reason: str


class Site(Struct, frozen=True):
    """All that pages are made from. comparisons: by the slugs of two entries, as analysis/compare gives them."""

    entries: tuple[RunEntry, ...]
    comparisons: Mapping[tuple[str, str], Comparison | Refused]

    def board(self, name: str) -> list[RunEntry]:
        return [entry for entry in self.entries if entry.board == name]

    def comparison_page(self, one: RunEntry, other: RunEntry) -> str:
        """The page that compares two runs, below the root of a language; "" where there is none."""
        pairs = ((one.slug, other.slug), (other.slug, one.slug))
        return next((f"compare/{a}--{b}.html" for a, b in pairs if (a, b) in self.comparisons), "")

    @property
    def boards(self) -> list[str]:
        """In the order of the runs; those of one benchmark stand together."""
        benchmarks = list(dict.fromkeys(entry.benchmark for entry in self.entries))
        ordered = sorted(self.entries, key=lambda entry: benchmarks.index(entry.benchmark))
        return list(dict.fromkeys(entry.board for entry in ordered))


def entries_of(runs: Sequence[ScoredRun]) -> tuple[RunEntry, ...]:
    """The runs under names that tell them apart: the model's; where two are alike with what they were asked
    differently, the folder's, and a number where that is alike too."""
    entries: list[RunEntry] = []
    for run in runs:
        alike = [other for other in runs if _place(other) == _place(run)]
        folder = run.folder.resolve().name if len(alike) > 1 else ""
        told = ", ".join([*differences(asked_of(run), map(asked_of, alike)), *([folder] if folder else [])])
        # The name itself, or with the first number that is not taken
        taken = {entry.label for entry in entries if _place(entry.run)[:2] == _place(run)[:2]}
        numbers = ("" if number == 1 else f"-{number}" for number in count(1))
        label = f"{run.model} ({told})" if told else run.model
        number = next(number for number in numbers if label + number not in taken)
        wanted = f"{run.model} ({folder})" if folder else run.model
        slugs = [entry.slug for entry in entries]
        free = _free_slug(slug(f"{run.benchmark.name}-{run.language}-{wanted}").lower(), slugs)
        entries.append(RunEntry(run, free, label + number, told + number if told else ""))
    return tuple(entries)


def _place(run: ScoredRun) -> tuple[str, str, str]:
    return run.benchmark.name, run.language, run.model


def _free_slug(wanted: str, taken: Sequence[str]) -> str:
    """A slug none of whose pages has the name of another run's page: a model may be called "x-task" beside "x"."""
    used = {page for one in taken for page in _page_names(one)}
    names = (wanted if number == 1 else f"{wanted}-{number}" for number in count(1))
    return next(name for name in names if not used & set(_page_names(name)))


def _page_names(slug_: str) -> tuple[str, ...]:
    return slug_, f"{slug_}-task", f"{slug_}-tasks"


def board_heading(name: str, language: str) -> str:
    """What a board is called: the benchmark's name and the language of its data."""
    benchmark, _sign, data_language = name.rpartition("-")
    said = translated(DATA_LANGUAGES.get(data_language, data_language), language)
    return f"{display_of(benchmark).title} · {said}"
