"""The taxonomy of mistakes. The procedure that assigns a class stands in causes.py."""

from __future__ import annotations

from enum import StrEnum

from toolgauge.models.endings import Unfinished


class Mistake(StrEnum):
    """Why a task failed. Replies that are unfinished (models/endings.py) first, then action mistakes, argument mistakes
    from BAD_JSON on."""

    TRUNCATED = Unfinished.TRUNCATED.value
    FILTERED = Unfinished.FILTERED.value
    ONLY_REASONING = Unfinished.ONLY_REASONING.value
    EMPTY_OUTPUT = "empty_output"
    MALFORMED_CALL = "malformed_call"
    UNKNOWN_TOOL = "unknown_tool"
    REFUSAL = "refusal"
    NEEDLESS_TOOL = "needless_tool"
    MISSED_CLARIFICATION = "missed_clarification"
    EARLY_TERMINATION = "early_termination"
    ORDER_VIOLATION = "order_violation"
    WRONG_TOOL = "wrong_tool"
    REDUNDANT_CALL = "redundant_call"
    BAD_JSON = "bad_json"
    MISSING_REQUIRED = "missing_required"
    UNDEFINED_PARAM = "undefined_param"
    WRONG_TYPE = "wrong_type"
    EXTRA_VALUE = "extra_value"
    MISSING_VALUE = "missing_value"
    WRONG_VALUE = "wrong_value"


AGENT_ERROR = "agent_error"
"""In place of the mistake of a task in which the agent under test failed: what it raises is no mistake of a model, so
this is no member of `Mistake`, and tables have a row for it only where it occurs."""
AGENT_WITHOUT_TOOLS = "agent_without_tools"
"""The same of an agent that neither listed nor called the tools of its conversation: whatever is wrong with its reply
follows from that."""
UNCLASSIFIED = "unclassified"
"""In place of the mistake of a failed task that has none."""
COUNTED_WRONG = "counted_wrong"
"""In place of the mistake of a task that is right by `exact`, and wrong as a published evaluator counts."""
ARGUMENT_MISTAKES = frozenset(list(Mistake)[list(Mistake).index(Mistake.BAD_JSON) :])
"""Mistakes in what a call says; all others are mistakes in which call is made, and when."""
