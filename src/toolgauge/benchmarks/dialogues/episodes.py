"""One task over its gold history, or a whole session over the model's own: what comes back for a reply, and when a task
is over.

A task goes on as long as the names of the calls may still be right in any scoring; arguments are judged afterwards
(docs/rules.md#a-reply-against-the-annotation). A result belongs to the annotated call that a call was matched with; the
public code attaches results in another order (docs/rules.md#defect-by-defect, B4).

Where tools are found instead of offered, on offer are the search, the tools that the conversation has called before
(where its history is annotated, nobody searched for them) and those that searches have found. What a search finds
follows from its words: a tool gets for each word of the query in its name, its description or the names of its
parameters the more the fewer tools have that word; a tool whose name stands in the query comes first.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Generator, Iterable, Iterator

from toolgauge.benchmarks.dialogues.history import observation_text
from toolgauge.benchmarks.dialogues.judge.released import ReleasedMatcher
from toolgauge.benchmarks.dialogues.prompts import prompt
from toolgauge.chat import GoldHint, Message, Reply, Request, Tool, ToolCall
from toolgauge.data.session import FINAL, Call, Session
from toolgauge.data.toolnames import name_words
from toolgauge.episode import Episode, Step, Stop, Trajectory
from toolgauge.judge.arguments import ArgumentRule, read_arguments
from toolgauge.judge.graph import Calls, Matcher, bits
from toolgauge.judge.replies import CALLS, EMPTY, TEXT, AnnotatedTask, Checks, ReadReply, with_empty_arguments
from toolgauge.judge.searches import MOST_SEARCHES, SEARCH, searches_in, without
from toolgauge.languages import text_words


class TaskEnvironment:
    """Follows one run of one task. `answer` gives the messages that follow a reply, or None when the task is over."""

    def __init__(self, task: AnnotatedTask, rule: ArgumentRule) -> None:
        self.task, self.checks = task, Checks(task, rule)
        self.legal: Matcher | None = Matcher(task.legal_graph)
        self.released: ReleasedMatcher | None = ReleasedMatcher(task.graph)
        """How the replies so far are matched by both rules; None from the first step on that one does not admit."""
        self.given = 0
        """Annotated calls whose results were handed out."""
        self.stopped: Stop | None = None

    def answer(self, reply: Reply) -> tuple[Message, ...] | None:
        reply = with_empty_arguments(reply, self.task.tools)
        turn = ReadReply(reply)
        if turn.kind not in (CALLS, TEXT):
            self.stopped = Stop.NO_OUTPUT
            return None
        ready = 0
        if self.legal is not None:
            ready |= self.legal.ready()
            if not self.legal.advance(self._calls(turn, self.legal.ready(), offered_only=True)):
                self.legal = None
        if self.released is not None:
            ready |= self.released.ready()
            if not self.released.advance(self._calls(turn, self.released.ready(), offered_only=False)):
                self.released = None
        if self.legal is None and self.released is None:
            self.stopped = Stop.ILLEGAL_STEP
            return None
        if turn.kind == CALLS:
            return (reply.message(), *self._results(turn, reply.tool_calls, ready))
        if self.task.final_mask & ready:
            self.stopped = Stop.ANSWERED
            return None
        question = next(bits(self.task.ask_mask & ready))
        self.given |= 1 << question
        return reply.message(), Message("user", self.task.task.calls[question].user_input or "")

    def _calls(self, turn: ReadReply, ready: int, offered_only: bool) -> Calls:
        if turn.kind == TEXT:
            return [self.task.text_call(ready)]
        named = self.task.graph.by_name
        return [0 if offered_only and c.name not in self.task.tools else named.get(c.name, 0) for c in turn.calls]

    def _results(self, turn: ReadReply, calls: tuple[ToolCall, ...], ready: int) -> list[Message]:
        """A tool message per call: those made rightly take their results first, the others what comes nearest."""
        named = [self.task.graph.by_name[made.name] for made in turn.calls]
        rows = [(mask & ready, mask) for mask in named]
        nodes = self.checks.align(turn.calls, rows, shared=True, taken=self.given)
        results = []
        for call, node in zip(calls, nodes, strict=True):
            assert node is not None, "a step is only answered where all its names are annotated"
            self.given |= 1 << node
            results.append(Message("tool", observation_text(self.task.task.calls[node]), tool_call_id=call.id))
        return results

    def gold_hint(self) -> GoldHint:
        """The gold hint at this point of the task, for built-in models."""
        if self.legal is not None:
            done = self.legal.trails[0].done
        else:
            assert self.released is not None, "the task goes on"
            done = self.released.state.done
        ready = self.task.graph.ready(done)
        calls = self.task.task.calls
        later = [call for call in calls if not (done | ready) >> call.index & 1 and call.is_tool]
        due = [calls[index] for index in bits(ready)]
        if not due or not due[0].is_tool:
            name = "final" if not due or due[0].name == FINAL else "ask"
            text = str(due[0].observation or "") if due else ""
            return self._cue(name, Reply(text or "…"), done, later)
        made = tuple(_annotated(call) for call in due if call.is_tool)
        return self._cue("calls", Reply(None, made), done, later)

    def _cue(self, due: str, reply: Reply, done: int, later: list[Call]) -> GoldHint:
        made = tuple(_annotated(call) for call in self.task.task.calls if done >> call.index & 1 and call.is_tool)
        return GoldHint(due, reply, made, tuple(map(_annotated, later)), self.task.graph.depth)


def _annotated(call: Call) -> ToolCall:
    return ToolCall(f"call_{call.index}", call.name, json.dumps(call.arguments, ensure_ascii=False))


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


def task_episode(
    session: Session, task: AnnotatedTask, rule: ArgumentRule, history: tuple[Message, ...], epoch: int = 0
) -> Episode:
    """One task: `history` up to and including its utterance, then as many steps as the environment admits."""
    index = task.task.index
    key = session.task_id(index, epoch)
    environment, search = TaskEnvironment(task, rule), ToolSearch(session, history)
    steps, _ = yield from _conversation(environment, search, key, index, history, history)
    return Trajectory(key, session.id, tuple(steps), index, epoch, session.tools, environment.stopped)


def session_episode(
    session: Session, tasks: list[AnnotatedTask], rule: ArgumentRule, opening: Message, key: str, epoch: int = 0
) -> Episode:
    """All tasks of a session in one conversation, over what the model itself said and was told before.

    After a failed task the dialogue goes on with the next utterance. What the model said stays; calls that got no
    result get a tool message that says so, an unreadable or empty reply is left out (docs/rules.md).
    """
    messages: tuple[Message, ...] = (opening,)
    search = ToolSearch(session)
    unsent, steps = messages, []
    for task in tasks:
        utterance = Message("user", task.task.utterance)
        messages, unsent = (*messages, utterance), (*unsent, utterance)
        environment = TaskEnvironment(task, rule)
        search.left = MOST_SEARCHES
        index = task.task.index
        done, messages = yield from _conversation(
            environment, search, session.task_id(index, epoch), index, messages, unsent
        )
        steps += done
        unsent = tuple(_aftermath(with_empty_arguments(done[-1].reply, task.tools), session.language))
        messages = (*messages, *unsent)
    return Trajectory(key, session.id, tuple(steps), None, epoch, session.tools)


def _conversation(
    environment: TaskEnvironment,
    search: ToolSearch,
    task_id: str,
    index: int,
    messages: tuple[Message, ...],
    unsent: tuple[Message, ...],
) -> Generator[Request, Reply, tuple[list[Step], tuple[Message, ...]]]:
    """Ask until the environment ends the task; the steps taken and the messages of the last request."""
    steps: list[Step] = []
    while True:
        hint = search.hinted(environment.gold_hint())
        reply = yield Request("assistant", messages, search.offered, task_id, len(steps), hint)
        steps.append(Step(unsent, reply, index))
        following = search.answer(reply, environment)
        if following is None:
            return steps, messages
        unsent = following
        messages = (*messages, *following)


def _aftermath(reply: Reply, language: str) -> list[Message]:
    """The last reply of a task as the later tasks see it."""
    kind = ReadReply(reply).kind
    if kind == EMPTY:
        return []
    if reply.tool_calls and kind != CALLS:
        return [Message("assistant", reply.content)] if reply.content else []
    results = [Message("tool", prompt("unanswered", language), tool_call_id=call.id) for call in reply.tool_calls]
    return [reply.message(), *results]
