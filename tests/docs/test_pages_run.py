"""Every command, every Python example and every notebook is carried out, and prints what the page shows."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.docs.pages import PAGES, ROOT, Block, Command, blocks, commands
from tests.docs.stage import Stage, stage
from toolgauge.benchmarks.catalogue import CATALOGUE

STORIES = [page for page in PAGES if page.name != "README.zh-CN.md"]
"""The Chinese README has the commands of the English one; carrying them out once is enough."""
NAMES = [str(page.relative_to(ROOT)) for page in STORIES]
READ_ONLY = frozenset({"text", "yaml", "toml", "bibtex", "makefile", "dotenv", "mermaid"})
"""Languages of blocks that show something and are not to be carried out."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
"""`...` stands for any output."""


@pytest.mark.parametrize("page", STORIES, ids=NAMES)
def test_a_page_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is one story: what its examples leave behind is there for the later ones."""
    with stage(tmp_path) as here:
        monkeypatch.chdir(here.folder)
        for name, value in here.environment.items():
            monkeypatch.setenv(name, value)
        for name, source in here.catalogue.items():
            monkeypatch.setitem(CATALOGUE, name, source)
        namespace: dict[str, object] = {"__name__": "example"}
        for block in blocks(page):
            _carry_out(block, page, here, namespace)


def _carry_out(block: Block, page: Path, here: Stage, namespace: dict[str, object]) -> None:
    place = f"{page.relative_to(ROOT)}:{block.line}"
    match block.language:
        case "console":
            _run_commands(block, page, here)
        case "python":
            if block.file:
                (here.folder / block.file).write_text(block.text, encoding="utf-8")
            _run_python(block, place, namespace)
        case "json":
            value = json.loads(block.text)
            if block.file:  # a line of a data file, spread over several lines for reading
                (here.folder / block.file).write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")
        case language:
            assert language in READ_ONLY, f"{place}: is {language!r} to be carried out? Then write console or python"


def _run_commands(block: Block, page: Path, here: Stage) -> None:
    for command in commands(block):
        place = f"{page.relative_to(ROOT)}:{command.line}: {command.text}"
        code, output = here.run(command)
        assert code == 0, f"{place}\nexit code {code}\n{output}"
        if command.output.strip():
            alike = doctest.OutputChecker().check_output(command.output, output, FLAGS)
            assert alike, f"{place}\nshould print\n{command.output}\nbut prints\n{output}"


def _run_python(block: Block, place: str, namespace: dict[str, object]) -> None:
    """Run an example; what it prints is what the comments `# ...` behind its print calls say."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(
            compile("\n" * (block.line - 1) + block.text, place.partition(":")[0], "exec", dont_inherit=True), namespace
        )
    promised = "".join(
        row.rpartition("  # ")[2] + "\n" for row in block.text.splitlines() if "print(" in row and "  # " in row
    )
    if promised:
        alike = doctest.OutputChecker().check_output(promised, printed.getvalue(), FLAGS)
        assert alike, f"{place}: should print\n{promised}\nbut prints\n{printed.getvalue()}"


def test_both_languages_of_the_readme_show_the_same_commands() -> None:
    english, chinese = (
        [command.text for block in blocks(ROOT / name) if block.language == "console" for command in commands(block)]
        for name in ("README.md", "README.zh-CN.md")
    )
    assert english == [text.replace("TOOLGAUGE_LANG=zh ", "") for text in chinese]


CI_PAGE = ROOT / "docs" / "results.md"
INSTALLS = "pip install toolgauge"


def steps() -> list[dict[str, Any]]:
    (block,) = (block for block in blocks(CI_PAGE) if block.language == "yaml")
    (job,) = yaml.safe_load(block.text)["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


@pytest.mark.parametrize(("model", "codes"), [("openai/gpt-5-mini", [0, 1]), ("builtin/oracle", [0, 0])])
def test_the_gate_of_the_workflow_stops_a_model_that_is_not_good_enough(
    model: str, codes: list[int], tmp_path: Path
) -> None:
    """The endpoint answers in words and never calls a tool; a server of this machine has no known prices."""
    shell = [step["run"].strip() for step in steps() if "run" in step]
    assert shell[0] == INSTALLS
    assert {key for step in steps() for key in step} <= {"uses", "run", "env", "with", "if", "name"}
    assert all(value.startswith("${{ secrets.") for step in steps() for value in step.get("env", {}).values())
    with stage(tmp_path) as here:
        done = [
            here.run(Command(text.replace("openai/gpt-5-mini", model).replace("--max-cost 2", ""), "", 0))
            for text in shell[1:]
        ]
        assert [code for code, _output in done] == codes, done
        report = ElementTree.fromstring((here.folder / "gate.xml").read_bytes())
    assert report.get("failures") == str(sum(codes))


NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
PYTHON = Path(os.environ.get("TOOLGAUGE_NOTEBOOKS_PYTHON", "/nowhere")).absolute()
PRINTED = {"researcher": "only builtin/noisy right:", "model_builder": "fixed ", "application_team": "careful: "}
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


def stem(notebook: Path) -> str:
    return notebook.stem


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=stem)
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
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=stem)
def test_jupyter_executes_it(notebook: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [PYTHON, "-c", EXECUTE, notebook], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert PRINTED[notebook.stem] in done.stdout
