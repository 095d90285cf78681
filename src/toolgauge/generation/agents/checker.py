"""The planner's checker: a model's view of which calls go together, and how verdicts are worded."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from toolgauge.annotation.dialogue import CheckerFinding, Decision, Speaker
from toolgauge.chat import Reply
from toolgauge.generation.agents.messages import requested, tools_as_text
from toolgauge.generation.agents.reading import Unreadable, field, json_of, one_of, text_of
from toolgauge.generation.prompts import filled
from toolgauge.generation.state import AgentRequest, AgentView
from toolgauge.generation.validators.planner import CALL, FORMAT, PARAMETER, WORDS

FIELDS = (FORMAT, WORDS, CALL, PARAMETER)
_YES, _NO = ("yes", "true", "是", "正确"), ("no", "false", "否", "不正确")


def parallelism(view: AgentView, decision: Decision) -> AgentRequest:
    """May these calls be made together, and must those wait?"""
    system = filled("checker_planner", view.language, tools=tools_as_text(view.tools), moment=view.clock)
    shown = {
        "Thought": decision.thought,
        "Plan": decision.plan,
        "Action_List": [{"name": action.name, "arguments": action.arguments} for action in decision.actions],
    }
    demand = filled("switch_checker", view.language, decision=msgspec.json.encode(shown).decode())
    return AgentRequest(
        "checker", "checker_planner", requested(system, view, (Speaker.PLANNER_CHECKER,), demand), shown
    )


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
    return f"```json\n{msgspec.json.format(msgspec.json.encode(verdict), indent=2).decode()}\n```"
