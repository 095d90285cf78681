"""One dialogue in the form of every format, as small as its documentation allows: two tasks, a call in each.

user: find me a hotel in Bergen        call: search_hotels, reply: I found H7.
user: book it for 3 nights             call: book_hotel, reply: Booked: B-22.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

from tests.logs.log_files import Json, otlp, parts, span

ASK, BOOK = "find me a hotel in Bergen", "book it for 3 nights"
FOUND, BOOKED = "I found H7.", "Booked: B-22."
SEARCH: tuple[str, Json, Json] = ("search_hotels", {"city": "Bergen"}, {"hotels": ["H7"]})
RESERVE: tuple[str, Json, Json] = ("book_hotel", {"hotel_id": "H7", "nights": 3}, {"booking": "B-22"})
STEPS = ((ASK, "c1", SEARCH, FOUND), (BOOK, "c2", RESERVE, BOOKED))
TOOLS: list[Json] = [
    {
        "name": "search_hotels",
        "description": "Find.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
    {
        "name": "book_hotel",
        "description": "Book.",
        "parameters": {"type": "object", "properties": {"hotel_id": {"type": "string"}, "nights": {"type": "integer"}}},
    },
]


def text(value: object) -> str:
    return json.dumps(value)


def wire_tools() -> list[Json]:
    return [{"type": "function", "function": tool} for tool in TOOLS]


def chat() -> list[Json]:
    messages: list[Json] = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        function = {"name": name, "arguments": text(arguments)}
        messages += [
            {"role": "user", "content": ask},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": call_id, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": call_id, "content": text(answer)},
            {"role": "assistant", "content": reply},
        ]
    return messages


def items() -> list[Json]:
    """As items of OpenAI's Responses."""
    listed: list[Json] = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        listed += [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ask}]},
            {"type": "reasoning", "id": f"rs_{call_id}", "summary": []},
            {
                "type": "function_call",
                "id": f"fc_{call_id}",
                "call_id": call_id,
                "name": name,
                "arguments": text(arguments),
            },
            {"type": "function_call_output", "call_id": call_id, "output": text(answer)},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": reply, "annotations": []}],
            },
        ]
    return listed


def blocks() -> list[Json]:
    """As Anthropic's messages."""
    messages: list[Json] = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        messages += [
            {"role": "user", "content": ask},
            {"role": "assistant", "content": [{"type": "tool_use", "id": call_id, "name": name, "input": arguments}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": text(answer)}]},
            {"role": "assistant", "content": [{"type": "text", "text": reply}]},
        ]
    return messages


def contents() -> list[Json]:
    """As Gemini's contents, which have no ids."""
    listed: list[Json] = []
    for ask, _id, (name, arguments, answer), reply in STEPS:
        listed += [
            {"role": "user", "parts": [{"text": ask}]},
            {"role": "model", "parts": [{"functionCall": {"name": name, "args": arguments}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": name, "response": answer}}]},
            {"role": "model", "parts": [{"text": reply}]},
        ]
    return listed


def converse() -> list[Json]:
    messages: list[Json] = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        messages += [
            {"role": "user", "content": [{"text": ask}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}]},
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": call_id, "content": [{"json": answer}], "status": "success"}}],
            },
            {"role": "assistant", "content": [{"text": reply}]},
        ]
    return messages


def ui_messages() -> list[Json]:
    messages: list[Json] = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        part = {
            "type": f"tool-{name}",
            "toolCallId": call_id,
            "state": "output-available",
            "input": arguments,
            "output": answer,
        }
        messages += [
            {"id": f"u{call_id}", "role": "user", "parts": [{"type": "text", "text": ask}]},
            {
                "id": f"a{call_id}",
                "role": "assistant",
                "parts": [{"type": "step-start"}, part, {"type": "step-start"}, {"type": "text", "text": reply}],
            },
        ]
    return messages


def model_messages() -> list[Json]:
    messages: list[Json] = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        output = {"type": "json", "value": answer}
        messages += [
            {"role": "user", "content": [{"type": "text", "text": ask}]},
            {
                "role": "assistant",
                "content": [{"type": "tool-call", "toolCallId": call_id, "toolName": name, "input": arguments}],
            },
            {
                "role": "tool",
                "content": [{"type": "tool-result", "toolCallId": call_id, "toolName": name, "output": output}],
            },
            {"role": "assistant", "content": reply},
        ]
    return messages


def langchain(serialized: bool) -> list[Json]:
    messages: list[Json] = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        calls = [{"name": name, "args": arguments, "id": call_id, "type": "tool_call"}]
        plain = (
            ("human", {"content": ask}),
            ("ai", {"content": "", "tool_calls": calls}),
            ("tool", {"content": text(answer), "tool_call_id": call_id, "status": "success"}),
            ("ai", {"content": reply}),
        )
        for kind, fields in plain:
            name_of = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}[kind]
            constructor = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name_of]}
            messages.append(
                {**constructor, "kwargs": {**fields, "type": kind}} if serialized else {"type": kind, **fields}
            )
    return messages


