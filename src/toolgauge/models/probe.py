"""One question with one tool: does the endpoint answer, call and take a result back, before a whole run relies on it?

What is found is a `Finding`, told in one sentence with the setting that helps. Every reply is bounded: a model that
talks without end costs MOST_TOKENS.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from toolgauge.call_problems import OF_THE_SERVER, CallProblem
from toolgauge.chat import GoldHint, Message, Reply, Request, Tool, ToolCall
from toolgauge.errors import ProviderError
from toolgauge.models.endings import Ending, Unfinished, ending_of, holds_marks, unfinished
from toolgauge.models.model import ConversationModel, Model
from toolgauge.models.text_calls import dialects_of

MOST_TOKENS = 2048
"""Most tokens of a reply: a call takes fifty, the reasoning before it may take a thousand."""
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


class Finding(StrEnum):
    """What an endpoint does with one question and one tool; docs/models.md#providers says what helps."""

    GOOD = "good"  # a valid call, and words when it is sent the result
    NO_ANSWER = "no_answer"  # an error, or nothing in time
    TOOLS_DROPPED = "tools_dropped"  # the server's template has no place for tools
    CALLS_AS_TEXT = "calls_as_text"  # a call that the server did not hand on as one, or in another dialect than asked
    UNREADABLE_CALL = "unreadable_call"  # what looks like a call, and can be read by nobody
    WRONG_CALL = "wrong_call"  # of another tool, without an id, or with other arguments
    WORDS = "words"  # it answers without the tool
    TEMPLATE_MARKS = "template_marks"  # it goes on behind the end of its turn
    CUT_OFF = "cut_off"
    ONLY_REASONING = "only_reasoning"
    EMPTY = "empty"
    FILTERED = "filtered"
    RESULT_REFUSED = "result_refused"  # an error where the tool's result is sent
    SILENT = "silent"  # no words when it has the result, or another call
    NO_TOOLS = "no_tools"  # an agent that neither listed nor called its tools


_OWN = "serve it with the model's own chat template, or another that renders tools; a base model has none"
_MODELS = "the endpoint works; in a run, such replies count as mistakes of the model"
_TOLD: dict[Finding, tuple[str, str]] = {
    Finding.GOOD: ("answers, {calls} and takes the result back", ""),
    Finding.NO_ANSWER: ("does not answer a question with a tool: {trouble}", ""),
    Finding.TOOLS_DROPPED: ("answers, but its server's chat template does not render tools", f"{{use}}, or {_OWN}"),
    Finding.CALLS_AS_TEXT: ("answers, but {left}{reader}", "{use}, or {parser}"),
    Finding.UNREADABLE_CALL: (
        "answers, but its tool call cannot be parsed",
        "in a run, such replies count as mistakes of the model; check --temperature",
    ),
    Finding.WRONG_CALL: ("answers, but its call does not match the tool's definition, or has no id", _MODELS),
    Finding.WORDS: (
        "answers, but does not call the tool",
        "probe again; if it stays so, check that its server passes tools on, or compare with --dialect {dialect}",
    ),
    Finding.TEMPLATE_MARKS: (
        "answers, but continues after the end of its turn, with tokens of a chat template",
        _OWN,
    ),
    Finding.CUT_OFF: (
        "answers, but its reply is cut off before a tool call",
        "raise --max-tokens, or start the server with a longer context",
    ),
    Finding.ONLY_REASONING: (
        "answers, but stops after its reasoning, without text or a tool call",
        "raise --max-tokens, or check that the reasoning parser of its server fits the model",
    ),
    Finding.EMPTY: ("answers, but its reply is empty", f"probe again; if it stays so, {_OWN}"),
    Finding.FILTERED: (
        "answers, but a content filter stopped its reply",
        "check the content filter in the provider's settings",
    ),
    Finding.RESULT_REFUSED: ("makes a valid tool call, but the endpoint rejects the result: {trouble}", "{use}"),
    Finding.NO_TOOLS: (
        "answers, but no tools/list was completed, and no tool called",
        "connect it to the MCP server whose address it is given for each conversation (docs/agents.md)",
    ),
    Finding.SILENT: ("makes a valid tool call, but does not answer in text after the tool's result", _MODELS),
}
"""What a person is told, and what helps, with places for what differs."""


