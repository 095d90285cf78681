"""Tasks made of requests: one call, or several that hang together in one of three shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from toolgauge.data.session import TaskType
from toolgauge.generation.whisper.leads import fact_for
from toolgauge.generation.whisper.material import Spoken
from toolgauge.generation.whisper.phrases import Pen, Piece
from toolgauge.generation.whisper.plans import FromResult, TaskPlan

Leads = Callable[[], Iterable[Piece]]
"""Requests a task can begin with, the most fitting first; each drawn when it is looked at."""
LONGER = 0.4
"""How often a chain of two calls gets a third one."""


def single(pen: Pen, leads: Leads) -> TaskPlan | None:
    """One call."""
    for lead in leads():
        if pen.is_new(lead.call):
            return _plan(pen, [lead], [(0,)])
    return None


def several(pen: Pen, leads: Leads, shape: str | None) -> TaskPlan | None:
    """Several calls, in the shape that is wanted if there is a way, else in another."""
    builders = {
        TaskType.SEQUENTIAL_TOOLS.value: (sequential, pointing_chain, mixed, chain_beside, parallel),
        TaskType.PARALLEL_TOOLS.value: (parallel, sequential, mixed),
        TaskType.MIXED_TOOLS.value: (mixed, chain_beside, sequential, pointing_chain, parallel),
    }
    for build in builders.get(shape or "", builders[TaskType.SEQUENTIAL_TOOLS.value]):
        if plan := build(pen, leads):
            return plan
    return None


def sequential(pen: Pen, leads: Leads) -> TaskPlan | None:
    """Calls of which each needs a result of the one before."""
    for lead in leads():
        for piece in _followers(pen, [lead]) if pen.is_new(lead.call) else ():
            pieces = [lead, piece]
            if pen.draw.random() < LONGER:
                pieces += [third for third in _followers(pen, pieces) if _needs(third, 1)][:1]
            return _plan(pen, pieces, [(number,) for number in range(len(pieces))])
    return None


def parallel(pen: Pen, leads: Leads) -> TaskPlan | None:
    """Two calls that do not need each other."""
    for lead in leads():
        if not pen.is_new(lead.call):
            continue
        ways = [_twice, _shared, _beside]
        if not lead.varied:
            pen.draw.shuffle(ways)
        for way in ways:
            if pieces := way(pen, lead):
                return _plan(pen, pieces, [(0, 1)])
    return None


def mixed(pen: Pen, leads: Leads) -> TaskPlan | None:
    """Some calls need others, some do not: two that need one, one that needs two, or a chain and a call beside it."""
    for lead in leads():
        if not pen.is_new(lead.call):
            continue
        followers = list(_followers(pen, [lead]))
        if len(followers) > 1 and pen.draw.random() < 0.5:
            return _plan(pen, [lead, *followers[:2]], [(0,), (1, 2)])
        if followers and (beside := _beside(pen, lead)):
            return _plan(pen, [lead, followers[0], beside[1]], [(0, 2), (1,)])
        if followers[1:]:
            return _plan(pen, [lead, *followers[:2]], [(0,), (1, 2)])
        if joined := _joined(pen, lead):
            return _plan(pen, joined, [(0, 1), (2,)])
    return None


def pointing_chain(pen: Pen, _leads: Leads) -> TaskPlan | None:
    """A chain that begins anew; what leans on the dialogue is its second call: "Book the first one on that day"."""
    for tool in pen.unused_first(pen.stage.tools):
        pen.forget()
        lead = pen.full(tool)
        for piece in _followers(pen, [lead]) if pen.is_new(lead.call) else ():
            for name in pen.shuffled(piece.call.given):
                said = [fact for fact in pen.facts if fact.said and name not in lead.call.given]
                fact = fact_for(piece.call.tool, name, said)
                if fact and (pointing := pen.pointing(piece, name, fact)):
                    return _plan(pen, [lead, pointing], [(0,), (1,)])
    return None


def chain_beside(pen: Pen, leads: Leads) -> TaskPlan | None:
    """A call, and a chain of two others beside it."""
    for lead in leads():
        for tool in pen.unused_first(pen.stage.tools) if pen.is_new(lead.call) else ():
            other = pen.full(tool)
            if tool == lead.call.tool or not pen.is_new(other.call):
                continue
            follower = next((one for one in _followers(pen, [other]) if one.call.tool != lead.call.tool), None)
            if follower:
                text = pen.words("besides") + pen.words("joint") + pen.words.inside(other.text)
                beside = msgspec.structs.replace(other, text=text, complete=text)
                links = {name: msgspec.structs.replace(way, call=1) for name, way in follower.call.links.items()}
                call = msgspec.structs.replace(follower.call, links=links)
                return _plan(pen, [lead, beside, msgspec.structs.replace(follower, call=call)], [(0, 1), (2,)])
    return None


def _plan(pen: Pen, pieces: list[Piece], steps: list[tuple[int, ...]]) -> TaskPlan:
    calls = tuple(piece.call for piece in pieces)
    text = pen.words.joined(piece.text for piece in pieces)
    complete = pen.words.joined(piece.complete for piece in pieces)
    tool_known = not any(piece.varied for piece in pieces)
    kind = "multi" if len(calls) > 1 else "single"
    return TaskPlan(kind, text, calls, tuple(steps), complete=complete, tool_known=tool_known)


def _needs(piece: Piece, number: int) -> bool:
    """Does a request use a result of the call with this number?"""
    return any(link.call == number for link in piece.call.links.values())


def _followers(pen: Pen, pieces: list[Piece]) -> Iterator[Piece]:
    """Requests that use a result of calls made before in the task."""
    used = {piece.call.tool for piece in pieces}
    for tool in pen.shuffled(pen.stage.tools):
        if tool in used or not pen.stage.play[tool].follow:
            continue
        links: dict[str, FromResult] = {}
        before: dict[str, Spoken] = {}
        known: set[str] = set()
        for name, ways in pen.stage.linked(tool).items():
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
        if links and len(links) + len(before) == len(pen.stage.linked(tool)):
            yield pen.follow(tool, links, before, known)


def _twice(pen: Pen, lead: Piece) -> list[Piece] | None:
    """The same once more with another value."""
    found = pen.other_value(lead.call)
    if not found or not pen.is_new(found[1]):
        return None
    name, call = found
    second = pen.in_passing(call.tool, name, call.given[name])
    again = pen.words("same_for", words=second)
    if not lead.varied:
        return [lead, Piece(again, call, again)]
    both = pen.words.listed([pen.in_passing(call.tool, name, lead.call.given[name]), second])
    text = pen.words("what_about", words=both)
    return [msgspec.structs.replace(lead, text=text), Piece("", call, again)]


def _shared(pen: Pen, lead: Piece) -> list[Piece] | None:
    """Another tool about what has just been said: weather there, and how is the air there?"""
    for tool in pen.shuffled(pen.stage.tools):
        linked = pen.stage.linked(tool)
        before = {name: lead.call.given[name] for name in linked if name in lead.call.given}
        if pen.picks(tool) or tool == lead.call.tool:
            continue
        if pen.stage.play[tool].follow and linked and len(before) == len(linked):
            piece = pen.follow(tool, {}, before, lead.call.known & before.keys())
            if pen.is_new(piece.call):
                return [lead, piece]
    return None


def _beside(pen: Pen, lead: Piece) -> list[Piece] | None:
    """Something else, with another tool that has nothing to do with the first one."""
    for tool in pen.shuffled(pen.stage.tools):
        needs = {link.tool for ways in pen.stage.linked(tool).values() for link in ways}
        needed = {link.tool for ways in pen.stage.linked(lead.call.tool).values() for link in ways}
        if tool != lead.call.tool and lead.call.tool not in needs and tool not in needed:
            piece = pen.full(tool)
            if pen.is_new(piece.call):
                text = pen.words("besides") + pen.words("joint") + pen.words.inside(piece.text)
                return [lead, Piece(text, piece.call, text)]
    return None


def _joined(pen: Pen, lead: Piece) -> list[Piece] | None:
    """A second call, and one that needs the results of both."""
    for tool in pen.shuffled(pen.stage.tools):
        if tool == lead.call.tool or not pen.is_new((other := pen.full(tool)).call):
            continue
        for piece in _followers(pen, [lead, other]):
            if _needs(piece, 0) and _needs(piece, 1):
                return [lead, other, piece]
    return None
