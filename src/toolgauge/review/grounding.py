"""What follows from an edit: calls that stand elsewhere, where values come from now, objections that are withdrawn.

Only what is literal is found again: a value that stands in the words or results before a call. Where that differs from
what was found before the edit, it takes the place of what stood there; all other annotations stay. Data without such
annotations get none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from toolgauge.chat import Json
from toolgauge.data.session import ASK, FINAL, Session
from toolgauge.generation.graph import EVIDENCE, JUDGED, VALUE
from toolgauge.generation.literal import Passage, argument_leaves, literal_sources

SOURCES = "argument_sources"
CONFIRMED = "confirmed"
"""A key of evidence for a dependency: a person says that it is one, by having put it there."""
WITHDRAWN = "edited since"
"""The reason in a verdict that was an objection before."""
MOST_LEAVES = 300
"""Values of a call that are looked for."""


class Links:
    """Calls name each other by identity while a record is edited, and by their places again when this is dissolved."""

    def __init__(self, answers: list[list[Json]]) -> None:
        self._answers = answers
        self._all = [node for nodes in answers for node in nodes]  # those that are taken out stay alive
        self._places = _places(answers)
        self._unordered = {id(one) for one in self._all if one["dependency_list"] != sorted(one["dependency_list"])}
        for nodes in answers:
            for node in nodes:
                node["dependency_list"] = [nodes[one] for one in node["dependency_list"]]
                for one in evidence_of(node):
                    for end in ("from", "to"):
                        if type(at := one.get(end)) is int and 0 <= at < len(nodes):
                            one[end] = nodes[at]
        for one, task, step in _sources_in(answers):
            if 0 <= task < len(answers) and 0 <= step < len(answers[task]):
                one["step"] = answers[task][step]

    def dissolve(self) -> None:
        """What names a call that is gone goes with it."""
        places = _places(self._answers)
        for nodes in self._answers:
            for node in nodes:
                now, was = places[id(node)][1], self._places.get(id(node), (0, node["idx"]))[1]
                if node["idx"] == was:
                    node["idx"] = now
                needed = [places[id(one)][1] for one in node["dependency_list"] if id(one) in places]
                node["dependency_list"] = needed if id(node) in self._unordered else sorted(needed)
                _keep(node, EVIDENCE, [_named(one, ("from", "to"), places) for one in evidence_of(node)])
                sources: Json = node.get(SOURCES, {})
                for path, listed in [*sources.items()]:
                    if isinstance(listed, list):
                        _keep(sources, path, [_named(one, ("step",), places) for one in listed])


def _places(answers: list[list[Json]]) -> dict[int, tuple[int, int]]:
    return {id(node): (task, at) for task, nodes in enumerate(answers) for at, node in enumerate(nodes)}


def _sources_in(answers: list[list[Json]]) -> Iterator[tuple[Json, int, int]]:
    """The sources that name a call: its task and place."""
    for nodes in answers:
        for node in nodes:
            found = node.get(SOURCES)
            for listed in found.values() if isinstance(found, dict) else ():
                for one in listed if isinstance(listed, list) else ():
                    if isinstance(one, dict) and type(one.get("task")) is type(one.get("step")) is int:
                        yield one, one["task"], one["step"]


def _named(one: Any, keys: Sequence[str], places: dict[int, tuple[int, int]]) -> Any:
    """An annotation that names calls by their places; None where one of them is gone."""
    if not isinstance(one, dict) or not any(isinstance(one.get(key), dict) for key in keys):
        return one
    if any(isinstance(one.get(key), dict) and id(one[key]) not in places for key in keys):
        return None
    return {
        key: places[id(value)][1] if key in keys and isinstance(value, dict) else value for key, value in one.items()
    }


def _keep(holder: Json, field: str, listed: list[Any]) -> None:
    if kept := [one for one in listed if one is not None]:
        holder[field] = kept
    elif listed:
        del holder[field]


def evidence_of(node: Json) -> list[Json]:
    """The evidence for what a node needs; what is none is left out."""
    evidence = node.get(EVIDENCE)
    return [one for one in evidence if isinstance(one, dict)] if isinstance(evidence, list) else []


def tell_kept(node: Json) -> None:
    """Evidence says whether its edge was kept: that is so where the edge is one, for at least one reason for it."""
    needed = {id(one) for one in node["dependency_list"]}
    kept = {id(one.get("from")) for one in evidence_of(node) if one.get("kept")}
    for one in evidence_of(node):
        before = id(one.get("from"))
        if (before in needed) != (before in kept):
            one["kept"] = before in needed
        if before not in needed:
            one.pop(CONFIRMED, None)


Sources = dict[str, list[Json]]
"""By path of an argument, where its value stands literally; calls are told by identity."""


def ground(record: Json, prefix: str, session: Session, before: dict[int, Sources] | None = None) -> dict[int, Sources]:
    """Find where the values of a record's calls stand. before: what was found before an edit; what differs since is
    written down."""
    answers = record[f"{prefix}answer_list"]
    nodes = {id(node): node for listed in answers for node in listed}
    if not any(SOURCES in node for node in nodes.values()) and not before:
        return {}
    schemas = {tool.name: tool.parameters for tool in session.tools}
    passages: list[Passage] = []
    found: dict[int, Sources] = {}
    for task, utterance in enumerate(record[f"{prefix}tasks"]):
        passages.append(Passage("user", task, utterance))
        spoken = []
        for node in answers[task]:
            name, text = node["action"]["name"], node.get("observation")
            if name not in (ASK, FINAL):
                leaves = argument_leaves(_arguments(node), schemas.get(name))
                found[id(node)] = {
                    leaf.path: listed
                    for leaf in islice(leaves, MOST_LEAVES)
                    if (listed := literal_sources(leaf.value, leaf.schema, passages, session.clock))
                }
                passages.append(Passage("result", task, text, id(node)))
            else:
                spoken.append(Passage("agent", task, text))
                if name == ASK:
                    passages.append(Passage("reply", task, node.get("user_input"), id(node)))
        passages += spoken
    for key, now in found.items() if before is not None else ():
        was = (before or {}).get(key, {})
        changed = {path for path in {*was, *now} if was.get(path) != now.get(path)}
        if changed:
            _update(nodes[key], {path: now.get(path, []) for path in changed}, nodes)
    return found


def _arguments(node: Json) -> object:
    written = node["action"]["arguments"]
    return msgspec.json.decode(written) if isinstance(written, str) else written


def _update(node: Json, changed: Sources, nodes: dict[int, Json]) -> None:
    """Write down where values stand now; a proof of what a call needs goes with the value that it is about."""
    told = {
        path: [one | ({"step": nodes[one["step"]]} if "step" in one else {}) for one in listed]
        for path, listed in changed.items()
    }
    kept = {path: listed for path, listed in (node.get(SOURCES, {}) | told).items() if listed}
    evidence = evidence_of(node)
    proven = [one for one in evidence if one.get("why") != VALUE or one.get("path") not in changed or CONFIRMED in one]
    for field, value, had in ((SOURCES, kept, SOURCES in node), (EVIDENCE, proven, bool(evidence))):
        if value:
            node[field] = value
        elif had:
            del node[field]


Judged = tuple[object, bytes]
"""Of a task: what the user asked for; its calls, results and texts as JSON."""


def judged_texts(record: Json, prefix: str) -> list[Judged]:
    """What a judge reads of each task of a record."""
    return [
        (utterance, msgspec.json.encode([(node["action"], node.get("observation")) for node in nodes]))
        for utterance, nodes in zip(record[f"{prefix}tasks"], record[f"{prefix}answer_list"], strict=True)
    ]


def withdraw_objections(record: Json, before: Sequence[Judged], after: Sequence[Judged]) -> None:
    """Take the judge's objections out of a record's verdicts where what they are about is something else now."""
    origin = record.get("origin")
    listed = origin.get(JUDGED) if isinstance(origin, dict) else None
    for task, (verdict, was, now) in enumerate(
        zip(listed if isinstance(listed, list) else (), before, after, strict=False)
    ):
        if not isinstance(verdict, dict) or was == now:
            continue
        if verdict.get("answer_agrees") is False:
            verdict.update(answer_agrees=True, answer_reason=WITHDRAWN)
        verdict.pop("unmet", None)
        verdict.pop("repeated", None)
        if task and was[0] != now[0] and verdict.get("needs_earlier") is False:
            verdict.update(needs_earlier=True, reason=WITHDRAWN)
