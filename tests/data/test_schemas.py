"""Tool definitions become valid JSON Schema; checks against schemas and patterns of strangers end in time."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema_rs import Draft202012Validator

from tests.rows import rows
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.data.mmtb import FLAVOUR as MMTB
from toolgauge.data.references import Bounds, resolve_references
from toolgauge.data.schemas import PLAIN, Flavour, closed, normalise_schema
from toolgauge.data.validation import SchemaValidator, argument_validator, pattern_fault, schema_faults


def one(schema: Any, flavour: Flavour = MMTB) -> Any:
    """The normalised schema of a parameter."""
    whole = normalise_schema({"type": "object", "properties": {"x": schema}}, flavour)
    return whole["properties"]["x"]


@pytest.mark.parametrize("flavour", [PLAIN, MMTB], ids=["sessions", "mmtb"])
def test_float_becomes_number_at_every_depth(flavour: Flavour) -> None:
    schema = {
        "type": "object",
        "properties": {
            "type": {"type": "float", "default": "float", "enum": ["float"], "description": '"type": "float"'},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "float"}}}},
            "either": {"anyOf": [{"type": "float"}, {"type": ["float", "null"]}]},
            "rest": {"type": "object", "additionalProperties": {"type": "float"}},
        },
        "required": ["type"],
        "example_value": {"type": "float"},
    }
    before = json.dumps(schema)
    normal = normalise_schema(schema, flavour)
    assert json.dumps(schema) == before, "the file's own definition is left as it is"
    properties = normal["properties"]
    assert properties["type"] == {**schema["properties"]["type"], "type": "number"}  # type: ignore[index]
    assert properties["list"]["items"]["properties"]["a"] == {"type": "number"}
    assert properties["either"]["anyOf"] == [{"type": "number"}, {"type": ["number", "null"]}]
    assert properties["rest"]["additionalProperties"] == {"type": "number"}
    assert normal["required"] == ["type"]
    assert normal["example_value"] == {"type": "float"}


@rows(
    ("written", "expected"),
    [
        ("int", {"type": "integer"}),
        ("String", {"type": "string"}),
        ("UUID", {"type": "string"}),
        ("complex_string", {"type": "string"}),
        ("list of dictionaries", {"type": "object"}),
        ("float|null", {"type": "number"}),
        ("string | integer", {"type": "string"}),
        ('enum["a", "b|c"]', {"type": "string", "enum": ["a", "b|c"]}),
        ("enum['a','b']", {"type": "string", "enum": ["a", "b"]}),
        ("string enum (a, b)", {"type": "string", "enum": ["a", "b"]}),
        ("enum: a|b", {"type": "string", "enum": ["a", "b"]}),
        ("enum", {"type": "string"}),
        ("boolean", {"type": "boolean"}),
    ],
)
def test_type_names_of_mmtb(written: str, expected: dict[str, Any]) -> None:
    assert one({"type": written}) == expected


def test_closed_schemas_refuse_what_they_do_not_list() -> None:
    schema = {
        "type": "object",
        "properties": {
            "inner": {"type": "object", "properties": {"a": {}}},
            "free": {"type": "object"},
            "open": {"type": "object", "properties": {}, "additionalProperties": True},
        },
    }
    validator = Draft202012Validator(closed(schema))
    assert validator.is_valid({"inner": {"a": 1}, "free": {"b": 1}, "open": {"c": 1}})
    assert not validator.is_valid({"other": 1})
    assert not validator.is_valid({"inner": {"b": 1}})


@pytest.mark.shared
@pytest.mark.parametrize(("language", "flavour"), [("en", PLAIN), ("zh", MMTB)])
def test_all_public_tool_lists(shared: Path, language: str, flavour: Flavour) -> None:
    lists = (shared / f"data/toolsets/tools_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lists) == 256
    schemas = {
        json.dumps(normalise_schema(tool["function"]["parameters"], flavour))
        for line in lists
        for tool in json.loads(line)
    }
    assert len(schemas) > 500
    meta = Draft202012Validator({"$ref": "https://json-schema.org/draft/2020-12/schema"})
    some = sorted(schemas)[:: sized(8, 1)]  # the meta-schema takes milliseconds for each
    assert [schema for schema in some if not meta.is_valid(json.loads(schema))] == []


SECONDS = 3
"""Of processor time: a hundred times what is needed."""
LETTERS = "a" * 60 + "!"


def of(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, **more}


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def doubled(levels: int, key: str = "allOf") -> dict[str, Any]:
    """Each level refers to the next one twice."""
    inner = {f"l{i}": {key: 2 * [{"$ref": f"#/$defs/l{i + 1}"}]} for i in range(levels)}
    return of({"$ref": "#/$defs/l0"}, **{"$defs": inner | {f"l{levels}": {"type": "string"}}})


def anchored(levels: int) -> dict[str, Any]:
    inner = {f"l{i}": {"$anchor": f"l{i}", "anyOf": 2 * [{"$ref": f"#l{i + 1}"}]} for i in range(levels)}
    return of({"$ref": "#l0"}, **{"$defs": inner | {f"l{levels}": {"$anchor": f"l{levels}", "type": "string"}}})


TREE = {"$ref": "#/$defs/tree", "$defs": {"tree": of({"$ref": "#/$defs/tree"})}}
HOSTILE: dict[str, tuple[Callable[[], Any], Callable[[], Any], str]] = {
    # fits, does not fit, or what is said of it where that cannot be decided
    "alternatives that repeat": (lambda: of({"pattern": "^(a|a)*$"}), lambda: {"a": LETTERS}, "misfit"),
    "nested repetitions": (lambda: of({"pattern": "^(a+)+$"}), lambda: {"a": LETTERS * 1000}, "misfit"),
    "a pattern that looks back": (
        lambda: of({"pattern": r"^(?:(a*)*b|(?=\1)(a|aa)+)+\1c$"}), lambda: {"a": "a" * 5000}, "takes too long",
    ),
    "such a pattern in a branch": (
        lambda: of({"anyOf": [{"pattern": r"^(?:(a*)*b|(?=\1)(a|aa)+)+\1c$"}, {"type": "null"}]}),
        lambda: {"a": "a" * 5000}, "takes too long",
    ),
    "a pattern that grows": (lambda: of({"pattern": "((a{100}){100}){100}"}), lambda: {"a": "b"}, "fits"),
    "patterns of names": (
        lambda: {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}, lambda: {LETTERS: 1}, "misfit",
    ),
    "doubled references": (lambda: doubled(40), lambda: {"a": "x"}, "fits"),
    "doubled alternatives": (lambda: doubled(40, "anyOf"), lambda: {"a": 1}, "fits"),
    "doubled anchors": (lambda: anchored(40), lambda: {"a": 1}, "cannot resolve $ref '#l0'"),
    "a reference to itself": (lambda: of({"$ref": "#/properties/a"}), lambda: {"a": 1}, "cannot resolve"),
    "a schema inside itself": (lambda: TREE, lambda: deep(50), "fits"),
    "another place": (lambda: of({"$ref": "http://127.0.0.1:9/x.json"}), lambda: {"a": 1}, "cannot resolve"),
    "a file": (lambda: of({"$ref": "file:///etc/passwd"}), lambda: {"a": 1}, "cannot resolve"),
    "other addresses": (lambda: of({"$id": "http://[::", "$schema": "x:y", "enum": []}), lambda: {"a": 1}, "misfit"),
    "a deep value": (lambda: of({"enum": [deep(60)]}), lambda: {"a": deep(100_000)}, "cannot be checked"),
    "a million values": (lambda: of({"enum": list(range(1_000_000))}), lambda: {"a": -1}, "misfit"),
    "unique objects": (lambda: of({"uniqueItems": True}), lambda: {"a": [{"x": i} for i in range(20_000)]}, "fits"),
    "lists inside lists": (
        lambda: of({"contains": {"contains": {"enum": list(range(10_000))}}}),
        lambda: {"a": [[-1] * 50] * 1000}, "misfit",
    ),
    "names left over": (
        lambda: {"allOf": [{"properties": {f"p{i}": {}}} for i in range(300)], "unevaluatedProperties": False},
        lambda: {f"p{i}": 1 for i in range(3000)}, "misfit",
    ),
    "a number of 4,000 digits": (lambda: of({"maximum": 5, "multipleOf": 1e-308}), lambda: {"a": 10**4000}, "misfit"),
    "no number": (lambda: of({"type": "number"}), lambda: {"a": float("nan")}, "misfit"),
    "half a character": (lambda: of({"enum": ["\ud800"]}), lambda: {"a": "\ud800"}, "fits"),
    "another half": (lambda: of({"enum": ["\ud800"]}), lambda: {"a": "\ud801"}, "misfit"),
    "half a character in a name": (lambda: of({}), lambda: {"\udfff": 1}, "misfit"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_every_check_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", None)
    schema, value, expected = HOSTILE[name]
    made, given = schema(), value()
    started = time.process_time()
    outcome = SchemaValidator(made, strict=True).check(given, most=3)
    assert time.process_time() - started < SECONDS
    result = outcome.undecided or ("misfit" if outcome.errors else "fits")
    assert expected in result
    assert len(outcome.errors) <= 3


def test_a_pattern_that_is_not_known_leaves_the_rest_checked() -> None:
    schema = of({"type": "string", "pattern": r"a\Z"}, patternProperties={"(": {}, "^x": {"type": "integer"}})
    validator = argument_validator(msgspec.json.encode(schema))
    assert validator is not None
    assert not validator.check({"a": "b", "anything": 1}).errors, "names that a pattern may admit are not known"
    assert [error.path for error in validator.check({"a": 1, "xy": "1"}).errors] == [("a",), ("xy",)]
    assert pattern_fault(r"a\Z")
    assert pattern_fault(r"^[\w.-]+@\d{2,}\/\p{L}$") is None


def test_invalid_schemas_are_told() -> None:
    assert [fault.place for fault in schema_faults({"type": "objekt", "properties": {"a": {"minLength": "3"}}})] == [
        ".type", ".properties.a.minLength",
    ]  # fmt: skip
    assert schema_faults({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}]})
    assert argument_validator(b'{"type": "objekt"}') is None
    nested: Any = {}
    for _ in range(100_000):
        nested = {"items": nested}
    assert "nested too deeply" in schema_faults(nested)[0].message


def test_misfits_say_where_and_why() -> None:
    validator = SchemaValidator(of({"type": "array", "items": {"enum": [1, 2]}}, required=["b"]), strict=True)
    errors = {error.keyword: error for error in validator.check({"a": [1, 7], "c": 1}).errors}
    assert (errors["enum"].place, errors["enum"].instance, errors["enum"].expected) == (".a[1]", 7, [1, 2])
    assert (errors["required"].place, errors["required"].expected) == ("", "b")
    assert errors["additionalProperties"].expected == ["c"]
    assert [error.keyword for error in validator.check({"a": [1.0]}).errors] == ["required"]


def test_references_are_followed_within_bounds() -> None:
    zipped = {"$ref": "#/$defs/zip", "description": "Where to."}
    schema = {"$defs": {"zip": {"type": "string", "description": "A code."}}, **of(zipped)}
    assert resolve_references(schema) == (of({"type": "string", "description": "Where to."}), [])
    tree = resolve_references(TREE)[0]
    assert tree == of(of({"type": "object"})), "it stands in itself once"
    large = resolve_references(doubled(40))[0]
    assert len(msgspec.json.encode(large)) < 20 * Bounds().schemas
    assert resolve_references(of({"$ref": "#/$defs/none"})) == (of({"$ref": "#/$defs/none"}), ["#/$defs/none"])
    named = of({"type": "string"}, **{"$defs": {"unused": {}}})
    assert resolve_references(named)[0] is named, "without references nothing changes"
