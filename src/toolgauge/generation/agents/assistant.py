"""The assistant: everything the user gets to read (spec 8)."""

from __future__ import annotations

from toolgauge.chat import Reply
from toolgauge.generation.agents.messages import last_of, requested, tools_as_text
from toolgauge.generation.agents.reading import Unreadable, text_of, unfenced, without_name
from toolgauge.generation.dialogue import Speaker
from toolgauge.generation.prompts import filled
from toolgauge.generation.talk import Ask, Scene


def question(scene: Scene) -> Ask:
    """Ask the user for what the planner found missing."""
    return _spoken(scene, "agent_ask")


def summary(scene: Scene) -> Ask:
    """Tell the user what the tools returned."""
    return _spoken(scene, "agent_answer")


def chat(scene: Scene) -> Ask:
    """Answer from knowledge, without tools."""
    return _spoken(scene, "agent_answer_chat")


def _spoken(scene: Scene, agent: str) -> Ask:
    system = filled(agent, scene.language, tools=tools_as_text(scene.tools), moment=scene.moment)
    user = last_of(scene.entries, Speaker.USER)
    demand = filled("switch_agent", scene.language, request=user.text if user else "")
    return Ask("agent", agent, requested(system, scene, (Speaker.AGENT,), demand))


def read_words(reply: Reply) -> str:
    """What the agent or the user says; raises Unreadable for nothing."""
    words = without_name(unfenced(text_of(reply)).strip())
    if not words:
        raise Unreadable("the reply is empty")
    return words
