"""What the filters of the generation have against a session, in the words of its reviewer: what is odd, and where.

The agents are told the same findings otherwise, as demands (generation/prompts/objections.*.json).
"""

from __future__ import annotations

from toolgauge.generation.formats.outcomes import DUPLICATES
from toolgauge.generation.judging import Evidence
from toolgauge.locale import Text, _

_REASONS: dict[str, Text] = {
    "path": _("a task became one of another kind"),
    "hallucinated_function": _("a tool was called that there is none of"),
    "hallucinated_parameter": _("a call has a parameter that its tool does not have"),
    "types": _("a value is of another type than the tool declares"),
    "schema": _("a call does not fit what the tool declares"),
    "redundant_calls": _("a call was made for nothing"),
    "provenance": _("a value comes from nowhere"),
    "clarify_lacks": _("the assistant asked for what had been said"),
    "chat_needs_no_tool": _("small talk asked for what a tool does"),
    "language": _("something was said in another language"),
    "length": _("a text or a task was too long, or empty"),
    "clean_text": _("a message holds what nobody says"),
    "multi_turn": _("a later task is understood without the dialogue"),
    DUPLICATES: _("it is much like another dialogue"),
    "turn_cap": _("a task did not come to an end"),
    "unfinished": _("the dialogue is not whole"),
}
"""Why a dialogue was rejected, by the name under which it is counted (generation/attempts.py)."""
_SAID: dict[str, Text] = {
    "path": _("this task is {value}, and was to be {wanted}"),
    "hallucinated_function": _("there is no tool {value}"),
    "hallucinated_parameter": _("the question asks for {value}, which {path} does not have"),
    "hallucinated_parameter_additionalProperties": _("{tool} does not have all that it is given at {path}: {value}"),
    "types": _("{tool}: {value} at {path} is of another type than the tool declares"),
    "schema": _("{tool}: {value} at {path} does not fit what the tool declares ({rule})"),
    "schema_required": _("{tool}: something that it requires is missing at {path}: {value}"),
    "redundant_calls_again": _("call {call} of task {task} asked the same, and nothing has changed since"),
    "redundant_calls_covered_by": _("call {call} of this task tells the same and more"),
    "provenance": _("nobody said {value}, and no result has it: {path} of {tool} comes from nowhere"),
    "clarify_lacks": _("the assistant asks for {path}, though the user had said it: “{quote}”"),
    "chat_needs_no_tool": _("this task was to be small talk, and takes tools"),
    "chat_needs_no_tool_quote": _("“{quote}” asks for what {tool} does; small talk needs no tool"),
    "language": _("{where}: “{value}” is in another language than the dialogue"),
    "length_entry": _("{where}: {value} characters; {most} are the most"),
    "length_empty": _("{where}: nothing is said"),
    "length_calls": _("{value} calls of tools in one task; {most} are the most"),
    "length_questions": _("{value} questions in one task; {most} are the most"),
    "length_turns": _("{value} decisions of the planner in one task; {most} are the most"),
    "clean_text": _("{where}: “{value}” is nothing that anybody says"),
    "multi_turn": _("who hears this task alone does the same; it does not need the dialogue before it"),
}
"""By filter; where it finds several things, by what its evidence has: the rule that is broken, the path, a part."""
_PLACES: dict[str, Text] = {
    "user": _("the user's words"),
    "agent": _("the assistant's words"),
    "thought": _("the planner's thought"),
    "plan": _("the planner's plan"),
}
_VALUES = ("value", "wanted", "tool", "quote", "rule", "most")


def reason_text(reason: str) -> Text:
    """Why a dialogue was rejected: the fault, or the agent that gave nothing usable."""
    return _REASONS.get(reason.removeprefix("gate:")) or _("nothing usable came from the {agent}", agent=reason)


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
        path=str(path) if path else _("its arguments"),
        where=_PLACES.get(str(path)) or _("a result"),
        task=_counted(before.get("task")),
        call=_counted(before.get("call")),
    )


def _counted(position: object) -> int:
    """A position as people count."""
    return position + 1 if isinstance(position, int) else 0
