"""What a server of one's own says of itself: its models, its context, its slots, its template; how it counts tokens.

Every server with OpenAI's API has `/v1/models`; those of vLLM, SGLang and llama.cpp say there how long a conversation
may be, and whose they are. llama.cpp has `/props` besides (slots, chat template), SGLang `/server_info` (requests at
once, parsers). All three count the tokens of a chat request without answering it. What a server does not say stays
None or "".
"""

from __future__ import annotations

import hashlib

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.errors import UsageError
from toolgauge.limits import MAX_ERROR_BYTES
from toolgauge.models.endings import shows_tools
from toolgauge.models.failures import AttemptFailure
from toolgauge.models.http import Answer, ask_now
from toolgauge.models.providers import Endpoint
from toolgauge.models.replies import read_object
from toolgauge.options import guess

LLAMACPP, VLLM, SGLANG = "llamacpp", "vllm", "sglang"
SECONDS = 5.0
"""For an answer of a server about itself."""
MOST_NAMED = 10
"""Models that an error names."""
MAX_COUNTED_BYTES = 64_000_000
"""Of an answer to how many tokens a request takes: some servers send every token along."""


class ServerFacts(Struct, frozen=True):
    """What a server says before it is asked anything.

    engine: who wrote it ("llamacpp", "vllm", "sglang", else ""). context: the most tokens of a conversation with its
    reply. slots: requests that it works on at once. drops_tools: its chat template has no place for tools. template:
    the first 12 digits of the SHA-256 of its chat template; parser: of tool calls, by its own name.
    """

    engine: str = ""
    context: int | None = None
    slots: int | None = None
    drops_tools: bool = False
    template: str = ""
    parser: str = ""


def is_own(endpoint: Endpoint) -> bool:
    """Is it a server of one's own: an engine of this machine, or an address that the user named for OpenAI's API?"""
    provider = endpoint.provider
    return provider.group == "local" or (provider.name == "openai" and endpoint.base_url != provider.base_url)


def _root_of(endpoint: Endpoint) -> str:
    """The address without the API's version: where engines have what is not OpenAI's."""
    return endpoint.base_url.rstrip("/").removesuffix("/v1")


def ask_server(endpoint: Endpoint, model: str) -> ServerFacts | None:
    """What the server of a model says of itself; None where it is nobody's own, does not answer, or says nothing.

    Waits for at most two answers of `SECONDS` each.
    """
    if not is_own(endpoint):
        return None
    cards = _models(endpoint, endpoint.base_url)
    if not isinstance(cards, dict):
        return None
    card = cards.get(model) or (next(iter(cards.values())) if len(cards) == 1 else None)
    if card is None:
        return None
    owner = card.get("owned_by")
    engine = owner if owner in (LLAMACPP, VLLM, SGLANG) else ""
    facts = ServerFacts(str(engine), _count(card.get("max_model_len")) or _count(_part(card, "meta").get("n_ctx")))
    if LLAMACPP in (engine, endpoint.provider.name):
        facts = ask_properties(endpoint, facts)
    elif engine == SGLANG:
        answer = _ask(endpoint, f"{_root_of(endpoint)}/server_info")
        info = answer if isinstance(answer, dict) else {}
        facts = replace(
            facts, slots=_count(info.get("max_running_requests")), parser=str(info.get("tool_call_parser") or "")[:60]
        )
    return None if facts == ServerFacts() else facts


def ask_properties(endpoint: Endpoint, facts: ServerFacts = ServerFacts()) -> ServerFacts:  # noqa: B008 - frozen
    """What `/props` of llama.cpp's server adds to what is known of it. Waits for the answer."""
    props = _ask(endpoint, f"{_root_of(endpoint)}/props")
    if isinstance(props, str):
        return facts
    template = props.get("chat_template")
    return ServerFacts(
        engine=LLAMACPP,
        context=_count(_part(props, "default_generation_settings").get("n_ctx")) or facts.context,
        slots=_count(props.get("total_slots")),
        drops_tools=isinstance(template, str) and not shows_tools(template),
        template=hashlib.sha256(template.encode()).hexdigest()[:12] if isinstance(template, str) else "",
    )


def count_tokens(endpoint: Endpoint, engine: str, body: bytes) -> int | None:
    """How many tokens the prompt of a chat request takes, as its server counts; None where it does not say.

    body: what would be sent to `/chat/completions`.
    """
    places = {
        LLAMACPP: f"{endpoint.base_url}/chat/completions/input_tokens",
        VLLM: f"{_root_of(endpoint)}/tokenize",
        SGLANG: f"{_root_of(endpoint)}/tokenize",
    }
    answer = _ask(endpoint, places[engine], body) if engine in places else None
    return _count(answer.get("input_tokens", answer.get("count"))) if isinstance(answer, dict) else None


def suggested_address(endpoint: Endpoint, model: str) -> str:
    """What may help where an endpoint refuses a model or does not know the path: the address with /v1, or the models
    that it offers. "" where it says neither."""
    base = endpoint.base_url.rstrip("/")
    for address in (base, f"{base}/v1"):
        cards = _models(endpoint, address)
        if not isinstance(cards, dict):
            continue
        if address != base:
            return f"did you mean --base-url {address}?"
        names = list(cards)
        if names and model not in names:
            more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
            return f"unknown model {model!r}{guess(model, names)} (it offers {', '.join(names[:MOST_NAMED])}{more})"
        break
    return ""


def only_model(endpoint: Endpoint) -> str:
    """The one model that a server offers. Raises UsageError where it does not answer, or offers none or several."""
    provider, address = endpoint.provider.name, endpoint.base_url
    cards = _models(endpoint, address)
    if isinstance(cards, str):
        why = f"the server at {address} does not list its models: {cards}"
    elif len(cards) != 1:
        why = f"the server at {address} has {', '.join(cards) or 'no model'}"
    else:
        return next(iter(cards))
    raise UsageError(f"{provider}: model missing; write {provider}/<model> ({why})")


def _models(endpoint: Endpoint, address: str) -> dict[str, Json] | str:
    """The models that a server lists, by their names, with what stands beside them; or why it does not, in words."""
    answer = _ask(endpoint, f"{address}/models")
    if isinstance(answer, str):
        return answer
    listed = answer.get("data")
    if not isinstance(listed, list):
        return "not a list of models"
    return {card["id"]: card for card in listed if isinstance(card, dict) and isinstance(card.get("id"), str)}


def _ask(endpoint: Endpoint, address: str, body: bytes | None = None) -> Json | str:
    """A server's answer, an object, whole within `SECONDS`; or why there is none, in words."""
    most = MAX_ERROR_BYTES if body is None else MAX_COUNTED_BYTES
    answer = ask_now(endpoint, address, body, seconds=SECONDS, most=most)
    if isinstance(answer, Answer) and not answer.is_success:
        return f"HTTP {answer.status}"
    read = answer if isinstance(answer, AttemptFailure) else read_object(answer.body, "not a JSON object")
    return read.message if isinstance(read, AttemptFailure) else read


def _part(of: Json, key: str) -> Json:
    value = of.get(key)
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    return value if type(value) is int and 1 <= value <= 1_000_000_000 else None
