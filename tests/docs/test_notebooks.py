"""The example notebooks: their code runs from top to bottom on the embedded benchmark, without a network.

`make notebooks` executes them as notebooks, with Jupyter's own kernel.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT
from tests.rows import rows

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
PYTHON = Path(os.environ.get("TOOLGAUGE_NOTEBOOKS_PYTHON", "/nowhere")).absolute()
PRINTED = {
    "researcher": "only builtin/noisy right:",
    "model_builder": "fixed ",
    "application_team": "careful: ",
}
"""Something that each says."""
EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=300).execute()
print("".join(one["text"] for cell in notebook.cells for one in cell.get("outputs", ()) if one["name"] == "stdout"))
"""


def cells(notebook: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return found


def name(notebook: Path) -> str:
    return notebook.stem


@rows("notebook", NOTEBOOKS, ids=name)
def test_nothing_that_was_printed_is_kept(notebook: Path) -> None:
    code = [cell for cell in cells(notebook) if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert cells(notebook)[0]["source"][0].startswith("# ")
    assert len(code) <= 8, "short enough to be read"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name)
def test_the_code_runs(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said, namespace = io.StringIO(), {"__name__": "notebook"}
    with contextlib.redirect_stdout(said):
        for cell in cells(notebook):
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), notebook.name, "exec"), namespace)
    assert PRINTED[notebook.stem] in said.getvalue()


@pytest.mark.notebooks
@pytest.mark.skipif(not PYTHON.exists(), reason="no nbclient; make notebooks")
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name)
def test_jupyter_executes_it(notebook: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [PYTHON, "-c", EXECUTE, notebook], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert PRINTED[notebook.stem] in done.stdout
