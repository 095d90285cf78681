"""What many operations share is converted once, and what they take together is bounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolgauge.errors import DataError
from toolgauge.tools import budget, openapi
from toolgauge.tools.budget import Budget, OverBudget
from toolgauge.tools.inlining import Inliner
from toolgauge.tools.openapi import Imported, import_openapi
from toolgauge.tools.references import SourceDocument

BIG = {"type": "object", "properties": {f"p{number}": {"type": "string", "description": "D"} for number in range(1400)}}


def document(folder: Path, schemas: list[Any], **shared: Any) -> Path:
    paths = {
        f"/a{number}": {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}
        for number, schema in enumerate(schemas)
    }
    file = folder / "api.json"
    file.write_text(json.dumps({"openapi": "3.0.0", "paths": paths, "components": {"schemas": shared}}))
    return file


@pytest.fixture
def converted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of schemas that imports converted, as they went."""
    steps: list[int] = []
    plain = Budget.step

    def step(self: Budget) -> None:
        steps.append(1)
        plain(self)

    monkeypatch.setattr(Budget, "step", step)
    return steps


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_schema_that_many_operations_share_is_converted_once(
    tmp_path: Path, converted: list[int], wrapped: bool
) -> None:
    shared = {"$ref": "#/components/schemas/Big"}
    schemas = [
        {"type": "object", "properties": {"big": shared, f"x{number}": {"type": "string"}}} if wrapped else shared
        for number in range(400)
    ]
    assert import_openapi(document(tmp_path, schemas, Big=BIG)).tools == 400
    assert len(converted) < 10_000  # without memory: 400 * 1,400 * 9


def test_what_contains_itself_is_the_same_in_every_operation(tmp_path: Path, converted: list[int]) -> None:
    node = {
        "type": "object",
        "properties": {f"n{number}": {"$ref": "#/components/schemas/Node"} for number in range(9)},
    }
    imported = import_openapi(document(tmp_path, [{"$ref": "#/components/schemas/Node"}] * 50, Node=node))
    parameters = {json.dumps(tool.parameters) for one in imported.lists for tool in one.tools}
    assert len(parameters) == 1
    assert sum("is recursive" in str(note) for note in imported.notes) == 50
    assert len(converted) < 100


def test_notes_name_the_operation_in_which_a_shared_schema_was_cut() -> None:
    source = SourceDocument(
        {"c": {"E": {"enum": list(range(400))}, "H": {"properties": {"e": {"$ref": "#/c/E"}}}}}, "file"
    )
    inliner = Inliner(source)
    for place in ("first", "second"):
        inliner.inline({"type": "object", "properties": {"h": {"$ref": "#/c/H"}}}, place)
    assert list(map(str, inliner.notes)) == [
        f"{place}.h.e: enum of 400 values dropped" for place in ("first", "second")
    ]


def test_the_time_of_all_operations_together_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(10**9))
    monkeypatch.setattr(openapi, "Budget", lambda: Budget(20.0, lambda: float(next(ticks))))
    file = document(tmp_path, [{"type": "object", "properties": {f"x{number}": {}}} for number in range(100)])
    with pytest.raises(DataError, match="takes more than 20 s, up to this operation") as caught:
        import_openapi(file)
    assert "paths['/a" in str(caught.value), "the line names the operation"


def test_one_operation_is_bounded_as_well() -> None:
    ticks = iter(range(10**9))
    inliner = Inliner(SourceDocument(BIG, "file"), Budget(3.0, lambda: float(next(ticks))))
    with pytest.raises(OverBudget):
        inliner.inline(BIG, "here")


def test_the_bytes_of_all_tools_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "IMPORT_BYTES", 500)
    file = document(tmp_path, [{"type": "object", "properties": {f"x{number}": {}}} for number in range(100)])
    with pytest.raises(DataError, match="larger than 0 MB in total, up to this operation"):
        import_openapi(file)


def test_an_import_within_its_budget_is_what_it_was(tmp_path: Path) -> None:
    imported: Imported = import_openapi(document(tmp_path, [{"type": "object", "properties": {"a": {}}}]))
    assert imported.tools == 1
