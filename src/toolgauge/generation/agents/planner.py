"""The planner decides what is to be done now; the planner checker says whether calls may be made together."""

from __future__ import annotations

import msgspec

from toolgauge.chat import Json, Reply
from toolgauge.generation.agents.requests import compact, everything, render_request
from toolgauge.generation.dialogue import Action, Decision, Finding
from toolgauge.generation.prompts import filled, texts
from toolgauge.generation.pseudo import normal_arguments
from toolgauge.generation.replies import CheckReply, PlannerReply, Unusable, parse_reply
from toolgauge.generation.state import AgentRequest, DialogueState

MOST_ACTIONS = 50
CALL_ANALYSIS = "tool_call_analysis"


def plan(state: DialogueState, answers: bool = False) -> AgentRequest:
    """What does the planner do now? answers: whether it also words what the user gets to read."""
    words = texts(state.language)
    demand = words["demand_planner"] + ("" if answers else words["no_answer"])
    messages = render_request("planner", state, demand, everything)
    return AgentRequest("planner", "planner", messages, PlannerReply)


def parse_decision(reply: Reply) -> Decision:
    """The decision in a reply. An action without an id gets one. Raises Unusable."""
    read = parse_reply(reply, PlannerReply)
    if len(read.action_list) > MOST_ACTIONS:
        raise Unusable("unusable_actions", count=len(read.action_list), most=MOST_ACTIONS)
    actions = tuple(
        Action(one.name, normal_arguments(one.name, one.arguments), one.tool_call_purpose, one.id, one.needs)
        for one in read.action_list
    )
    only = actions[0] if len(actions) == 1 and not actions[0].is_tool else None
    answer = read.answer.strip() or None if only else None
    return Decision(read.task_finish == "yes", read.thought, read.plan, actions, answer)


def render_decision(decision: Decision) -> str:
    """A decision as the papers' files have it: an indented JSON block."""
    return json_block(
        {
            "Task_Finish": "yes" if decision.finished else "no",
            "Thought": decision.thought,
            "Plan": decision.plan,
            "Action_List": [_wire_action(action) for action in decision.actions],
        }
    )


def _wire_action(action: Action) -> Json:
    wire: Json = {"name": action.name, "arguments": action.arguments, "tool_call_purpose": action.purpose}
    if action.is_tool:
        wire = {"id": action.id} | wire | {"needs": msgspec.to_builtins(action.needs)}
    return wire


def json_block(value: object) -> str:
    """A value as a fenced block of indented JSON."""
    return f"```json\n{msgspec.json.format(msgspec.json.encode(value), indent=2).decode()}\n```"


def check(state: DialogueState, decision: Decision) -> AgentRequest:
    """May the calls of a decision really be made together?"""
    shown = {"Plan": decision.plan, "Action_List": [_wire_action(action) for action in decision.actions]}
    demand = filled("checker", state.language, decision=compact(shown))
    messages = render_request("planner", state, demand, everything)
    return AgentRequest("checker", "checker_planner", messages, CheckReply)


def parse_check(reply: Reply) -> tuple[Finding, ...]:
    """No objection, or one with the checker's reason. Raises Unusable."""
    read = parse_reply(reply, CheckReply)
    if read.correct == "yes":
        return ()
    return (Finding("parallelism", CALL_ANALYSIS, read.tool_call_analysis.strip() or "These calls must wait."),)