def requests(messages: list[Json]) -> list[tuple[list[Json], Json]]:
    """What was sent, and the reply, for every reply of a dialogue."""
    return [(messages[:place], one) for place, one in enumerate(messages) if one["role"] in ("assistant", "model")]


def pairs(messages: list[Json], key: str, answer: Callable[[Json], Json]) -> str:
    """A line for every request with its response."""
    return jsonl(*({"request": {key: given}, "response": answer(reply)} for given, reply in requests(messages)))


def langgraph() -> str:
    """Two states of a thread, the newest first."""
    states = [
        {
            "values": {"messages": langchain(serialized=False)[:end]},
            "config": {"configurable": {"thread_id": "1"}},
            "created_at": f"2026-11-01T10:00:0{end}+00:00",
        }
        for end in (8, 4)
    ]
    return json.dumps(states, indent=1)


def jsonl(*lines: object) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def langsmith() -> str:
    said = langchain(serialized=True)
    runs = [
        {
            "id": f"r{place}",
            "trace_id": "t1",
            "run_type": "llm",
            "start_time": f"2026-11-01T10:00:0{place}",
            "inputs": {"messages": [said[:place]]},
            "outputs": {"generations": [[{"message": one}]]},
            "extra": {"invocation_params": {"tools": wire_tools()}, "metadata": {"thread_id": "th"}},
        }
        for place, one in enumerate(said)
        if one["kwargs"]["type"] == "ai"
    ]
    return jsonl({"id": "t1", "run_type": "chain", "inputs": {"input": "x"}, "outputs": {"output": "y"}}, *runs)


def langfuse_rows() -> list[Json]:
    return [
        {
            "id": f"o{place}",
            "traceId": "t1",
            "type": "GENERATION",
            "startTime": f"2026-11-01T10:00:0{place}Z",
            "input": {"messages": given, "tools": wire_tools()},
            "output": reply,
        }
        for place, (given, reply) in enumerate(requests(chat()))
    ]


def langfuse_csv() -> str:
    file = io.StringIO()
    rows = [
        {key: value if isinstance(value, str) else json.dumps(value, indent=1) for key, value in row.items()}
        for row in langfuse_rows()
    ]
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def otel(details: bool) -> str:
    spans = []
    for place, (given, reply) in enumerate(requests(chat())):
        attributes: Json = {"gen_ai.operation.name": "chat"}
        content = {"gen_ai.input.messages": text(parts(given)), "gen_ai.output.messages": text(parts([reply]))}
        definitions = {"gen_ai.tool.definitions": text(wire_tools())}
        if not details:
            spans.append(span(place, attributes | content | definitions))
            continue
        pairs = [{"key": key, "value": {"stringValue": value}} for key, value in (content | definitions).items()]
        events = [{"name": "gen_ai.client.inference.operation.details", "timeUnixNano": "1", "attributes": pairs}]
        spans.append(span(place, attributes, events=events))
    return jsonl(otlp(spans))


