"""What edits make of a session's record.

An edit changes what it names; the record's other fields stay as they are, and what follows from what was edited follows
(`grounding.py`, the plain `messages`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from toolgauge.chat import Json
from toolgauge.data.record import find, parse_pointer
from toolgauge.data.session import ASK, FINAL, Session, TaskType
from toolgauge.data.sessions import (
    REFERENCE_NAMES,
    TASK_END,
    TYPE_NAMES,
    language_prefix,
    read_reference,
    read_type,
    session_from,
)
from toolgauge.generation.graph import EVIDENCE, STEP
from toolgauge.locale import _
from toolgauge.review import commands
from toolgauge.review.events import Refused
from toolgauge.review.grounding import (
    CONFIRMED,
    evidence_of,
    ground,
    judged_texts,
    move_sources,
    tell_kept,
    withdraw_objections,
)

_BY_PLACE = ("accept", "compare", "defaults")
"""Annotations of a call that name places in its arguments (docs/files.md#annotations)."""


def edited(record: Json, language: str, edits: Iterable[commands.AnyEdit]) -> Json:
    """A copy of a session's record with the edits, in their order. Raises Refused where one does not fit the session.

    What the edits do not name stays as it is written: values that are equal are not written anew."""
    changed: Json = msgspec.json.decode(msgspec.json.encode(record))
    prefix, session = language_prefix(language), session_from(record, language)
    spoken, judged = messages(changed, prefix), judged_texts(changed, prefix)
    answers = changed[f"{prefix}answer_list"]
    nodes, before = [[*one] for one in answers], ground(changed, prefix, session)
    for edit in edits:
        if edit.task >= len(session.tasks):
            raise Refused(_("task {task} not found", task=edit.task + 1))
        match edit:
            case commands.SetUtterance():
                changed[f"{prefix}tasks"][edit.task] = edit.text
            case commands.SetType():
                _set_type(changed, prefix, session, edit)
            case commands.SetReference():
                _set_reference(changed, prefix, session, edit)
            case _:
                _edit_calls(answers[edit.task], edit)
    if spoken and changed.get(f"{prefix}messages") == spoken:
        changed[f"{prefix}messages"] = messages(changed, prefix)
    move_sources(answers, nodes)
    ground(changed, prefix, session, before)
    withdraw_objections(changed, judged, judged_texts(changed, prefix))
    return changed


def first_tasks(record: Json, language: str, count: int) -> Json:
    """A record without the tasks behind the first `count`."""
    prefix, shortened = language_prefix(language), {**record}
    before = len(record[f"{prefix}tasks"])
    spoken = messages(record, prefix)
    for name in ("tasks", "answer_list", "task_types"):
        if isinstance(listed := record.get(f"{prefix}{name}"), list):
            shortened[f"{prefix}{name}"] = listed[:count]
    if isinstance(listed := record.get(f"{prefix}turn_subtypes"), list):
        shortened[f"{prefix}turn_subtypes"] = listed[: count - (len(listed) < before)]
    if record.get(f"{prefix}messages") == spoken:
        shortened[f"{prefix}messages"] = messages(shortened, prefix)
    else:
        shortened.pop(f"{prefix}messages", None)
    return shortened


def messages(record: Json, prefix: str) -> list[object]:
    """What user and assistant say to each other, as the tasks have it."""
    listed: list[object] = []
    for utterance, nodes in zip(record[f"{prefix}tasks"], record[f"{prefix}answer_list"], strict=False):
        listed += [TASK_END] if listed else []
        listed.append({"role": "user", "content": utterance})
        for node in nodes:
            name = node["action"]["name"] if isinstance(node, dict) else ""
            if name in (ASK, FINAL):
                listed.append({"role": "assistant", "content": node.get("observation")})
            if name == ASK:
                listed.append({"role": "user", "content": node.get("user_input")})
    return listed


def _set_type(record: Json, prefix: str, session: Session, edit: commands.SetType) -> None:
    """Types and references are written by the names that the format has in the session's language."""
    key, is_zh = f"{prefix}task_types", session.language != "en"
    written: list[str] = record.get(key) or [TYPE_NAMES[task.type][is_zh] for task in session.tasks]
    kind = read_type(written[edit.task])
    if (kind if isinstance(kind, TaskType) else session.tasks[edit.task].type) is not edit.type:
        written[edit.task] = TYPE_NAMES[edit.type][is_zh]
        record[key] = written


def _set_reference(record: Json, prefix: str, session: Session, edit: commands.SetReference) -> None:
    if not edit.task:
        raise Refused(_("the first task has nothing to refer to"), edit.place)
    key, is_zh = f"{prefix}turn_subtypes", session.language != "en"
    written: list[str] = record.get(key) or [REFERENCE_NAMES[task.reference][is_zh] for task in session.tasks[1:]]
    position = edit.task - (len(written) < len(session.tasks))
    if (read_reference(written[position]) or session.tasks[edit.task].reference) is not edit.reference:
        written[position] = REFERENCE_NAMES[edit.reference][is_zh]
        record[key] = written


def _edit_calls(nodes: list[Json], edit: commands.CallEdit) -> None:
    """Change the calls of a task."""
    if isinstance(edit, commands.AddCall):
        _add(nodes, edit)
        return
    if edit.call >= len(nodes):
        raise Refused(_("call {call} of task {task} not found", task=edit.task + 1, call=edit.call + 1))
    node = nodes[edit.call]
    name = node["action"]["name"]
    match edit:
        case commands.RemoveCall():
            _remove(nodes, edit.call)
        case commands.SetDependencies():
            _set_dependencies(nodes, node, edit)
        case commands.SetArguments():
            _set_arguments(node, edit.arguments)
        case commands.SetTool():
            if {edit.name, name} & {ASK, FINAL}:
                raise Refused(_("questions and closing replies are not tool calls"), edit.place)
            node["action"]["name"] = edit.name
        case commands.SetResult():
            if name in (ASK, FINAL) and not _is_text(edit.result):
                raise Refused(_("must not be empty"), edit.place)
            node["observation"] = edit.result
        case commands.SetAnswer():
            if name != ASK:
                raise Refused(_("only a question has an answer"), edit.place)
            node["user_input"] = edit.text


def _set_arguments(node: Json, arguments: Json) -> None:
    """Annotations of places that are gone go with them."""
    action = node["action"]
    written = action["arguments"]
    before = msgspec.json.decode(written) if isinstance(written, str) else written
    if msgspec.json.encode(before) == msgspec.json.encode(arguments):
        return
    action["arguments"] = arguments
    for field in _BY_PLACE:
        annotations = {
            pointer: annotation
            for pointer, annotation in node.get(field, {}).items()
            if _stands(arguments, pointer, field)
        }
        if annotations:
            node[field] = annotations
        else:
            node.pop(field, None)


def _stands(arguments: Json, pointer: str, field: str) -> bool:
    """Is there still such a place? A default's may be empty."""
    steps = parse_pointer(pointer)
    try:
        holder = find(arguments, steps[:-1] if field == "defaults" else steps)
    except LookupError:
        return False
    return field != "defaults" or isinstance(holder, dict)


def _set_dependencies(nodes: list[Json], node: Json, edit: commands.SetDependencies) -> None:
    """What a person adds they confirm: nothing else has to speak for it, where the data say what does."""
    before = node["dependency_list"]
    _require_earlier(edit, [one for one in edit.after if one not in before])
    if {*edit.after} == {*before}:
        return
    node["dependency_list"] = sorted({*edit.after})
    if any(EVIDENCE in one for one in nodes):
        mark: Json = {"to": edit.call, "why": STEP, "certain": False, "kept": True, CONFIRMED: True}
        added = [{"from": one} | mark for one in node["dependency_list"] if one not in before]
        if added:
            node[EVIDENCE] = evidence_of(node) + added
    tell_kept(node)


def _require_earlier(edit: commands.CallEdit, after: Iterable[int]) -> None:
    for before in after:
        if before >= edit.call:
            message = _(
                "call {call} cannot need call {before}: only earlier calls can be needed",
                call=edit.call + 1,
                before=before + 1,
            )
            raise Refused(message, edit.place)


def _add(nodes: list[Json], edit: commands.AddCall) -> None:
    """A call at a position; the closing reply waits for it."""
    place = edit.place
    if edit.call >= len(nodes) or edit.name == FINAL:
        raise Refused(_("a call must come before the closing reply"), place)
    _require_earlier(edit, edit.after)
    node: Json = {
        "idx": edit.call,
        "action": {"name": edit.name, "arguments": edit.arguments},
        "dependency_list": sorted({*edit.after}),
        "observation": edit.result,
    }
    if edit.name == ASK:
        if not (_is_text(edit.result) and _is_text(edit.answer)):
            raise Refused(_("a question needs a text and an answer"), place)
        node["user_input"] = edit.answer
    _renumber(nodes, {old: old + (old >= edit.call) for old in range(len(nodes))})
    nodes.insert(edit.call, node)
    if nodes[-1]["action"]["name"] == FINAL:
        nodes[-1]["dependency_list"] = _with(nodes[-1]["dependency_list"], [edit.call])


def _remove(nodes: list[Json], call: int) -> None:
    """What needed the call needs what that needed, where nothing else that it needs does."""
    gone = nodes[call]["dependency_list"]
    for node in nodes:
        if call in node["dependency_list"]:
            rest = [needed for needed in node["dependency_list"] if needed != call]
            node["dependency_list"] = _with(rest, [needed for needed in gone if needed not in _reached(rest, nodes)])
            tell_kept(node)
    places = {old: old - (old > call) for old in range(len(nodes)) if old != call}
    nodes.pop(call)
    _renumber(nodes, places)


def _reached(starts: Iterable[int], nodes: list[Json]) -> set[int]:
    """What is needed by some calls, themselves included."""
    reached: set[int] = set()
    left = [*starts]
    while left:
        if (place := left.pop()) not in reached:
            reached.add(place)
            left += nodes[place]["dependency_list"]
    return reached


def _with(needed: list[int], more: Iterable[int]) -> list[int]:
    """A list of dependencies with more of them; one that was in order stays so."""
    joined = [*needed, *(place for place in more if place not in needed)]
    return sorted(joined) if needed == sorted(needed) else joined


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


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
