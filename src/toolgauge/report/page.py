"""What a page of the site is before it is rendered, and what all pages are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from msgspec import Struct

from toolgauge.analysis.compare.pairing import asked_of, differences
from toolgauge.analysis.decide import Better, Interval
from toolgauge.analysis.layout import Place
from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.registry import SESSIONS_BENCHMARK
from toolgauge.files import slug
from toolgauge.judge.verdict import EXACT
from toolgauge.locale import _, translated
from toolgauge.report.display import display_of
from toolgauge.report.run_failures import FoundFailures, find_failures
from toolgauge.runs.scored import ScoredRun
from toolgauge.visible import tell_unseen

LANGUAGES = ("en", "zh")
"""Of the interface. Data stay in their own language."""
DATA_LANGUAGES = {
    "en": _("English"),
    "zh": _("Chinese"),
}


LONGEST_SETTING = 40
"""Characters of a setting that tells runs of one model apart, in their names."""
OWN_DATA = "__"
"""Between "sessions" and the name of a file, in the name of a board."""
PageValues = Mapping[str, object]
"""What a template is given, by the names that it uses: Structs and tuples with names."""


class Page(Struct, frozen=True):
    """path: below the root of a language, with "/" ("runs/x.html"). template: in templates/; values: what the
    template is given."""

    path: str
    template: str
    heading: str
    values: PageValues

    def place(self, language: str) -> str:
        """Its file on the site."""
        return self.path if language == LANGUAGES[0] else f"{language}/{self.path}"


class RunEntry(Struct, frozen=True):
    """A run on the site. slug: its name in addresses; label: its name for people, another for each run, with what is
    unseen in it told; told: the part of it that tells runs of one model apart, "" of the only one."""

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
        """Where it is ranked: runs of one benchmark in one language, or on one file of one's own."""
        return f"{self.place}-{self.language}"

    @property
    def place(self) -> str:
        """The benchmark; of data of one's own with their name."""
        return place_of(self.run)

    @property
    def page(self) -> str:
        """The page of the run, in its headline scoring."""
        return f"runs/{self.slug}.html"

    def page_in(self, scoring: str) -> str:
        """The page of the run in a scoring."""
        headline = headline_scoring(self.run.metrics)
        return self.page if scoring == headline else f"runs/{_page_in(self.slug, scoring)}.html"


class PairResult(Struct, frozen=True):
    """Two runs in one scoring. better: which is, by the measure that decides; intervals: of the differences by which a
    board ranks, by row."""

    better: Better
    intervals: dict[Place, Interval]


class Refused(Struct, frozen=True):
    """A comparison that could not be made. reason: a key of pages/comparison.py."""

    reason: str


Pairs = Mapping[tuple[str, str], dict[str, PairResult] | Refused]
"""By the slugs of two runs, in the order of the site, and by scoring."""


class Site(Struct, frozen=True):
    """All that pages are made from. comparisons: by board, filled by `comparison.write_pairs`. found: what `failures`
    has found so far, by slug."""

    entries: tuple[RunEntry, ...]
    comparisons: dict[str, dict[tuple[str, str], dict[str, PairResult] | Refused]] = {}
    found: dict[str, dict[str, FoundFailures]] = {}

    def board(self, name: str) -> list[RunEntry]:
        """The runs that are ranked together."""
        return [entry for entry in self.entries if entry.board == name]

    def pairs(self, board: str) -> Pairs:
        """What was found of every two runs of a board; nothing where none were compared."""
        return self.comparisons.get(board, {})

    def failures(self, entry: RunEntry, scoring: str) -> FoundFailures:
        """Why the tasks of a run fail in one of its scorings."""
        if entry.slug not in self.found:  # else it was found while the data of the tasks were written
            self.found[entry.slug] = find_failures(entry.run)
        return self.found[entry.slug][scoring]

    def comparison_page(self, one: RunEntry, other: RunEntry) -> str:
        """Where two runs of a board are compared, below the root of a language; "" where they are not."""
        a, b = sorted((one, other), key=self.entries.index)
        found = self.pairs(one.board).get((a.slug, b.slug))
        if found is None or isinstance(found, Refused):
            return ""
        headline = a.run.benchmark.headline
        return pair_page(a, b, headline if headline in found else next(iter(found)))

    @property
    def boards(self) -> list[str]:
        """In the order of the runs; those of one benchmark stand together."""
        benchmarks = list(dict.fromkeys(entry.benchmark for entry in self.entries))
        ordered = sorted(self.entries, key=lambda entry: benchmarks.index(entry.benchmark))
        return list(dict.fromkeys(entry.board for entry in ordered))


