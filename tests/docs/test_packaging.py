"""What an installation has, what pages say of the source, the Dockerfile and the workflows, as far as it is checked."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import grimp
import yaml

from tests.docs.pages import PAGES, ROOT
from tests.rows import rows

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


def test_no_imports_lead_in_a_circle() -> None:
    """Those for type checking and those inside functions included; the front door opens the rest on first use."""
    graph = grimp.build_graph("toolgauge", cache_dir=None)
    graph.remove_import(importer="toolgauge", imported="toolgauge.api")
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 100
    TopologicalSorter(imports).prepare()  # raises CycleError with the circle


EVERY_PAGE = sorted(
    {*PAGES, ROOT / "CHANGELOG.md", *(page for room in ("src", "tests", "perf", "authoring", "docs/zh")
                                      for page in (ROOT / room).rglob("*.md"))}
)  # fmt: skip
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "")).lower().replace(" ", "-") for heading in headings}


@rows("page", EVERY_PAGE, ids=[str(page.relative_to(ROOT)) for page in EVERY_PAGE])
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), f"{page.relative_to(ROOT)}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.relative_to(ROOT)}: {link}"


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def jobs(name: str) -> dict[str, dict[str, Any]]:
    text = (ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = yaml.safe_load(text)["jobs"]
    return found


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile: the word in capitals, and what stands behind it."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [(word, rest) for word, _space, rest in (line.partition(" ") for line in lines if line.strip())]


@rows("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_permissions_are_named(workflow: Any) -> None:
    text = workflow.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert [one for one in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []
    assert yaml.safe_load(text)["permissions"] == {}
    assert set(re.findall(r"make (?:PYTHON=python )?([\w-]+)", text)) <= TARGETS
    for job in jobs(workflow.name).values():
        assert job["timeout-minutes"]
        assert job["permissions"] in ({"contents": "read"}, {"id-token": "write"})


def test_only_the_job_that_publishes_may_prove_who_it_is_and_it_runs_nothing_of_ours() -> None:
    (build, publish) = jobs("release.yml").values()
    assert build["permissions"] == {"contents": "read"}
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["needs"] == "build"
    assert [step for step in publish["steps"] if "run" in step] == []
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")


def test_every_python_that_we_name_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {match[1] for one in project["classifiers"] if (match := re.fullmatch(r".* :: (3\.\d+)", one))}
    tested = set(jobs("tests.yml")["tests"]["strategy"]["matrix"]["python"])
    assert named <= tested
    assert project["requires-python"] == f">={min(named, key=lambda one: int(one[2:]))}"


def test_the_image_runs_as_nobody_special() -> None:
    found = instructions()
    assert {word for word, _ in found} <= {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}
    last = max(place for place, (word, _) in enumerate(found) if word == "FROM")
    users = [rest for word, rest in found[last:] if word == "USER"]
    assert [int(user) for user in users] == [1000]
    assert all("latest" not in rest for word, rest in found if word == "FROM")
    assert [rest for word, rest in found if word == "ENTRYPOINT"] == ['["toolgauge"]']
