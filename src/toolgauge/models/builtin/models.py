"""Built-in models that need no network: pure functions of a request, the same in every run.

builtin/oracle                  says what the annotation says
builtin/silent                  one sentence, never a call
builtin/noisy?seed=1&rate=0.3   the oracle, but with one known mistake in that share of the episodes
builtin/noisy?only=unknown_tool the same with one sort of mistake, wherever it can be made
builtin/scripted?file=F         reads its replies from a file
builtin/keyword                 calls the tool whose name and description have most words in common with the user's
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qs

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from toolgauge.chat import GoldHint, Reply, Request
from toolgauge.errors import DataError, ProviderError, UsageError, os_cause
from toolgauge.files import read_whole
from toolgauge.languages import text_words
from toolgauge.models.builtin.mistakes import call_of, is_chinese, plan_mistakes
from toolgauge.models.replies import message_reply, read_json

LONGER_WAY = 0.2
"""Share of the faultless noisy episodes that make due calls one by one instead of together."""

Play = Callable[[Request], Reply]


class BuiltinModel:
    """A `Model` around a function."""

    def __init__(self, name: str, play: Play) -> None:
        self.name, self.play = name, play

    async def ask(self, request: Request) -> Reply:
        await asyncio.sleep(0)  # others get their turn, as with a model that takes its time
        return self.play(request)

    async def close(self) -> None:
        pass

    def describe(self) -> dict[str, object]:
        return {"provider": "builtin", "model": self.name.partition("/")[2], "base_url": None}


def open_builtin(spec: str, rest: str, seed: int | None = None) -> BuiltinModel:
    """The built-in model that "<name>[?query]" names. seed: of a model that draws, where its query names none. Raises
    UsageError, and DataError for a script that cannot be read."""
    name, _mark, query = rest.partition("?")
    if name not in BUILTIN_MODELS:
        choices = ", ".join(f"builtin/{name}" for name in BUILTIN_MODELS)
        raise UsageError(f"unknown built-in model '{spec}'; choose one of {choices}")
    allowed, build = BUILTIN_MODELS[name]
    values = {key: value[-1] for key, value in parse_qs(query, keep_blank_values=True).items()}
    if seed is not None and "seed" in allowed:
        values.setdefault("seed", str(seed))
    unknown = sorted(set(values) - set(allowed))
    if unknown:
        takes = f"choose one of {', '.join(allowed)}" if allowed else "it has no settings"
        raise UsageError(f"model '{spec}': unknown setting '{unknown[0]}'; {takes}")
    return BuiltinModel(spec, build(spec, values))


def gold_hint_of(request: Request) -> GoldHint:
    """The request's cue; raises ProviderError where a benchmark gives none."""
    if request.gold_hint is None:
        raise ProviderError(f"this built-in model needs annotated data, and the role {request.role!r} has none", True)
    return request.gold_hint


def oracle(request: Request) -> Reply:
    """What the annotation says, in the fewest steps."""
    return gold_hint_of(request).reply


def silent(request: Request) -> Reply:
    """One sentence in the language of the last user message, whatever is due."""
    return Reply(
        content="抱歉，这件事我帮不上忙。" if is_chinese(request) else "Sorry, that is nothing I can help with."
    )


def noisy(seed: int, rate: float, only: str | None = None) -> Play:
    """The oracle with one planted mistake per episode, in a share `rate` of the episodes.

    What happens in an episode depends on the seed and the episode's id alone. The mistake is drawn, class first, from
    those possible at the drawn step, and named in `Reply.planted`. only: the name of one mistake, which is then made at
    every step at which it is possible.
    """

    def play(request: Request) -> Reply:
        gold_hint = gold_hint_of(request)
        digest = hashlib.sha256(f"{seed}/{request.episode}".encode("utf-8", "replace")).digest()
        draw = random.Random(int.from_bytes(digest[:8], "big"))
        if draw.random() < rate:
            if only is not None:
                return _planted(request, draw, only)
            at = draw.randrange(max(1, gold_hint.steps))
            return _planted(request, draw) if request.step == at else gold_hint.reply
        if draw.random() < LONGER_WAY and gold_hint.due == "calls":
            return replace(gold_hint.reply, tool_calls=gold_hint.reply.tool_calls[:1])
        return gold_hint.reply

    return play


def _planted(request: Request, draw: random.Random, only: str | None = None) -> Reply:
    """One of the mistakes that are possible now; the right reply where none is."""
    possible = [plan for plan in plan_mistakes(request) if only in (None, plan[0])]
    if not possible:
        return gold_hint_of(request).reply
    name = draw.choice(sorted({name for name, _ in possible}))
    return draw.choice([reply for planted, reply in possible if planted == name])


