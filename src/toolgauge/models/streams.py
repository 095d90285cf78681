"""Replies that come as a stream: put together to what would have come at once, and stopped where they repeat
themselves.

A stream that nobody asked for is read all the same. llama.cpp's server is asked for one (formats.py), so that a reply
which repeats itself without end does not keep it busy up to the limit of tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolgauge.chat import Json
from toolgauge.models.endings import REPEATS, repeats_itself

CHECKED = 400
"""Characters after which a reply is looked at again."""
LONG = 1_000
"""Characters of a repetition for which a reply is stopped: less may be a table, or meant."""
STOPPED = f'\n\ndata: {{"choices": [{{"index": 0, "delta": {{}}, "finish_reason": "{REPEATS}"}}]}}\n\n'.encode()
"""The last event of a stream that was stopped here."""
_TEXTS = ("content", "reasoning_content", "reasoning", "refusal")


def is_stream(body: bytes) -> bool:
    """Is a body made of server-sent events?"""
    return body[:200].lstrip().startswith((b"data:", b"event:", b": "))


def put_together(body: bytes) -> bytes:
    """The chat completion that a stream's events amount to, as JSON. One that ends without a finish reason carries an
    error: it broke off."""
    completion: Json = {"object": "chat.completion"}
    choices: dict[int, Json] = {}
    for event in _events(body):
        for choice in event.get("choices") or ():
            if isinstance(choice, dict):
                index = choice.get("index")
                index = index if isinstance(index, int) else 0
                _add(choices.setdefault(index, {"message": {"role": "assistant"}}), choice)
        for name in ("model", "usage", "timings", "metrics", "error"):
            if event.get(name):
                completion[name] = event[name]
    if choices and not any(choice.get("finish_reason") for choice in choices.values()):
        completion.setdefault("error", {"message": "the stream broke off before the reply was complete"})
    completion["choices"] = [{"index": index, **choices[index]} for index in sorted(choices)]
    return json.dumps(completion).encode()


def _events(body: bytes) -> Iterator[Json]:
    for line in body.splitlines():
        if line.startswith(b"data:"):
            try:
                event = json.loads(line[5:])
            except (ValueError, RecursionError):  # the end, "[DONE]", and what is cut off
                continue
            if isinstance(event, dict):
                yield event


def _add(choice: Json, event: Json) -> None:
    """Add an event's part of a choice: a delta, or a whole message."""
    if event.get("finish_reason"):
        choice["finish_reason"] = event["finish_reason"]
    delta = event.get("delta") or event.get("message")
    if not isinstance(delta, dict):
        return
    message = choice["message"]
    for name, value in delta.items():
        if name == "tool_calls" and isinstance(value, list):
            calls: list[Any] = message.setdefault("tool_calls", [])
            for call in value:
                _add_call(calls, call)
        elif name in _TEXTS and isinstance(value, str):
            message[name] = (message.get(name) or "") + value
        elif value is not None:
            message[name] = value


def _add_call(calls: list[Any], part: object) -> None:
    """Add a part of a call: its arguments come in pieces, all else at once."""
    if not isinstance(part, dict):
        calls.append(part)
        return
    index = part.get("index") if isinstance(part.get("index"), int) else len(calls)
    call = next((call for call in calls if isinstance(call, dict) and call.get("index") == index), None)
    if call is None:
        calls.append({**part, "index": index})
        return
    function, more = call.setdefault("function", {}), part.get("function")
    for name, value in (more if isinstance(more, dict) else {}).items():
        both_texts = isinstance(value, str) and isinstance(function.get(name), str)
        function[name] = function[name] + value if both_texts and name == "arguments" else value or function.get(name)
    call.update({name: value for name, value in part.items() if name not in ("function", "index") and value})


class LoopWatch:
    """Reads along with a stream and says when its reply repeats itself."""

    def __init__(self) -> None:
        self.stopped = False
        self._line = b""
        self._text = ""
        self._unchecked = 0

    def __call__(self, part: bytes) -> bool:
        """part: the next bytes. Returns whether enough was seen."""
        *lines, self._line = (self._line + part).split(b"\n")
        for event in _events(b"\n".join(lines)):
            for choice in event.get("choices") or ():
                delta = choice.get("delta") if isinstance(choice, dict) else None
                texts = [delta.get(name) for name in _TEXTS] if isinstance(delta, dict) else []
                text = "".join(str(text) for text in texts if text)
                self._text += text
                self._unchecked += len(text)
        if self._unchecked >= CHECKED:
            self._text, self._unchecked = self._text[-20_000:], 0
            self.stopped = repeats_itself(self._text, LONG, exactly=True)
        return self.stopped
