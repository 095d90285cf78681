"""What many operations share is converted once, and what they take together is bounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolgauge.errors import DataError
from toolgauge.tools import budget, openapi
from toolgauge.tools.budget import Budget
from toolgauge.tools.openapi import import_openapi

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


def test_the_time_of_all_operations_together_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(10**9))
    monkeypatch.setattr(openapi, "Budget", lambda: Budget(20.0, lambda: float(next(ticks))))
    file = document(tmp_path, [{"type": "object", "properties": {f"x{number}": {}}} for number in range(100)])
    with pytest.raises(DataError, match="takes more than 20 s, up to this operation") as caught:
        import_openapi(file)
    assert "paths['/a" in str(caught.value), "the line names the operation"


def test_the_bytes_of_all_tools_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "IMPORT_BYTES", 500)
    file = document(tmp_path, [{"type": "object", "properties": {f"x{number}": {}}} for number in range(100)])
    with pytest.raises(DataError, match="larger than 0 MB in total, up to this operation"):
        import_openapi(file)
