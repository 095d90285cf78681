"""The planner's validators: what a decision may not say or do. Each is a function that yields objections.

The text of an objection stands in prompts/findings.<language>.json under the validator's name: the planner reads it
before it tries again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from toolgauge.annotation.dialogue import CHECKERS, CheckerFinding, Decision, Speaker
from toolgauge.chat import Reply, Tool
from toolgauge.data.session import ASK, FINAL
from toolgauge.generation.agents.planner import read_planner, text_said
from toolgauge.generation.agents.reading import Unreadable
from toolgauge.generation.prompts import texts
from toolgauge.generation.pseudo import ANSWER_TYPES, NAMES, asked_for, pseudo_tools
from toolgauge.generation.state import AgentView
from toolgauge.generation.validators.arguments import schema_objections, unready
from toolgauge.generation.validators.words import (
    CHECKER,
    CHECKER_SURELY,
    SIMULATED,
    SIMULATED_SURELY,
    Objections,
    material,
    never,
)

FORMAT, WORDS, CALL, PARAMETER = (
    "format_analysis",
    "thought_and_plan_analysis",
    "tool_call_analysis",
    "parameter_input_analysis",
)
"""The fields of the papers' verdicts."""


_TIMESTAMP = re.compile(r"time\s?stamp|时间戳", re.IGNORECASE)
_SEVERAL_IN_A_ROW = re.compile(
    r"call\W{1,5}(?P<en>[\w.-]{1,100})\W{1,5}(?:\w{1,30}\W{1,5}){0,3}?"
    r"(?:several|multiple|two|three|four|five|\d+) times[^.]{0,40}?"
    r"(?:serial|sequential|one after (?:the other|another))"
    r"|(?:serial|sequential)(?:ly)?\W{1,5}(?:call(?:s|ing)?|use|using)\W{1,5}(?P<en2>[\w.-]{1,100})\W{1,5}(?:several|multiple|two|three|"
    r"four|five|\d+) times"
    r"|(?:串行|依次)(?:地)?(?:多次|[两二三四五六\d]+次)?(?:调用|使用)\s*(?P<zh>[\w.-]+?)(?:工具)?\s*(?:多次|[两二三四五六\d]+次)",
    re.IGNORECASE,
)


_MARKED = re.compile(r"[{}<>$]")
"""In a placeholder that is no word of a language."""


class Validator(NamedTuple):
    """name: of the validator and its text; field: where the verdict lists it."""

    name: str
    field: str
    check: Callable[[AgentView, Decision], Objections]


def check_planner_reply(view: AgentView, reply: Reply) -> tuple[Decision | None, str, tuple[CheckerFinding, ...]]:
    """The decision in a reply, None where it cannot be read, then there is at least one objection; what the planner
    said, as it goes into the dialogue; and the objections."""
    try:
        decision, text = read_planner(reply)
    except Unreadable as error:
        text = text_said(reply)
        return None, text, unreadable_decision(view, text, error.said(view.language).rstrip(".。"))
    return decision, text, check_decision(view, decision)


def check_decision(view: AgentView, decision: Decision) -> tuple[CheckerFinding, ...]:
    """All objections to what the planner said; empty: none of the validators objects."""
    said = texts("findings", view.language)
    return tuple(
        CheckerFinding(validator.name, validator.field, said[validator.name].format(**values))
        for validator in VALIDATORS
        for values in validator.check(view, decision)
    )


def unreadable_decision(view: AgentView, text: str, why: str) -> tuple[CheckerFinding, ...]:
    """The objections to a reply that is no decision; comments and invented timestamps are the likely causes."""
    said = texts("findings", view.language)
    cause = said["comments"] if re.search(r"(^|\s)(//|#)\s|/\*", text) else ""
    findings = [CheckerFinding("parsable", FORMAT, said["parsable"].format(why=why, cause=cause))]
    if _TIMESTAMP.search(text):
        findings.append(CheckerFinding("timestamp", PARAMETER, said["timestamp"]))
    return tuple(findings)


def _names_no(pseudo: str, part: str) -> Callable[[AgentView, Decision], Objections]:
    return never(part, re.compile(re.escape(pseudo)))


def _no_actions(_view: AgentView, decision: Decision) -> Objections:
    if not decision.actions:
        yield {}


def _tools(view: AgentView) -> dict[str, Tool]:
    return {tool.name: tool for tool in (*view.tools, *pseudo_tools(view.language))}


def _unknown_actions(view: AgentView, decision: Decision) -> Objections:
    known = _tools(view)
    yield from ({"action": action.name} for action in decision.actions if action.name not in known)


def _unknown_arguments(view: AgentView, decision: Decision) -> Objections:
    known = _tools(view)
    for action in decision.actions:
        if action.name in known:
            unknown = [name for name in action.arguments if name not in known[action.name].properties]
            yield from ({"action": action.name, "parameter": name} for name in unknown)


def _empty_required(view: AgentView, decision: Decision) -> Objections:
    known = _tools(view)
    for action in decision.actions:
        for name in _required(known.get(action.name)):
            value = action.arguments.get(name)
            if isinstance(value, str) and not value.strip():
                yield {"action": action.name, "parameter": name}


