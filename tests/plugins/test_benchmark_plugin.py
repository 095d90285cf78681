"""The example of a benchmark in a package of its own, and packages that are broken. No room
below the benchmarks knows one by name.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plugins.installing import PHONE_BOOK, ROOT, install, toolgauge
from toolgauge.benchmarks.registry import OURS

BROKEN = """
[project]
name = "toolgauge-broken"
version = "3.2.1"
[project.entry-points."toolgauge.benchmarks"]
absent = "broken_bench:Nothing"
empty = "broken_bench:Empty"
raising = "broken_bench:Raising"
renamed = "broken_bench:Raising"
mini = "broken_bench:Raising"
exits = "broken_bench.exits:Any"
sleeps = "broken_bench.sleeps:Any"
[tool.setuptools]
packages = ["broken_bench"]
"""
CODE = """
from phone_book import PhoneBook
class Empty: pass
class Raising(PhoneBook):
    name = "raising"
    def judge(self, question, reply):
        raise KeyError("oh\\x1b[31m")
"""
Run = Callable[..., str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    install(PHONE_BOOK, folder)
    return folder


@pytest.fixture(scope="module")
def runs(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with runs of the example, right and wrong, in both languages."""
    folder = tmp_path_factory.mktemp("runs")
    for name, model, language in (("right", "oracle", "en"), ("wrong", "silent", "en"), ("zh", "noisy", "zh")):
        asked = ("phone-book", "-m", f"builtin/{model}", "--language", language, "--out", name)
        done = toolgauge(folder, site, "run", *asked)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def use(runs: Path, site: Path) -> Run:
    def used(*arguments: str) -> str:
        done = toolgauge(runs, site, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return used


def test_ours_are_entry_points_too() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["toolgauge.benchmarks"] == OURS


def test_run_and_score(runs: Path, use: Run) -> None:
    before = (runs / "right" / "metrics.json").read_bytes()
    use("score", "right")
    assert (runs / "right" / "metrics.json").read_bytes() == before
    for name, low, high in (("right", 1, 1), ("wrong", 0, 0.3), ("zh", 0, 1)):
        tables = json.loads((runs / name / "metrics.json").read_text())["scorings"]["exact"]
        rate = tables["overall"]["task_accuracy"]
        assert rate["total"] == 10
        assert low <= rate["value"] <= high
        assert rate["ci95"][0] <= rate["value"] <= rate["ci95"][1]
        assert list(tables["by_kind"]) == ["find", "save", "none"]


def test_analyse_and_compare(use: Run) -> None:
    analysed = use("analyse", "wrong", "right")
    assert "wrong tool" in analysed
    assert "What is Ada Brown's number?" in analysed
    compared = use("compare", "right", "wrong", "--json", "compared.json")
    assert "task accuracy" in compared


def test_data(runs: Path, site: Path, use: Run) -> None:
    assert "toolgauge-phone-book 0.1.0" in use("data", "list")
    assert "no problems" in use("data", "check", "phone-book")
    (runs / "odd.jsonl").write_text('{"id": "a/b", "question": "?", "expected": []}\n')
    done = toolgauge(runs, site, "data", "check", "odd.jsonl", "--format", "phone-book")
    assert done.returncode == 1
    assert "odd.jsonl:1: invalid id" in done.stdout


def test_its_own_option(runs: Path, site: Path, use: Run) -> None:
    """On the command line, in run.json, in what is asked, on the page, and nowhere else."""
    use("run", "phone-book", "-m", "builtin/oracle", "--manner", "helpful", "--out", "helpful", "--limit", "2")
    manifest = json.loads((runs / "helpful" / "run.json").read_text())
    assert manifest["manner"] == "helpful"
    said = json.loads((runs / "helpful" / "trajectories.jsonl").read_text().splitlines()[0])
    assert said["steps"][0]["messages"][0]["role"] == "system"
    assert "phone-book: Ask as it is" in " ".join(use("run", "phone-book", "--help").replace("│", " ").split())
    assert "Ask as it is" not in use("run", "--help"), "nothing is imported that nobody names"
    use("report", "helpful", "--out", "helpful-pages")
    assert any("helpful" in page.read_text() for page in (runs / "helpful-pages").rglob("*.html"))
    for arguments, complaint in (
        (("mini", "--manner", "helpful"), "No such option: --manner"),
        (("phone-book", "--history", "own"), "--history: phone-book has no such option"),
        (("phone-book", "--manner", "rude"), "rude"),
        (("phone-book", "--out", "helpful", "--limit", "2"), "manner"),
    ):
        done = toolgauge(runs, site, "run", arguments[0], "-m", "builtin/oracle", *arguments[1:])
        assert done.returncode == 2, done.stderr
        assert complaint in done.stderr


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    package, folder = tmp_path_factory.mktemp("package"), tmp_path_factory.mktemp("site")
    (package / "pyproject.toml").write_text(BROKEN)
    (package / "broken_bench").mkdir()
    (package / "broken_bench" / "__init__.py").write_text(CODE)
    (package / "broken_bench" / "exits.py").write_text("raise SystemExit(3)\n")
    (package / "broken_bench" / "sleeps.py").write_text("open('imported', 'w').close()\n")
    install(PHONE_BOOK, folder)
    install(package, folder)
    return folder


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("absent", "cannot load the package toolgauge-broken 3.2.1: AttributeError"),
        ("empty", "toolgauge-broken 3.2.1: not a benchmark; missing name, headline"),
        ("renamed", "the package toolgauge-broken 3.2.1 registers it as 'renamed'"),
        (
            "raising",
            "benchmark 'raising' (toolgauge-broken 3.2.1) failed at task 'find-1': "
            "KeyError: 'oh\\x1b[31m' (broken_bench/__init__.py:",
        ),
        (
            "exits",
            "benchmark 'exits': cannot load the package toolgauge-broken 3.2.1: "
            "SystemExit: 3 (broken_bench/exits.py:1)",
        ),
    ],
)
def test_a_broken_package_is_one_line(broken: Path, tmp_path: Path, name: str, said: str) -> None:
    done = toolgauge(tmp_path, broken, "run", name, "-m", "builtin/oracle", "--out", "run")
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_other_benchmarks_work_beside_a_broken_package(broken: Path, tmp_path: Path) -> None:
    for name in ("mini", "phone-book"):
        done = toolgauge(tmp_path, broken, "run", name, "-m", "builtin/oracle", "--limit", "2", "--out", name)
        assert done.returncode == 0, done.stderr
    assert toolgauge(tmp_path, broken, "report", "mini", "phone-book", "--out", "pages").returncode == 0
    listed = toolgauge(tmp_path, broken, "data", "list")
    assert listed.returncode == 0
    assert "toolgauge-phone-book 0.1.0" in listed.stdout
    assert "toolgauge-broken 3.2.1" in listed.stdout


