"""A model behind an endpoint: requests over HTTP, with retries and limits of our own, for every API.

Bodies and replies are bytes, encoded and read by the format of the API (formats.py), which accepts what strict response
models would not.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec.structs import replace

from toolgauge.chat import Reply, Request
from toolgauge.errors import ProviderError
from toolgauge.limits import MAX_REPLY_VALUES, holds_more_values
from toolgauge.models.failures import (
    LONGEST_PAUSE,
    AttemptFailure,
    FailureScope,
    InnerError,
    is_content_filter,
    is_context_overflow,
    is_unpaid,
    overflow_failure,
    requested_pause,
    retry_delay,
    status_failure,
    unread_output,
)
from toolgauge.models.formats import find_format
from toolgauge.models.http import JSON, MOST_REFUSED, Answer, HttpClient, redirect_failure
from toolgauge.models.limit import AdaptiveLimit, ServerLoad
from toolgauge.models.local_server import LLAMACPP, ServerFacts, ask_properties, is_own
from toolgauge.models.model import ModelOptions
from toolgauge.models.provider_adapter import settings_of
from toolgauge.models.providers import LONG_SECRET, MASK, Endpoint, masked, secret_patterns
from toolgauge.models.replies import error_of
from toolgauge.models.streams import STOPPED, LoopWatch, is_stream, put_together
from toolgauge.models.text_calls import find_unparsed

LONGEST_MESSAGE = 400
MOST_ATTEMPTS = 100
"""However patient: a request that is refused while others are answered has to end."""
PAYMENT_REQUIRED = 402
_KEY_LIKE = re.compile(r"\b(?:sk|pk)[-_][A-Za-z0-9_-]{6,}")
"""What looks like a key, anybody's: a server may repeat another one than ours."""

_log = logging.getLogger(__name__)


