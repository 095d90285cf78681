"""Why something in a reply's text that looks like a call was not read as one, as codes."""

from __future__ import annotations

from toolgauge.reasons import N_, ReasonCode


class CallProblem(ReasonCode):
    """What was found where a call should be; written as `problem` of a recorded reply."""

    CUT_OFF = "cut_off", N_("a call has no end")
    BROKEN_JSON = "broken_json", N_("the JSON of a call is broken")
    BROKEN_LIST = "broken_list", N_("a list of calls cannot be read")
    NO_JSON = "no_json", N_("no JSON where a call is announced")
    NO_CALL = "no_call", N_("an object that is no call: it needs a name and an object of arguments")
    UNWRITTEN = "unwritten", N_("no name and arguments where a call is announced")
    NO_VALUE = "no_value", N_("no name and value of an argument where one is announced")
    POSITIONAL = "positional", N_("an argument without its name")
    LONG_NUMBER = "long_number", N_("a number of too many digits")
    TOO_DEEP = "too_deep_call", N_("arguments nested too deeply")
    PROVIDER = "unread_by_provider", N_("its provider could not read it")
    LEFT_IN_TEXT = "left_in_text", N_("its server left the call in the text")
    LEFT_IN_REASONING = "left_in_reasoning", N_("its server left the call in the reasoning")
    LEFT_IN_CHOICE = "left_in_choice", N_("its server put the call into another choice")
    LEFT_IN_FIELD = "left_in_field", N_("its server put the call into the old field function_call")
    ANNOUNCED = "announced", N_("its server announced a call and sent none")
    MARKED_NAME = "marked_name", N_("its server left marks in the name of the tool")
    TOO_MANY = "too_many_calls", N_("more calls than are read from one reply")
    TOO_BROKEN = "too_broken", N_("too much of the text is broken JSON")
    TOO_LONG = "too_long_text", N_("a text too long to be read for calls")
    UNFINISHED_THINKING = "unfinished_thinking", N_("the thinking has no end")

    @property
    def of_a_call(self) -> bool:
        """Whether a call was recognised and could not be read; otherwise a bound of the reading was met, reasoning
        never ended, or the server is at fault."""
        return self not in _OF_NO_CALL and not self.of_the_server

    @property
    def of_the_server(self) -> bool:
        """Whether a server that was to parse calls did not hand one on as a call."""
        return self in OF_THE_SERVER


_OF_NO_CALL = (CallProblem.TOO_MANY, CallProblem.TOO_BROKEN, CallProblem.TOO_LONG, CallProblem.UNFINISHED_THINKING)
OF_THE_SERVER = (
    CallProblem.LEFT_IN_TEXT,
    CallProblem.LEFT_IN_REASONING,
    CallProblem.LEFT_IN_CHOICE,
    CallProblem.LEFT_IN_FIELD,
    CallProblem.ANNOUNCED,
    CallProblem.MARKED_NAME,
)


class UnreadCall(ValueError):
    """A call that cannot be read."""

    def __init__(self, problem: CallProblem) -> None:
        super().__init__(problem.text)
        self.problem = problem
