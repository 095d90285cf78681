"""What an edit makes of the annotations: where values come from, what speaks for dependencies, found again.

The generation's own annotation reads the session before and after an edit. Where it finds something else of a value or
a call, that takes the place of what stood there, but for what a person confirmed; all other annotations stay, and
dependencies themselves are the reviewer's. Data without such annotations get none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, to_builtins

from toolgauge.chat import Json
from toolgauge.data.sessions import language_prefix
from toolgauge.errors import DataError
from toolgauge.generation.graph import EVIDENCE, Unfinished, annotate
from toolgauge.generation.resume import dialogue_of

SOURCES = "argument_sources"
CONFIRMED = "confirmed"
"""A key of evidence for a dependency: a person says that it is one."""

Position = tuple[int, int]
"""Of a call: the task, and its place in it."""

Moves = Mapping[tuple[Any, Any], Position | None]
"""Where calls stood, and where they stand now; None: nowhere."""


class Found(Struct, frozen=True):
    """What the annotation finds of a call: the sources of its values by path, the evidence for what it needs."""

    sources: dict[str, list[Json]] = {}
    evidence: list[Json] = []


class Annotation(Struct, frozen=True):
    """A session's calls by the identity of their nodes: where they stand, and what is found of them (nothing where the
    session is no dialogue, or has the calls of a task in another order)."""

    positions: dict[int, Position]
    found: dict[int, Found]


def annotation(record: Json, language: str) -> Annotation:
    """Of a record of one's own, before and after it is edited."""
    answers = record[f"{language_prefix(language)}answer_list"]
    positions = {id(node): (task, call) for task, nodes in enumerate(answers) for call, node in enumerate(nodes)}
    if not _fields(answers):
        return Annotation(positions, {})
    try:
        session = annotate(dialogue_of(record, language))
    except (DataError, Unfinished):
        return Annotation(positions, {})
    found = {
        id(node): Found(to_builtins(call.sources), _listed(call.extra.get(EVIDENCE)))
        for nodes, task in zip(answers, session.tasks, strict=True)
        if [node["action"] for node in nodes] == [{"name": one.name, "arguments": one.arguments} for one in task.calls]
        for node, call in zip(nodes, task.calls, strict=True)
    }
    return Annotation(positions, found)


def reground(record: Json, language: str, before: Annotation) -> None:
    """Bring the annotations of an edited record up to date: those that name calls which stand elsewhere now, and those
    for which something else is found than before."""
    answers = record[f"{language_prefix(language)}answer_list"]
    fields, now = _fields(answers), annotation(record, language)
    moves = {old: now.positions.get(node) for node, old in before.positions.items()}
    for node in (node for nodes in answers for node in nodes):
        if SOURCES in node:
            node[SOURCES] = _moved(node[SOURCES], moves)
        was, found = before.found.get(id(node)), now.found.get(id(node))
        if found is not None:
            known = _moved_with(was, before.positions[id(node)][0], moves) if was else Found()
            _update(node, known, found, fields)


def _fields(answers: list[list[Json]]) -> set[str]:
    """Which annotations the nodes of a session have."""
    return {field for field in (SOURCES, EVIDENCE) if any(field in node for nodes in answers for node in nodes)}


def _moved(sources: dict[str, list[Json]], moves: Moves) -> dict[str, list[Json]]:
    """Sources that say where calls stand now; without those in calls that are gone."""
    return {path: [told for one in listed if (told := _source(one, moves))] for path, listed in sources.items()}


def _source(one: Json, moves: Moves) -> Json | None:
    old = (one.get("task"), one.get("step"))
    if old not in moves:
        return one
    now = moves[old]
    return None if now is None else {**one, "step": now[1]}


def _moved_with(was: Found, task: int, moves: Moves) -> Found:
    def place(call: Any) -> int | None:
        now = moves.get((task, call))
        return now[1] if now else None

    evidence = [{**one, "from": place(one["from"]), "to": place(one["to"])} for one in was.evidence]
    return Found(_moved(was.sources, moves), evidence)


def _update(node: Json, known: Found, found: Found, fields: set[str]) -> None:
    """Write down what is found otherwise than it was known."""
    if SOURCES in fields:
        sources = node.get(SOURCES, {})
        for path in {*known.sources, *found.sources}:
            if known.sources.get(path) != found.sources.get(path):
                sources = {**sources, path: found.sources.get(path)}
        sources = {path: one for path, one in sources.items() if one}
        _write(node, SOURCES, sources)
    if EVIDENCE in fields and known.evidence != found.evidence:
        evidence = list(_with_confirmed(_listed(node.get(EVIDENCE)), found.evidence, node["dependency_list"]))
        tell_kept(evidence, node["dependency_list"])
        _write(node, EVIDENCE, evidence)


def _write(node: Json, field: str, value: object) -> None:
    if value:
        node[field] = value
    else:
        node.pop(field, None)


def _with_confirmed(before: list[Json], found: list[Json], needed: list[int]) -> Iterator[Json]:
    """The evidence that was found, and what a person confirmed."""
    confirmed = {_edge(one): one for one in before if one.get(CONFIRMED) and one.get("from") in needed}
    for one in found:
        yield one | {CONFIRMED: True} if confirmed.pop(_edge(one), None) else one
    yield from confirmed.values()


def tell_kept(evidence: list[Json], needed: list[int]) -> None:
    """Evidence says whether its edge was kept: that is so where the edge is one, for at least one reason for it."""
    kept = {one.get("from") for one in evidence if one.get("kept")}
    for one in evidence:
        is_needed = one.get("from") in needed
        if is_needed != (one.get("from") in kept):
            one["kept"] = is_needed
        if not is_needed:
            one.pop(CONFIRMED, None)


def _listed(value: object) -> list[Json]:
    return value if isinstance(value, list) else []


def _edge(one: Json) -> tuple[object, object]:
    return one.get("from"), one.get("to")