def keyword(request: Request) -> Reply:
    """Where calls are due: the tool on offer whose name and description have most words in common with what the user
    said last; the first of equal ones, and none that was called before and is not due again. If it is due, its calls
    are those of the annotation, else one with made-up arguments. What is due otherwise it says as the oracle does.
    Tools that have to be found it searches with the user's words, once; where that finds none it gives up.

    So its choice depends on the words of the definitions and of the user alone: what a changed definition does can be
    computed beforehand (docs/tools.md#trials).
    """
    hint = gold_hint_of(request)
    due, done = {call.name for call in hint.reply.tool_calls}, {call.name for call in hint.done}
    place = max((place for place, message in enumerate(request.messages) if message.role == "user"), default=0)
    done |= {call.name for message in request.messages[place:] for call in message.tool_calls}
    tools = [tool for tool in request.tools if tool.name in due or tool.name not in done]
    utterance = request.messages[place].content or ""
    if hint.due == "search":
        search = hint.reply.tool_calls[0]
        if request.messages[-1].role != "tool":
            return Reply(tool_calls=(replace(search, arguments=json.dumps({"query": utterance}, ensure_ascii=False)),))
        tools = [tool for tool in tools if tool.name != search.name]
        if not tools:
            return silent(request)
    elif hint.due != "calls":
        tools = []
    if not tools:
        return hint.reply
    words = text_words(utterance)
    chosen = max(tools, key=lambda tool: len(words & text_words(f"{tool.name} {tool.description}")))
    calls = tuple(call for call in hint.reply.tool_calls if call.name == chosen.name)
    return Reply(tool_calls=calls or (call_of(chosen),))


def scripted(file: Path) -> Play:
    """Replies from a file of lines {"episode": ..., "step": 0, "reply": {an OpenAI assistant message}}.

    Lines without "step" are an episode's replies in order. Raises DataError; a reply that the file lacks is a
    permanent ProviderError when it is asked for.
    """
    replies = _read_script(file)

    def play(request: Request) -> Reply:
        reply = replies.get((request.episode, request.step))
        if reply is None:
            raise ProviderError(f"{file}: no reply for episode '{request.episode}', step {request.step}", True)
        return reply

    return play


class _ScriptLine(Struct):
    episode: str
    reply: dict[str, object]
    step: Annotated[int, Meta(ge=0)] | None = None


def _read_script(file: Path) -> dict[tuple[str, int], Reply]:
    try:
        lines = read_whole(file).splitlines()
    except OSError as error:
        raise UsageError(f"cannot read the script {file}: {os_cause(error)}") from None
    replies: dict[tuple[str, int], Reply] = {}
    counted: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = msgspec.convert(read_json(line), _ScriptLine)
        except ValueError as error:  # a ValidationError is one
            raise DataError(f"invalid line: {error}", file, number) from None
        step = entry.step
        if step is None:
            step = counted.get(entry.episode, 0)
            counted[entry.episode] = step + 1
        if (entry.episode, step) in replies:
            raise DataError(f"duplicate reply for episode '{entry.episode}', step {step}", file, number)
        replies[entry.episode, step] = message_reply(entry.reply)
    return replies


def _build_noisy(spec: str, values: dict[str, str]) -> Play:
    try:
        seed, rate = int(values.get("seed", "0")), float(values.get("rate", "0.3"))
    except ValueError:
        raise UsageError(f"model '{spec}': seed must be an integer and rate a number") from None
    if not 0 <= rate <= 1:
        raise UsageError(f"model '{spec}': rate must be between 0 and 1")
    return noisy(seed, rate, values.get("only") or None)


def _build_scripted(spec: str, values: dict[str, str]) -> Play:
    if not values.get("file"):
        raise UsageError(f"model '{spec}': file missing; write builtin/scripted?file=replies.jsonl")
    return scripted(Path(values["file"]).expanduser())


BUILTIN_MODELS: dict[str, tuple[tuple[str, ...], Callable[[str, dict[str, str]], Play]]] = {
    "oracle": ((), lambda _spec, _values: oracle),
    "silent": ((), lambda _spec, _values: silent),
    "keyword": ((), lambda _spec, _values: keyword),
    "noisy": (("seed", "rate", "only"), _build_noisy),
    "scripted": (("file",), _build_scripted),
}
"""Player -> the settings of its query, and how it is built from them."""
