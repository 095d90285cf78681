"""A question asks for what was not known: the user had not given it in the task before."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.annotation.grounding.values import is_short, leaves, quote_of
from toolgauge.data.record import shown
from toolgauge.data.session import ASK, Call, Session, Task
from toolgauge.generation.filters.filter import against, made_here
from toolgauge.generation.pseudo import asked_for


def needless_questions(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Parameters asked for although the value used afterwards stood in the user's words of this task before.

    Tolerated, for reviewers: values that stood in earlier tasks only, where it may be doubtful what is meant, and
    questions after which the tool is not called, where nothing can be compared.
    """
    for task in made_here(session, dialogue):
        for call in task.calls:
            if call.name == ASK:
                for tool, names in asked_for(call.arguments):
                    yield from _of_tool(session, task, call, tool, names)


def _of_tool(session: Session, task: Task, question: Call, tool: str, names: list[str]) -> Iterator[dict[str, object]]:
    used = next((call for call in task.calls[question.index :] if call.name == tool), None)
    if used is None:
        yield against(task, question, path=tool, note="not called afterwards", tolerated=True)
        return
    now = [task.utterance, *_replies(task, question.index)]
    before = [text for one in session.tasks[: task.index] for text in (one.utterance, *_replies(one, len(one.calls)))]
    for name in names:
        for path, value in leaves(used.arguments.get(name), name):
            place = {"path": path, "value": shown(value)}
            if quote := _said(value, now):
                yield against(task, question, quote=quote, **place)
            elif quote := _said(value, before):
                yield against(task, question, quote=quote, **place, tolerated=True)


def _replies(task: Task, end: int) -> list[str]:
    return [call.user_input or "" for call in task.calls[:end] if call.name == ASK]


def _said(value: object, texts: list[str]) -> str | None:
    """Where a value stands word for word; short numbers and two letters stand anywhere by chance."""
    if isinstance(value, bool) or value is None or is_short(str(value)):
        return None
    return next((quote for text in texts if (quote := quote_of(str(value), text))), None)
