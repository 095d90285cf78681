"""Conversations written line by line, as logs have them.

log("U weather in Oslo?", 'C get_weather {"city": "Oslo"}', 'R {"sky": "grey"}', "A It is grey.")

Several C lines in a row are made together; R lines answer the open calls in their order; S is a system message; T a
text beside the calls behind it.
"""

from __future__ import annotations

from toolgauge.chat import Json, Tool, ToolCall
from toolgauge.logs.conversation import Conversation, LogMessage

TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}


def tool(name: str, description: str = "", **properties: Json) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Tool(name, description or name.replace("_", " "), schema)


TOOLS = (
    tool("get_weather", city=TEXT),
    tool("search_trains", origin=TEXT, destination=TEXT),
    tool("book_train", train_id=TEXT, seats=WHOLE),
)


def log(*lines: str, tools: tuple[Tool, ...] = TOOLS, time: str | None = "2025-03-14T18:05:00") -> Conversation:
    messages: list[LogMessage] = []
    waiting: list[str] = []
    said = ""
    for number, line in enumerate(lines):
        mark, _, text = line.partition(" ")
        if mark == "C":
            name, _, arguments = text.partition(" ")
            call = ToolCall(f"call_{number}", name, arguments)
            if number and lines[number - 1].startswith("C "):
                before = messages.pop()
                messages.append(LogMessage("assistant", before.content, (*before.tool_calls, call)))
            else:
                messages.append(LogMessage("assistant", said or None, (call,)))
            waiting.append(f"call_{number}")
            said = ""
        elif mark == "R":
            messages.append(LogMessage("tool", text, tool_call_id=waiting.pop(0) if waiting else "nobody"))
        elif mark == "T":
            said = text
        else:
            messages.append(LogMessage({"U": "user", "A": "assistant", "S": "system"}[mark], text))
    return Conversation("log", tuple(messages), tools, time=time)
