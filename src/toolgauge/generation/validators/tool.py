"""The tool checker's validators: one observation per call, each with a status and a response of the declared shape.

What else a result must satisfy stands in results.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from toolgauge.annotation.dialogue import CheckerFinding, Decision, Observation
from toolgauge.chat import Reply, Tool
from toolgauge.generation.agents.planner import text_said
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.agents.tool import read_tools
from toolgauge.generation.prompts import texts
from toolgauge.generation.state import AgentView
from toolgauge.generation.validators.arguments import objections
from toolgauge.generation.validators.planner import FORMAT
from toolgauge.generation.validators.results import RULES, SUCCESS, Scene

_STATUSES = range(100, 600)
_EMPTY: tuple[object, ...] = (None, "", "...", "…")


def check_tool_reply(
    view: AgentView, decision: Decision, reply: Reply
) -> tuple[tuple[Observation, ...], str, tuple[CheckerFinding, ...]]:
    """The observations in a reply to a decision's calls, none where they cannot be read; what the tools said, as it
    goes into the dialogue; and the objections."""
    try:
        observations, text = read_tools(reply)
    except Unreadable as error:
        why = texts("findings", view.language)["parsable_tool"].format(why=error.said(view.language))
        return (), text_said(reply), (CheckerFinding("parsable", FORMAT, why),)
    findings = check_observations(decision, observations, view.language)
    findings = findings or check_shapes(decision, observations, view.tools, view.language)
    return observations, text, findings or check_contents(view, decision, observations)


def check_contents(
    view: AgentView, decision: Decision, observations: Sequence[Observation]
) -> tuple[CheckerFinding, ...]:
    """The first objection to what each result says, beside the others and what was said before; one result a call."""
    said, scene = texts("findings", view.language), Scene(view, decision.actions, tuple(observations))
    found: dict[object, CheckerFinding] = {}
    for rule in RULES:
        for values in rule.check(scene):
            found.setdefault(values["number"], CheckerFinding(rule.name, FORMAT, said[rule.name].format(**values)))
    return tuple(found.values())


def check_shapes(
    decision: Decision, observations: Sequence[Observation], tools: Iterable[Tool], language: str
) -> tuple[CheckerFinding, ...]:
    """The objections to successful results that are not what their tools declare to return, one for each result."""
    text, shapes = texts("findings", language)["observation_shape"], {}
    for tool in tools:
        if tool.facts and tool.facts.output_schema is not None:
            shapes[tool.name] = tool.facts.output_schema
    findings = []
    for number, (action, one) in enumerate(zip(decision.actions, observations, strict=True), 1):
        shape = shapes.get(action.name) if one.status_code in SUCCESS else None
        for path, message in islice(objections(shape, one.response) if shape else (), 1):
            said = text.format(number=number, tool=action.name, path=path or "response", message=message)
            findings.append(CheckerFinding("observation_shape", FORMAT, said))
    return tuple(findings)


def check_observations(
    decision: Decision, observations: Sequence[Observation], language: str
) -> tuple[CheckerFinding, ...]:
    """The objections to what the simulated tools answered to a decision's calls."""
    said = texts("findings", language)
    findings = []
    if len(observations) != len(decision.actions):
        values = {"expected": len(decision.actions), "found": len(observations)}
        findings.append(CheckerFinding("observation_count", FORMAT, said["observation_count"].format(**values)))
    for number, observation in enumerate(observations, 1):
        if observation.status_code not in _STATUSES:
            text = said["observation_status"].format(number=number, status=observation.status_code)
            findings.append(CheckerFinding("observation_status", FORMAT, text))
        if isinstance(observation.response, str | None) and observation.response in _EMPTY:
            findings.append(
                CheckerFinding("observation_empty", FORMAT, said["observation_empty"].format(number=number))
            )
    return tuple(findings)
