"""What edits make of a session's record.

An edit changes what it names; the record's other fields stay as they are. The plain `messages` follow what they are
made of. Edits are checked: what is no text, no call, no type is refused with the place.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from toolgauge.chat import Json
from toolgauge.data.session import ASK, FINAL, Reference, Session, TaskType
from toolgauge.data.sessions import (
    REFERENCE_NAMES,
    TASK_END,
    TYPE_NAMES,
    language_prefix,
    read_reference,
    read_type,
    session_from,
)
from toolgauge.locale import _
from toolgauge.review.call_edits import apply_to_calls
from toolgauge.review.edits import AnyEdit, SetReference, SetType, SetUtterance, place_of_edit
from toolgauge.review.objections import said, withdraw_objections
from toolgauge.review.refusals import Refused
from toolgauge.review.regrounding import annotation, reground


def edited(record: Json, language: str, edits: Iterable[AnyEdit]) -> Json:
    """A copy of a session's record with the edits, in their order. Raises Refused where one does not fit the session.

    What the edits do not name stays as it is written: values that are equal are not written anew."""
    made: Json = msgspec.json.decode(msgspec.json.encode(record))
    prefix, session = language_prefix(language), session_from(record, language)
    before, found = messages(made, prefix), annotation(made, language)
    spoken = said(made, prefix)
    for edit in edits:
        if edit.task >= len(session.tasks):
            raise Refused(_("task {task} not found", task=edit.task + 1))
        match edit:
            case SetUtterance():
                made[f"{prefix}tasks"][edit.task] = edit.text
            case SetType():
                _set_type(made, prefix, session, edit)
            case SetReference():
                _set_reference(made, prefix, session, edit)
            case _:
                apply_to_calls(made[f"{prefix}answer_list"][edit.task], edit)
    if before and made.get(f"{prefix}messages") == before:
        made[f"{prefix}messages"] = messages(made, prefix)
    reground(made, language, found)
    withdraw_objections(made, spoken, said(made, prefix))
    return made


def first_tasks(record: Json, language: str, count: int) -> Json:
    """A record without the tasks behind the first `count`."""
    prefix, made = language_prefix(language), {**record}
    before = len(record[f"{prefix}tasks"])
    spoken = messages(record, prefix)
    for name in ("tasks", "answer_list", "task_types"):
        if isinstance(listed := record.get(f"{prefix}{name}"), list):
            made[f"{prefix}{name}"] = listed[:count]
    if isinstance(listed := record.get(f"{prefix}turn_subtypes"), list):
        made[f"{prefix}turn_subtypes"] = listed[: count - (len(listed) < before)]
    if record.get(f"{prefix}messages") == spoken:
        made[f"{prefix}messages"] = messages(made, prefix)
    else:
        made.pop(f"{prefix}messages", None)
    return made


def _set_type(record: Json, prefix: str, session: Session, edit: SetType) -> None:
    key = f"{prefix}task_types"
    written: list[str] = record.get(key) or [_type_name(task.type, session) for task in session.tasks]
    kind = read_type(written[edit.task])
    if (kind if isinstance(kind, TaskType) else session.tasks[edit.task].type) is not edit.type:
        written[edit.task] = _type_name(edit.type, session)
        record[key] = written


def _type_name(kind: TaskType, session: Session) -> str:
    return TYPE_NAMES[kind][session.language != "en"]


def _set_reference(record: Json, prefix: str, session: Session, edit: SetReference) -> None:
    if not edit.task:
        raise Refused(_("the first task has nothing to refer to"), place_of_edit(edit))
    key, later = f"{prefix}turn_subtypes", session.tasks[1:]
    written: list[str] = record.get(key) or [_reference_name(task.reference, session) for task in later]
    position = edit.task - (len(written) < len(session.tasks))
    if (read_reference(written[position]) or session.tasks[edit.task].reference) is not edit.reference:
        written[position] = _reference_name(edit.reference, session)
        record[key] = written


def _reference_name(reference: Reference, session: Session) -> str:
    return REFERENCE_NAMES[reference][session.language != "en"]


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