def pair_page(a: RunEntry, b: RunEntry, scoring: str) -> str:
    """The page of two runs, in the order of the site, in a scoring."""
    folder = "" if scoring == a.run.benchmark.headline else f"{slug(scoring)}/"
    return f"compare/{folder}{a.slug}--{b.slug}.html"


def place_of(run: ScoredRun) -> str:
    """The benchmark of a run; of data of one's own with their name."""
    own = run.benchmark.name == SESSIONS_BENCHMARK
    return f"{SESSIONS_BENCHMARK}{OWN_DATA}{slug(str(run.manifest.data.name))}" if own else run.benchmark.name


def entries_of(runs: Sequence[ScoredRun]) -> tuple[RunEntry, ...]:
    """The runs under names that tell them apart: the model's; where two are alike with what they were asked
    differently, the folder's unless it is named like that, and a number where that is alike too."""
    entries: list[RunEntry] = []
    places = [(place_of(run), run.language, run.model) for run in runs]
    for run, place in zip(runs, places, strict=True):
        alike = [other for other, its_place in zip(runs, places, strict=True) if its_place == place]
        folder = run.folder.resolve().name if len(alike) > 1 else ""
        asked = [
            one if len(one) <= LONGEST_SETTING else one[: LONGEST_SETTING - 1] + "…"
            for one in differences(asked_of(run), map(asked_of, alike))
        ]
        is_told = not folder or any(one.endswith(f" {folder}") for one in asked)
        told = tell_unseen(", ".join(asked if is_told else [*asked, folder]))
        # The name itself, or with the first number that is not taken
        taken = {entry.label for entry, (*board, _model) in zip(entries, places, strict=False) if board == [*place[:2]]}
        numbers = ("" if number == 1 else f"-{number}" for number in count(1))
        label = f"{tell_unseen(run.model)} ({told})" if told else tell_unseen(run.model)
        number = next(number for number in numbers if label + number not in taken)
        wanted = f"{run.model} ({folder})" if folder else run.model
        pages = {page for entry in entries for page in _page_names(entry.slug, entry.run.metrics.scorings)}
        name = slug(f"{place[0].rpartition(OWN_DATA)[2]}-{run.language}-{wanted}").lower()
        free = _free_slug(name, run.metrics.scorings, pages)
        entries.append(RunEntry(run, free, label + number, told + number if told else ""))
    return tuple(entries)


def _free_slug(wanted: str, scorings: Iterable[str], taken: set[str]) -> str:
    """A slug none of whose pages has the name of another run's page: a model may be called "x-task" beside "x"."""
    names = (wanted if number == 1 else f"{wanted}-{number}" for number in count(1))
    return next(name for name in names if not taken & set(_page_names(name, scorings)))


def _page_names(slug_: str, scorings: Iterable[str]) -> tuple[str, ...]:
    return slug_, f"{slug_}-task", f"{slug_}-tasks", *(_page_in(slug_, scoring) for scoring in scorings)


def _page_in(slug_: str, scoring: str) -> str:
    return f"{slug_}-in-{slug(scoring)}"


def board_heading(name: str, language: str) -> str:
    """What a board is called: the name of the benchmark or of data of one's own, and their language."""
    place, _sign, data_language = name.rpartition("-")
    benchmark, _sign, own = place.partition(OWN_DATA)
    said = translated(DATA_LANGUAGES.get(data_language, data_language), language)
    return f"{own or display_of(benchmark).title} · {said}"


def headline_scoring(metrics: Metrics) -> str:
    """The scoring to show first: the benchmark's, else `exact`, else any that there is."""
    wanted = (str(metrics.headline), EXACT, *metrics.scorings)
    return next((scoring for scoring in wanted if scoring in metrics.scorings), EXACT)
