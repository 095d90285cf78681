"""Why a run is wrong, as data: a code and its parameters. Words are made of them, here the text of scores.jsonl.

A verdict carries both: `detail`, the English text (where the public evaluators have one for it, theirs), and `code`
with `parameters`, so that nobody has to parse a sentence. analysis/reasons.json has the Chinese of each text.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

MAX_TEXT = 500
"""Characters of an argument's path, of an error text or of a parameter; what follows is cut off."""

Parameter = str | int | tuple[str, ...]
"""A name, a number, or several names."""


class Code(StrEnum):
    """Everything that judging dialogues can find wrong. The texts with their parameters are in `TEXTS`."""

    NO_OUTPUT = "no_output"
    UNREADABLE_CALL = "unreadable_call"
    TEXT_FOR_CALLS = "text_for_calls"
    NOT_OFFERED = "not_offered"
    CALLS_FOR_REPLY = "calls_for_reply"
    CALLS_FOR_QUESTION = "calls_for_question"
    TOO_EARLY = "too_early"
    TOO_EARLY_IN_STEP = "too_early_in_step"
    NOT_IN_ANSWER = "not_in_answer"
    TOO_OFTEN = "too_often"
    RUN_ENDS = "run_ends"
    STEP_DOES_NOT_FIT = "step_does_not_fit"
    OF_ANOTHER_CALL = "of_another_call"
    CALLS_FOR_UNSERVABLE = "calls_for_unservable"
    NOT_ACCEPTED = "not_accepted"
    TIME_DIFFERS = "time_differs"
    DATE_DIFFERS = "date_differs"
    DATETIME_DIFFERS = "datetime_differs"
    NUMBER_DIFFERS = "number_differs"

    NOT_JSON = "not_json"
    SCHEMA_TYPE = "schema_type"
    SCHEMA_TYPE_NESTED = "schema_type_nested"
    SCHEMA_CHOICE = "schema_choice"
    SCHEMA_CHOICE_NESTED = "schema_choice_nested"
    SCHEMA_REQUIRED = "schema_required"
    SCHEMA_REQUIRED_NESTED = "schema_required_nested"
    SCHEMA_UNDEFINED = "schema_undefined"
    SCHEMA_UNDEFINED_NESTED = "schema_undefined_nested"
    KEYS_MISSING = "keys_missing"
    KEYS_EXTRA = "keys_extra"
    KEYS_DIFFER = "keys_differ"
    TYPE_DIFFERS = "type_differs"
    VALUE_DIFFERS = "value_differs"
    LENGTH_DIFFERS = "length_differs"
    LETTERS_DIFFER = "letters_differ"
    WORDS_DIFFER = "words_differ"
    WORDS_UNMEASURED = "words_unmeasured"

    SCORED_NOT_JSON = "scored_not_json"
    SCORED_TYPE = "scored_type"
    SCORED_REQUIRED = "scored_required"
    SCORED_NO_ARGUMENTS = "scored_no_arguments"
    SCORED_UNDEFINED = "scored_undefined"
    SCORED_NOT_GIVEN = "scored_not_given"
    SCORED_VALUE = "scored_value"


