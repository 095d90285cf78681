"""Nobody's files are lost, none is written through links or outside, and a folder that goes away ends a run."""

from __future__ import annotations

import ast
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import toolgauge
from tests.end_to_end.playing import (
    Player,
    call,
    command,
    finish,
    go,
    lines,
    options,
    replies,
    snapshot,
    start,
    wait_until,
)
from tests.mockserver import serve
from toolgauge.cli.main import app
from toolgauge.errors import StoreError, ToolgaugeError, UsageError
from toolgauge.files import below, folder_below, require_new, write_below
from toolgauge.runs.manifest import MANIFEST
from toolgauge.runs.scored import DETAILS, METRICS, SCORES
from toolgauge.runs.store import FAILURES, LOCK, REPLIES, TRAJECTORIES

FILES = (MANIFEST, TRAJECTORIES, FAILURES, REPLIES, LOCK, SCORES, METRICS, DETAILS)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    go(folder, limit=1)
    return folder


def state(folder: Path) -> dict[Path, object]:
    """Content of files, targets of links; the lock file, which is empty, left out."""
    paths = [path for path in folder.rglob("*") if path.is_symlink() or (path.is_file() and path.name != LOCK)]
    return {path: path.readlink() if path.is_symlink() else path.read_bytes() for path in paths}


@pytest.mark.parametrize(("name", "target"), zip(FILES, ("victim", "nowhere") * 4, strict=True))
def test_a_run_asks_nothing_where_a_file_of_it_is_a_link(name: str, target: str, whole: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"alias ls=ls\n")
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(tmp_path / target)
    before = state(tmp_path)
    with serve(Player(replies(limit=1))) as server:
        with pytest.raises(StoreError, match="is a symbolic link"):
            go(run, "openai/mock", reached=options(server.base_url), limit=1)
        assert server.requests == []
    assert state(tmp_path) == before


SESSIONS = 6
CONCURRENCY = 4


def removed(folder: Path) -> None:
    shutil.rmtree(folder)


def moved(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def replaced(folder: Path) -> None:
    shutil.copytree(folder, folder.with_name("copy"))
    shutil.rmtree(folder)
    folder.with_name("copy").rename(folder)


@pytest.mark.parametrize(("loss", "verb"), [(removed, "run"), (moved, "generate"), (replaced, "run")])
def test_asking_stops_when_the_folder_is_gone(loss: Callable[[Path], None], verb: str, tmp_path: Path) -> None:
    with serve(Player(replies(limit=SESSIONS)), latency=0.2) as server:
        chosen = ["run", "mini", "--limit", SESSIONS] if verb == "run" else ["generate", "--sample", 16]
        arguments = command(
            *chosen, "--out", "out", "--set", "limits.probe=false", "--concurrency", CONCURRENCY, server=server
        )
        process = start(arguments, tmp_path)
        wait_until(lambda: len(server.requests) >= 6)
        loss(tmp_path / "out")
        asked = len(server.requests)
        code, _, err = finish(process)
        after = len(server.requests) - asked
    assert after <= 2 * CONCURRENCY, "at most one more of each conversation that had just got its reply"
    assert code == 1
    assert "removed, moved or replaced while in use" in err.splitlines()[-1]
    assert "Traceback" not in err


def test_asking_stops_when_the_disk_is_full(tmp_path: Path) -> None:
    limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000)); "
    limited += "os.execv(sys.executable, sys.argv[1:])"
    with serve(Player(replies(limit=SESSIONS)), latency=0.05) as server:
        arguments = command(
            "run", "mini", "--limit", SESSIONS, "--out", "run", "--set", "limits.probe=false", server=server, fresh=True
        )
        arguments += ["--concurrency", str(CONCURRENCY)]
        code, _, err = call([sys.executable, "-c", limited, *arguments], tmp_path)
        asked = len(server.requests)
    kept = sum(len(line["steps"]) for line in lines(tmp_path / "run" / "trajectories.jsonl"))
    kept += len(lines(tmp_path / "run" / "replies.jsonl"))
    assert code == 1
    assert "File too large. Everything written before is safe" in err.splitlines()[-1]
    assert asked <= kept + 2 * CONCURRENCY
    assert asked < len(replies(limit=SESSIONS))


def newer(name: str, folder: Path) -> None:
    """As a later version would have written this file."""
    content = (folder / name).read_text() if name == "run.json" else ""
    line = json.loads(content) | {"trajectory_version": 99} if content else {"version": 99, "what": "nobody knows"}
    with (folder / name).open("w" if content else "a") as file:
        file.write(json.dumps(line) + "\n")


