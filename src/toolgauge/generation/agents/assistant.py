"""The assistant: everything the user gets to read, where the planner does not say it with its decision."""

from __future__ import annotations

from toolgauge.annotation.dialogue import Entry, Speaker
from toolgauge.data.session import ASK
from toolgauge.generation.agents.messages import calls_and_results, requested, words_said
from toolgauge.generation.prompts import filled, prompt, texts
from toolgauge.generation.pseudo import asked_for
from toolgauge.generation.state import AgentRequest, AgentView


def question(view: AgentView) -> AgentRequest:
    """Ask the user for what the planner found missing."""
    missing = [
        f"{tool}: {', '.join(names)}"
        for entry in view.entries[-1:]
        for action in (entry.decision.actions if entry.decision else ())
        for tool, names in (asked_for(action.arguments) if action.name == ASK else ())
    ]
    return _spoken(view, "agent_ask", missing="; ".join(missing))


def summary(view: AgentView) -> AgentRequest:
    """Tell the user what the tools returned."""
    return _spoken(view, "agent_answer")


def chat(view: AgentView) -> AgentRequest:
    """Answer from knowledge, without tools."""
    return _spoken(view, "agent_answer_chat")


def _spoken(view: AgentView, agent: str, **values: str) -> AgentRequest:
    language = view.language
    rules = filled("agent", language, form=prompt("agent_form", language))
    due = texts("frame", language)[agent].format(**values)
    demand = filled("switch_agent", language, due=due, rules=prompt(agent, language))

    def shown(entry: Entry, language: str) -> str:
        """What was said; of the task under way also what was called and found."""
        seen = words_said(entry, language)
        return seen or (calls_and_results(entry, language) if entry.task == view.task else "")

    return AgentRequest("agent", agent, requested(rules, view, demand, shown, (Speaker.AGENT,)))
