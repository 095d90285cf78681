"""The tool checker's validators: one observation per call, each with a status and a response."""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.annotation.dialogue import CheckerFinding, Decision, Observation
from toolgauge.chat import Reply
from toolgauge.generation.agents.planner import text_said
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.agents.tool import read_tools
from toolgauge.generation.prompts import texts
from toolgauge.generation.validators.planner import FORMAT

_STATUSES = range(100, 600)
_EMPTY: tuple[object, ...] = (None, "", "...", "…")


def check_tool_reply(
    decision: Decision, reply: Reply, language: str
) -> tuple[tuple[Observation, ...], str, tuple[CheckerFinding, ...]]:
    """The observations in a reply to a decision's calls, none where they cannot be read; what the tools said, as it
    goes into the dialogue; and the objections."""
    try:
        observations, text = read_tools(reply)
    except Unreadable as error:
        why = texts("findings", language)["parsable_tool"].format(why=error.said(language))
        return (), text_said(reply), (CheckerFinding("parsable", FORMAT, why),)
    return observations, text, check_observations(decision, observations, language)


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
