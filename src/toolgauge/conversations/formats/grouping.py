"""Parts of conversations that lie apart in logs, brought together in bounded memory.

The logs are read twice: first only the places of the parts are noted, then each conversation is read from its places.
Conversations come in the order in which they begin in the logs.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from toolgauge.conversations.formats.found import Finds, Found, Rejected, left_out, rejected
from toolgauge.conversations.formats.records import Line, parsed, pieces
from toolgauge.data.record import DataLine
from toolgauge.errors import DataError, os_cause
from toolgauge.files import open_regular
from toolgauge.limits import MAX_FILE_BYTES

T = TypeVar("T")

REMEMBERED = 8 << 20
"""Bytes of lines whose parts are kept while conversations are read: one line of a trace holds parts of several."""


class Part(Struct, Generic[T], frozen=True):
    """A part of a conversation. key: its conversation; alias: what it belongs to besides (a trace), and where a key is
    missing, belongs to alone; where both are missing it is whole."""

    value: T
    key: str | None = None
    alias: str | None = None


Read = Callable[[DataLine], Iterable[Part[T]]]
Assemble = Callable[[Sequence[T], bool], Iterable[Found]]
"""Conversations of the parts of one, in the order of the log. The flag: was it named by a key?"""


def grouped(paths: Sequence[Path], read: Read[T], assemble: Assemble[T]) -> Finds:
    """The conversations in logs: those that are whole at once, then the others. What `read` raises is a finding."""
    index: _Index[T] = _Index(paths)
    for number, path in enumerate(paths):
        for piece in pieces(path):
            if isinstance(piece, Rejected):
                yield piece
                continue
            for record in parsed(piece):
                if isinstance(record, Rejected):
                    yield record
                    continue
                try:
                    parts = list(read(record))
                except DataError as error:
                    yield rejected(error)
                    continue
                for part in parts:
                    if part.key is None and part.alias is None:
                        yield from assemble([part.value], False)
                    else:
                        index.note(part, number, piece, len(piece.text) // len(parts))
    yield from index.conversations(read, assemble)


class _Index(Generic[T]):
    """Where the parts of conversations are."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._pieces = array("q")
        self._parts: dict[tuple[bool, str], array[int]] = {}
        self._sizes: dict[tuple[bool, str], int] = {}
        self._owners: dict[str, str | None] = {}
        self._parsed: OrderedDict[int, tuple[int, list[Part[T]]]] = OrderedDict()
        self._remembered = 0

    def note(self, part: Part[T], path: int, piece: Line, size: int) -> None:
        """Note where a part is. size: about how many bytes it has."""
        key, alias = part.key, part.alias
        place = (path, piece.offset, len(piece.text), piece.number)
        if self._pieces[-4:] != array("q", place):
            self._pieces.extend(place)
        own = (True, key) if key is not None else (False, alias or "")
        self._sizes[own] = self._sizes.get(own, 0) + size
        found = self._parts.setdefault(own, array("q"))
        at = len(self._pieces) // 4 - 1
        if not found or found[-1] != at:
            found.append(at)
        if key is not None and alias is not None:
            self._owners[alias] = key if self._owners.get(alias, key) == key else None

    def conversations(self, read: Read[T], assemble: Assemble[T]) -> Finds:
        orphans: dict[str, array[int]] = {}
        for (named, name), places in self._parts.items():
            if not named and (owner := self._owners.get(name)) is not None:
                orphans.setdefault(owner, array("q")).extend(places)
        for (named, name), places in self._parts.items():
            if not named and self._owners.get(name) is not None:
                continue
            if self._sizes[named, name] > MAX_FILE_BYTES:
                first = 4 * places[0]
                text = f"the conversation that begins here is larger than {MAX_FILE_BYTES >> 20} MB"
                yield left_out(text, self._paths[self._pieces[first]], self._pieces[first + 3])
                continue
            wanted = sorted({*places, *orphans.get(name, ())}) if named else places
            parts = []
            for place in wanted:
                try:
                    parts += [part.value for part in self._read(place, read) if self._is_of(part, named, name)]
                except OSError as error:
                    yield left_out(f"cannot read: {os_cause(error)}", self._paths[self._pieces[4 * place]])
            yield from assemble(parts, named)

    def _is_of(self, part: Part[T], named: bool, name: str) -> bool:
        if part.key is not None:
            return named and part.key == name
        owner = self._owners.get(part.alias or "")
        return owner == name if named else owner is None and part.alias == name

    def _read(self, place: int, read: Read[T]) -> list[Part[T]]:
        if place in self._parsed:
            self._parsed.move_to_end(place)
            return self._parsed[place][1]
        path, offset, size, number = self._pieces[4 * place : 4 * place + 4]
        with open_regular(self._paths[path]) as file:
            file.seek(offset)
            text = file.read(size)
        parts = list(_parts(Line(self._paths[path], number, offset, text), read))
        self._parsed[place] = size, parts
        self._remembered += size
        while len(self._parsed) > 1 and self._remembered > REMEMBERED:
            self._remembered -= self._parsed.popitem(last=False)[1][0]
        return parts


def _parts(line: Line, read: Read[T]) -> Iterator[Part[T]]:
    """The parts on a line, without what cannot be read: that was said at the first reading."""
    for record in parsed(line):
        if isinstance(record, DataLine):
            try:
                yield from read(record)
            except DataError:
                continue
