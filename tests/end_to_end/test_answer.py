"""What `run` and `score` print: the answer first, in about fifteen lines; tables when they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.playing import NOISY, call, command


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    folder = tmp_path_factory.mktemp("answer")
    code, out, err = call(command("run", "mini", "-m", NOISY, "--out", "run"), folder)
    assert code == 0, err
    return folder, out, err


def test_run_answers_first(run: tuple[Path, str, str]) -> None:
    _folder, out, err = run
    printed = out.splitlines()
    assert len(printed) + len(err.splitlines()) <= 15
    assert printed[0].startswith("mini en, exact: task accuracy ")
    assert "[" in printed[0].partition("task accuracy")[2], "an interval"
    assert printed[1].startswith("Main causes of ")
    assert printed[1].count(",") == 2
    assert printed[-2].startswith("Files: run (")
    assert printed[-1] == "Next: toolgauge analyse run"


def test_several_models_are_run_in_turn(tmp_path: Path) -> None:
    """One run directory each; a model that cannot be asked does not keep the next one from its turn."""
    models = ("-m", NOISY, "-m", "nobody/x", "-m", "builtin/oracle")
    code, out, err = call(command("run", "mini", *models, "--limit", "1", "--out", "runs"), tmp_path)
    assert code == 1
    assert [line for line in out.splitlines() if line.startswith("== ")] == [
        f"== {NOISY} (1 of 3) ==",
        "== nobody/x (2 of 3) ==",
        "== builtin/oracle (3 of 3) ==",
    ]
    assert len(list((tmp_path / "runs").glob("*/metrics.json"))) == 2
    assert "2 of 3 models are done; not nobody/x" in err
    code, _out, err = call(command("run", "mini", "-m", NOISY, "-m", NOISY), tmp_path)
    assert code == 2
    assert "given twice" in err
