"""Schemas and patterns of strangers end in time: what fits, what does not, or that it cannot be decided."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry

from toolgauge.data import patterns, validation
from toolgauge.data.allowance import Allowance
from toolgauge.data.patterns import Undecided, is_risky, search
from toolgauge.data.schemas import closed
from toolgauge.data.tool_rules import schema_fault
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
    "pattern of another draft": (
        of({"$schema": "http://json-schema.org/draft-07/schema#", "pattern": ENDLESS}),
        LETTERS,
    ),
    "names by pattern": (of({"patternProperties": {ENDLESS: {}}}), {LETTERS: 1}),
    "names left over": (of({"patternProperties": {ENDLESS: {}}, "additionalProperties": False}), {LETTERS: 1}),
    "names not evaluated": (
        of({"allOf": [{"patternProperties": {ENDLESS: {}}}], "unevaluatedProperties": False}),
        {LETTERS: 1},
    ),
    "property names": (of({"propertyNames": {"pattern": ENDLESS}}), {LETTERS: 1}),
    "doubled references": (doubled(40), "x"),
    "doubled references by name": (of({"$ref": "#l0"}, **{"$defs": ANCHORS}), "x"),
    "doubled and unevaluated": (doubled(12, unevaluatedProperties=False), {"x": 1}),
    "unique objects": (of({"uniqueItems": True}), [{"x": i} for i in range(20_000)]),
    "unique mixture": (of({"uniqueItems": True}), [*([i] for i in range(20_000)), "x"]),
    "listed values": (of({"items": {"enum": list(range(20_000))}}), [-1] * 20_000),
    "contains": (of({"contains": {"contains": {"enum": list(range(10_000))}}}), [[-1] * 50] * 1000),
    "long messages": (of({"allOf": [{"type": "integer"}] * 2000}), "x" * 2_000_000),
    "required rounds of nothing": (of({"pattern": "(?:|a){1000000000}b"}), "x"),
    "large sets": (of({"pattern": "(?i)" + "[\\u0100-\\uffff]" * 300}), "x"),
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


def test_a_schema_with_endless_requirements_is_undecided() -> None:
    schema = of({}, required=[*([i] for i in range(20_000)), 1])
    assert str(schema_fault(schema)) == "not checked: the schema takes too long to check"


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^(a+)+$", LETTERS, False),
        ("^(a+)+$", "a" * 60, True),
        (r"^[a-z0-9]+(-[a-z0-9]+)*$", "a-b" * 300, True),
        (r"^[a-z0-9]+(-[a-z0-9]+)*$", "a" * 900 + "!", False),
        (r"^[\w.%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$", "a" * 500 + "@example.com", True),
        (r".*foo.*", "x" * 3000 + "foo", True),
        (r"(?=.*\d)(?=.*[a-z]).{8,}", "x" * 2000 + "1", True),
    ],
)
def test_common_patterns_are_decided(pattern: str, text: str, found: bool) -> None:
    assert search(pattern, text) is found
    assert not is_risky(pattern)


@given(
    st.from_regex(r"\A(?:\(?(?:[a-c.]|\[a-b\]|\\d|\\w|a\|b)[*+?]?\)?){1,6}\Z"),
    st.text(alphabet="abc1 \n", max_size=14),
)
def test_a_search_is_that_of_python(pattern: str, text: str) -> None:
    try:
        expected = re.search(pattern, text) is not None
    except re.error:
        with pytest.raises(re.error):
            search(pattern, text)
        return
    assert search(pattern, text) is expected


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (of({"type": "string", "pattern": "^x"}), {"a": "y"}),
        (
            of({"patternProperties": {"^n": {"type": "integer"}}, "additionalProperties": False}),
            {"a": {"n": "1", "m": 2}},
        ),
        (of({"allOf": [{"properties": {"b": {}}}], "unevaluatedProperties": False}), {"a": {"b": 1, "c": 2}}),
        (of({"uniqueItems": True, "contains": {"const": 3}, "maxItems": 1}), {"a": [1, 1, True]}),
        (of({"enum": [1, "x", {"b": [2]}], "multipleOf": 0.1}), {"a": 0.15, "z": 1}),
        (of({"$ref": "#/$defs/b"}, **{"$defs": {"b": {"oneOf": [{"type": "string"}, {"minLength": 1}]}}}), {"a": "x"}),
    ],
)
def test_errors_are_those_of_jsonschema(schema: dict[str, Any], value: Any) -> None:
    plain = Draft202012Validator(closed(schema), registry=Registry())
    outcome = SchemaValidator(closed(schema)).check(value)
    expected = [(error.message, list(error.absolute_path), error.validator) for error in plain.iter_errors(value)]
    assert expected
    assert [(error.message, list(error.absolute_path), error.validator) for error in outcome.errors] == expected
    assert (outcome.undecided, outcome.broken) == (None, None)


@pytest.mark.parametrize("pattern", [ENDLESS, "^(a|a)*0$", "^user-(?:b|b)*!$", "x(?:(?:a|a)*c)?d$"])
def test_patterns_that_can_take_too_long_are_told(pattern: str) -> None:
    assert is_risky(pattern)


def test_what_cannot_be_applied_is_said() -> None:
    assert "unterminated" in str(SchemaValidator(of({"pattern": "("})).check({"a": "x"}).broken)
    assert SchemaValidator(of({"$ref": "#/nowhere"})).check({"a": "x"}).broken
    assert SchemaValidator(of({"$ref": "#/properties/a"})).check({"a": 1}).broken


def test_many_slow_checks_share_one_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (patterns, validation):
        monkeypatch.setattr(module, "ALLOWANCE", Allowance(start=-1e9))
    with pytest.raises(Undecided):
        search(r"^[a-z0-9]+(-[a-z0-9]+)*$", "a" * 900)
    assert search(r"^[a-z]+-\d+$", "abc-12")
    assert SchemaValidator(doubled(8)).check({"a": "x"}).errors == []
    large = [{"x": number, "y": "text"} for number in range(5000)]
    checked = SchemaValidator(of({"items": {"properties": {"x": {"type": "integer"}}}})).check({"a": large})
    assert (checked.errors, checked.undecided) == ([], None)


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
