"""httpx2 over the connections of aiohttp, which take less than half the processor time of httpx2's own."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from functools import cached_property
from typing import Any, NoReturn

import aiohttp
import httpx2
from aiohttp.http import HttpProcessingError
from yarl import URL


class AiohttpClient(httpx2.AsyncClient):
    """httpx2's client: addresses, headers, cookies, redirects and proxies are httpx2's, connections aiohttp's."""

    def _init_transport(self, *_: Any, **settings: Any) -> httpx2.AsyncBaseTransport:
        return _Transport(settings["limits"])

    def _init_proxy_transport(self, proxy: httpx2.Proxy, *_: Any, **settings: Any) -> httpx2.AsyncBaseTransport:
        return _Transport(settings["limits"], proxy)


class _Transport(httpx2.AsyncBaseTransport):
    def __init__(self, limits: httpx2.Limits, proxy: httpx2.Proxy | None = None) -> None:
        self._limits, self._proxy = limits, proxy
        self._session: aiohttp.ClientSession | None = None

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Certificates where httpx2 finds them: aiohttp knows fewer places."""
        return httpx2.create_ssl_context()

    def _opened(self) -> aiohttp.ClientSession:
        """The session, made with its lock when a loop runs for them."""
        if self._session is None:
            connector = aiohttp.TCPConnector(
                limit=self._limits.max_connections or 0, keepalive_timeout=self._limits.keepalive_expiry
            )
            self._turn = asyncio.Lock()
            self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        timeout, proxy = request.extensions.get("timeout", {}), self._proxy
        if proxy and proxy.url.scheme not in ("http", "https"):
            raise httpx2.UnsupportedProtocol(f"a proxy of this kind cannot be used: {proxy.url.scheme}://")
        try:
            response = await self._opened().request(
                request.method,
                URL(str(request.url), encoded=True),
                headers=request.headers.multi_items(),
                data=await request.aread() or None,
                allow_redirects=False,
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(sock_connect=timeout.get("connect"), sock_read=timeout.get("read")),
                ssl=self._tls if request.url.scheme == "https" else True,
                proxy=str(proxy.url) if proxy else None,
                # Deprecated, but `proxy_headers` go to proxies that tunnel only (aiohttp 3.14).
                proxy_auth=aiohttp.BasicAuth(*proxy.auth, encoding="utf-8") if proxy and proxy.auth else None,
                proxy_headers=proxy.headers if proxy else None,
            )
        except aiohttp.ClientError as error:
            _fail(error)
        await self._take_turn()
        return httpx2.Response(response.status, headers=response.raw_headers, stream=_Body(response), request=request)

    async def _take_turn(self) -> None:
        """Answers that came together go on one by one, each as far as its conversation's next request.

        aiohttp sends a request in a task of its own: else those of all these conversations would be sent when the last
        of them is made, and be answered together again, for the whole run.
        """
        async with self._turn:
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()


class _Body(httpx2.AsyncByteStream):
    """The body of a response as it arrives."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._response.content.iter_any():
                yield part
        except aiohttp.ClientError as error:
            _fail(error)

    async def aclose(self) -> None:
        self._response.release()  # one that was not read to its end closes its connection


def _fail(error: aiohttp.ClientError) -> NoReturn:
    """Raise what httpx2 calls this error of aiohttp."""
    if isinstance(error.__cause__, HttpProcessingError):  # its own text begins with a status that nobody sent
        raise httpx2.RemoteProtocolError(error.__cause__.message) from None
    kind: type[httpx2.TransportError] = httpx2.NetworkError
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        kind = httpx2.ConnectTimeout
    elif isinstance(error, aiohttp.ServerTimeoutError):
        kind = httpx2.ReadTimeout
    raise kind(str(error)) from error
