"""The HTTP client of an endpoint: its address, and the headers that identify its user."""

from __future__ import annotations

import os

import httpx2

from toolgauge.models.aiohttp_transport import AiohttpClient
from toolgauge.models.model import ModelOptions
from toolgauge.models.providers import Endpoint
from toolgauge.models.reply_size import bounding
from toolgauge.version import __version__

CONNECT_TIMEOUT = 30.0
KEEP_ALIVE = 60.0
ANTHROPIC_VERSION = "2023-06-01"
OWN_HEADERS = {"accept": "application/json", "user-agent": f"toolgauge/{__version__}"}
_OF_OPENAI = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""Headers that variables of the shell give, as in OpenAI's own clients."""
_MORE_HEADERS = "OPENAI_CUSTOM_HEADERS"


def open_client(model: str, endpoint: Endpoint, options: ModelOptions) -> httpx2.AsyncClient:
    """A client of an endpoint; paths of requests stand below its base URL (an absolute one is taken as it is).

    Redirects are not followed: a request to an API is not to be sent elsewhere, and its key even less (redirects.py).
    """
    base_url, query = endpoint.base_url, endpoint.query
    if endpoint.provider.api == "azure":
        base_url = f"{account_url(endpoint)}/deployments/{model}"
        query = query | {"api-version": endpoint.api_version or ""}
    return AiohttpClient(
        base_url=base_url,
        params=query,
        headers=httpx2.Headers(OWN_HEADERS | _identity(endpoint), encoding="utf-8"),
        timeout=httpx2.Timeout(options.longest_timeout, connect=min(CONNECT_TIMEOUT, options.timeout), pool=None),
        limits=httpx2.Limits(max_connections=options.concurrency, keepalive_expiry=KEEP_ALIVE),
        follow_redirects=False,
        event_hooks={"response": [bounding(options.max_reply_bytes)]},
    )


def account_url(endpoint: Endpoint) -> str:
    """Where files and batches stand: beside Azure's deployments."""
    return f"{endpoint.base_url}/openai" if endpoint.provider.api == "azure" else endpoint.base_url


def redirected(request: httpx2.Request, endpoint: Endpoint) -> httpx2.Request:
    """A request that a redirect asks for: to another origin than the endpoint's without what identifies its user."""
    if request.url.origin != httpx2.URL(endpoint.base_url).origin:
        for name in _identity(endpoint):
            request.headers.pop(name, None)
    return request


def _identity(endpoint: Endpoint) -> dict[str, str]:
    """The headers, by name in lower case, that identify the user; what is written into a variable or an address goes
    before the key."""
    parts = [_key_headers(endpoint), endpoint.headers]
    if _takes_variables(endpoint):
        named = {name: value for name, variable in _OF_OPENAI.items() if (value := os.environ.get(variable))}
        parts[1:1] = [named, _headers_of(os.environ.get(_MORE_HEADERS, ""))]
    return {name.lower(): value for part in parts for name, value in part.items()}


def _key_headers(endpoint: Endpoint) -> dict[str, str]:
    """The key, where each API wants it."""
    match endpoint.provider.api:
        case "azure":
            return {"api-key": endpoint.api_key}
        case "messages" if "Authorization" not in endpoint.headers:
            return {"x-api-key": endpoint.api_key, "anthropic-version": ANTHROPIC_VERSION}
        case _:
            return {"Authorization": f"Bearer {endpoint.api_key}"}


def _takes_variables(endpoint: Endpoint) -> bool:
    """Organisation, project and further headers of the shell are for the provider that OPENAI_API_KEY is for, and for
    no address or key that a `.env` gives."""
    in_file = endpoint.address.source == "file" or (endpoint.key is not None and endpoint.key.source == "file")
    return "OPENAI_API_KEY" in endpoint.provider.key_variables and not in_file


def _headers_of(text: str) -> dict[str, str]:
    """Headers in lines "name: value"; other lines are left out."""
    lines = (line.partition(":") for line in text.split("\n"))
    return {name.strip(): value.strip() for name, colon, value in lines if colon}
