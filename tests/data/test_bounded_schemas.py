"""Schemas and patterns of strangers end in time: what fits, what does not, or that it cannot be decided."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from toolgauge.data import patterns, validation
from toolgauge.data.allowance import Allowance
from toolgauge.data.validation import SchemaValidator

LETTERS = "a" * 60 + "!"
ENDLESS = "^(a|a)*$"
"""Neither engine decides this one on LETTERS."""
SECONDS = 10
"""Of processor time: a hundred times what is needed, and far from what any of these took without a limit."""


def of(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, **more}


def doubled(levels: int, **also: Any) -> dict[str, Any]:
    """Each level refers to the next one twice."""
    inner = {f"l{i}": {"allOf": 2 * [{"$ref": f"#/$defs/l{i + 1}"}], **also} for i in range(levels)}
    return of({"$ref": "#/$defs/l0", **also}, **{"$defs": inner | {f"l{levels}": {"type": ["string", "object"]}}})


ANCHORS = {
    f"l{i}": {"$anchor": f"l{i}", "anyOf": [{"$ref": f"#l{i + 1}"}, {"$ref": f"#l{i + 1}"}]} for i in range(30)
} | {"l30": {"$anchor": "l30", "type": "integer"}}
UNDECIDED: dict[str, tuple[dict[str, Any], Any]] = {
    "pattern": (of({"pattern": ENDLESS}), LETTERS),
    "names not evaluated": (
        of({"allOf": [{"patternProperties": {ENDLESS: {}}}], "unevaluatedProperties": False}),
        {LETTERS: 1},
    ),
    "doubled references": (doubled(40), "x"),
    "unique objects": (of({"uniqueItems": True}), [{"x": i} for i in range(20_000)]),
    "contains": (of({"contains": {"contains": {"enum": list(range(10_000))}}}), [[-1] * 50] * 1000),
}


@pytest.fixture(autouse=True)
def allowance(monkeypatch: pytest.MonkeyPatch) -> Allowance:
    """One for each test: none depends on what others used."""
    own = Allowance(start=60)
    for module in (patterns, validation):
        monkeypatch.setattr(module, "ALLOWANCE", own)
    return own


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_takes_too_long_is_undecided(name: str) -> None:
    schema, value = UNDECIDED[name]
    started = time.process_time()
    outcome = SchemaValidator(schema).check({"a": value})
    assert outcome.undecided
    assert "takes too long" in outcome.undecided
    assert time.process_time() - started < SECONDS


def test_data_check_tools_check_and_generation_end(tmp_path: Path) -> None:
    from toolgauge.chat import Tool
    from toolgauge.generation.filters.arguments import _faults
    from toolgauge.generation.validators.arguments import schema_objections
    from toolgauge.tools.checking import check_tools

    schema = of({"type": "string", "pattern": ENDLESS, "description": "letters"})
    tool = {"type": "function", "function": {"name": "send", "description": "Sends.", "parameters": schema}}
    file = tmp_path / "tools.jsonl"
    file.write_bytes(msgspec.json.encode([tool]) + b"\n")
    assert any("can take too long" in str(finding.message) for finding in check_tools(file))
    assert list(schema_objections(Tool("send", "Sends.", schema), {"a": LETTERS})) == []
    assert _faults(msgspec.json.encode(schema), {"a": LETTERS}) == []
