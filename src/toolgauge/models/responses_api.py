"""OpenAI's Responses API: requests and replies. OpenAI's newer reasoning models take tools nowhere else, and all of
them keep their reasoning from call to call only here (docs/models.md#providers). Nothing is stored at the provider.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.chat import Json, Message, Reply, Request, Tool
from toolgauge.models.endings import Ending, ending_of
from toolgauge.models.failures import Answered, AttemptFailure, error_beside, inner_error
from toolgauge.models.model import Sampling
from toolgauge.models.provider_adapter import bounded, settings_of, to_json, wire_arguments
from toolgauge.models.providers import Endpoint
from toolgauge.models.replies import REFUSAL, read_object, read_usage, refusal_in, tame, tool_call


class ResponsesFormat:
    """Requests to `/responses` and their answers."""

    path = "/responses"
    streams = False

    def __init__(self, model: str, endpoint: Endpoint, sampling: Sampling) -> None:
        settings = settings_of(sampling, endpoint.quirks)
        sent = dict(settings.sent)
        for name in ("max_tokens", "max_completion_tokens"):
            if name in sent:
                sent["max_output_tokens"] = sent.pop(name)
        if "reasoning_effort" in sent:
            sent["reasoning"] = {"effort": sent.pop("reasoning_effort")}
        self._settings: Json = {
            "model": model, "store": False, "include": ["reasoning.encrypted_content"], **sent
        }  # fmt: skip
        self._with_tools = dict(settings.with_tools)
        choice = self._with_tools.get("tool_choice")
        if isinstance(choice, dict) and isinstance(choice.get("function"), dict):  # flat here
            self._with_tools["tool_choice"] = {"type": "function", "name": choice["function"].get("name")}
        self._extra = settings.extra

    def body(self, request: Request) -> bytes:
        """The JSON body, UTF-8."""
        settings = bounded(self._settings, "max_output_tokens", request.max_tokens)
        body = {**settings, "input": wire_items(request.messages)}
        if request.tools:
            body["tools"] = [_wire_tool(tool) for tool in request.tools]
            body |= self._with_tools
        elif request.reply_schema is not None:
            schema = {"name": request.reply_schema.name, "schema": request.reply_schema.schema}
            body["text"] = {"format": {"type": "json_schema", **schema}}
        return to_json({**body, **self._extra})

    def reply(self, body: bytes) -> Answered:
        return read_response(body)

    def describe(self) -> Json:
        return {"api": "responses"}


def _wire_tool(tool: Tool) -> Json:
    """Not `strict`, which would ask for schemas that the data sets do not have."""
    return {
        "type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        "strict": False,
    }  # fmt: skip


def wire_items(messages: Sequence[Message]) -> list[Json]:
    """The conversation as items: messages, calls, their results, and reasoning as it came."""
    items: list[Json] = []
    for message in messages:
        if message.role == "tool":
            output = {"call_id": message.tool_call_id or "", "output": message.content or ""}
            items.append({"type": "function_call_output", **output})
            continue
        reasoning = (message.echo or {}).get("reasoning")
        items += reasoning if isinstance(reasoning, list) else []
        if message.content or not message.tool_calls:
            items.append({"role": message.role, "content": message.content or ""})
        for call in message.tool_calls:
            fields = {"call_id": call.id or "", "name": call.name or "", "arguments": wire_arguments(call.arguments)}
            items.append({"type": "function_call", **fields})
    return items


_UNFINISHED = ("failed", "cancelled", "canceled", "queued", "in_progress")
"""What a response may be, beside completed and incomplete: nothing of it is scored."""


def read_response(body: bytes) -> Answered:
    """The reply in the body of a 2xx answer, or why there is none."""
    response = read_object(body, "the body is not a Responses object")
    if isinstance(response, AttemptFailure):
        return response
    status = response.get("status")
    if response.get("error"):
        return inner_error(response["error"], begun=isinstance(status, str))
    if status in _UNFINISHED:
        return AttemptFailure(f"the provider aborted the response (status {status})")
    output = response.get("output")
    if not isinstance(output, list):
        error = error_beside(response)
        return inner_error(error) if error else AttemptFailure("the body is not a Responses object: output missing")
    usage = read_usage(response.get("usage"))
    items = [item for item in output if isinstance(item, dict)]
    calls = tuple(
        tool_call(item.get("call_id"), item.get("name"), item.get("arguments"))
        for item in items
        if item.get("type") == "function_call"
    )
    thinking = [item for item in items if item.get("type") == "reasoning"]
    echoed = [{key: tame(value) for key, value in item.items() if key != "status"} for item in thinking]
    texts = [part for item in items if item.get("type") == "message" for part in _texts(item.get("content"))]
    thoughts = [part for item in thinking for part in _texts(item.get("summary"))]
    refused = any(refusal_in(item) for item in items if item.get("type") == "message")
    model, finish = response.get("model"), REFUSAL if refused else _finish(response, bool(calls))
    ended = status == "completed" or (
        ending_of(finish) in (Ending.FILTER, Ending.LIMIT, Ending.MODEL) and status == "incomplete"
    )
    if not items and not ended and usage.output_tokens == 0:
        return AttemptFailure("the response is empty: no message, no call, not completed")
    return Reply(
        content="".join(texts) if texts else None,
        tool_calls=calls,
        reasoning="\n".join(thoughts) or None,
        finish_reason=finish,
        model=model if isinstance(model, str) else None,
        usage=usage,
        echo={"reasoning": echoed} if echoed else None,
    )


def _texts(parts: object) -> list[str]:
    texts = []
    for part in parts if isinstance(parts, list) else ():
        text = part.get("text", part.get("refusal")) if isinstance(part, dict) else None
        if isinstance(text, str):
            texts.append(text)
    return texts


def _finish(response: Json, calling: bool) -> str | None:
    """Why it ended, in the words of chat completions."""
    if response.get("status") == "incomplete":
        details = response.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        return {"max_output_tokens": "length"}.get(str(reason), str(reason) if isinstance(reason, str) else None)
    return "tool_calls" if calling else "stop"
