"""One question with one tool: does the endpoint answer, call and take results back, before a whole run relies on it?

    question with the tool -> the tool's result -> the question without the tool, to see what its prompt grows by

What is found is a `Finding`; the words for people are in `probe_words`. Every reply is bounded: a model that talks
without end costs MOST_TOKENS, one that reasons for long is asked once more with MOST_REASONING.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import GoldHint, Message, Reply, Request, Tool, ToolCall
from toolgauge.errors import ProviderError
from toolgauge.models.dialects.turn_marks import holds_marks
from toolgauge.models.endings import Ending, Unfinished, ending_of, unfinished
from toolgauge.models.local_server import ServerProperties
from toolgauge.models.model import Model
from toolgauge.models.probe_result import Finding, ProbeRecord
from toolgauge.models.replies import read_json

MOST_TOKENS = 512
"""Most tokens of a reply: a call with a sentence before it takes fifty."""
MOST_REASONING = 2048
"""Most tokens of the reply of a model that was still reasoning after MOST_TOKENS."""
FEW_TOKENS = 16
"""Most tokens of a reply that only shows the prompt's length and that there is one; some APIs take no less."""
READ = 8_000
"""Characters in which a call is looked for: what MOST_REASONING tokens take, about; a server need not keep to that."""
SAID = 200
"""Characters of what a model said that are kept."""

TOOL = Tool(
    "current_weather",
    "Reports the present weather of a place.",
    {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "Name of the city, for example Oslo"}},
        "required": ["city"],
    },
)
QUESTION = (
    Message("system", "Use the tools you are given when they help."),
    Message("user", "Do I need an umbrella in Lisbon right now?"),
)
RESULT = '{"city": "Lisbon", "sky": "light rain", "temperature_celsius": 16}'
CALL = Reply(tool_calls=(ToolCall("probe_0", TOOL.name, '{"city": "Lisbon"}'),))
ANSWER = Reply(content="Yes, it is raining.")


class ProbeResult(Struct, frozen=True):
    """What was found at a model. trouble: the endpoint's error, in words, where there was one. called: the tool that it
    called, one that is not offered before the other; "" for none. limit: tokens of the first reply. as_text: its call
    was read out of its text, by the dialect that it was asked in.
    """

    model: Model
    record: ProbeRecord
    trouble: str | None = None
    called: str = ""
    limit: int = 0
    as_text: bool = False

    @property
    def finding(self) -> Finding:
        return self.record.finding

    @property
    def ok(self) -> bool:
        return self.finding is Finding.GOOD


async def probe(model: Model) -> ProbeResult:
    """Ask the question, send the tool's result back. Never raises: what goes wrong is in the result."""
    began = time.perf_counter()
    exchange = _Exchange(model)
    finding, trouble = await exchange.finding()
    first = exchange.first
    record = ProbeRecord(
        finding=finding,
        seconds=round(time.perf_counter() - began, 3),
        first_reply=round(exchange.first_reply, 3),
        prompt_tokens=first.usage.input_tokens,
        prompt_tokens_without=exchange.bare.usage.input_tokens,
        tokens_per_second=_speed(exchange.replies),
        said=_said(first),
        readers=readers(first.content or "") if finding is Finding.CALLS_AS_TEXT else (),
    )
    called = [call.name or "" for call in first.tool_calls]
    other = next((name for name in called if name != TOOL.name), TOOL.name if called else "")
    return ProbeResult(model, record, trouble, other, first.usage.output_tokens, first.raw is not None)


