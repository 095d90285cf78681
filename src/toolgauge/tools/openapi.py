"""Tool lists from an OpenAPI 3.0 or 3.1 document: read, choose, convert, split.

Nothing is fetched and nothing is executed; the document's words are data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.data.record import named, shown
from toolgauge.data.toolnames import legal_names
from toolgauge.errors import DataError, UsageError
from toolgauge.tools.budget import Budget, OverBudget
from toolgauge.tools.converter import Converter
from toolgauge.tools.documents import read_document
from toolgauge.tools.feeding import together
from toolgauge.tools.operations import METHODS, Operation, read_operations
from toolgauge.tools.references import SourceDocument
from toolgauge.tools.splitting import split
from toolgauge.tools.texts import language_of, tidy
from toolgauge.tools.toollist import ToolList

_VERSION = re.compile(r"3\.[012](\.\S*)?")
_NO_SLUG = re.compile(r"[^a-z0-9]+")


class Imported(Struct, frozen=True):
    """What an import brought: the lists, and what was renamed, cut or could not be kept."""

    lists: tuple[ToolList, ...]
    notes: tuple[str, ...] = ()

    @property
    def tools(self) -> int:
        return sum(len(one.tools) for one in self.lists)


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
        wanted = [operation for operation in operations if self._wants(operation)]
        return wanted[: self.limit] if self.limit else wanted

    def _wants(self, one: Operation) -> bool:
        return (
            (self.deprecated or not one.deprecated)
            and (not self.tags or bool({tag.casefold() for tag in self.tags} & {tag.casefold() for tag in one.tags}))
            and (not self.paths or any(_on_path(one.path, pattern) for pattern in self.paths))
            and (not self.methods or one.method in {method.lower() for method in self.methods})
            and (not self.include or any(fnmatchcase(one.id, pattern) for pattern in self.include))
            and not any(fnmatchcase(one.id, pattern) for pattern in self.exclude)
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
    converter = Converter(source, budget := Budget())
    tools = {}
    for operation, name in zip(chosen, names, strict=True):
        try:
            tool = tools[operation.key] = converter.tool(operation, name)
            budget.made(tool)
        except OverBudget as error:
            message = f"{error.text}, up to this operation; select fewer with --tag, --path or --limit"
            raise source.error(message, operation.place) from error
    lists = _lists(source, chosen, tools)
    notes = (*_unselected(operations, selection), *_headers(converter), *converter.inliner.notes)
    return Imported(lists, (*notes, *_renamed(chosen, names)))


def _unselected(operations: Sequence[Operation], selection: Selection) -> Iterator[str]:
    """One note for what is left out only because it is deprecated."""
    left = replace(selection, deprecated=True, limit=0).of(one for one in operations if one.deprecated)
    if left and not selection.deprecated:
        yield f"deprecated operations left out: {len(left):,} (first: {shown(left[0].id)}); --deprecated includes them"


def _headers(converter: Converter) -> Iterator[str]:
    if names := list(converter.left_out):
        yield f"HTTP, tracing and credential headers left out: {', '.join(map(shown, names[:10]))}"


def _renamed(chosen: Sequence[Operation], names: Sequence[str]) -> Iterator[str]:
    """One note for all operation ids that are no valid tool names; many documents have ids such as `users/list`."""
    changed = [
        (operation.id, name)
        for operation, name in zip(chosen, names, strict=True)
        if name != operation.id and type(operation.definition.get("operationId")) is str
    ]
    if changed:
        (first, name), count = changed[0], len(changed)
        yield f"operation ids renamed, as APIs reject them: {count:,} (first: {shown(first)} to {name})"


def _document(path: Path | str) -> dict[str, object]:
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


def _lists(
    source: SourceDocument, chosen: Sequence[Operation], tools: dict[tuple[str, str], Tool]
) -> tuple[ToolList, ...]:
    info = source.value.get("info")
    title = tidy(info.get("title"), 80) if type(info) is dict else ""
    title = title or tidy(Path(source.file).stem, 80)
    lists: list[ToolList] = []
    numbers: dict[str, int] = {}
    for group in together(split(chosen, _route), lambda operation: tools[operation.key]):
        topic, count = Counter(_route(operation)[0] for operation in group).most_common(1)[0]
        topic = tidy(topic, 60) if 2 * count > len(group) else "other"
        key = "-".join(filter(None, (slug(title), slug(topic)))) or "tools"
        numbers[key] = numbers.get(key, 0) + 1
        members = tuple(tools[operation.key] for operation in group)
        lists.append(
            ToolList(
                f"{key}-{numbers[key]}",
                members,
                name=_title(title, topic, group),
                category=title,
                subcategory=topic,
                language=language_of(" ".join(tool.description for tool in members)),
            )
        )
    return tuple(lists)


def _route(operation: Operation) -> tuple[str, ...]:
    """Topic (the first tag, else the path's first step), then the fixed steps of the path."""
    steps = operation.steps
    topic = next((tag for tag in operation.tags if tag.strip()), steps[0] if steps else "")
    return (topic, *steps)


def _title(title: str, topic: str, group: Sequence[Operation]) -> str:
    common: tuple[str, ...] = group[0].steps
    for operation in group[1:]:
        same = zip(common, operation.steps, strict=False)
        common = common[
            : next((place for place, (one, other) in enumerate(same) if one != other), len(operation.steps))
        ]
    return tidy(": ".join(filter(None, (title, topic))) + (f" (/{'/'.join(common)})" if common else ""), 160)


def _on_path(path: str, pattern: str) -> bool:
    return fnmatchcase(path, pattern) or path == pattern or path.startswith(pattern.rstrip("/") + "/")


def slug(text: str) -> str:
    """A text as part of an id: lower case letters and digits, joined by dashes, a few words."""
    words = _NO_SLUG.sub("-", text.lower()).strip("-")
    return words if len(words) <= 24 else (words[:24].rpartition("-")[0] or words[:24])
