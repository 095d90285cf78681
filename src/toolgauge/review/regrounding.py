"""What an edit makes of the annotations: where values come from, what speaks for dependencies, found again.

The generation's own annotation reads the session before and after an edit. Where it finds something else of a call,
that takes the place of what stood there, but for what a person confirmed; all other annotations stay, and dependencies
themselves are the reviewer's. Data without such annotations get none.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import to_builtins

from toolgauge.annotation.edges import EVIDENCE
from toolgauge.annotation.graph import Unfinished, annotate
from toolgauge.benchmarks.dialogues.data.wildtoolbench import language_prefix
from toolgauge.chat import Json
from toolgauge.errors import DataError
from toolgauge.generation.resume import dialogue_of

SOURCES = "argument_sources"
CONFIRMED = "confirmed"
"""A key of evidence for a dependency: a person says that it is one."""


Found = tuple[Json, list[Json]]
"""Of a call: the sources of its values by path, and the evidence for what it needs."""


def annotation(record: Json, language: str) -> dict[int, Found]:
    """What the annotation finds of each call, by the identity of its node in the record; nothing where a session is no
    dialogue, or where the annotation has the calls of a task in another order."""
    answers = record[f"{language_prefix(language)}answer_list"]
    if not is_annotated(answers):
        return {}
    try:
        session = annotate(dialogue_of(record, language), verify=False)
    except (DataError, Unfinished):
        return {}
    return {
        id(node): (to_builtins(call.sources), _listed(call.extra.get(EVIDENCE)))
        for nodes, task in zip(answers, session.tasks, strict=True)
        if [node["action"] for node in nodes] == [{"name": one.name, "arguments": one.arguments} for one in task.calls]
        for node, call in zip(nodes, task.calls, strict=True)
    }


def is_annotated(answers: list[list[Json]]) -> bool:
    """Have the nodes of a session annotations of this kind?"""
    return any(SOURCES in node or EVIDENCE in node for nodes in answers for node in nodes)


def reground(record: Json, language: str, before: dict[int, Found]) -> None:
    """Bring the annotations of a record of one's own up to date, of those calls of which something else is found than
    before it was edited."""
    found = annotation(record, language)
    for nodes in record[f"{language_prefix(language)}answer_list"]:
        for node in nodes:
            if id(node) in found and found[id(node)] != before.get(id(node)):
                _update(node, *found[id(node)])


def _update(node: Json, sources: Json, found_evidence: list[Json]) -> None:
    evidence = list(_with_confirmed(_listed(node.get(EVIDENCE)), found_evidence, node["dependency_list"]))
    tell_kept(evidence, node["dependency_list"])
    for field, found in ((SOURCES, sources), (EVIDENCE, evidence)):
        if found:
            node[field] = found
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
