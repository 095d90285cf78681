"""What is wrong with tool definitions, and what would make them hard to use.

Errors are what an endpoint refuses or a scorer stumbles over; hints are what a model, or the person who reads its
mistakes, will suffer from. Definitions are only read: words in them are data, and those that address the model are
pointed out, no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.data.lines import MAX_DEPTH, within_depth
from toolgauge.data.record import must_be, shown, step
from toolgauge.data.references import subschemas
from toolgauge.data.schemas import ANY, TYPES, normalise_schema
from toolgauge.data.session import ASK, FINAL
from toolgauge.data.tool_rules import schema_fault, validity_fault
from toolgauge.data.validation import pattern_fault
from toolgauge.errors import DataError, placed
from toolgauge.tools.texts import calls_itself_deprecated, hidden_characters, is_transport
from toolgauge.tools.toollist import FEWEST, MOST, enveloped, raw_lists, read_list
from toolgauge.tools.variants import alike

MAX_FINDINGS = 1000
MAX_PARAMETERS, MAX_LEVELS, MAX_ENUM, MAX_TEXT = 20, 4, 60, 1024
"""More parameters, levels of nesting, listed values or characters of description are hard on a model."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_PROPERTY = re.compile(r"[\w.-]{1,64}")
_ADDRESSING = re.compile(
    r"(?i)\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|all|other|system)\b.{0,20}\binstruction"
    r"|\b(?:do not|don't|never)\s+(?:tell|inform|mention (?:this|it) to|show (?:this|it) to)\s+(?:the )?user"
    r"|<\s*+(?:/\s*+)?(?:important|system|instructions?|secret)\b[^<>]{0,40}>|<\|[a-z_]{2,20}\|>|\bsystem prompt\b"
    r"|\byou must (?:always|first|never) (?:call|use|run|read|send|include|pass|invoke)\b"
    r"|\bbefore (?:using|calling) any (?:other )?tool"
    r"|(?:忽略|无视|忘记).{0,12}(?:指令|指示|提示词)|(?:不要|不得|切勿)(?:告诉|告知)用户|系统提示词"
)
"""Words of a definition that talk to the model instead of describing the tool."""


_HEADER = re.compile(r"[-_]|^traceparent$|^tracestate$", re.IGNORECASE)
"""What a parameter's name has that is a header for sure: `date` and `from` may be anything."""


class Severity(StrEnum):
    ERROR = "error"
    HINT = "hint"


class ToolFinding(Struct, frozen=True):
    """Something about a file of tools. line: from 1; path: the tool's name and what of its definition, or what of the
    list."""

    severity: Severity
    message: str
    file: str = ""
    line: int | None = None
    path: str = ""

    def __str__(self) -> str:
        return str(self.text)

    @property
    def text(self) -> str:
        """The message behind its place."""
        what = self.message if self.severity is Severity.ERROR else f"hint: {self.message}"
        return placed(what, self.file, self.line, self.path)


def _error(path: str, message: str) -> ToolFinding:
    return ToolFinding(Severity.ERROR, message, path=path)


def _hint(path: str, message: str) -> ToolFinding:
    return ToolFinding(Severity.HINT, message, path=path)


def check_tools(path: Path | str) -> list[ToolFinding]:
    """All findings about a file of tool lists, at most MAX_FINDINGS, in its order.

    Raises DataError where there is nothing to check: no file, no JSON, or no list in it.
    """
    findings: list[ToolFinding] = []
    seen: dict[str, int] = {}
    count = 0
    for line, value in raw_lists(path):
        count += 1
        for finding in _list(str(path), line, value, seen):
            findings.append(replace(finding, file=str(path), line=line))
            if len(findings) >= MAX_FINDINGS:
                return findings
    if not count:
        raise DataError("no tool list in this file", path)
    return findings


def _list(file: str, line: int, value: Any, seen: dict[str, int]) -> Iterator[ToolFinding]:
    try:
        tool_list = read_list(file, line, value, "")
    except DataError as error:
        yield _error(error.path or "", error.message)
        return
    if tool_list.id and seen.setdefault(tool_list.id, line) != line:
        yield _error("id", f"duplicate id {shown(tool_list.id)}, also in line {seen[tool_list.id]}")
    definitions = [enveloped(each) for each in (value["tools"] if type(value) is dict else value)]
    if len(definitions) < FEWEST:
        yield _hint("tools", "only one tool; a conversation with several tasks needs at least two")
    elif len(definitions) > MOST:
        yield _hint(
            "tools", f"has {len(definitions)} tools; split lists of more than {MOST}, models choose badly from them"
        )
    names: dict[str, int] = {}
    for position, definition in enumerate(definitions):
        function, path = definition["function"], called(definition["function"]["name"])
        if names.setdefault(function["name"], position) != position:
            yield _error(f"{path}.name", f"duplicate tool name {shown(function['name'])}")
        yield from _function(function, path)
        yield from _beside(definition, path)
    for first, second, why in alike(tool_list.tools):
        yield _hint(called(second.name), f"hard to tell from {shown(first.name)}: {why}")


def called(name: str) -> str:
    """A tool as the beginning of a path: by its name, quoted if it is no plain word."""
    return step(name).removeprefix(".")


def _beside(definition: Json, path: str) -> Iterator[ToolFinding]:
    """What stands beside a definition: the shape of its results, and what it does."""
    output, hints = definition.get("outputSchema"), definition.get("annotations")
    if output is not None and type(output) is not dict:
        yield _error(f"{path}.outputSchema", must_be(dict, output))
    elif output is not None and (reason := validity_fault(output)):
        yield _error(f"{path}.outputSchema", reason)
    if type(hints) is dict and hints.get("readOnlyHint") is True and hints.get("destructiveHint") is True:
        yield _hint(f"{path}.annotations", "readOnlyHint and destructiveHint contradict each other")
    if definition.get("deprecated") is True or calls_itself_deprecated(definition["function"].get("description") or ""):
        yield _hint(path, "deprecated; remove it")


