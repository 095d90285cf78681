"""What differs between two states: the places and their values before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct


class Change(Struct, frozen=True, omit_defaults=True):
    """One place that differs. path: keys and indexes from the root; kind: "added", "removed" or "changed"."""

    path: tuple[str | int, ...]
    kind: str
    before: Any = None
    after: Any = None


def diff(before: object, after: object) -> list[Change]:
    """The places in which two states (of `World.saved` or `World.snapshot`) differ, in order."""
    return list(_differences(before, after, ()))


def _differences(before: object, after: object, path: tuple[str | int, ...]) -> Iterator[Change]:
    parts = _parts(before), _parts(after)
    if type(before) is not type(after) or parts[0] is None or parts[1] is None:
        if before != after or isinstance(before, bool) is not isinstance(after, bool):
            yield Change(path, "changed", before, after)
        return
    for key in {**parts[0], **parts[1]}:
        if key not in parts[0]:
            yield Change((*path, key), "added", None, parts[1][key])
        elif key not in parts[1]:
            yield Change((*path, key), "removed", parts[0][key], None)
        else:
            yield from _differences(parts[0][key], parts[1][key], (*path, key))


def _parts(value: object) -> dict[Any, Any] | None:
    """The parts of an object or a list by key or index, None for anything else."""
    if isinstance(value, dict):
        return value
    return dict(enumerate(value)) if isinstance(value, list) else None
