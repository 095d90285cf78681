"""Dialogues built by hand, turn by turn.

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

from toolgauge.chat import Json, Tool
from toolgauge.data.session import ASK, FINAL, Reference
from toolgauge.generation.dialogue import (
    Action,
    Decision,
    Dialogue,
    Entry,
    Observation,
    PlannedTask,
    Speaker,
)

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


def _fenced(value: Any) -> str:
    return f"```json\n{msgspec.json.encode(value).decode()}\n```"