def _function(function: Json, path: str) -> Iterator[ToolFinding]:
    name, description = function["name"], function.get("description") or ""
    if not _NAME.fullmatch(name):
        yield _error(
            f"{path}.name",
            f"some APIs reject the name {shown(name)}; use a letter or _, then at most 63 letters, digits, _ or -",
        )
    if name in (ASK, FINAL):
        yield _error(f"{path}.name", f"{name} is reserved and cannot be a tool name")
    if not description.strip():
        yield _hint(f"{path}.description", "missing; the model only sees the name")
    elif description.strip().casefold() == name.casefold():
        yield _hint(f"{path}.description", "repeats the name; say what the tool does")
    yield from _text(description, f"{path}.description")
    yield from _parameters(function.get("parameters") or {}, f"{path}.parameters")


def _text(text: str, path: str) -> Iterator[ToolFinding]:
    if len(text) > MAX_TEXT:
        yield _hint(path, f"has {len(text):,} characters; some APIs accept at most {MAX_TEXT:,}")
    if hidden_characters(text):
        yield _hint(path, "contains invisible characters that a model reads")
    if address := _ADDRESSING.search(text[:20_000]):
        yield _hint(path, f"instructs the model instead of describing the tool: {shown(address[0])}")


def _parameters(schema: Json, path: str) -> Iterator[ToolFinding]:
    if not within_depth(schema, MAX_DEPTH - 4):
        yield _error(path, "nested too deeply")
        return
    problems = list(_schema(schema, path, 0))
    reason = schema_fault(normalise_schema(schema, ANY))
    if reason and not any(problem.severity is Severity.ERROR for problem in problems):
        yield _error(path, reason)
    for key in ("anyOf", "oneOf", "allOf", "not", "enum"):
        if key in schema:
            yield _error(path, f"{key} at the top level is rejected by APIs; describe one object")
    properties = schema.get("properties")
    if type(properties) is dict and len(properties) > MAX_PARAMETERS:
        yield _hint(path, f"has {len(properties)} parameters; models fill in more than {MAX_PARAMETERS} badly")
    yield from problems


def _schema(schema: object, path: str, level: int) -> Iterator[ToolFinding]:
    """Findings about a schema and those inside it. level: of properties, from 0 for the parameters themselves."""
    if type(schema) is not dict:
        return
    yield from _keywords(schema, path)
    if type(schema.get("properties")) is dict and level == MAX_LEVELS and schema["properties"]:
        yield _hint(path, f"nested more than {MAX_LEVELS} levels deep; models fill it in badly")
    for keyword, name, part in subschemas(schema):
        place = f"{path}.{keyword}{'' if name is None else step(name)}"
        if keyword == "properties":
            yield from _property(str(name), part, place, level)
        else:
            yield from _schema(part, place, level)


def _property(name: str, part: object, path: str, level: int) -> Iterator[ToolFinding]:
    if not _PROPERTY.fullmatch(name):
        yield _hint(path, f"some APIs reject the name {shown(name)}; use at most 64 letters, digits, _ . or -")
    if level == 0 and is_transport(name) and _HEADER.search(name):
        yield _hint(path, "an HTTP header; users never mention its value, so remove it")
    if type(part) is not dict:
        return
    if not (type(part.get("description")) is str and part["description"].strip()):
        yield _hint(path, "description missing")
    if not part.keys() & {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"}:
        yield _hint(path, "type missing")
    elif not part.keys() & {"type", "anyOf", "$ref"}:
        yield _hint(path, "type missing; the published evaluator assumes a string, only `--scoring exact` infers it")
    yield from _schema(part, path, level + 1)


def _keywords(schema: Json, path: str) -> Iterator[ToolFinding]:
    """One schema by itself: type, enumeration, patterns, requirements, words."""
    kinds = schema.get("type", [])
    for kind in kinds if type(kinds) is list else [kinds]:
        if type(kind) is str and kind in _READ_AS and kind not in _STANDARD:
            yield _hint(f"{path}.type", f"unknown type {shown(kind)}; read as {_READ_AS[kind]}")
        elif type(kind) is str and kind not in _STANDARD:
            choices = ", ".join(sorted(_STANDARD))
            yield _error(f"{path}.type", f"unknown type {shown(kind)}; choose one of {choices}")
    values = schema.get("enum")
    if values == []:
        yield _error(f"{path}.enum", "must not be empty: no value would be valid")
    elif type(values) is list and len(values) > MAX_ENUM:
        yield _hint(f"{path}.enum", f"has {len(values):,} values; models choose badly from more than {MAX_ENUM}")
    named_patterns = schema.get("patternProperties")
    patterns = [(f"{path}.pattern", schema.get("pattern"))]
    for one in named_patterns if type(named_patterns) is dict else ():
        patterns.append((f"{path}.patternProperties{step(one)}", one))  # noqa: PERF401
    for place, pattern in patterns:
        if type(pattern) is str and (why := pattern_fault(pattern)):
            yield _hint(place, f"the pattern {shown(pattern)} cannot be checked: {why}; its values are not checked")
    required, properties = schema.get("required"), schema.get("properties")
    if type(required) is list and type(properties) is dict:
        for name in [one for one in required if type(one) is str and one not in properties]:
            yield _error(f"{path}.required", f"unknown property {shown(name)}")
    if type(schema.get("description")) is str:
        yield from _text(schema["description"], f"{path}.description")


_READ_AS = {kind: meaning.get("type", "anything") for kind, meaning in TYPES.items()}
_STANDARD = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
