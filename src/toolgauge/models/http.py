"""The HTTP client of an endpoint, over aiohttp: addresses, headers, proxies, certificates, sizes, redirects.

An exchange comes to an `Answer`, or to the `AttemptFailure` that says why there is none.
"""

from __future__ import annotations

import asyncio
import base64
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

import aiohttp
from aiohttp.http import HttpProcessingError
from msgspec import Struct
from yarl import URL

from toolgauge.limits import MAX_ERROR_BYTES
from toolgauge.models.failures import AttemptFailure, FailureScope, RetryCause
from toolgauge.models.model import ModelOptions
from toolgauge.models.providers import Endpoint
from toolgauge.network import proxy_for, shown_proxy, tls_context
from toolgauge.version import __version__

CONNECT_TIMEOUT = 30.0
KEEP_ALIVE = 60.0
MOST_REDIRECTS = 20
MOST_REFUSED = 2
"""Attempts at a reply that is too large: a model may have talked without end once, a server that does so goes on."""
JSON = {"content-type": "application/json"}
ANTHROPIC_VERSION = "2023-06-01"
OWN_HEADERS = {"accept": "application/json", "user-agent": f"toolgauge/{__version__}"}
_OF_OPENAI = {"openai-organization": "OPENAI_ORG_ID", "openai-project": "OPENAI_PROJECT_ID"}
"""Headers that variables of the shell give, as in OpenAI's own clients."""
_MORE_HEADERS = "OPENAI_CUSTOM_HEADERS"

Headers = dict[str, str]


