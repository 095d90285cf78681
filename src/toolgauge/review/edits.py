"""Edits of a session, in the words of the API, and what they make of its record.

An edit names the task, the call and what stands there now; the record's other fields stay as they are. The plain
`messages` follow what they are made of. Edits are checked: what is no text, no call, no type is refused with the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from toolgauge.annotation.edges import EVIDENCE
from toolgauge.benchmarks.dialogues.data.wildtoolbench import language_prefix
from toolgauge.chat import Json
from toolgauge.data.record import shown
from toolgauge.data.session import ASK, FINAL, Reference, TaskType
from toolgauge.generation.formats.sessions import REFERENCE_NAMES, TASK_END, TYPE_NAMES
from toolgauge.locale import Text, _
from toolgauge.review.refusals import Refused
from toolgauge.review.regrounding import CONFIRMED, annotation, reground

Count = Annotated[int, Meta(ge=0)]
Words = Annotated[str, Meta(min_length=1, max_length=100_000)]


class Edit(Struct, frozen=True, kw_only=True, tag_field="edit"):
    """One edit. task: its position in the session."""

    task: Count


class CallEdit(Edit, frozen=True, kw_only=True):
    """One of a call. call: its position in the task."""

    call: Count


class SetUtterance(Edit, frozen=True, kw_only=True, tag="utterance"):
    """What the user says to open the task."""

    text: Words


class SetType(Edit, frozen=True, kw_only=True, tag="type"):
    type: TaskType


class SetReference(Edit, frozen=True, kw_only=True, tag="reference"):
    """How a task after the first one leans on what was said before."""

    reference: Reference


class SetArguments(CallEdit, frozen=True, kw_only=True, tag="arguments"):
    """All arguments of a call."""

    arguments: Json


class SetTool(CallEdit, frozen=True, kw_only=True, tag="tool"):
    """Which tool is called."""

    name: Words


class SetResult(CallEdit, frozen=True, kw_only=True, tag="result"):
    """What the tool answers; of a question or the closing reply, its text."""

    result: Any


class SetAnswer(CallEdit, frozen=True, kw_only=True, tag="answer"):
    """What the user answers to a question."""

    text: Words


class ConfirmDependency(CallEdit, frozen=True, kw_only=True, tag="confirm"):
    """Say that an inferred dependency on an earlier call is one, or take that back."""

    before: Count
    confirmed: bool = True


class AddCall(CallEdit, frozen=True, kw_only=True, tag="add_call"):
    """Put a call of a tool at a position; the closing reply then waits for it. after: the calls that it needs."""

    name: Words
    arguments: Json
    after: tuple[Count, ...] = ()
    result: Any = None


class RemoveCall(CallEdit, frozen=True, kw_only=True, tag="remove_call"):
    """Take a call out; what needed it needs what it needed."""


class SetDependencies(CallEdit, frozen=True, kw_only=True, tag="dependencies"):
    """The calls that a call needs directly."""

    after: tuple[Count, ...]


AnyEdit = (
    SetUtterance
    | SetType
    | SetReference
    | SetArguments
    | SetTool
    | SetResult
    | SetAnswer
    | SetDependencies
    | ConfirmDependency
    | AddCall
    | RemoveCall
)


def edited(record: Json, language: str, edits: Iterable[AnyEdit]) -> Json:
    """A copy of a record with the edits, in their order. Raises Refused where one does not fit the session."""
    made: Json = msgspec.json.decode(msgspec.json.encode(record))
    prefix = language_prefix(language)
    before, found = messages(made, prefix), annotation(made, language)
    for edit in edits:
        _apply(made, prefix, language, edit)
    if made.get(f"{prefix}messages") == before and before:
        made[f"{prefix}messages"] = messages(made, prefix)
    reground(made, language, found)
    return made


def _apply(record: Json, prefix: str, language: str, edit: AnyEdit) -> None:
    tasks = record[f"{prefix}tasks"]
    if edit.task >= len(tasks):
        raise Refused(_("there is no task {task}", task=edit.task + 1))
    side = 0 if language == "en" else 1
    match edit:
        case SetUtterance():
            tasks[edit.task] = edit.text
        case SetType():
            record[f"{prefix}task_types"][edit.task] = TYPE_NAMES[edit.type][side]
        case SetReference():
            _set_reference(record[f"{prefix}turn_subtypes"], len(tasks), edit, REFERENCE_NAMES[edit.reference][side])
        case _:
            _apply_to_call(record[f"{prefix}answer_list"][edit.task], edit)


def _set_reference(names: list[str], tasks: int, edit: SetReference, name: str) -> None:
    if not edit.task:
        raise Refused(_("the first task leans on nothing"))
    names[edit.task - (0 if len(names) == tasks else 1)] = name


def _apply_to_call(nodes: list[Json], edit: CallEdit) -> None:
    if isinstance(edit, AddCall):
        _add(nodes, edit)
        return
    if edit.call >= len(nodes):
        raise Refused(_("task {task} has no call {call}", task=edit.task + 1, call=edit.call + 1))
    node = nodes[edit.call]
    action = node["action"]
    match edit:
        case SetArguments():
            action["arguments"] = edit.arguments
        case SetTool():
            if {edit.name, action["name"]} & {ASK, FINAL}:
                raise Refused(_("a question or a closing reply is no call of a tool"))
            action["name"] = edit.name
        case SetResult():
            if action["name"] in (ASK, FINAL) and not (isinstance(edit.result, str) and edit.result.strip()):
                raise Refused(_("is empty: nothing is said"))
            node["observation"] = edit.result
        case SetAnswer():
            if action["name"] != ASK:
                raise Refused(_("only a question has an answer"))
            node["user_input"] = edit.text
        case SetDependencies():
            node["dependency_list"] = sorted(set(_earlier(edit, edit.after)))
        case ConfirmDependency():
            _confirm(node, edit)
        case RemoveCall():
            _remove(nodes, edit)


def _confirm(node: Json, edit: ConfirmDependency) -> None:
    evidence = node.get(EVIDENCE)
    found = [one for one in evidence if one.get("from") == edit.before] if isinstance(evidence, list) else []
    if not found or edit.before not in node["dependency_list"]:
        raise Refused(_("call {call} does not need call {before}", call=edit.call + 1, before=edit.before + 1))
    for one in found:
        one.pop(CONFIRMED, None)
        if edit.confirmed:
            one[CONFIRMED] = True


def _add(nodes: list[Json], edit: AddCall) -> None:
    if edit.call >= len(nodes) or edit.name in (ASK, FINAL):
        raise Refused(_("a call of a tool stands before the closing reply"))
    after = sorted(set(_earlier(edit, edit.after)))
    node: Json = {
        "idx": edit.call,
        "action": {"name": edit.name, "arguments": edit.arguments},
        "dependency_list": after,
        "observation": edit.result,
    }
    _renumber(nodes, {old: old + (old >= edit.call) for old in range(len(nodes))})
    nodes.insert(edit.call, node)
    last = nodes[-1]
    if last["action"]["name"] == FINAL:
        last["dependency_list"] = sorted({*last["dependency_list"], edit.call})


def _remove(nodes: list[Json], edit: RemoveCall) -> None:
    if edit.call == len(nodes) - 1:
        raise Refused(_("a task needs its closing reply"))
    gone = nodes.pop(edit.call)
    for node in nodes[edit.call :]:
        needed = set(node["dependency_list"])
        if edit.call in needed:
            node["dependency_list"] = sorted((needed - {edit.call}) | set(gone["dependency_list"]))
    _renumber(nodes, {old: old - (old > edit.call) for old in range(len(nodes) + 1) if old != edit.call})


def _renumber(nodes: list[Json], places: dict[int, int]) -> None:
    """Calls have other positions now: old -> new. Evidence of a call that is gone goes with it."""
    for node in nodes:
        if "idx" in node:
            node["idx"] = places.get(node["idx"], node["idx"])
        node["dependency_list"] = sorted(places[one] for one in node["dependency_list"])
        if isinstance(evidence := node.get(EVIDENCE), list):
            moved = [one for one in evidence if one.get("from") in places and one.get("to") in places]
            node[EVIDENCE] = [{**one, "from": places[one["from"]], "to": places[one["to"]]} for one in moved]


def _earlier(edit: CallEdit, after: Iterable[int]) -> Iterator[int]:
    for before in after:
        if before >= edit.call:
            raise Refused(_("call {call} cannot need call {before}", call=edit.call + 1, before=before + 1))
        yield before


def messages(record: Json, prefix: str) -> list[object]:
    """What user and assistant say to each other, as the tasks have it; nothing where a task is not of that form."""
    said: list[object] = []
    for utterance, nodes in zip(record[f"{prefix}tasks"], record[f"{prefix}answer_list"], strict=False):
        said += [TASK_END] if said else []
        said.append({"role": "user", "content": utterance})
        for node in nodes:
            name = node["action"]["name"] if isinstance(node, dict) else ""
            if name in (ASK, FINAL):
                said.append({"role": "assistant", "content": node.get("observation")})
            if name == ASK:
                said.append({"role": "user", "content": node.get("user_input")})
    return said


def described(edit: AnyEdit) -> str:
    """An edit as the journal keeps it, for the history: its JSON, shortened."""
    return shown(msgspec.to_builtins(edit))


def label(edit: AnyEdit) -> Text:
    """What an edit changes, for people."""
    return _LABELS[type(edit)]


_LABELS: dict[type[Edit], Text] = {
    SetUtterance: _("the user's words"),
    SetType: _("the task's type"),
    SetReference: _("how the task leans on the dialogue"),
    SetArguments: _("arguments"),
    SetTool: _("the tool"),
    SetResult: _("a result"),
    SetAnswer: _("the user's answer"),
    SetDependencies: _("dependencies"),
    ConfirmDependency: _("a dependency confirmed"),
    AddCall: _("a call added"),
    RemoveCall: _("a call removed"),
}
