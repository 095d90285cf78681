"""A link where a file of ours should be is an error: before anything is asked, and nothing is written through it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.end_to_end.playing import Player, go, options, replies
from tests.mockserver import serve
from toolgauge.cli.main import app
from toolgauge.errors import StoreError, ToolgaugeError
from toolgauge.runs.manifest import MANIFEST
from toolgauge.runs.scored import DETAILS, METRICS, SCORES
from toolgauge.runs.store import FAILURES, LOCK, REPLIES, TRAJECTORIES

SAID = (MANIFEST, TRAJECTORIES, FAILURES, REPLIES, LOCK)
SCORED = (SCORES, METRICS, DETAILS)
SECRET = b"alias ls=ls\n"
LIMIT = 2


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env={"TOOLGAUGE_LANG": "en", "COLUMNS": "200"})


def refused(*arguments: object) -> str:
    """The one line that a command ends with."""
    result = invoke(*arguments)
    assert isinstance(result.exception, ToolgaugeError), (result.output, result.exception)
    assert "\n" not in str(result.exception)
    return str(result.exception)


class Tree:
    """A stranger's folder with links out of it, compared with itself."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.outside = folder / "outside"
        self.outside.mkdir()
        self.victim = self.outside / "victim"
        self.victim.write_bytes(SECRET)
        self.run = folder / "run"

    def link(self, name: str, dangling: bool = False) -> None:
        """Put a link in the run directory in place of what is there."""
        path = self.run / name
        path.parent.mkdir(exist_ok=True)
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.symlink_to(self.outside / "none" if dangling else self.victim)

    def state(self) -> dict[str, object]:
        """Everything there is: content of files, targets of links; the lock file, which is empty, left out."""
        found: dict[str, object] = {}
        for path in self.folder.rglob("*"):
            if path.is_symlink():
                found[str(path)] = path.readlink()
            elif path.is_file() and path.name != LOCK:
                found[str(path)] = path.read_bytes()
        return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    go(folder, limit=LIMIT)
    return folder


@pytest.fixture
def tree(whole: Path, tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    shutil.copytree(whole, made.run)
    return made


@pytest.mark.parametrize("dangling", [False, True])
@pytest.mark.parametrize("name", [*SAID, *SCORED])
def test_a_run_asks_nothing_where_a_file_of_it_is_a_link(name: str, dangling: bool, tree: Tree) -> None:
    tree.link(name, dangling)
    before = tree.state()
    with serve(Player(replies(limit=LIMIT))) as server:
        with pytest.raises(StoreError, match="is a symbolic link"):
            go(tree.run, "openai/mock", reached=options(server.base_url), limit=LIMIT)
        assert server.requests == []
    assert tree.state() == before


@pytest.mark.parametrize("name", [MANIFEST, TRAJECTORIES, FAILURES])
def test_files_of_a_run_are_not_read_through_links(name: str, tree: Tree) -> None:
    """Such a link would show a file of the reader in a report."""
    content = (tree.run / name).read_bytes()
    tree.link(name)
    tree.victim.write_bytes(content)
    assert "is a symbolic link" in refused("report", tree.run, "--out", tree.folder / "site")
    assert not (tree.folder / "site").exists()
