"""How real models write, by name: what `builtin/noisy?habits=` may be. The habits are made in demo/habits.py."""

from __future__ import annotations

from enum import StrEnum

ALL = "all"
"""Every habit at its own rate."""


class HabitName(StrEnum):
    """In the order in which they are applied."""

    CLOCK_WORDS = "clock_words"
    OPENER = "opener"
    NAME_SHAPE = "name_shape"
    QUOTES = "quotes"
    REMARK = "remark"
    NEXT_SPEAKER = "next_speaker"
    FENCE = "fence"
    LEAD_IN = "lead_in"
    TEXT_ARGUMENTS = "text_arguments"
    SINGLE_QUOTES = "single_quotes"
    PROSE = "prose"
    COMMAS = "commas"
    COMMENTS = "comments"
    WIDE_COLONS = "wide_colons"
    ANOTHER_OBJECT = "another_object"
    TEMPLATE_MARKS = "template_marks"
    THINK = "think"
    THINK_CLOSED = "think_closed"
    REASONING_FIELD = "reasoning_field"
    OUT_OF_ROLE = "out_of_role"
    BROKEN_OFF = "broken_off"
