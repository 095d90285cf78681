"""Calls as the endpoint wrote them.

Inspect parses the arguments of a call, and mends some: a text that is no object becomes the tool's first parameter,
stray quotes are dropped. Our judge wants what the model said. The last place that has it is the provider's own answer,
so what it says there is noted in the output's metadata, before Inspect caches and logs it.
"""

from __future__ import annotations

from functools import wraps

from inspect_ai.model import Model, ModelCall, ModelOutput

from toolgauge.chat import Json, ToolCall
from toolgauge.models.replies import message_reply

WRITTEN = "toolgauge_calls"
"""The key of the output's metadata."""

_WATCHED = "_toolgauge_watched"


def listener(model: Model) -> Model:
    """The same model, noting the calls of its replies as they were written."""
    api = model.api
    if getattr(api, _WATCHED, False):
        return model
    asked = api.generate

    @wraps(asked)
    async def generate(*args: object, **kwargs: object) -> object:
        result = await asked(*args, **kwargs)
        output, call = result if isinstance(result, tuple) else (result, None)
        if isinstance(output, ModelOutput) and call is not None:
            note(output, call)
        return result

    setattr(api, "generate", generate)  # noqa: B010 - of this instance
    setattr(api, _WATCHED, True)
    return model


def note(output: ModelOutput, call: ModelCall) -> None:
    """Put the written calls beside the parsed ones, where the answer is in a format that we know."""
    made = output.message.tool_calls if output.choices else None
    written = calls_of(call.response) if call.response is not None else ()
    if made and len(made) == len(written):
        output.metadata = {**(output.metadata or {}), WRITTEN: [one.wire() for one in written]}


def noted(output: ModelOutput) -> tuple[ToolCall, ...]:
    """The written calls of an output, none where they are not known."""
    return _wire_calls((output.metadata or {}).get(WRITTEN))


def calls_of(response: Json) -> tuple[ToolCall, ...]:
    """The calls in the answer of a chat completions or a Responses API. Others hand over objects: nothing is lost."""
    choices = response.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        message = choices[0].get("message")
        return _wire_calls(message.get("tool_calls")) if isinstance(message, dict) else ()
    items = response.get("output")
    made = [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []
    return _wire_calls(
        [
            {"id": one.get("call_id"), "function": {key: one.get(key) for key in ("name", "arguments")}}
            for one in made
            if one.get("type") == "function_call"
        ]
    )


def _wire_calls(calls: object) -> tuple[ToolCall, ...]:
    return message_reply({"tool_calls": calls}).tool_calls
