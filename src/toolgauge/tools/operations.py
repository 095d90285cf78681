"""The operations of an OpenAPI document, and each as a tool: its parameters and body as one flat object.

Source: OpenAPI 3.0.4 and 3.1.1, "Operation Object", "Parameter Object", "Request Body Object", "Media Type Object".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, count, islice
from typing import Any

from msgspec import Struct

from toolgauge.chat import Json, Tool
from toolgauge.data.record import must_be, step
from toolgauge.errors import DataError
from toolgauge.tools.inlining import Inliner, examples_of
from toolgauge.tools.merging import flattened
from toolgauge.tools.references import SourceDocument
from toolgauge.tools.texts import tidy

IsParameter = Callable[[str, str], bool]
"""Whether something at a place, of a name, is a parameter of the tool."""
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
PLACES = ("path", "query", "body", "header", "cookie")
"""Where arguments go, in the order in which they stand in a tool."""
MAX_TEXT = 2000
"""Characters of a tool's description."""
MAX_PARAMETERS, MAX_OPERATIONS = 500, 10_000

_STRANGE = re.compile(r"[^\w.-]+")
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class Operation(Struct, frozen=True):
    """One method of one path. id: as the document has it, or made of both; place: where it stands, for errors."""

    id: str
    method: str
    path: str
    tags: tuple[str, ...]
    definition: Json
    shared: list[Any]
    place: str

    @property
    def deprecated(self) -> bool:
        return self.definition.get("deprecated") is True

    @property
    def key(self) -> tuple[str, str]:
        return self.path, self.method

    @property
    def steps(self) -> tuple[str, ...]:
        """The fixed steps of the path, at most eight: what it is about."""
        return tuple(one for one in self.path.split("/", 24)[:24] if one and not _VARIABLE.search(one))[:8]


class Argument(Struct, frozen=True):
    """One value that an operation takes."""

    name: str
    place: str
    schema: Json
    required: bool


def read_operations(source: SourceDocument) -> Iterator[Operation]:
    """All operations of a document, in its order. Raises DataError where its paths are not what they must be."""
    paths = source.value.get("paths", {})
    if type(paths) is not dict:
        raise source.error(must_be(dict, paths), "paths")
    found = 0
    for path, item in paths.items():
        if path.startswith("x-"):
            continue
        place = f"paths{step(path)}"
        holder = source.resolved(item, place)
        for method in METHODS:
            if method in holder:
                found += 1
                if found > MAX_OPERATIONS:
                    raise source.error(f"more than {MAX_OPERATIONS:,} operations", "paths")
                definition = source.resolved(holder[method], f"{place}.{method}")
                yield _operation(path, method, definition, holder.get("parameters"), f"{place}.{method}")


def _operation(path: str, method: str, definition: Json, shared: object, place: str) -> Operation:
    given = definition.get("operationId")
    name = given if type(given) is str and given.strip() else _spoken(method, path)
    tags = definition.get("tags")
    texts = tuple(tag for tag in tags if type(tag) is str) if type(tags) is list else ()
    return Operation(name, method, path, texts, definition, shared if type(shared) is list else [], place)


def _spoken(method: str, path: str) -> str:
    """A name for an operation without one: `get /users/{id}/posts` is get_users_by_id_posts."""
    return f"{method}_" + re.sub(r"\W+", "_", _VARIABLE.sub(r"by_\1", path)).strip("_")


def tool_of(operation: Operation, name: str, inliner: Inliner, is_parameter: IsParameter) -> Tool:
    """The operation as a tool called `name`. Raises DataError where its parameters cannot be understood."""
    arguments = sorted(
        islice(_arguments(operation, inliner, is_parameter), MAX_PARAMETERS + 1),
        key=lambda one: PLACES.index(one.place),
    )
    if len(arguments) > MAX_PARAMETERS:
        raise inliner.source.error(f"more than {MAX_PARAMETERS} parameters", operation.place)
    properties: Json = {}
    required = []
    for argument in arguments:
        key = _free(argument, properties)
        properties[key] = argument.schema
        required += [key] if argument.required else []
    schema = {"type": "object", "properties": properties, "required": required}
    return Tool(name, _description(operation), schema)


def _description(operation: Operation) -> str:
    """Summary and description, or at least method and path."""
    texts = [operation.definition.get(key) for key in ("summary", "description")]
    said = [text.strip() for text in texts if type(text) is str and text.strip()]
    if len(said) == 2 and (said[0].rstrip(".") in said[1]):
        said = said[1:]
    return tidy("\n\n".join(said), MAX_TEXT) or f"{operation.method.upper()} {tidy(operation.path, 200)}"


