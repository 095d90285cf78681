"""The planner's checker: a model's view of which calls go together, and how verdicts are worded."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from toolgauge.annotation.dialogue import CheckerFinding, Decision, Speaker
from toolgauge.annotation.grounding.values import folded, leaves
from toolgauge.annotation.writes import writes
from toolgauge.chat import Reply
from toolgauge.generation.agents.blocks import json_block
from toolgauge.generation.agents.messages import everything, requested, tools_as_text
from toolgauge.generation.agents.planner import planner_rules
from toolgauge.generation.agents.reading import Unreadable, field, json_of, one_of, text_of
from toolgauge.generation.prompts import filled, prompt
from toolgauge.generation.pseudo import NAMES
from toolgauge.generation.state import AgentRequest, AgentView
from toolgauge.generation.validators.planner import CALL, FORMAT, PARAMETER, WORDS

FIELDS = (FORMAT, WORDS, CALL, PARAMETER)
_ORDERED = re.compile(r"\b(?:serial(?:ly)?|sequential(?:ly)?|parallel)\b|串行|并行|依次|先后", re.IGNORECASE)
_YES, _NO = ("yes", "true", "是", "正确"), ("no", "false", "否", "不正确")


def can_object(view: AgentView, decision: Decision) -> bool:
    """Is there anything to judge about which calls go together?

    Of several calls, if one of them changes something, or needs a value that nobody has said and no result holds. Of a
    single one, if the plan orders calls: others might have gone with it.
    """
    calls = [action for action in decision.actions if action.name not in NAMES]
    if len(calls) < 2:
        return bool(calls) and _ORDERED.search(decision.plan) is not None
    read_only = {tool.name: tool.read_only for tool in view.tools}
    if any(writes(call.name, read_only.get(call.name)) for call in calls):
        return True
    seen = [entry.text for entry in view.entries if entry.accepted and entry.speaker is not Speaker.PLANNER]
    known = folded("\n".join([*seen, tools_as_text(view.tools)]))
    values = (value for call in calls for _, value in leaves(call.arguments) if not isinstance(value, bool | None))
    return any(folded(str(value)) not in known for value in values)


def parallelism(view: AgentView, decision: Decision) -> AgentRequest:
    """May these calls be made together, and must those wait? The request begins like the planner's."""
    shown = {
        "Plan": decision.plan,
        "Action_List": [{"name": action.name, "arguments": action.arguments} for action in decision.actions],
    }
    values = {"rules": prompt("checker_planner", view.language), "decision": msgspec.json.encode(shown).decode()}
    demand = filled("switch_checker", view.language, **values)
    messages = requested(planner_rules(view.language), view, demand, everything)
    return AgentRequest("checker", "checker_planner", messages, shown)


def read_parallelism(reply: Reply) -> tuple[CheckerFinding, ...]:
    """No objection, or one with the model's reason; raises Unreadable where it does not say yes or no."""
    value = json_of(text_of(reply), "correct")
    said, why = str(field(value, "correct")), str(field(value, CALL)).strip()
    correct = one_of(said, _YES, _NO)
    if correct is None:
        raise Unreadable("no_verdict")
    return () if correct else (CheckerFinding("parallelism", CALL, why or said.strip()),)


def worded(findings: Sequence[CheckerFinding], language: str) -> str:
    """A verdict as the papers write it: four analyses and `correct`, in a fenced block."""
    joint = "\n" if language == "en" else ""
    said = {name: joint.join(finding.text for finding in findings if finding.field == name) for name in FIELDS}
    verdict = said | {"correct": "no" if findings else "yes"}
    return json_block(verdict)