TEXTS: dict[Code, str] = {
    Code.NO_OUTPUT: "neither text nor calls",
    Code.UNREADABLE_CALL: "a call without id, name or arguments",
    Code.TEXT_FOR_CALLS: "text where calls are due: {names}",
    Code.NOT_OFFERED: "not offered: {names}",
    Code.CALLS_FOR_REPLY: "calls where only a reply is due: {names}",
    Code.CALLS_FOR_QUESTION: "calls where a question is due: {names}",
    Code.TOO_EARLY: "called before what it needs: {names}",
    Code.TOO_EARLY_IN_STEP: "called before what it needs: a call of the step",
    Code.NOT_IN_ANSWER: "no part of the answer: {names}",
    Code.TOO_OFTEN: "called too often: {names}",
    Code.RUN_ENDS: "the recorded run ends before the task is done",
    Code.STEP_DOES_NOT_FIT: "the tools called at step {step} do not fit",
    Code.OF_ANOTHER_CALL: "arguments of another annotated call, given before",
    Code.CALLS_FOR_UNSERVABLE: "calls where no tool can serve the request: {names}",
    Code.NOT_ACCEPTED: "none of the accepted values",
    Code.TIME_DIFFERS: "another time than annotated",
    Code.DATE_DIFFERS: "another date than annotated",
    Code.DATETIME_DIFFERS: "another date and time than annotated",
    Code.NUMBER_DIFFERS: "another number than annotated",
    # the released evaluator of WildToolBench
    Code.NOT_JSON: "error: args invalid json format",
    Code.SCHEMA_TYPE: "error_schema: args type inconsistent",
    Code.SCHEMA_TYPE_NESTED: "error_schema: nested args type inconsistent",
    Code.SCHEMA_CHOICE: "error_schema: args value not in enum",
    Code.SCHEMA_CHOICE_NESTED: "error_schema: nested args value not in enum",
    Code.SCHEMA_REQUIRED: "error_schema: required args missing",
    Code.SCHEMA_REQUIRED_NESTED: "error_schema: required nested args missing",
    Code.SCHEMA_UNDEFINED: "error_schema: args not defined",
    Code.SCHEMA_UNDEFINED_NESTED: "error_schema: nested args not defined",
    Code.KEYS_MISSING: "error_match: args keys mismatch{place} (missing: {missing})",
    Code.KEYS_EXTRA: "error_match: args keys mismatch{place} (extra: {extra})",
    Code.KEYS_DIFFER: "error_match: args keys mismatch{place} (missing: {missing}, extra: {extra})",
    Code.TYPE_DIFFERS: "error_match: value type inconsistent{place}",
    Code.VALUE_DIFFERS: "error_match: value mismatch{place}",
    Code.LENGTH_DIFFERS: "error_match: array length mismatch{place}",
    Code.LETTERS_DIFFER: "error_match: string similarity too low{place} (edit score: {score})",
    Code.WORDS_DIFFER: "error_match: string similarity too low{place} (rouge score: {score})",
    Code.WORDS_UNMEASURED: "error_match: rouge calculation failed{place}",
    # MMTB's analysis
    Code.SCORED_NOT_JSON: "arguments are not JSON",
    Code.SCORED_TYPE: "type error",
    Code.SCORED_REQUIRED: "miss required params",
    Code.SCORED_NO_ARGUMENTS: "no arguments",
    Code.SCORED_UNDEFINED: "param hallucination",
    Code.SCORED_NOT_GIVEN: "param value hallucination",
    Code.SCORED_VALUE: "param value error",
}
"""The English text of each code. {names} are joined by commas, {missing} and {extra} stand in brackets, {place} is
" at '...'" with the path that was compared (parameter `at`), or nothing at the top."""


class Reason(Struct, frozen=True):
    """Why something is wrong. parameters: as they are; what is written of them is bounded (`written`)."""

    code: Code
    parameters: dict[str, Parameter] = {}

    @property
    def text(self) -> str:
        text = TEXTS[self.code]
        if "{" not in text:
            return text
        slots = {name: _in_text(name, value) for name, value in self.parameters.items()}
        slots["place"] = f" at '{slots['at']}'" if slots.get("at") else ""
        return text.format_map(slots)

    def written(self) -> dict[str, Parameter]:
        """The parameters that say something, as they can be written to a file."""
        return {name: _bounded(value) for name, value in self.parameters.items() if value != ""}


def reason(code: Code, **parameters: Parameter) -> Reason:
    return Reason(code, parameters)


def _in_text(name: str, value: Parameter) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) if name == "names" else str(list(value))
    return str(value)


def _bounded(value: Parameter) -> Parameter:
    if isinstance(value, tuple):
        return tuple(map(printable, value))
    return printable(value) if isinstance(value, str) else value


def printable(text: str) -> str:
    """Of bounded length, and free of lone surrogates."""
    text = text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
