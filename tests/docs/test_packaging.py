"""What an installation from a wheel has: every file that the package reads, every library that it imports."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

from tests.docs.pages import ROOT

PACKAGE = ROOT / "src" / "toolgauge"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MODULES = {
    "json_repair": "json-repair",
    "dotenv": "python-dotenv",
    "genai_prices": "genai-prices",
    "jsonschema_rs": "jsonschema-rs",
    "mcp_types": "mcp",
    "a2a": "a2a-sdk",
    "yaml": "pyyaml",
}
"""Modules whose distribution has another name."""


def distributions(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!~; ]", requirement)[0].lower() for requirement in requirements}


def test_every_file_of_the_package_goes_into_the_wheel() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["toolgauge"]
    packed = {file for pattern in patterns for file in PACKAGE.glob(pattern)}
    files = {file for file in PACKAGE.rglob("*") if file.is_file() and file.suffix not in (".py", ".pyc")}
    assert {str(file.relative_to(PACKAGE)) for file in files - packed} == set()
    for needed in (
        "py.typed",
        "benchmarks/dialogues/mini/sessions.jsonl",
        "benchmarks/dialogues/prompts/wildtoolbench.zh.txt",
    ):
        assert PACKAGE / needed in packed


def test_every_folder_with_code_is_a_package() -> None:
    assert [file for file in PACKAGE.rglob("*.py") if not (file.parent / "__init__.py").exists()] == []


def test_dependencies_are_exactly_what_is_imported() -> None:
    imported = {name for file in PACKAGE.rglob("*.py") for name in _imports(file)}
    foreign = {name for name in imported if name not in sys.stdlib_module_names and name != "toolgauge"}
    optional = PROJECT["project"]["optional-dependencies"]
    extras = set().union(*(distributions(optional[name]) for name in optional if name not in ("dev", "browser")))
    needed = {MODULES.get(name, name) for name in foreign}
    declared = distributions(PROJECT["project"]["dependencies"])
    assert needed - declared <= extras
    assert declared <= needed


def test_every_extra_that_is_named_exists_and_is_on_the_page_of_extras() -> None:
    extras = PROJECT["project"]["optional-dependencies"].keys()
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.po"), *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    named = {name for names in re.findall(r"toolgauge\[([\w,]+)\]", text) for name in names.split(",")}
    named |= set(re.findall(r'MissingExtra\(.*"(\w+)"\)', text))
    assert named - extras == set()
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    assert {name for name in extras if f"| `{name}` |" not in page} == set()


def _imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_constraints_pin_every_dependency_and_nothing_local() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    project = PROJECT["project"]
    wanted = distributions([*project["dependencies"], *project["optional-dependencies"]["dev"]])
    assert wanted - pinned == set()


def test_the_version_stands_in_one_word_everywhere() -> None:
    from toolgauge import __version__ as version

    assert "version" not in PROJECT["project"], "it is taken from version.py"
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