class _Exchange:
    """What is asked of one model, and what it replies. first: to the question; bare: to the question without a tool;
    replies: all of them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.replies: list[Reply] = []
        self.first = self.bare = Reply()
        self.first_reply = 0.0

    async def finding(self) -> tuple[Finding, str | None]:
        """What is found, and the endpoint's error where it is one."""
        hint = GoldHint("calls", CALL, steps=2)
        try:
            self.first = await self._answer(Request("assistant", QUESTION, (TOOL,), "probe", 0, hint))
        except ProviderError as error:
            return await self._without_reply(error), error.text
        self.first_reply = self.replies[0].latency
        found = first_finding(self.first)
        if found is None:
            return await self._second_finding()
        await self._measure_prompt()
        if found in _WITHOUT_CALL and await self._drops_tools():
            found = Finding.TOOLS_DROPPED
        return found, None

    async def _second_finding(self) -> tuple[Finding, str | None]:
        results = tuple(Message("tool", RESULT, tool_call_id=call.id) for call in self.first.tool_calls)
        hint = GoldHint("final", ANSWER, done=CALL.tool_calls, steps=2)
        messages = (*QUESTION, self.first.message(), *results)
        try:
            second = await self._answer(Request("assistant", messages, (TOOL,), "probe", 1, hint))
        except ProviderError as error:
            return Finding.RESULT_REFUSED, error.text
        await self._measure_prompt()
        before, after = self.first.usage.input_tokens, second.usage.input_tokens
        if 0 < after <= before and self.bare.usage.input_tokens not in (0, before):  # it does count what it is sent
            return Finding.RESULT_DROPPED, None
        if second.tool_calls or readers(second.content or ""):
            return Finding.CALLS_AGAIN, None
        silent = not (second.content or "").strip() or unfinished(second) is Unfinished.ONLY_REASONING
        return Finding.SILENT if silent else Finding.GOOD, None

    async def _without_reply(self, error: ProviderError) -> Finding:
        """Where the question got no reply: does one without a tool get any, if it is a short one?"""
        if error.answered or error.timed_out:
            await self._ask_without_tools()
        if self.bare == Reply():
            return Finding.NO_ANSWER
        return Finding.TOO_SLOW if error.timed_out else Finding.TOOLS_REFUSED

    async def _answer(self, request: Request) -> Reply:
        """The reply; of a model that is cut off while it reasons, that to a second try with more room."""
        reply = await self._ask(replace(request, max_tokens=MOST_TOKENS))
        counted = reply.usage.output_tokens
        if cut_off_reasoning(reply) and (not counted or counted >= MOST_TOKENS):  # else the limit is somebody else's
            with suppress(ProviderError):
                return await self._ask(replace(request, max_tokens=MOST_REASONING))
        return reply

    async def _ask(self, request: Request) -> Reply:
        reply = await self.model.ask(request)
        self.replies.append(reply)
        return reply

    async def _measure_prompt(self) -> None:
        """Ask without the tool where the endpoint counts tokens, to see how many the tool takes."""
        if self.first.usage.input_tokens:
            await self._ask_without_tools()

    async def _ask_without_tools(self) -> None:
        hint = GoldHint("final", ANSWER, steps=1)
        with suppress(ProviderError):
            self.bare = await self._ask(Request("assistant", QUESTION, (), "probe", 0, hint, FEW_TOKENS))

    async def _drops_tools(self) -> bool:
        """Is the prompt the same with and without the tool, or does the server say that its template shows none?"""
        shown, bare = self.first.usage.input_tokens, self.bare.usage.input_tokens
        if shown and bare:
            return shown <= bare
        ask = getattr(self.model, "properties", None)
        properties = await ask() if ask else None
        return isinstance(properties, ServerProperties) and properties.drops_tools


_WITHOUT_CALL = frozenset(
    {
        Finding.WORDS,
        Finding.TEMPLATE_MARKS,
        Finding.CUT_OFF,
        Finding.CUT_OFF_REASONING,
        Finding.ONLY_REASONING,
        Finding.EMPTY,
    }
)
"""What a model that was not shown the tool may come to."""
_UNFINISHED = {
    Unfinished.TRUNCATED: Finding.CUT_OFF,
    Unfinished.FILTERED: Finding.FILTERED,
    Unfinished.ONLY_REASONING: Finding.ONLY_REASONING,
}


