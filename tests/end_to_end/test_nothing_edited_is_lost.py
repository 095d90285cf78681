"""What exists is replaced only with --overwrite, except what a verb makes in its own folder; input is never output."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

import toolgauge
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.cli.main import app
from toolgauge.errors import StoreError, UsageError
from toolgauge.files import only_one, require_apart, require_new, require_own_folder

FIXTURES = Path(__file__).parents[1] / "fixtures"
EDITED = "a person's own words\n"


def call(*arguments: object) -> tuple[int, str]:
    """Exit code and all that was printed, of the command line in this process."""
    done = CliRunner().invoke(app, [str(one) for one in arguments], env={"TOOLGAUGE_LANG": "en"})
    if isinstance(done.exception, toolgauge.errors.ToolgaugeError):  # told by `main`, which is outside of the app
        return done.exception.exit_code, str(done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    return done.exit_code, done.output


def mini(out: Path, *more: object) -> tuple[int, str]:
    return call("run", "mini", "-m", "builtin/noisy", "--limit", 1, "--out", out, *more)


def generated(out: Path, *more: object) -> tuple[int, str]:
    return call("generate", "--demo", "--paths", "chat; clarify", "--out", out, *more)


@pytest.mark.parametrize("name", ["details.csv", "metrics.json", "scores.jsonl"])
def test_a_run_spares_somebodys_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(EDITED)
    code, said = mini(tmp_path)
    assert (code, len(said.splitlines())) == (2, 1)
    assert "overwrite" in said
    assert [path.name for path in tmp_path.iterdir()] == [name], "nothing was begun"
    assert mini(tmp_path, "--overwrite")[0] == 0
    assert (tmp_path / name).read_text() != EDITED


@pytest.mark.parametrize("name", ["trajectories.jsonl", "failures.jsonl", "replies.jsonl"])
@pytest.mark.parametrize("more", [[], ["--overwrite"]])
@pytest.mark.parametrize("verb", [mini, generated])
def test_journals_of_others_are_never_continued(
    tmp_path: Path, name: str, more: list[str], verb: Callable[..., tuple[int, str]]
) -> None:
    (tmp_path / name).write_text(EDITED)
    code, _said = verb(tmp_path, *more)
    assert code == 2
    assert (tmp_path / name).read_text() == EDITED


def test_results_are_made_anew(tmp_path: Path) -> None:
    """They follow from the trajectories: a copy that somebody edits belongs elsewhere."""
    assert mini(tmp_path)[0] == 0
    whole = (tmp_path / "details.csv").read_bytes()
    for again in (partial(mini, tmp_path), partial(call, "score", tmp_path)):
        (tmp_path / "details.csv").write_text(EDITED)
        assert again()[0] == 0
        assert (tmp_path / "details.csv").read_bytes() == whole


def test_somebodys_run_json_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"mine": true}')
    code, said = mini(tmp_path)
    assert code == 2
    assert "is not the run.json of a run" in said
    assert (tmp_path / "run.json").read_text() == '{"mine": true}'


def test_a_run_directory_of_an_older_version_is_scored(tmp_path: Path) -> None:
    assert mini(tmp_path)[0] == 0
    metrics = json.loads((tmp_path / "metrics.json").read_bytes())
    del metrics["sources"]
    (tmp_path / "metrics.json").write_text(json.dumps(metrics))
    assert call("export", tmp_path, "--to", "markdown")[0] == 0
    assert call("score", tmp_path)[0] == 0
    assert "sources" in json.loads((tmp_path / "metrics.json").read_bytes())


@pytest.mark.parametrize("name", ["sessions.jsonl", "dialogues.md", "coverage.json"])
def test_files_of_a_generation_follow_from_its_dialogues(tmp_path: Path, name: str) -> None:
    assert generated(tmp_path)[0] == 0
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_text(EDITED)
    assert generated(tmp_path)[0] == 0
    assert (tmp_path / name).read_bytes() == whole


@pytest.mark.parametrize("link", [None, os.link, os.symlink])
def test_a_generation_does_not_write_into_its_input(tmp_path: Path, link: Callable[[Path, Path], None] | None) -> None:
    assert generated(tmp_path / "first")[0] == 0
    reviewed = (tmp_path / "first" / "sessions.jsonl").read_bytes()
    out = tmp_path / "second" if link else tmp_path / "first"
    if link:
        out.mkdir()
        link(tmp_path / "first" / "sessions.jsonl", out / "sessions.jsonl")
    for more in ([], ["--overwrite"]):
        code, said = call("generate", "--demo", "--resume-from", tmp_path / "first/sessions.jsonl", "--out", out, *more)
        assert code == 2
        assert "which this command reads" in said
    assert (tmp_path / "first" / "sessions.jsonl").read_bytes() == reviewed


def test_an_import_does_not_replace_its_document(tmp_path: Path) -> None:
    spec = tmp_path / "api.yaml"
    spec.write_bytes((FIXTURES / "openapi_library.yaml").read_bytes())
    before = spec.read_bytes()
    for more in ([], ["--overwrite"]):
        code, said = call("tools", "import", "openapi", spec, "--out", spec, *more)
        assert (code, spec.read_bytes()) == (2, before)
        assert "which this command reads" in said
    out = tmp_path / "tools.jsonl"
    assert call("tools", "import", "openapi", spec, "--out", out)[0] == 0
    out.write_text(EDITED)
    code, said = call("tools", "import", "openapi", spec, "--out", out)
    assert code == 2
    assert f"{out} exists; use --overwrite to replace it" in said
    assert out.read_text() == EDITED
    assert call("tools", "import", "openapi", spec, "--out", out, "--overwrite")[0] == 0
    assert out.read_text() != EDITED


def test_data_and_out_that_meet(tmp_path: Path) -> None:
    data = tmp_path / "run" / "scores.jsonl"
    data.parent.mkdir()
    data.write_bytes(MINI_FILE.read_bytes())
    code, said = call(
        "run", "wildtoolbench", "-m", "builtin/oracle", "--data", data, "--out", data.parent, "--overwrite"
    )
    assert code == 2
    assert "which this command reads" in said
    assert [path.name for path in data.parent.iterdir()] == ["scores.jsonl"]


@pytest.mark.parametrize("name", ["trajectories.jsonl", "run.json", "scores.jsonl", "metrics.json"])
def test_nothing_made_of_a_run_replaces_what_it_consists_of(tmp_path: Path, name: str) -> None:
    assert mini(tmp_path / "a")[0] == mini(tmp_path / "b")[0] == 0
    target = tmp_path / "a" / name
    before = target.read_bytes()
    for arguments in (
        ("export", tmp_path / "a", "--to", "openai", "--out", target),
        ("analyse", tmp_path / "a", "--json", target),
        ("compare", tmp_path / "a", tmp_path / "b", "--json", target),
        ("gate", tmp_path / "a", "--min", "task_accuracy=0", "--junit", target),
    ):
        code, said = call(*arguments, "--overwrite")
        assert (code, target.read_bytes()) == (2, before), arguments
        assert "which this command reads" in said


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
        code, said = call(*arguments, target)
        assert (code, target.read_text()) == (2, EDITED)
        assert f"{target} exists; use --overwrite to replace it" in said
        assert call(*arguments, target, "--overwrite")[0] in (0, 1)
        assert target.read_bytes() != EDITED.encode()


def test_an_export_that_is_a_folder_spares_that_of_somebody(tmp_path: Path) -> None:
    assert mini(tmp_path / "a")[0] == 0
    out = tmp_path / "project"
    out.mkdir()
    (out / "README.md").write_text(EDITED)
    code, said = call("export", tmp_path / "a", "--to", "hf", "--out", out)
    assert code == 2
    assert f"{out / 'README.md'} exists; choose a new folder, or use --overwrite" in said
    assert [path.name for path in out.iterdir()] == ["README.md"]
    (out / "thesis.txt").write_text(EDITED)
    assert call("export", tmp_path / "a", "--to", "hf", "--out", out, "--overwrite")[0] == 0
    assert (out / "thesis.txt").read_text() == EDITED
    assert len([*out.rglob("*")]) > 2


def test_a_trial_spares_somebodys_folder(tmp_path: Path) -> None:
    (tmp_path / "trial.json").write_text(EDITED)
    asked = ("tools", "trial", "mini", "-m", "builtin/oracle", "--distractors", 1, "--limit", 1, "--out", tmp_path)
    code, said = call(*asked)
    assert code == 2
    assert "trial.json exists; choose a new folder, or use --overwrite" in said
    assert [path.name for path in tmp_path.iterdir()] == ["trial.json"]
    assert call(*asked, "--overwrite")[0] == 0
    (tmp_path / "trial.json").write_text(EDITED)
    assert call(*asked)[0] == 0, "the folder is the trial's now, and its report follows from the runs"
    assert (tmp_path / "trial.json").read_text() != EDITED


def test_details_are_exported_as_they_follow_from_what_was_said(tmp_path: Path) -> None:
    assert mini(tmp_path / "a")[0] == 0
    details = tmp_path / "a" / "details.csv"
    honest = details.read_bytes()
    details.write_text("task_id,exact_label\nplanted,=cmd()\n")
    assert call("export", tmp_path / "a", "--to", "csv", "--out", tmp_path / "out.csv")[0] == 0
    assert (tmp_path / "out.csv").read_bytes() == honest
    code, said = call("export", tmp_path / "a", "--to", "csv")
    assert code == 2
    assert "does not match the run's trajectories" in said


# The rule itself


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


def test_a_folder_is_filled_that_is_new_empty_or_made_before(tmp_path: Path) -> None:
    require_own_folder(tmp_path / "new", made_before=False)
    (tmp_path / ".lock").touch()
    require_own_folder(tmp_path, made_before=False)
    (tmp_path / "b").touch()
    (tmp_path / "a").touch()
    with pytest.raises(UsageError, match="a exists; choose a new folder, or use --overwrite"):
        require_own_folder(tmp_path, made_before=False)
    require_own_folder(tmp_path, made_before=True)
    require_own_folder(tmp_path, made_before=False, overwrite=True)


def test_one_file_under_two_names(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(EDITED)
    (tmp_path / "folder").mkdir()
    os.link(file, tmp_path / "hard")
    (tmp_path / "soft").symlink_to(file)
    names = (file, tmp_path / "hard", tmp_path / "soft", tmp_path / "folder" / ".." / "file")
    for one in names:
        for other in names:
            with pytest.raises(UsageError, match="which this command reads"):
                require_apart([one], [other])
    with pytest.raises(UsageError):
        require_apart([tmp_path / "new"], [tmp_path / "folder" / ".." / "new"])
    require_apart([tmp_path / "new"], [file, None])


# Two at once


def test_scoring_waits_for_another(tmp_path: Path) -> None:
    assert mini(tmp_path)[0] == 0
    lines: list[str] = []
    told = threading.Event()

    def tell(line: str) -> None:
        lines.append(line)
        told.set()

    waiting = threading.Thread(target=lambda: toolgauge.score(tmp_path, tell=lambda line: tell(str(line))))
    with only_one(tmp_path):
        waiting.start()
        assert told.wait(60)
        assert waiting.is_alive()
    waiting.join(60)
    assert not waiting.is_alive()
    assert lines == [f"{tmp_path}: another process is scoring this run; waiting"]
    held = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody holds it any more
    os.close(held)
