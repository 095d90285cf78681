"""The planner: decides what is to be done now."""

from __future__ import annotations

from toolgauge.annotation.dialogue import Action, Decision, Speaker
from toolgauge.chat import Reply
from toolgauge.generation.agents.messages import requested, tools_as_text
from toolgauge.generation.agents.reading import MOST_CHARACTERS, Unreadable, field, json_of, text_of, writable
from toolgauge.generation.prompts import filled, prompt
from toolgauge.generation.pseudo import normal_arguments, pseudo_tools
from toolgauge.generation.state import AgentRequest, AgentView

MOST_ACTIONS = 50


def plan(view: AgentView) -> AgentRequest:
    """What does the planner do now?"""
    tools = tools_as_text((*view.tools, *pseudo_tools(view.language)))
    system = filled("planner", view.language, tools=tools, moment=view.clock)
    messages = requested(system, view, (Speaker.PLANNER,), prompt("switch_planner", view.language))
    return AgentRequest("planner", "planner", messages)


def text_said(reply: Reply) -> str:
    """The text of the entry, whether or not a decision can be read from it."""
    try:
        return text_of(reply)
    except Unreadable:
        return writable((reply.content or "")[:MOST_CHARACTERS]).strip()


def read_decision(reply: Reply) -> Decision:
    """The decision in a reply; raises Unreadable where a key is missing or of another kind."""
    value = json_of(text_of(reply))
    finished = field(value, "Task_Finish", "Mission_Finish")
    actions = field(value, "Action_List")
    if not isinstance(actions, list) or len(actions) > MOST_ACTIONS:
        raise Unreadable(f"Action_List is no list of at most {MOST_ACTIONS} actions")
    thought, planned = _text(value, "Thought"), _text(value, "Plan")
    is_finished = finished is True or str(finished).strip().casefold() == "yes"
    return Decision(is_finished, thought, planned, tuple(_action(action) for action in actions))


def _action(value: object) -> Action:
    if not isinstance(value, dict):
        raise Unreadable("an action is no object")
    name, arguments = field(value, "name"), field(value, "arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise Unreadable("an action needs a name, a text, and arguments, an object")
    purpose = value.get("tool_call_purpose")
    return Action(name, normal_arguments(name, arguments), purpose if isinstance(purpose, str) else "")


def _text(value: dict[str, object], name: str) -> str:
    text = field(value, name)
    if not isinstance(text, str):
        raise Unreadable(f"{name} is no text")
    return text
