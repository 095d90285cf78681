"""The annotations of a node, read and written: the optional fields of docs/data-format.md#annotations."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, to_builtins

from toolgauge.chat import Json
from toolgauge.data.acceptance import MAX_ENTRIES, Acceptance, Fact
from toolgauge.data.meaning import Comparison
from toolgauge.data.pointers import Steps, find, parse_pointer
from toolgauge.data.record import DataLine, must_be, shown, step
from toolgauge.data.session import ASK, FINAL, Call

CALL_FIELDS = ("accept", "compare", "defaults", "optional")
REPLY_FIELDS = ("must_mention", "unservable")
FIELDS = frozenset({*CALL_FIELDS, *REPLY_FIELDS})
_COMPARISONS = tuple(Comparison)


class NodeAnnotations(Struct, frozen=True):
    """The annotations of a node: of a call the first two, of the closing reply the others."""

    acceptance: Acceptance | None = None
    optional: bool = False
    facts: tuple[Fact, ...] = ()
    unservable: bool = False


NONE = NodeAnnotations()


def read_annotations(record: DataLine, node: Json, name: str, arguments: Json, path: str) -> NodeAnnotations:
    """The annotations of a node that calls `name`; raises DataError for one that is not of its form or at the wrong
    kind of node."""
    if node.keys().isdisjoint(FIELDS):
        return NONE
    for field in node.keys() & FIELDS:
        if field in CALL_FIELDS and name in (ASK, FINAL):
            raise record.error("only tool calls have this field", f"{path}.{field}")
        if field in REPLY_FIELDS and name != FINAL:
            raise record.error("only the closing reply has this field", f"{path}.{field}")
    return NodeAnnotations(
        _acceptance(record, node, arguments, path),
        record.take(node, "optional", bool, path) if "optional" in node else False,
        _facts(record, node, path),
        record.take(node, "unservable", bool, path) if "unservable" in node else False,
    )


def written_annotations(call: Call) -> dict[str, object]:
    """The fields of a node as they are read; those that say nothing are left out."""
    fields: dict[str, object] = {}
    if (taken := call.acceptance) is not None:
        parts = (("accept", taken.accept), ("compare", taken.compare), ("defaults", taken.defaults))
        fields = {name: to_builtins(part) for name, part in parts if part}
    if call.optional:
        fields["optional"] = True
    if call.facts:
        fields["must_mention"] = [fact[0] if len(fact) == 1 else list(fact) for fact in call.facts]
    if call.unservable:
        fields["unservable"] = True
    return fields


def _acceptance(record: DataLine, node: Json, arguments: Json, path: str) -> Acceptance | None:
    accept, compare, defaults = (_by_place(record, node, name, path) for name in ("accept", "compare", "defaults"))
    for pointer, values in accept.items():
        place = f"{path}.accept{step(pointer)}"
        if type(values) is not list or not values:
            raise record.error("must not be empty" if values == [] else must_be(list, values), place)
        _find(record, arguments, parse_pointer(pointer), place)
    _bounded(record, [value for values in accept.values() for value in values], f"{path}.accept")
    for pointer in defaults:
        place = f"{path}.defaults{step(pointer)}"
        steps = parse_pointer(pointer)
        if not steps or type(_find(record, arguments, steps[:-1], place)) is not dict:
            raise record.error("must point to a member of an object", place)
    for pointer, word in compare.items():
        place = f"{path}.compare{step(pointer)}"
        if word not in _COMPARISONS:
            known = ", ".join(_COMPARISONS)
            raise record.error(f"invalid comparison {shown(word)}; choose one of {known}", place)
        if pointer not in defaults:
            _find(record, arguments, parse_pointer(pointer), place)
    sets = [f"{pointer}/" for pointer, word in compare.items() if word == Comparison.SET]
    for pointer in compare:
        if compare[pointer] == Comparison.SET and any(pointer.startswith(outer) for outer in sets):
            raise record.error("a set inside a set is not supported", f"{path}.compare{step(pointer)}")
    if not (accept or compare or defaults):
        return None
    return Acceptance(
        {pointer: tuple(values) for pointer, values in accept.items()},
        {pointer: Comparison(word) for pointer, word in compare.items()},
        defaults,
    )


def _by_place(record: DataLine, node: Mapping[str, object], name: str, path: str) -> Json:
    """A field whose keys are JSON Pointers."""
    if name not in node:
        return {}
    entries = record.take(node, name, dict, path)
    _bounded(record, entries, f"{path}.{name}")
    for pointer in entries:
        try:
            parse_pointer(pointer)
        except ValueError as error:
            message = f"invalid JSON Pointer {shown(pointer)}; write for example /items/0/name"
            raise record.error(message, f"{path}.{name}") from error
    return entries


def _find(record: DataLine, arguments: Mapping[str, object], steps: Steps, place: str) -> object:
    try:
        return find(arguments, steps)
    except LookupError as error:
        raise record.error("not found in the annotated arguments", place) from error


def _facts(record: DataLine, node: Mapping[str, object], path: str) -> tuple[Fact, ...]:
    if "must_mention" not in node:
        return ()
    facts = record.take(node, "must_mention", list, path)
    _bounded(record, facts, f"{path}.must_mention")
    found = []
    for position, fact in enumerate(facts):
        place = f"{path}.must_mention[{position}]"
        values = fact if type(fact) is list else [fact]
        _bounded(record, values, place)
        if not values:
            raise record.error("must not be empty", place)
        for value in values:
            if type(value) not in (str, int, float):
                raise record.error(f"invalid fact {shown(value)}: must be a string, a number or a list of them", place)
            if type(value) is str and not value.strip():
                raise record.error("must not be empty", place)
        found.append(tuple(values))
    return tuple(found)


def _bounded(record: DataLine, entries: Mapping[str, object] | list[object], place: str) -> None:
    if len(entries) > MAX_ENTRIES:
        raise record.error(f"has {len(entries)} entries, at most {MAX_ENTRIES} are allowed", place)
