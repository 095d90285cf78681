"""What the pages say about names, fields, files and each other is so."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import toolgauge
from tests.docs.pages import PAGES, ROOT
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.data.categories import CATEGORIES, GROUPS
from toolgauge.benchmarks.acebench.environments.world import ENVIRONMENTS
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.benchmarks.acebench.numbers import details as ace_details
from toolgauge.benchmarks.acebench.numbers.tables import FORMULA
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.data import mmtb
from toolgauge.benchmarks.dialogues.judge.paper_classes import MMTB_CLASSES, PAPER_COLUMNS
from toolgauge.benchmarks.dialogues.numbers.details import OUR_COLUMNS, SCORING_COLUMNS
from toolgauge.chat import Reply, Usage
from toolgauge.data import sessions
from toolgauge.episode import Step, Trajectory, drive
from toolgauge.generation.formats.files import FILES
from toolgauge.generation.options import GenerationOptions
from toolgauge.integrations.rewards import SHAPES, Reward, Rewards
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import Score, Verdict
from toolgauge.models.batches import BATCH_RULES
from toolgauge.models.builtin.models import BUILTIN_MODELS, oracle
from toolgauge.models.model import ModelOptions, Sampling
from toolgauge.models.provider import PROVIDERS
from toolgauge.runs.executors.batch import POLL_VARIABLE
from toolgauge.runs.executors.batch_log import ANSWERS, BATCHES
from toolgauge.runs.manifest import NOT_COMPARED
from toolgauge.runs.store import Failure, JournalLine

EVERY_PAGE = sorted(
    {*PAGES, ROOT / "CHANGELOG.md", *(page for room in ("src", "tests", "perf", "authoring", "docs/zh")
                                      for page in (ROOT / room).rglob("*.md"))}
)  # fmt: skip
FILES_OF_GENERATIONS = FILES
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_NUMBERS = {"K": range(1, 6), "B": range(1, 10), "D": (1,), "Q": range(1, 10), "M": (1, 3, 5, 6, 7)}
KEYS = [f"{letter}{number}" for letter, numbers in _NUMBERS.items() for number in numbers]
"""The defects and quirks of the public evaluators, by the names that tests and comments use for them."""


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "")).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", EVERY_PAGE, ids=[str(page.relative_to(ROOT)) for page in EVERY_PAGE])
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), f"{page.relative_to(ROOT)}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.relative_to(ROOT)}: {link}"


def test_rules_name_every_defect_once() -> None:
    rows = re.findall(r"^\| ([KBDQM]\d) \|", text_of("docs/rules.md"), re.MULTILINE)
    assert rows == KEYS


def test_acebench_names_every_quirk_once() -> None:
    rows = re.findall(r"^\| (Q\d\d) \|", text_of("docs/acebench.md"), re.MULTILINE)
    assert rows == [f"Q{number:02}" for number in range(1, 36)]
    assert FORMULA in text_of("docs/acebench.md")


def test_acebench_tells_what_an_agents_conversation_leaves() -> None:
    benchmark = AceBench()
    dataset = benchmark.load(ROOT / "tests" / "fixtures" / "acebench", "en")
    text = text_of("docs/acebench.md")
    for sample in benchmark.samples(dataset, Setup(options={"categories": ("agent",)})):
        trajectory = drive(benchmark.episode(dataset, sample), oracle)
        assert [name for name in trajectory.extra if f"`{name}`" not in text] == []


@pytest.mark.shared
def test_acebench_lists_the_entries_that_perfect_answers_cannot_pass(shared: Path) -> None:
    rows = re.findall(r"^\| (en|zh) \| `(\w+)` \| ([\d_ ]+) \|", text_of("docs/acebench.md"), re.MULTILINE)
    listed = {(language, f"{category}_{end}") for language, category, ends in rows for end in ends.split()}
    benchmark, wrong = AceBench(), set()
    for language in ("en", "zh"):
        dataset = benchmark.load(shared / "data" / "acebench", language)
        for sample in benchmark.samples(dataset):
            for score in benchmark.scores(dataset, drive(benchmark.episode(dataset, sample), oracle)):
                if not score.scorings["released"].correct:
                    wrong.add((language, score.task_id))
                is_agent = score.task_id.startswith("agent")
                assert score.scorings["exact"].correct or (is_agent and not score.scorings["released"].correct)
    assert listed == wrong


def test_rules_show_the_taxonomy_as_it_is() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \| `(\w+)` \|$", text_of("docs/rules.md"), re.MULTILINE)
    assert [(name, official.strip(), column) for name, official, column in rows] == [
        (mistake.value, MMTB_CLASSES[mistake], PAPER_COLUMNS[mistake]) for mistake in Mistake
    ]


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("docs/files.md", sorted(NOT_COMPARED)),
        ("docs/files.md", (*OUR_COLUMNS, *SCORING_COLUMNS)),
        *(
            ("docs/files.md", struct.__struct_fields__)
            for struct in (Trajectory, Step, Reply, Usage, Score, Verdict, Failure, JournalLine)
        ),
        ("docs/files.md", (*ace_details.ENTRY_COLUMNS, *ace_details.SCORING_COLUMNS, *ace_details.RUN_COLUMNS)),
        ("docs/files.md", (BATCHES, f"{ANSWERS}/")),
        ("docs/batches.md", (*BATCH_RULES, POLL_VARIABLE)),
        ("docs/training.md", (*Reward.__struct_fields__, *SHAPES, *inspect.signature(Rewards).parameters)),
        ("docs/acebench.md", (*CATEGORIES, *GROUPS, *AceError, *ENVIRONMENTS)),
        ("docs/api.md", (*inspect.signature(toolgauge.run).parameters, *Setup.__struct_fields__)),
        ("docs/generation.md", ("model", "roles", *GenerationOptions.__struct_fields__, *FILES_OF_GENERATIONS)),
        ("docs/models.md", BUILTIN_MODELS),
        ("docs/providers.md", [name for one in PROVIDERS.values() for name in (one.name, *one.aliases)]),
        ("docs/providers.md", [f"{one.name}-{site}" for one in PROVIDERS.values() for site in one.sites]),
        ("docs/providers.md", [name for one in PROVIDERS.values() for name in one.variables]),
        ("docs/providers.md", [code for one in PROVIDERS.values() for code in one.quirks.filtered + one.quirks.unpaid]),
        ("docs/api.md", [*inspect.signature(toolgauge.compare).parameters]),
        ("docs/api.md", [*inspect.signature(toolgauge.make_site).parameters]),
        ("docs/api.md", Sampling.__struct_fields__),
        ("docs/api.md", ModelOptions.__struct_fields__),
        ("docs/data-format.md", sessions._KNOWN),
        ("docs/data-format.md", mmtb._KNOWN),
    ],
)
def test_names_are_documented(page: str, names: list[str]) -> None:
    text = text_of(page)
    assert [name for name in names if f"`{name}`" not in text] == []