def first_finding(reply: Reply) -> Finding | None:
    """What the reply to the question is instead of a valid call of the tool; None for a valid call."""
    cut = unfinished(reply)
    if reply.tool_calls:
        found = next((found for call in reply.tool_calls if (found := _call_finding(call))), None)
        return Finding.CUT_OFF if found is Finding.WRONG_ARGUMENTS and cut is Unfinished.TRUNCATED else found
    text = reply.content or ""
    if readers(text):
        return Finding.CALLS_AS_TEXT
    if holds_marks(reply):
        return Finding.TEMPLATE_MARKS
    if cut_off_reasoning(reply):
        return Finding.CUT_OFF_REASONING
    if cut:
        return _UNFINISHED[cut]
    if ending_of(reply.finish_reason) is Ending.MISTAKE or reply.problem or _announces_a_call(text):
        return Finding.UNREADABLE_CALL
    return Finding.WORDS if text.strip() else Finding.EMPTY


def _call_finding(call: ToolCall) -> Finding | None:
    if call.id is None:
        return Finding.NO_ID
    if call.name != TOOL.name:
        return Finding.WRONG_TOOL
    try:
        arguments = read_json(call.arguments.encode("utf-8", "replace")) if isinstance(call.arguments, str) else None
    except ValueError:
        arguments = None
    valid = isinstance(arguments, dict) and isinstance(arguments.get("city"), str)
    return None if valid else Finding.WRONG_ARGUMENTS


def cut_off_reasoning(reply: Reply) -> bool:
    """Was it cut off while the model was reasoning, be it where nobody sees it?"""
    if unfinished(reply) is not Unfinished.TRUNCATED or reply.tool_calls:
        return False
    only_reasoning = unfinished(replace(reply, finish_reason=None)) is Unfinished.ONLY_REASONING
    return only_reasoning or not (reply.content or "").strip()


def readers(text: str) -> tuple[str, ...]:
    """The dialects that read a call of the tool in a text; first those that would begin to write it so themselves (the
    longer, the surer), then the one for any model."""
    from toolgauge.models.dialects.json_block import GENERIC
    from toolgauge.models.dialects.registry import DIALECTS

    text = text[:READ]
    ranks: dict[str, tuple[int, bool]] = {}
    for name, dialect in DIALECTS.items() if TOOL.name in text else ():
        parsed = dialect.parse(text, (TOOL,))
        if any(call.name == TOOL.name for call in parsed.calls):
            asked = (*QUESTION, Message("assistant", None, parsed.calls))
            own = _without_blanks(dialect.render(asked, (TOOL,), "en")[-1].content or "")
            ranks[name] = (-_alike(own, _without_blanks(text)), dialect is not GENERIC)
    return tuple(sorted(ranks, key=ranks.__getitem__))


def _alike(own: str, text: str) -> int:
    """How many characters of a dialect's own writing stand in a text as they begin it; 0 for less than half of them."""
    return next((most for most in range(len(own), len(own) // 2, -1) if own[:most] in text), 0)


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _announces_a_call(text: str) -> bool:
    """Does a text name the tool in what a dialect takes for a broken call?"""
    from toolgauge.models.dialects.registry import DIALECTS

    text = text[:READ]
    return TOOL.name in text and any(dialect.parse(text, (TOOL,)).problem for dialect in DIALECTS.values())


def _said(reply: Reply) -> str:
    """The beginning of what a model said, in one line: its calls, else its words, else its reasoning."""
    calls = " ".join(f"{call.name}({_text(call.arguments)})" for call in reply.tool_calls)
    said = " ".join((calls or reply.raw or reply.content or reply.reasoning or "").split())
    return said if len(said) <= SAID else said[: SAID - 1] + "…"


def _text(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else msgspec.json.encode(arguments).decode()


def _speed(replies: Sequence[Reply]) -> float:
    """Tokens per second of the longest reply; 0 where nobody counts tokens."""
    longest = max(replies, key=lambda reply: reply.usage.output_tokens, default=Reply())
    seconds = (longest.timings.reply if longest.timings else 0.0) or longest.latency
    return round(longest.usage.output_tokens / seconds, 1) if seconds else 0.0
