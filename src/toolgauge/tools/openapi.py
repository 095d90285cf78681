"""Tool lists from an OpenAPI 3.0 or 3.1 document: read, choose, convert, split.

An operation becomes a tool whose parameters are those of the operation and of its body as one flat object. Nothing is
fetched and nothing is executed; the document's words are data.
Sources: OpenAPI 3.0.4 and 3.1.1, "Operation Object", "Parameter Object", "Request Body Object", "Media Type Object",
"Responses Object", "Security Scheme Object"; RFC 9110, section 9.2 (what methods mean); for headers of the transport
RFC 9110 and 9111, W3C Trace Context, OpenTelemetry's B3 and the headers of well-known clouds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json, Tool, ToolFacts, ToolHints
from toolgauge.data.record import must_be, named, shown, step
from toolgauge.data.toolnames import legal_names
from toolgauge.errors import DataError, UsageError
from toolgauge.limits import IMPORT_SECONDS
from toolgauge.tools.documents import read_document
from toolgauge.tools.grouping import split, together
from toolgauge.tools.schemas import Budget, Inliner, OverBudget, SourceDocument, examples_of, flattened
from toolgauge.tools.texts import is_transport, language_of, tidy
from toolgauge.tools.toollist import Imported, ToolList, slug

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
PLACES = ("path", "query", "body", "header", "cookie")
"""Where arguments go, in the order in which they stand in a tool."""
MAX_TEXT = 2000
"""Characters of a tool's description."""
MAX_PARAMETERS, MAX_OPERATIONS = 500, 10_000
MAX_RESULTS = 16 << 20
"""Bytes of the descriptions of results, of all operations together."""

_VERSION = re.compile(r"3\.[012](\.\S*)?")
_STRANGE = re.compile(r"[^\w.-]+")
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_SAFE, _IDEMPOTENT = ("get", "head", "options", "trace", "query"), ("put", "delete")
_SUCCESS = re.compile("2([0-9]{2}|XX)", re.IGNORECASE)


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
    def steps(self) -> tuple[str, ...]:
        """The fixed steps of the path, at most eight: what it is about."""
        return tuple(step for step in self.path.split("/", 24)[:24] if step and not _VARIABLE.search(step))[:8]

    @property
    def route(self) -> tuple[str, ...]:
        """Topic (the first tag, else the path's first step), then the fixed steps of the path."""
        topic = next((tag for tag in self.tags if tag.strip()), self.steps[0] if self.steps else "")
        return (topic, *self.steps)


class Selection(Struct, frozen=True):
    """Which operations are wanted; what is empty chooses nothing out.

    tags: any of them; paths: beginnings (`/users`) or patterns (`/users/*/posts`); methods: get, post, ...; include,
    exclude: patterns of operation ids; deprecated: also what the document calls so; limit: the first so many of what is
    left (0: all).
    """

    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    limit: int = 0
    deprecated: bool = False

    def of(self, operations: Iterable[Operation]) -> list[Operation]:
        """The wanted ones. Raises UsageError for a method that there is not."""
        for method in self.methods:
            if method.lower() not in METHODS:
                raise UsageError(f"--method: unknown method '{method}'; choose one of {', '.join(METHODS)}")
        selected = [operation for operation in operations if self._wants(operation)]
        return selected[: self.limit] if self.limit else selected

    def _wants(self, operation: Operation) -> bool:
        return (
            (self.deprecated or not operation.deprecated)
            and (
                not self.tags
                or bool({tag.casefold() for tag in self.tags} & {tag.casefold() for tag in operation.tags})
            )
            and (not self.paths or any(_on_path(operation.path, pattern) for pattern in self.paths))
            and (not self.methods or operation.method in {method.lower() for method in self.methods})
            and (not self.include or any(fnmatchcase(operation.id, pattern) for pattern in self.include))
            and not any(fnmatchcase(operation.id, pattern) for pattern in self.exclude)
        )