def _free(argument: Argument, taken: Json) -> str:
    """A name for an argument that no other has: its own, then with its place, then numbered."""
    plain = _STRANGE.sub("_", argument.name).strip("_")[:64] or argument.place
    options = (plain, f"{argument.place}_{plain}"[:64])
    numbered = (f"{plain[:58]}_{number}" for number in count(2))
    return next(one for one in chain(options, numbered) if one not in taken)


def _arguments(operation: Operation, inliner: Inliner, is_parameter: IsParameter) -> Iterator[Argument]:
    source = inliner.source
    own = operation.definition.get("parameters")
    found: dict[tuple[str, str], Argument] = {}
    listed = [*operation.shared, *(own if type(own) is list else ())]
    for position, one in enumerate(listed[: 2 * MAX_PARAMETERS]):
        place = f"{operation.place}.parameters[{position}]"
        parameter = source.resolved(one, place)
        name, where = parameter.get("name"), parameter.get("in")
        if type(name) is not str or where not in PLACES or where == "body":
            raise source.error("must have a `name`, and `in` must be path, query, header or cookie", place)
        if is_parameter(where, name):
            found[where, name] = _parameter(parameter, name, where, inliner, place)
    yield from found.values()
    yield from _body(operation, inliner)


def _parameter(parameter: Json, name: str, where: str, inliner: Inliner, place: str) -> Argument:
    described: Any = parameter
    content = parameter.get("content")
    if "schema" not in parameter and type(content) is dict and content:
        described = next(iter(content.values()))
    schema = inliner.inline(described.get("schema", {}) if type(described) is dict else {}, place)
    text = parameter.get("description")
    if type(text) is str and text.strip():
        schema = {**schema, "description": tidy(text, MAX_TEXT)}
    schema = {**examples_of(_named_examples(parameter, inliner, place)), **schema}
    return Argument(name, where, schema or {"type": "string"}, where == "path" or parameter.get("required") is True)


def _named_examples(parameter: Json, inliner: Inliner, place: str) -> Json:
    """A parameter whose examples are not references."""
    listed = parameter.get("examples")
    if type(listed) is not dict:
        return parameter
    with suppress(DataError):
        return {**parameter, "examples": {key: inliner.source.resolved(one, place) for key, one in listed.items()}}
    return {}


def _body(operation: Operation, inliner: Inliner) -> Iterator[Argument]:
    """The properties of the body, or the body as one argument where it is no plain object.

    Documents often leave `required` out where they mean it: unless it is false, what the body's schema requires is
    required.
    """
    place = f"{operation.place}.requestBody"
    if "requestBody" not in operation.definition:
        return
    body = inliner.source.resolved(operation.definition["requestBody"], place)
    kind, media = media_of(body.get("content"))
    schema = flattened(inliner.inline(media.get("schema", {}), place))
    if schema.get("properties") and (is_json(kind) or kind in _FORMS):
        needed = set(schema.get("required", ())) if body.get("required") is not False else set()
        example = media.get("example")
        said = example if type(example) is dict else {}
        for name, part in schema["properties"].items():
            own = part if type(part) is dict else {}
            shown = examples_of({"example": said[name]}) if name in said else {}
            yield Argument(name, "body", {**shown, **own}, name in needed)
    elif kind:
        whole = schema or {"type": "object" if is_json(kind) else "string"}
        text = body.get("description")
        if type(text) is str and text.strip() and "description" not in whole:
            whole = {**whole, "description": tidy(text, MAX_TEXT)}
        yield Argument("body", "body", whole, body.get("required") is True)


def media_of(content: Any) -> tuple[str, Json]:
    """The media type of a body or response to describe: JSON, else a form, else the first; "" without any."""
    kinds = [kind for kind, media in content.items() if type(media) is dict] if type(content) is dict else []
    plain = {kind: kind.partition(";")[0].strip().lower() for kind in kinds}
    for wanted in (is_json, _FORMS.__contains__, lambda _: True):
        for kind in kinds:
            if wanted(plain[kind]):
                return plain[kind], content[kind]
    return "", {}


def is_json(kind: str) -> bool:
    return kind in ("application/json", "*/*", "text/json") or kind.endswith("+json")
