"""How a later task leans on what stands before: requests that leave out or only point at what was said or found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from toolgauge.data.session import Reference
from toolgauge.generation.whisper.material import Spoken
from toolgauge.generation.whisper.phrases import Pen, Piece
from toolgauge.generation.whisper.plans import Fact, PlannedCall

Form = Callable[[Pen, Sequence[Fact], range], Iterator[Piece]]


def followed(pen: Pen, facts: Sequence[Fact], _tasks: range) -> Iterator[Piece]:
    """ "How is the air there?" """
    for tool in pen.unused_first(pen.stage.tools):
        linked = pen.stage.linked(tool)
        there = [fact for fact in facts if fact.listed] if pen.picks(tool) else facts
        known = {name: fact for name in linked if (fact := fact_for(tool, name, there))}
        if pen.stage.play[tool].follow and linked and len(known) == len(linked):
            pen.forget()
            before = {name: Spoken(fact.value, fact.words) for name, fact in known.items()}
            yield pen.follow(tool, {}, before, before)


def mentioned(pen: Pen, facts: Sequence[Fact], _tasks: range) -> Iterator[Piece]:
    """ "Which hotels are there in the one I mentioned?" """
    for tool in pen.unused_first(pen.stage.tools):
        for name in pen.shuffled(pen.stage.required(tool)):
            fact = fact_for(tool, name, [fact for fact in facts if fact.said])
            pen.forget()
            if fact and (piece := pen.mentioned(tool, name, fact)):
                yield piece


def changed(pen: Pen, _facts: Sequence[Fact], tasks: range) -> Iterator[Piece]:
    """ "And Munich?" """
    for past in reversed([past for past in pen.past if past.task in tasks and past.tool in pen.stage.tools]):
        names = pen.shuffled(pen.stage.required(past.tool))
        for name in sorted(names, key=lambda one: not pen.is_short(past.tool, one)):
            if name in past.arguments:
                pen.forget()
                yield pen.changed(past, name)


def left_out(pen: Pen, facts: Sequence[Fact], _tasks: range) -> Iterator[Piece]:
    """ "How do I get a table?", where place, day and people are known."""
    for tool in pen.unused_first(pen.stage.tools):
        said = [fact for fact in facts if fact.said or not fact.listed]
        known = {name: fact for name in pen.stage.required(tool) if (fact := fact_for(tool, name, said))}
        vague = pen.stage.play[tool].vague
        if vague and len(known) == len(pen.stage.required(tool)):
            pen.forget()
            given = {name: Spoken(fact.value, fact.words) for name, fact in known.items()}
            call = PlannedCall(tool, given, {}, frozenset(given))
            yield Piece(vague, call, pen.complete(tool, given))


FORMS: dict[Reference, tuple[tuple[Form, ...], ...]] = {
    Reference.COREFERENCE: ((followed, mentioned), (left_out, changed)),
    Reference.PARTIAL_INFORMATION: ((changed, left_out), (followed, mentioned)),
    Reference.LONG_RANGE: ((followed, mentioned, changed), (left_out,)),
}
"""Ways to lean on the dialogue, in groups: within a group in random order."""


def leaning(pen: Pen, reference: Reference, task: int) -> Iterator[Piece]:
    """Requests that lean on the dialogue in the way that is dictated as well as can be, then in any other."""
    for tasks in scopes(reference, task):
        facts = [fact for fact in pen.facts if fact.task in tasks]
        for group in FORMS.get(reference, FORMS[Reference.COREFERENCE]):
            forms = list(group)
            pen.draw.shuffle(forms)
            for form in forms:
                for piece in form(pen, facts, tasks):
                    yield _back(pen, piece, tasks, task)


def scopes(reference: Reference, task: int) -> list[range]:
    """Which earlier tasks are meant: the one before, or those before that one; after it the others."""
    near = [range(task - 1, task), range(task - 1)]
    return near[::-1] if reference is Reference.LONG_RANGE else near


def back(pen: Pen, tasks: range, task: int) -> str:
    """Words that lead back to something distant; none where it is near."""
    if task - 1 in tasks:
        return ""
    return pen.words("back_first" if len(tasks) == 1 else "back") + pen.words("joint")


def fact_for(tool: str, parameter: str, facts: Sequence[Fact]) -> Fact | None:
    """The latest thing in the dialogue that can be this argument."""
    fitting = (fact for fact in reversed(facts) if fact.parameter == parameter and fact.tool in ("", tool))
    return next(fitting, None)


def _back(pen: Pen, piece: Piece, tasks: range, task: int) -> Piece:
    leading = back(pen, tasks, task)
    text = leading + pen.words.inside(piece.text) if leading else piece.text
    return Piece(text, piece.call, piece.complete, piece.varied)
