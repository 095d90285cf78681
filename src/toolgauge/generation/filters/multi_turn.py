"""True multi-turn: a later task needs what came before it. Without that its message must not be understood, or not lead
to the annotated calls.

Most messages show it by themselves: they point at something ("the second one"), leave out a part ("And Bergen?"), or
a value of a call stands in an earlier task only. Where that is in doubt the planner is asked again with the last
message alone, and its calls are compared: tools, ids, numbers, dates, names, no texts that it words itself. Left out
are tasks whose answer is words alone, and questions for all that a tool requires: these would be asked either way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence

from msgspec.structs import replace

from toolgauge.annotation.dialogue import Action, Decision, Dialogue, Speaker
from toolgauge.annotation.grounding.points import point_of
from toolgauge.annotation.grounding.sources import typed_leaves
from toolgauge.annotation.grounding.values import alike, folded, quote_of, words
from toolgauge.annotation.leaning import Lean, cues_in, goes_on_whole, names_tool
from toolgauge.annotation.references import needed_values
from toolgauge.annotation.task_text import text_of
from toolgauge.chat import Reply, Request
from toolgauge.data.session import ASK, FINAL, Session, Task
from toolgauge.generation.agents import planner
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.filters.filter import against
from toolgauge.generation.pseudo import asked_for
from toolgauge.generation.state import AgentView, DialogueState

NAME = "multi_turn"
AGENT = "planner_ablation"
"""The agent's name in the trajectory: the planner, shown nothing but the last message."""
MOST_COMPARED = 300
"""Characters that are kept of what was compared."""
MOST_WORDS, MOST_HAN = 4, 12
"""A longer text is no name but worded by whoever calls."""


def ablated(
    task: Task, session: Session, dialogue: Dialogue, state: DialogueState
) -> Generator[Request, Reply, dict[str, object] | None]:
    """Evidence against a closed task that does not need the dialogue; None where it does, or where that is not known.

    Asks the planner in doubt only. A reply that cannot be read, or that asks the user back, counts as different.
    """
    first = next((entry.decision for entry in dialogue.kept if entry.task == task.index and entry.decision), None)
    if not task.index or first is None or first.actions[0].name == FINAL:
        return None
    if _needs_dialogue(task, session) or _asks_for_all(first, session):
        return None
    opening = next(one for one in dialogue.of_task(task.index) if one.speaker is Speaker.USER)
    kind = dialogue.tasks[task.index].kind
    view = AgentView(session.language, dialogue.tools, dialogue.clock, (opening,), task.index, kind)
    ask = replace(planner.plan(view), agent=AGENT, hint={"ablated": task.index})
    reply = yield from state.ask(ask)
    try:
        alone = planner.read_decision(reply)
    except Unreadable:
        return None
    compared = Comparison(task, session).same(first, alone)
    if compared is None:
        return None
    names = [action.name for action in first.actions]
    return against(
        task, path="utterance", value=task.utterance[:200], calls=names, compared=", ".join(compared)[:MOST_COMPARED]
    )


def _needs_dialogue(task: Task, session: Session) -> bool:
    """Is it plain, without asking, that the task needs what came before?"""
    said, language = task.utterance, session.language
    cues = [cue for cue in cues_in(said, language) if cue.sure]
    for cue in cues:
        may_be_whole = cue.lean is Lean.FRAGMENT and names_tool(cue.quote, session.tools, language)
        if not may_be_whole and not goes_on_whole(said, cue, cues, language):
            return True
    return any(True for _ in needed_values(task, session.tasks[: task.index]))


def _asks_for_all(first: Decision, session: Session) -> bool:
    """Is the user asked for everything that the tools require? Then nothing was known, with the dialogue or without."""
    if first.actions[0].name != ASK:
        return False
    wanted = [pair for action in first.actions for pair in asked_for(action.arguments)]
    known = session.tools_by_name
    return all({*known[tool].required} <= {*names} for tool, names in wanted if tool in known)


