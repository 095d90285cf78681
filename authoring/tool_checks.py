"""What must hold for the written tool lists; every check yields a line that says where and what."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

_CJK = re.compile(r"[\u3400-\u9fff]")
_HALF_WIDTH = re.compile(r"[\u3400-\u9fff}][,?!;]|[,?!;][\u3400-\u9fff]")
_NAME = re.compile(r"[a-z][a-z0-9_]{1,63}")

Json = dict[str, Any]


def problems(line: Json) -> Iterator[str]:
    """Everything wrong with one list in one language."""
    where = f"{line['id']} ({line['language']})"
    if not 3 <= len(line["tools"]) <= 9:
        yield f"{where}: has {len(line['tools'])} tools; 3 to 9 belong into a list"
    for tool in line["tools"]:
        function = tool["function"]
        yield from (f"{where}: {function['name']}: {problem}" for problem in _of_tool(function))
    yield from (
        f"{where}: name of the list: {wrong}" for wrong in _language("description", line["name"], line["language"])
    )
    for path, text in _texts(line["tools"]):
        if path.endswith("description"):
            yield from (f"{where}: {path}: {wrong}" for wrong in _language(path, text, line["language"]))


def _of_tool(function: Json) -> Iterator[str]:
    if not _NAME.fullmatch(function["name"]):
        yield "is no name in snake_case"
    jsonschema_rs.Draft202012Validator(function["parameters"])
    for name, schema in function["parameters"]["properties"].items():
        if not schema.get("description"):
            yield f"{name} has no description"
        if "default" in schema:
            for error in jsonschema_rs.Draft202012Validator(schema).iter_errors(schema["default"]):
                yield f"the default {schema['default']!r} of {name} does not fit: {error.message}"


def _texts(tree: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(tree, dict):
        for key, part in tree.items():
            yield from _texts(part, f"{path}.{key}" if path else str(key))
    elif isinstance(tree, list):
        for index, part in enumerate(tree):
            yield from _texts(part, f"{path}[{index}]")
    elif isinstance(tree, str):
        yield path, tree


def _language(path: str, text: str, language: str) -> Iterator[str]:
    """English texts hold no Chinese characters; Chinese sentences do, with full-width punctuation."""
    chinese = bool(_CJK.search(text))
    if language == "en":
        if chinese:
            yield f"{text!r} is not English"
        return
    sentence = path.endswith("description")
    if sentence and not chinese and text:
        yield f"{text!r} is not Chinese"
    if found := _HALF_WIDTH.search(text):
        yield f"{text!r} has half-width punctuation at {found[0]!r}"
    if re.search(r"[A-Za-z]{4,} [a-z]{3,} [a-z]{2,}", text):
        yield f"{text!r} holds an English phrase"


def alike(english: Json, chinese: Json) -> Iterator[str]:
    """The two languages must have the same shape: keys, types, numbers of items."""
    yield from _differ(english, chinese, "")


def _differ(a: Any, b: Any, path: str) -> Iterator[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        if list(a) != list(b):
            yield f"{path}: keys differ: {list(a)} and {list(b)}"
            return
        for key in a:
            yield from _differ(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{path}: {len(a)} items and {len(b)}"
            return
        for index, (one, other) in enumerate(zip(a, b, strict=True)):
            yield from _differ(one, other, f"{path}[{index}]")
    elif type(a) is not type(b) or (not isinstance(a, str) and a != b):
        yield f"{path}: {json.dumps(a)} and {json.dumps(b)}"
