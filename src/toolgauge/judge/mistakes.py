"""The taxonomy of mistakes: one enum, the column names of both papers, and the two procedures that assign a class."""

from __future__ import annotations

from enum import StrEnum


class Mistake(StrEnum):
    """Why a task failed. Action mistakes first, argument mistakes from BAD_JSON on."""

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
