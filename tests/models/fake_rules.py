"""What providers refuse, and what they put into their replies: the rules of the fakes, written from documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

Json = dict[str, Any]


class Memory:
    """What a fake gave out with a call's id and wants to see again (None: nothing), by that id."""

    def __init__(self) -> None:
        self.issued: dict[str, str | None] = {}

    def new_id(self, shape: str = "call_{}") -> str:
        id_ = shape.format(len(self.issued))
        self.issued[id_] = f"secret thought {len(self.issued)}"
        return id_


Check = Callable[[Memory, Json], str | None]
"""Why a request is refused, or None."""


def answers(body: Json) -> Iterator[Json]:
    """The assistant's messages with calls."""
    return (one for one in body["messages"] if one["role"] == "assistant" and one.get("tool_calls"))


def orderly(fake: Memory, body: Json) -> str | None:
    """Every result follows the calls, every call has its result, and the conversation does not end with an answer."""
    open_: set[str] = set()
    for message in body["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_:
                return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            open_.remove(message["tool_call_id"])
            if not isinstance(message["content"], str):
                return "the content of a tool message must be a text"
        elif open_:
            return f"tool_call_ids did not have response messages: {open_}"
        open_ |= {call["id"] for call in message.get("tool_calls", ())}
        for call in message.get("tool_calls", ()):
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                return "arguments must be a JSON object"
    return "the last message must not be the assistant's" if body["messages"][-1]["role"] == "assistant" else None


def words_are_texts(fake: Memory, body: Json) -> str | None:
    """No null where a message's content should be."""
    return next((f"content is null: {one['role']}" for one in body["messages"] if one["content"] is None), None)


def forbids(*names: str) -> Check:
    return lambda _fake, body: next((f"{name} is not supported" for name in names if name in body), None)


def wants(name: str, value: Any) -> Check:
    """A field that changes what the model can do, and whose default is the lesser."""
    return lambda _fake, body: f"{name} should be {value}" if body.get("tools") and body.get(name) != value else None


def limited_by(name: str) -> Check:
    other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[name]
    return lambda _fake, body: f"use {name} instead of {other}" if other in body else None


def reasoning_comes_back(fake: Memory, body: Json) -> str | None:
    """DeepSeek and Moonshot: thinking is on, so every message with calls has its reasoning, and the right one."""
    for index, message in enumerate(answers(body)):
        if "reasoning_content" not in message:
            return (
                f"thinking is enabled but reasoning_content is missing in assistant tool call message at index {index}"
            )
        if (known := fake.issued.get(message["tool_calls"][0]["id"])) and message["reasoning_content"] != known:
            return "another reasoning_content than it was"
    return None


def reasoning_kept(field: str) -> Check:
    """Every message with calls that was thought about brings the thought, in the field of this name."""

    def check(fake: Memory, body: Json) -> str | None:
        for message in answers(body):
            known = fake.issued.get(message["tool_calls"][0]["id"])
            if known and message.get(field) != known:
                return f"{field} was lost"
        return None

    return check


def nine_characters(fake: Memory, body: Json) -> str | None:
    ids = [call["id"] for message in answers(body) for call in message["tool_calls"]]
    ids += [message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"]
    wrong = next((id_ for id_ in ids if not re.fullmatch("[a-zA-Z0-9]{9}", id_)), None)
    return wrong and f"Tool call id was {wrong} but must be a-z, A-Z, 0-9, with a length of 9."


def mistral_order(fake: Memory, body: Json) -> str | None:
    """As mistral-common validates it: after a tool's result comes another, or the assistant, who says something."""
    roles = [message["role"] for message in body["messages"]]
    if ("tool", "user") in pairwise(roles):
        return "Unexpected role 'user' after role 'tool'"
    silent = any(
        one["role"] == "assistant" and not one["content"] and "tool_calls" not in one for one in body["messages"]
    )
    return "Assistant message must have either content or tool_calls, but not none." if silent else None


def strict_turns(fake: Memory, body: Json) -> str | None:
    """Hunyuan: user (or tool) and assistant in turns, from the user on; only tool messages may follow each other."""
    roles = [message["role"] for message in body["messages"] if message["role"] != "system"]
    sides = [role for role, before in zip(roles, ["", *roles], strict=False) if role != "tool" or before != "tool"]
    turns = ["assistant" if role == "assistant" else "user" for role in sides]
    fine = turns[::2] == ["user"] * len(turns[::2]) and turns[1::2] == ["assistant"] * len(turns[1::2])
    return None if fine and turns[-1] == "user" else "messages 中 user（tool） 和 assistant 角色需交替出现"


def results_are_named(fake: Memory, body: Json) -> str | None:
    return "name is missing" if any(one["role"] == "tool" and not one.get("name") for one in body["messages"]) else None


def no_names(fake: Memory, body: Json) -> str | None:
    return "messages[].name is not supported" if any("name" in one for one in body["messages"]) else None


def signatures_come_back(fake: Memory, body: Json) -> str | None:
    """Gemini 3: the first call of a step has the signature it was given, or the documented stand-in of foreign ones."""
    for message in answers(body):
        for position, call in enumerate(message["tool_calls"]):
            known = fake.issued.get(call["id"])
            expected = known or (position == 0 and "skip_thought_signature_validator")
            found = call.get("extra_content", {}).get("google", {}).get("thought_signature")
            if expected and found != expected:
                return f"Function call is missing a thought_signature in functionCall parts: {call['id']}"
    return None


OPENAPI_FIELDS = frozenset(
    ("type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties",
     "required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf",
     "propertyOrdering", "default", "minimum", "maximum")
)  # fmt: skip


def openapi_only(fake: Memory, body: Json) -> str | None:
    for tool in body.get("tools", ()):
        if not re.fullmatch(r"[A-Za-z_][\w.:-]{0,63}", tool["function"]["name"]):
            return "Invalid function name"
        if trouble := _openapi_trouble(tool["function"]["parameters"]):
            return trouble
    return None


def _openapi_trouble(schema: Json) -> str | None:
    if unknown := set(schema) - OPENAPI_FIELDS:
        return f'Unknown name "{unknown.pop()}" at function_declarations.parameters: Cannot find field.'
    kind, properties = schema.get("type"), schema.get("properties", {})
    if kind is not None and kind not in ("string", "number", "integer", "boolean", "array", "object"):
        return f"Invalid value at type: {kind}"
    if "enum" in schema and (kind != "string" or not all(isinstance(one, str) for one in schema["enum"])):
        return "enum: only allowed for STRING type"
    if kind == "array" and "items" not in schema:
        return "items: missing field"
    if missing := [name for name in schema.get("required", ()) if name not in properties]:
        return f"required: property is not defined: {missing}"
    inner = [*properties.values(), *schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else [])]
    return next((trouble for one in inner if (trouble := _openapi_trouble(one))), None)


def details_come_back(fake: Memory, body: Json) -> str | None:
    """OpenRouter: reasoning_details of a message with calls, unchanged."""
    for message in answers(body):
        known = fake.issued.get(message["tool_calls"][0]["id"])
        if known and message.get("reasoning_details") != [{"type": "reasoning.encrypted", "data": known}]:
            return "reasoning_details were lost"
    return None


def only_auto(fake: Memory, body: Json) -> str | None:
    return "tool_choice: only auto" if body.get("tool_choice", "auto") != "auto" else None


def with_reasoning(name: str) -> Callable[[Memory, Json], None]:
    """Replies with calls say what was thought, in a field of this name."""

    def dress(fake: Memory, message: Json) -> None:
        if message.get("tool_calls"):
            message[name] = fake.issued[message["tool_calls"][0]["id"]]

    return dress


def mistral_dress(fake: Memory, message: Json) -> None:
    """Ids of nine characters; words as parts, thinking among them."""
    for call in message.get("tool_calls", ()):
        call["id"] = fake.new_id("Mi{:07d}")
    if message.get("content"):
        thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
        message["content"] = [thinking, {"type": "text", "text": message["content"]}]


def gemini_dress(fake: Memory, message: Json) -> None:
    """A signature at the first of parallel calls only."""
    for position, call in enumerate(message.get("tool_calls", ())):
        if position == 0:
            call["extra_content"] = {"google": {"thought_signature": fake.issued[call["id"]]}}
        else:
            fake.issued[call["id"]] = None


def openrouter_dress(fake: Memory, message: Json) -> None:
    if message.get("tool_calls"):
        secret = fake.issued[message["tool_calls"][0]["id"]]
        message |= {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.encrypted", "data": secret}]}


def messages_rules(fake: Memory, body: Json) -> str | None:
    """What the reference says of `messages`: turns, results at once and first, nothing empty, thinking unchanged."""
    if "max_tokens" not in body:
        return "max_tokens: Field required"
    messages = body["messages"]
    if [one["role"] for one in messages] != [
        "user" if index % 2 == 0 else "assistant" for index in range(len(messages))
    ]:
        return "roles must alternate"
    due: list[str] = []
    for message in messages:
        blocks = message["content"]
        if not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks):
            return "text content blocks must contain non-whitespace text"
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if sorted(results) != sorted(due) or "tool_result" in [block["type"] for block in blocks[len(results) :]]:
            return f"tool_use ids were found without tool_result blocks immediately after: {due}"
        used = [block for block in blocks if block["type"] == "tool_use"]
        if not all(re.fullmatch("[a-zA-Z0-9_-]+", block["id"]) and isinstance(block["input"], dict) for block in used):
            return "tool_use: bad id or input"
        due = [block["id"] for block in used]
        thought = [{"type": "thinking", "thinking": "hm", "signature": fake.issued.get(id_)} for id_ in due[:1]]
        if due and due[0] in fake.issued and blocks[0] not in thought:
            return "thinking blocks cannot be modified"
    return "tools: bad definition" if any(set(one) != TOOL_FIELDS for one in body.get("tools", ())) else None


TOOL_FIELDS = {"name", "description", "input_schema"}


def responses_rules(fake: Memory, body: Json) -> str | None:
    """Nothing stored, so reasoning comes back encrypted before its call; every call has its output."""
    if body.get("store") is not False or body.get("include") != ["reasoning.encrypted_content"]:
        return "reasoning cannot be carried on"
    before: Json = {}
    for item in body["input"]:
        if item.get("type") == "function_call" and (secret := fake.issued.get(item["call_id"])):
            first = before.get("type") != "function_call"
            if first and before.get("encrypted_content") != secret:
                return "Item of type 'function_call' was provided without its required 'reasoning' item"
        before = item
    calls = sorted(item["call_id"] for item in body["input"] if item.get("type") == "function_call")
    outputs = sorted(item["call_id"] for item in body["input"] if item.get("type") == "function_call_output")
    if calls != outputs:
        return "No tool output found for function call"
    return (
        "Missing required parameter: 'tools[0].name'"
        if any("name" not in one for one in body.get("tools", ()))
        else None
    )