def import_openapi(path: Path | str, selection: Selection | None = None) -> Imported:
    """The tools of an OpenAPI file, JSON or YAML, in lists of 3 to 9 that belong together.

    Raises DataError, with the file and the place in it, where the document cannot be understood or leads to others, and
    UsageError where nothing in it is selected.
    """
    source = SourceDocument(_document(path), str(path))
    operations = list(read_operations(source))
    if not operations:
        raise DataError("no operations under `paths`", path)
    selection = selection or Selection()
    chosen = selection.of(operations)
    if not chosen:
        raise UsageError(f"{path}: no operation selected (of {len(operations)}); check the filters")
    names = legal_names([operation.id for operation in chosen])
    converter = _Converter(source, budget := Budget())
    imported: list[tuple[Operation, Tool]] = []
    for operation, name in zip(chosen, names, strict=True):
        try:
            imported.append((operation, converter.tool(operation, name)))
            budget.add(imported[-1][1])
        except OverBudget as error:
            message = f"{error}, up to this operation; select fewer with --tag, --path or --limit"
            raise source.error(message, operation.place) from error
    notes = [*_selection_notes(operations, selection), *converter.take_notes(), *_renaming_notes(imported)]
    return Imported(_lists(source, imported), tuple(notes))


def _document(path: Path | str) -> Json:
    """The document of a version we read; DataError says what else it is."""
    value = read_document(path)
    if type(value) is not dict:
        raise DataError(f"not an OpenAPI document: must be an object, not {named(value)}", path)
    if "swagger" in value:
        raise DataError(
            f"Swagger {shown(value['swagger'])} document; convert it to OpenAPI 3 first: npx swagger2openapi --outfile "
            "openapi.json FILE",
            path,
        )
    version = str(value.get("openapi", ""))
    if not _VERSION.fullmatch(version):
        why = f"its version is {shown(version)}" if version else "field `openapi` missing"
        raise DataError(f"not an OpenAPI 3.0 or 3.1 document: {why}", path)
    return value


def read_operations(source: SourceDocument) -> Iterator[Operation]:
    """All operations of a document, in its order. Raises DataError where its paths are not what they must be."""
    paths = source.value.get("paths", {})
    if type(paths) is not dict:
        raise source.error(must_be(dict, paths), "paths")
    number = 0
    for path, item in paths.items():
        if path.startswith("x-"):
            continue
        holder = source.resolved(item, f"paths{step(path)}")
        for method in METHODS:
            if method in holder:
                number += 1
                if number > MAX_OPERATIONS:
                    raise source.error(f"more than {MAX_OPERATIONS:,} operations", "paths")
                place = f"paths{step(path)}.{method}"
                definition = source.resolved(holder[method], place)
                yield _operation(path, method, definition, holder.get("parameters"), place)


def _operation(path: str, method: str, definition: Json, shared: object, place: str) -> Operation:
    """`get /users/{id}/posts` without an id is called get_users_by_id_posts."""
    name = definition.get("operationId")
    if not (isinstance(name, str) and name.strip()):
        name = f"{method}_" + re.sub(r"\W+", "_", _VARIABLE.sub(r"by_\1", path)).strip("_")
    tags = definition.get("tags")
    texts = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    return Operation(name, method, path, texts, definition, shared if isinstance(shared, list) else [], place)


class _Argument(Struct, frozen=True):
    """One value that an operation takes."""

    name: str
    place: str
    schema: Json
    required: bool


