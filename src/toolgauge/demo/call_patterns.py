"""Tasks made of requests: one call, or several that hang together in one of three shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from toolgauge.data.session import TaskType
from toolgauge.demo.fixture import SpokenValue
from toolgauge.demo.followups import fact_for
from toolgauge.demo.plans import FromResult, TaskPlan
from toolgauge.demo.request_builder import RequestBuilder, Utterance

Leads = Callable[[], Iterable[Utterance]]
"""Requests a task can begin with, the most fitting first; each drawn when it is looked at."""
LONGER = 0.4
"""How often a chain of two calls gets a third one."""


def single(builder: RequestBuilder, leads: Leads) -> TaskPlan | None:
    """One call."""
    for lead in leads():
        if builder.is_new(lead.call):
            return _plan(builder, [lead], [(0,)])
    return None


def several(builder: RequestBuilder, leads: Leads, shape: str | None) -> TaskPlan | None:
    """Several calls, in the shape that is wanted if there is a way, else in another."""
    builders = {
        TaskType.SEQUENTIAL_TOOLS.value: (sequential, pointing_chain, mixed, chain_beside, parallel),
        TaskType.PARALLEL_TOOLS.value: (parallel, sequential, mixed),
        TaskType.MIXED_TOOLS.value: (mixed, chain_beside, sequential, pointing_chain, parallel),
    }
    for build in builders.get(shape or "", builders[TaskType.SEQUENTIAL_TOOLS.value]):
        if plan := build(builder, leads):
            return plan
    return None


def sequential(builder: RequestBuilder, leads: Leads) -> TaskPlan | None:
    """Calls of which each needs a result of the one before."""
    for lead in leads():
        for piece in _followers(builder, [lead]) if builder.is_new(lead.call) else ():
            pieces = [lead, piece]
            if builder.draw.random() < LONGER:
                pieces += [third for third in _followers(builder, pieces) if _needs(third, 1)][:1]
            return _plan(builder, pieces, [(number,) for number in range(len(pieces))])
    return None


def parallel(builder: RequestBuilder, leads: Leads) -> TaskPlan | None:
    """Two calls that do not need each other."""
    for lead in leads():
        if not builder.is_new(lead.call):
            continue
        ways = [_twice, _shared, _beside]
        if not lead.varied:
            builder.draw.shuffle(ways)
        for way in ways:
            if pieces := way(builder, lead):
                return _plan(builder, pieces, [(0, 1)])
    return None


def mixed(builder: RequestBuilder, leads: Leads) -> TaskPlan | None:
    """Some calls need others, some do not: two that need one, one that needs two, or a chain and a call beside it."""
    for lead in leads():
        if not builder.is_new(lead.call):
            continue
        followers = list(_followers(builder, [lead]))
        if len(followers) > 1 and builder.draw.random() < 0.5:
            return _plan(builder, [lead, *followers[:2]], [(0,), (1, 2)])
        if followers and (beside := _beside(builder, lead)):
            return _plan(builder, [lead, followers[0], beside[1]], [(0, 2), (1,)])
        if followers[1:]:
            return _plan(builder, [lead, *followers[:2]], [(0,), (1, 2)])
        if joined := _joined(builder, lead):
            return _plan(builder, joined, [(0, 1), (2,)])
    return None


def pointing_chain(builder: RequestBuilder, _leads: Leads) -> TaskPlan | None:
    """A chain that begins anew; what leans on the dialogue is its second call: "Book the first one on that day"."""
    for tool in builder.unused_first(builder.fixture.tools):
        builder.forget()
        lead = builder.full(tool)
        for piece in _followers(builder, [lead]) if builder.is_new(lead.call) else ():
            for name in builder.shuffled(piece.call.given):
                said = [fact for fact in builder.facts if fact.said and name not in lead.call.given]
                fact = fact_for(piece.call.tool, name, said)
                if fact and (pointing := builder.pointing(piece, name, fact)):
                    return _plan(builder, [lead, pointing], [(0,), (1,)])
    return None


def chain_beside(builder: RequestBuilder, leads: Leads) -> TaskPlan | None:
    """A call, and a chain of two others beside it."""
    for lead in leads():
        for tool in builder.unused_first(builder.fixture.tools) if builder.is_new(lead.call) else ():
            other = builder.full(tool)
            if tool == lead.call.tool or not builder.is_new(other.call):
                continue
            follower = next((one for one in _followers(builder, [other]) if one.call.tool != lead.call.tool), None)
            if follower:
                text = builder.words("besides") + builder.words("joint") + builder.words.inside(other.text)
                beside = msgspec.structs.replace(other, text=text, complete=text)
                links = {name: msgspec.structs.replace(way, call=1) for name, way in follower.call.links.items()}
                call = msgspec.structs.replace(follower.call, links=links)
                return _plan(builder, [lead, beside, msgspec.structs.replace(follower, call=call)], [(0, 1), (2,)])
    return None


def _plan(builder: RequestBuilder, pieces: list[Utterance], steps: list[tuple[int, ...]]) -> TaskPlan:
    calls = tuple(piece.call for piece in pieces)
    text = builder.words.joined(piece.text for piece in pieces)
    complete = builder.words.joined(piece.complete for piece in pieces)
    tool_known = not any(piece.varied for piece in pieces)
    kind = "multi" if len(calls) > 1 else "single"
    return TaskPlan(kind, text, calls, tuple(steps), complete=complete, tool_known=tool_known)


def _needs(piece: Utterance, number: int) -> bool:
    """Does a request use a result of the call with this number?"""
    return any(link.call == number for link in piece.call.links.values())


def _followers(builder: RequestBuilder, pieces: list[Utterance]) -> Iterator[Utterance]:
    """Requests that use a result of calls made before in the task."""
    used = {piece.call.tool for piece in pieces}
    for tool in builder.shuffled(builder.fixture.tools):
        if tool in used or not builder.fixture.play[tool].follow:
            continue
        links: dict[str, FromResult] = {}
        before: dict[str, SpokenValue] = {}
        known: set[str] = set()
        for name, ways in builder.fixture.linked(tool).items():
            way = next(
                (FromResult(n, link.path) for link in ways for n, p in enumerate(pieces) if p.call.tool == link.tool),
                None,
            )
            said = next((piece.call for piece in pieces if name in piece.call.given), None)
            if way:
                links[name] = way
            elif said:
                before[name] = said.given[name]
                known |= {name} & said.known
        if links and len(links) + len(before) == len(builder.fixture.linked(tool)):
            yield builder.follow(tool, links, before, known)


def _twice(builder: RequestBuilder, lead: Utterance) -> list[Utterance] | None:
    """The same once more with another value."""
    found = builder.other_value(lead.call)
    if not found or not builder.is_new(found[1]):
        return None
    name, call = found
    second = builder.in_passing(call.tool, name, call.given[name])
    again = builder.words("same_for", words=second)
    if not lead.varied:
        return [lead, Utterance(again, call, again)]
    both = builder.words.listed([builder.in_passing(call.tool, name, lead.call.given[name]), second])
    text = builder.words("what_about", words=both)
    return [msgspec.structs.replace(lead, text=text), Utterance("", call, again)]


def _shared(builder: RequestBuilder, lead: Utterance) -> list[Utterance] | None:
    """Another tool about what has just been said: weather there, and how is the air there?"""
    for tool in builder.shuffled(builder.fixture.tools):
        linked = builder.fixture.linked(tool)
        before = {name: lead.call.given[name] for name in linked if name in lead.call.given}
        if builder.picks(tool) or tool == lead.call.tool:
            continue
        if builder.fixture.play[tool].follow and linked and len(before) == len(linked):
            piece = builder.follow(tool, {}, before, lead.call.known & before.keys())
            if builder.is_new(piece.call):
                return [lead, piece]
    return None


def _beside(builder: RequestBuilder, lead: Utterance) -> list[Utterance] | None:
    """Something else, with another tool that has nothing to do with the first one."""
    for tool in builder.shuffled(builder.fixture.tools):
        needs = {link.tool for ways in builder.fixture.linked(tool).values() for link in ways}
        needed = {link.tool for ways in builder.fixture.linked(lead.call.tool).values() for link in ways}
        if tool != lead.call.tool and lead.call.tool not in needs and tool not in needed:
            piece = builder.full(tool)
            if builder.is_new(piece.call):
                text = builder.words("besides") + builder.words("joint") + builder.words.inside(piece.text)
                return [lead, Utterance(text, piece.call, text)]
    return None


def _joined(builder: RequestBuilder, lead: Utterance) -> list[Utterance] | None:
    """A second call, and one that needs the results of both."""
    for tool in builder.shuffled(builder.fixture.tools):
        if tool == lead.call.tool or not builder.is_new((other := builder.full(tool)).call):
            continue
        for piece in _followers(builder, [lead, other]):
            if _needs(piece, 0) and _needs(piece, 1):
                return [lead, other, piece]
    return None
