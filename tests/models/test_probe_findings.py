"""What a probe says of every kind of server and model: what it finds, its sentence, and the suggestion that fits."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec.structs import replace

from tests.mockserver import Fault, Json, Server, completion, serve, status
from tests.models.asking import options
from tests.rows import rows
from toolgauge.models import Sampling, open_model
from toolgauge.models.probe import MOST_TOKENS, TOOL, Finding, ProbeResult, line, probe, suggestion
from toolgauge.models.text_calls import dialects_of

ARGUMENTS = '{"city": "Lisbon"}'
HERMES = f'<tool_call>\n{{"name": "current_weather", "arguments": {ARGUMENTS}}}\n</tool_call>'
CODER = "<tool_call>\n<function=current_weather>\n<parameter=city>\nLisbon\n</parameter>\n</function>\n</tool_call>"


def call(name: str = "current_weather", arguments: Any = ARGUMENTS, **more: Any) -> Json:
    return {"tool_calls": [{"id": "c", "function": {"name": name, "arguments": arguments}} | more]}


def said(content: str | None, **more: Any) -> Json:
    return {"content": content, **more}


class Reply(NamedTuple):
    """message; finish: its reason; tokens: how many it took, or as many as were allowed; seen: the share of the request
    that its template shows the model."""

    message: Json
    finish: str = "stop"
    tokens: int = 20
    seen: Callable[[Json], object] = lambda body: [body["messages"], body.get("tools")]
    counted: bool = True

    def body(self, asked: Json) -> Json:
        most = asked.get("max_tokens") or asked.get("max_completion_tokens") or 10**6
        made = min(self.tokens, most)
        choice = {"index": 0, "finish_reason": self.finish if made == self.tokens else "length"}
        usage = {"prompt_tokens": len(json.dumps(self.seen(asked))), "completion_tokens": made}
        return {"choices": [choice | {"message": self.message}], "usage": usage if self.counted else None}


class Case(NamedTuple):
    """A kind of server or model. first, second: its replies, or faults; model: as -m takes it; bare: what it says
    without tools; advice: what helps."""

    finding: Finding
    advice: str | None
    first: Reply | Fault
    second: Reply | Fault = Reply(said("Yes, take one."))
    model: str = "openai/mock"
    dialect: str | None = None
    bare: Reply | Fault = Reply(said("I cannot see the weather."))
    max_tokens: int | None = None


OURS = "the endpoint works; in a run, such replies count as mistakes of the model"
OWN = "serve it with the model's own chat template, or another that renders tools; a base model has none"
VLLM = "use --dialect hermes, or start its server with --enable-auto-tool-choice --tool-call-parser hermes"
CASES = {
    "good": Case(Finding.GOOD, None, Reply(call())),
    "good in a dialect": Case(Finding.GOOD, None, Reply(said(HERMES)), dialect="hermes"),
    "a key that is wrong": Case(Finding.NO_ANSWER, None, status(401)),
    "vLLM without its tool parser": Case(
        Finding.NO_ANSWER,
        "use --dialect auto or generic, or start its server with --enable-auto-tool-choice --tool-call-parser hermes",
        status(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        model="vllm/Qwen2.5-7B-Instruct",
    ),
    "vLLM without a parser, Qwen": Case(
        Finding.CALLS_AS_TEXT, VLLM, Reply(said(HERMES)), model="vllm/Qwen2.5-7B-Instruct"
    ),
    "a reasoning parser that takes the call": Case(
        Finding.CALLS_AS_TEXT,
        VLLM,
        Reply(said(None, reasoning_content=f"I call it. {HERMES}")),
        model="vllm/Qwen2.5-7B-Instruct",
    ),
    "a call that is announced and not sent": Case(
        Finding.CALLS_AS_TEXT,
        "use --dialect generic, or the tool-call parser of its server",
        Reply(said("I look."), finish="tool_calls"),
    ),
    "another dialect than the one asked for": Case(
        Finding.CALLS_AS_TEXT,
        "use --dialect qwen3-coder, or the tool-call parser of its server",
        Reply(said(CODER)),
        dialect="hermes",
    ),
    "a broken call as text": Case(
        Finding.UNREADABLE_CALL,
        "in a run, such replies count as mistakes of the model; check --temperature",
        Reply(said('<tool_call>\n{"name": "current_weather", "arguments": {"city":\n</tool_call>')),
    ),
    "another tool": Case(Finding.WRONG_CALL, OURS, Reply(call("weather"))),
    "other arguments": Case(Finding.WRONG_CALL, OURS, Reply(call(arguments='{"place": "Lisbon"}'))),
    "no id": Case(Finding.WRONG_CALL, OURS, Reply(call(id=None))),
    "words": Case(
        Finding.WORDS,
        "probe again; if it stays so, check that its server passes tools on, or compare with --dialect generic",
        Reply(said("It rains.")),
    ),
    "plays the user, too": Case(
        Finding.TEMPLATE_MARKS,
        OWN,
        Reply(said("It rains.<|im_end|>\n<|im_start|>user\nThanks!"), tokens=10**9),
        model="vllm/x",
    ),
    "talks without end": Case(
        Finding.CUT_OFF,
        "raise --max-tokens, or start the server with a longer context",
        Reply(said("la la"), tokens=10**9),
    ),
    "only reasoning": Case(
        Finding.ONLY_REASONING,
        "raise --max-tokens, or check that the reasoning parser of its server fits the model",
        Reply(said(None, reasoning_content="The user wants to know. " + "I call it. " * 9)),
        model="vllm/x",
    ),
    "empty": Case(Finding.EMPTY, f"probe again; if it stays so, {OWN}", Reply(said(""))),
    "filtered": Case(
        Finding.FILTERED,
        "check the content filter in the provider's settings",
        Reply(said(""), finish="content_filter"),
        model="deepseek/x",
    ),
    "results are refused": Case(
        Finding.RESULT_REFUSED, "use --dialect generic", Reply(call()), status(400, "Conversation roles must alternate")
    ),
    "calls again": Case(Finding.SILENT, OURS, Reply(call()), Reply(call())),
    "nothing to say": Case(Finding.SILENT, OURS, Reply(call()), Reply(said(""))),
}


def behaviour(case: Case) -> Callable[[int, Json], Fault]:
    """A server's answers, all of them as faults: the question with the tool, its result, the question without."""

    def answer(_number: int, body: Json) -> Fault:
        last = body["messages"][-1]
        bare = "tools" not in body and "current_weather" not in json.dumps(body["messages"])
        told = last["role"] == "tool" or "light rain" in str(last["content"])
        found = case.bare if bare and not isinstance(case.first, Fault) else case.second if told else case.first
        if bare and isinstance(case.first, Fault):
            found = case.first if case.first.status == 401 else case.bare
        return found if isinstance(found, Fault) else Fault(body=json.dumps(completion(found.body(body))).encode())

    return answer


