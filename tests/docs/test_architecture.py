"""What pages say about the source is so: modules, files, folders, and the layers of the rooms."""

from __future__ import annotations

import importlib
import re
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from tests.docs.pages import PAGES, ROOT
from tests.rows import rows

PACKAGE = ROOT / "src" / "toolgauge"
MAPS = sorted(PACKAGE.rglob("README.md"))
"""What describes the rooms, each beside its files."""
OF_DATA = frozenset({"data_all", "scenarios", "environments"})
"""Folders of a fetched data set, which a map may name as well."""
_MODULE = re.compile(r"\btoolgauge(?:\.[A-Za-z_]\w*)+")
_CODE = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"[\w*./-]+(?:\.py|/)")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def resolves(name: str) -> bool:
    """Does this dotted name lead to a module, or to something in one?"""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("toolgauge"):
                return True  # of an extra that is not installed here
            continue
        return all((found := getattr(found, part, None)) is not None for part in parts[end:])
    return False


@rows("page", sorted({*PAGES, *MAPS, *(ROOT / "tests").rglob("*.md")}), ids=named)
def test_modules_that_pages_name_can_be_imported(page: Path) -> None:
    names = {name for name in _MODULE.findall(page.read_text(encoding="utf-8")) if not name.endswith(".json")}
    groups = {"toolgauge.models", "toolgauge.benchmarks"}  # entry points, and rooms as well
    assert [name for name in sorted(names - groups) if not resolves(name)] == []


@rows("page", MAPS, ids=named)
def test_files_that_maps_name_are_there(page: Path) -> None:
    """Of the room, of a room inside it, or of the whole package."""
    code = _CODE.findall(page.read_text(encoding="utf-8"))
    names = {name.rstrip("/") for name in code if _FILE.fullmatch(name)} - OF_DATA
    assert [
        name for name in sorted(names) if not any(_matches(place, name) for place in (page.parent, PACKAGE, ROOT))
    ] == []


def _matches(place: Path, name: str) -> bool:
    return any(place.glob(name)) or any(place.glob(f"*/{name}"))


def test_the_map_shows_the_layers_of_import_linter() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    page = (PACKAGE / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```text\n(.*?)```", page.replace("\n  : ", " : "), re.DOTALL)
    assert shown.splitlines() == layers, "src/toolgauge/README.md, Architecture"


def test_no_imports_lead_in_a_circle() -> None:
    """Those for type checking and those inside functions included; the front door opens the rest on first use."""
    graph = grimp.build_graph("toolgauge", cache_dir=None)
    graph.remove_import(importer="toolgauge", imported="toolgauge.api")
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 100
    TopologicalSorter(imports).prepare()  # raises CycleError with the circle
