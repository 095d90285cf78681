"""What each part of a request to the user agent claims about the message that it asks for, and which claims contradict.

A new part needs its claims here; `test_user_requests.py` looks for contradictions in every request that can be drawn.
"""

from __future__ import annotations

from toolgauge.annotation.dialogue import PlannedTask
from toolgauge.generation.agents.patterns import PATTERNS, Again
from toolgauge.generation.occasions import Occasion

SAYS_ALL = "every required value is in the words"
SAYS_NEW = "what is required is in the words, in the conversation or follows from it"
LACKS = "a required value is nowhere"
NO_CALL, ONE_CALL, SEVERAL = "no call", "one call", "several calls"
IN_TURN, AT_ONCE, MIXED = "one call after another", "all calls at once", "some calls at once"
ALONE, LEANS = "can be understood alone", "cannot be understood alone"
FEW_WORDS = "may be a few words"
WHOLE, INCOMPLETE = "a whole sentence", "an incomplete sentence"
ANY_SPEAKER, ONE_SPEAKER = "another speaker each time", "the speaker of the setting"
OF_LAST, OF_EARLIER = "about the last task or reply", "about an earlier task"
OF_LIST, OF_THREE = "about items of a list", "about the last but one of a list"
AGAIN, TALKED = "what was done is done again", "about an explanation"
SHORTENED, EXTENDED, OF_NAME = "of a long reply", "of results that go on", "of a name in the last reply"

NO_LIST, SHORT_LIST = "the last reply holds no list", "the last reply holds a list of two"
SHORT_REPLY, NO_MORE = "the last reply is short", "the last call has nothing more to give"
NO_NAME = "the last reply holds no name"
LAST_TALK, LAST_CALLS, ONLY_ONE = "the last task was talk", "the last task had calls", "there is one earlier task"

CLAIMS: dict[str, set[str]] = {
    "user_first_task": {ALONE},
    "user_single_tool": {SAYS_ALL, ONE_CALL},
    "user_ask": {LACKS, ONE_CALL},
    "user_chat": {NO_CALL},
    "user_multi_tool": {SAYS_ALL, SEVERAL, IN_TURN},
    "user_multi_tool_parallel": {SAYS_ALL, SEVERAL, AT_ONCE},
    "user_multi_tool_serial_parallel": {SAYS_ALL, SEVERAL, MIXED},
    "user_form": set(),
    "user_form_plan": {SEVERAL},
    "background_free": {ANY_SPEAKER},
    "background_setting": {ONE_SPEAKER},
    "scenario": {ONE_SPEAKER},
    "length_complete": {WHOLE},
    "length_incomplete": {FEW_WORDS},
    "length_free": {FEW_WORDS},
    "difficulty_values": set(),
    "difficulty_vague": {LACKS},
    "difficulty_calls": {SEVERAL},
    "difficulty_talk": {NO_CALL},
    "user_continue_question": {LEANS},
    "kind_single": {ONE_CALL, SAYS_NEW},
    "kind_multi": {SEVERAL, SAYS_NEW},
    "kind_clarify": {ONE_CALL, LACKS},
    "askable": {LACKS},
    "kind_chat": {NO_CALL},
    "shape_sequential_tools": {SEVERAL, IN_TURN},
    "shape_parallel_tools": {SEVERAL, AT_ONCE},
    "shape_mixed_tools": {SEVERAL, MIXED},
    "reference_first_turn": {ALONE},
    "reference_partial_information": {LEANS, INCOMPLETE, OF_LAST},
    "reference_coreference": {LEANS, WHOLE, OF_LAST},
    "reference_long_range": {LEANS, OF_EARLIER},
    "pattern_ordinal_from_front": {WHOLE, OF_LAST, OF_LIST},
    "pattern_ordinal_from_back": {WHOLE, OF_LAST, OF_LIST, OF_THREE},
    "pattern_which_of_them": {WHOLE, OF_LAST, OF_LIST},
    "pattern_abbreviation": {WHOLE, OF_LAST, OF_NAME},
    "pattern_description": {WHOLE, OF_LAST},
    "pattern_personal_pronoun": {WHOLE, OF_LAST},
    "pattern_demonstrative_pronoun": {WHOLE, OF_LAST},
    "pattern_omit_subject": {INCOMPLETE, OF_LAST},
    "pattern_omit_attribute": {INCOMPLETE, OF_LAST, AGAIN},
    "pattern_omit_modifier": {INCOMPLETE, OF_LAST, AGAIN},
    "pattern_omit_several": {INCOMPLETE, OF_LAST, AGAIN},
    "pattern_add_subject": {INCOMPLETE, OF_LAST, AGAIN},
    "pattern_add_modifier": {INCOMPLETE, OF_LAST, AGAIN},
    "pattern_correct_a_part": {INCOMPLETE, OF_LAST, AGAIN},
    "pattern_repeat_with_change": {INCOMPLETE, OF_LAST, AGAIN},
    "pattern_more": {INCOMPLETE, OF_LAST, EXTENDED},
    "pattern_more_detail": {INCOMPLETE, OF_LAST},
    "pattern_shorter": {INCOMPLETE, OF_LAST, SHORTENED, NO_CALL},
    "pattern_an_example": {INCOMPLETE, OF_LAST, TALKED, NO_CALL},
    "pattern_go_on": {INCOMPLETE, OF_LAST},
    "pattern_neighbouring_topic": {INCOMPLETE, OF_LAST},
    "pattern_earlier_topic": {OF_EARLIER},
}
"""The parts by the names of their prompts and texts."""

