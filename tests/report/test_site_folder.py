"""The folder of a site: only what we made is replaced, and a kill at any moment loses no site."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.report.killing import build, standing
from toolgauge.errors import StoreError, UsageError
from toolgauge.report import site_folder
from toolgauge.report.site_folder import MARK

MINE = b"years of work"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    place = tmp_path / "site"
    build(place, "old")
    return place


def state(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(place: Path) -> str:
    """Why a site cannot take a place; nothing changes then, and nothing stays beside it."""
    before, beside = state(place.parent), sorted(place.parent.iterdir())
    with pytest.raises(UsageError) as caught:
        build(place, "new")
    assert state(place.parent) == before
    assert sorted(place.parent.iterdir()) == beside
    return str(caught.value)


def test_a_site_is_replaced_by_the_next(site: Path) -> None:
    site.chmod(0o750)
    build(site, "new", ("more.html",))
    assert standing(site) == "new"
    build(site, "last")
    assert standing(site) == "last"
    assert not (site / "more.html").exists()
    assert site.stat().st_mode & 0o777 == 0o750
    assert [path.name for path in site.parent.iterdir()] == ["site"]


def test_an_empty_folder_and_a_link_that_the_user_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    build(tmp_path / "empty", "new")
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    build(tmp_path / "link", "newer")
    assert (tmp_path / "link").is_symlink()
    assert standing(tmp_path / "empty") == "newer"


@pytest.mark.parametrize(
    "mark",
    [
        "{}",
        "[]",
        "no json",
        '{"toolgauge": "1", "runs": [], "more": 1}',
        '{"toolgauge": "1", "site": 2, "files": ["mine"]}',
        '{"toolgauge": "1", "site": 2, "files": {"../mine": "' + "0" * 64 + '"}}',
        '{"toolgauge": "1", "site": 2, "files": {"/etc/passwd.html": "' + "0" * 64 + '"}}',
        '{"toolgauge": "1", "site": 2, "files": {"mine": ""}}',
        '{"toolgauge": "1", "site": 3, "files": {}}',
    ],
)
def test_a_folder_with_some_site_json_is_no_site(mark: str, tmp_path: Path) -> None:
    place = tmp_path / "project"
    place.mkdir()
    (place / MARK).write_text(mark)
    (place / "mine").write_bytes(MINE)
    assert refused(place) == f"{place}: is there already and is no site of toolgauge; choose another out"


def test_the_site_of_an_older_version_is_left_to_its_owner(tmp_path: Path) -> None:
    place = tmp_path / "site"
    place.mkdir()
    (place / MARK).write_text('{"toolgauge": "0.1", "runs": []}')
    assert "the site of an older toolgauge, which did not note what belongs to it; remove that folder" in refused(place)


def _file(site: Path) -> None:
    (site / "notes.txt").write_bytes(MINE)


def _hidden(site: Path) -> None:
    (site / "data" / ".htaccess").write_bytes(MINE)


def _folder(site: Path) -> None:
    (site / "empty").mkdir()


def _link(site: Path) -> None:
    (site / "link").symlink_to(site.parent)


def _linked_page(site: Path) -> None:
    (site / "index.html").rename(site.parent / "index.html")
    (site / "index.html").symlink_to(site.parent / "index.html")


def _git(site: Path) -> None:
    (site / ".git").mkdir()
    (site / ".git" / "HEAD").write_bytes(MINE)


@pytest.mark.parametrize(
    ("add", "name"),
    [
        (_file, "notes.txt"),
        (_hidden, "data/.htaccess"),
        (_folder, "empty"),
        (_link, "link"),
        (_linked_page, "index.html"),
        (_git, ".git/HEAD"),
    ],
)
def test_what_does_not_belong_to_a_site_stops_it(add: Callable[[Path], None], name: str, site: Path) -> None:
    add(site)
    told = f"{site}: holds what does not belong to the site there ({name}); move it away or choose another out"
    assert refused(site) == told


def test_what_a_person_edited_stops_it(site: Path) -> None:
    (site / "index.html").write_text("my words")
    assert "was changed since the site was made (index.html); move that away" in refused(site)


def test_what_a_person_removed_does_not_stop_it(site: Path) -> None:
    (site / "index.html").unlink()
    build(site, "new")
    assert standing(site) == "new"


def test_what_is_put_there_while_a_site_is_built_stops_it(site: Path) -> None:
    building = site_folder.site_folder(site, "1", [])
    (building.__enter__() / "index.html").write_text("new")
    (site / "notes.txt").write_bytes(MINE)
    with pytest.raises(UsageError, match=r"notes\.txt"):
        building.__exit__(None, None, None)
    assert (site / "notes.txt").read_bytes() == MINE
    assert (site / "index.html").read_text() == "old"


@pytest.mark.parametrize("failing", [1, 2])
def test_the_earlier_site_comes_back_where_a_rename_fails(
    failing: int, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, calls = Path.rename, 0

    def sometimes(self: Path, target: Path) -> Path:
        nonlocal calls
        calls += target.name in ("site", "earlier")
        if calls == failing and target.name in ("site", "earlier"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return rename(self, target)

    monkeypatch.setattr(site_folder, "exchange", lambda *_: False)
    monkeypatch.setattr(Path, "rename", sometimes)
    with pytest.raises(StoreError, match="cannot be written"):
        build(site, "new")
    assert standing(site) == "old"
    assert [path.name for path in site.parent.iterdir()] == ["site"]


@pytest.mark.parametrize("steps", [(), ("--two-steps",)])
def test_a_kill_at_any_call_loses_no_site(steps: tuple[str, ...], tmp_path: Path) -> None:
    """In a single step there is always a whole site; in two the next build finds the one that was moved away."""
    script = [sys.executable, str(Path(__file__).parent / "killing.py"), str(tmp_path), *steps]
    done = subprocess.run(script, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    told = [line.split() for line in done.stdout.splitlines()]
    assert told[-1][0] == "end"
    assert len(told) > 50
    found = [line[1] for line in told]
    assert set(found) - {"nothing"} == {"old", "new"}
    if not steps and sys.platform.startswith("linux"):
        assert "nothing" not in found
    assert found == sorted(found, key=["old", "nothing", "new"].index)
    assert {tuple(line[2:]) for line in told} == {("next", "1")}


def test_a_site_that_was_moved_away_comes_back_even_where_the_next_build_fails(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = site.parent / f"{site_folder._prefix(site)}{'0' * 16}.site"
    scratch.mkdir()
    site.rename(scratch / "earlier")
    with pytest.raises(ZeroDivisionError), site_folder.site_folder(site, "1", []):
        raise ZeroDivisionError
    assert standing(site) == "old"
    assert not scratch.exists()


def test_the_scratch_of_a_process_that_is_still_at_it_stays(site: Path) -> None:
    with site_folder.site_folder(site, "1", []) as folder:
        (folder / "index.html").write_text("slow")
        build(site, "quick")
        assert folder.is_dir()
    assert standing(site) == "slow"
    shutil.rmtree(site)


def test_site_json_says_what_belongs_to_the_site(site: Path) -> None:
    content = json.loads((site / MARK).read_bytes())
    there = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert set(content["files"]) | {MARK} == there
