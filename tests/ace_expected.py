"""What the specification says of the published ACEBench entries: which of them even a perfect answer cannot pass."""

from __future__ import annotations

TURNS = {
    "en": {
        "normal_multi_turn_user_adjust": "3_0 4_0 13_0 14_0 15_0 15_2 16_0 24_0 29_0 38_0 43_0 45_0 48_0",
        "normal_multi_turn_user_switch": "6_0 8_0 10_1 11_0 15_1 20_0 25_0 31_1 33_0 35_0 40_0 43_0 45_0 45_1",
    },
    "zh": {"normal_multi_turn_user_adjust": "3_0", "normal_multi_turn_user_switch": "32_0"},
}
"""Turns that no answer with all arguments can get right in the released scoring (Q02 and section 10)."""
DATA_ERRORS = {
    "en": {"normal_single_turn_parallel_function_42", "normal_preference_40"},
    "zh": {
        "normal_similar_api_2",
        "normal_similar_api_22",
        "normal_atom_object_short_1",
        "normal_single_turn_parallel_function_45",
        "normal_single_turn_parallel_function_80",
        "normal_atom_list_28",
    },
}
"""Other entries whose literal answer the released scoring rejects (section 10)."""


def unanswerable(language: str) -> set[str]:
    """Ids of normal entries whose literal answer is wrong in the released scoring."""
    turns = {f"{category}_{turn}" for category, found in TURNS[language].items() for turn in found.split()}
    return turns | DATA_ERRORS[language]
