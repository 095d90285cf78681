"""A model that fails in twelve different ways, and is right in a thirteenth, as a chat completions server.

    python scripted.py

prints its base URL as the first line and serves until its standard input is closed. Which way it takes is the number of
the entry modulo 13. What it replies follows from the messages of the request alone (and the category, which the model's
name ends with), so that everybody who asks the same is told the same.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bfcl_eval
from aiohttp import web

from toolgauge_bfcl.original import entries, gold_calls

Json = dict[str, Any]
DATA = Path(bfcl_eval.__file__).parent / "data"
Calls = list[tuple[str, Any]]
"""Names and arguments; arguments that are a text are sent as that text."""


class Script:
    """The annotated calls of a conversation, by turn, and where in it the model is."""

    def __init__(self, turns: Sequence[Calls], turn: int, step: int) -> None:
        self.turns = turns
        self.turn = turn
        self.step = step
        busy = [number for number, calls in enumerate(turns) if calls]
        self.first, self.last = busy[0], busy[-1]

    @property
    def due(self) -> Calls:
        """The call of this step, one a reply; none where the turn is over."""
        return self.turns[self.turn][self.step : self.step + 1]


def right(script: Script) -> Calls | str:
    return script.due or "Done."


def only_talks(script: Script) -> Calls | str:
    return f"I shall do that ({script.turn})."


def says_nothing(script: Script) -> Calls | str:
    return ""


def wrong_value(script: Script) -> Calls | str:
    if (script.turn, script.step) != (script.last, 0):
        return right(script)
    return [(name, {key: _other(value) for key, value in arguments.items()}) for name, arguments in script.due]


def _other(value: Any) -> Any:
    return value + 1 if isinstance(value, int | float) else f"{value}x" if isinstance(value, str) else value


def leaves_out_the_last(script: Script) -> Calls | str:
    left_out = script.turn == script.last and script.step == len(script.turns[script.last]) - 1
    return "Done." if left_out else right(script)


def calls_twice(script: Script) -> Calls | str:
    return script.due * 2 or "Done."


def never_stops(script: Script) -> Calls | str:
    return script.due or script.turns[script.first][:1]


def never_stops_at_the_end(script: Script) -> Calls | str:
    return never_stops(script) if script.turn == len(script.turns) - 1 else right(script)


def broken_arguments(script: Script) -> Calls | str:
    if (script.turn, script.step) != (script.last, 0):
        return right(script)
    return [(name, json.dumps(arguments)[:-1]) for name, arguments in script.due]


def arguments_in_a_list(script: Script) -> Calls | str:
    if (script.turn, script.step) != (script.first, 0):
        return right(script)
    return [(name, json.dumps([arguments])) for name, arguments in script.due]


def unknown_function(script: Script) -> Calls | str:
    """One that is not on offer before each right call, and one that Python has."""
    if script.step < 2:
        return [("do_everything", {}), ("len", {"obj": "abc"})][script.step : script.step + 1]
    return script.turns[script.turn][script.step - 2 : script.step - 1] or "Done."


def all_at_once(script: Script) -> Calls | str:
    """Everything that the conversation will need, in its first reply."""
    everything = [call for calls in script.turns for call in calls]
    return everything if (script.turn, script.step) == (0, 0) else "Done already."


def backwards(script: Script) -> Calls | str:
    """All calls of a turn in one reply, the last of them first."""
    return script.turns[script.turn][::-1] if script.step == 0 else "Done."


WAYS: tuple[Callable[[Script], Calls | str], ...] = (
    right, only_talks, says_nothing, wrong_value, leaves_out_the_last, calls_twice, never_stops, never_stops_at_the_end,
    broken_arguments, arguments_in_a_list, unknown_function, all_at_once, backwards,
)  # fmt: skip


class ScriptedModel:
    """The replies to the conversations of one category."""

    def __init__(self, category: str) -> None:
        self.conversations = [
            (
                index,
                [turn[0]["content"] if turn else None for turn in entry["question"]],
                [[(call["name"], call["arguments"]) for call in turn] for turn in gold_calls(entry, gold)],
            )
            for index, (entry, gold) in enumerate(entries(DATA, category))
        ]

    def __call__(self, messages: Sequence[Json]) -> Json:
        """The assistant's message that follows these."""
        said = [message["content"] for message in messages if message["role"] == "user"]
        step = next(n for n, message in enumerate(reversed(messages)) if message["role"] == "user")
        step = sum(message["role"] == "assistant" for message in messages[len(messages) - step :])
        for index, users, turns in self.conversations:
            if all(expected in {None, content} for expected, content in zip(users, said, strict=False)):
                return _message(WAYS[index % len(WAYS)](Script(turns, len(said) - 1, step)), len(messages))
        raise ValueError("no conversation begins like this one")


def _message(answer: Calls | str, number: int) -> Json:
    if isinstance(answer, str):
        return {"role": "assistant", "content": answer}
    calls = [
        {
            "id": f"call_{number}_{place}",
            "type": "function",
            "function": {"name": name, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)},
        }
        for place, (name, arguments) in enumerate(answer)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def application(latency: float) -> web.Application:
    """The server; latency in seconds."""
    models: dict[str, ScriptedModel] = {}

    async def answer(request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        category = body["model"].partition("-")[2].replace("-", "_")
        if category not in models:
            models[category] = ScriptedModel(category)
        message = models[category](body["messages"])
        await asyncio.sleep(latency)
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        completion = {"id": "scripted", "object": "chat.completion", "created": 1, "model": body["model"]}
        return web.json_response({**completion, "choices": [choice], "usage": usage})

    app = web.Application(client_max_size=2**28)
    app.router.add_post("/v1/chat/completions", answer)
    return app


async def serve(app: web.Application) -> None:
    """Print the base URL, then serve until standard input is closed."""
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=2048).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    asyncio.run(serve(application(parser.parse_args().latency)))
