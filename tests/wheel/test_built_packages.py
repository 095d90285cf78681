"""What is published: the wheel and the sdist, and an installation of the wheel alone in an empty environment.

`make wheel-check` builds both, installs the wheel without extras, and names the places in TOOLGAUGE_DIST and
TOOLGAUGE_WHEEL_BIN.
"""

from __future__ import annotations

import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

DIST = Path(os.environ.get("TOOLGAUGE_DIST", "/nowhere")).absolute()
BIN = Path(os.environ.get("TOOLGAUGE_WHEEL_BIN", "/nowhere")).absolute()
MOST_MEGABYTES, MOST_PACKAGES = 350, 45
FIXTURES = ROOT / "tests" / "fixtures"
EXPORTS = ("csv", "xlsx", "markdown", "latex", "figures", "openai", "sharegpt", "hf")

pytestmark = [pytest.mark.wheel, pytest.mark.skipif(not BIN.exists(), reason="no installed wheel; make wheel-check")]


def toolgauge(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run the installed command in a folder; what it said, both streams together."""
    done = subprocess.run(
        [BIN / "toolgauge", *arguments],
        cwd=folder,
        env={"PATH": str(BIN), "HOME": str(folder), "TOOLGAUGE_LANG": "en"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == code, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An otherwise empty folder with two runs, made by the installed command."""
    folder = tmp_path_factory.mktemp("empty")
    for name in ("noisy", "oracle"):
        toolgauge(folder, "run", "mini", "-m", f"builtin/{name}", "--out", name)
    return folder


def test_the_installation_is_light() -> None:
    (packages,) = (BIN.parent / "lib").glob("python3*/site-packages")
    installed = {
        file.name for file in packages.glob("*.dist-info") if file.name.split("-")[0] not in ("pip", "setuptools")
    }
    assert len(installed) <= MOST_PACKAGES, sorted(installed)
    size = sum(file.lstat().st_blocks * 512 for file in packages.rglob("*"))
    assert size <= MOST_MEGABYTES << 20, f"{size >> 20} MB"


def test_the_wheel_holds_the_package_its_catalogues_and_the_licence_alone() -> None:
    (wheel,) = DIST.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "toolgauge",
        f"{wheel.name.removesuffix('-py3-none-any.whl')}.dist-info",
    }
    for needed in ("/licenses/LICENSE", "toolgauge/locale/zh/LC_MESSAGES/toolgauge.mo", "toolgauge/py.typed"):
        assert any(name.endswith(needed) for name in names), needed
    assert [name for name in names if "/tests/" in name or name.endswith((".pyc", ".pot"))] == []


def test_the_sdist_holds_what_the_wheel_is_made_of() -> None:
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name.split("/")[0] for name in names} - {""} == {
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "pyproject.toml",
        "setup.cfg",
        "src",
    }
    assert "src/toolgauge/locale/zh/LC_MESSAGES/toolgauge.mo" in names


def test_the_version_is_the_one_of_the_source(runs: Path) -> None:
    from toolgauge.version import __version__

    assert __version__ in toolgauge(runs, "--version")
    (wheel,) = DIST.glob("*.whl")
    assert wheel.name.split("-")[1] == __version__


def test_the_main_path(runs: Path) -> None:
    assert "128 of 128 tasks scored" in toolgauge(runs, "score", "noisy")
    assert "35.9 points are lost" in toolgauge(runs, "analyse", "noisy")
    assert "builtin/oracle" in toolgauge(runs, "compare", "noisy", "oracle")
    toolgauge(runs, "gate", "oracle", "--min", "task_accuracy=0.8")
    toolgauge(runs, "data", "check", "mini")
    toolgauge(runs, "generate", "--demo", "--paths", "single", "--out", "generated")
    toolgauge(runs, "run", "mini", "-m", "builtin/oracle", "--language", "zh", "--out", "zh")
    toolgauge(runs, "run", "acebench", "-m", "builtin/noisy", "--data", str(FIXTURES / "acebench"), "--out", "ace")


def test_the_site(runs: Path) -> None:
    toolgauge(runs, "report", "noisy", "oracle", "--out", "site")
    assert 'href="runs/mini-en-builtin_noisy.html"' in (runs / "site" / "index.html").read_text("utf-8")


@pytest.mark.parametrize("to", EXPORTS)
def test_exports(runs: Path, to: str) -> None:
    made = toolgauge(runs, "export", "noisy", "--to", to).splitlines()[0]
    assert (runs / made).exists()


def test_an_extra_that_is_missing_is_named_in_one_line(runs: Path) -> None:
    said = toolgauge(runs, "export", "noisy", "--to", "parquet", code=2)
    assert said == "toolgauge: --to parquet needs polars; install it with: pip install 'toolgauge[parquet]'\n"


def test_the_review_names_its_extra(runs: Path) -> None:
    said = toolgauge(runs, "review", "sessions", code=2)
    assert said.endswith("install it with: pip install 'toolgauge[review]'\n")
    assert len(said.splitlines()) == 1
