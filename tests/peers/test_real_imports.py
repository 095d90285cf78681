"""Imports from what nobody here wrote: MCP servers and API descriptions out of the public registries, versions pinned.

`make peers` runs these; `make test` does not. Each skips, saying why, where its registry or its program is not there.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from toolgauge.errors import DataError
from toolgauge.tools.checking import check_tools
from toolgauge.tools.mcp_servers import Server, import_mcp
from toolgauge.tools.openapi import Selection, import_openapi
from toolgauge.tools.toollist import Imported, read_tool_lists, write_tool_lists

pytestmark = pytest.mark.peers

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


def from_npm(folder: Path, package: str) -> Path:
    """The folder of a package with everything that it needs, none of its scripts run."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    command = [npm, "install", "--prefix", str(folder), "--ignore-scripts", "--no-audit", "--no-fund", package]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    if done.returncode:
        pytest.skip(f"the npm registry does not give {package}: {done.stderr.strip().splitlines()[-1:]}")
    return folder / "node_modules" / package.rpartition("@")[0]


def from_pypi(folder: Path, package: str) -> Path:
    """The Python of a fresh environment with a package."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
    python = folder / "bin" / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    if done.returncode:
        pytest.skip(f"the package index does not give {package}: {done.stderr.strip().splitlines()[-1:]}")
    return python


def assert_usable(imported: Imported, folder: Path) -> list[Any]:
    """Lists of 3 to 9 tools with valid schemas and names of their own, which survive their file; all their tools."""
    tools = [tool for one in imported.lists for tool in one.tools]
    for tool in tools:
        Draft202012Validator(tool.parameters)
        assert tool.parameters["type"] == "object"
        assert "$ref" not in tool.parameters
    assert len({tool.name for tool in tools}) == len(tools)
    if len(tools) >= 3:
        assert {len(one.tools) for one in imported.lists} <= set(range(3, 10))
    file = folder / "lists.jsonl"
    write_tool_lists(file, imported.lists)
    assert [one.tools for one in read_tool_lists(file)] == [one.tools for one in imported.lists]
    assert [str(finding) for finding in check_tools(file) if finding.severity == "error"] == []
    return tools


def definitions(imported: Imported) -> list[list[Any]]:
    return [[tool.wire() for tool in one.tools] for one in imported.lists]


def operations(file: Path) -> list[dict[str, Any]]:
    """The operations of a document, counted without the code under test."""
    paths = json.loads(file.read_bytes())["paths"]
    items = [_followed(paths, item) for item in paths.values()]
    return [one for item in items for method, one in item.items() if method in METHODS]


def _followed(paths: dict[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in item:
        return item
    name = item["$ref"].removeprefix("#/paths/").replace("~1", "/").replace("~0", "~")
    return dict(paths[name])


def test_the_reference_server_over_stdio(tmp_path: Path) -> None:
    """`everything`, the protocol's own reference server (TypeScript)."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    package = from_npm(tmp_path, "@modelcontextprotocol/server-everything@2026.8.31")
    tools = assert_usable(import_mcp(Server((node, str(package / "dist" / "index.js"), "stdio"))), tmp_path)
    names = {tool.name for tool in tools}
    assert {"echo", "get-sum", "get-env", "trigger-long-running-operation"} <= names
    assert len(tools) == 13
    (addition,) = [tool for tool in tools if tool.name == "get-sum"]
    assert addition.parameters["required"] == ["a", "b"]


def test_a_python_server_over_stdio(tmp_path: Path) -> None:
    """`time`, a reference server in Python, with an older version of the SDK."""
    python = from_pypi(tmp_path / "venv", "mcp-server-time==2026.10.19")
    tools = assert_usable(import_mcp(Server((str(python), "-m", "mcp_server_time"))), tmp_path)
    assert {tool.name for tool in tools} == {"get_current_time", "convert_time"}


def test_the_api_of_github(tmp_path: Path) -> None:
    """OpenAPI 3.0, more than a thousand operations, 13 MB; and the same with all references written out, 73 MB."""
    package = from_npm(tmp_path, "@octokit/openapi@23.0.2")
    file = package / "generated" / "api.github.com.json"
    imported = import_openapi(file, Selection(deprecated=True))
    tools = {tool.name: tool for tool in assert_usable(imported, tmp_path)}
    assert len(tools) == len(operations(file)) == 1223
    create = tools["issues_create"].parameters
    assert {"owner", "repo", "title", "body", "labels", "assignees"} <= set(create["properties"])
    assert set(create["required"]) == {"owner", "repo", "title"}
    written_out = import_openapi(file.with_name("api.github.com.deref.json"), Selection(deprecated=True))
    assert [one.id for one in written_out.lists] == [one.id for one in imported.lists]


def test_examples_of_every_feature(tmp_path: Path) -> None:
    """Dozens of documents, 3.0 and 3.1, that an API tool's makers test with, each as JSON and as YAML."""
    package = from_npm(tmp_path, "@readme/oas-examples@8.2.2")
    refused = []
    imported = 0
    for file in sorted(package.glob("3.*/json/**/*.json")):
        twin = package / str(file.relative_to(package)).replace("json", "yaml")
        try:
            found = import_openapi(file, Selection(deprecated=True))
        except DataError as error:
            refused.append(str(error).removeprefix(f"{package}/"))
            continue
        assert_usable(found, tmp_path)
        assert sum(len(one.tools) for one in found.lists) == len(operations(file))
        if twin.exists():
            other = import_openapi(twin, Selection(deprecated=True))
            assert definitions(other) == definitions(found)  # one pair of twins has other methods
        imported += 1
    assert imported >= 50
    assert [one for one in refused if "no operations under `paths`" not in one] == []
    with pytest.raises(DataError, match=r"Swagger '2\.0'"):
        import_openapi(package / "2.0" / "json" / "petstore.json")