class _Converter:
    """Makes tools of a document's operations. Of results as many are described as their own bounds allow."""

    def __init__(self, source: SourceDocument, budget: Budget) -> None:
        self._source, self._inliner = source, Inliner(source, budget)
        self._results = Inliner(source, Budget(IMPORT_SECONDS / 2), is_result=True)
        self._left = MAX_RESULTS
        self._left_out: dict[str, None] = {}
        components = source.value.get("components")
        schemes = components.get("securitySchemes") if isinstance(components, dict) else None
        self._credentials = {
            (str(scheme.get("in")), str(scheme.get("name")).lower())
            for scheme in (schemes.values() if isinstance(schemes, dict) else ())
            if isinstance(scheme, dict) and scheme.get("type") == "apiKey"
        }

    def tool(self, operation: Operation, name: str) -> Tool:
        """The operation as a tool called `name`. Raises DataError where its parameters cannot be understood."""
        arguments = [*islice(self._arguments(operation), MAX_PARAMETERS + 1)]
        if len(arguments) > MAX_PARAMETERS:
            raise self._source.error(f"more than {MAX_PARAMETERS} parameters", operation.place)
        properties: Json = {}
        required = []
        for argument in sorted(arguments, key=lambda argument: PLACES.index(argument.place)):
            key = _free_name(argument, properties)
            properties[key] = argument.schema
            required += [key] if argument.required else []
        schema = {"type": "object", "properties": properties, "required": required}
        facts = ToolFacts(self._result(operation), _hints(operation.method), operation.deprecated)
        return Tool(name, _description(operation), schema).noting(facts)

    def take_notes(self) -> list[str]:
        """What was left out, cut or dropped."""
        names = ", ".join(map(shown, [*self._left_out][:10]))
        headers = [f"HTTP, tracing and credential headers left out: {names}"] if names else []
        return headers + self._inliner.take_notes()

    def _arguments(self, operation: Operation) -> Iterator[_Argument]:
        parameters = operation.definition.get("parameters")
        listed = [*operation.shared, *(parameters if isinstance(parameters, list) else ())]
        arguments: dict[tuple[str, str], _Argument] = {}
        for position, definition in enumerate(listed[: 2 * MAX_PARAMETERS]):
            place = f"{operation.place}.parameters[{position}]"
            parameter = self._source.resolved(definition, place)
            name, where = parameter.get("name"), parameter.get("in")
            if not isinstance(name, str) or where not in PLACES or where == "body":
                message = "must have a `name`, and `in` must be path, query, header or cookie"
                raise self._source.error(message, place)
            if (where == "header" and is_transport(name)) or (where, name.lower()) in self._credentials:
                self._left_out[name] = None
            else:
                arguments[where, name] = self._parameter(parameter, name, where, place)
        yield from arguments.values()
        if "requestBody" in operation.definition:
            yield from self._body(operation.definition["requestBody"], f"{operation.place}.requestBody")

    def _parameter(self, parameter: Json, name: str, where: str, place: str) -> _Argument:
        described: Any = parameter
        content = parameter.get("content")
        if "schema" not in parameter and isinstance(content, dict) and content:
            described = next(iter(content.values()))
        schema = self._inliner.inline(described.get("schema", {}) if isinstance(described, dict) else {}, place)
        if text := _text(parameter):
            schema = {**schema, "description": text}
        examples = parameter.get("examples")
        if isinstance(examples, dict):
            with suppress(DataError):  # an example that cannot be found is none
                examples = {key: self._source.resolved(example, place) for key, example in examples.items()}
        schema = {**examples_of({**parameter, "examples": examples} if examples else parameter), **schema}
        return _Argument(
            name, where, schema or {"type": "string"}, where == "path" or parameter.get("required") is True
        )

    def _body(self, definition: object, place: str) -> Iterator[_Argument]:
        """The properties of the body, or the body as one argument where it is no plain object.

        Documents often leave `required` out where they mean it: unless it is false, what the body's schema requires is
        required.
        """
        body = self._source.resolved(definition, place)
        kind, media = _media(body.get("content"))
        schema = flattened(self._inliner.inline(media.get("schema", {}), place))
        if schema.get("properties") and (_is_json(kind) or kind in _FORMS):
            needed = schema.get("required", ()) if body.get("required") is not False else ()
            example = media.get("example")
            values = example if isinstance(example, dict) else {}
            for name, part in schema["properties"].items():
                shown_value = examples_of({"example": values[name]}) if name in values else {}
                fields = part if isinstance(part, dict) else {}
                yield _Argument(name, "body", {**shown_value, **fields}, name in needed)
        elif kind:
            whole = schema or {"type": "object" if _is_json(kind) else "string"}
            if text := _text(body):
                whole = {"description": text, **whole}
            yield _Argument("body", "body", whole, body.get("required") is True)

    def _result(self, operation: Operation) -> Json | None:
        """The schema of the first success, if it is JSON; what is wrong in responses concerns no parameters."""
        responses = operation.definition.get("responses")
        listed = responses.items() if isinstance(responses, dict) else ()
        response = next((response for status, response in listed if _SUCCESS.fullmatch(str(status))), None)
        if response is None or self._left <= 0:
            return None
        place = f"{operation.place}.responses"
        try:
            kind, media = _media(self._source.resolved(response, place).get("content"))
            schema = self._results.inline(media.get("schema"), place) if _is_json(kind) else {}
        except DataError:
            return None
        except OverBudget:
            self._left = 0
            return None
        self._left -= len(msgspec.json.encode(schema))
        return schema or None


def _hints(method: str) -> ToolHints | None:
    """What the method says about the operation."""
    hints = ToolHints(method in _SAFE or None, method == "delete" or None, method in _IDEMPOTENT or None)
    return hints if hints != ToolHints() else None


