"""HTTP answers of bounded size: read as a stream, unpacked piece by piece, and given up at the limit.

A server can send a body without an end, or a few kilobytes that unpack to gigabytes. What arrives and what it unpacks
to are both counted, so an answer costs at most its limit in memory, whatever its headers promise.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from contextvars import ContextVar

import httpx2

from toolgauge.limits import MAX_ERROR_BYTES

_raised: ContextVar[int] = ContextVar("_raised")


class ReplyRefused(Exception):
    """An answer is not read to its end; text: why."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


@contextmanager
def at_most(limit: int) -> Iterator[None]:
    """Another limit, in bytes, for the exchanges of this block: files are larger than replies."""
    token = _raised.set(limit)
    try:
        yield
    finally:
        _raised.reset(token)


def bounding(limit: int) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A hook for `event_hooks["response"]` of a client: whoever reads an answer gets at most `limit` bytes of it.

    Reading more raises ReplyRefused, or ends the body where the status is an error's.
    """

    async def bound(response: httpx2.Response) -> None:
        if "," in response.headers.get("content-encoding", ""):  # layers multiply what a byte can unpack to
            raise ReplyRefused("the reply is compressed several times over, which is not unpacked")
        most = _most(response, _raised.get(limit))
        length = response.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) <= most and "content-encoding" not in response.headers:
            return  # more than it says does not arrive
        # The inner response unpacks; the outer one, which the client goes on with, must not do so again.
        inner = httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream, request=response.request
        )
        for name in ("content-encoding", "content-length"):
            response.headers.pop(name, None)
        response.stream = _Counted(inner, most)

    return bound


def _most(response: httpx2.Response, limit: int) -> int:
    """How many bytes of an answer are read: of one that is an error, few."""
    return limit if response.status_code < 300 else min(limit, MAX_ERROR_BYTES)


class _Counted(httpx2.AsyncByteStream):
    """The unpacked body of a response, up to a limit."""

    def __init__(self, response: httpx2.Response, limit: int) -> None:
        self._response, self._limit = response, limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        limit = left = self._limit
        async with aclosing(self._response.aiter_bytes()) as parts:
            async for part in parts:
                left -= len(part)
                if left < 0 or self._response.num_bytes_downloaded > limit:
                    if self._response.status_code < 300:
                        raise ReplyRefused(
                            f"the reply is larger than {limit / 1000000.0:g} MB (--set endpoint.max_reply_bytes=N)"
                        )
                    yield part[: max(0, left + len(part))]
                    return
                yield part

    async def aclose(self) -> None:
        await self._response.aclose()
