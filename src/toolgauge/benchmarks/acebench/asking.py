"""The options of a run; an entry of the normal and special categories: one request in two styles, and its reply as the
text that is judged (docs/acebench.md#two-styles-of-asking).
"""

from __future__ import annotations

import json
from typing import Annotated, Literal

from msgspec.structs import replace

from toolgauge.benchmarks.acebench.builtin import perfect_text, wrong_answers
from toolgauge.benchmarks.acebench.data.entries import AceEntry, NativeTools, select_categories
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, decode_message_exact, render_calls, strip_reasoning
from toolgauge.benchmarks.acebench.decoder.values import MAX_DEPTH
from toolgauge.benchmarks.acebench.prompts import prompt
from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.options import BenchmarkOptions, option
from toolgauge.chat import GoldHint, Message, Reply, Request, Tool, ToolCall
from toolgauge.data.lines import within_depth
from toolgauge.episode import ASSISTANT, Episode, Step, Stop, Trajectory

Style = Literal["prompt", "native"]


class AceOptions(BenchmarkOptions, frozen=True):
    """categories: names or groups. max_turns: messages of an agent's conversation."""

    categories: Annotated[
        tuple[str, ...],
        option(
            "Categories or groups (normal, special, agent, atom, multi_turn), by commas.",
            flag="category",
            selects=True,
        ),
    ] = ()
    style: Annotated[
        Style,
        option(
            "Calls as text (prompt, the published way and the default), or native.",
            in_conversation="native",
        ),
    ] = "prompt"
    max_turns: Annotated[int, option("Maximum messages of an agent's conversation.", ge=1, rare=True)] = 40

    def __post_init__(self) -> None:
        """Raise UsageError for an unknown category."""
        select_categories(self.categories)


UNREADABLE = "[unreadable arguments]"
"""What a natively made call with arguments that are no JSON object becomes as text: something no decoder accepts."""


def single_episode(entry: AceEntry, sample: Sample, style: Style) -> Episode:
    """One request, one answer."""
    messages, tools = single_request(entry, style)
    calls_natively = style == "native" and entry.kind.group == "normal"

    def render(text: str) -> Reply:
        return natively(entry.native, Reply(text)) if calls_natively else Reply(text)

    gold_hint = GoldHint(
        "final",
        render(perfect_text(entry)),
        mistakes=lambda: [(error.value, render(text)) for error, text in wrong_answers(entry)],
    )
    reply = yield Request(ASSISTANT, messages, tools, sample.key, 0, gold_hint)
    extra = {"style": style}
    step = Step(messages, reply)
    return Trajectory(sample.key, entry.session_id, (step,), entry.turn or 0, sample.epoch, tools, Stop.ANSWERED, extra)


def single_request(entry: AceEntry, style: Style) -> tuple[tuple[Message, ...], tuple[Tool, ...]]:
    """The messages for an entry, and the tools offered beside them (none in the published style)."""
    kind = "special" if entry.kind.group == "special" else "preference" if _has_profile(entry) else "normal"
    context = entry.profile if _has_profile(entry) else entry.time
    question = prompt("history", entry.language, question=entry.question)
    if style == "native":
        system = prompt(f"{kind}_native", entry.language, context=context)
        return (Message("system", system), Message("user", question)), entry.native.tools
    system = prompt(kind, entry.language, context=context, functions=function_text(entry))
    return (Message("system", system), Message("user", question)), ()


def _has_profile(entry: AceEntry) -> bool:
    return entry.category == "normal_preference"


def function_text(entry: AceEntry) -> str:
    """The candidate functions as the reference shows them: the text form of a Python list of dictionaries."""
    return repr([function.original for function in entry.functions])


def answer_text(entry: AceEntry, reply: Reply) -> str:
    """What the checkers read: the reply's text without its reasoning, or its native calls written as text."""
    if reply.tool_calls:
        calls = native_calls(entry.native, reply)
        return UNREADABLE if calls is None else render_calls(calls)
    return strip_reasoning(reply.content or "")


def native_calls(tools: NativeTools, reply: Reply) -> tuple[AceCall, ...] | None:
    """The calls that a reply made through the endpoint's own tool calling, under the functions' own names.

    None where one of them has no name, or arguments that are no JSON object or nested deeper than a decoder reads.
    """
    calls = []
    for call in reply.tool_calls:
        arguments = _object(call.arguments)
        if call.name is None or arguments is None:
            return None
        calls.append(AceCall(tools.original(call.name), arguments))
    return tuple(calls)


def natively(tools: NativeTools, reply: Reply, step: int = 0) -> Reply:
    """A built-in model's reply with the calls of its text as native ones; as it is where that is no list of calls.

    step: how many replies came before, for ids that no two calls of a conversation share.
    """
    calls = decode_message_exact(reply.content)
    if not isinstance(calls, tuple) or not calls or any(call.positional for call in calls):
        return reply
    aliases = {name: alias for alias, name in tools.names.items()}
    try:
        texts = [json.dumps(call.arguments, ensure_ascii=False) for call in calls]
    except TypeError:  # bytes and complex numbers, which only text can say
        return reply
    made = tuple(
        ToolCall(f"call_{step}_{number}", aliases.get(call.name, call.name), text)
        for number, (call, text) in enumerate(zip(calls, texts, strict=True))
    )
    return replace(reply, content=None, tool_calls=made)


def _object(arguments: object) -> dict[str, object] | None:
    """Arguments as an object; `{}` for what servers give in place of none: nothing, null, blank or "null"."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError):
            return None
    if arguments is None:
        return {}
    return arguments if isinstance(arguments, dict) and within_depth(arguments, MAX_DEPTH) else None
