"""Literal checks: what code can say about a try without understanding language, and the names of all checks.

| check | found by | what is made again |
|---|---|---|
| form, tools, parameters, ids, pseudo-actions | code, always | the planner's or the tools' try |
| `path` | code, from the decisions | the user's message |
| `language`, `length` | code | that message |
| `values`, `answer`, `context` | the judge (judge.py) | the decisions; the answer; the user's message |
| `duplicates` | code, across dialogues | nothing: the dialogue is left out |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from toolgauge.chat import Json, Tool
from toolgauge.data.leaves import leaves
from toolgauge.data.record import shown
from toolgauge.data.session import ASK, FINAL
from toolgauge.data.validation import argument_validator
from toolgauge.errors import UsageError
from toolgauge.generation.dialogue import Action, Decision, Entry, Finding, Observation, Speaker, actions_of, kind_of
from toolgauge.generation.prompts import text
from toolgauge.generation.pseudo import ANSWER_TYPES, asked_for, pseudo_tools
from toolgauge.languages import HAN

DUPLICATES = "duplicates"
CHECKS = {
    "path": ("every task has the requested type", "每个任务都属于指定的类型"),
    "values": (
        "every value was said, is in a result, or follows from either",
        "每个参数值都说过、在结果中，或由此推断而来",
    ),
    "answer": ("replies agree with the results", "回复与结果相符"),
    "context": ("later tasks depend on the dialogue", "后续任务确实依赖前文"),
    "language": ("everything is in the dialogue's language", "通篇使用对话的语言"),
    "length": ("messages have a sensible length", "消息长度在合理范围内"),
    DUPLICATES: ("no dialogue is much like an earlier one", "没有与之前的对话过于相似的对话"),
}
"""What a dialogue must satisfy beside its form, in English and Chinese; `--checks` switches each."""
JUDGED = ("values", "answer", "context")
"""Those that the judge decides."""
MOST_CHARACTERS = 4000
"""Of a user's message: people do not type more."""
_ON_THE_WAY: Mapping[str, tuple[str, ...]] = {
    "chat": (),
    "single": ("chat",),
    "multi": ("chat", "single"),
    "clarify": ("chat", "single", "multi"),
}
"""What a task of a kind may still look like while it is under way."""
FORM, CALL, PARAMETER = "format_analysis", "tool_call_analysis", "parameter_input_analysis"
"""Fields of the papers' verdicts."""
MOST_OBJECTIONS = 10
LONGEST_PLACEHOLDER = 200
"""Characters: a longer text stands for nothing but itself."""
_STATUSES, _SUCCESS = range(100, 600), range(200, 300)
_LEFT_OUT = re.compile(r"\s*(?:\.{3,}|…+|and so on|etc\.|等等)\s*", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"\s*(?:<[^<>]+>|\{\{.*\}\}|\[[A-Z_ ]+\]|string|example|xxx+|tbd|placeholder)\s*", re.IGNORECASE
)
_LETTERS = re.compile(r"[A-Za-z]{2,}")


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a user gives them: "all", "none", "default", names, and "-name" to leave one out.

    Raises UsageError for an unknown name.
    """
    groups = {"all": tuple(CHECKS), "default": tuple(CHECKS), "none": ()}
    chosen: set[str] = set() if names and not names[0].startswith("-") else {*CHECKS}
    for name in names:
        bare = name.removeprefix("-")
        if bare not in CHECKS and bare not in groups:
            raise UsageError(f"unknown check {bare!r}; choose from {', '.join(CHECKS)}, all, default, none")
        meant = groups.get(bare, (bare,))
        chosen = chosen.difference(meant) if name.startswith("-") else chosen.union(meant)
    return tuple(name for name in CHECKS if name in chosen)


def text_objection(
    words: str, language: str, checks: Collection[str], heard: Iterable[Entry] = (), most: int = MOST_CHARACTERS
) -> str | None:
    """What speaks against words of the user or the assistant: too long, or in another language."""
    if not words.strip():
        return text("objection_empty", language)
    if "length" in checks and len(words) > most:
        return text("objection_length", language, count=f"{len(words):,}", most=f"{most:,}")
    if "language" in checks and not is_in_language(words, language, [entry.text for entry in heard]):
        return text("objection_language", language, text=words[:80])
    return None


def is_in_language(words: str, language: str, heard: Iterable[str] = ()) -> bool:
    """Of what nobody said before, has a text more Latin words than Chinese characters (English), or about a Chinese
    character for four Latin words (Chinese)? A word or two may be of any language."""
    known = "\n".join(heard)
    han = [sign for sign in HAN.findall(words) if sign not in known]
    latin = [word for word in _LETTERS.findall(words) if word not in known]
    if language == "zh":
        return len(HAN.findall(words)) * 4 >= len(latin) or len(latin) < 4
    return len(han) <= max(len(_LETTERS.findall(words)), 4)


def is_astray(entries: Sequence[Entry], task: int, wanted: str) -> bool:
    """Can a task not become what was dictated any more, by the decisions so far?"""
    found = kind_of(tuple(entries), task)
    last = next((action for entry in reversed(entries) for action in actions_of(entry)), None)
    if found == wanted or last is None:
        return False
    return last.name == FINAL or found not in _ON_THE_WAY[wanted]


def check_decision(
    decision: Decision, entries: Sequence[Entry], tools: Sequence[Tool], language: str
) -> tuple[Finding, ...]:
    """The objections to a decision. entries: of its task, the accepted ones before it."""
    said = Objections(language)
    if not decision.actions:
        said.add("no_actions", CALL)
    offered = {tool.name: tool for tool in (*tools, *pseudo_tools(language))}
    for action in decision.actions:
        if (tool := offered.get(action.name)) is None:
            said.add("unknown_action", CALL, action=action.name)
        else:
            _check_arguments(action, tool, said)
    _check_pseudo(decision, entries, {tool.name: tool for tool in tools}, said)
    _check_ids(decision, entries, said)
    keys = [(action.name, msgspec.json.encode(action.arguments, order="sorted")) for action in decision.actions]
    for name in dict.fromkeys(name for number, (name, key) in enumerate(keys) if (name, key) in keys[:number]):
        said.add("duplicate_action", CALL, action=name)
    return tuple(said.findings)


class Objections:
    """Findings as they come, worded in a language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.findings: list[Finding] = []

    def add(self, rule: str, field: str, **values: object) -> None:
        self.findings.append(Finding(rule, field, text(f"finding_{rule}", self.language, **values)))


