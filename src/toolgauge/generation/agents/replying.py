"""Those who answer calls and questions: the simulated tools, and the assistant where the planner does not speak."""

from __future__ import annotations

import msgspec

from toolgauge.chat import Reply
from toolgauge.data.session import ASK
from toolgauge.generation.agents.planner import json_block
from toolgauge.generation.agents.requests import (
    calls_and_results,
    compact,
    render_request,
    what_tools_see,
    words_said,
)
from toolgauge.generation.dialogue import Decision, Entry, Observation, Speaker
from toolgauge.generation.prompts import text
from toolgauge.generation.pseudo import asked_for
from toolgauge.generation.replies import ToolReply, Unusable, WordsReply, parse_reply
from toolgauge.generation.state import AgentRequest, DialogueState

MOST_CHARACTERS = 20_000
"""Of what user or assistant say at once."""


def simulate(state: DialogueState, decision: Decision) -> AgentRequest:
    """What do the tools answer to these calls?"""
    language, called = state.language, {action.name for action in decision.actions}
    demand = text("demand_tools", language, count=len(decision.actions))
    known = [{"name": tool.name} | msgspec.to_builtins(tool.facts) for tool in state.tools
             if tool.facts and tool.name in called]  # fmt: skip
    if known:
        demand += "\n\n" + text("tool_facts", language, facts="\n".join(compact(one) for one in known))
    messages = render_request("users_and_tools", state, demand, what_tools_see)
    return AgentRequest("tool", "tool", messages, ToolReply)


def render_observations(observations: tuple[Observation, ...]) -> str:
    """Observations as the papers' files have them."""
    return json_block({"Observation_List": msgspec.to_builtins(observations)})


def speak(state: DialogueState, decision: Decision) -> AgentRequest:
    """What the user gets to read now: a question, what the tools returned, or an answer without them."""
    action, language = decision.actions[0], state.language
    if action.name == ASK:
        agent = "agent_ask"
    else:
        agent = "agent_answer" if action.arguments.get("answer_type") == "tool" else "agent_answer_chat"
    missing = "; ".join(f"{tool}: {', '.join(names)}" for tool, names in asked_for(action.arguments))
    demand = text(f"demand_{agent}", language, missing=missing)

    def shown(entry: Entry, language: str) -> str:
        """What was said; of the task under way also what was called and found."""
        return words_said(entry, language) or (calls_and_results(entry, language) if entry.task == state.task else "")

    messages = render_request("assistant", state, demand, shown, (Speaker.AGENT,))
    return AgentRequest("agent", agent, messages, WordsReply)


def parse_words(reply: Reply) -> str:
    """What user or assistant say. Raises Unusable."""
    words = parse_reply(reply, WordsReply).message.strip()
    if not words or len(words) > MOST_CHARACTERS:
        raise Unusable("unusable_message", count=f"{len(words):,}", most=f"{MOST_CHARACTERS:,}")
    return words