def openinference() -> str:
    spans = []
    for place, (given, reply) in enumerate(requests(chat())):
        attributes: Json = {"openinference.span.kind": "LLM", "session.id": "s1"}
        for prefix, listed in (("llm.input_messages", given), ("llm.output_messages", [reply])):
            for number, message in enumerate(listed):
                at = f"{prefix}.{number}.message"
                attributes |= {
                    f"{at}.{key}": message[key] for key in ("role", "content", "tool_call_id") if message.get(key)
                }
                for call in message.get("tool_calls", ()):
                    attributes[f"{at}.tool_calls.0.tool_call.id"] = call["id"]
                    for key, value in call["function"].items():
                        attributes[f"{at}.tool_calls.0.tool_call.function.{key}"] = value
        attributes |= {f"llm.tools.{n}.tool.json_schema": text(tool) for n, tool in enumerate(wire_tools())}
        spans.append(span(place, attributes))
    return jsonl(otlp(spans))


def ai_spans() -> str:
    spans = []
    said = model_messages()
    for place, (given, reply) in enumerate(requests(said)):
        attributes: Json = {
            "operation.name": "ai.generateText.doGenerate",
            "ai.operationId": "ai.generateText.doGenerate",
        }
        attributes |= {
            "ai.prompt.messages": text(given),
            "ai.prompt.tools": [text({"type": "function", **tool}) for tool in TOOLS],
        }
        if isinstance(reply["content"], str):
            attributes["ai.response.text"] = reply["content"]
        else:
            calls = [{key: part[key] for key in ("toolCallId", "toolName", "input")} for part in reply["content"]]
            attributes["ai.response.toolCalls"] = text(calls)
        spans.append(span(place, attributes))
    outer = span(
        99,
        {
            "operation.name": "ai.generateText",
            "ai.operationId": "ai.generateText",
            "ai.prompt": text({"messages": said[:1]}),
        },
    )
    return jsonl(otlp([outer, *spans]))


def console_spans() -> str:
    """As Python's console exporter prints them: one object for a span."""
    return "".join(
        json.dumps(
            {
                "name": "chat m",
                "context": {"trace_id": "0x1", "span_id": f"0x{place}"},
                "start_time": f"2026-11-01T10:00:0{place}Z",
                "attributes": {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.input.messages": text(parts(given)),
                    "gen_ai.output.messages": text(parts([reply])),
                },
            }
        )
        + "\n"
        for place, (given, reply) in enumerate(requests(chat()))
    )


def agents_sdk() -> str:
    spans: list[Json] = [{"object": "trace", "id": "trace_1", "workflow_name": "w", "group_id": None}]
    for place, (given, reply) in enumerate(requests(chat())):
        data = {"type": "generation", "input": given, "output": [reply], "model": "m"}
        spans.append({"object": "trace.span", "id": f"s{place}", "trace_id": "trace_1", "span_data": data})
    return jsonl(*spans)


def sharegpt() -> list[Json]:
    turns = []
    for ask, _id, (name, arguments, answer), reply in STEPS:
        turns += [
            {"from": "human", "value": ask},
            {"from": "function_call", "value": text({"name": name, "arguments": arguments})},
            {"from": "observation", "value": text(answer)},
            {"from": "gpt", "value": reply},
        ]
    return turns


def hermes(quote: Callable[[object], str]) -> list[Json]:
    system = f"You call functions. <tools>\n{quote(wire_tools())}\n</tools> Use <tool_call> tags."
    turns = [{"from": "system", "value": system}]
    for ask, _id, (name, arguments, answer), reply in STEPS:
        turns += [
            {"from": "human", "value": ask},
            {"from": "gpt", "value": f"<tool_call>\n{quote({'arguments': arguments, 'name': name})}\n</tool_call>"},
            {"from": "tool", "value": f"<tool_response>\n{text({'name': name, 'content': answer})}\n</tool_response>"},
            {"from": "gpt", "value": reply},
        ]
    return turns


def toolace() -> Json:
    turns = []
    for ask, _id, (name, arguments, answer), reply in STEPS:
        given = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        turns += [
            {"from": "user", "value": ask},
            {"from": "assistant", "value": f"[{name}({given})]"},
            {"from": "tool", "value": text([{"name": name, "results": answer}])},
            {"from": "assistant", "value": reply},
        ]
    return {
        "system": f"Here is a list of functions in JSON format:\n{text(TOOLS)}. \nUse them.",
        "conversations": turns,
    }


