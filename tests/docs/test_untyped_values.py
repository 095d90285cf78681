"""Values without a type (`Any`, `Json`) stand where documents of others are parsed; elsewhere they become fewer."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.docs.pages import ROOT

PACKAGE = ROOT / "src" / "toolgauge"
FOREIGN = {
    "tools/": "JSON Schemas, OpenAPI and MCP documents",
    "models/": "bodies of providers' APIs, and what models wrote",
    "data/record": "records of data files before they are read",
    "data/annotation_fields": "records of data files before they are read",
    "data/corrections": "files of corrections, which people write",
    "data/versions": "records of data files, and what differs between them",
    "data/schemas": "JSON Schemas",
    "data/valid_schemas": "JSON Schemas",
    "data/patterns": "JSON Schemas",
    "data/validation": "JSON Schemas",
    "data/tool_rules": "tools of data files",
    "data/lines": "lines before they are read",
    "data/training/": "formats of other projects",
    "generation/formats/": "formats of other projects",
    "agents/": "arguments of agents' calls, lines of their processes, the MCP SDK's generics",
    "benchmarks/acebench/data/": "ACEBench's files",
    "benchmarks/acebench/environments/": "the worlds of its agents, JSON in its files",
    "benchmarks/dialogues/data/": "WildToolBench's and MMTB's records",
    "benchmarks/simple/questions": "questions of other people's benchmarks",
    "judge/arguments": "arguments of calls",
    "judge/similarity": "arguments of calls",
    "report/vega": "Vega-Lite specifications",
    "review/": "records of sessions, which people edit",
    "integrations/inspect_ai/": "Inspect has no types here",
    "cli/verbs": "typer's internals",
    "runs/executors/ray": "Ray has no types here",
}
"""Where such documents are read or made: the beginning of a path below src/toolgauge."""
MOST = 140
"""Mentions elsewhere. Lower it when there are fewer; what nobody knows the kind of is an `object`."""


def mentions(file: Path) -> int:
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return sum(isinstance(node, ast.Name) and node.id in ("Any", "Json") for node in nodes)


def test_values_without_a_type_become_fewer() -> None:
    files = {str(file.relative_to(PACKAGE)): mentions(file) for file in PACKAGE.rglob("*.py")}
    elsewhere = {name: count for name, count in files.items() if count and not name.startswith(tuple(FOREIGN))}
    assert sum(elsewhere.values()) <= MOST, sorted(elsewhere.items(), key=lambda one: -one[1])


def test_the_places_of_foreign_documents_are_there() -> None:
    names = [str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*.py")]
    assert [place for place in FOREIGN if not any(name.startswith(place) for name in names)] == []
