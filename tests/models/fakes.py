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


def _flat_usage(**more: int) -> Json:
    return {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, **more}


REASONED = {"completion_tokens_details": {"reasoning_tokens": REASONING}}
USAGE = _flat_usage() | REASONED | {"prompt_tokens_details": {"cached_tokens": CACHED}}


@dataclass
class Manner:
    """How one provider behaves. fields: what a body may hold (None: anything). thinks: the field in which replies with
    calls say what was thought; kept: where it must come back. error: the body of a refusal."""

    checks: tuple[Check, ...] = ()
    path: str = "/v1/chat/completions"
    fields: frozenset[str] | None = None
    key_header: tuple[str, str] = ("Authorization", "Bearer {}")
    api: str = "chat"
    thinks: str = ""
    kept: bool = False
    dress: Dress | None = None
    usage: Json = field(default_factory=lambda: USAGE)
    error: Callable[[str], Any] = lambda words: {"error": {"message": words, "type": "invalid_request_error"}}

    def refusals(self, fake: Memory, body: Json) -> list[str]:
        """Why it would refuse a request."""
        unknown = set(body) - (self.fields or set(body))
        checks = [*self.checks, *([rules.orderly] if self.api == "chat" else [])]
        checks += [rules.reasoning_kept(self.thinks)] if self.kept else []
        reasons = [reason for check in checks if (reason := check(fake, body))]
        return [f"Unknown name {sorted(unknown)}", *reasons] if unknown else reasons

    def wear(self, fake: Memory, message: Json) -> None:
        """What this provider puts into a reply beside its words and calls."""
        if self.dress is not None:
            self.dress(fake, message)
        elif self.thinks:
            with_reasoning(self.thinks)(fake, message)


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
        if reasons := self.manner.refusals(self, body):
            return self._refuse("; ".join(reasons), 400)
        reply = self.script.get(APIS[self.manner.api].moment(body)) or Reply(content="Hello.")
        return _ok(APIS[self.manner.api].answer(self, reply, self.manner.wear, self.manner.usage))

    def _refuse(self, words: str, status: int) -> Fault:
        self.refusals.append(words)
        return Fault(status, json.dumps(self.manner.error(words)).encode())


def _ok(body: Json) -> Fault:
    return Fault(200, json.dumps(body, ensure_ascii=False).encode())


OPENAI_FIELDS = CHAT_FIELDS - {"max_tokens"} | {"max_completion_tokens", "seed"}
THOUGHTS = "reasoning_content"
MANNERS: dict[str, Manner] = {
    "openai": Manner(fields=CHAT_FIELDS | {"seed", "max_completion_tokens"}),
    "openai-responses": Manner(
        (rules.responses_rules,), "/v1/responses", api="responses",
        fields=_names("model input tools temperature top_p max_output_tokens store include reasoning tool_choice "
                      "parallel_tool_calls"),
    ),
    "azure": Manner(
        (rules.limited_by("max_completion_tokens"),), "/openai/deployments/some-model/chat/completions",
        fields=OPENAI_FIELDS, key_header=("api-key", "{}"),
    ),
    "anthropic": Manner(
        (rules.messages_rules,), "/v1/messages", api="messages", key_header=("x-api-key", "{}"),
        fields=_names("model messages system max_tokens temperature top_p stop_sequences tools tool_choice thinking "
                      "output_config top_k"),
        error=lambda words: {"type": "error", "error": {"type": "invalid_request_error", "message": words}},
    ),
    "gemini": Manner(
        (rules.signatures_come_back, rules.openapi_only), "/v1beta/openai/chat/completions",
        fields=CHAT_FIELDS - {"parallel_tool_calls"} | {"seed"}, dress=rules.gemini_dress,
        error=lambda words: [{"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}],
    ),
    "deepseek": Manner(
        (rules.reasoning_comes_back,), thinks=THOUGHTS,
        usage=_flat_usage(prompt_cache_hit_tokens=CACHED, prompt_cache_miss_tokens=60) | REASONED,
    ),
    "qwen": Manner(
        (rules.words_are_texts, rules.wants("parallel_tool_calls", True), rules.forbids("frequency_penalty")),
        "/compatible-mode/v1/chat/completions", thinks=THOUGHTS,
    ),
    "moonshot": Manner(
        (rules.reasoning_comes_back, rules.results_are_named, rules.limited_by("max_completion_tokens")),
        thinks=THOUGHTS, usage=_flat_usage(cached_tokens=CACHED) | REASONED,
    ),
    "zhipu": Manner(
        (rules.words_are_texts, rules.only_auto, rules.forbids("seed", "parallel_tool_calls")),
        "/api/paas/v4/chat/completions", thinks=THOUGHTS,
        error=lambda words: {"error": {"code": "1210", "message": words}},
    ),
    "mistral": Manner(
        (rules.nine_characters, rules.mistral_order), fields=CHAT_FIELDS | {"random_seed"}, dress=rules.mistral_dress,
        error=lambda words: {"object": "error", "message": words, "type": "invalid_request_error", "code": "3230"},
    ),
    "xai": Manner(
        (rules.forbids("stop", "presence_penalty", "frequency_penalty"),), thinks=THOUGHTS,
        error=lambda words: {"code": "Client specified an invalid argument", "error": words},
    ),
    "doubao": Manner((rules.words_are_texts,), "/api/v3/chat/completions", thinks=THOUGHTS),
    "hunyuan": Manner((rules.words_are_texts, rules.strict_turns)),
    "openrouter": Manner((rules.details_come_back,), "/api/v1/chat/completions", dress=rules.openrouter_dress),
    "together": Manner(thinks="reasoning"),
    "groq": Manner(
        (rules.no_names, rules.forbids("logprobs", "logit_bias", "top_logprobs")), "/openai/v1/chat/completions",
        fields=OPENAI_FIELDS, thinks="reasoning",
    ),
    "fireworks": Manner((), "/inference/v1/chat/completions", thinks=THOUGHTS, kept=True),
    "siliconflow": Manner((rules.words_are_texts,), thinks=THOUGHTS, kept=True),
    "tokenhub": Manner((rules.words_are_texts, rules.only_auto), thinks=THOUGHTS, kept=True),
    "vllm": Manner(thinks="reasoning", kept=True),
    "sglang": Manner(thinks=THOUGHTS, kept=True),
    "ollama": Manner(
        (rules.words_are_texts, rules.forbids("parallel_tool_calls", "tool_choice")), thinks="reasoning", kept=True
    ),
    "llamacpp": Manner(
        (rules.words_are_texts, rules.wants("parallel_tool_calls", True)), thinks=THOUGHTS, kept=True
    ),
}  # fmt: skip


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