def test_what_nobody_names_is_not_imported(broken: Path, tmp_path: Path) -> None:
    """One that sleeps would hold up every command."""
    for arguments in (("data", "list"), ("--help",), ("run", "--help"), ("run", "mini", "-m", "builtin/oracle")):
        done = toolgauge(tmp_path, broken, *arguments)
        assert done.returncode == 0, done.stderr
        assert not (tmp_path / "imported").exists()
    toolgauge(tmp_path, broken, "run", "sleeps", "-m", "builtin/oracle")
    assert (tmp_path / "imported").exists()


ROOMS = ("analysis", "report", "cli", "integrations")
NAMES = re.compile(r"(?<![#/])(?:acebench(?!\.md)|AceBench|wildtoolbench|mmtb)")
"""But where a docstring cites a page (docs/acebench.md, docs/rules.md#mmtbs-analyses)."""
LEFT: dict[str, tuple[int, str]] = {}
"""File -> lines with a name of a benchmark, and why."""


def test_no_room_knows_a_benchmark_by_name() -> None:
    found = {}
    for room in ROOMS:
        for file in sorted((ROOT / "src" / "toolgauge" / room).rglob("*.py")):
            lines = sum(NAMES.search(line) is not None for line in file.read_text(encoding="utf-8").splitlines())
            if lines:
                found[str(file.relative_to(ROOT / "src" / "toolgauge"))] = lines
    assert found == {file: number for file, (number, _) in LEFT.items()}, "take it from the benchmark, or shorten LEFT"