def _description(operation: Operation) -> str:
    """Summary and description, or at least method and path."""
    texts = [operation.definition.get(key) for key in ("summary", "description")]
    parts = [text.strip() for text in texts if isinstance(text, str) and text.strip()]
    if len(parts) == 2 and parts[0].rstrip(".") in parts[1]:
        parts = parts[1:]
    return tidy("\n\n".join(parts), MAX_TEXT) or f"{operation.method.upper()} {tidy(operation.path, 200)}"


def _text(holder: Json) -> str:
    """The description of a parameter or body."""
    return tidy(holder.get("description"), MAX_TEXT)


def _free_name(argument: _Argument, taken: Json) -> str:
    """A name for an argument that no other has: its own, then with its place, then numbered."""
    plain = _STRANGE.sub("_", argument.name).strip("_")[:64] or argument.place
    numbered = (f"{plain[:58]}_{number}" for number in count(2))
    return next(name for name in chain((plain, f"{argument.place}_{plain}"[:64]), numbered) if name not in taken)


def _media(content: Any) -> tuple[str, Json]:
    """The media type of a body or response to describe: JSON, else a form, else the first; "" without any."""
    kinds = [kind for kind, media in content.items() if isinstance(media, dict)] if isinstance(content, dict) else []
    plain = {kind: kind.partition(";")[0].strip().lower() for kind in kinds}
    best = min(kinds, key=lambda kind: (not _is_json(plain[kind]), plain[kind] not in _FORMS), default=None)
    return (plain[best], content[best]) if best is not None else ("", {})


def _is_json(kind: str) -> bool:
    return kind in ("application/json", "*/*", "text/json") or kind.endswith("+json")


def _selection_notes(operations: Sequence[Operation], selection: Selection) -> Iterator[str]:
    """One note for what is left out only because it is deprecated."""
    left = replace(selection, deprecated=True, limit=0).of(
        operation for operation in operations if operation.deprecated
    )
    if left and not selection.deprecated:
        yield f"deprecated operations left out: {len(left):,} (first: {shown(left[0].id)}); --deprecated includes them"


def _renaming_notes(imported: Sequence[tuple[Operation, Tool]]) -> Iterator[str]:
    """One note for all operation ids that are no valid tool names; many documents have ids such as `users/list`."""
    changed = [
        (operation.id, tool.name)
        for operation, tool in imported
        if tool.name != operation.id and isinstance(operation.definition.get("operationId"), str)
    ]
    if changed:
        (first, name), number = changed[0], len(changed)
        yield f"operation ids renamed, as APIs reject them: {number:,} (first: {shown(first)} to {name})"


def _lists(source: SourceDocument, imported: Sequence[tuple[Operation, Tool]]) -> tuple[ToolList, ...]:
    info = source.value.get("info")
    title = tidy(info.get("title"), 80) if isinstance(info, dict) else ""
    title = title or tidy(Path(source.file).stem, 80)
    lists: list[ToolList] = []
    numbers: Counter[str] = Counter()
    for group in together(split(imported, lambda pair: pair[0].route), lambda pair: pair[1]):
        operations = [operation for operation, _ in group]
        topic, number = Counter(operation.route[0] for operation in operations).most_common(1)[0]
        topic = tidy(topic, 60) if 2 * number > len(group) else "other"
        key = "-".join(filter(None, (slug(title), slug(topic)))) or "tools"
        numbers[key] += 1
        tools = tuple(tool for _, tool in group)
        words = " ".join(tool.description for tool in tools)
        name = _list_name(title, topic, [operation.steps for operation in operations])
        lists.append(ToolList(f"{key}-{numbers[key]}", tools, name, title, topic, language_of(words)))
    return tuple(lists)


def _list_name(title: str, topic: str, routes: Sequence[tuple[str, ...]]) -> str:
    """Title and topic of the document, and the beginning that the paths share."""
    common: list[str] = []
    for steps in zip(*routes, strict=False):
        if len(set(steps)) > 1:
            break
        common.append(steps[0])
    return tidy(": ".join(filter(None, (title, topic))) + (f" (/{'/'.join(common)})" if common else ""), 160)


def _on_path(path: str, pattern: str) -> bool:
    return fnmatchcase(path, pattern) or path == pattern or path.startswith(pattern.rstrip("/") + "/")
