"""Every fault that scripted agents make on request, and what catches it."""

from __future__ import annotations

from msgspec import Struct


class ScriptedFault(Struct, frozen=True):
    """A fault and what catches it.

    role: who makes it; does: what it is; reason: why a dialogue in which it is made again and again is rejected
    (`Rejected.reason`); rule: the validator, or the filter (gate:...), that objects to the try; also: those that
    object as well. taken_back: it shows only later, and the task is made again from the user's message on.
    """

    role: str
    does: str
    reason: str
    rule: str = ""
    also: tuple[str, ...] = ()
    taken_back: bool = False


def _ruled(rule: str, does: str, *also: str) -> ScriptedFault:
    return ScriptedFault("planner", does, "planner", rule, also)


def _judged(gate: str, does: str, *also: str) -> ScriptedFault:
    return ScriptedFault("planner", does, f"gate:{gate}", f"gate:{gate}", also)


FAULTS: dict[str, ScriptedFault] = {
    "no_json": _ruled("parsable", "a reply without a decision"),
    "timestamp_talk": _ruled("timestamp", "no decision, but talk of a timestamp", "parsable"),
    "empty_decision": _ruled("parsable", "an empty reply"),
    "thought_simulates": _ruled("thought_simulates", "the thought speaks of simulating"),
    "plan_simulates": _ruled("plan_simulates", "the plan speaks of simulating"),
    "thought_names_checker": _ruled("thought_names_checker", "the thought mentions the checker"),
    "plan_names_checker": _ruled("plan_names_checker", "the plan mentions the checker"),
    "thought_names_ask": _ruled("thought_names_ask", "the thought names the asking action"),
    "plan_names_ask": _ruled("plan_names_ask", "the plan names the asking action"),
    "thought_names_final": _ruled("thought_names_final", "the thought names the closing action"),
    "plan_names_final": _ruled("plan_names_final", "the plan names the closing action"),
    "no_actions": _ruled("no_actions", "an empty list of actions"),
    "unknown_tool": _ruled("unknown_action", "a call of a tool that is not offered"),
    "unknown_parameter": _ruled("unknown_argument", "an argument that the tool does not have"),
    "empty_value": _ruled("empty_required", "an empty text for something required"),
    "missing_value": _ruled("missing_required", "a call without something required"),
    "ask_and_call": _ruled("ask_not_alone", "a question and a call at once"),
    "ask_for_unknown_tool": _ruled("ask_unknown_tool", "a question about a tool that is not offered"),
    "ask_for_optional": _ruled("ask_not_required", "a question about something that is not required"),
    "answer_and_call": _ruled("final_not_alone", "the closing action together with a call"),
    "wrong_answer_type": _ruled("answer_type", "a kind of answer that does not exist", "schema"),
    "chat_after_result": _ruled("chat_after_result", "small talk right after a result"),
    "announced_in_a_row": _ruled("serial_same_tool", "calls announced one by one and made together"),
    "wrong_type": _ruled("schema", "a value of another type"),
    "same_call_twice": _ruled("duplicate_action", "the same call twice at once"),
    "placeholder": _ruled("future_result", "words that stand for a result to come"),
    "together_too_soon": _judged("provenance", "a call together with the one whose result it needs", "parallelism"),
    "one_by_one": _ruled("parallelism", "independent calls one after the other"),
    "invented_value": _judged("provenance", "a value that nobody gave"),
    "invented_number": _judged("provenance", "a small number that nobody gave"),
    "invented_time": _judged("provenance", "a time of day that nobody gave"),
    "redundant_call": _judged("redundant_calls", "a call once more"),
    "nested_parameter": _judged("hallucinated_parameter", "a key inside an argument that it does not have"),
    "tool_in_chat": ScriptedFault("planner", "a call where nothing was to be called", "path", taken_back=True),
    "gives_up": ScriptedFault("planner", "an answer without the calls", "path", taken_back=True),
    "too_few_results": ScriptedFault("tool", "a result less than calls", "tool", "observation_count"),
    "no_status": ScriptedFault("tool", "a result without a status", "tool", "observation_status"),
    "empty_result": ScriptedFault("tool", "an empty result", "tool", "observation_empty"),
    "unreadable_result": ScriptedFault("tool", "results in prose", "tool", "parsable"),
    "unreadable_verdict": ScriptedFault("checker", "a verdict that says neither yes nor no", "checker"),
    "groundless_objection": ScriptedFault("checker", "an objection to calls that are right", "planner", "parallelism"),
    "empty_words": ScriptedFault("agent", "nothing said to the user", "agent"),
    "wrong_language": ScriptedFault("agent", "an answer in the other language", "gate:language"),
    "empty_task": ScriptedFault("user", "nothing wanted", "user"),
    "endless_task": ScriptedFault("user", "the same task over and over", "user"),
    "complete_request": ScriptedFault(
        "user", "a request that lacks nothing, where something was to be asked", "gate:clarify_lacks", taken_back=True
    ),
    "tool_request_in_chat": ScriptedFault(
        "user", "what a tool is for, where talk was wanted", "gate:chat_needs_no_tool"
    ),
    "self_contained": ScriptedFault("user", "a later task that needs no dialogue", "gate:multi_turn", taken_back=True),
}
"""By name: what `builtin/noisy?only=NAME` makes. Filters that are missing here have a validator of the same aim."""
