"""What a server of one's own says of itself: its models, its context, its slots, its template; how it counts tokens.

Every server with OpenAI's API has `/v1/models`; those of vLLM, SGLang and llama.cpp say there how long a conversation
may be, and whose they are. llama.cpp has `/props` besides (slots, chat template), SGLang `/server_info` (requests at
once). All three count the tokens of a chat request without answering it. What a server does not say stays None.
"""

from __future__ import annotations

from concurrent.futures import Future
from http.client import HTTPException
from threading import Thread
from typing import Annotated, TypeVar
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

import msgspec
from msgspec import Meta, Struct

from toolgauge.errors import UsageError, os_cause
from toolgauge.limits import MAX_ERROR_BYTES
from toolgauge.models.providers import Endpoint
from toolgauge.models.template_marks import shows_tools
from toolgauge.options import guess

LLAMACPP, VLLM, SGLANG = "llamacpp", "vllm", "sglang"
SECONDS = 5.0
"""For an answer of a server about itself."""
MOST_NAMED = 10
"""Models that an error names."""
MAX_COUNTED_BYTES = 64_000_000
"""Of an answer to how many tokens a request takes: some servers send every token along."""
Count = Annotated[int, Meta(ge=1, le=1_000_000_000)]
T = TypeVar("T")


class _Settings(Struct, frozen=True):
    n_ctx: Count | None = None


class ServerProperties(Struct):
    """What `/props` of llama.cpp's server says. total_slots: requests that it works on at once."""

    total_slots: Count | None = None
    chat_template: str | None = None
    default_generation_settings: _Settings = _Settings()

    @property
    def drops_tools(self) -> bool:
        """Has its chat template no place for tools? Then it leaves them out of the prompt without a word."""
        return self.chat_template is not None and not shows_tools(self.chat_template)


class ServerFacts(Struct, frozen=True):
    """What a server says before it is asked anything.

    engine: who wrote it ("llamacpp", "vllm", "sglang", else ""). context: the most tokens of a conversation with its
    reply. slots: requests that it works on at once. drops_tools: its chat template has no place for tools.
    """

    engine: str = ""
    context: int | None = None
    slots: int | None = None
    drops_tools: bool = False


class _Model(Struct):
    id: str


class _Models(Struct):
    data: list[_Model] = []


class _Meta(Struct):
    n_ctx: Count | None = None


class _Card(_Model):
    """What stands beside a model's name: max_model_len of vLLM and SGLang, meta of llama.cpp."""

    owned_by: object = None
    max_model_len: Count | None = None
    meta: _Meta | None = None


class _Cards(Struct):
    data: list[_Card] = []


class _SglangInfo(Struct):
    max_running_requests: Count | None = None


class _Counted(Struct):
    """Tokens of a request, as llama.cpp (input_tokens) and the others (count) say it."""

    input_tokens: Count | None = None
    count: Count | None = None


def is_own(endpoint: Endpoint) -> bool:
    """Is it a server of one's own: an engine of this machine, or an address that the user named for OpenAI's API?"""
    provider = endpoint.provider
    return provider.group == "local" or (provider.name == "openai" and endpoint.base_url != provider.base_url)


def read_properties(body: bytes) -> ServerProperties | None:
    """The answer to `/props`; None for anything else."""
    try:
        return msgspec.json.decode(body, type=ServerProperties)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def ask_server(endpoint: Endpoint, model: str) -> ServerFacts | None:
    """What the server of a model says of itself; None where it is nobody's own, does not answer, or says nothing.

    Waits for at most three answers of `SECONDS` each.
    """
    if not is_own(endpoint):
        return None
    try:
        cards = {card.id: card for card in _asked(endpoint, f"{endpoint.base_url}/models", _Cards).data}
    except _FAILURES:
        return None
    card = cards.get(model) or (next(iter(cards.values())) if len(cards) == 1 else None)
    if card is None:
        return None
    context = card.max_model_len or (card.meta.n_ctx if card.meta else None)
    engine = card.owned_by if card.owned_by in (LLAMACPP, VLLM, SGLANG) else ""
    facts = ServerFacts(str(engine), context)
    try:
        if LLAMACPP in (engine, endpoint.provider.name):
            props = _asked(endpoint, f"{root_of(endpoint)}/props", ServerProperties)
            context = props.default_generation_settings.n_ctx or context
            facts = ServerFacts(LLAMACPP, context, props.total_slots, props.drops_tools)
        elif engine == SGLANG:
            info = _asked(endpoint, f"{root_of(endpoint)}/server_info", _SglangInfo)
            facts = ServerFacts(SGLANG, context, info.max_running_requests)
    except _FAILURES:
        pass
    return None if facts == ServerFacts() else facts


