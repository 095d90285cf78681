"""What a server on this machine says of itself: its models, how many requests it works on at once, its template.

llama.cpp's server has `/props` (slots, context, chat template); every server with OpenAI's API has `/v1/models`. What a
server does not say stays None.
"""

from __future__ import annotations

from http.client import HTTPException
from typing import Annotated
from urllib.request import ProxyHandler, Request, build_opener

import msgspec
from msgspec import Meta, Struct

from toolgauge.errors import UsageError
from toolgauge.limits import MAX_ERROR_BYTES
from toolgauge.locale import _
from toolgauge.locale.foreign import cause
from toolgauge.models.chat_template import shows_tools
from toolgauge.models.providers import Endpoint

LLAMACPP = "llamacpp"
SECONDS = 5.0
"""For an answer of a server about itself."""
Count = Annotated[int, Meta(ge=1, le=1_000_000_000)]


class ServerProperties(Struct):
    """What `/props` of llama.cpp's server says. total_slots: requests that it works on at once."""

    total_slots: Count | None = None
    chat_template: str | None = None

    @property
    def drops_tools(self) -> bool:
        """Has its chat template no place for tools? Then it leaves them out of the prompt without a word."""
        return self.chat_template is not None and not shows_tools(self.chat_template)


class _Model(Struct):
    id: str


class _Models(Struct):
    data: list[_Model] = []


def read_properties(body: bytes) -> ServerProperties | None:
    """The answer to `/props`; None for anything else."""
    try:
        return msgspec.json.decode(body, type=ServerProperties)
    except (msgspec.DecodeError, ValueError):
        return None


def only_model(endpoint: Endpoint) -> str:
    """The one model that a server offers. Raises UsageError where it does not answer, or offers none or several."""
    provider, address = endpoint.provider.name, endpoint.base_url
    try:
        asked = Request(f"{address}/models")  # noqa: S310 - an address of http or https, see `_address`
        if endpoint.api_key:
            asked.add_unredirected_header("Authorization", f"Bearer {endpoint.api_key}")
        with build_opener(ProxyHandler({})).open(asked, timeout=SECONDS) as answer:
            models = msgspec.json.decode(answer.read(MAX_ERROR_BYTES), type=_Models).data
    except (OSError, ValueError, HTTPException, msgspec.DecodeError) as error:
        raise UsageError(
            _(
                "{provider}: which model? the server at {address} does not say ({why}); write {provider}/<model>",
                provider=provider,
                address=address,
                why=cause(error),
            )
        ) from error
    if len(models) != 1:
        raise UsageError(
            _(
                "{provider}: which model? the server at {address} has {models}; write {provider}/<model>",
                provider=provider,
                address=address,
                models=[model.id for model in models],
            )
        )
    return models[0].id
