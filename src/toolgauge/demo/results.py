"""What the simulated tools answer: filled templates, with the same facts about the same thing in a dialogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from toolgauge.annotation.dialogue import Action, Observation
from toolgauge.demo.fixture import Fixture
from toolgauge.demo.templates import fill, is_generated, slots
from toolgauge.demo.wording import Wording
from toolgauge.generation.state import seeded_random

_IDS = ("_id", "_no", "_code", "_ids")


def observe(fixture: Fixture, action: Action, key: str, before: Iterable[object]) -> Observation:
    """The answer to one call. key: of the dialogue, results depend on it and on the call; before: earlier results."""
    templates = fixture.templates.get(action.name)
    if templates is None:
        return Observation(404, {"error": Wording(fixture.language)("not_found")})
    usual = {name: fixture.schema(action.name, name).get("default") for name in templates.parameters}
    given = {name: value for name, value in usual.items() if value is not None} | action.arguments
    draw = seeded_random(0, key, action.name, msgspec.json.encode(action.arguments, order="deterministic").decode())
    try:
        response = fill(templates.result, given, fixture.now, draw)
    except KeyError as error:
        return Observation(400, {"error": f"{error.args[0]}"})
    echoes = frozenset(f"{{{name}}}" for name in given)
    return Observation(200, _agreeing(response, templates.result, dict(_things(before)), echoes))


def ids_in(value: object, depth: int = 8) -> Iterator[str]:
    """Every text under a name for ids."""
    if depth and isinstance(value, dict):
        for name, part in value.items():
            if name.endswith(_IDS):
                yield from (str(one) for one in (part if isinstance(part, list) else [part]) if isinstance(one, str))
            else:
                yield from ids_in(part, depth - 1)
    elif depth and isinstance(value, list):
        for part in value:
            yield from ids_in(part, depth - 1)


def _things(values: Iterable[object]) -> Iterator[tuple[tuple[str, str], dict[str, object]]]:
    """Everything with an id in earlier results: the name and the id, and what was said of it."""
    for value in values:
        for part in _objects(value):
            for name, one in part.items():
                if name.endswith(_IDS) and isinstance(one, str):
                    yield (name, one), part


def _objects(value: object, depth: int = 8) -> Iterator[dict[str, object]]:
    if depth and isinstance(value, dict):
        yield value
        for part in value.values():
            yield from _objects(part, depth - 1)
    elif depth and isinstance(value, list):
        for part in value:
            yield from _objects(part, depth - 1)


def _agreeing(
    result: object,
    template: object,
    known: dict[tuple[str, str], Mapping[str, object]],
    echoes: frozenset[str],
    depth: int = 8,
) -> object:
    """The result, with what was drawn about a known thing replaced by what was said of it before.

    echoes: patterns of the template that are nothing but an argument.
    """
    if depth and isinstance(result, list) and isinstance(template, list):
        pairs = zip(result, template, strict=False)
        return [_agreeing(part, pattern, known, echoes, depth - 1) for part, pattern in pairs]
    if not depth or not isinstance(result, dict) or not isinstance(template, dict):
        return result
    agreed = {name: _agreeing(part, template.get(name), known, echoes, depth - 1) for name, part in result.items()}
    for name, one in result.items():
        said = known.get((name, one)) if name.endswith(_IDS) and isinstance(one, str) else None
        if said and all(
            said.get(key, result[key]) == result[key] for key in result if _is_echo(template.get(key), echoes)
        ):
            agreed |= {
                key: said[key]
                for key, part in result.items()
                if _is_fact(key, template.get(key), echoes) and type(said.get(key)) is type(part)
            }
    return agreed


def _is_echo(pattern: object, echoes: frozenset[str]) -> bool:
    """Does a part of a result repeat an argument?"""
    generated = isinstance(pattern, str) and all(is_generated(slot) for slot in slots(pattern))
    return isinstance(pattern, str) and (pattern in echoes or not generated)


def _is_fact(name: str, pattern: object, echoes: frozenset[str]) -> bool:
    """Was it drawn at random, and is it not an id? New things get new ids."""
    drawn = isinstance(pattern, str) and bool(slots(pattern)) and not _is_echo(pattern, echoes)
    return drawn and not name.endswith(_IDS)
