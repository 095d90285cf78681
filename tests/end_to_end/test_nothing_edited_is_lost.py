"""What exists is replaced only with --overwrite, except what a verb makes in its own folder; input is never output."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import toolgauge
from toolgauge.cli.main import app
from toolgauge.errors import StoreError, UsageError
from toolgauge.files import require_new

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


# Two at once
