"""What the filters of the generation have against a session, in the words of its reviewer: what is odd, and where.

The agents are told the same findings otherwise, as demands (generation/prompts/objections.*.json).
"""

from __future__ import annotations

from toolgauge.generation.formats.outcomes import DUPLICATES
from toolgauge.generation.judging import Evidence
from toolgauge.locale import Text, _

_REASONS: dict[str, Text] = {
    "path": _("a task turned out to be of another type"),
    "hallucinated_function": _("an unknown tool was called"),
    "hallucinated_parameter": _("a call has an unknown parameter"),
    "types": _("a value has the wrong type"),
    "schema": _("a call violates its tool's schema"),
    "redundant_calls": _("a call is redundant"),
    "provenance": _("a value has no source"),
    "clarify_lacks": _("the assistant asked for something already said"),
    "chat_needs_no_tool": _("small talk asked for something a tool does"),
    "language": _("a text is in another language"),
    "length": _("a text or task is too long or empty"),
    "clean_text": _("a message contains something nobody would say"),
    "multi_turn": _("a later task does not depend on the dialogue"),
    DUPLICATES: _("it is too similar to another dialogue"),
    "turn_cap": _("a task did not finish"),
    "unfinished": _("the dialogue is incomplete"),
}
"""Why a dialogue was rejected, by the name under which it is counted (generation/attempts.py)."""
_SAID: dict[str, Text] = {
    "path": _("this task is {value} instead of {wanted}"),
    "hallucinated_function": _("unknown tool {value}"),
    "hallucinated_parameter": _("the question asks for {value}, which is not a parameter of {path}"),
    "hallucinated_parameter_additionalProperties": _("{tool}: unknown parameters at {path}: {value}"),
    "types": _("{tool}: {value} at {path} has the wrong type"),
    "schema": _("{tool}: {value} at {path} violates the schema ({rule})"),
    "schema_required": _("{tool}: required parameters missing at {path}: {value}"),
    "redundant_calls_again": _("repeats call {call} of task {task}, and nothing has changed since"),
    "redundant_calls_covered_by": _("call {call} of this task already returns this and more"),
    "provenance": _("{path} of {tool} has no source: {value} was not said and is in no result"),
    "clarify_lacks": _("the assistant asks for {path}, which the user has already given: “{quote}”"),
    "chat_needs_no_tool": _("this task should be small talk but uses tools"),
    "chat_needs_no_tool_quote": _("“{quote}” asks for something {tool} does; small talk must not need a tool"),
    "language": _("{where}: “{value}” is not in the dialogue's language"),
    "length_entry": _("{where}: {value} characters, at most {most} allowed"),
    "length_empty": _("{where}: empty"),
    "length_calls": _("{value} tool calls in one task, at most {most} allowed"),
    "length_questions": _("{value} questions in one task, at most {most} allowed"),
    "length_turns": _("{value} planner decisions in one task, at most {most} allowed"),
    "clean_text": _("{where}: nobody would say “{value}”"),
    "multi_turn": _("this task does not depend on the dialogue: alone it leads to the same calls"),
}
"""By filter; where it finds several things, by what its evidence has: the rule that is broken, the path, a part."""
_PLACES: dict[str, Text] = {
    "user": _("user message"),
    "agent": _("assistant message"),
    "thought": _("planner thought"),
    "plan": _("planner plan"),
}
_VALUES = ("value", "wanted", "tool", "quote", "rule", "most")


def reason_text(reason: str) -> Text:
    """Why a dialogue was rejected: the fault, or the agent that gave nothing usable."""
    return _REASONS.get(reason.removeprefix("gate:")) or _("no usable reply from the {agent}", agent=reason)


def objection_text(gate: str, evidence: Evidence) -> Text:
    """What a filter has against a part of a session."""
    path, most, value = (evidence.get(name) for name in ("path", "most", "value"))
    is_empty = isinstance(most, int) and isinstance(value, int) and value <= most
    parts = ["empty"] if is_empty else [evidence.get("rule"), path, *evidence]
    said = next((_SAID[key] for part in parts if (key := f"{gate}_{part}") in _SAID), _SAID.get(gate))
    if said is None:
        return reason_text(gate)
    again, covered = evidence.get("again"), evidence.get("covered_by")
    before = again if isinstance(again, dict) else {"call": covered}
    return said.filled(
        **{name: str(evidence.get(name, "")) for name in _VALUES},
        path=str(path) if path else _("the arguments"),
        where=_PLACES.get(str(path)) or _("a result"),
        task=_counted(before.get("task")),
        call=_counted(before.get("call")),
    )


def _counted(position: object) -> int:
    """A position as people count."""
    return position + 1 if isinstance(position, int) else 0
