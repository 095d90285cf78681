"""The user: wants something, wants something more, and answers the assistant's questions.

With every message the user states what is meant by it: the intended calls, what is withheld, what it refers to
(`Proposal`). Only the message is said; the rest is what the task is checked and judged by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolgauge.chat import Reply, Tool
from toolgauge.data.session import Reference
from toolgauge.generation.agents.patterns import WorkedExample, bundled_patterns, example_of
from toolgauge.generation.agents.requests import render_request, words_said
from toolgauge.generation.checks import text_objection
from toolgauge.generation.dialogue import PlannedTask, Proposal, Referral, Speaker
from toolgauge.generation.prompts import filled, text, texts
from toolgauge.generation.pseudo import askable, required
from toolgauge.generation.replies import ProposalReply, Unusable, UserReply, WordsReply, parse_reply
from toolgauge.generation.setup import Scenario
from toolgauge.generation.state import AgentRequest, DialogueState

CANDIDATES = 5
"""Proposals for a task, of which one is drawn: of a first one always, of a later one where all are kept for review."""
MOST_CANDIDATES = 20
LATER = "user_continue_question"
FIRST = {
    "single": "user_single_tool",
    "clarify": "user_ask",
    "chat": "user_chat",
    "sequential_tools": "user_multi_tool",
    "parallel_tools": "user_multi_tool_parallel",
    "mixed_tools": "user_multi_tool_serial_parallel",
}
"""The papers' agents for first tasks, by kind or, of several calls, by shape."""


def first_task(state: DialogueState, scenario: Scenario | None) -> AgentRequest:
    """Proposals for the first task."""
    task, language = state.tasks[-1], state.language
    sort = task.shape or task.kind
    demand = filled(
        "first_task",
        language,
        count=CANDIDATES,
        demand=texts(language)[f"first_{sort}"],
        about=_about(state.tools, task, language),
        background=texts(language)["background_setting" if scenario else "background_free"],
        scenario=_scenario(scenario, language),
    ).rstrip()
    messages = render_request("users_and_tools", state, demand, words_said, (Speaker.USER,))
    return AgentRequest("user", FIRST[sort], messages, UserReply)


def later_task(
    state: DialogueState, scenario: Scenario | None, examples: Sequence[WorkedExample], count: int
) -> AgentRequest:
    """What the user says next, leaning on the dialogue in the way that its task dictates.

    examples: where the task's example stands; none: those that come with the package. count: of proposals, all in one
    reply; only the end of the request differs by it, so that endpoints serve the rest from their caches.
    """
    task, language, words = state.tasks[-1], state.language, texts(state.language)
    example = example_of(examples or bundled_patterns(language), task.example)
    demand = filled(
        "later_task",
        language,
        count=count,
        demand=words[f"later_{task.kind}"] + _beside(state, task),
        kind=task.reference.value,
        pattern=words.get(f"pattern_{task.pattern}", task.pattern or ""),
        example=_worked(example, language) if example else "",
    )
    setting = _scenario(scenario, language)
    messages = render_request("users_and_tools", state, demand, words_said, (Speaker.USER,), setting)
    return AgentRequest("user", LATER, messages, UserReply)


def answer(state: DialogueState, vague: bool) -> AgentRequest:
    """The user's answer to the assistant's question; vague: without what was asked for."""
    demand = texts(state.language)["demand_vague" if vague else "demand_answer"]
    messages = render_request("users_and_tools", state, demand, words_said, (Speaker.USER,))
    return AgentRequest("user", "user_vague_answer_ask" if vague else "user_answer_ask", messages, WordsReply)


def parse_proposals(reply: Reply, state: DialogueState, checks: Sequence[str]) -> tuple[list[Proposal], list[Proposal]]:
    """All proposals in a reply, none twice, and those of them that may be said. Raises Unusable where none may."""
    listed = parse_reply(reply, UserReply).candidates[:MOST_CANDIDATES]
    proposals = list({one.message.strip(): _proposal(one) for one in listed if one.message.strip()}.values())
    fitting, refused = [], text("objection_no_candidate", state.language)
    for proposal in proposals:
        objection = next(_objections(proposal, state, checks), None)
        if objection is None:
            fitting.append(proposal)
        else:
            refused = objection
    if not fitting:
        raise Unusable(refused)
    return proposals, fitting


