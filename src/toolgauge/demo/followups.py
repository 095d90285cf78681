"""How a later task leans on what stands before: requests that leave out or only point at what was said or found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from toolgauge.data.session import Reference
from toolgauge.demo.fixture import SpokenValue
from toolgauge.demo.plans import KnownValue, PlannedCall
from toolgauge.demo.request_builder import RequestBuilder, Utterance

Form = Callable[[RequestBuilder, Sequence[KnownValue], range], Iterator[Utterance]]


def followed(builder: RequestBuilder, facts: Sequence[KnownValue], _tasks: range) -> Iterator[Utterance]:
    """ "How is the air there?" """
    for tool in builder.unused_first(builder.fixture.tools):
        linked = builder.fixture.linked(tool)
        there = [fact for fact in facts if fact.listed] if builder.picks(tool) else facts
        known = {name: fact for name in linked if (fact := fact_for(tool, name, there))}
        if builder.fixture.templates[tool].follow and linked and len(known) == len(linked):
            builder.forget()
            before = {name: SpokenValue(fact.value, fact.words) for name, fact in known.items()}
            yield builder.follow(tool, {}, before, before)


def mentioned(builder: RequestBuilder, facts: Sequence[KnownValue], _tasks: range) -> Iterator[Utterance]:
    """ "Which hotels are there in the one I mentioned?" """
    for tool in builder.unused_first(builder.fixture.tools):
        for name in builder.shuffled(builder.fixture.required(tool)):
            fact = fact_for(tool, name, [fact for fact in facts if fact.said])
            builder.forget()
            if fact and (utterance := builder.mentioned(tool, name, fact)):
                yield utterance


def changed(builder: RequestBuilder, _facts: Sequence[KnownValue], tasks: range) -> Iterator[Utterance]:
    """ "And Munich?" """
    for past in reversed([past for past in builder.past if past.task in tasks and past.tool in builder.fixture.tools]):
        names = builder.shuffled(builder.fixture.required(past.tool))
        for name in sorted(names, key=lambda one: not builder.is_short(past.tool, one)):
            if name in past.arguments:
                builder.forget()
                yield builder.changed(past, name)


def left_out(builder: RequestBuilder, facts: Sequence[KnownValue], _tasks: range) -> Iterator[Utterance]:
    """ "How do I get a table?", where place, day and people are known."""
    for tool in builder.unused_first(builder.fixture.tools):
        said = [fact for fact in facts if fact.said or not fact.listed]
        known = {name: fact for name in builder.fixture.required(tool) if (fact := fact_for(tool, name, said))}
        vague = builder.fixture.templates[tool].vague
        if vague and len(known) == len(builder.fixture.required(tool)):
            builder.forget()
            given = {name: SpokenValue(fact.value, fact.words) for name, fact in known.items()}
            call = PlannedCall(tool, given, {}, frozenset(given))
            yield Utterance(vague, call, builder.complete(tool, given))


FORMS: dict[Reference, tuple[tuple[Form, ...], ...]] = {
    Reference.COREFERENCE: ((followed, mentioned), (left_out, changed)),
    Reference.PARTIAL_INFORMATION: ((changed, left_out), (followed, mentioned)),
    Reference.LONG_RANGE: ((followed, mentioned, changed), (left_out,)),
}
"""Ways to lean on the dialogue, in groups: within a group in random order."""


def leaning(builder: RequestBuilder, reference: Reference, task: int) -> Iterator[Utterance]:
    """Requests that lean on the dialogue in the way that is dictated as well as can be, then in any other."""
    for tasks in scopes(reference, task):
        facts = [fact for fact in builder.facts if fact.task in tasks]
        for group in FORMS.get(reference, FORMS[Reference.COREFERENCE]):
            forms = list(group)
            builder.draw.shuffle(forms)
            for form in forms:
                for utterance in form(builder, facts, tasks):
                    yield _back(builder, utterance, tasks, task)


def scopes(reference: Reference, task: int) -> list[range]:
    """Which earlier tasks are meant: the one before, or those before that one; after it the others."""
    near = [range(task - 1, task), range(task - 1)]
    return near[::-1] if reference is Reference.LONG_RANGE else near


def back(builder: RequestBuilder, tasks: range, task: int) -> str:
    """Words that opener back to something distant; none where it is near."""
    if task - 1 in tasks:
        return ""
    return builder.words("back_first" if len(tasks) == 1 else "back") + builder.words("joint")


def fact_for(tool: str, parameter: str, facts: Sequence[KnownValue]) -> KnownValue | None:
    """The latest thing in the dialogue that can be this argument."""
    fitting = (fact for fact in reversed(facts) if fact.parameter == parameter and fact.tool in ("", tool))
    return next(fitting, None)


def _back(builder: RequestBuilder, utterance: Utterance, tasks: range, task: int) -> Utterance:
    leading = back(builder, tasks, task)
    text = leading + builder.words.inside(utterance.text) if leading else utterance.text
    return Utterance(text, utterance.call, utterance.complete, utterance.varied)
