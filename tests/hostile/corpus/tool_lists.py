"""Tool lists, and OpenAPI documents that become such."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.hostile.corpus.item import EVIL, HUGE, Item, Surroundings, written
from tests.hostile.corpus.schemas import hostile_schemas
from tests.hostile.corpus.texts import any_file

NAMES = {"evil": EVIL, "traversal": "../../../x", "surrogate": "\ud800", "long": "x" * 100_000, "huge": HUGE}
PLAIN = {"type": "object", "properties": {"name": {"type": "string"}}}


def lists() -> Iterator[Item]:
    """Files as `toolgauge generate --tools` takes them."""
    yield from any_file()
    for name, value in NAMES.items():
        yield _file(f"list-id-{name}", [_list([_tool("f")], value)])
        yield _file(f"tool-name-{name}", [_list([_tool(value)])])
        yield _file(f"tool-description-{name}", [_list([_tool("f", PLAIN, value)])])
    for name, schema in hostile_schemas().items():
        yield _file(f"schema-{name}", [_list([_tool("f", schema), _tool("g"), _tool("h")])])
    yield _file("same-names", [_list([_tool("f")] * 3)])
    yield _file("same-ids", [_list([_tool("f")])] * 3)
    yield _file("many-tools", [_list([_tool(f"f{number}") for number in range(10_000)])])
    yield _file(
        "many-lists", [_list([_tool("f"), _tool("g"), _tool("h")], f"list_{number}") for number in range(3_000)]
    )


def _list(tools: list[Any], identity: Any = "list") -> dict[str, Any]:
    return {"id": identity, "tools": tools}


def _tool(name: Any, schema: Any = PLAIN, description: Any = "Does something.") -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def _file(name: str, lines: list[Any]) -> Item:
    def build(around: Surroundings) -> None:
        around.target.write_text("".join(json.dumps(line) + "\n" for line in lines))

    return Item(name, build)


def documents() -> Iterator[Item]:
    """OpenAPI documents."""
    yield from any_file()
    for name, schema in hostile_schemas().items():
        yield _document(f"schema-{name}", {"/a": {"post": _operation("a", schema)}})
    for name, value in NAMES.items():
        yield _document(f"operation-{name}", {"/a": {"post": _operation(value, PLAIN)}})
        yield _document(f"path-{name}", {f"/{value}"[:5000]: {"post": _operation("a", PLAIN)}})
        yield _document(f"title-{name}", {"/a": {"post": _operation("a", PLAIN)}}, title=value)
    large = {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "description": "x" * 40} for n in range(1400)},
    }
    shared = {f"/a{n}": {"post": _operation(f"a{n}", {"$ref": "#/components/schemas/Large"})} for n in range(400)}
    yield _document("shared-large-schema", shared, schemas={"Large": large})
    doubling: dict[str, Any] = {
        f"D{n}": {"type": "object", "properties": {s: {"$ref": f"#/components/schemas/D{n + 1}"} for s in "ab"}}
        for n in range(30)
    }
    one = {"/a": {"post": _operation("a", {"$ref": "#/components/schemas/D0"})}}
    yield _document("ref-bomb", one, schemas=doubling | {"D30": {"type": "string"}})
    circle = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
    yield _document("ref-circle", {"/a": {"post": _operation("a", {"$ref": "#/components/schemas/A"})}}, schemas=circle)
    yield _document("many-operations", {f"/a{n}": {"get": {"operationId": f"a{n}"}} for n in range(5_000)})
    yield _text("alias-bomb", _aliases())
    yield _text("alias-itself", "openapi: 3.0.0\npaths: &p\n  /a: *p\n")
    yield _text("yaml-python-tag", 'openapi: !!python/object/apply:os.system ["touch pwned"]\npaths: {}\n')
    yield _text("yaml-many-keys", "openapi: 3.0.0\npaths:\n" + "".join(f"  /a{n}: {{}}\n" for n in range(20_000)))
    yield _text("yaml-deep", "openapi: 3.0.0\npaths: " + "{a: " * 5_000 + "1" + "}" * 5_000)
    yield _text("yaml-merge", "a: &a {x: 1}\n" + "".join(f"b{n}: {{<<: *a}}\n" for n in range(5_000)))

    def remote(around: Surroundings) -> None:
        place = {"$ref": f"{around.elsewhere}/schema.json"}
        around.target.write_text(json.dumps(_whole({"/a": {"post": _operation("a", place)}, "/b": place})))

    yield Item("ref-remote-server", remote, alone=True)


def _operation(name: Any, schema: Any) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": "Does.",
        "requestBody": {"content": {"application/json": {"schema": schema}}},
    }


def _whole(paths: Any, schemas: Any = None, title: Any = "An API") -> dict[str, Any]:
    info = {"title": title, "version": "1"}
    return {"openapi": "3.0.3", "info": info, "paths": paths, "components": {"schemas": schemas or {}}}


def _document(name: str, paths: Any, schemas: Any = None, title: Any = "An API") -> Item:
    return _text(name, json.dumps(_whole(paths, schemas, title)))


def _text(name: str, text: str) -> Item:
    return Item(name, written(text))


def _aliases() -> str:
    """The billion laughs, in YAML."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(["openapi: 3.0.0", *lines, "paths: {/a: {get: {x: *a9}}}"]) + "\n"
