"""The mapping file of `--from jsonl-map`, TOML or JSON: where a log has what (docs/import.md)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.conversations.formats.paths import Place, read_place
from toolgauge.errors import DataError
from toolgauge.tools.documents import read_bytes

SKIP = "skip"
"""Instead of a role: such messages are left out."""
_ROLES = ("system", "user", "assistant", "tool", SKIP)
NOWHERE = Place(())


class MessagePlaces(Struct, frozen=True, forbid_unknown_fields=True):
    """In a message. calls, results: lists in it, or one."""

    role: Place
    text: Place = NOWHERE
    reasoning: Place = NOWHERE
    calls: Place = NOWHERE
    results: Place = NOWHERE


class CallPlaces(Struct, frozen=True, forbid_unknown_fields=True):
    """In a call. result: where the call itself has it."""

    id: Place = NOWHERE
    name: Place = NOWHERE
    arguments: Place = NOWHERE
    result: Place = NOWHERE


class ResultPlaces(Struct, frozen=True, forbid_unknown_fields=True):
    """In a result, or in a message of the role tool. id: of its call."""

    id: Place = NOWHERE
    text: Place = NOWHERE


class Mapping(Struct, frozen=True, forbid_unknown_fields=True):
    """In a line. messages: left out where every line is one message of the conversation `id`.

    roles: the log's names of roles and what they mean.
    """

    message: MessagePlaces
    id: Place = NOWHERE
    time: Place = NOWHERE
    system: Place = NOWHERE
    tools: Place = NOWHERE
    messages: Place | None = None
    call: CallPlaces = CallPlaces()
    result: ResultPlaces = ResultPlaces()
    roles: dict[str, str] = {}


def read_mapping(path: Path) -> Mapping:
    """A mapping file. Raises DataError with the field that cannot be used."""
    content = read_bytes(path)
    try:
        is_json = content.lstrip()[:1] == b"{"
        value = msgspec.json.decode(content) if is_json else tomllib.loads(content.decode())
        mapping = msgspec.convert(value, Mapping, dec_hook=_path)
    except (ValueError, RecursionError) as error:
        raise DataError(f"invalid mapping: {error}", path) from error
    for name, role in mapping.roles.items():
        if role not in _ROLES:
            raise DataError(f"unknown role; choose one of {', '.join(_ROLES)}", path, None, f"roles.{name}")
    if mapping.messages is None and mapping.id == NOWHERE:
        raise DataError("give `messages` or `id`, so that conversations can be found", path)
    return mapping


def _path(kind: type, value: object) -> object:
    if kind is not Place or type(value) is not str:
        raise ValueError("must be a path")
    try:
        return read_place(value)
    except ValueError:
        raise ValueError("must be a path like turns[*].text") from None
