"""Why a text is not read as a list of calls, as codes: the kind of refusal, and where a kind has several, which."""

from __future__ import annotations

from toolgauge.reasons import N_, Parameter, Reason, ReasonCode


class RefusalCode(ReasonCode):
    """The English texts begin with the kind, as ACEBench's verdicts have them."""

    NOT_TEXT = "not_text", N_("not_text: {kind} is no text")
    NO_LIST = "no_list", N_("no_list: no complete bracket list")
    NOT_A_LIST = "not_a_list", N_("not_a_list: {kind} is no list of calls")
    NOT_A_CALL = "not_a_call", N_("not_a_call: {kind} stands where a call is expected")
    REPEATED_KEYWORD = "repeated_keyword", N_("repeated_keyword: {name} is given more than once")
    SYNTAX = "syntax", N_("syntax: no Python expression")
    OPEN_STRING = "syntax.open_string", N_("syntax: a string is not closed")
    OPEN_BRACKET = "syntax.open_bracket", N_("syntax: {bracket} is not closed")
    STRAY_BRACKET = "syntax.stray_bracket", N_("syntax: {bracket} closes nothing")
    TOO_DEEP = "too_deep", N_("too_deep: nested too deeply to be parsed")
    DEEP_BRACKETS = "too_deep.brackets", N_("too_deep: more than {count} brackets inside one another")
    LONG_CHAIN = "too_deep.chain", N_("too_deep: more than {count} words and operators without a comma")
    TOO_LONG = "too_long", N_("too_long: {length} characters, at most {most} are read")
    BIG_NUMBER = "too_big.number", N_("too_big: a whole number of more than {count} bits")
    BIG_TEXT = "too_big.text", N_("too_big: a text of more than {count} characters")
    LONG_NUMBER = "too_big.digits", N_("too_big: a number too long to be written out")
    NO_VALUE = "value", N_("value: {kind} is no value")
    FORMATTED_STRING = "value.formatted_string", N_("value: a formatted string is no value")
    LAMBDA = "value.lambda", N_("value: a lambda is no value")
    BAD_KEY = "value.key", N_("value: a list or object as a key")
    SIGNED_NOTHING = "value.signed", N_("value: a sign before something that is no number")
    NO_SIGN = "value.sign", N_("value: {kind} is no sign of a number")
    UNPACKING = "value.unpacking", N_("value: ** inside an object")
    NOT_COMPUTED = "value.arithmetic", N_("value: cannot be computed: {why}")
    NO_ARGUMENT = "value.argument", N_("value: {kind} cannot be an argument of a message")
    NO_LITERALS = "value.literals", N_("value: {kind} cannot be computed from literals")
    NO_OPERATION = "value.operation", N_("value: {kind} of these literals is not computed")

    @property
    def kind(self) -> str:
        """not_text, no_list, not_a_list (another expression), not_a_call (an element), value (an argument that is
        none), repeated_keyword, syntax, too_long, too_deep or too_big."""
        return self.value.partition(".")[0]


class Refused(Exception):
    """A text that is not read as calls."""

    def __init__(self, code: RefusalCode, **parameters: Parameter) -> None:
        super().__init__(code, parameters)
        self.why = Reason(code, parameters)
