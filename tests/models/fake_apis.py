"""The APIs of the fakes: which moment a request is, and how a reply looks there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.models.fake_rules import Memory
from toolgauge.chat import Reply

Json = dict[str, Any]
Moment = tuple[str, int]
"""What the user has said so far, and how many results there are: no way of writing a conversation changes that."""
Dress = Callable[[Memory, Json], None]

INPUT, OUTPUT, CACHED, REASONING = 100, 20, 40, 5
"""Tokens of every answer, whatever the provider calls them."""


class Chat:
    @staticmethod
    def moment(body: Json) -> Moment:
        messages = body["messages"]
        said = [message["content"] for message in messages if message["role"] == "user"]
        return "\n\n".join(said), sum(message["role"] == "tool" for message in messages)

    @staticmethod
    def answer(fake: Memory, reply: Reply, dress: Dress, usage: Json) -> Json:
        message: Json = {"role": "assistant", "content": reply.content}
        if reply.tool_calls:
            message["tool_calls"] = [call.wire() | {"id": fake.new_id()} for call in reply.tool_calls]
        dress(fake, message)
        finish = "tool_calls" if reply.tool_calls else "stop"
        choices = [{"index": 0, "finish_reason": finish, "message": message}]
        return {"id": "1", "model": "fake-1", "choices": choices, "usage": usage}


class Messages:
    @staticmethod
    def moment(body: Json) -> Moment:
        blocks = [block for message in body["messages"] if message["role"] == "user" for block in message["content"]]
        said = [block["text"] for block in blocks if block["type"] == "text"]
        return "\n\n".join(said), sum(block["type"] == "tool_result" for block in blocks)

    @staticmethod
    def answer(fake: Memory, reply: Reply, _dress: Dress, _usage: Json) -> Json:
        blocks: list[Json] = []
        calls = [
            {"type": "tool_use", "id": fake.new_id("toolu_{}"), "name": call.name, "input": _object(call.arguments)}
            for call in reply.tool_calls
        ]
        if calls:
            blocks.append({"type": "thinking", "thinking": "hm", "signature": fake.issued[calls[0]["id"]]})
        if reply.content:
            blocks.append({"type": "text", "text": reply.content})
        usage: Json = {"input_tokens": INPUT - CACHED, "cache_read_input_tokens": CACHED, "output_tokens": OUTPUT}
        usage |= {"cache_creation_input_tokens": 0, "output_tokens_details": {"reasoning_tokens": REASONING}}
        reason = "tool_use" if calls else "end_turn"
        return {"type": "message", "role": "assistant", "model": "fake-1", "content": [*blocks, *calls],
                "stop_reason": reason, "usage": usage}  # fmt: skip


class Responses:
    @staticmethod
    def moment(body: Json) -> Moment:
        said = [item["content"] for item in body["input"] if item.get("role") == "user"]
        return "\n\n".join(said), sum(item.get("type") == "function_call_output" for item in body["input"])

    @staticmethod
    def answer(fake: Memory, reply: Reply, _dress: Dress, _usage: Json) -> Json:
        calls = [
            {"type": "function_call", "id": f"fc_{index}", "call_id": fake.new_id(), "name": call.name,
             "arguments": call.arguments, "status": "completed"}
            for index, call in enumerate(reply.tool_calls)
        ]  # fmt: skip
        items: list[Json] = []
        if calls:
            secret = fake.issued[calls[0]["call_id"]]
            items.append({"type": "reasoning", "id": f"rs_{secret}", "summary": [], "encrypted_content": secret})
        if reply.content:
            text = {"type": "output_text", "text": reply.content, "annotations": []}
            items.append({"type": "message", "role": "assistant", "content": [text]})
        usage: Json = {
            "input_tokens": INPUT,
            "input_tokens_details": {"cached_tokens": CACHED},
            "output_tokens": OUTPUT,
        }
        usage |= {"output_tokens_details": {"reasoning_tokens": REASONING}}
        return {"status": "completed", "model": "fake-1", "output": [*items, *calls], "usage": usage, "error": None}


def _object(arguments: Any) -> Any:
    """Arguments as this API has them; broken ones, which it never sends, as the text they are."""
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


APIS: dict[str, Any] = {"chat": Chat, "messages": Messages, "responses": Responses}