def glaive() -> Json:
    chat_text = ""
    for ask, _id, (name, arguments, answer), reply in STEPS:
        call = f'{{"name": "{name}", "arguments": \'{text(arguments)}\'}}'
        chat_text += f"USER: {ask}\n\n\nASSISTANT: <functioncall> {call} <|endoftext|>\n\n\n"
        chat_text += f"FUNCTION RESPONSE: {text(answer)}\n\n\nASSISTANT: {reply} <|endoftext|>\n\n\n"
    functions = "\n".join(json.dumps(tool, indent=4) for tool in TOOLS)
    return {"system": f"SYSTEM: You have access to these functions -\n{functions}", "chat": chat_text}


def claude_code() -> str:
    lines: list[Json] = [{"type": "summary", "summary": "x", "leafUuid": "y"}]
    parent = None
    for place, message in enumerate(blocks()):
        base = {
            "sessionId": "S1",
            "uuid": f"u{place}",
            "parentUuid": parent,
            "isSidechain": False,
            "timestamp": "2026-11-01T10:00:00Z",
        }
        lines.append({**base, "type": message["role"], "message": {"id": f"msg_{place}", **message}})
        parent = f"u{place}"
    return jsonl(*lines)


def codex() -> str:
    meta = {"timestamp": "2026-11-01T10:00:00Z", "type": "session_meta", "payload": {"id": "sess"}}
    surroundings = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "<environment_context>/w</environment_context>"}],
    }
    said = [{"timestamp": "x", "type": "response_item", "payload": item} for item in (surroundings, *items())]
    return jsonl(meta, *said, {"type": "event_msg", "payload": {"type": "token_count"}})


def tau2() -> Json:
    messages: list[Json] = [{"role": "assistant", "content": "Hi! How can I help?", "tool_calls": None}]
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        messages += [
            {"role": "user", "content": ask},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": call_id, "name": name, "arguments": arguments, "requestor": "assistant"}],
            },
            {"role": "tool", "id": call_id, "content": text(answer), "requestor": "assistant", "error": False},
            {
                "role": "user",
                "content": None,
                "tool_calls": [{"id": f"u{call_id}", "name": "look_at_phone", "arguments": {}, "requestor": "user"}],
            },
            {"role": "tool", "id": f"u{call_id}", "content": "off", "requestor": "user", "error": False},
            {"role": "assistant", "content": reply},
        ]
    messages.append({"role": "user", "content": "###STOP###"})
    info = {"environment_info": {"policy": "Be kind.", "tool_defs": wire_tools()}}
    return {
        "timestamp": "x",
        "info": info,
        "tasks": [],
        "simulations": [{"id": "s", "task_id": "7", "trial": 0, "messages": messages}],
    }


def bfcl() -> Json:
    log: list[Json] = [{"role": "state_info", "class_name": "X", "content": {}}]
    for ask, _id, (name, arguments, answer), reply in STEPS:
        given = ",".join(f"{key}={value!r}" for key, value in arguments.items())
        log.append(
            {
                "begin_of_turn_query": [{"role": "user", "content": ask}],
                "step_0": [
                    {"role": "assistant", "content": [{name: text(arguments)}]},
                    {"role": "handler_log", "content": "ok", "model_response_decoded": [f"{name}({given})"]},
                    {"role": "tool", "content": text(answer)},
                ],
                "step_1": [{"role": "assistant", "content": reply}, {"role": "handler_log", "content": "empty"}],
            }
        )
    return {"id": "multi_turn_base_0", "result": [], "inference_log": log, "latency": 1}


def autogen() -> Json:
    messages = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        messages += [
            {"source": "user", "type": "TextMessage", "content": ask},
            {
                "source": "bot",
                "type": "ToolCallRequestEvent",
                "content": [{"id": call_id, "name": name, "arguments": text(arguments)}],
            },
            {
                "source": "bot",
                "type": "ToolCallExecutionEvent",
                "content": [{"call_id": call_id, "name": name, "content": text(answer), "is_error": False}],
            },
            {"source": "bot", "type": "TextMessage", "content": reply},
        ]
    return {"messages": messages, "stop_reason": "x"}