class Comparison:
    """The first decision of a task beside that of a planner who saw the task's message alone."""

    def __init__(self, task: Task, session: Session) -> None:
        self.task, self.tools = task, session.tools_by_name
        self.before = [text_of(one) for one in session.tasks[: task.index]]

    def same(self, first: Decision, alone: Decision) -> list[str] | None:
        """What was compared ("get_weather.city = Oslo") where both come to the same; None where they differ."""
        if not first.actions or Counter(_names(first)) != Counter(_names(alone)):
            return None
        if first.actions[0].name == ASK:
            wanted = _questions(first)
            return wanted if wanted == _questions(alone) else None
        found: list[str] = []
        left = list(alone.actions)
        for action in first.actions:
            fitting = ((one, self._agreeing(action, one)) for one in left if one.name == action.name)
            other, values = next(((one, values) for one, values in fitting if values is not None), (None, None))
            if other is None or values is None:
                return None
            left.remove(other)
            found += values or [action.name]
        return found

    def _agreeing(self, action: Action, other: Action) -> list[str] | None:
        """The values of a call that the other one has as well; None where it lacks one."""
        tool = self.tools.get(action.name)
        schema = tool.parameters if tool else {}
        given = {path: value for path, _, value, _ in typed_leaves(other.arguments, schema)}
        found = []
        for path, name, value, known in typed_leaves(action.arguments, schema):
            if _is_worded(name, value, known):
                if not self._borrows_nothing(str(value), str(given.get(path, ""))):
                    return None
            elif path in given and _agree(value, given[path]):
                found.append(f"{action.name}.{path} = {value}")
            elif path in given or known.get("default", value) != value or "default" not in known:
                return None
        return found

    def _borrows_nothing(self, value: str, alone: str) -> bool:
        """Is every word that a text has from the dialogue, and not from the message, in the other text as well?"""
        said, other = words(self.task.utterance), words(alone)
        borrowed = [
            word for word in words(value)
            if not any(alike(word, one) for one in said) and any(quote_of(word, text) for text in self.before)
        ]  # fmt: skip
        return all(any(alike(word, one) for one in other) for word in borrowed)


_TEXTS = frozenset(
    {"text", "body", "message", "content", "comment", "description", "note", "notes", "title", "subject", "label"}
    | {"query", "question", "prompt", "summary", "reason", "keyword", "keywords", "reference", "search", "q", "topic"}
)
"""Names of parameters whose values nobody words twice alike."""


def _is_worded(name: str, value: object, schema: Mapping[str, object]) -> bool:
    """Is a value a text that whoever calls words: a message, a title, a search, or simply too long for a name?

    By the value as well, unlike `Parameter.is_composed` of annotation/grounding, which is about what needs no source.
    """
    if not isinstance(value, str) or "enum" in schema or "format" in schema or point_of(value) is not None:
        return False
    parts = words(value)
    return name.casefold() in _TEXTS or len(parts) > (MOST_WORDS if value.isascii() else MOST_HAN)


def _agree(one: object, other: object) -> bool:
    """Are two values the same, apart from case, blanks, how a date is written, and what a name has besides?"""
    if isinstance(one, str) and isinstance(other, str):
        left, right = folded(one), folded(other)
        if point_of(one) is not None or any(char.isdigit() for char in one):
            return left == right or (point_of(one) is not None and point_of(one) == point_of(other))
        if left == right or (min(len(left), len(right)) > 1 and (left in right or right in left)):
            return True
        shorter, longer = sorted((words(one), words(other)), key=len)
        return len(shorter) > 1 and all(any(alike(word, each) for each in longer) for word in shorter)
    return one == other


def _names(decision: Decision) -> Iterable[str]:
    return (action.name for action in decision.actions)


def _questions(decision: Decision) -> list[str]:
    """What a question asks for: "get_weather?city"."""
    pairs: Sequence[tuple[str, list[str]]] = [pair for one in decision.actions for pair in asked_for(one.arguments)]
    return sorted(f"{tool}?{name}" for tool, names in pairs for name in names)
