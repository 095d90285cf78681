"""The known errors of the published data, entry by entry.

Keys such as Q02: docs/acebench.md#scorings. What the released rules make of them:
docs/acebench.md#what-even-perfect-answers-cannot-pass.
"""

from __future__ import annotations

from toolgauge.benchmarks.acebench.data.categories import CATEGORIES

_Q02 = "expects text with blanks in a list inside an object, which the released multi-turn rule never matches (Q02)"
_EMPTY = "expects an empty list or object, which the released rule only accepts left out (Q13)"
_CLASS = "misspells a class in the final state, which the released rule then does not compare (Q23)"
_PATTERN = "expects Chinese text where the schema asks for Latin letters"
_LACKS = "expects an object without a field that its schema requires"
_MORE = "expects fields that the schema does not have"
_QUOTES = "has milestones with unescaped apostrophes, which are no calls"
_OLDEST = "has milestones that delete the oldest message where the question wants the latest"
_NO_LOGIN = "has milestones that lack a login"

_KNOWN = (
    ("zh", "normal_similar_api", "2 22", "expects a function whose name ends in a number, which is cut off (Q09)"),
    ("zh", "normal_atom_object_short", "1", "expects a call without a parameter that its schema requires"),
    ("en", "normal_single_turn_parallel_function", "42", _EMPTY),
    ("zh", "normal_single_turn_parallel_function", "45 80", _EMPTY),
    ("zh", "normal_atom_list", "28", _EMPTY),
    ("en", "normal_preference", "40", "expects a list whose schema does not say of what (Q14)"),
    ("en", "normal_preference", "38", "expects null for a text"),
    ("en", "normal_single_turn_parallel_function", "84", "expects an object for a list"),
    ("en", "special_error_param", "37", "expects a number that the dialogue says in words"),
    ("en", "normal_multi_turn_user_adjust", "3_0 4_0 13_0 14_0 15_0 15_2 16_0 24_0 29_0 38_0 43_0 45_0 48_0", _Q02),
    (
        "en",
        "normal_multi_turn_user_switch",
        "6_0 8_0 10_1 11_0 15_1 20_0 25_0 31_1 33_0 35_0 40_0 43_0 45_0 45_1",
        _Q02,
    ),
    ("zh", "normal_multi_turn_user_adjust", "3_0", _Q02),
    ("zh", "normal_multi_turn_user_switch", "32_0", _Q02),
    ("en zh", "agent_multi_turn", "7 9", _CLASS),
    ("en zh", "agent_multi_step", "0 1", _CLASS),
    ("zh", "agent_multi_turn", "12", "misspells BaseApi in its configuration, so that the defaults apply"),
    ("en zh", "agent_multi_turn", "28", "asks for four bags; the final state has three"),
    ("zh", "agent_multi_turn", "21", "names the outbound flight and asks for the return only"),
    ("zh", "agent_multi_turn", "26 27", "has a milestone of find_transfer_flights, which is not available"),
    ("en zh", "agent_multi_step", "12 13", _NO_LOGIN),
    ("en zh", "agent_multi_turn", "6", _NO_LOGIN),
    ("en zh", "agent_multi_step", "8 9", _NO_LOGIN),
    ("en", "agent_multi_step", "16", _NO_LOGIN),
    ("en zh", "agent_multi_step", "14 15 16 17", _OLDEST),
    ("en", "agent_multi_turn", "8 9 10 11 12 13 14 15", _QUOTES),
    ("en", "agent_multi_step", "0 1 4 5", _QUOTES),
    ("en", "agent_multi_step", "6 7 8 9", "has a question that lacks a closing quote"),
    # found by validating every answer against its schema
    ("en", "normal_single_turn_single_function", "85", _LACKS),
    ("en", "normal_single_turn_parallel_function", "68", _LACKS),
    ("en", "normal_atom_object_deep", "35", _LACKS),
    ("zh", "normal_atom_object_deep", "44", _LACKS),
    ("zh", "normal_single_turn_single_function", "93", _MORE),
    ("zh", "normal_atom_object_deep", "48", _MORE),
    ("en", "normal_single_turn_single_function", "50", "expects a time that is not among those allowed"),
    ("en", "normal_atom_object_deep", "14", "expects a list of names as one text, which is not among those allowed"),
    ("en", "normal_atom_object_deep", "25", "expects a year above the schema's maximum"),
    ("en", "normal_atom_object_deep", "28", "expects a span where the schema asks for a point in time"),
    ("en", "normal_single_turn_parallel_function", "22", "expects formulas that do not match the schema's pattern"),
    ("zh", "normal_atom_bool", "11 20 45", _PATTERN),
    ("zh", "normal_atom_number", "48", "describes a function twice"),
)
"""Languages, category, ends of the ids, and what the entries do."""


def _by_entry() -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for languages, category, ends, reason in _KNOWN:
        for language in languages.split():
            for end in ends.split():
                key = language, f"{category}_{end}"
                found[key] = f"{found[key]}; {reason}" if key in found else reason
    return found


KNOWN: dict[tuple[str, str], str] = _by_entry()
"""(language, id) -> what is wrong with the published entry, in words that follow its id."""


def known_errors(language: str, category: str) -> dict[str, str]:
    """The known errors of a category: id -> what is wrong."""
    ids = {entry_id: reason for (side, entry_id), reason in KNOWN.items() if side == language}
    return {
        entry_id: reason for entry_id, reason in ids.items() if entry_id.startswith(f"{CATEGORIES[category].name}_")
    }