def probed(case: Case, server: Server) -> ProbeResult:
    chosen = replace(
        options(server, max_attempts=1, timeout=5.0, sampling=Sampling(max_tokens=case.max_tokens)),
        dialect=case.dialect,
    )

    async def run() -> ProbeResult:
        model = open_model(case.model, chosen)
        try:
            return await probe(model)
        finally:
            await model.close()

    return asyncio.run(run())


@rows("name", CASES)
def test_every_kind_is_told_and_what_helps_fits(name: str) -> None:
    case = CASES[name]
    with serve(faults=behaviour(case)) as server:
        result = probed(case, server)
    assert result.finding is case.finding, line(result)
    advice = suggestion(result)
    assert (advice and str(advice)) == case.advice
    assert re.fullmatch(rf"{re.escape(case.model)}: .+ \(\d+\.\d s\)", str(line(result)))
    assert result.ok is (case.finding is Finding.GOOD)
    assert all(0 < most(body) <= (case.max_tokens or MOST_TOKENS) for body in server.requests)


def most(body: Json) -> int:
    return int(body.get("max_tokens") or body.get("max_completion_tokens") or 0)


@rows(
    ("text", "best"),
    [
        (f"Sure! {''.join(HERMES.split())}", "hermes"),
        (f"<think>hm</think>{HERMES}", "hermes"),
        (CODER, "qwen3-coder"),
        (f'{{"name": "current_weather", "parameters": {ARGUMENTS}}}', "llama3-json"),
        (f'[{{"name": "current_weather", "arguments": {ARGUMENTS}}}]', "xlam2"),
        (f'[TOOL_CALLS] [{{"name": "current_weather", "arguments": {ARGUMENTS}}}]', "mistral"),
        (f'```json\n{{"name": "current_weather", "arguments": {ARGUMENTS}}}\n```', "generic"),
        ('[current_weather(city="Lisbon")]', "llama-pythonic"),
    ],
)
def test_the_dialect_that_is_suggested_is_the_one_that_would_write_so(text: str, best: str) -> None:
    assert dialects_of(text, (TOOL,))[0] == best
