"""Providers played on the loopback, each as strict as its documentation says: a fake refuses what the provider refuses,
and answers in the provider's own fields. Written from the documentation (SOURCES.md), not from the table.

    with playing("mistral", key) as fake:
        toolgauge.run("mini", "mistral/some-model", base_url=fake.base_url, ...)
    fake.refusals  # why requests were refused, if any were

What is answered is what the oracle, or another player, says at that moment of the embedded benchmark.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.mockserver import Fault, Server, serve
from tests.models import fake_rules as rules
from tests.models.fake_apis import APIS, CACHED, INPUT, OUTPUT, REASONING, Dress, Moment
from tests.models.fake_rules import Check, Memory, with_reasoning
from toolgauge.api import plan_run
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.history import History
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge.models import open_model

Json = dict[str, Any]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CHAT_FIELDS = _names(
    "model messages tools temperature top_p max_tokens stop tool_choice parallel_tool_calls reasoning_effort "
    "frequency_penalty presence_penalty response_format n stream"
)


@cache
def script(history: History = "gold", limit: int = 2, player: str = "builtin/oracle") -> dict[Moment, Reply]:
    """The oracle's reply at every moment of the first sessions."""
    plan = plan_run("mini", player, setup=Setup(limit=limit, options={"history": history}))
    model, found = open_model(player), dict[Moment, Reply]()

    def answer(request: Request) -> Reply:
        reply = asyncio.run(model.ask(request))
        said = [message.content or "" for message in request.messages if message.role == "user"]
        moment = ("\n\n".join(said), sum(message.role == "tool" for message in request.messages))
        assert moment not in found, "two different moments look alike"
        found[moment] = reply
        return reply

    for sample in plan.samples:
        drive(plan.benchmark.episode(plan.dataset, sample), answer)
    return found


@dataclass
class Manner:
    """How one provider behaves. fields: what a body may hold (None: anything). error: the body of a refusal."""

    path: str
    checks: tuple[Check, ...] = ()
    fields: frozenset[str] | None = None
    key_header: tuple[str, str] = ("Authorization", "Bearer {}")
    api: str = "chat"
    dress: Dress = lambda _fake, _message: None
    usage: Json = field(
        default_factory=lambda: {
            "prompt_tokens": INPUT,
            "completion_tokens": OUTPUT,
            "prompt_tokens_details": {"cached_tokens": CACHED},
            "completion_tokens_details": {"reasoning_tokens": REASONING},
        }
    )
    error: Callable[[str], Any] = lambda words: {"error": {"message": words, "type": "invalid_request_error"}}


class Fake(Memory):
    """One provider. issued: what it gave out with a call's id and wants back; refusals: reasons, in order."""

    def __init__(self, name: str, key: str, script_: dict[Moment, Reply]) -> None:
        super().__init__()
        self.name, self.key, self.script, self.manner = name, key, script_, MANNERS[name]
        self.refusals: list[str] = []
        self.base_url = ""
        self.server = Server("")

    def respond(self, number: int, body: Json) -> Fault:
        """The answer to a request: a refusal, or what the script says."""
        header, shape = self.manner.key_header
        sent = {name.lower(): value for name, value in self.server.headers[number].items()}
        if sent.get(header.lower()) != shape.format(self.key):
            return self._refuse(f"bad key: {sent.get(header.lower())}", 401)
        if header != "Authorization" and "authorization" in sent:
            return self._refuse("two kinds of key", 401)
        if self.server.paths[number].partition("?")[0] != self.manner.path:
            return self._refuse(f"no such path: {self.server.paths[number]}", 404)
        unknown = set(body) - (self.manner.fields or set(body))
        reasons = [f"Unknown name {sorted(unknown)}"] if unknown else []
        reasons += [reason for check in self.manner.checks if (reason := check(self, body))]
        if reasons:
            return self._refuse("; ".join(reasons), 400)
        reply = self.script.get(APIS[self.manner.api].moment(body)) or Reply(content="Hello.")
        return _ok(APIS[self.manner.api].answer(self, reply, self.manner.dress, self.manner.usage))

    def _refuse(self, words: str, status: int) -> Fault:
        self.refusals.append(words)
        return Fault(status, json.dumps(self.manner.error(words)).encode())


def _ok(body: Json) -> Fault:
    return Fault(200, json.dumps(body, ensure_ascii=False).encode())


def _flat_usage(**more: int) -> Json:
    return {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, **more}


