"""Whose failure it is: what an agent raises is the agent's, a lost connection is nobody's in the conversation.

The agent's is the `error` of a reply, and the task is wrong. A lost connection, to the agent or to the agent's own
model, is a ProviderError: the sample failed, and is asked again when the run continues.
"""

from __future__ import annotations

import re

from toolgauge.tools.texts import unmarked

MAX_WORDS = 300
"""Characters of an agent's last words."""
# fmt: off
LOST_CONNECTION = frozenset({
    "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "BrokenPipeError", "gaierror",  # Python
    "APIConnectionError", "APITimeoutError", "RateLimitError", "InternalServerError",  # OpenAI, Anthropic
    "TransportError", "TimeoutException", "ConnectError", "ConnectTimeout", "ReadTimeout", "ReadError",  # httpx
    "ClientConnectionError", "ClientConnectorError", "ServerDisconnectedError", "ServerTimeoutError",  # aiohttp
    "Timeout", "EndpointConnectionError", "ReadTimeoutError", "ThrottlingException",  # requests, botocore
    "ServiceUnavailable", "TooManyRequests", "ResourceExhausted",  # Google
})
# fmt: on
"""Exceptions of HTTP clients that mean a lost connection or a busy model, by the names of their classes."""
UNAVAILABLE = frozenset({429, *range(500, 600)})
"""HTTP statuses with which a model is not available."""
_RAISED = re.compile(r"^[ |]*(?:[\w.]+\.)?(\w+)(?:: |$)", re.MULTILINE)
"""An exception's class in a printed traceback."""


class AgentError(Exception):
    """The agent does not do what was agreed; the message says what."""


def last_words(error: BaseException) -> str:
    """What an exception says, in one line that may be printed: "ValueError: no such tool 'x'".

    Of a group (anyio's, around an MCP client) the first one.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    try:
        words = str(error)
    except Exception:  # an exception of somebody else's that cannot be printed
        words = ""
    if not isinstance(error, AgentError):
        words = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return unmarked(writable(words), MAX_WORDS)


def writable(text: str) -> str:
    """A text as a file can hold it: of no class of the agent's own, and without lone surrogates."""
    return text.encode("utf-8", "backslashreplace").decode()


def lost_connection(error: BaseException, unavailable: frozenset[int] = UNAVAILABLE) -> bool:
    """Whether an exception, one of its causes or a part of its group is a lost connection.

    unavailable: HTTP statuses that mean the same.
    """
    chain = [error]
    for one in chain:
        response = getattr(one, "response", None)
        status = getattr(one, "status_code", None) or getattr(response, "status_code", None)
        if LOST_CONNECTION & {kind.__name__ for kind in type(one).__mro__}:
            return True
        if isinstance(status, int) and status in unavailable:
            return True
        parts = one.exceptions if isinstance(one, BaseExceptionGroup) else ()
        causes = (one.__cause__, one.__context__, *parts)
        chain += [cause for cause in causes if cause is not None and cause not in chain]
    return False


def says_lost_connection(stderr: str) -> bool:
    """The same of a traceback that a process printed."""
    return not LOST_CONNECTION.isdisjoint(_RAISED.findall(stderr))
