"""Benchmarks that are given to `toolgauge.run` as objects; whatever one does wrong is one line that names it."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

import toolgauge
from toolgauge.analysis.facet import Facet
from toolgauge.analysis.show import show
from toolgauge.api import make_site
from toolgauge.benchmarks import registry
from toolgauge.benchmarks.catalogue import CATALOGUE, source
from toolgauge.benchmarks.conversation.simple import SimpleBenchmark, Wrong, play
from toolgauge.benchmarks.dialogues.benchmark import MINI
from toolgauge.benchmarks.options import BenchmarkOptions
from toolgauge.benchmarks.registry import reason_texts
from toolgauge.chat import Reply, ToolCall
from toolgauge.cli.main import app
from toolgauge.data.files import DataSource, RemoteFile
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.locale import _
from toolgauge.reasons import Frame


class Sums(SimpleBenchmark):
    name = "sums-of-a-test"


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    file = tmp_path / "sums.jsonl"
    lines = (
        '{"id": "a", "question": "1 + 1?", "expected": "2"}',
        '{"id": "b", "messages": [{"role": "user", "content": "add"}],'
        ' "expected": [{"name": "add", "arguments": {"x": 1}}]}',
    )
    file.write_text("\n".join(lines))
    return file


def test_run_and_score_an_object(sums: Path, tmp_path: Path) -> None:
    result = toolgauge.run(Sums(), "builtin/oracle", data=sums, out=tmp_path / "run", epochs=2)
    rate = result.metrics.scorings["exact"]["overall"]["task_accuracy"]
    assert (rate.correct, rate.total, rate.requested, rate.missing) == (4, 4, 4, 0)
    assert toolgauge.score(tmp_path / "run") == result.metrics


class Sorted(Sums):
    name = "sorted-sums"
    facets = (
        Facet(
            name="by_form",
            title=_("Fine type"),
            of=lambda question: ["words" if isinstance(question.expected, str) else "calls"],
            label=lambda row, language: f"{row} ({language})",
            column="form",
            terminal=True,
        ),
    )


def test_a_facet_is_declared_once_and_found_everywhere(sums: Path, tmp_path: Path) -> None:
    runs = [
        toolgauge.run(Sorted(), model, data=sums, out=tmp_path / model.partition("/")[2]).folder
        for model in ("builtin/oracle", "builtin/silent")
    ]
    metrics = toolgauge.score(runs[0])
    assert {row: rate.value for row, rate in metrics.scorings["exact"]["by_form"].items()} == {"words": 1, "calls": 1}
    terminal = Console(file=io.StringIO(), width=100)
    show(metrics, "exact", terminal)
    assert "words (en)" in terminal.file.getvalue()  # type: ignore[attr-defined]
    with (runs[0] / "details.csv").open(encoding="utf-8-sig") as file:
        assert [row["form"] for row in csv.DictReader(file)] == ["words", "calls"]
    (found,) = toolgauge.compare(runs[0], runs[1]).comparisons
    assert found.scorings["exact"].tables["by_form"]["words"].difference == -1
    make_site(runs, tmp_path / "site")
    pages = [page.read_text(encoding="utf-8") for page in (tmp_path / "site").rglob("*.html")]
    assert any("words (en)" in page for page in pages)
    assert any("words (zh)" in page for page in pages)
    written = [file.read_text(encoding="utf-8") for file in (tmp_path / "site").rglob("*.js*")]
    assert any("by_form" in text for text in written), "the comparison's page has the row"


def test_what_is_right_by_default(sums: Path) -> None:
    data = Sums().load(sums, "en")
    assert [one.scorings["exact"].correct for one in play(Sums(), data, Reply(" 2. "))] == [True, False]
    call = ToolCall("1", "add", '{"x": 1}')
    assert [one.scorings["exact"].correct for one in play(Sums(), data, Reply(None, (call,)))] == [False, True]
    other = Reply(None, (ToolCall("1", "add", '{"x": 2}'),))
    assert Sums().judge(data.by_id["b"], other) == Wrong(
        "wrong_arguments", 'made [{"name": "add", "arguments": {"x": 2}}]'
    )
    odds: tuple[Any, ...] = (None, "{", "[[", {"x": {}}, 7)
    for hostile in odds:
        odd = Reply(None, (ToolCall(None, None, hostile),))
        assert [one.scorings["exact"].correct for one in play(Sums(), data, odd)] == [False, False]


def test_objects_that_are_refused(sums: Path, tmp_path: Path) -> None:
    nothing: Any = object()
    with pytest.raises(UsageError, match="object: not a benchmark; missing name"):
        toolgauge.run(nothing, "builtin/oracle")
    for name in ("../x", "Mini", "", 3):
        odd: Any = type("Odd", (SimpleBenchmark,), {"name": name})()
        with pytest.raises(UsageError, match="invalid benchmark name"):
            toolgauge.run(odd, "builtin/oracle", data=sums)
    taken = type("Taken", (SimpleBenchmark,), {"name": "mini"})()
    with pytest.raises(UsageError, match="already has one of that name"):
        toolgauge.run(taken, "builtin/oracle", data=sums)
    with pytest.raises(UsageError, match="name a file with --data"):
        toolgauge.run(Sums(), "builtin/oracle")
    assert toolgauge.run(MINI, "builtin/oracle", limit=1, out=tmp_path / "m").metrics.benchmark == "mini"


@pytest.mark.parametrize(
    "line",
    [
        '{"id": 3, "expected": 1, "question": ""}',
        '{"id": "a", "expected": 1}',
        '{"id": "#", "expected": 1, "question": "?"}',
        '{"id": "a", "expected": 1, "question": "?", "more": 1}',
        '{"id": "a", "expected": 1, "question": "?", "language": "fr"}',
        "[]",
        '{"id": "a", "question": "?", "expected": 1}\n{"id": "a", "question": "?", "expected": 1}',
    ],
)
def test_lines_that_are_no_questions(tmp_path: Path, line: str) -> None:
    (tmp_path / "odd.jsonl").write_text(line)
    (problem,) = Sums().data_files().check(tmp_path / "odd.jsonl", "en").problems
    assert problem.line in (1, 2)


def test_a_benchmark_without_texts_or_with_broken_ones(sums: Path) -> None:
    class Silent:
        name = "silent"

    silent: Any = Silent()
    assert set(reason_texts(silent, "zh")) == set(Frame)

    class Broken(Sums):
        def reason_texts(self, language: str) -> Any:
            return {"said": language} if language == "en" else 1 / 0

    for language, said in (("en", "ValidationError"), ("zh", "ZeroDivisionError")):
        with pytest.raises(ToolgaugeError, match=f"benchmark 'sums-of-a-test' .*failed: {said}"):
            reason_texts(Broken(), language)


class Public(SimpleBenchmark):
    name = "public-of-a-test"
    source = "sums-of-the-web"
    sources = (
        DataSource("sums-of-the-web", "sums of a plugin", "some/one", "0" * 40, (RemoteFile("a.jsonl", "0"),)),
        DataSource("mmtb", "a name that is taken", "some/one", "0" * 40, ()),
    )


class Raising(SimpleBenchmark):
    name = "raising-of-a-test"

    @property
    def sources(self) -> Any:  # type: ignore[override]
        raise KeyError("oh")


def test_public_data_of_every_benchmark_are_listed_and_fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "_GIVEN", {one.name: one for one in (Raising(), Public())})

    def said(*arguments: str) -> str:
        done = CliRunner().invoke(app, ["data", *arguments, "--cache-dir", str(tmp_path)])
        return f"{done.output}{done.exception}"

    listed = said("list")
    assert "sums of a plugin" in listed
    assert "a name that is taken" not in listed
    assert "Warning: benchmark 'raising-of-a-test' (Raising) failed: KeyError: 'oh'" in listed
    assert source("mmtb") is CATALOGUE["mmtb"]
    assert "run `toolgauge data fetch sums-of-the-web`" in said("fetch", "sums-of-the-web", "--offline")


def fails(*_: Any, **__: Any) -> Any:
    raise KeyError("oh")


class Raises(BenchmarkOptions, frozen=True):
    depth: int = 1

    def __post_init__(self) -> None:
        fails()


class OfARun(BenchmarkOptions, frozen=True):
    limit: int = 1


class OfTheManifest(BenchmarkOptions, frozen=True):
    dataset: str = ""


METHODS = ("load", "samples", "roles", "task_ids", "scores", "order", "judge", "report")
CLASSES: tuple[Any, ...] = (Raises, OfARun, OfTheManifest, 3)


@pytest.mark.parametrize(
    "members",
    [*({name: fails} for name in METHODS), *({"Options": one} for one in CLASSES)],
    ids=lambda members: "-".join(getattr(value, "__name__", "3") + name for name, value in members.items()),
)
def test_one_line_names_the_benchmark(members: dict[str, Any], tmp_path: Path) -> None:
    data = tmp_path / "one.jsonl"
    data.write_text('{"id": "a", "question": "1 + 1?", "expected": "2"}\n')
    name = "fails-" + "-".join(members).lower().replace("_", "-")
    benchmark: Any = type("Failing", (SimpleBenchmark,), {"name": name, **members})()
    with pytest.raises(ToolgaugeError, match=f"benchmark '{name}'") as raised:
        toolgauge.run(benchmark, "builtin/oracle", data=data, out=tmp_path / "run")
    assert "\n" not in str(raised.value)
