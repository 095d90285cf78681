"""References inside one document (`$ref: "#/components/..."`); whatever lies outside it is refused."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from toolgauge.data.record import named, shown
from toolgauge.errors import DataError

MAX_HOPS = 32
"""References that may lead from one to the next."""


class SourceDocument:
    """A document with its name, for errors."""

    def __init__(self, value: Any, file: str) -> None:
        self.value, self.file = value, file

    def error(self, message: str, path: str | None = None) -> DataError:
        return DataError(message, self.file, None, path)

    def target(self, reference: object, place: str) -> Any:
        """What a reference names. Raises DataError where it is no text, leads outside, or to nothing."""
        if type(reference) is not str:
            raise self.error(f"$ref must be a string, not {named(reference)}", place)
        if not reference.startswith("#"):
            raise self.error(
                f"$ref {shown(reference)} leads to another file; bundle all into one file first, for example with "
                "`redocly bundle`",
                place,
            )
        value = self.value
        pointer = unquote(reference[1:])
        if pointer and not pointer.startswith("/"):
            raise self.error(f"$ref {shown(reference)} is an anchor; write a path, #/components/...", place)
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            value = _part(value, key)
            if value is _NOTHING:
                raise self.error(f"$ref {shown(reference)} not found", place)
        return value

    def resolved(self, value: object, place: str) -> dict[str, object]:
        """An object of the document, references followed. Raises DataError for a circle or no object."""
        for _hop in range(MAX_HOPS):
            if type(value) is not dict:
                raise self.error(f"must be an object, not {named(value)}", place)
            if "$ref" not in value:
                return value
            value = self.target(value["$ref"], place)
        raise self.error("circular references", place)


_NOTHING = object()


def _part(value: object, key: str) -> Any:
    if type(value) is dict:
        return value.get(key, _NOTHING)
    if type(value) is list and key.isascii() and key.isdigit() and len(key) < 10 and int(key) < len(value):
        return value[int(key)]
    return _NOTHING
