"""No message is unreasonably long, and no task takes unreasonably many turns."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.annotation.dialogue import Dialogue, Speaker
from toolgauge.data.session import ASK, Session, Task
from toolgauge.generation.filters.filter import against, made_here

MOST_CHARACTERS = {"en": {Speaker.USER: 2000, Speaker.AGENT: 12_000}, "zh": {Speaker.USER: 1000, Speaker.AGENT: 6000}}
"""Of what one says at once. The longest first tasks of the public data have a few hundred."""
MOST_CALLS, MOST_QUESTIONS, MOST_TURNS = 25, 4, 20
"""Per task: tool calls, questions back, decisions of the planner."""


def out_of_bounds(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Texts that are too long or say nothing, tasks with too many calls, questions or decisions."""
    for task in made_here(session, dialogue):
        for number, entry in enumerate(dialogue.kept):
            most = MOST_CHARACTERS[dialogue.language].get(entry.speaker)
            if entry.task == task.index and most is not None and not 0 < len(_seen(entry.text)) <= most:
                yield against(task, entry=number, path=entry.speaker.value, value=len(entry.text), most=most)
        for what, count, most in _counts(task, dialogue):
            if count > most:
                yield against(task, path=what, value=count, most=most)


def _seen(text: str) -> str:
    """A text without blanks around it and characters that nobody sees."""
    return "".join(char for char in text if char.isprintable() or char.isspace()).strip()


def _counts(task: Task, dialogue: Dialogue) -> Iterator[tuple[str, int, int]]:
    yield "calls", sum(call.is_tool for call in task.calls), MOST_CALLS
    yield "questions", sum(call.name == ASK for call in task.calls), MOST_QUESTIONS
    turns = sum(entry.task == task.index and entry.speaker is Speaker.PLANNER for entry in dialogue.kept)
    yield "turns", turns, MOST_TURNS
