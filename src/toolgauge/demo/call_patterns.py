"""Tasks made of requests: one call, or several that hang together in one of three shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from toolgauge.data.session import TaskType
from toolgauge.demo.fixture import SpokenValue
from toolgauge.demo.followups import fact_for
from toolgauge.demo.plans import FromResult, TaskPlan
from toolgauge.demo.request_builder import RequestBuilder, Utterance

Openers = Callable[[], Iterable[Utterance]]
"""Requests that a task can begin with, the most fitting first; each is drawn when it is asked for."""
LONGER = 0.4
"""How often a chain of two calls gets a third one."""


def single(builder: RequestBuilder, openers: Openers) -> TaskPlan | None:
    """One call."""
    for opener in openers():
        if builder.is_new(opener.call):
            return _plan(builder, [opener], [(0,)])
    return None


def several(builder: RequestBuilder, openers: Openers, shape: str | None) -> TaskPlan | None:
    """Several calls, in the shape that is wanted if there is a way, else in another."""
    builders = {
        TaskType.SEQUENTIAL_TOOLS.value: (sequential, pointing_chain, mixed, chain_beside, parallel),
        TaskType.PARALLEL_TOOLS.value: (parallel, sequential, mixed),
        TaskType.MIXED_TOOLS.value: (mixed, chain_beside, sequential, pointing_chain, parallel),
    }
    for build in builders.get(shape or "", builders[TaskType.SEQUENTIAL_TOOLS.value]):
        if plan := build(builder, openers):
            return plan
    return None


def sequential(builder: RequestBuilder, openers: Openers) -> TaskPlan | None:
    """Calls of which each needs a result of the one before."""
    for opener in openers():
        for utterance in _followers(builder, [opener]) if builder.is_new(opener.call) else ():
            utterances = [opener, utterance]
            if builder.draw.random() < LONGER:
                utterances += [third for third in _followers(builder, utterances) if _needs(third, 1)][:1]
            return _plan(builder, utterances, [(number,) for number in range(len(utterances))])
    return None


def parallel(builder: RequestBuilder, openers: Openers) -> TaskPlan | None:
    """Two calls that do not need each other."""
    for opener in openers():
        if not builder.is_new(opener.call):
            continue
        ways = [_twice, _shared, _beside]
        if not opener.varied:
            builder.draw.shuffle(ways)
        for way in ways:
            if utterances := way(builder, opener):
                return _plan(builder, utterances, [(0, 1)])
    return None


def mixed(builder: RequestBuilder, openers: Openers) -> TaskPlan | None:
    """Some calls need others, some do not: two that need one, one that needs two, or a chain and a call beside it."""
    for opener in openers():
        if not builder.is_new(opener.call):
            continue
        followers = list(_followers(builder, [opener]))
        if len(followers) > 1 and builder.draw.random() < 0.5:
            return _plan(builder, [opener, *followers[:2]], [(0,), (1, 2)])
        if followers and (beside := _beside(builder, opener)):
            return _plan(builder, [opener, followers[0], beside[1]], [(0, 2), (1,)])
        if followers[1:]:
            return _plan(builder, [opener, *followers[:2]], [(0,), (1, 2)])
        if joined := _joined(builder, opener):
            return _plan(builder, joined, [(0, 1), (2,)])
    return None


def pointing_chain(builder: RequestBuilder, _leads: Openers) -> TaskPlan | None:
    """A chain that begins anew; what leans on the dialogue is its second call: "Book the first one on that day"."""
    for tool in builder.unused_first(builder.fixture.tools):
        builder.forget()
        opener = builder.full(tool)
        for utterance in _followers(builder, [opener]) if builder.is_new(opener.call) else ():
            for name in builder.shuffled(utterance.call.given):
                said = [fact for fact in builder.facts if fact.said and name not in opener.call.given]
                fact = fact_for(utterance.call.tool, name, said)
                if fact and (pointing := builder.pointing(utterance, name, fact)):
                    return _plan(builder, [opener, pointing], [(0,), (1,)])
    return None


def chain_beside(builder: RequestBuilder, openers: Openers) -> TaskPlan | None:
    """A call, and a chain of two others beside it."""
    for opener in openers():
        for tool in builder.unused_first(builder.fixture.tools) if builder.is_new(opener.call) else ():
            other = builder.full(tool)
            if tool == opener.call.tool or not builder.is_new(other.call):
                continue
            follower = next((one for one in _followers(builder, [other]) if one.call.tool != opener.call.tool), None)
            if follower:
                text = builder.words("besides") + builder.words("joint") + builder.words.inside(other.text)
                beside = msgspec.structs.replace(other, text=text, complete=text)
                links = {name: msgspec.structs.replace(way, call=1) for name, way in follower.call.links.items()}
                call = msgspec.structs.replace(follower.call, links=links)
                return _plan(builder, [opener, beside, msgspec.structs.replace(follower, call=call)], [(0, 1), (2,)])
    return None


def _plan(builder: RequestBuilder, utterances: list[Utterance], steps: list[tuple[int, ...]]) -> TaskPlan:
    calls = tuple(utterance.call for utterance in utterances)
    text = builder.words.joined(utterance.text for utterance in utterances)
    complete = builder.words.joined(utterance.complete for utterance in utterances)
    tool_known = not any(utterance.varied for utterance in utterances)
    kind = "multi" if len(calls) > 1 else "single"
    return TaskPlan(kind, text, calls, tuple(steps), complete=complete, tool_known=tool_known)


def _needs(utterance: Utterance, number: int) -> bool:
    """Does a request use a result of the call with this number?"""
    return any(link.call == number for link in utterance.call.links.values())


def _followers(builder: RequestBuilder, utterances: list[Utterance]) -> Iterator[Utterance]:
    """Requests that use a result of calls made before in the task."""
    used = {utterance.call.tool for utterance in utterances}
    for tool in builder.shuffled(builder.fixture.tools):
        if tool in used or not builder.fixture.templates[tool].follow:
            continue
        links: dict[str, FromResult] = {}
        before: dict[str, SpokenValue] = {}
        known: set[str] = set()
        for name, ways in builder.fixture.linked(tool).items():
            way = next(
                (
                    FromResult(n, link.path)
                    for link in ways
                    for n, p in enumerate(utterances)
                    if p.call.tool == link.tool
                ),
                None,
            )
            said = next((utterance.call for utterance in utterances if name in utterance.call.given), None)
            if way:
                links[name] = way
            elif said:
                before[name] = said.given[name]
                known |= {name} & said.known
        if links and len(links) + len(before) == len(builder.fixture.linked(tool)):
            yield builder.follow(tool, links, before, known)


def _twice(builder: RequestBuilder, opener: Utterance) -> list[Utterance] | None:
    """The same once more with another value."""
    found = builder.other_value(opener.call)
    if not found or not builder.is_new(found[1]):
        return None
    name, call = found
    second = builder.in_passing(call.tool, name, call.given[name])
    again = builder.words("same_for", words=second)
    if not opener.varied:
        return [opener, Utterance(again, call, again)]
    both = builder.words.listed([builder.in_passing(call.tool, name, opener.call.given[name]), second])
    text = builder.words("what_about", words=both)
    return [msgspec.structs.replace(opener, text=text), Utterance("", call, again)]


def _shared(builder: RequestBuilder, opener: Utterance) -> list[Utterance] | None:
    """Another tool about what has just been said: weather there, and how is the air there?"""
    for tool in builder.shuffled(builder.fixture.tools):
        linked = builder.fixture.linked(tool)
        before = {name: opener.call.given[name] for name in linked if name in opener.call.given}
        if builder.picks(tool) or tool == opener.call.tool:
            continue
        if builder.fixture.templates[tool].follow and linked and len(before) == len(linked):
            utterance = builder.follow(tool, {}, before, opener.call.known & before.keys())
            if builder.is_new(utterance.call):
                return [opener, utterance]
    return None


def _beside(builder: RequestBuilder, opener: Utterance) -> list[Utterance] | None:
    """Something else, with another tool that has nothing to do with the first one."""
    for tool in builder.shuffled(builder.fixture.tools):
        needs = {link.tool for ways in builder.fixture.linked(tool).values() for link in ways}
        needed = {link.tool for ways in builder.fixture.linked(opener.call.tool).values() for link in ways}
        if tool != opener.call.tool and opener.call.tool not in needs and tool not in needed:
            utterance = builder.full(tool)
            if builder.is_new(utterance.call):
                text = builder.words("besides") + builder.words("joint") + builder.words.inside(utterance.text)
                return [opener, Utterance(text, utterance.call, text)]
    return None


def _joined(builder: RequestBuilder, opener: Utterance) -> list[Utterance] | None:
    """A second call, and one that needs the results of both."""
    for tool in builder.shuffled(builder.fixture.tools):
        if tool == opener.call.tool or not builder.is_new((other := builder.full(tool)).call):
            continue
        for utterance in _followers(builder, [opener, other]):
            if _needs(utterance, 0) and _needs(utterance, 1):
                return [opener, other, utterance]
    return None
