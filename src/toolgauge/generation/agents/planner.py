"""The planner: decides what is to be done now."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from toolgauge.annotation.dialogue import Action, Decision, Speaker
from toolgauge.chat import Reply
from toolgauge.generation.agents.announcements import announcements
from toolgauge.generation.agents.messages import again_after, everything, requested
from toolgauge.generation.agents.reading import (
    MOST_CHARACTERS,
    JsonFound,
    Unreadable,
    field,
    folded_key,
    json_found,
    object_in,
    text_of,
    writable,
)
from toolgauge.generation.agents.reasoning import without_reasoning
from toolgauge.generation.agents.speech import accepted, said_by
from toolgauge.generation.prompts import filled, prompt, texts
from toolgauge.generation.pseudo import NAMES, normal_arguments
from toolgauge.generation.state import AgentRequest, AgentView

MOST_ACTIONS = 50
KEYS = ("Thought", "Plan", "Action_List")
"""By which a decision is told from other objects."""
ANSWER = "Answer"
_PARTS = {"form": "form", "ask": "ask", "answer": "answer", "chat": "answer_chat"}
"""What an assistant is told about its words, by the name that it has in the planner's rules."""


def plan(view: AgentView, answers: bool = False) -> AgentRequest:
    """What does the planner do now? answers: whether it also words what the user gets to read."""
    language = view.language
    said = "" if answers else texts("frame", language)["no_answer"]
    again = again_after(view, Speaker.PLANNER_CHECKER, "planner_again")
    demand = filled("switch_planner", language, answer=said, again=again)
    messages = requested(planner_rules(language), view, demand, everything)
    return AgentRequest("planner", "planner", messages, {"answers": answers})


def planner_rules(language: str) -> str:
    """The planner's rules, with those for the words that it says to the user."""
    return filled("planner", language, **{name: prompt(f"agent_{file}", language) for name, file in _PARTS.items()})


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
    """The decision in a reply, and its text: the JSON block alone, without the prose around it and without the words
    for the user, which are the assistant's. Raises Unreadable."""
    decision, found, value = _read(reply)
    return decision, found.text(None if value == found.value else value)


def whole_text(reply: Reply) -> str:
    """The JSON block of a reply with the words for the user as they were read. Raises Unreadable."""
    decision, found, value = _read(reply)
    whole = value | ({ANSWER: decision.answer or ""} if _said(found.value) is not None else {})
    return found.text(None if whole == found.value else whole)


def _read(reply: Reply) -> tuple[Decision, JsonFound, dict[str, object]]:
    """The decision, the object in which it stands, and that object as the prompt asks for it, without the answer."""
    found = json_found(text_of(reply), *KEYS)
    finished = field(found.value, "Task_Finish", "Mission_Finish")
    actions = field(found.value, "Action_List")
    listed = [actions] if isinstance(actions, dict) else actions
    if not isinstance(listed, list) or len(listed) > MOST_ACTIONS:
        raise Unreadable("not_list", key="Action_List", most=MOST_ACTIONS)
    thought, planned = _text(found.value, "Thought"), _text(found.value, "Plan")
    is_finished = finished is True or str(finished).strip().casefold() == "yes"
    decision = Decision(is_finished, thought, planned, tuple(_action(action) for action in listed))
    value = {key: part for key, part in found.value.items() if folded_key(key) != folded_key(ANSWER)}
    if listed is not actions or not all("name" in one and isinstance(one.get("arguments"), dict) for one in listed):
        value["Action_List"] = _plain(decision)
    return msgspec.structs.replace(decision, answer=_answer(decision, found.value)), found, value


def _said(value: Mapping[str, object]) -> object:
    """What stands as the answer in an object; None for nothing."""
    return next((part for key, part in value.items() if folded_key(key) == folded_key(ANSWER)), None)


def _answer(decision: Decision, value: Mapping[str, object]) -> str | None:
    """What the user gets to read, if the decision asks or answers and says it in a way that can be used."""
    said = _said(value)
    if not isinstance(said, str) or len(decision.actions) != 1 or decision.actions[0].name not in NAMES:
        return None
    try:
        return accepted(said_by(said, Speaker.AGENT), Speaker.AGENT)
    except Unreadable:
        return None


def _plain(decision: Decision) -> list[dict[str, object]]:
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
