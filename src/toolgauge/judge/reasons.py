"""Everything that judging dialogues can find wrong: codes, with their texts."""

from __future__ import annotations

from toolgauge.reasons import N_, ReasonCode


class DialogueCode(ReasonCode):
    """Why a task of a dialogue is wrong. Texts with a meaning beside them are those of the published evaluators."""

    NO_OUTPUT = "no_output", N_("neither text nor calls")
    TEXT_FOR_CALLS = "text_for_calls", N_("text where calls are due: {names}")
    NOT_OFFERED = "not_offered", N_("not offered: {names}")
    CALLS_FOR_REPLY = "calls_for_reply", N_("calls where only a reply is due: {names}")
    CALLS_FOR_QUESTION = "calls_for_question", N_("calls where a question is due: {names}")
    TOO_EARLY = "too_early", N_("called before what it needs: {names}")
    TOO_EARLY_IN_STEP = "too_early_in_step", N_("called before what it needs: a call of the step")
    NOT_IN_ANSWER = "not_in_answer", N_("no part of the answer: {names}")
    TOO_OFTEN = "too_often", N_("called too often: {names}")
    RUN_ENDS = "run_ends", N_("the recorded run ends before the task is done")
    OF_ANOTHER_CALL = "of_another_call", N_("arguments of another annotated call, given before")

    # annotations of what else is right
    CALLS_FOR_UNSERVABLE = "calls_for_unservable", N_("calls where no tool can serve the request: {names}")
    NOT_ACCEPTED = "not_accepted", N_("none of the accepted values")
    TIME_DIFFERS = "time_differs", N_("another time than annotated")
    DATE_DIFFERS = "date_differs", N_("another date than annotated")
    DATETIME_DIFFERS = "datetime_differs", N_("another date and time than annotated")
    NUMBER_DIFFERS = "number_differs", N_("another number than annotated")

    # texts that are alike and say something else (`exact`); here: what the call says, there: the annotation
    LITERAL_DIFFERS = "literal_differs", N_("a number, date or time in the text differs: [{here}], annotated [{there}]")
    NEGATION_DIFFERS = "negation_differs", N_("the text has a negation too many or too few")
    IDENTIFIER_DIFFERS = "identifier_differs", N_("an identifier in the text differs: [{here}], annotated [{there}]")
    OPERATOR_DIFFERS = "operator_differs", N_("an operator in the text differs: [{here}], annotated [{there}]")

    # of wrong texts where all wrong arguments are told
    EDIT_BELOW = "edit_below", N_("edit ratio {score} < {mark}")
    ROUGE_BELOW = "rouge_below", N_("ROUGE-L {score} < {mark}")

    # the released evaluator of WildToolBench
    NOT_JSON = "not_json", "error: args invalid json format", N_("the arguments are not JSON")
    SCHEMA_TYPE = "schema_type", "error_schema: args type inconsistent", N_("not of the declared type")
    SCHEMA_TYPE_NESTED = (
        "schema_type_nested",
        "error_schema: nested args type inconsistent",
        N_("not of the declared type"),
    )
    SCHEMA_CHOICE = "schema_choice", "error_schema: args value not in enum", N_("none of the declared choices")
    SCHEMA_CHOICE_NESTED = (
        "schema_choice_nested",
        "error_schema: nested args value not in enum",
        N_("none of the declared choices"),
    )
    SCHEMA_REQUIRED = "schema_required", "error_schema: required args missing", N_("a required parameter is missing")
    SCHEMA_REQUIRED_NESTED = (
        "schema_required_nested",
        "error_schema: required nested args missing",
        N_("a required member is missing"),
    )
    SCHEMA_UNDEFINED = "schema_undefined", "error_schema: args not defined", N_("the tool has no such parameter")
    SCHEMA_UNDEFINED_NESTED = (
        "schema_undefined_nested",
        "error_schema: nested args not defined",
        N_("the object has no such member"),
    )
    KEYS_MISSING = (
        "keys_missing",
        "error_match: args keys mismatch{where} (missing: {missing})",
        N_("an annotated parameter is left out"),
    )
    KEYS_EXTRA = (
        "keys_extra",
        "error_match: args keys mismatch{where} (extra: {extra})",
        N_("a parameter that is not annotated"),
    )
    KEYS_DIFFER = (
        "keys_differ",
        "error_match: args keys mismatch{where} (missing: {missing}, extra: {extra})",
        N_("other parameters than annotated"),
    )
    TYPE_DIFFERS = "type_differs", "error_match: value type inconsistent{where}", N_("another type than annotated")
    VALUE_DIFFERS = "value_differs", "error_match: value mismatch{where}", N_("another value than annotated")
    LENGTH_DIFFERS = (
        "length_differs",
        "error_match: array length mismatch{where}",
        N_("another number of elements than annotated"),
    )
    LETTERS_DIFFER = (
        "letters_differ",
        "error_match: string similarity too low{where} (edit score: {score})",
        N_("a text unlike the annotated one"),
    )
    WORDS_DIFFER = (
        "words_differ",
        "error_match: string similarity too low{where} (rouge score: {score})",
        N_("a text unlike the annotated one"),
    )
    WORDS_UNMEASURED = (
        "words_unmeasured",
        "error_match: rouge calculation failed{where}",
        N_("a text that cannot be compared"),
    )
