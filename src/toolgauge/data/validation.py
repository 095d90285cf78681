"""Values against the JSON Schemas of strangers, in bounded time and without the network.

jsonschema does the checking; this module counts its work. A schema of a few lines can ask for more of it than anybody
waits for: references that double at each level, `uniqueItems` over objects, `unevaluatedProperties`, `enum` inside long
arrays, patterns (see `patterns.py`). Every keyword that is applied has a price, and a check that exceeds what its size
allows is ended: what was found until then stands, and the rest cannot be decided.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any

import msgspec
from jsonschema import Draft202012Validator, FormatChecker, ValidationError, validators
from jsonschema.validators import validator_for
from msgspec import Struct
from referencing import Registry

from toolgauge.data.allowance import ALLOWANCE
from toolgauge.data.patterns import Undecided, check_plain, compilable, search
from toolgauge.data.schemas import closed

WORK, WORK_PER_PART = 100_000, 8
"""Steps of one check: at least, and more for each value that the checked value is made of. Public data need 300."""
META_WORK_PER_PART = 300
"""The same for a schema that is itself checked; public data need 40."""
FREE_WORK = 5000
"""Instead of WORK once the process's allowance is used up; checks that need no more never use any of it."""

Check = Callable[[object, Any, object, object], Iterator[ValidationError] | None]


class Outcome(Struct, frozen=True):
    """Of a check. errors: what does not fit; undecided: why the rest cannot be decided, None where all was decided;
    broken: what is wrong with the schema, where it cannot be applied (an invalid pattern, a reference to nothing)."""

    errors: list[ValidationError]
    undecided: str | None = None
    broken: str | None = None


class _Work:
    """What is left of one check's steps. step: the price of going on to another schema; patterns: those of property
    names, where the schema asks for what they leave over."""

    def __init__(self, steps: int, step: int, patterns: tuple[str, ...]) -> None:
        self.left, self.step, self.patterns = steps, step, patterns

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise Undecided("the schema takes too long to check")


_WORK: ContextVar[_Work] = ContextVar("work of a check")


class SchemaValidator:
    """Checks values against one schema (of draft 2020-12 unless parts of it say otherwise)."""

    def __init__(self, schema: object) -> None:
        """Raises whatever jsonschema does for what is no schema at all."""
        self._validator = _bounded(Draft202012Validator)(schema, registry=Registry())
        parts = list(_parts(schema))
        objects = [part for part in parts if isinstance(part, dict)]
        named = [one for part in objects for key in ("$ref", "$dynamicRef") if isinstance(one := part.get(key), str)]
        # A reference by name is looked up by going through the whole schema.
        self._step = 1 if all(one == "#" or one.startswith("#/") for one in named) else 1 + len(parts) // 10
        leftover = any("unevaluatedProperties" in part for part in objects)
        groups = [part.get("patternProperties") for part in objects] if leftover else []
        self._patterns = tuple({text for group in groups if isinstance(group, dict) for text in group})

    def check(self, value: object, most: int | None = None) -> Outcome:
        """What does not fit, at most so many errors."""
        proportionate = WORK_PER_PART * _size(value)
        steps = proportionate + (WORK if ALLOWANCE.left() else FREE_WORK)
        started = time.thread_time()
        work = _Work(steps, self._step, self._patterns)
        outcome = _checked(self._validator, value, most, work)
        if steps - work.left > proportionate + FREE_WORK:
            ALLOWANCE.charge(time.thread_time() - started)
        return outcome


@lru_cache(maxsize=512)
def argument_validator(parameters: bytes, strict: bool = True) -> SchemaValidator | None:
    """The validator of a tool's arguments; None if its schema is invalid or too large to be checked.

    parameters: the schema as JSON. strict: objects admit only the properties that they list.
    """
    if not _is_sound(parameters):
        return None
    schema: object = msgspec.json.decode(parameters)
    return SchemaValidator(closed(schema) if strict else schema)


@lru_cache(maxsize=512)
def _is_sound(schema: bytes) -> bool:
    return check_schema(msgspec.json.decode(schema), 1, patterns=True) == Outcome([])


def check_schema(schema: object, most: int | None = None, patterns: bool = False) -> Outcome:
    """What is wrong with a schema itself. patterns: also invalid regular expressions."""
    meta = _meta()(Draft202012Validator.META_SCHEMA, format_checker=_patterns_checker() if patterns else None)
    steps = WORK + META_WORK_PER_PART * _size(schema)
    return _checked(meta, schema, most, _Work(steps, 1, ()))


def _checked(validator: Any, value: object, most: int | None, work: _Work) -> Outcome:
    errors: list[ValidationError] = []
    undecided = broken = None
    token = _WORK.set(work)
    try:
        for error in validator.iter_errors(value):
            errors.append(error)
            if len(errors) == most:
                break
    except Undecided as error:
        undecided = str(error)
    except Exception as error:  # a schema of anybody's file can be broken in any way: its own fault, not the value's
        broken = str(error) or type(error).__name__
    finally:
        _WORK.reset(token)
    return Outcome(errors, undecided, broken)


_extended: Callable[[object, dict[str, Check]], object] = validators.extend