@pytest.mark.parametrize("name", ["run.json", "trajectories.jsonl", "replies.jsonl", "failures.jsonl"])
def test_what_a_newer_version_wrote_is_refused_before_anything_is_asked(name: str, tmp_path: Path) -> None:
    with serve(Player(replies(limit=1))) as server:
        reached = options(server.base_url)
        go(tmp_path / "run", "openai/mock", reached=reached, limit=1, max_tokens_total=20)
        newer(name, tmp_path / "run")
        before, asked = snapshot(tmp_path / "run"), len(server.requests)
        with pytest.raises(StoreError, match=f"{name}: written by a newer version of toolgauge; upgrade") as caught:
            go(tmp_path / "run", "openai/mock", reached=reached, limit=1)
        assert caught.value.exit_code == 1
        assert len(server.requests) == asked
    assert snapshot(tmp_path / "run") == before


VERBS: tuple[tuple[str, ...], ...] = (
    ("report", "--out", "inside/site"),
    ("export", "--to", "figures", "--out", "inside/figures", "--overwrite"),
)
NAMES = ("../../../OUTSIDE", "\x00模型/OUTSIDE" + "x" * 5000, "../../../OUTSIDE")


@pytest.fixture(scope="module")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small_run") / "run"
    go(folder, limit=1)
    return folder


@pytest.fixture
def run(small_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A stranger's run; nothing may be written but below `inside`."""
    folder = tmp_path / "deep" / "down" / "run"
    shutil.copytree(small_run, folder)
    monkeypatch.chdir(folder.parent)
    yield folder
    for path in tmp_path.rglob("*OUTSIDE*"):
        assert folder.parent / "inside" in path.parents, path


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env={"TOOLGAUGE_LANG": "en", "COLUMNS": "200"})


def change(file: Path, key: str, value: Any) -> None:
    content = json.loads(file.read_bytes())
    content[key] = value
    file.write_text(json.dumps(content))


def test_a_model_may_be_called_anything(run: Path) -> None:
    """Two names beside one another, one of which is there twice."""
    runs = []
    for number, model in enumerate(NAMES):
        runs.append(run.with_name(f"r{number}"))
        shutil.copytree(run, runs[-1])
        change(runs[-1] / "run.json", "model", {"name": model, "provider": "builtin"})
    for verb in VERBS:
        result = invoke(verb[0], *runs, *verb[1:])
        assert result.exit_code == 0, (verb, result.output, result.exception)


def test_ids_may_be_anything(run: Path) -> None:
    trajectories = (run / "trajectories.jsonl").read_text()
    failure = {"key": "../../../OUTSIDE", "session_id": "../../../OUTSIDE", "blame": "model", "reason": "../OUTSIDE"}
    (run / "failures.jsonl").write_text(json.dumps(failure) + "\n")
    (run / "trajectories.jsonl").write_text(trajectories.replace("mini_0", "../../../OUTSIDE"))
    scores = (run / "scores.jsonl").read_text()
    (run / "scores.jsonl").write_text(scores.replace("mini_0", "../../../OUTSIDE"))
    for verb in VERBS:
        result = invoke(verb[0], run, *verb[1:])
        assert result.exception is None or isinstance(result.exception, ToolgaugeError | SystemExit), result.exception


