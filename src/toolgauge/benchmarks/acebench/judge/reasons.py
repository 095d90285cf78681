"""Why an entry is wrong, as codes with their texts. Outputs that hold no calls have the decoder's (`RefusalCode`)."""

from __future__ import annotations

from toolgauge.reasons import N_, ReasonCode


class AceCode(ReasonCode):
    """What the checkers find; {given} and {expected} are values as Python writes them, or numbers of things."""

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
