"""The planner: decides what is to be done now."""

from __future__ import annotations

from toolgauge.annotation.dialogue import Action, Decision, Speaker
from toolgauge.chat import Json, Reply
from toolgauge.generation.agents.announcements import announcements
from toolgauge.generation.agents.messages import requested, tools_as_text
from toolgauge.generation.agents.reading import (
    MOST_CHARACTERS,
    Unreadable,
    field,
    json_found,
    object_in,
    text_of,
    writable,
)
from toolgauge.generation.agents.reasoning import without_reasoning
from toolgauge.generation.prompts import filled, prompt
from toolgauge.generation.pseudo import normal_arguments, pseudo_tools
from toolgauge.generation.state import AgentRequest, AgentView

MOST_ACTIONS = 50
KEYS = ("Thought", "Plan", "Action_List")
"""By which a decision is told from other objects."""


def plan(view: AgentView) -> AgentRequest:
    """What does the planner do now?"""
    tools = tools_as_text((*view.tools, *pseudo_tools(view.language)))
    system = filled("planner", view.language, tools=tools, moment=view.clock)
    messages = requested(system, view, (Speaker.PLANNER,), prompt("switch_planner", view.language))
    return AgentRequest("planner", "planner", messages)


def text_said(reply: Reply) -> str:
    """The text of the entry of a reply from which nothing could be read: what follows the reasoning and a speaker's
    name, bounded."""
    text = writable((without_reasoning(reply).content or "")[:MOST_CHARACTERS]).strip()
    found = announcements(text)
    return text[found[0].end :].strip() if found and not found[0].start else text


def read_decision(reply: Reply) -> Decision:
    """The decision in a reply; raises Unreadable where a key is missing or of another kind."""
    return read_planner(reply)[0]


def read_planner(reply: Reply) -> tuple[Decision, str]:
    """The decision in a reply, and its text: the JSON block alone, without the prose around it. Raises Unreadable."""
    found = json_found(text_of(reply), *KEYS)
    finished = field(found.value, "Task_Finish", "Mission_Finish")
    actions = field(found.value, "Action_List")
    listed = [actions] if isinstance(actions, dict) else actions
    if not isinstance(listed, list) or len(listed) > MOST_ACTIONS:
        raise Unreadable("not_list", key="Action_List", most=MOST_ACTIONS)
    thought, planned = _text(found.value, "Thought"), _text(found.value, "Plan")
    is_finished = finished is True or str(finished).strip().casefold() == "yes"
    decision = Decision(is_finished, thought, planned, tuple(_action(action) for action in listed))
    is_plain = listed is actions and all("name" in one and isinstance(one.get("arguments"), dict) for one in listed)
    return decision, found.text(None if is_plain else found.value | {"Action_List": _plain(decision)})


def _plain(decision: Decision) -> list[Json]:
    """The actions in the form that the prompt asks for."""
    return [
        {"name": one.name, "arguments": one.arguments, "tool_call_purpose": one.purpose} for one in decision.actions
    ]


def _action(value: object) -> Action:
    """An action, also in the form of OpenAI's calls, and with its arguments as JSON text."""
    if not isinstance(value, dict):
        raise Unreadable("no_action")
    inner = value.get("function")
    call = inner if isinstance(inner, dict) else value
    try:
        name, arguments = field(call, "name"), object_in(field(call, "arguments", "parameters"))
    except Unreadable:
        raise Unreadable("no_action") from None
    if not isinstance(name, str) or not isinstance(arguments, dict | None):
        raise Unreadable("no_action")
    purpose = value.get("tool_call_purpose")
    return Action(name, normal_arguments(name, arguments or {}), purpose if isinstance(purpose, str) else "")


def _text(value: dict[str, object], name: str) -> str:
    text = field(value, name)
    if not isinstance(text, str):
        raise Unreadable("not_text", key=name)
    return text
