"""The assistant: everything the user gets to read."""

from __future__ import annotations

from toolgauge.annotation.dialogue import Speaker
from toolgauge.generation.agents.messages import last_of, requested, tools_as_text
from toolgauge.generation.prompts import filled
from toolgauge.generation.state import AgentRequest, AgentView


def question(view: AgentView) -> AgentRequest:
    """Ask the user for what the planner found missing."""
    return _spoken(view, "agent_ask")


def summary(view: AgentView) -> AgentRequest:
    """Tell the user what the tools returned."""
    return _spoken(view, "agent_answer")


def chat(view: AgentView) -> AgentRequest:
    """Answer from knowledge, without tools."""
    return _spoken(view, "agent_answer_chat")


def _spoken(view: AgentView, agent: str) -> AgentRequest:
    system = filled(agent, view.language, tools=tools_as_text(view.tools), moment=view.clock)
    user = last_of(view.entries, Speaker.USER)
    demand = filled("switch_agent", view.language, request=user.text if user else "")
    return AgentRequest("agent", agent, requested(system, view, (Speaker.AGENT,), demand))