def count_tokens(endpoint: Endpoint, engine: str, body: bytes) -> int | None:
    """How many tokens the prompt of a chat request takes, as its server counts; None where it does not say.

    body: what would be sent to `/chat/completions`.
    """
    places = {
        LLAMACPP: f"{endpoint.base_url}/chat/completions/input_tokens",
        VLLM: f"{root_of(endpoint)}/tokenize",
        SGLANG: f"{root_of(endpoint)}/tokenize",
    }
    if engine not in places:
        return None
    try:
        found = _asked(endpoint, places[engine], _Counted, body)
    except _FAILURES:
        return None
    return found.input_tokens or found.count


def root_of(endpoint: Endpoint) -> str:
    """The address without the API's version: where engines have what is not OpenAI's."""
    return endpoint.base_url.rstrip("/").removesuffix("/v1")


_FAILURES = (OSError, ValueError, RecursionError, HTTPException, msgspec.DecodeError)


def _asked(endpoint: Endpoint, address: str, kind: type[T], body: bytes | None = None) -> T:
    """A server's JSON answer, whole within `SECONDS`. Raises one of `_FAILURES`."""
    most = MAX_ERROR_BYTES if body is None else MAX_COUNTED_BYTES
    return msgspec.json.decode(_within_time(_request(endpoint, address, body), most), type=kind)


def _request(endpoint: Endpoint, address: str, body: bytes | None) -> Request:
    if endpoint.query:
        address = f"{address}?{urlencode(endpoint.query)}"
    asked = Request(address, body, {"Content-Type": "application/json"})  # noqa: S310 - http or https, see `_address`
    for name, value in endpoint.headers.items():
        asked.add_unredirected_header(name, value)
    if endpoint.api_key and "Authorization" not in endpoint.headers:
        asked.add_unredirected_header("Authorization", f"Bearer {endpoint.api_key}")
    return asked


def _within_time(asked: Request, most: int) -> bytes:
    """The first `most` bytes of an answer. A socket's own time begins anew with every byte, and a server that sends one
    now and then would never be done: so a thread waits for it, and is left to itself when the time is over."""
    answered: Future[bytes] = Future()

    def ask() -> None:
        try:
            with build_opener(ProxyHandler({})).open(asked, timeout=SECONDS) as answer:
                answered.set_result(answer.read(most))
        except BaseException as error:  # whatever it is, it is raised where it is waited for
            answered.set_exception(error)

    Thread(target=ask, daemon=True).start()
    try:
        return answered.result(SECONDS)
    except TimeoutError:
        raise TimeoutError("timed out") from None  # in a socket's words


def meant(endpoint: Endpoint, model: str) -> str:
    """What may help where an endpoint refuses a model or does not know the path: the address with /v1, or the models
    that it offers. "" where it says neither."""
    base = endpoint.base_url.rstrip("/")
    for address in (base, f"{base}/v1"):
        try:
            names = [one.id for one in _asked(endpoint, f"{address}/models", _Models).data]
        except _FAILURES:
            continue
        if address != base:
            return f"did you mean --base-url {address}?"
        if names and model not in names:
            more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
            return f"unknown model {model!r}{guess(model, names)} (it offers {', '.join(names[:MOST_NAMED])}{more})"
        return ""
    return ""


def only_model(endpoint: Endpoint) -> str:
    """The one model that a server offers. Raises UsageError where it does not answer, or offers none or several."""
    provider, address = endpoint.provider.name, endpoint.base_url
    try:
        models = _asked(endpoint, f"{address}/models", _Models).data
    except _FAILURES as error:
        why = os_cause(error) if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{provider}: model missing; write {provider}/<model> (the server at {address} does not list its models: "
            f"{why})"
        ) from error
    if len(models) != 1:
        served = ", ".join(model.id for model in models) or "no model"
        raise UsageError(f"{provider}: model missing; write {provider}/<model> (the server at {address} has {served})")
    return models[0].id