def autogen_state() -> Json:
    messages = []
    for ask, call_id, (name, arguments, answer), reply in STEPS:
        messages += [
            {"source": "user", "type": "UserMessage", "content": ask},
            {
                "source": "bot",
                "type": "AssistantMessage",
                "content": [{"id": call_id, "name": name, "arguments": text(arguments)}],
            },
            {
                "type": "FunctionExecutionResultMessage",
                "content": [{"call_id": call_id, "name": name, "content": text(answer), "is_error": False}],
            },
            {"source": "bot", "type": "AssistantMessage", "content": reply},
        ]
    state = {"type": "AssistantAgentState", "version": "1.0.0", "llm_context": {"messages": messages}}
    return {
        "type": "TeamState",
        "version": "1.0.0",
        "agent_states": {"bot/1": {"type": "ChatAgentContainerState", "agent_state": state}},
    }


def inspect() -> Json:
    messages: list[Json] = []
    for message in chat():
        calls = [
            {
                "id": call["id"],
                "function": call["function"]["name"],
                "arguments": json.loads(call["function"]["arguments"]),
                "type": "function",
            }
            for call in message.get("tool_calls", ())
        ]
        messages.append({**message, "content": message["content"] or "", **({"tool_calls": calls} if calls else {})})
    sample = {"id": 1, "epoch": 1, "messages": messages, "events": [{"event": "model", "tools": TOOLS}]}
    return {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": [sample]}


def litellm() -> str:
    return jsonl(
        *(
            {
                "id": f"x{place}",
                "call_type": "acompletion",
                "messages": given,
                "model_parameters": {"tools": wire_tools()},
                "response": {"object": "chat.completion", "choices": [{"message": reply}]},
                "metadata": {},
                "startTime": 1.7e9 + place,
            }
            for place, (given, reply) in enumerate(requests(chat()))
        )
    )


def helicone() -> str:
    return jsonl(
        *(
            {
                "request_id": f"x{place}",
                "request_created_at": "2026-11-01T10:00:00Z",
                "request_properties": {"Helicone-Session-Id": "h1"},
                "request_body": {"messages": given, "tools": wire_tools()},
                "response_body": {"choices": [{"message": reply}]},
            }
            for place, (given, reply) in enumerate(requests(chat()))
        )
    )


def responses_chain() -> str:
    """Requests that name the response before them and hold only what is new."""
    lines: list[Json] = []
    new: list[Json] = []
    for item in items():
        if item["type"] in ("function_call", "message") and item.get("role") != "user":
            number = len(lines)
            request: Json = {"model": "m", "input": new, "tools": [{"type": "function", **tool} for tool in TOOLS]}
            if lines:
                request["previous_response_id"] = f"resp_{number - 1}"
            lines.append(
                {"request": request, "response": {"id": f"resp_{number}", "object": "response", "output": [item]}}
            )
            new = []
        elif item["type"] != "reasoning":
            new.append(item)
    return jsonl(*lines)


def invocation_log() -> str:
    said = converse()
    return jsonl(
        *(
            {
                "schemaType": "ModelInvocationLog",
                "timestamp": "2026-11-01T10:00:00Z",
                "requestId": f"q{place}",
                "operation": "Converse",
                "input": {
                    "inputBodyJson": {
                        "messages": given,
                        "toolConfig": {
                            "tools": [
                                {"toolSpec": {**tool, "inputSchema": {"json": tool["parameters"]}}} for tool in TOOLS
                            ]
                        },
                    }
                },
                "output": {"outputBodyJson": {"output": {"message": reply}}},
            }
            for place, (given, reply) in enumerate(requests(said))
        )
    )


SAMPLES: dict[str, tuple[str, str, str]] = {
    "openai lines": ("openai", "a.jsonl", jsonl({"messages": chat(), "tools": wire_tools()})),
    "openai array of messages": ("openai", "a.json", json.dumps(chat(), indent=2)),
    "openai array of conversations": (
        "openai",
        "a.json",
        json.dumps([{"messages": chat(), "tools": wire_tools()}], indent=1),
    ),
    "openai object": ("openai", "a.json", json.dumps({"messages": chat(), "tools": wire_tools()}, indent=1)),
    "openai messages as text": ("openai", "a.jsonl", jsonl({"messages": text(chat()), "tools": text(wire_tools())})),
    "openai pairs": ("openai", "a.jsonl", pairs(chat(), "messages", lambda reply: {"choices": [{"message": reply}]})),
    "responses items": (
        "responses",
        "a.jsonl",
        jsonl({"input": items(), "tools": [{"type": "function", **tool} for tool in TOOLS]}),
    ),
    "responses chain": ("responses", "a.jsonl", responses_chain()),
    "responses array": ("responses", "a.json", json.dumps(items())),
    "anthropic": (
        "anthropic",
        "a.jsonl",
        jsonl(
            {
                "system": "x",
                "messages": blocks(),
                "tools": [{"name": tool["name"], "input_schema": tool["parameters"]} for tool in TOOLS],
            }
        ),
    ),
    "anthropic pairs": (
        "anthropic",
        "a.jsonl",
        pairs(blocks(), "messages", lambda reply: {"type": "message", **reply}),
    ),
    "gemini": ("gemini", "a.jsonl", jsonl({"contents": contents(), "tools": [{"functionDeclarations": TOOLS}]})),
    "gemini pairs": (
        "gemini",
        "a.jsonl",
        pairs(contents(), "contents", lambda reply: {"candidates": [{"content": reply}]}),
    ),
    "bedrock converse": ("bedrock", "a.jsonl", jsonl({"modelId": "m", "messages": converse()})),
    "bedrock invocation log": ("bedrock", "a.jsonl", invocation_log()),
    "ai-sdk ui": ("ai-sdk", "a.jsonl", jsonl({"id": "c", "messages": ui_messages()})),
    "ai-sdk ui array": ("ai-sdk", "a.json", json.dumps(ui_messages())),
    "ai-sdk model": ("ai-sdk", "a.jsonl", jsonl({"messages": model_messages()})),
    "langchain": ("langchain", "a.jsonl", jsonl({"messages": langchain(serialized=False)})),
    "langsmith": ("langsmith", "a.jsonl", langsmith()),
    "langgraph": ("langgraph", "a.json", langgraph()),
    "langfuse": ("langfuse", "a.jsonl", jsonl(*langfuse_rows())),
    "langfuse list input": (
        "langfuse",
        "a.jsonl",
        jsonl(*({**row, "input": row["input"]["messages"]} for row in langfuse_rows())),
    ),
    "langfuse csv": ("langfuse", "a.csv", langfuse_csv()),
    "langfuse trace": (
        "langfuse",
        "a.json",
        json.dumps({"id": "t1", "sessionId": "s", "observations": langfuse_rows()}, indent=1),
    ),
    "otel attributes": ("otel", "a.jsonl", otel(details=False)),
    "otel details event": ("otel", "a.jsonl", otel(details=True)),
    "otel ai sdk": ("otel", "a.jsonl", ai_spans()),
    "otel console": ("otel", "a.jsonl", console_spans()),
    "openinference": ("openinference", "a.jsonl", openinference()),
    "agents sdk": ("agents-sdk", "a.jsonl", agents_sdk()),
    "inspect": ("inspect", "a.json", json.dumps(inspect())),
    "sharegpt": ("sharegpt", "a.jsonl", jsonl({"conversations": sharegpt(), "tools": text(TOOLS)})),
    "hermes json": ("sharegpt", "a.jsonl", jsonl({"conversations": hermes(text)})),
    "hermes python": ("sharegpt", "a.jsonl", jsonl({"conversations": hermes(repr)})),
    "toolace": ("toolace", "a.jsonl", jsonl(toolace())),
    "glaive": ("glaive", "a.jsonl", jsonl(glaive())),
    "claude code": ("claude-code", "a.jsonl", claude_code()),
    "codex": ("codex", "a.jsonl", codex()),
    "tau2": ("tau", "a.json", json.dumps(tau2(), indent=1)),
    "bfcl": ("bfcl", "a.jsonl", jsonl(bfcl())),
    "autogen": ("autogen", "a.json", json.dumps(autogen(), indent=1)),
    "autogen state": ("autogen", "a.json", json.dumps(autogen_state(), indent=1)),
    "litellm": ("litellm", "a.jsonl", litellm()),
    "helicone": ("helicone", "a.jsonl", helicone()),
}
"""By name: the format that must be recognised, the file's name and its content."""