class ProbeRecord(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What was found, as run.json keeps it. finding: a `Finding`, or one of an earlier version. seconds: for everything
    together; first_reply: until the first reply was there.

    prompt_tokens: of the question, as the endpoint counts them. tokens_per_second: of the first reply; of the server's
    own timings where it gives them. said: the beginning of what the model said. readers: the dialects that read a call
    of the tool out of it, those that would write it so themselves first. left: where the server left the call (a
    `CallProblem`).
    """

    finding: str
    seconds: float = 0.0
    first_reply: float = 0.0
    prompt_tokens: int = 0
    tokens_per_second: float = 0.0
    said: str = ""
    readers: tuple[str, ...] = ()
    left: str = ""


class ProbeResult(Struct, frozen=True):
    """What was found at a model. trouble: the endpoint's error, in words, where there was one."""

    model: Model
    record: ProbeRecord
    trouble: str | None = None

    @property
    def finding(self) -> Finding:
        return Finding(self.record.finding)

    @property
    def ok(self) -> bool:
        return self.finding is Finding.GOOD


_OF_AGENTS = {
    Finding.CALLS_AS_TEXT: "its framework does not read how its model writes calls",
    Finding.UNREADABLE_CALL: "its framework does not read how its model writes calls",
    Finding.WRONG_CALL: "the agent works; in a run, such calls count as its mistakes",
    Finding.SILENT: "the agent works; in a run, such replies count as its mistakes",
    Finding.NO_TOOLS: _TOLD[Finding.NO_TOOLS][1],
}
"""What helps an agent, which has no dialect and no chat template."""


async def probe(model: Model) -> ProbeResult:
    """Ask the question, send the tool's result back; an agent, in one conversation. Never raises: what goes wrong is in
    the result."""
    if not isinstance(model, ConversationModel):
        return await _probed(model, model)
    try:
        async with model.conversation("probe") as opened:
            return await _probed(model, opened)
    except ProviderError as error:
        return ProbeResult(model, ProbeRecord(finding=Finding.NO_ANSWER), error.text)


async def _probed(named: Model, model: Model) -> ProbeResult:
    """named: who is told about; model: who is asked."""
    began = time.perf_counter()
    hint = GoldHint("calls", CALL, steps=2)
    first, trouble = Reply(), None
    try:
        first = await model.ask(Request("assistant", QUESTION, (TOOL,), "probe", 0, hint, MOST_TOKENS))
        finding = _first_finding(first)
        if first.error is not None:
            finding, trouble = Finding.NO_ANSWER, first.error
        elif finding is None:
            finding, trouble = await _second_finding(model, first)
        elif finding in (Finding.WORDS, Finding.EMPTY, Finding.CUT_OFF):
            properties = getattr(model, "properties", None)  # of llama.cpp's server, which knows its template
            if properties is not None and (await properties()).drops_tools:
                finding = Finding.TOOLS_DROPPED
    except ProviderError as error:
        finding, trouble = Finding.NO_ANSWER, error.text
    seconds = first.timings.reply if first.timings and first.timings.reply else first.latency
    record = ProbeRecord(
        finding=finding,
        seconds=round(time.perf_counter() - began, 3),
        first_reply=round(first.latency, 3),
        prompt_tokens=first.usage.input_tokens,
        tokens_per_second=round(first.usage.output_tokens / seconds, 1) if seconds else 0.0,
        said=_said(first),
        readers=_readers(first) if finding is Finding.CALLS_AS_TEXT else (),
        left=first.problem.value if first.problem and first.problem.of_the_server else "",
    )
    return ProbeResult(named, record, trouble)


async def _second_finding(model: Model, first: Reply) -> tuple[Finding, str | None]:
    results = tuple(Message("tool", RESULT, tool_call_id=call.id) for call in first.tool_calls)
    hint = GoldHint("final", ANSWER, done=CALL.tool_calls, steps=2)
    messages = (*QUESTION, first.message(), *results)
    try:
        second = await model.ask(Request("assistant", messages, (TOOL,), "probe", 1, hint, MOST_TOKENS))
    except ProviderError as error:
        return Finding.RESULT_REFUSED, error.text
    if second.error is not None:
        return Finding.RESULT_REFUSED, second.error
    silent = second.tool_calls or not (second.content or "").strip() or _readers(second)
    return Finding.SILENT if silent else Finding.GOOD, None


def _first_finding(reply: Reply) -> Finding | None:
    """What the reply to the question is instead of a valid call of the tool; None for a valid call."""
    cut = unfinished(reply)
    if reply.no_tools:
        return Finding.NO_TOOLS
    if (reply.problem and reply.problem.of_the_server) or (not reply.tool_calls and _readers(reply)):
        return Finding.CALLS_AS_TEXT
    if reply.tool_calls:
        if all(_is_valid(call) for call in reply.tool_calls):
            return None
        return Finding.CUT_OFF if cut is Unfinished.TRUNCATED else Finding.WRONG_CALL
    if holds_marks(reply):
        return Finding.TEMPLATE_MARKS
    if cut:
        return {Unfinished.TRUNCATED: Finding.CUT_OFF, Unfinished.FILTERED: Finding.FILTERED}.get(
            cut, Finding.ONLY_REASONING
        )
    words = (reply.content or "").strip()
    if ending_of(reply.finish_reason) is Ending.MISTAKE or reply.problem or _is_broken_call(words):
        return Finding.UNREADABLE_CALL
    return Finding.WORDS if words else Finding.EMPTY


def _is_valid(call: ToolCall) -> bool:
    try:
        arguments = json.loads(call.arguments) if isinstance(call.arguments, str) else None
    except (ValueError, RecursionError):
        return False
    has_name = call.id is not None and call.name == TOOL.name
    return has_name and isinstance(arguments, dict) and isinstance(arguments.get("city"), str)


def _is_broken_call(text: str) -> bool:
    """Does a text name the tool in what a dialect takes for a broken call?"""
    from toolgauge.models.dialects.table import DIALECTS

    return TOOL.name in text and any(dialect.parse(text, (TOOL,)).problem for dialect in DIALECTS.values())


def _readers(reply: Reply) -> tuple[str, ...]:
    text = reply.reasoning if reply.problem is CallProblem.LEFT_IN_REASONING else reply.raw or reply.content
    return dialects_of(text or "", (TOOL,))


def _said(reply: Reply) -> str:
    """The beginning of what a model said, in one line: its calls, else its words, else its reasoning."""
    calls = " ".join(f"{call.name}({call.arguments})" for call in reply.tool_calls)
    text = " ".join((calls or reply.raw or reply.content or reply.reasoning or "").split())
    return text if len(text) <= SAID else text[: SAID - 1] + "…"


def line(result: ProbeResult) -> str:
    """The result for people, one line."""
    dialect, readers = result.model.describe().get("dialect"), result.record.readers
    left = next((problem.text for problem in OF_THE_SERVER if problem.value == result.record.left), "")
    sentence = _TOLD[result.finding][0].format(
        calls=f"writes a valid tool call in the dialect {dialect}" if dialect else "makes a valid tool call",
        trouble=result.trouble,
        left=left or "writes its tool call as text",
        reader=f", in the dialect {readers[0]}" if readers else "",
    )
    return f"{result.model.name}: {sentence} ({result.record.seconds:.1f} s)"


def details(result: ProbeResult) -> Iterator[str]:
    """What the finding rests on, a line each."""
    record = result.record
    if record.said:
        yield f"it said: “{record.said}”"
    if len(record.readers) > 1:
        yield f"dialects that parse a call in this: {', '.join(record.readers)}"
    if record.tokens_per_second and record.first_reply:
        speed = f"{record.tokens_per_second:,.{0 if record.tokens_per_second >= 10 else 1}f} tokens per second"
        prompt = f"prompt of {record.prompt_tokens:,} tokens, " if record.prompt_tokens else ""
        yield f"speed: {prompt}{speed}, first reply after {record.first_reply:.1f} s"


def suggestion(result: ProbeResult) -> str | None:
    """What helps, or what it means for a run; None where there is nothing to say."""
    if isinstance(result.model, ConversationModel):
        return _OF_AGENTS.get(result.finding)
    if result.finding is Finding.NO_ANSWER:
        return _of_no_answer(result.model, result.trouble or "")
    dialect, flags = best_dialect(result), _parser_flags(result.model)
    parser = f"start its server with {flags}" if flags else "the tool-call parser of its server"
    return _TOLD[result.finding][1].format(dialect=dialect, use=f"use --dialect {dialect}", parser=parser) or None


def best_dialect(result: ProbeResult) -> str:
    """The dialect that fits best: that of the model's name if it read the call, else the first that did."""
    from toolgauge.models.dialects.table import dialect_for

    recommended, readers = dialect_for(result.model.name), result.record.readers
    return (
        recommended if recommended and (not readers or recommended in readers) else readers[0] if readers else "generic"
    )


def _of_no_answer(model: Model, trouble: str) -> str | None:
    """What may help where an endpoint does not answer at all."""
    from toolgauge.models.local_server import suggested_address
    from toolgauge.models.providers import endpoint_of

    endpoint = endpoint_of(model)
    helps = suggested_address(endpoint, str(model.describe()["model"])) if endpoint else ""
    flags = _parser_flags(model)
    if helps or "tool" not in trouble:
        return helps or None
    return f"use --dialect auto or generic{f', or start its server with {flags}' if flags else ''}"


def _parser_flags(model: Model) -> str:
    """What an engine is started with so that it reads calls itself; "" for what has no such flag, or need of it."""
    from toolgauge.models.engines.engine import ENGINES
    from toolgauge.models.families import family_of

    engine, family = ENGINES.get(str(model.describe()["provider"])), family_of(model.name)
    if engine is None or "parser" not in engine.flags or "dialect" in model.describe():
        return ""
    parsing = family.parsing(engine.name) if family else None
    name = parsing.tool if parsing else "..."
    return " ".join((*engine.with_parser, engine.flags["parser"], name)) if name else ""
