"""HTTP answers of bounded size."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from toolgauge.errors import ServerError


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """A transport through which at most `limit` bytes arrive in all, none of them compressed."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.left, self.limit = limit, limit

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise ServerError(f"{request.url.host}: compressed responses are not supported")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream, self, request.url.host)
        return response


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, transport: BoundedTransport, host: str) -> None:
        self._stream, self._transport, self._host = stream, transport, host

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._transport.left -= len(chunk)
            if self._transport.left < 0:
                raise ServerError(f"{self._host}: response larger than {self._transport.limit >> 20} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
