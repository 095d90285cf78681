"""What ACEBench's checkers say of an entry: error types, reasons and verdicts.

Source: docs/acebench.md#error-types; keys such as Q34: docs/acebench.md#scorings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from enum import StrEnum
from typing import Any

from msgspec import UNSET, Struct

from toolgauge.data.record import step
from toolgauge.judge.mistakes import Mistake
from toolgauge.models.endings import Unfinished
from toolgauge.reasons import GAP, N_, Reason, ReasonCode, reason

QUOTED = 80
"""Characters of a value in a detail."""


class AceCode(ReasonCode):
    """Why an entry is wrong; {given} and {expected} are values as Python writes them, or numbers of things.

    Outputs that hold no calls have the decoder's codes (`RefusalCode`).
    """

    CALL_NUMBER = "call_number", N_("{given} calls given, {expected} expected")
    UNEXPECTED_CALLS = "unexpected_calls", N_("called but not expected: {names}")
    MISSING_CALLS = "missing_calls", N_("expected but not called: {names}")
    CALLS_PER_FUNCTION = "calls_per_function", N_("a function is called too often, another too rarely")
    NO_ANSWER = "no_answer", N_("no answer is accepted")

    NO_DESCRIPTION = "no_description", N_("no function is described for {name}")
    OTHER_DESCRIPTION = "other_description", N_("the description found is that of {name}")
    OTHER_FUNCTION = "other_function", N_("another function is called")
    NAMED_OTHER_FUNCTION = "named_other_function", N_("{name} is another function")

    ARGUMENTS_MISSING = "arguments_missing", N_("no arguments are given")
    ARGUMENTS_EXTRA = "arguments_extra", N_("no arguments are expected")
    NO_PARAMETERS = "no_parameters", N_("the function has no parameters")
    UNNAMED_ARGUMENTS = "unnamed_arguments", N_("{count} arguments without a name")
    REQUIRED_MISSING = "required_missing", N_("required but not given")
    NO_PARAMETER = "no_parameter", N_("not a parameter of the function")
    NOT_GIVEN = "not_given", N_("expected but not given")
    NOT_EXPECTED = "not_expected", N_("not expected")
    UNKNOWN_TYPE = "unknown_type", N_("the declared type {name} is unknown")
    OTHER_TYPE = "other_type", N_("{given} given, {declared} declared")
    DIFFERS = "differs", N_("{given} given, {expected} expected")
    CONTAINS = "contains", N_("{given} given, {expected} expected (contained in it)")
    OTHER_VALUE = "other_value", N_("another value than expected")
    CONTAINS_MORE = "contains_more", N_("more than the expected text")
    ELEMENT_NUMBER = "element_number", N_("{given} elements given, {expected} expected")
    KEY_NUMBER = "key_number", N_("{given} keys given, {expected} expected")

    CLASS_NUMBER = "class_number", N_("{given} classes given, {expected} expected")
    CLASS_MISSING = "class_missing", N_("the class is not there")
    NOT_THERE = "not_there", N_("expected but not there")

    NO_TEXT = "no_text", N_("{kind} is no text")
    MARKER_MISSING = "marker_missing", N_("says nothing of {marker}")
    OTHER_MARKERS = "other_markers", N_("also says {names}")
    NOT_NAMED = "not_named", N_("does not name {names}")

    # what may stand behind any of them
    REFERENCE_CRASH = "reference_crash", N_("the public scorer would have stopped here")
    BLAME_MODEL = "blame_model", N_("blame: model")
    BLAME_SIMULATOR = "blame_simulator", N_("blame: simulator")
    BLAME_ENVIRONMENT = "blame_environment", N_("blame: environment")


class AceError(StrEnum):
    """Replies that are unfinished (models/endings.py) or hold a call that cannot be read, of the scoring `exact` alone;
    then the reference's error types, in its spelling, which both scorings use."""

    TRUNCATED = Unfinished.TRUNCATED.value
    FILTERED = Unfinished.FILTERED.value
    ONLY_REASONING = Unfinished.ONLY_REASONING.value
    MALFORMED_CALL = Mistake.MALFORMED_CALL.value
    WRONG_OUTPUT_FORMAT = "wrong_output_format"
    WRONG_FUNCTIONS_NUMBER = "wrong functions number"
    FUNCTION_MISMATCH = "function_mismatch"
    UNCLEAR = "simple_function_checker:unclear"
    WRONG_PARAM = "wrong_param"
    WRONG_FUNCTION_NAME = "wrong_function_name"
    LACK_ARGS = "lack_args"
    ADDITION_ARGS = "addition_args"
    TYPE_ERROR = "type_error"
    VALUE_STRING = "value_error:string"
    VALUE_LIST = "value_error:list/tuple"
    VALUE = "value_error"
    VALUE_LIST_DICT_COUNT = "value_error:list_dict_count"
    VALUE_DICT_ITEMS = "value_error:dict_items"
    DETECTION = "error_detection"
    CORRECTION = "error_correction"
    CLASS_NUMBER = "wrong number of class"
    CLASS_ATTRIBUTES = "class attributes wrong"


