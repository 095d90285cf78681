"""What a probe says of every kind of server and model: what it finds, its sentence, and the suggestion that fits."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from tests.mockserver import Fault, Json, Server, completion, hang, serve, status
from tests.models.asking import options
from toolgauge.models import Sampling, open_model
from toolgauge.models.probe import FEW_TOKENS, MOST_REASONING, MOST_TOKENS, ProbeResult, probe, readers
from toolgauge.models.probe_result import Finding
from toolgauge.models.probe_words import line, suggestion

ARGUMENTS = '{"city": "Lisbon"}'
HERMES = f'<tool_call>\n{{"name": "current_weather", "arguments": {ARGUMENTS}}}\n</tool_call>'
CODER = "<tool_call>\n<function=current_weather>\n<parameter=city>\nLisbon\n</parameter>\n</function>\n</tool_call>"
GROQ = b'{"error": {"message": "Failed", "code": "tool_use_failed", "failed_generation": "<function=x"}}'


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


def messages_only(body: Json) -> object:
    return body["messages"]


def no_system(body: Json) -> object:
    return [message for message in body["messages"] if message["role"] != "system"]


def no_results(body: Json) -> object:
    return [body["messages"][:2], body.get("tools")]


class Case(NamedTuple):
    """A kind of server or model. first, second: its replies, or faults; model: as -m takes it; bare: what it says
    without tools; sentence, advice: what a person reads in English."""

    finding: Finding
    sentence: str
    advice: str | None
    first: Reply | Fault
    second: Reply | Fault = Reply(said("Yes, take one."))
    model: str = "openai/mock"
    dialect: str | None = None
    bare: Reply | Fault = Reply(said("I cannot see the weather."))
    max_tokens: int | None = None


OURS = "the endpoint works; in a run, such replies count as mistakes of the model"
NO_TOOLS = "its prompt is the same with and without the tool: "
CASES = {
    "good": Case(Finding.GOOD, "answers, makes a valid tool call and takes the result back", None, Reply(call())),
    "good in a dialect": Case(
        Finding.GOOD,
        "answers, writes a valid tool call in the dialect hermes and takes the result back",
        None,
        Reply(said(HERMES)),
        dialect="hermes",
    ),
    "a dialect that its server reads itself": Case(
        Finding.GOOD,
        "answers, makes a valid tool call and takes the result back; its server parses the calls itself, "
        "not the dialect hermes",
        None,
        Reply(call()),
        dialect="hermes",
    ),
    "a key that is wrong": Case(Finding.NO_ANSWER, "does not answer: .*401.*check the key.*", None, status(401)),
    "slow": Case(
        Finding.TOO_SLOW,
        "answers, but too slowly for a whole reply: .*no response within 0.2 s",
        "raise --set endpoint.timeout=SECONDS, or lower --max-tokens",
        hang(1.0),
    ),
    "vLLM without its tool parser": Case(
        Finding.TOOLS_REFUSED,
        'answers, but rejects requests with tools: .*"auto" tool choice requires.*',
        "use --dialect hermes, or start its server with --enable-auto-tool-choice --tool-call-parser hermes",
        status(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        model="vllm/Qwen2.5-7B-Instruct",
    ),
    "a template without tools": Case(
        Finding.TOOLS_DROPPED,
        f"answers, but {NO_TOOLS}its chat template does not render tools",
        "use --dialect generic, or serve it with a chat template that renders tools",
        Reply(said("Lisbon is nice."), seen=messages_only),
        model="llamacpp/x",
    ),
    "an API that leaves tools out": Case(
        Finding.TOOLS_DROPPED,
        f"answers, but {NO_TOOLS}the endpoint drops tools",
        "use --dialect generic",
        Reply(said("Lisbon is nice."), seen=messages_only),
        model="deepseek/x",
    ),
    "vLLM without a parser, Qwen": Case(
        Finding.CALLS_AS_TEXT,
        "answers, but writes its tool call as text, in the dialect hermes",
        "use --dialect hermes, or start its server with --enable-auto-tool-choice --tool-call-parser hermes",
        Reply(said(HERMES)),
        model="vllm/Qwen2.5-7B-Instruct",
    ),
    "some server without a parser": Case(
        Finding.CALLS_AS_TEXT,
        "answers, but writes its tool call as text, in the dialect qwen3-coder",
        "use --dialect qwen3-coder, or the tool-call parser of its server, if it has one",
        Reply(said(CODER)),
    ),
    "another dialect than the one asked for": Case(
        Finding.CALLS_AS_TEXT,
        "answers, but writes its tool call in the dialect qwen3-coder, not hermes",
        "use --dialect qwen3-coder",
        Reply(said(CODER)),
        dialect="hermes",
    ),
    "a broken call as text": Case(
        Finding.UNREADABLE_CALL,
        "answers, but its tool call cannot be parsed",
        "in a run, such replies count as mistakes of the model; a lower --temperature often makes them rarer",
        Reply(said('<tool_call>\n{"name": "current_weather", "arguments": {"city":\n</tool_call>')),
    ),
    "another tool": Case(
        Finding.WRONG_TOOL, "answers, but calls 'weather', which is not available", OURS, Reply(call("weather"))
    ),
    "other arguments": Case(
        Finding.WRONG_ARGUMENTS,
        "answers, but the arguments of its tool call do not match the tool's definition",
        OURS,
        Reply(call(arguments='{"place": "Lisbon"}')),
    ),
    "no id": Case(Finding.NO_ID, "answers, but its tool call has no id", "use --dialect generic", Reply(call(id=None))),
    "words": Case(
        Finding.WORDS,
        "answers, but does not call the tool, although its prompt contains it",
        "probe again; if it stays so, compare with --dialect generic",
        Reply(said("It rains.")),
    ),
    "words in the dialect for any model": Case(
        Finding.WORDS,
        "answers, but does not call the tool, although its prompt contains it",
        "probe again; if it stays so, the tasks of a run that need a tool will fail",
        Reply(said("It rains.")),
        dialect="generic",
    ),
    "plays the user, too": Case(
        Finding.TEMPLATE_MARKS,
        "answers, but continues after the end of its turn: its reply contains tokens of a chat template",
        "serve it with the model's own chat template; a base model has none",
        Reply(said("It rains.<|im_end|>\n<|im_start|>user\nThanks!"), tokens=10**9),
        model="vllm/x",
    ),
    "talks without end": Case(
        Finding.CUT_OFF,
        "answers, but its reply is cut off after 512 tokens, without a tool call",
        "in a run, --max-tokens limits the length of a reply",
        Reply(said("la la"), tokens=10**9),
    ),
    "reasons without end": Case(
        Finding.CUT_OFF_REASONING,
        "answers, but its reply is cut off after 2,048 tokens, while still reasoning",
        "in a run, give --max-tokens 8192 or more",
        Reply(said("<think>\nhm, hm"), tokens=10**9),
    ),
    "only reasoning": Case(
        Finding.ONLY_REASONING,
        "answers, but stops after its reasoning, without text or a tool call",
        "check that the reasoning parser of its server fits the model",
        Reply(said(None, reasoning_content="The user wants to know. " + "I call it. " * 9)),
        model="vllm/x",
    ),
    "empty": Case(
        Finding.EMPTY,
        "answers, but its reply is empty",
        "check that its chat template is the model's own",
        Reply(said("")),
    ),
    "filtered": Case(
        Finding.FILTERED,
        "answers, but a content filter stopped its reply",
        "check the content filter in the provider's settings",
        Reply(said(""), finish="content_filter"),
        model="deepseek/x",
    ),
    "results are refused": Case(
        Finding.RESULT_REFUSED,
        "makes a valid tool call, but the endpoint rejects the tool's result: .*roles must alternate.*",
        "use --dialect generic",
        Reply(call()),
        status(400, "Conversation roles must alternate"),
    ),
    "results are dropped": Case(
        Finding.RESULT_DROPPED,
        "makes a valid tool call, but the tool's result does not reach it: its prompt does not grow by it",
        "use --dialect generic",
        Reply(call()),
        Reply(said("Yes."), seen=no_results),
    ),
    "calls again": Case(
        Finding.CALLS_AGAIN,
        "makes a valid tool call, but calls again instead of answering after the tool's result",
        OURS,
        Reply(call()),
        Reply(call()),
    ),
    "nothing to say": Case(
        Finding.SILENT,
        "makes a valid tool call, but does not answer in text after the tool's result",
        OURS,
        Reply(call()),
        Reply(said("")),
    ),
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
    timeout = 0.2 if case.finding is Finding.TOO_SLOW else 5.0
    chosen = replace(
        options(server, max_attempts=1, timeout=timeout, sampling=Sampling(max_tokens=case.max_tokens)),
        dialect=case.dialect,
    )

    async def run() -> ProbeResult:
        model = open_model(case.model, chosen)
        try:
            return await probe(model)
        finally:
            await model.close()

    return asyncio.run(run())


@pytest.mark.parametrize("name", CASES)
def test_every_kind_is_told_and_what_helps_fits(name: str) -> None:
    case = CASES[name]
    with serve(faults=behaviour(case)) as server:
        result = probed(case, server)
    assert result.finding is case.finding, line(result)
    sentence, advice = line(result), suggestion(result)
    assert re.fullmatch(rf"{re.escape(case.model)}: {case.sentence} \(\d+\.\d s\)", str(sentence)), str(sentence)
    assert (advice and str(advice)) == case.advice
    assert result.ok is (case.finding is Finding.GOOD)
    assert all(0 < most(body) <= (case.max_tokens or MOST_REASONING) for body in server.requests)


def most(body: Json) -> int:
    return int(body.get("max_tokens") or body.get("max_completion_tokens") or 0)


def test_every_finding_has_a_case() -> None:
    assert {case.finding for case in CASES.values()} == set(Finding)


@pytest.mark.parametrize(
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
    assert readers(text)[0] == best


def test_a_model_that_talks_is_asked_once_one_that_reasons_gets_more_room() -> None:
    for name, lengths in (
        ("talks without end", [MOST_TOKENS, FEW_TOKENS]),
        ("reasons without end", [MOST_TOKENS, MOST_REASONING, FEW_TOKENS]),
    ):
        with serve(faults=behaviour(CASES[name])) as server:
            probed(CASES[name], server)
        assert [most(body) for body in server.requests] == lengths
