"""The tools: simulated, one observation for each call."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from toolgauge.annotation.dialogue import Decision, Observation, Speaker
from toolgauge.chat import Reply, Tool
from toolgauge.generation.agents.messages import again_after, requested, user_and_tools, what_tools_see
from toolgauge.generation.agents.planner import MOST_ACTIONS
from toolgauge.generation.agents.reading import Unreadable, field, json_found, object_in, objects_in, text_of
from toolgauge.generation.prompts import filled
from toolgauge.generation.state import AgentRequest, AgentView


def simulate(view: AgentView, decision: Decision) -> AgentRequest:
    """What do the tools answer to these calls?"""
    named = {action.name for action in decision.actions}
    again = again_after(view, Speaker.TOOL_CHECKER, "tool_again")
    demand = filled("switch_tool", view.language, count=len(decision.actions), again=again)
    if beside := _facts_as_text(tool for tool in view.tools if tool.name in named):
        demand += "\n\n" + filled("tool_facts", view.language, facts=beside)
    return AgentRequest("tool", "tool", requested(user_and_tools(view.language), view, demand, what_tools_see))


def _facts_as_text(tools: Iterable[Tool]) -> str:
    """What is known of the tools besides their definitions, one JSON object a line; "" for nothing."""
    known = [{"name": tool.name} | msgspec.to_builtins(tool.facts) for tool in tools if tool.facts]
    return "\n".join(msgspec.json.encode(one).decode() for one in known)


def read_observations(reply: Reply) -> tuple[Observation, ...]:
    """The observations in a reply; raises Unreadable where there is no list of them."""
    return read_tools(reply)[0]


def read_tools(reply: Reply) -> tuple[tuple[Observation, ...], str]:
    """The observations in a reply, and its text: the JSON block alone. Raises Unreadable.

    Observations that stand in a list of their own, or alone, are read as well.
    """
    text = text_of(reply)
    bare = [one.value for one in objects_in(text) if {"status_code", "response"} <= one.value.keys()]
    found = json_found(text, "Observation_List")
    listed = bare or field(found.value, "Observation_List")
    if not isinstance(listed, list):
        raise Unreadable("not_list", key="Observation_List", most=MOST_ACTIONS)
    observations = tuple(_observation(value) for value in listed)
    is_plain = not bare and all(
        given["response"] is seen.response for given, seen in zip(listed, observations, strict=True)
    )
    plain = {"Observation_List": [{"status_code": one.status_code, "response": one.response} for one in observations]}
    return observations, found.text(None if is_plain else plain)


def _observation(value: object) -> Observation:
    """An observation; a response that is JSON text stands for what it says."""
    if not isinstance(value, dict) or "response" not in value:
        raise Unreadable("no_observation")
    status = value.get("status_code")
    if isinstance(status, str) and status.strip().isascii() and status.strip().isdigit() and len(status) < 10:
        status = int(status)
    return Observation(status if type(status) is int else 0, object_in(value["response"]))
