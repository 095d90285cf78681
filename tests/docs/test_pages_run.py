"""Every command and every Python example of the pages is carried out, and prints what the page shows."""

from __future__ import annotations

import contextlib
import doctest
import io
import json
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, Block, blocks, commands
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
