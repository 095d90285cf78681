"""Dialogues built by hand, turn by turn, and dialogues rebuilt from annotated sessions.

dialogue([
    user("weather in Oslo?"),
    calls(Action("get_weather", {"city": "Oslo"})), results({"sky": "grey"}),
    closes("It is grey."),
])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from toolgauge.annotation.dialogue import (
    Action,
    CheckerFinding,
    Decision,
    Dialogue,
    Entry,
    Observation,
    PlannedTask,
    Speaker,
)
from toolgauge.chat import Json, Tool
from toolgauge.data.session import ASK, FINAL, Call, Reference, Session, Task

MOMENT = {"en": "2024-05-03 09:12:44 Friday", "zh": "2024-05-03 09:12:44 星期五"}

Turns = Sequence[Any]
"""Entries, and lists of entries, at any depth."""


def tool(name: str, description: str = "", required: Iterable[str] = (), **properties: Json) -> Tool:
    """A tool definition: its parameters by name, each a JSON Schema."""
    return Tool(name, description, {"type": "object", "properties": properties, "required": list(required)})


TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}
TOOLS = (
    tool(
        "get_weather", "Weather of a city on a day.", ["city"], city=TEXT, date=TEXT, unit={**TEXT, "enum": ["C", "F"]}
    ),
    tool("search_trains", "Find trains between two cities.", ["origin", "destination"], origin=TEXT, destination=TEXT),
    tool("book_train", "Book seats on a train.", ["train_id", "seats"], train_id=TEXT, seats=WHOLE),
    tool("send_mail", "Send a mail.", ["to", "text"], to=TEXT, text=TEXT),
)


def user(text: str, agent: str = "user_single_tool") -> Entry:
    return Entry(Speaker.USER, text, 0, agent)


def calls(*actions: Action, thought: str = "", plan: str = "", accepted: bool = True) -> Entry:
    """The planner's turn."""
    decision = Decision(False, thought, plan, actions)
    listed = [{"name": one.name, "arguments": one.arguments, "tool_call_purpose": one.purpose} for one in actions]
    said = {"Task_Finish": "no", "Thought": thought, "Plan": plan, "Action_List": listed}
    return Entry(Speaker.PLANNER, _fenced(said), 0, "planner", accepted, decision)


def results(*responses: Any, status: int = 200, accepted: bool = True) -> Entry:
    """The tools' turn, one response a call."""
    observations = tuple(Observation(status, response) for response in responses)
    said = {"Observation_List": msgspec.to_builtins(observations)}
    return Entry(Speaker.TOOL, _fenced(said), 0, "tool", accepted, observations=observations)


def objection(rule: str, text: str = "No.") -> Entry:
    """A checker's verdict on the planner's try before it (which is to have `accepted=False`)."""
    finding = CheckerFinding(rule, "tool_call_analysis", text)
    return Entry(Speaker.PLANNER_CHECKER, text, 0, "checker_planner", findings=(finding,))


def asks(question: str, answer: str, tool_name: str, *missing: str) -> list[Entry]:
    """The planner asks back, the agent words it, the user answers."""
    wanted = {"tool_name": tool_name, "missing_required_parameters": list(missing)}
    return [
        calls(Action(ASK, {"tool_list": [wanted]})),
        Entry(Speaker.AGENT, question, 0, "agent_ask"),
        Entry(Speaker.USER, answer, 0, "user_answer_ask"),
    ]


def closes(text: str, answer_type: str = "tool") -> list[Entry]:
    """The planner finishes, the agent says so."""
    agent = "agent_answer" if answer_type == "tool" else "agent_answer_chat"
    return [calls(Action(FINAL, {"answer_type": answer_type})), Entry(Speaker.AGENT, text, 0, agent)]


def dialogue(
    *tasks: Turns,
    kinds: Sequence[str] = (),
    references: Sequence[Reference] = (),
    language: str = "en",
    tools: tuple[Tool, ...] = TOOLS,
    moment: str | None = None,
    earlier: int = 0,
    name: str = "d0",
) -> Dialogue:
    """A finished dialogue. kinds: of the planned tasks ("single" where not given); references: of all tasks."""
    entries = [replace(entry, task=number) for number, task in enumerate(tasks) for entry in flat(task)]
    planned = []
    for number in range(len(tasks)):
        kind = kinds[number] if number < len(kinds) else "single"
        usual = Reference.PARTIAL_INFORMATION if number else Reference.FIRST_TURN
        planned.append(PlannedTask(kind, references[number] if number < len(references) else usual))
    when = moment or MOMENT[language]
    return Dialogue(name, language, when, "tests", tools, tuple(planned), tuple(entries), earlier=earlier)


def flat(turns: Entry | Iterable[Any]) -> Iterable[Entry]:
    """The entries in lists of lists."""
    if isinstance(turns, Entry):
        yield turns
        return
    for turn in turns:
        yield from flat(turn)


def rebuilt(session: Session, together: bool = True) -> Dialogue:
    """A dialogue that would be annotated like this session, if annotators see what its authors saw.

    together: the planner makes every call as soon as it can; otherwise one call a turn, whatever depends on what.
    """
    tasks = [_rebuilt_task(task, together) for task in session.tasks]
    kinds, references = [t.type.kind for t in session.tasks], [t.reference for t in session.tasks]
    return dialogue(
        *tasks,
        kinds=kinds,
        references=references,
        language=session.language,
        tools=session.tools,
        moment=session.clock,
        name=session.id,
    )


def _rebuilt_task(task: Task, together: bool) -> list[Entry]:
    turns: list[Entry] = [user(task.utterance)]
    for group in _steps(task.calls[:-1], together):
        turns.append(calls(*(Action(call.name, call.arguments) for call in group)))
        if group[0].name == ASK:
            turns.append(Entry(Speaker.AGENT, str(group[0].observation), 0, "agent_ask"))
            turns.append(Entry(Speaker.USER, group[0].user_input or "", 0, "user_answer_ask"))
        else:
            turns.append(results(*(call.observation for call in group)))
    last = task.calls[-1]
    return turns + closes(str(last.observation), str(last.arguments.get("answer_type", "tool")))


def _steps(nodes: Sequence[Call], together: bool) -> list[list[Call]]:
    """The nodes turn by turn; their order is kept, so that they can be compared by position."""
    steps: list[list[Call]] = []
    for call in nodes:
        alone = not together or not steps or call.name == ASK or steps[-1][0].name == ASK
        if alone or any(before.index in call.after for before in steps[-1]):
            steps.append([call])
        else:
            steps[-1].append(call)
    return steps


def _fenced(value: Any) -> str:
    return f"```json\n{msgspec.json.encode(value).decode()}\n```"
