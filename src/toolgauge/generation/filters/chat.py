"""Small talk needs no tool: none is called, and no sentence of it is what a tool is for.

A heuristic on words, with limits: a question in words of its own passes ("is it wet outside?" beside get_weather), and
small talk in a definition's very words may be caught. Every sentence is compared with the tools' names and with what
their descriptions say first, rare words of the tool list counting more. A sentence that asks for something to be done
(requests.py), or for a fact about something particular, is held back where it is near a tool, any other one only where
it says plainly what the tool is for, and one that asks why, or for an opinion, never.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.annotation.grounding.values import alike, words
from toolgauge.annotation.writes import reads, writes
from toolgauge.chat import Tool
from toolgauge.data.session import Session, Task, TaskType
from toolgauge.generation.filters.filter import TOLERATED, against, made_here
from toolgauge.generation.filters.requests import asked_text, is_lookup, is_opinion, is_request, sentences

CLOSE = {"en": 0.65, "zh": 0.35}
"""The share of a tool's words, by weight, that a sentence must have for the tool to be what it is about."""
CLOSE_REQUEST = {"en": 0.4, "zh": 0.12}
"""The same of a sentence that is a request."""
CLOSE_LOOKUP = {"en": 0.33, "zh": 0.07}
"""The same of a sentence that asks for a fact about something particular.

Small talk of the embedded benchmark and of the scripted agents stays below all three. Of people's first requests for
tools between a half (in words of their own) and four fifths (in longer sentences) are above.
"""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")
_FIRST = re.compile(r"(?<=[.。；;])\s*")
_COMPOSES = re.compile(r"writ(?:e|ing)|compos|draft|generat|写|起草|拟|生成|创作", re.IGNORECASE)
_GENERIC = frozenset(
    words(
        "list return returns returned give given gives specified specify based using use used users current all any"
        " info information data details results provide provides optional required including such more whether tool api"
        " function request search find check query"
        " 用户 信息 数据 根据 指定 返回 相关 提供 查询 获取 结果 进行 工具 接口"
    )
)
"""Words of definitions that say little about what a tool is for."""


def wants_tool(session: Session, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """Small talk with calls in it, or that asks for what a tool does. Tolerated: talk for which the planner had tried a
    tool before it found that none was needed."""
    for task in made_here(session, dialogue):
        if dialogue.tasks[task.index].kind != "chat":
            continue
        if task.type is not TaskType.CHAT:
            yield against(task, path="kind", value=task.type.value)
        known = any(call.is_tool for one in session.tasks[: task.index] for call in one.calls)
        yield from _asked(task, session.tools, dialogue.language, known)
        for name in _tried(task, session, dialogue):
            yield against(task, tool=name, path="tried", value=name, tolerated=True)


def _asked(task: Task, tools: tuple[Tool, ...], language: str, has_results: bool) -> Iterator[dict[str, object]]:
    """The sentences that are near a tool. Tolerated: a question about facts after results, which may have told them."""
    for sentence in sentences(task.utterance):
        if text := asked_text(sentence):
            yield from _asked_to_write(text, task, tools, language)
            continue
        request = is_request(sentence, language)
        if not request and is_opinion(sentence):
            continue
        lookup = not request and is_lookup(sentence)
        limit = (CLOSE_REQUEST if request else CLOSE_LOOKUP if lookup else CLOSE)[language]
        for tool, share in closeness(sentence, tools, request or lookup).items():
            if share >= limit:
                place = {"tool": tool, "path": "utterance", "value": round(share, 2), "quote": sentence[:200]}
                evidence = against(task) | place | {"request": request}
                yield evidence | ({TOLERATED: True} if lookup and has_results and share < CLOSE[language] else {})


def _asked_to_write(text: str, task: Task, tools: tuple[Tool, ...], language: str) -> Iterator[dict[str, object]]:
    """Tools that may write a text that is asked for: those that change something, and those that say so."""
    writers = tuple(tool for tool in tools if _writes_texts(tool))
    for tool, share in closeness(text, writers, request=True).items():
        if share >= CLOSE_REQUEST[language]:
            yield against(task, tool=tool, path="utterance", value=round(share, 2), quote=text[:200], request=True)


def _writes_texts(tool: Tool) -> bool:
    says_so = _COMPOSES.search(f"{tool.name} {tool.description}") and not reads(tool.name, tool.read_only)
    return bool(says_so) or writes(tool.name, tool.read_only)


def _tried(task: Task, session: Session, dialogue: Dialogue) -> list[str]:
    """Offered tools that a rejected try of the planner wanted to call."""
    tries = [entry.decision for entry in dialogue.of_task(task.index) if entry.decision and not entry.accepted]
    names = [action.name for decision in tries for action in decision.actions]
    return list(dict.fromkeys(name for name in names if name in session.tools_by_name))


def closeness(sentence: str, tools: tuple[Tool, ...], request: bool) -> dict[str, float]:
    """Per tool the share of its words that a sentence has, rare words counting more.

    Compared with the words of its name and with those its description says first, of requests with both, else with what
    is in the sentence's script: names are English nearly always, descriptions as the dialogue.
    """
    said, chinese = set(words(sentence)), not sentence.isascii()
    texts = {tool.name: (frozenset(words(_CAMEL.sub(" ", tool.name))), _described(tool)) for tool in tools}
    common = Counter(word for both in texts.values() for word in both[0] | both[1])
    weights = {word: math.log(1 + len(tools) / count) for word, count in common.items()}

    def share(about: frozenset[str]) -> float:
        total = sum(weights[word] for word in about)
        shared = sum(weights[word] for word in about if any(alike(word, one) for one in said))
        return shared / total if len(about) > 1 else 0.0

    return {name: max(map(share, both if request else both[chinese : chinese + 1])) for name, both in texts.items()}


def _described(tool: Tool) -> frozenset[str]:
    """The words of the first sentence of its description."""
    return frozenset(words(_FIRST.split(tool.description, maxsplit=1)[0])) - _GENERIC
