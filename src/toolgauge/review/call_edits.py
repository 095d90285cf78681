"""Edits of a task's calls: what they make of its nodes, as the file has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import msgspec

from toolgauge.chat import Json
from toolgauge.data.record import find, parse_pointer
from toolgauge.data.session import ASK, FINAL
from toolgauge.generation.graph import EVIDENCE, STEP
from toolgauge.locale import _
from toolgauge.review.edits import (
    AddCall,
    CallEdit,
    ConfirmDependency,
    Edit,
    RemoveCall,
    SetAnswer,
    SetArguments,
    SetDependencies,
    SetResult,
    SetTool,
    place_of_edit,
)
from toolgauge.review.refusals import Refused
from toolgauge.review.regrounding import CONFIRMED, tell_kept

_BY_PLACE = ("accept", "compare", "defaults")
"""Annotations of a call that name places in its arguments (docs/data-format.md#annotations)."""


def apply_to_calls(nodes: list[Json], edit: Edit) -> None:
    """Change the nodes of a task. Raises Refused where the edit does not fit them."""
    assert isinstance(edit, CallEdit), "the others are of the task itself"
    if isinstance(edit, AddCall):
        _add(nodes, edit)
        return
    if edit.call >= len(nodes):
        raise Refused(_("call {call} of task {task} not found", task=edit.task + 1, call=edit.call + 1))
    if isinstance(edit, RemoveCall):
        _remove(nodes, edit.call)
    else:
        _CHANGES[type(edit)](nodes[edit.call], edit)


def _set_arguments(node: Json, edit: SetArguments) -> None:
    action = node["action"]
    written = action["arguments"]
    before = msgspec.json.decode(written) if isinstance(written, str) else written
    if msgspec.json.encode(before) == msgspec.json.encode(edit.arguments):
        return
    action["arguments"] = edit.arguments
    for field in _BY_PLACE:
        if field in node:
            kept = {pointer: said for pointer, said in node[field].items() if _stands(edit.arguments, pointer, field)}
            node[field] = kept
            if not kept:
                del node[field]


def _stands(arguments: Json, pointer: str, field: str) -> bool:
    """Is there still such a place? A default's may be empty."""
    steps = parse_pointer(pointer)
    try:
        holder = find(arguments, steps[:-1] if field == "defaults" else steps)
    except LookupError:
        return False
    return field != "defaults" or isinstance(holder, dict)


def _set_tool(node: Json, edit: SetTool) -> None:
    if {edit.name, node["action"]["name"]} & {ASK, FINAL}:
        raise Refused(_("questions and closing replies are not tool calls"), place_of_edit(edit))
    node["action"]["name"] = edit.name


def _set_result(node: Json, edit: SetResult) -> None:
    if node["action"]["name"] in (ASK, FINAL) and not _is_said(edit.result):
        raise Refused(_("must not be empty"), place_of_edit(edit))
    node["observation"] = edit.result


def _set_answer(node: Json, edit: SetAnswer) -> None:
    if node["action"]["name"] != ASK:
        raise Refused(_("only a question has an answer"), place_of_edit(edit))
    node["user_input"] = edit.text


def _set_dependencies(node: Json, edit: SetDependencies) -> None:
    _refuse_later(edit, [one for one in edit.after if one not in node["dependency_list"]])
    if {*edit.after} != {*node["dependency_list"]}:
        node["dependency_list"] = sorted({*edit.after})
        tell_kept(evidence_of(node), node["dependency_list"])


def _confirm(node: Json, edit: ConfirmDependency) -> None:
    if edit.before not in node["dependency_list"]:
        raise Refused(
            _("call {call} does not need call {before}", call=edit.call + 1, before=edit.before + 1),
            place_of_edit(edit),
        )
    evidence = evidence_of(node)
    found = [one for one in evidence if one.get("from") == edit.before]
    if not found and edit.confirmed:
        found = [{"from": edit.before, "to": edit.call, "why": STEP, "certain": False, "kept": True}]
        node[EVIDENCE] = [*evidence, *found]
    for one in found:
        one.pop(CONFIRMED, None)
        if edit.confirmed:
            one[CONFIRMED] = True


def _add(nodes: list[Json], edit: AddCall) -> None:
    place = place_of_edit(edit)
    if edit.call >= len(nodes) or edit.name == FINAL:
        raise Refused(_("a call must come before the closing reply"), place)
    node: Json = {
        "idx": edit.call,
        "action": {"name": edit.name, "arguments": edit.arguments},
        "dependency_list": sorted({*edit.after}),
        "observation": edit.result,
    }
    _refuse_later(edit, edit.after)
    if edit.name == ASK:
        if not (_is_said(edit.result) and _is_said(edit.answer)):
            raise Refused(_("a question needs a text and an answer"), place)
        node["user_input"] = edit.answer
    _renumber(nodes, {old: old + (old >= edit.call) for old in range(len(nodes))})
    nodes.insert(edit.call, node)
    last = nodes[-1]
    if last["action"]["name"] == FINAL:
        last["dependency_list"] = _with(last["dependency_list"], [edit.call])


def _remove(nodes: list[Json], call: int) -> None:
    gone = nodes.pop(call)
    ways = {old: node["dependency_list"] for old, node in zip(_positions(nodes, call), nodes, strict=True)}
    ways[call] = gone["dependency_list"]
    for node in nodes:
        needed = node["dependency_list"]
        if call in needed:
            node["dependency_list"] = [one for one in needed if one != call]
            implied = _reached(node["dependency_list"], ways)
            node["dependency_list"] = _with(
                node["dependency_list"], [one for one in gone["dependency_list"] if one not in implied]
            )
            tell_kept(evidence_of(node), node["dependency_list"])
    _renumber(nodes, {old: old - (old > call) for old in _positions(nodes, call)})


def _positions(nodes: list[Json], without: int) -> list[int]:
    """The positions that nodes had before one was taken out."""
    return [old for old in range(len(nodes) + 1) if old != without]


def _reached(starts: Iterable[int], ways: Mapping[int, Iterable[int]]) -> set[int]:
    """What is needed by some calls, themselves included."""
    found: set[int] = set()
    left = [*starts]
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += ways.get(one, ())
    return found


def _with(needed: list[int], more: Iterable[int]) -> list[int]:
    """A list of dependencies with more of them; one that was in order stays so."""
    made = [*needed, *(one for one in more if one not in needed)]
    return sorted(made) if needed == sorted(needed) else made


def _renumber(nodes: list[Json], places: Mapping[int, int]) -> None:
    """Calls have other positions now: old -> new. Evidence of a call that is gone goes with it."""
    for node in nodes:
        node["idx"] = places.get(node["idx"], node["idx"])
        node["dependency_list"] = [places[one] for one in node["dependency_list"]]
        evidence = evidence_of(node)
        moved = [one for one in evidence if one.get("from") in places and one.get("to") in places]
        for one in moved:
            one["from"], one["to"] = places[one["from"]], places[one["to"]]
        if len(moved) < len(evidence):
            node[EVIDENCE] = moved


def evidence_of(node: Json) -> list[Json]:
    """The evidence for what a node needs; what is none is left out."""
    evidence = node.get(EVIDENCE)
    return [one for one in evidence if isinstance(one, dict)] if isinstance(evidence, list) else []


def _refuse_later(edit: CallEdit, after: Collection[int]) -> None:
    later = [one for one in after if one >= edit.call]
    if later:
        raise Refused(
            _(
                "call {call} cannot need call {before}: only earlier calls can be needed",
                call=edit.call + 1,
                before=later[0] + 1,
            ),
            place_of_edit(edit),
        )


def _is_said(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


_CHANGES: dict[type[Edit], Callable[[Json, Any], None]] = {
    SetArguments: _set_arguments,
    SetTool: _set_tool,
    SetResult: _set_result,
    SetAnswer: _set_answer,
    SetDependencies: _set_dependencies,
    ConfirmDependency: _confirm,
}
