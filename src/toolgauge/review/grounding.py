"""What follows from an edit: calls that stand elsewhere, where values come from now, objections that are withdrawn.

Only what is literal is found again: a value that stands in the words or results before a call. Where that differs from
what was found before the edit, it takes the place of what stood there; all other annotations stay. Data without such
annotations get none.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def move_sources(answers: list[list[Json]], before: list[list[Json]]) -> None:
    """Sources that name a call by its task and place name it where it stands now; those in calls that are gone go.

    before: the nodes in the places that the sources name."""
    places = {id(node): place for nodes in answers for place, node in enumerate(nodes)}

    def moved(one: Any) -> Any:
        task, step = (one.get("task"), one.get("step")) if isinstance(one, dict) else (None, None)
        if (
            type(task) is not int
            or type(step) is not int
            or not (0 <= task < len(before) and 0 <= step < len(before[task]))
        ):
            return one
        place = places.get(id(before[task][step]))
        return None if place is None else one | {"step": place}

    for node in (node for nodes in answers for node in nodes if isinstance(node.get(SOURCES), dict)):
        for path, listed in [*node[SOURCES].items()]:
            if isinstance(listed, list):
                node[SOURCES][path] = [told for one in listed if (told := moved(one)) is not None]


def evidence_of(node: Json) -> list[Json]:
    """The evidence for what a node needs; what is none is left out."""
    evidence = node.get(EVIDENCE)
    return [entry for entry in evidence if isinstance(entry, dict)] if isinstance(evidence, list) else []


def tell_kept(node: Json) -> None:
    """Evidence says whether its edge was kept: that is so where the edge is one, for at least one reason for it."""
    needed = node["dependency_list"]
    kept = {entry.get("from") for entry in evidence_of(node) if entry.get("kept")}
    for entry in evidence_of(node):
        is_needed = entry.get("from") in needed
        if is_needed != (entry.get("from") in kept):
            entry["kept"] = is_needed
        if not is_needed:
            entry.pop(CONFIRMED, None)


Sources = dict[str, list[Json]]
"""By path of an argument, where its value stands literally; calls are told by identity."""


def ground(record: Json, prefix: str, session: Session, before: dict[int, Sources] | None = None) -> dict[int, Sources]:
    """Find where the values of a record's calls stand. before: what was found before an edit; what differs since is
    written down."""
    answers = record[f"{prefix}answer_list"]
    places = {id(node): (node, place) for nodes in answers for place, node in enumerate(nodes)}
    if not any(SOURCES in node for node, _place in places.values()) and not before:
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
            told = {path: [one | _place_in(one, places) for one in now.get(path, [])] for path in changed}
            _update(places[key][0], told)
    return found


def _arguments(node: Json) -> object:
    written = node["action"]["arguments"]
    return msgspec.json.decode(written) if isinstance(written, str) else written


def _place_in(source: Json, places: dict[int, tuple[Json, int]]) -> Json:
    return {"step": places[source["step"]][1]} if "step" in source else {}


def _update(node: Json, changed: Sources) -> None:
    """Write down where values stand now; a proof of what a call needs goes with the value that it is about."""
    kept = {path: listed for path, listed in (node.get(SOURCES, {}) | changed).items() if listed}
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