class Answer(Struct, frozen=True):
    """An HTTP answer as it arrived. headers: of a mapping that takes names in any case, or in lower case. seconds: from
    sending the request until all of it was here, whatever else this process had to do then."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float = 0.0

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


class HttpClient:
    """Connections to an endpoint. One instance belongs to one event loop."""

    def __init__(self, model: str, endpoint: Endpoint, options: ModelOptions) -> None:
        self.base_url, self._query = endpoint.base_url, endpoint.query
        if endpoint.provider.api == "azure":
            self.base_url = f"{account_url(endpoint)}/deployments/{quote(model, safe='/:@')}"
            self._query = endpoint.query | {"api-version": endpoint.api_version or ""}
        self._identity = _identity(endpoint)
        self._options = options
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[URL, tuple[str | None, Headers | None]] = {}

    def url(self, place: str) -> URL:
        """The address of a path below the base URL, or of an absolute one, with the endpoint's query."""
        address = URL(place if "://" in place else self.base_url + place)
        return address.update_query(self._query) if self._query else address

    async def exchange(
        self,
        method: str,
        url: URL,
        data: Any = None,
        headers: Headers | None = None,
        *,
        seconds: float,
        most: int | None = None,
        redirects: bool = False,
        watch: Callable[[bytes], bool] | None = None,
    ) -> Answer | AttemptFailure:
        """One request and its answer, within so many seconds and `most` bytes (by default those of a reply).

        redirects: follow them, to another origin without what identifies the user; else they are answers, for keys
        and conversations would go along. watch: is given what arrives, and says when enough is read.
        """
        sent = OWN_HEADERS | self._identity | (headers or {})
        most = self._options.max_reply_bytes if most is None else most
        try:
            async with asyncio.timeout(seconds):
                answer = await self._request(method, url, data, sent, most, watch)
                for _redirect in range(MOST_REDIRECTS if redirects else 0):
                    location = answer.headers.get("location", "").strip()
                    if not 300 <= answer.status < 400 or not location:
                        break
                    target = URL(urljoin(str(url), location), encoded=True)  # as it is written: it may be signed
                    if target.origin() != url.origin():
                        sent = OWN_HEADERS
                    url = target
                    answer = await self._request("GET", url, None, sent, most)
                return answer
        except aiohttp.ConnectionTimeoutError as error:
            return _connection_failure(error, url)
        except TimeoutError:
            # many servers take every request at once and let it wait: fewer at a time is what helps
            late = f"no response within {seconds:g} s (--set endpoint.timeout=SECONDS waits longer)"
            return AttemptFailure(late, overload=True, cause=RetryCause.TIMEOUT)
        except _RefusedError as error:
            return AttemptFailure(str(error), most_attempts=MOST_REFUSED)
        except Exception as error:  # aiohttp, ssl and sockets: an open set, and all of them this one attempt's
            return _connection_failure(error, url)

    async def close(self) -> None:
        """Let the connections go."""
        if self._session is not None:
            await self._session.close()

    async def _request(
        self,
        method: str,
        url: URL,
        data: Any,
        headers: Headers,
        most: int,
        watch: Callable[[bytes], bool] | None = None,
    ) -> Answer:
        origin = url.origin()
        if origin not in self._proxies:
            self._proxies[origin] = _proxy_and_login(str(url))
        proxy, login = self._proxies[origin]
        if login and url.scheme == "http":  # aiohttp gives `proxy_headers` to proxies that tunnel only
            headers = headers | login
        began = time.perf_counter()
        response = await self._opened().request(
            method,
            url,
            data=data,
            headers=headers,
            allow_redirects=False,
            proxy=proxy,
            proxy_headers=login,
        )
        arrived, is_whole = time.perf_counter(), response.content.is_eof()
        try:
            await self._take_turn()
            body = await _bounded_body(response, most, watch)
            seconds = (arrived if is_whole else time.perf_counter()) - began
            return Answer(response.status, response.headers, body, seconds)
        finally:
            response.release()  # one that was not read to its end closes its connection

    def _opened(self) -> aiohttp.ClientSession:
        """The session, made with its lock when a loop runs for them."""
        if self._session is None:
            self._turn = asyncio.Lock()
            tls = tls_context() if self.base_url.startswith("https:") else True
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._options.concurrency, keepalive_timeout=KEEP_ALIVE, ssl=tls),
                cookie_jar=aiohttp.CookieJar(unsafe=True, quote_cookie=False),  # also of addresses that are numbers
                timeout=aiohttp.ClientTimeout(sock_connect=min(CONNECT_TIMEOUT, self._options.timeout)),
            )
        return self._session

    async def _take_turn(self) -> None:
        """Answers that came together go on one by one, each as far as its conversation's next request.

        aiohttp sends a request in a task of its own: else those of all these conversations would be sent when the last
        of them is made, and be answered together again, for the whole run.
        """
        async with self._turn:
            await asyncio.sleep(0)


def ask_now(
    endpoint: Endpoint, address: str, body: bytes | None = None, *, seconds: float, most: int
) -> Answer | AttemptFailure:
    """One exchange for callers without an event loop of their own, in a thread that has one. Waits for it."""

    async def exchange() -> Answer | AttemptFailure:
        client = HttpClient("", endpoint, ModelOptions(timeout=seconds))
        try:
            method = "GET" if body is None else "POST"
            return await client.exchange(method, client.url(address), body, JSON, seconds=seconds, most=most)
        finally:
            await client.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, exchange()).result()


class _RefusedError(Exception):
    """An answer is not read to its end; the message says why."""


async def _bounded_body(
    response: aiohttp.ClientResponse, most: int, watch: Callable[[bytes], bool] | None = None
) -> bytes:
    """The unpacked body. Raises _RefusedError where it, or what arrives of it, is larger; an error's is cut off."""
    if "," in response.headers.get("content-encoding", ""):  # layers multiply what a byte can unpack to
        raise _RefusedError("the reply is compressed several times over, which is not unpacked")
    failed = response.status >= 300
    most = min(most, MAX_ERROR_BYTES) if failed else most
    content, parts, size = response.content, list[bytes](), 0
    async for part in content.iter_any():
        parts.append(part)
        size += len(part)
        if max(size, content.total_raw_bytes) > most:
            if failed:
                break
            raise _RefusedError(f"the reply is larger than {most / 1e6:g} MB (--set endpoint.max_reply_bytes=N)")
        if watch is not None and watch(part):
            break
    return b"".join(parts)[:most]


