"""The user: wants something, wants something more, and answers the assistant's questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from toolgauge.annotation.dialogue import PlannedTask, Speaker
from toolgauge.chat import Reply, Tool
from toolgauge.data.session import TaskType
from toolgauge.generation.agents.messages import last_of, requested, user_and_tools, words_said
from toolgauge.generation.agents.patterns import WorkedExample, bundled_patterns, example_of
from toolgauge.generation.agents.reading import Unreadable, objects_in, text_of
from toolgauge.generation.agents.speech import accepted, read_words, said_by
from toolgauge.generation.askable import askable, required
from toolgauge.generation.prompts import filled, prompt, texts
from toolgauge.generation.setup import Scenario
from toolgauge.generation.state import AgentRequest, AgentView, DialogueState

__all__ = ["CANDIDATES", "AgentRequest", "answer", "first_task", "later_task", "listed_tasks", "read_candidates"]

CANDIDATES = 5
"""Proposals for a task, of which one is drawn: of a first one always, of a later one where all are kept for review."""
MOST_CANDIDATES = 20
MOST_CHARACTERS = 4000
"""A longer task is not read: people do not type that much."""
LATER = "user_continue_question"

_FIRST = {
    "single": ("user_single_tool", "complete", "values"),
    "clarify": ("user_ask", "incomplete", "vague"),
    "chat": ("user_chat", "free", "talk"),
}
"""Of each kind the agent, and what is said about length and difficulty."""
_FIRST_MULTI = {
    "sequential_tools": "user_multi_tool",
    "parallel_tools": "user_multi_tool_parallel",
    "mixed_tools": "user_multi_tool_serial_parallel",
}
_TASK_KEY = re.compile(
    r"(?:task|candidate|候选任务|任务|候选)?[ _#]*(?:\d{1,3}|[一二三四五六七八九十]{1,2})", re.IGNORECASE
)
_DESCRIPTION = ("task_description", "description", "task", "text", "content", "任务描述", "描述", "任务", "内容")
_LISTS = ("tasks", "candidates", "task_list", "任务列表", "候选任务", "任务", "候选", "new_task", "新任务")
_DATA = re.compile(r"\{|\[\s*[\[{\"\]]|```json")
"""How JSON begins that holds no task."""
_ANNOUNCES = re.compile(r"(?:\b(?:user|role|turn|next|persona)\b|用户|角色|扮演|切换).*[:：]\**\s*\Z", re.IGNORECASE)
_WHOLE = re.compile(r"[.?!。？！…][\"'”’）)*]*\s*\Z")
_BLANK = re.compile(r"\n{3,}")


def first_task(state: DialogueState, scenario: Scenario | None) -> AgentRequest:
    """Asks for proposals of the dialogue's first task, of the planned kind and with the dialogue's tools."""
    task, language = state.tasks[-1], state.language
    agent, form, *rest = first_parts(task, scenario)
    words, names = texts("user_parts", language), ("background", "length", "difficulty")
    demand = filled(
        "switch_user_first",
        language,
        demand=prompt(agent, language),
        form=filled(form, language, count=CANDIDATES),
        about=_about(state.tools, task, words),
        scenario=_scenario(scenario, language),
        count=CANDIDATES,
        **{name: words[part] for name, part in zip(names, rest, strict=True)},
    )
    hint = {"agent": agent, "kind": task.kind, "chosen": task.chosen, "shape": task.shape}
    messages = requested(user_and_tools(language), state.view(), _BLANK.sub("\n\n", demand), words_said)
    return AgentRequest("user", agent, messages, hint)


def first_parts(task: PlannedTask, scenario: Scenario | None) -> tuple[str, str, str, str, str]:
    """Of what the request for a first task is made: the prompts of the agent (what is asked for) and of the form of the
    reply, and the names of the texts about background, length and difficulty."""
    background = "background_setting" if _scenario(scenario, "en") else "background_free"
    if task.kind == "multi":
        agent = _FIRST_MULTI[task.shape or TaskType.SEQUENTIAL_TOOLS.value]
        return agent, "user_form_plan", background, "length_complete", "difficulty_calls"
    agent, length, difficulty = _FIRST[task.kind]
    return agent, "user_form", background, f"length_{length}", f"difficulty_{difficulty}"


def later_task(
    state: DialogueState, scenario: Scenario | None, examples: Sequence[WorkedExample] = (), count: int = 1
) -> AgentRequest:
    """What the user says next, leaning on the dialogue in the way that its task dictates.

    examples: where the task's example stands; none: those that come with the package. count: of proposals, all in one
    reply; only the end of the request differs by it, so that endpoints serve the rest from their caches.
    """
    task, view = state.tasks[-1], state.view()
    words, rules = texts("user_parts", state.language), user_and_tools(state.language)
    example = example_of(examples or bundled_patterns(state.language), task.example)
    own = askable(state.tools) if task.kind == "clarify" else {}
    comma, named = words["comma"], words["askable_tool"]
    listed = comma.join(named.format(tool=tool, names=comma.join(names)) for tool, names in own.items())
    kind, reference, pattern = later_parts(task)
    demand = filled(
        "switch_user_later",
        state.language,
        kind="".join(words[part] for part in kind) + (words["askable"].format(askable=listed) if own else ""),
        reference=words[reference],
        pattern=words.get(pattern, task.pattern or ""),
        example=_worked(example, words) if example else "",
        form=filled("user_form_several" if count > 1 else "user_form_one", state.language, count=count),
    )
    hint = {
        "count": count,
        "kind": task.kind,
        "reference": task.reference.value,
        "pattern": task.pattern,
        "example": task.example,
        "shape": task.shape,
    }
    messages = requested(rules, view, demand, words_said, (Speaker.USER,), _scenario(scenario, state.language))
    return AgentRequest("user", LATER, messages, hint)


def later_parts(task: PlannedTask) -> tuple[tuple[str, ...], str, str]:
    """The names of the texts that the request for a later task is made of: on its kind, its reference, its pattern."""
    shape = (f"shape_{task.shape}",) if task.shape else ()
    return (f"kind_{task.kind}", *shape), f"reference_{task.reference.value}", f"pattern_{task.pattern}"


def answer(view: AgentView, vague: bool) -> AgentRequest:
    """The user's answer to the assistant's question; vague: without what was asked for."""
    agent = "user_vague_answer_ask" if vague else "user_answer_ask"
    asked = last_of(view.entries, Speaker.AGENT)
    demand = filled(f"switch_{agent}", view.language, question=asked.text if asked else "")
    messages = requested(user_and_tools(view.language), view, demand, words_said, (Speaker.USER,))
    return AgentRequest("user", agent, messages, {"vague": vague})


def read_candidates(reply: Reply, agent: str, language: str) -> list[str]:
    """The tasks in a reply, at least one, none twice; of a later task it is the only one unless several were asked for.
    A task that holds something nobody says is left out.

    Raises Unreadable without any, or if one is longer than anybody types.
    """
    text = text_of(reply)
    found = listed_tasks(text, agent)
    if not found and agent == LATER:
        words = _one_message(read_words(reply, Speaker.USER))
        found = [] if _DATA.match(words) else [words]
    tasks: list[str] = []
    refused: Unreadable | None = None
    for one in found:
        try:
            tasks.append(_typed(one, agent, language))
        except Unreadable as error:
            refused = error
    tasks = list(dict.fromkeys(tasks))[:MOST_CANDIDATES]
    if not tasks:
        raise refused or Unreadable("no_task")
    if any(len(task) > MOST_CHARACTERS for task in tasks):
        raise Unreadable("long_task", most=MOST_CHARACTERS)
    return tasks


def _one_message(words: str) -> str:
    """Of several paragraphs the one that is the message: a later task is asked for in one line, so what stands in
    front of it under a colon announces it, and what follows a whole sentence explains it."""
    first, blank, rest = words.partition("\n\n")
    if blank and "```" not in words:
        if _ANNOUNCES.search(first):
            return rest.partition("\n\n")[0].strip()
        if _WHOLE.search(first):
            return first.strip()
    return words


def listed_tasks(text: str, agent: str) -> list[str]:
    """The tasks that stand in a text as JSON, as they were written. Raises Unreadable for first tasks without an
    object."""
    try:
        objects = objects_in(text)
    except Unreadable:
        if agent != LATER:
            raise
        return []
    return list(_tasks({key: value for one in objects for key, value in one.value.items()}))


def _tasks(value: Mapping[str, object]) -> Iterator[str]:
    """The tasks in an object {"Task 1": ...}: texts, or objects with a description, or a list of them under one key."""
    for key, part in value.items():
        if _TASK_KEY.fullmatch(key.strip()):
            yield from _described(part)
        elif key.strip().casefold().replace(" ", "_") in _LISTS:
            for one in part if isinstance(part, list) else (part,):
                yield from _described(one) or (_tasks(one) if isinstance(one, dict) else ())


def _described(value: object) -> list[str]:
    """A task that is a text, or an object with a description; else nothing."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, dict):
        return []
    named = {key.strip().casefold().replace(" ", "_"): part for key, part in value.items()}
    return [named[key] for key in _DESCRIPTION if isinstance(named.get(key), str)][:1]