def _proposal(one: ProposalReply) -> Proposal:
    leans = one.refers_to
    return Proposal(
        one.message.strip(),
        one.calls,
        one.withheld,
        Referral(Reference(leans.kind), max(leans.task - 1, 0), leans.words) if leans else None,
    )


def _objections(proposal: Proposal, state: DialogueState, checks: Sequence[str]) -> Iterator[str]:
    """What speaks against saying a proposal, by its words and by what the user means with it."""
    kind, language, tools = state.tasks[-1].kind, state.language, {tool.name: tool for tool in state.tools}
    if (objection := text_objection(proposal.text, language, checks, state.entries)) is not None:
        yield objection
    named = next((name for name in tools if "_" in name and name in proposal.text), None)
    if named is not None:
        yield text("objection_tool_name", language, tool=named)
    unknown = next((call.name for call in proposal.calls if call.name not in tools), None)
    if unknown is not None:
        yield text("objection_intent_tool", language, tool=unknown)
    count, words = len(proposal.calls), texts(language)
    wanted = {"chat": "no", "multi": "several"}.get(kind, "one")
    fits = {"no": not count, "one": count == 1 or (kind == "clarify" and count > 0), "several": count > 1}[wanted]
    if not fits:
        yield text("objection_intent_count", language, found=count, wanted=words[f"objection_{wanted}"])
    needed = {name for call in proposal.calls if call.name in tools for name in required(tools[call.name])}
    if kind == "clarify" and not needed & {name.rpartition(".")[2] for name in proposal.withheld}:
        yield words["objection_intent_withheld"]


def _about(tools: Sequence[Tool], task: PlannedTask, language: str) -> str:
    """The tool that a first task is made for, or all of them, with what each requires; and what is to be left out."""
    if task.kind == "chat":
        return ""
    words = texts(language)
    chosen = [tool for tool in tools if tool.name == task.chosen]
    lines = [words["about_tool" if chosen else "about_tools"], ""]
    for tool in chosen or tools:
        needed = required(tool)
        optional = [name for name in tool.properties if name not in needed]
        listed = [words["comma"].join(part) or words["none"] for part in (needed, optional)]
        lines.append(text("parameters", language, tool=tool.name, required=listed[0], optional=listed[1]))
    if task.missing:
        lines += ["", text("about_missing", language, missing=words["comma"].join(task.missing))]
        rest = [name for tool in chosen for name in required(tool) if name not in task.missing]
        lines += [text("about_said", language, said=words["comma"].join(rest))] if rest else []
    return "\n".join(lines)


def _beside(state: DialogueState, task: PlannedTask) -> str:
    """How the calls hang together, or what may be left out."""
    words, language = texts(state.language), state.language
    if task.shape:
        return words[f"shape_{task.shape}"]
    own: Mapping[str, Sequence[str]] = askable(state.tools) if task.kind == "clarify" else {}
    listed = [text("askable_tool", language, tool=tool, names=words["comma"].join(own[tool])) for tool in own]
    return text("askable", language, askable=words["comma"].join(listed)) if listed else ""


def _scenario(scenario: Scenario | None, language: str) -> str:
    """Who the user is and what it is about, as far as the scenario says; empty without one."""
    if scenario is None:
        return ""
    lines = [
        text(f"scenario_{name}", language, value=value)
        for name in ("persona", "situation", "style")
        if (value := getattr(scenario, name).strip())
    ]
    if scenario.utterances:
        spoken = "\n".join(f"- {' '.join(one.split())}" for one in scenario.utterances[:10])
        lines.append(text("scenario_utterances", language, value=spoken))
    return "\n".join([texts(language)["scenario"], *lines]) if lines else ""


def _worked(example: WorkedExample, language: str) -> str:
    words = texts(language)
    said = [
        line
        for turn in example.earlier
        for line in (words["speaker_user"] + turn.task, words["speaker_agent"] + turn.reply)
    ]
    return "\n".join([*said, words["new_task"] + example.task, words["meaning"] + example.meaning])