@cache
def _meta() -> Any:
    """For checking schemas themselves: only one keyword of the meta-schema can take long."""
    unique = _counted("uniqueItems", Draft202012Validator.VALIDATORS["uniqueItems"])
    return _closed_class(_extended(Draft202012Validator, {"uniqueItems": unique}), lambda made, _: made)


@cache
def _bounded(draft: Any) -> Any:
    """A validator class of jsonschema's whose work is counted."""
    checks: dict[str, Check] = dict(draft.VALIDATORS)
    checks |= {key: check for key, check in _OWN.items() if key in checks}
    return _closed_class(_extended(draft, {key: _counted(key, check) for key, check in checks.items()}), _draft_of)


def _draft_of(made: Any, schema: Any) -> object:
    """The class for a schema inside another: its `$schema` may name another draft, whose work is counted as well."""
    draft: object = validator_for(schema, default=made)
    return made if draft is made else _bounded(draft)


def _closed_class(made: Any, inner_class: Callable[[object, object], Any]) -> object:
    """The class, made to go on to inner schemas with the class that is given for them, for a price."""

    def evolve(self: Any, **changes: object) -> object:
        work = _WORK.get()
        work.spend(work.step)
        schema = changes.get("schema", self.schema)
        return inner_class(made, schema)(
            schema,
            registry=self._registry,
            format_checker=self.format_checker,
            _resolver=changes.get("_resolver", self._resolver),
        )

    made.evolve = evolve
    return made


def _counted(keyword: str, check: Check) -> Check:
    price = _PRICES.get(keyword, _length_price)

    def counted(validator: object, wanted: object, value: object, schema: object) -> Iterator[ValidationError]:
        work = _WORK.get()
        work.spend(1 + price(wanted, value))
        for error in check(validator, wanted, value, schema) or ():
            work.spend(len(error.message) // 1000)  # messages repeat the value, however long it is
            yield error

    return counted


def _length_price(wanted: object, value: object) -> int:
    """Of going once through what a keyword lists and what a value holds."""
    return ((len(wanted) if isinstance(wanted, list | dict) else 0) + _length(value)) // 8


def _length(value: object) -> int:
    return len(value) if isinstance(value, list | dict) else 0


def _product_price(wanted: object, value: object) -> int:
    return _length(wanted) * _length(value)


def _equality_price(wanted: object, value: object) -> int:
    """Of comparing a value with every listed one."""
    listed = len(wanted) if isinstance(wanted, list) else 1
    return listed // 2 + (listed * _size(value) if isinstance(value, list | dict) else 0)


def _requirements_price(wanted: object, value: object) -> int:
    return _size(wanted) // 8 if isinstance(value, dict) else 0


def _unique_price(wanted: object, value: object) -> int:
    """Of comparing all items: sorted where they are of one simple kind, else each with each."""
    if wanted is not True or not isinstance(value, list):
        return 0
    simple = {type(one) for one in value} - {bool}
    if simple <= {int, float} or simple == {str}:
        return len(value) if not any(one is True or one is False for one in value) else len(value) ** 2
    return len(value) * _size(value)


_PRICES: dict[str, Callable[[object, object], int]] = {
    "enum": _equality_price,
    "const": _equality_price,
    "uniqueItems": _unique_price,
    "patternProperties": _product_price,
    "dependentRequired": _requirements_price,
    "dependencies": _requirements_price,
}


def _size(value: object) -> int:
    """How many values a value is made of, itself among them."""
    return sum(1 for _ in _parts(value)) if isinstance(value, list | dict) else 1


def _parts(value: object) -> Iterator[object]:
    pending = [value]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, dict):
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)


# Keywords that apply patterns, as jsonschema has them but for the search


def _pattern(validator: Any, pattern: str, value: Any, _: object) -> Iterator[ValidationError]:
    if validator.is_type(value, "string") and not search(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, value: Any, _: object) -> Iterator[ValidationError]:
    if validator.is_type(value, "object"):
        for pattern, schema in patterns.items():
            for key, member in value.items():
                if search(pattern, key):
                    yield from validator.descend(member, schema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, wanted: object, value: Any, schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(value, "object") and (joined := "|".join(schema.get("patternProperties", {}))):
        _WORK.get().spend(len(value) * (1 + len(joined) // 100))
        for key in value:
            check_plain(joined, key)
    yield from Draft202012Validator.VALIDATORS["additionalProperties"](validator, wanted, value, schema)


def _unevaluated_properties(validator: Any, wanted: object, value: Any, schema: object) -> Iterator[ValidationError]:
    work = _WORK.get()
    if validator.is_type(value, "object"):
        work.spend(len(value) * len(work.patterns))
        for pattern in work.patterns:
            for key in value:
                check_plain(pattern, key)
    yield from Draft202012Validator.VALIDATORS["unevaluatedProperties"](validator, wanted, value, schema)


_OWN: dict[str, Check] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": _unevaluated_properties,
}


@cache
def _patterns_checker() -> FormatChecker:
    checker = FormatChecker(())
    checker.checks("regex", raises=re.error)(compilable)
    return checker