class EndpointModel:
    """A `Model` at an endpoint. `sleep` (seconds) and `draw` (in [0, 1)) are for tests."""

    def __init__(
        self,
        name: str,
        model: str,
        endpoint: Endpoint,
        options: ModelOptions,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.name = name
        self.limit = AdaptiveLimit(options.concurrency)
        self._load = ServerLoad(self.limit, options, is_own(endpoint))
        self.endpoint = endpoint
        self._model, self._options = model, options
        self._sleep, self._draw = sleep, draw
        self._format = find_format(model, endpoint, options.sampling)
        self._left_out = settings_of(options.sampling, endpoint.quirks).left_out
        if self._left_out:
            _log.info("%s does not take %s: not sent", name, ", ".join(self._left_out))
        long = (secret for secret in endpoint.secrets if len(secret) >= LONG_SECRET)
        self._long_secrets = [re.compile(pattern.encode()) for pattern in secret_patterns(long)]
        self._http = HttpClient(model, endpoint, options)
        self._address = self._http.url(self._format.path)
        self._last_reply: float | None = None
        self._properties: asyncio.Future[ServerFacts] | None = None

    async def properties(self) -> ServerFacts:
        """What llama.cpp's server says of itself, asked once; nothing of other providers'."""
        if self.endpoint.provider.name != LLAMACPP:
            return ServerFacts()
        if self._properties is None or self._properties.cancelled():
            self._properties = asyncio.ensure_future(asyncio.to_thread(ask_properties, self.endpoint))
        facts = await asyncio.shield(self._properties)  # whoever gives up waiting leaves it to the others
        if facts.slots:
            self.limit.narrow(facts.slots)
            self._load.slots = facts.slots
        return facts

    def body(self, request: Request) -> bytes:
        """What is sent for a request, as it is."""
        return self._format.body(request)

    def describe(self) -> dict[str, Any]:
        place = {"provider": self.endpoint.provider.name, "model": self._model, "base_url": self.endpoint.base_url}
        notes = {"left_out": list(self._left_out)} if self._left_out else {}
        return place | self._format.describe() | notes

    async def close(self) -> None:
        await self._http.close()

    async def ask(self, request: Request) -> Reply:
        if self._options.slots is None:
            await self.properties()  # narrows the limit to the server's slots
        body = self.body(request)
        ticket = self.limit.ticket()
        began = time.monotonic()
        attempts = 0
        while True:
            attempts += 1
            outcome = self._in_time(await self._attempt(ticket, body))
            if isinstance(outcome, Reply):
                problem = find_unparsed(outcome, request.tools)
                return replace(outcome, attempts=attempts, problem=problem) if attempts > 1 or problem else outcome
            full = self._load.is_full(outcome) and attempts < MOST_ATTEMPTS
            if not full and self._is_final(outcome, attempts, began):
                raise self._error(outcome, attempts, time.monotonic() - began)
            self.limit.told_retry(outcome.cause)
            await self._sleep(self._options.backoff.delay(1 if full else attempts, self._draw))

    def _in_time(self, outcome: Reply | AttemptFailure) -> Reply | AttemptFailure:
        """The outcome; a failure that is to be repeated only after more than our patience is final, and says when."""
        longest = max(LONGEST_PAUSE, self._options.patience)
        if isinstance(outcome, Reply) or outcome.pause is None or outcome.pause <= longest:
            return outcome
        until = time.strftime("%Y-%m-%d %H:%M", time.localtime(time.time() + outcome.pause))
        patience = f"--set endpoint.patience={outcome.pause:.0f}"
        words = f"{outcome.message} (it asks to wait until {until}; {patience} waits for so long)"
        return replace(outcome, message=words, scope=FailureScope.CALLER)

    def _is_final(self, failure: AttemptFailure, attempts: int, began: float) -> bool:
        """Patience is for an endpoint that went away; one that never answered probably has a wrong address."""
        if failure.scope is FailureScope.CALLER or attempts >= (failure.most_attempts or MOST_ATTEMPTS):
            return True
        if attempts < self._options.max_attempts:
            return False
        if failure.scope is FailureScope.REQUEST or self._last_reply is None:
            return True
        return time.monotonic() - max(began, self._last_reply) >= self._options.patience

    async def _attempt(self, ticket: int, body: bytes) -> Reply | AttemptFailure:
        """One exchange, holding a place of the limit; the limit learns how it went."""
        round_ = await self.limit.acquire(ticket)
        has_a_slot, began = self._load.has_a_slot, time.perf_counter()
        self._load.begin(began)
        try:
            watch = LoopWatch() if self._format.streams else None
            answer = await self._http.exchange(
                "POST", self._address, body, JSON, seconds=self._options.attempt_timeout, watch=watch
            )
            if watch and watch.stopped and not isinstance(answer, AttemptFailure):
                answer = replace(answer, body=answer.body + STOPPED)
            latency = 0.0 if isinstance(answer, AttemptFailure) else answer.seconds
            outcome = answer if isinstance(answer, AttemptFailure) else self._outcome(answer)
            if isinstance(outcome, Reply):
                self._last_reply = time.monotonic()
                reply = replace(outcome, latency=latency)
                self._load.answered(reply, has_a_slot, round_)
                return reply
            outcome = self._load.failed(outcome, began, has_a_slot, round_)
            if outcome.pause and self._in_time(outcome) is outcome:
                self.limit.pause(outcome.pause)
            return outcome
        finally:
            self._load.end(began)
            self.limit.release()

    def _outcome(self, answer: Answer) -> Reply | AttemptFailure:
        """What an answer comes to; an error inside a 2xx counts as if it had come with its status."""
        body = put_together(answer.body) if answer.is_success and is_stream(answer.body) else answer.body
        if holds_more_values(body, MAX_REPLY_VALUES):
            return AttemptFailure(f"the reply holds more than {MAX_REPLY_VALUES:,} values", most_attempts=MOST_REFUSED)
        body = self._without_keys(body)
        if not answer.is_success:
            address = self._http.base_url + self._format.path
            if failure := redirect_failure(answer.status, answer.headers, address, self.endpoint.base_url):
                return failure
            return self._refused(InnerError(answer.status, error_of(body)), answer.headers)
        outcome = self._format.reply(body)
        if not isinstance(outcome, InnerError):
            return outcome
        refused = self._refused(outcome, answer.headers)
        if isinstance(refused, Reply):
            return refused
        message = f"an error in an answer with HTTP {answer.status}: {refused.message}"
        unpaid = outcome.status == PAYMENT_REQUIRED or is_unpaid(outcome.error, self.endpoint.quirks.unpaid)
        hopeless = unpaid or refused.overflow
        few = outcome.begun and not hopeless  # asking again may help, but every time may cost something
        return replace(refused, message=message, scope=FailureScope.REQUEST if few else refused.scope)

    def _refused(self, refusal: InnerError, headers: Mapping[str, str]) -> Reply | AttemptFailure:
        """What an error comes to: an outcome where the model or a filter is its cause, else a failure."""
        error, quirks = refusal.error, self.endpoint.quirks
        if is_content_filter(refusal.status or 400, error, quirks.filtered):
            return Reply(finish_reason="content_filter")
        status = refusal.status or 500
        if refused := unread_output(status, error):
            return refused
        if is_context_overflow(refusal.status, error):
            return overflow_failure(error)
        pause = requested_pause(headers, time.time())
        pause = retry_delay(error, time.time()) if pause is None else pause
        failure = status_failure(status, error, pause, quirks.unpaid)
        if status == 401 and (sites := self.endpoint.other_sites()):
            message = f"{failure.message} (its sites have keys of their own: {sites})"
            failure = replace(failure, message=message)
        return failure

    def _error(self, failure: AttemptFailure, attempts: int, elapsed: float) -> ProviderError:
        permanent = failure.scope is FailureScope.CALLER
        tried = f"no reply after {attempts} attempt{'' if attempts == 1 else 's'} in {elapsed:.0f} s: "
        return failure.error(self._presentable(f"{'' if permanent else tried}{failure.message}"), attempts)

    def _without_keys(self, body: bytes) -> bytes:
        """An answer without our own keys: replies are written to files."""
        for secret in self._long_secrets:
            body = secret.sub(MASK.encode(), body)
        return body

    def _presentable(self, what: str) -> str:
        """What happened at this endpoint: one line of bounded length without any secret, even where a server repeats
        it."""

        def clean(words: str) -> str:
            words = _KEY_LIKE.sub(MASK, masked(words, self.endpoint.secrets))[: 4 * LONGEST_MESSAGE]
            return " ".join("".join(char if char.isprintable() else " " for char in words).split())

        message = clean(f"{self.name} at {self.endpoint.base_url}: {what}")
        return message if len(message) <= LONGEST_MESSAGE else message[: LONGEST_MESSAGE - 1] + "…"
