"""Small talk needs no tool: none is called, and what the user says is not what a tool is for.

A heuristic on words, with limits: a request in words of its own passes ("is it wet outside?" beside get_weather), and
talk in a definition's very words may be caught. It compares what the user says with each tool's name, in Chinese with
the first sentence of its description, rare words of the tool list counting more.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from toolgauge.chat import Json, Tool
from toolgauge.data.session import Session, TaskType
from toolgauge.generation.dialogue import Dialogue
from toolgauge.generation.gates.gate import against, made_here
from toolgauge.generation.origins.values import alike, words

CLOSE = {"en": 0.65, "zh": 0.35}
"""The share of a tool's words, by weight, that a request must have for the tool to be what it asks for.

In the embedded benchmark small talk has at most 0.58 and 0.25; few requests for tools have more (people say it in their
own words), so the gate finds plain cases only.
"""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")
_SENTENCE = re.compile(r"(?<=[.。；;])")


def wants_tool(session: Session, dialogue: Dialogue) -> Iterator[Json]:
    """Small talk with calls in it, or that says what a tool is for."""
    for task in made_here(session, dialogue):
        if dialogue.tasks[task.index].kind != "chat":
            continue
        if task.type is not TaskType.CHAT:
            yield against(task, path="kind", value=task.type.value)
        for tool, share in closeness(task.utterance, session.tools).items():
            if share >= CLOSE[dialogue.language]:
                yield against(task, tool=tool, path="utterance", value=round(share, 2))


def closeness(utterance: str, tools: tuple[Tool, ...]) -> dict[str, float]:
    """Per tool the share of its words that a request has, rare words counting more."""
    said = set(words(utterance))
    texts = {tool.name: _about(tool, utterance) for tool in tools}
    common = Counter(word for about in texts.values() for word in about)
    shares = {}
    for name, about in texts.items():
        weights = {word: math.log(1 + len(tools) / common[word]) for word in about}
        total = sum(weights.values())
        shared = sum(weight for word, weight in weights.items() if any(alike(word, one) for one in said))
        shares[name] = shared / total if len(about) > 1 else 0.0
    return shares


def _about(tool: Tool, utterance: str) -> set[str]:
    """A tool's words in the script of the request: names are English nearly always, descriptions as the dialogue."""
    first = _SENTENCE.split(tool.description, 1)[0]
    chinese = not utterance.isascii()
    return set(words(first)) if chinese else set(words(_CAMEL.sub(" ", tool.name)))