def _connection_failure(error: BaseException, url: URL) -> AttemptFailure:
    """A connection that failed, with its innermost cause, which is the one that says something ("Connection reset by
    peer"), and the proxy that it went through."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    # the text of an HttpProcessingError begins with a status that nobody sent
    texts = [cause.message if isinstance(cause, HttpProcessingError) else str(cause) for cause in chain]
    words = next((text for text in reversed(texts) if text), type(chain[-1]).__name__)
    proxy = shown_proxy(str(url))
    through = f" through the proxy {proxy}" if proxy else ""
    return AttemptFailure(f"connection failed{through}: {words}", FailureScope.ENDPOINT, cause=RetryCause.CONNECTION)


def _proxy_and_login(address: str) -> tuple[str | None, Headers | None]:
    """The proxy for an address, and the header that it wants. Raises OSError for one that does not speak HTTP."""
    proxy = urlsplit(proxy_for(address) or "")
    if proxy.scheme not in ("", "http", "https"):
        raise OSError(f"a proxy of this kind cannot be used: {proxy.scheme}://")
    if proxy.username is None:
        return shown_proxy(address), None
    login = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return shown_proxy(address), {"proxy-authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}


def redirect_failure(status: int, headers: Mapping[str, str], address: str, base_url: str) -> AttemptFailure | None:
    """The failure for a redirect that is not followed, with the base URL to which it leads; None for other answers.

    headers: of a mapping that takes names in lower case. asked: the address that was asked, below the base URL.
    """
    if not 300 <= status < 400:
        return None
    target = redirect_target(headers.get("location") or "", address)
    if target is None:
        return AttemptFailure(f"HTTP {status}: a redirect that does not say where to", FailureScope.CALLER)
    place = target.removesuffix(address.removeprefix(base_url))
    return AttemptFailure(
        f"HTTP {status}: the endpoint redirects to {place}, which is not followed; if that is the right address, give "
        "it as --base-url",
        FailureScope.CALLER,
    )


def redirect_target(location: str, address: str) -> str | None:
    """Where a redirect leads, without credentials, query and fragment; None where that is no address on the web."""
    try:
        parts = urlsplit(urljoin(address, location.strip()))
        usable = location.strip() and parts.scheme in ("http", "https") and parts.hostname
    except ValueError:
        return None
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")) if usable else None


def account_url(endpoint: Endpoint) -> str:
    """Where files and batches stand: beside Azure's deployments."""
    return f"{endpoint.base_url}/openai" if endpoint.provider.api == "azure" else endpoint.base_url


def _identity(endpoint: Endpoint) -> Headers:
    """The headers, by name in lower case, that identify the user; what is written into a variable or an address goes
    before the key, which stands where each API wants it.

    Organisation, project and further headers of the shell are for the provider that OPENAI_API_KEY is for, and for no
    address or key that a `.env` gives.
    """
    headers = {"authorization": f"Bearer {endpoint.api_key}"}
    if endpoint.provider.api == "azure":
        headers = {"api-key": endpoint.api_key}
    elif endpoint.provider.api == "messages" and "Authorization" not in endpoint.headers:
        headers = {"x-api-key": endpoint.api_key, "anthropic-version": ANTHROPIC_VERSION}
    in_file = "file" in (endpoint.address.source, endpoint.key.source if endpoint.key else "")
    if "OPENAI_API_KEY" in endpoint.provider.key_variables and not in_file:
        headers |= {name: value for name, variable in _OF_OPENAI.items() if (value := os.environ.get(variable))}
        for line in os.environ.get(_MORE_HEADERS, "").split("\n"):  # "name: value"; other lines are left out
            name, colon, value = line.partition(":")
            headers |= {name.strip().lower(): value.strip()} if colon else {}
    return headers | {name.lower(): value for name, value in endpoint.headers.items()}
