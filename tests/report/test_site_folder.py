"""The folder of a site: only a site is replaced, other files stay, and the next `report` completes a killed one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.report.killing import FILES, build, texts
from toolgauge.errors import StoreError, UsageError
from toolgauge.report.site import beside
from toolgauge.report.site_folder import MARK, SiteFolder

MINE = "years of work"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    place = tmp_path / "site"
    build(place, "old")
    return place


def refused(place: Path) -> str:
    """Why a site cannot take a place; nothing changes then."""
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    with pytest.raises(UsageError) as caught:
        build(place, "new")
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
    return str(caught.value)


def test_a_site_is_replaced_by_the_next(site: Path) -> None:
    build(site, "new", ("more/page.html",))
    assert texts(site) == dict.fromkeys((*FILES, "more/page.html"), "new")
    build(site, "last")
    assert texts(site) == dict.fromkeys(FILES, "last")
    assert not (site / "more").exists()
    assert [path.name for path in site.parent.iterdir()] == ["site"]


@pytest.mark.parametrize(
    "mark",
    [
        "{}",
        "[]",
        "no json",
        '{"toolgauge": "1", "runs": [], "more": 1}',
        '{"toolgauge": "1", "site": 2, "files": {}}',
        '{"toolgauge": "1", "site": 3, "files": ["mine"]}',
        '{"toolgauge": "1", "site": 3, "files": ["../mine.html"]}',
        '{"toolgauge": "1", "site": 3, "files": ["/etc/passwd.html"]}',
        '{"toolgauge": "1", "site": 3, "files": ["a/.hidden.html"]}',
    ],
)
def test_a_folder_with_some_site_json_is_no_site(mark: str, tmp_path: Path) -> None:
    place = tmp_path / "project"
    place.mkdir()
    (place / MARK).write_text(mark)
    assert refused(place).startswith(f"{place / MARK} exists; choose a new folder, or use --overwrite")


def test_somebodys_folder_is_written_into_only_when_asked(tmp_path: Path) -> None:
    place = tmp_path / "project"
    place.mkdir()
    (place / "index.html").write_text(MINE)
    (place / "mine.html").write_text(MINE)
    assert "index.html exists" in refused(place)
    build(place, "new", overwrite=True)
    assert texts(place) == dict.fromkeys(FILES, "new") | {"mine.html": MINE}
    build(place, "newer")
    assert texts(place) == dict.fromkeys(FILES, "newer") | {"mine.html": MINE}


def test_what_a_person_added_stays_and_what_was_edited_is_made_again(site: Path) -> None:
    added = ("notes.txt", "data/.htaccess", ".git/HEAD", "assets/logo.svg")
    for name in added:
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(MINE)
    (site / "empty").mkdir()
    (site / "link").symlink_to(site.parent)
    (site / "index.html").write_text("edited")
    (site / "assets/base.css").unlink()
    build(site, "new")
    assert texts(site) == dict.fromkeys(FILES, "new") | dict.fromkeys(added, MINE)
    assert (site / "empty").is_dir()
    assert (site / "link").is_symlink()


def _linked_page(site: Path, outside: Path) -> None:
    (site / "index.html").unlink()
    (site / "index.html").symlink_to(outside / "index.html")


def _linked_folder(site: Path, outside: Path) -> None:
    (site / "zh" / "index.html").unlink()
    (site / "zh").rmdir()
    (site / "zh").symlink_to(outside)


def _linked_mark(site: Path, outside: Path) -> None:
    (site / MARK).rename(outside / MARK)
    (site / MARK).symlink_to(outside / MARK)


@pytest.mark.parametrize("plant", [_linked_page, _linked_folder, _linked_mark])
@pytest.mark.parametrize("overwrite", [False, True])
def test_nothing_is_written_through_a_link(
    plant: Callable[[Path, Path], None], overwrite: bool, site: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "index.html").write_text(MINE)
    plant(site, outside)
    before = {path: path.read_bytes() for path in outside.iterdir()}
    with pytest.raises((StoreError, UsageError)):
        build(site, "new", overwrite=overwrite)
    assert {path: path.read_bytes() for path in outside.iterdir()} == before


def test_nothing_is_deleted_through_a_link(site: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.html").write_text(MINE)
    (site / "former").symlink_to(tmp_path / "work")
    mark = json.loads((site / MARK).read_bytes())
    mark["files"].append("former/thesis.html")
    (site / MARK).write_text(json.dumps(mark))
    build(site, "new")
    assert (tmp_path / "work" / "thesis.html").read_text() == MINE


def test_the_next_build_completes_a_site_that_was_killed_at_any_call(tmp_path: Path) -> None:
    script = [sys.executable, str(Path(__file__).parent / "killing.py"), str(tmp_path)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    told = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert told[-1][0] == "end"
    assert len(told) > 50
    assert {found for _number, found in told} == {"whole"}


def test_two_halves_of_a_site_are_written_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgauge.report.site.threading.active_count", lambda: 1)
    monkeypatch.setattr("toolgauge.report.site.os.cpu_count", lambda: 2)
    folder = SiteFolder(tmp_path)

    def other() -> int:
        folder.write("other.html", b"other")
        return os.getpid()

    assert beside(folder, other, lambda: folder.write("own.html", b"own")) != os.getpid()
    assert folder.names == {"own.html", "other.html"}
    assert {path.name for path in tmp_path.iterdir()} == folder.names


@pytest.mark.parametrize("error", [StoreError("no space"), SystemExit()])
def test_what_stops_the_other_half_stops_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    monkeypatch.setattr("toolgauge.report.site.threading.active_count", lambda: 1)
    monkeypatch.setattr("toolgauge.report.site.os.cpu_count", lambda: 2)

    def other() -> None:
        raise error

    with pytest.raises(StoreError, match=r"no space|was stopped"):
        beside(SiteFolder(tmp_path), other, lambda: None)