class AceVerdict(Struct, frozen=True, omit_defaults=True):
    """One scoring's answer to "was it right?".

    error_type: a value of `AceError`, None where it was right; why: what it was; function, path: of the call and of the
    argument that failed (`key`, `a.b`, `a[0]`); reference_crash: the public scorer would have stopped here
    (Q34); process: of agents, the share of milestones from 0 to 1.
    """

    correct: bool
    error_type: str | None = None
    why: Reason | None = None
    function: str | None = None
    path: str | None = None
    reference_crash: bool = False
    process: float | None = None

    @property
    def detail(self) -> str | None:
        """Why, in English."""
        return None if self.why is None else self.why.text


Answer = Mapping[str, Any]
"""One accepted answer: function key -> expected arguments, in calling order."""


class CallFault(Struct, frozen=True):
    """Why a call does not meet what is expected. path: the argument, "" for the call as a whole; given, expected: the
    two values, UNSET where there is none or the rule did not look at it."""

    error: AceError
    why: Reason
    path: str = ""
    function: str = ""
    given: object = UNSET
    expected: object = UNSET

    def verdict(self, reference_crash: bool = False) -> AceVerdict:
        name = plain(self.function) or None
        return AceVerdict(False, self.error.value, self.why, name, plain(self.path) or None, reference_crash)


class ReferenceCrash(Exception):
    """The public scorer would have stopped with an exception; the entry counts as wrong (Q34)."""

    def __init__(self, fault: CallFault) -> None:
        super().__init__(fault.why.text)
        self.fault = fault


def member(path: str, key: object) -> str:
    """The path of a member of the object or list at `path`; at the top a plain key stands alone."""
    if not path and isinstance(key, str) and key.isidentifier() and len(key) <= 60:
        return key
    part = step(key) if isinstance(key, int | str) else f"[{_quoted(key)}]"
    return path + part if path else part.removeprefix(".")


def differs(given: object, expected: object, code: AceCode = AceCode.DIFFERS) -> Reason:
    """That one value was given and another one expected."""
    return reason(code, given=_quoted(given), expected=_quoted(expected))


def counted(code: AceCode, given: Sized, expected: Sized) -> Reason:
    """That so many things were given, and another number expected."""
    return reason(code, given=len(given), expected=len(expected))


def plain(text: str, limit: int = 500) -> str:
    """A text that can be written to a file: of bounded length and free of lone surrogates."""
    text = text if len(text) <= limit else f"{text[:limit]}…"
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def names(values: Sequence[str]) -> tuple[str, ...]:
    """Some names as they are told, at most five."""
    listed = tuple(plain(value, 60) or "(no name)" for value in values[:5])
    return (*listed, GAP) if len(values) > 5 else listed


def _quoted(value: object) -> str:
    """A value as it stands in the details of scores.jsonl: Python's notation, at most 80 characters."""
    text = repr(value)
    return text if len(text) <= QUOTED else f"{text[: QUOTED - 1]}…"