CONTRADICTIONS: tuple[tuple[str, str], ...] = (
    (SAYS_ALL, FEW_WORDS), (SAYS_ALL, LACKS), (SAYS_ALL, LEANS), (SAYS_NEW, LACKS),
    (NO_CALL, ONE_CALL), (NO_CALL, SEVERAL), (NO_CALL, LACKS), (NO_CALL, AGAIN), (ONE_CALL, SEVERAL),
    (IN_TURN, AT_ONCE), (IN_TURN, MIXED), (AT_ONCE, MIXED),
    (ALONE, LEANS), (WHOLE, INCOMPLETE), (ANY_SPEAKER, ONE_SPEAKER), (OF_LAST, OF_EARLIER),
    (OF_LIST, NO_LIST), (OF_THREE, SHORT_LIST), (OF_EARLIER, ONLY_ONE), (AGAIN, LAST_TALK), (TALKED, LAST_CALLS),
    (SHORTENED, SHORT_REPLY), (EXTENDED, NO_MORE), (OF_NAME, NO_NAME),
)  # fmt: skip


def contradictions(claims: set[str]) -> list[tuple[str, str]]:
    return [pair for pair in CONTRADICTIONS if set(pair) <= claims]


def given(occasion: Occasion, task: PlannedTask) -> set[str]:
    """What the dialogue so far makes of a task: claims that hold whatever is asked for."""
    last = occasion.tasks[-1]
    facts = {LAST_TALK if last.kind == "chat" else LAST_CALLS}
    facts |= {ONLY_ONE} if len(occasion.tasks) == 1 else set()
    facts |= {NO_LIST} if occasion.items < 2 else {SHORT_LIST} if occasion.items == 2 else set()
    facts |= set() if occasion.is_long else {SHORT_REPLY}
    facts |= set() if occasion.has_name else {NO_NAME}
    facts |= set() if occasion.has_more or task.kind == "chat" else {NO_MORE}
    return facts


def repeated(occasion: Occasion, task: PlannedTask) -> set[str]:
    """What follows for the calls of a task that is the last one done again."""
    pattern, last = PATTERNS[task.pattern or ""], occasion.tasks[-1]
    if pattern.again is None or last.kind == "chat":
        return set()
    if last.kind == "multi":
        return CLAIMS[f"shape_{last.shape}"]
    if pattern.again is Again.FOR_SEVERAL and task.kind == "multi":
        return {AT_ONCE}
    return {ONE_CALL}
