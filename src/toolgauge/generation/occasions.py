"""What a dialogue so far gives a later task to lean on, and which patterns fit it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.annotation.dialogue import PlannedTask, Speaker
from toolgauge.chat import Tool
from toolgauge.data.session import Reference, TaskType
from toolgauge.data.toolnames import name_words
from toolgauge.generation.agents.messages import last_of
from toolgauge.generation.agents.patterns import PATTERNS, Again, WorkedExample
from toolgauge.generation.state import DialogueState
from toolgauge.generation.validators.path import actions_of
from toolgauge.languages import HAN_CHARACTERS

FIRST_LONG_RANGE = 2
"""The first task (from 0) that has a distant turn to reach back to."""
LONG = {"en": 160, "zh": 50}
"""Characters from which on a reply can be put more briefly."""

_BULLET = r"(?P<bullet>[-*+](?=[ \t])|[•·])"
_NUMBER = r"(?P<number>\(?\d{1,3}[.)、．]|（\d{1,2}）|[①-⑳]|[一二三四五六七八九十]{1,2}、)"
_ITEM = re.compile(rf"[ \t]*(?:\*\*)?(?:{_BULLET}|{_NUMBER}|(?P<row>\|))[ \t]*\S")
_RULE = re.compile(r"[-:|=* \t]*")
"""Between the head of a table and its rows, and between paragraphs."""
_WORD = r"[A-Z][\w'’-]{1,40}[^\W\d]"
_NAME = re.compile(
    rf"\b{_WORD}(?: (?:of |the |and |for |de )?{_WORD})+|[“\"*][^“”\"*\n]{{2,60}} [^“”\"*\n]{{2,60}}[”\"*]"
    rf"|[《“「][^《》“”「」\n]{{4,60}}[》”」]|[{HAN_CHARACTERS}]{{4,40}}（"
)
"""Several words that are written large or quoted; in Chinese what stands in marks, or before an id in brackets."""
_PAGING = re.compile("page|offset|limit|cursor|skip|count|top|max|start")


class Occasion(Struct, frozen=True):
    """What a new task can lean on. tasks: those before it; items: how many the list in the last reply holds (0 without
    one); is_long: can the last reply be put more briefly? has_name: does it hold a name that can be shortened?
    has_more: can a tool called last go on with its results?"""

    tasks: tuple[PlannedTask, ...]
    items: int = 0
    is_long: bool = False
    has_name: bool = False
    has_more: bool = False


def occasion_of(state: DialogueState) -> Occasion:
    """What the next task of a dialogue can lean on; there is one task before it at least."""
    last = last_of(state.entries, Speaker.AGENT)
    reply = last.text if last else ""
    called = {action.name for action in actions_of(state.entries, state.task)}
    has_more = any(_pages(tool) for tool in state.tools if tool.name in called)
    has_name = _NAME.search(reply) is not None
    return Occasion(tuple(state.tasks), items_in(reply), len(reply) >= LONG[state.language], has_name, has_more)


def items_in(reply: str) -> int:
    """How many items the longest list in a reply holds, or rows a table has: what "the second one" can count."""
    longest = run = indent = 0
    sort: str | None = None
    for line in reply.splitlines():
        deep = len(line) - len(line.lstrip())
        if _RULE.fullmatch(line) or (sort and deep > indent):  # what is further in belongs to the item before
            continue
        found = _ITEM.match(line)
        if found is None or found.lastgroup != sort:
            run, indent, sort = 0, deep, found.lastgroup if found else None
        run += found is not None
        longest = max(longest, run - (sort == "row"))
    return longest if longest > 1 else 0


def fitting_examples(examples: Sequence[WorkedExample], occasion: Occasion, task: PlannedTask) -> list[WorkedExample]:
    """The examples that fit; where none does (there may be few in a user's file), all for the kind of task."""
    possible = [one for one in examples if task.kind in one.kinds and _is_reachable(one.subtype, occasion)]
    return [one for one in possible if fits(one.pattern, occasion, task)] or possible


def _is_reachable(reference: Reference, occasion: Occasion) -> bool:
    return reference is not Reference.LONG_RANGE or len(occasion.tasks) >= FIRST_LONG_RANGE


def fits(name: str, occasion: Occasion, task: PlannedTask) -> bool:
    """Can a task of this kind and shape lean on the dialogue by a pattern? Of one that is not ours it is not known what
    it needs."""
    pattern = PATTERNS.get(name)
    if pattern is None:
        return True
    distant = pattern.subtype is Reference.LONG_RANGE
    leant_on = occasion.tasks[:-1] if distant else occasion.tasks[-1:]
    if not any(task.kind in (pattern.after_chat if one.kind == "chat" else pattern.after_calls) for one in leant_on):
        return False
    if occasion.items < pattern.items or (pattern.needs_long and not occasion.is_long):
        return False
    if pattern.needs_name and not occasion.has_name:
        return False
    if pattern.needs_more and task.kind != "chat" and not occasion.has_more:
        return False
    if pattern.shapes and task.shape not in (None, *pattern.shapes):
        return False
    return pattern.again is None or _repeats(pattern.again, occasion.tasks[-1], task)


def _repeats(again: Again, last: PlannedTask, task: PlannedTask) -> bool:
    """Can a task be the one before done again? Its calls hang together as that one's did; what took one call can also
    be done for several things at once."""
    if "multi" not in (last.kind, task.kind):
        return True
    if last.kind == "multi":
        return (task.kind, task.shape) == ("multi", last.shape)
    return again is Again.FOR_SEVERAL and task.shape == TaskType.PARALLEL_TOOLS


def _pages(tool: Tool) -> bool:
    return any(_PAGING.fullmatch(word) for name in tool.properties for word in name_words(name))