def _missing_required(view: AgentView, decision: Decision) -> Objections:
    known = _tools(view)
    for action in decision.actions:
        missing = [name for name in _required(known.get(action.name)) if name not in action.arguments]
        yield from ({"action": action.name, "parameter": name} for name in missing)


def _required(tool: Tool | None) -> list[str]:
    return tool.required if tool else []


def _alone(pseudo: str) -> Callable[[AgentView, Decision], Objections]:
    """A pseudo-action goes with no other action, not even with itself."""

    def check(_view: AgentView, decision: Decision) -> Objections:
        if len(decision.actions) > 1 and any(action.name == pseudo for action in decision.actions):
            yield {}

    return check


def _asked_tools(view: AgentView, decision: Decision) -> Objections:
    known = {tool.name for tool in view.tools}
    for action in decision.actions:
        if action.name == ASK:
            yield from ({"tool": tool} for tool, _ in asked_for(action.arguments) if tool not in known)


def _asked_parameters(view: AgentView, decision: Decision) -> Objections:
    known = {tool.name: tool for tool in view.tools}
    for action in decision.actions:
        for tool, names in asked_for(action.arguments) if action.name == ASK else ():
            if tool in known:
                wrong = [name for name in names if name not in known[tool].required]
                yield from ({"tool": tool, "parameter": name} for name in wrong)


def _answer_type(_view: AgentView, decision: Decision) -> Objections:
    for action in decision.actions:
        if action.name == FINAL and action.arguments.get("answer_type") not in ANSWER_TYPES:
            yield {"value": str(action.arguments.get("answer_type"))[:80]}


def _chat_after_result(view: AgentView, decision: Decision) -> Objections:
    """Right after a result the answer is not small talk."""
    standing = [entry for entry in view.entries if entry.accepted and entry.speaker not in CHECKERS]
    after_result = bool(standing) and standing[-1].speaker is Speaker.TOOL
    chats = any(a.name == FINAL and a.arguments.get("answer_type") == "chat" for a in decision.actions)
    if after_result and chats:
        yield {}


def _serial_same_tool(_view: AgentView, decision: Decision) -> Objections:
    """Several calls of one tool one after the other are announced, and made together."""
    for found in _SEVERAL_IN_A_ROW.finditer(decision.plan):
        named = found["en"] or found["en2"] or found["zh"]
        if sum(action.name == named for action in decision.actions) > 1:
            yield {"tool": named}


def _schema(view: AgentView, decision: Decision) -> Objections:
    known = _tools(view)
    for action in decision.actions:
        if action.name in known:
            for path, message in schema_objections(known[action.name], action.arguments):
                yield {"action": action.name, "path": path, "message": message}


def _duplicates(_view: AgentView, decision: Decision) -> Objections:
    seen: list[tuple[str, object]] = []
    for action in decision.actions:
        call = (action.name, action.arguments)
        if call in seen and action.name not in NAMES:
            yield {"action": action.name}
        seen.append(call)


def _future_results(view: AgentView, decision: Decision) -> Objections:
    """Words like "pending" or "unknown" are values where the tool's definition or somebody says them."""
    known = material(view)
    for action in decision.actions:
        if action.name not in NAMES:
            for path, value, words in unready(action.arguments):
                if _MARKED.search(words) or words.strip().casefold() not in known:
                    yield {"action": action.name, "path": path, "value": value}


VALIDATORS: tuple[Validator, ...] = (
    Validator("thought_simulates", WORDS, never("thought", SIMULATED, SIMULATED_SURELY)),
    Validator("plan_simulates", WORDS, never("plan", SIMULATED, SIMULATED_SURELY)),
    Validator("thought_names_checker", WORDS, never("thought", CHECKER, CHECKER_SURELY)),
    Validator("plan_names_checker", WORDS, never("plan", CHECKER, CHECKER_SURELY)),
    Validator("thought_names_ask", WORDS, _names_no(ASK, "thought")),
    Validator("plan_names_ask", WORDS, _names_no(ASK, "plan")),
    Validator("thought_names_final", WORDS, _names_no(FINAL, "thought")),
    Validator("plan_names_final", WORDS, _names_no(FINAL, "plan")),
    Validator("no_actions", CALL, _no_actions),
    Validator("unknown_action", CALL, _unknown_actions),
    Validator("unknown_argument", PARAMETER, _unknown_arguments),
    Validator("empty_required", PARAMETER, _empty_required),
    Validator("missing_required", PARAMETER, _missing_required),
    Validator("ask_not_alone", CALL, _alone(ASK)),
    Validator("ask_unknown_tool", CALL, _asked_tools),
    Validator("ask_not_required", PARAMETER, _asked_parameters),
    Validator("final_not_alone", CALL, _alone(FINAL)),
    Validator("answer_type", PARAMETER, _answer_type),
    Validator("chat_after_result", PARAMETER, _chat_after_result),
    Validator("serial_same_tool", CALL, _serial_same_tool),
    Validator("schema", PARAMETER, _schema),
    Validator("duplicate_action", CALL, _duplicates),
    Validator("future_result", PARAMETER, _future_results),
)
"""For decisions that can be read; `unreadable_decision` is for the others. The checker says what goes together."""