def _check_arguments(action: Action, tool: Tool, said: Objections) -> None:
    """Known and required parameters, and the schema."""
    for name in action.arguments:
        if name not in tool.properties and tool.parameters.get("additionalProperties", False) is False:
            said.add("unknown_argument", PARAMETER, action=action.name, parameter=name)
    for name in tool.required:
        if name not in action.arguments:
            said.add("missing_required", PARAMETER, action=action.name, parameter=name)
        elif action.arguments[name] == "":
            said.add("empty_required", PARAMETER, action=action.name, parameter=name)
    for path, message in islice(misfits(tool.parameters, action.arguments), MOST_OBJECTIONS):
        if path:
            said.add("schema", PARAMETER, action=action.name, path=path, message=message)


def misfits(schema: Json, value: object) -> Iterator[tuple[str, str]]:
    """(path, message) of what a schema does not admit."""
    validator = argument_validator(msgspec.json.encode(schema), strict=False)
    for error in validator.check(value).errors if validator else ():
        yield error.place.lstrip("."), f"{shown(error.instance)}: {error.keyword} {shown(error.expected)}"


def _check_pseudo(decision: Decision, entries: Sequence[Entry], tools: Mapping[str, Tool], said: Objections) -> None:
    """Asking and answering stand alone, about required parameters of known tools, and from results after results."""
    for action in decision.actions:
        if action.name == ASK:
            if len(decision.actions) > 1:
                said.add("ask_not_alone", CALL)
            for name, missing in asked_for(action.arguments):
                if name not in tools:
                    said.add("ask_unknown_tool", CALL, tool=name)
                for parameter in missing if name in tools else ():
                    if parameter.partition(".")[0] not in tools[name].required:
                        said.add("ask_not_required", PARAMETER, parameter=parameter, tool=name)
        elif action.name == FINAL:
            if len(decision.actions) > 1:
                said.add("final_not_alone", CALL)
            kind = action.arguments.get("answer_type")
            if kind not in ANSWER_TYPES:
                said.add("answer_type", PARAMETER, value=kind)
            elif kind == "chat" and entries and entries[-1].speaker is Speaker.TOOL:
                said.add("chat_after_result", PARAMETER)


def _check_ids(decision: Decision, entries: Sequence[Entry], said: Objections) -> None:
    """Ids are new in the task, and what is needed was made before in it."""
    made = [action.id for entry in entries for action in actions_of(entry) if action.id]
    seen = [*made]
    for action in decision.actions:
        if action.id and action.id in seen:
            said.add("used_id", CALL, id=action.id)
        seen.append(action.id)
        for need in action.needs if action.is_tool else ():
            if need.id not in made:
                said.add("unknown_need", CALL, action=action.name, id=need.id)


def check_observations(
    decision: Decision, observations: Sequence[Observation], tools: Iterable[Tool], language: str
) -> tuple[Finding, ...]:
    """The objections to results: one for each call, with a status and a response of the declared shape, all written
    out."""
    said = Objections(language)
    if len(observations) != len(decision.actions):
        said.add("observation_count", FORM, expected=len(decision.actions), found=len(observations))
        return tuple(said.findings)
    shapes = {tool.name: tool.facts.output_schema for tool in tools if tool.facts and tool.facts.output_schema}
    for number, (action, one) in enumerate(zip(decision.actions, observations, strict=True), 1):
        if one.status_code not in _STATUSES:
            said.add("observation_status", FORM, number=number, status=one.status_code)
        if one.response in (None, ""):
            said.add("observation_empty", FORM, number=number)
        shape = shapes.get(action.name) if one.status_code in _SUCCESS else None
        for path, message in islice(misfits(shape, one.response) if shape else (), 1):
            said.add(
                "observation_shape", FORM, number=number, tool=action.name, path=path or "response", message=message
            )
        for path, value in leaves(one.response):
            if not isinstance(value, str) or len(value) > LONGEST_PLACEHOLDER:
                continue
            is_placeholder = _PLACEHOLDER.fullmatch(value) is not None
            if is_placeholder or _LEFT_OUT.fullmatch(value):
                rule = "observation_placeholder" if is_placeholder else "observation_left_out"
                said.add(rule, FORM, number=number, path=path or "response", value=value[:80])
                break
    return tuple(said.findings)