REASONED = {"completion_tokens_details": {"reasoning_tokens": REASONING}}
OPENAI_FIELDS = CHAT_FIELDS - {"max_tokens"} | {"max_completion_tokens", "seed"}
MANNERS: dict[str, Manner] = {
    "openai": Manner("/v1/chat/completions", (rules.orderly,), CHAT_FIELDS | {"seed", "max_completion_tokens"}),
    "openai-responses": Manner(
        "/v1/responses",
        (rules.responses_rules,),
        _names(
            "model input tools temperature top_p max_output_tokens store include reasoning tool_choice "
            "parallel_tool_calls"
        ),
        api="responses",
    ),
    "azure": Manner(
        "/openai/deployments/some-model/chat/completions",
        (rules.orderly, rules.limited_by("max_completion_tokens")),
        OPENAI_FIELDS,
        ("api-key", "{}"),
    ),
    "anthropic": Manner(
        "/v1/messages",
        (rules.messages_rules,),
        _names(
            "model messages system max_tokens temperature top_p stop_sequences tools tool_choice thinking "
            "output_config top_k"
        ),
        ("x-api-key", "{}"),
        api="messages",
        error=lambda words: {"type": "error", "error": {"type": "invalid_request_error", "message": words}},
    ),
    "gemini": Manner(
        "/v1beta/openai/chat/completions",
        (rules.orderly, rules.signatures_come_back, rules.openapi_only),
        CHAT_FIELDS - {"parallel_tool_calls"} | {"seed"},
        dress=rules.gemini_dress,
        error=lambda words: [{"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}],
    ),
    "deepseek": Manner(
        "/v1/chat/completions",
        (rules.orderly, rules.reasoning_comes_back),
        dress=with_reasoning("reasoning_content"),
        usage=_flat_usage(prompt_cache_hit_tokens=CACHED, prompt_cache_miss_tokens=60) | REASONED,
    ),
    "qwen": Manner(
        "/compatible-mode/v1/chat/completions",
        (
            rules.orderly,
            rules.words_are_texts,
            rules.wants("parallel_tool_calls", True),
            rules.forbids("frequency_penalty"),
        ),
        dress=with_reasoning("reasoning_content"),
    ),
    "moonshot": Manner(
        "/v1/chat/completions",
        (
            rules.orderly,
            rules.reasoning_comes_back,
            rules.results_are_named,
            rules.limited_by("max_completion_tokens"),
        ),
        dress=with_reasoning("reasoning_content"),
        usage=_flat_usage(cached_tokens=CACHED) | REASONED,
    ),
    "zhipu": Manner(
        "/api/paas/v4/chat/completions",
        (rules.orderly, rules.words_are_texts, rules.only_auto, rules.forbids("seed", "parallel_tool_calls")),
        dress=with_reasoning("reasoning_content"),
        error=lambda words: {"error": {"code": "1210", "message": words}},
    ),
    "mistral": Manner(
        "/v1/chat/completions",
        (rules.orderly, rules.nine_characters, rules.mistral_order),
        CHAT_FIELDS | {"random_seed"},
        dress=rules.mistral_dress,
        error=lambda words: {"object": "error", "message": words, "type": "invalid_request_error", "code": "3230"},
    ),
    "xai": Manner(
        "/v1/chat/completions",
        (rules.orderly, rules.forbids("stop", "presence_penalty", "frequency_penalty")),
        dress=with_reasoning("reasoning_content"),
        error=lambda words: {"code": "Client specified an invalid argument", "error": words},
    ),
    "doubao": Manner(
        "/api/v3/chat/completions", (rules.orderly, rules.words_are_texts), dress=with_reasoning("reasoning_content")
    ),
    "hunyuan": Manner("/v1/chat/completions", (rules.orderly, rules.words_are_texts, rules.strict_turns)),
    "openrouter": Manner(
        "/api/v1/chat/completions", (rules.orderly, rules.details_come_back), dress=rules.openrouter_dress
    ),
    "together": Manner("/v1/chat/completions", (rules.orderly,), dress=with_reasoning("reasoning")),
    "groq": Manner(
        "/openai/v1/chat/completions",
        (rules.orderly, rules.no_names, rules.forbids("logprobs", "logit_bias", "top_logprobs")),
        OPENAI_FIELDS,
        dress=with_reasoning("reasoning"),
    ),
    "fireworks": Manner(
        "/inference/v1/chat/completions",
        (rules.orderly, rules.reasoning_kept("reasoning_content")),
        dress=with_reasoning("reasoning_content"),
    ),
    "siliconflow": Manner(
        "/v1/chat/completions",
        (rules.orderly, rules.words_are_texts, rules.reasoning_kept("reasoning_content")),
        dress=with_reasoning("reasoning_content"),
    ),
    "tokenhub": Manner(
        "/v1/chat/completions",
        (rules.orderly, rules.words_are_texts, rules.only_auto, rules.reasoning_kept("reasoning_content")),
        dress=with_reasoning("reasoning_content"),
    ),
    "vllm": Manner(
        "/v1/chat/completions",
        (rules.orderly, rules.reasoning_kept("reasoning")),
        dress=with_reasoning("reasoning"),
    ),
    "sglang": Manner(
        "/v1/chat/completions",
        (rules.orderly, rules.reasoning_kept("reasoning_content")),
        dress=with_reasoning("reasoning_content"),
    ),
    "ollama": Manner(
        "/v1/chat/completions",
        (
            rules.orderly,
            rules.words_are_texts,
            rules.forbids("parallel_tool_calls", "tool_choice"),
            rules.reasoning_kept("reasoning"),
        ),
        dress=with_reasoning("reasoning"),
    ),
    "llamacpp": Manner(
        "/v1/chat/completions",
        (
            rules.orderly,
            rules.words_are_texts,
            rules.wants("parallel_tool_calls", True),
            rules.reasoning_kept("reasoning_content"),
        ),
        dress=with_reasoning("reasoning_content"),
    ),
}


@contextmanager
def playing(name: str, key: str, script_: dict[Moment, Reply] | None = None) -> Iterator[Fake]:
    """Serve a provider; its base URL has the path of the real one."""
    fake = Fake(name, key, script() if script_ is None else script_)
    with serve(faults=fake.respond) as server:
        fake.server = server
        root = server.base_url.removesuffix("/v1")
        fake.base_url = root + re.sub(
            "/(openai/deployments/.*|chat/completions|messages|responses)$", "", fake.manner.path
        )
        yield fake
