"""Tools that are found instead of offered: the search that a model has, and what is on offer in a conversation.

On offer are the search, the tools that the conversation has called before (where its history is annotated, nobody
searched for them) and those that searches have found. What a search finds follows from its words: a tool gets for
each word of the query in its name, its description or the names of its parameters the more the fewer tools have that
word; a tool whose name stands in the query comes first.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator

from toolgauge.benchmarks.dialogues.environment import TaskEnvironment
from toolgauge.benchmarks.dialogues.prompts import prompt
from toolgauge.chat import GoldHint, Message, Reply, Tool, ToolCall
from toolgauge.data.session import Session
from toolgauge.data.toolnames import name_words
from toolgauge.judge.arguments import read_arguments
from toolgauge.judge.searches import MOST_SEARCHES, SEARCH, searches_in, without
from toolgauge.languages import text_words

FOUND = 5
"""Tools that a search finds at most."""
MOST_QUERY = 10_000
"""Characters of a query that are read."""


def search_tool(language: str) -> Tool:
    """The definition of the search."""
    query = {"type": "string", "description": prompt("search_query", language)}
    schema = {"type": "object", "properties": {"query": query}, "required": ["query"]}
    return Tool(SEARCH, prompt("search_tools", language), schema)


def found_tools(tools: Iterable[Tool], query: str) -> list[Tool]:
    """The tools that a query finds, the best first; none that has no word of it."""
    own = [(tool, _words(f"{tool.name} {tool.description} {' '.join(tool.properties)}")) for tool in tools]
    having = Counter(word for _tool, words in own for word in words)
    query = query[:MOST_QUERY]
    asked = _words(query)
    ranked = []
    for place, (tool, words) in enumerate(own):
        worth = sum(math.log(1 + len(own) / having[word]) for word in sorted(asked & words))
        if worth:
            ranked.append((tool.name not in query, -worth, place, tool))
    return [tool for *_rank, tool in sorted(ranked, key=lambda one: one[:3])[:FOUND]]


def _words(text: str) -> frozenset[str]:
    return text_words(text) | frozenset(name_words(text))


class ToolSearch:
    """The tools on offer in one conversation; of a session whose tools are offered as usual, all of them."""

    def __init__(self, session: Session, history: Iterable[Message] = ()) -> None:
        self.session = session
        self.found = {call.name for message in history for call in message.tool_calls}
        self.left = MOST_SEARCHES
        """Searches that the task may still make."""

    @property
    def offered(self) -> tuple[Tool, ...]:
        if not self.session.searched:
            return self.session.tools
        found = (tool for tool in self.session.tools if tool.name in self.found)
        return (search_tool(self.session.language), *found)

    def answer(self, reply: Reply, environment: TaskEnvironment) -> tuple[Message, ...] | None:
        """What follows a reply: results of its searches, and what the environment says to the rest of it."""
        searches = searches_in(self.session, reply, self.left)
        if not searches:
            return environment.answer(reply)
        rest = without(reply, searches)
        others: Iterator[Message] = iter(())
        if rest.tool_calls:
            following = environment.answer(rest)
            if following is None:
                return None
            others = iter(following[1:])
        self.left -= len(searches)
        results = [
            self._result(call) if place in searches else next(others) for place, call in enumerate(reply.tool_calls)
        ]
        return (reply.message(), *results)

    def _result(self, call: ToolCall) -> Message:
        arguments = read_arguments(call.arguments)
        query = arguments.get("query") if isinstance(arguments, dict) else None
        if not isinstance(query, str):
            return Message("tool", prompt("search_refused", self.session.language), tool_call_id=call.id)
        found = found_tools(self.session.tools, query)
        self.found.update(tool.name for tool in found)
        definitions = [tool.wire()["function"] for tool in found]
        return Message("tool", json.dumps(definitions, ensure_ascii=False), tool_call_id=call.id)

    def hinted(self, hint: GoldHint) -> GoldHint:
        """The gold hint, or a search for what it calls and nobody has found yet."""
        if not self.session.searched or hint.due != "calls" or not self.left:
            return hint
        wanted = {call.name: None for call in hint.reply.tool_calls if call.name not in self.found}
        known = self.session.tools_by_name
        searches = [
            ToolCall(f"search_{place}", SEARCH, json.dumps({"query": f"{name}: {known[name].description}"}))
            for place, name in enumerate(name for name in wanted if name in known)
        ]
        if not searches:
            return hint
        return GoldHint("search", Reply(None, tuple(searches)), hint.done, hint.later, hint.steps, mistakes=tuple)