def _typed(text: str, agent: str, language: str) -> str:
    """A task as the user types it, cleaned; a later one in one line. Raises Unreadable for nothing, and for what
    nobody says."""
    words = said_by(text, Speaker.USER)
    if agent == LATER:
        words = (" " if language == "en" else "").join(line.strip() for line in words.splitlines())
    return accepted(words, Speaker.USER)


def _about(tools: Sequence[Tool], task: PlannedTask, words: Mapping[str, str]) -> str:
    """The tool that a first task is made for, or all of them, with what each requires; and what is to be left out."""
    if task.kind == "chat":
        return ""
    chosen = [tool for tool in tools if tool.name == task.chosen]
    lines = [words["about_tool" if chosen else "about_tools"], ""]
    comma, none = words["comma"], words["none"]
    for tool in chosen or tools:
        needed = required(tool)
        optional = [name for name in tool.properties if name not in needed]
        said = [comma.join(part) or none for part in (needed, optional)]
        lines.append(words["parameters"].format(tool=tool.name, required=said[0], optional=said[1]))
    if task.missing:
        lines += ["", words["about_missing"].format(missing=comma.join(task.missing))]
        rest = [name for tool in chosen for name in required(tool) if name not in task.missing]
        lines += [words["about_said"].format(said=comma.join(rest))] if rest else []
    return "\n".join(lines)


def _scenario(scenario: Scenario | None, language: str) -> str:
    """Who the user is and what it is about, as far as the scenario says; empty without one."""
    if scenario is None:
        return ""
    words = texts("user_parts", language)
    lines = [
        words[f"scenario_{name}"].format(value=getattr(scenario, name))
        for name in ("persona", "situation", "style")
        if getattr(scenario, name).strip()
    ]
    if scenario.utterances:
        spoken = "\n".join(f"- {' '.join(one.split())}" for one in scenario.utterances[:10])
        lines.append(words["scenario_utterances"].format(value=spoken))
    return "\n".join([words["scenario"], *lines]) if lines else ""


def _worked(example: WorkedExample, words: dict[str, str]) -> str:
    said = [line for turn in example.earlier for line in (words["user"] + turn.task, words["agent"] + turn.reply)]
    return "\n".join([*said, words["new"] + example.task, words["meaning"] + example.meaning])