@pytest.mark.parametrize(
    "name", ["..", ".", "", "/x", "x/", "a//b", "a/../b", ".hidden", "a/.b", "a\\b", "a b", "a\n", "a\0", "é", "~/x:y"]
)
def test_the_last_check_where_a_path_is_made(name: str, tmp_path: Path) -> None:
    for make in (below, folder_below, lambda folder, one: write_below(folder, one, b"")):
        with pytest.raises(StoreError, match="invalid file name"):
            make(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


EDITED = "a person's own words\n"


def in_process(*arguments: object) -> tuple[int, str]:
    """Exit code and all that was printed, of the command line in this process."""
    done = CliRunner().invoke(app, [str(one) for one in arguments], env={"TOOLGAUGE_LANG": "en"})
    if isinstance(done.exception, toolgauge.errors.ToolgaugeError):  # told by `main`, which is outside of the app
        return done.exception.exit_code, str(done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    return done.exit_code, done.output


def mini(out: Path, *more: object) -> tuple[int, str]:
    return in_process("run", "mini", "-m", "builtin/noisy", "--limit", 1, "--out", out, *more)


def generated(out: Path, *more: object) -> tuple[int, str]:
    return in_process("generate", "--demo", "--paths", "chat; clarify", "--out", out, *more)


@pytest.mark.parametrize(
    ("verb", "name", "more"),
    [
        (mini, "trajectories.jsonl", []),
        (mini, "failures.jsonl", ["--overwrite"]),
        (generated, "replies.jsonl", []),
        (generated, "trajectories.jsonl", ["--overwrite"]),
    ],
)
def test_journals_of_others_are_never_continued(
    tmp_path: Path, name: str, more: list[str], verb: Callable[..., tuple[int, str]]
) -> None:
    (tmp_path / name).write_text(EDITED)
    code, _said = verb(tmp_path, *more)
    assert code == 2
    assert (tmp_path / name).read_text() == EDITED


@pytest.mark.parametrize("link", [None, os.link, os.symlink])
def test_a_generation_does_not_write_into_its_input(tmp_path: Path, link: Callable[[Path, Path], None] | None) -> None:
    assert generated(tmp_path / "first")[0] == 0
    reviewed = (tmp_path / "first" / "sessions.jsonl").read_bytes()
    out = tmp_path / "second" if link else tmp_path / "first"
    if link:
        out.mkdir()
        link(tmp_path / "first" / "sessions.jsonl", out / "sessions.jsonl")
    for more in ([], ["--overwrite"]):
        code, said = in_process(
            "generate", "--demo", "--resume-from", tmp_path / "first/sessions.jsonl", "--out", out, *more
        )
        assert code == 2
        assert "which this command reads" in said
    assert (tmp_path / "first" / "sessions.jsonl").read_bytes() == reviewed


def test_files_that_the_user_names_are_replaced_only_when_asked(tmp_path: Path) -> None:
    assert mini(tmp_path / "a")[0] == mini(tmp_path / "b")[0] == 0
    for number, arguments in enumerate(
        (
            ("export", tmp_path / "a", "--to", "markdown", "--out"),
            ("export", tmp_path / "a", "--to", "xlsx", "--out"),
            ("analyse", tmp_path / "a", "--json"),
            ("compare", tmp_path / "a", tmp_path / "b", "--json"),
            ("gate", tmp_path / "a", "--min", "task_accuracy=0", "--pass-undecided", "--junit"),
            ("probe", "-m", "builtin/oracle", "--json"),
        )
    ):
        target = tmp_path / f"made{number}"
        target.write_text(EDITED)
        code, said = in_process(*arguments, target)
        assert (code, target.read_text()) == (2, EDITED)
        assert f"{target} exists; use --overwrite to replace it" in said
        assert in_process(*arguments, target, "--overwrite")[0] in (0, 1)
        assert target.read_bytes() != EDITED.encode()


def test_a_file_that_exists_needs_a_word(tmp_path: Path) -> None:
    file = tmp_path / "file"
    require_new(file)
    file.write_text(EDITED)
    with pytest.raises(UsageError, match="exists; use --overwrite to replace it, or choose another path"):
        require_new(file)
    require_new(file, overwrite=True)
    with pytest.raises(UsageError, match="which this command reads"):
        require_new(file, overwrite=True, inputs=[file])
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "missing")
    for name in ("pipe", "link", "."):
        with pytest.raises(StoreError, match="Cannot write"):
            require_new(tmp_path / name, overwrite=True)


ROOT = Path(toolgauge.__file__).parent
WRITING = {"mkdir", "makedirs", "write_text", "write_bytes", "touch", "symlink_to", "hardlink_to", "rename", "rmtree"}


WRITING |= {"copytree", "copyfile", "copy2", "move", "NamedTemporaryFile", "TemporaryDirectory", "mkstemp", "mkdtemp"}


ALLOWED = {
    ("files.py", "mkdir"),
    ("report/site_folder.py", "mkdir"),
    ("report/site_folder.py", "rename"),
    ("report/site_folder.py", "rmtree"),
    ("cli/report.py", "TemporaryDirectory"),
    ("report/exports/details.py", "TemporaryDirectory"),
    ("review/export.py", "TemporaryDirectory"),  # what is checked before it leaves
    ("generation/formats/files.py", "TemporaryDirectory"),  # what is only compared
    ("runs/corrections.py", "NamedTemporaryFile"),  # what is only read again
    ("data/schemas.py", "rename"),  # what renames the fields of a schema
    ("tools/texts.py", "fdopen"),  # of a pipe
    ("cli/serve.py", "fdopen"),  # of a descriptor that files.py opened
}


def writers(path: Path) -> Iterator[str]:
    """The names of the calls of a module that make, move or open files for writing."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        texts = [
            one.value for one in (*node.args, *(key.value for key in node.keywords)) if isinstance(one, ast.Constant)
        ]
        modes = [text for text in texts if isinstance(text, str) and len(text) < 4 and set(text) & set("wax+")]
        if name in WRITING or (name in ("open", "fdopen") and any(set(mode) <= set("wax+bt") for mode in modes)):
            yield name


def test_nobody_writes_but_the_one_writer() -> None:
    modules = sorted(ROOT.rglob("*.py"))
    found = {(path.relative_to(ROOT).as_posix(), name) for path in modules for name in writers(path)}
    assert ("files.py", "mkdir") in found
    assert {pair for pair in found if pair[0] != "files.py"} - ALLOWED == set()
