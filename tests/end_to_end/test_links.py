"""A link where a file of ours should be is an error: before anything is asked, and nothing is written through it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.end_to_end.playing import NOISY, Player, go, options, replies
from tests.mockserver import serve
from toolgauge.cli import serve as serving
from toolgauge.cli.main import app
from toolgauge.errors import StoreError, ToolgaugeError, UsageError
from toolgauge.generation.formats.files import FILES
from toolgauge.report.exports.catalogue import NAMES
from toolgauge.runs.executors.batch_log import ANSWERS, BATCHES, BatchLog
from toolgauge.runs.manifest import MANIFEST
from toolgauge.runs.recordings import recordings
from toolgauge.runs.scored import DETAILS, METRICS, SCORES
from toolgauge.runs.store import FAILURES, LOCK, REPLIES, TRAJECTORIES

SAID = (MANIFEST, TRAJECTORIES, FAILURES, REPLIES, LOCK)
SCORED = (SCORES, METRICS, DETAILS)
ACE_DATA = Path(__file__).parent.parent / "fixtures/acebench/data_all"
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


def test_links_that_lead_to_themselves_are_refused(tree: Tree) -> None:
    (tree.run / SCORES).unlink()
    (tree.run / SCORES).symlink_to(tree.run / SCORES)
    assert "is a symbolic link" in refused("run", "mini", "-m", NOISY, "--limit", LIMIT, "--out", tree.run)


def test_a_new_run_in_a_folder_with_a_link(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.link(DETAILS, dangling=True)
    with pytest.raises(StoreError, match=r"details\.csv: is a symbolic link"):
        go(tree.run, limit=LIMIT)
    assert not (tree.run / MANIFEST).exists()
    assert [path.name for path in tree.outside.iterdir()] == ["victim"]


def test_the_run_directory_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "disk")
    go(tmp_path / "run", limit=1)
    assert invoke("score", tmp_path / "run").exit_code == 0
    assert (tmp_path / "disk" / METRICS).is_file()


@pytest.mark.parametrize("dangling", [False, True])
@pytest.mark.parametrize("name", [MANIFEST, TRAJECTORIES, *SCORED])
def test_score_replaces_no_file_where_one_is_a_link(name: str, dangling: bool, tree: Tree) -> None:
    tree.link(name, dangling)
    before = tree.state()
    assert "is a symbolic link" in refused("score", tree.run)
    assert tree.state() == before


@pytest.mark.parametrize("name", ["summary.csv", "summary.xlsx"])
def test_the_sheets_of_acebench(name: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    data = ("--data", ACE_DATA, "--out", tree.run, "--category", "normal")
    assert invoke("run", "acebench", "-m", NOISY, "--limit", 2, *data).exit_code == 0
    tree.link(name)
    before = tree.state()
    assert f"{name}: is a symbolic link. Fix this" in refused("score", tree.run)
    assert tree.state() == before


@pytest.mark.parametrize("name", [".scores.jsonl.new", ".metrics.json.new", "details.csv.part", "run.json.new"])
def test_names_that_could_be_guessed_before_are_left_alone(name: str, tree: Tree) -> None:
    tree.link(name)
    assert invoke("score", tree.run).exit_code == 0
    assert invoke("run", "mini", "-m", NOISY, "--limit", LIMIT, "--out", tree.run).exit_code == 0
    assert tree.victim.read_bytes() == SECRET
    assert (tree.run / name).is_symlink()


@pytest.mark.parametrize("name", [MANIFEST, TRAJECTORIES, FAILURES])
def test_files_of_a_run_are_not_read_through_links(name: str, tree: Tree) -> None:
    """Such a link would show a file of the reader in a report."""
    content = (tree.run / name).read_bytes()
    tree.link(name)
    tree.victim.write_bytes(content)
    assert "is a symbolic link" in refused("report", tree.run, "--out", tree.folder / "site")
    assert not (tree.folder / "site").exists()


@pytest.mark.parametrize("name", [SCORES, METRICS])
def test_scores_are_made_anew_and_not_read_through_a_link(name: str, tree: Tree) -> None:
    tree.victim.write_bytes((tree.run / name).read_bytes())
    tree.link(name)
    result = invoke("report", tree.run, "--out", tree.folder / "site")
    assert result.exit_code == 0, result.output
    assert f"{name} missing, outdated or edited" in result.output


@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_details_are_made_anew_and_not_read_through_a_link(to: str, tree: Tree) -> None:
    tree.link(DETAILS)
    made = tree.folder / "e"
    result = invoke("export", tree.run, "--to", to, "--out", made)
    assert result.exit_code == 0, result.output
    assert SECRET.strip() not in made.read_bytes()
    assert tree.victim.read_bytes() == SECRET


@pytest.mark.parametrize("to", ["csv", "figures", "markdown"])
def test_an_export_goes_to_no_folder_through_a_link(to: str, tree: Tree) -> None:
    (tree.folder / "made").symlink_to(tree.outside)
    assert "is a symbolic link" in refused("export", tree.run, "--to", to, "--out", tree.folder / "made")
    assert [path.name for path in tree.outside.iterdir()] == ["victim"]


def test_a_users_own_data_file_may_be_a_link(tmp_path: Path) -> None:
    from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE

    (tmp_path / "data.jsonl").symlink_to(MINI_FILE)
    data = ("--data", tmp_path / "data.jsonl")
    assert invoke("run", "mini", "-m", NOISY, "--limit", 1, "--out", tmp_path / "run", *data).exit_code == 0


@pytest.mark.parametrize("name", [*SAID, *FILES])
def test_generate_begins_nothing(name: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.link(name)
    before = tree.state()
    asked = ("generate", "--demo", "--tasks", 1, "--sample", 1, "--out", tree.run)
    if name not in (MANIFEST, LOCK):
        assert f"{name} exists; choose a new folder" in refused(*asked)
    assert "is a symbolic link" in refused(*asked, "--overwrite")
    assert tree.state() == before


@pytest.mark.parametrize("to", [to for to in NAMES if to != "csv"])
def test_exports(to: str, tree: Tree) -> None:
    tree.link(NAMES[to])
    before = tree.state()
    if to == "figures":
        (tree.run / "figures").unlink()
        (tree.run / "figures").symlink_to(tree.outside)
        before = tree.state()
    assert "is a symbolic link" in refused("export", tree.run, "--to", to)
    assert tree.state() == before


def test_files_that_the_user_named(tree: Tree) -> None:
    spec = Path(__file__).parent.parent / "fixtures/openapi_library.yaml"
    second = tree.folder / "second"
    shutil.copytree(tree.run, second)
    named = tree.folder / "named"
    named.symlink_to(tree.victim)
    before = tree.state()
    for command in (
        ("analyse", tree.run, "--json", named),
        ("compare", tree.run, second, "--json", named),
        ("tools", "import", "openapi", spec, "--out", named),
        ("export", tree.run, "--to", "csv", "--out", named),
        ("export", tree.run, "--to", "openai", "--out", named),
    ):
        assert "is a symbolic link" in refused(*command)
        assert tree.state() == before


@pytest.mark.parametrize("names", [("reference", "endpoint"), ("endpoint", "reference")])
def test_runs_inside_a_named_folder(names: tuple[str, str], tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.run.mkdir()
    (tree.run / names[0]).symlink_to(tree.outside)
    told = refused("verify", "-m", NOISY, "--against", "builtin/oracle", "--limit", LIMIT, "--out", tree.run)
    assert "is a symbolic link" in told
    assert [path.name for path in tree.outside.iterdir()] == ["victim"]
    assert not (tree.run / names[1]).exists()


def test_several_result_files(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "two").symlink_to(tmp_path / "outside")
    with pytest.raises(StoreError, match="is a symbolic link"):
        recordings([tmp_path / "one", tmp_path / "two"], [], tmp_path / "runs")


def test_what_leaves_a_review(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "x").symlink_to(tmp_path / "outside")
    data = Path(__file__).parent.parent / "fixtures" / "wildtoolbench_small.jsonl"
    told = refused(
        "review", data, "--language", "en", "--out", tmp_path / "r", "--export", tmp_path / "x", "--unapproved"
    )
    assert "is a symbolic link" in told
    assert not list((tmp_path / "outside").iterdir())


def test_the_log_of_serve(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    (tmp_path / "log").symlink_to(tree.victim)
    with pytest.raises(UsageError, match="is a symbolic link"), serving.kept(tmp_path / "log"):
        pass
    (tmp_path / "log").unlink()
    for _ in range(2):
        with serving.kept(tmp_path / "log") as file:
            assert file is not None
            file.write("line\n")
    assert (tmp_path / "log").read_text() == "line\nline\n"


@pytest.mark.parametrize("name", [BATCHES, ANSWERS])
def test_batches(name: str, tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.run.mkdir()
    (tree.run / name).symlink_to(tree.outside if name == ANSWERS else tree.victim)
    with pytest.raises(StoreError, match="is a symbolic link"):
        BatchLog(tree.run)
    assert [path.name for path in tree.outside.iterdir()] == ["victim"]
    assert tree.victim.read_bytes() == SECRET


@pytest.mark.parametrize("name", [SCORES, METRICS, DETAILS, *FILES[:1]])
def test_a_folder_where_a_file_should_be_is_seen_before_anything_is_asked(name: str, tmp_path: Path) -> None:
    (tmp_path / "run" / name).mkdir(parents=True)
    where = ("--out", tmp_path / "run")
    if name in FILES:
        told = refused("generate", "--demo", "--tasks", 1, "--sample", 1, *where, "--overwrite")
    else:
        told = refused("run", "mini", "-m", NOISY, "--limit", 1, *where)
    assert name in told
    assert "Is a directory" in told
    assert not (tmp_path / "run" / TRAJECTORIES).exists()
