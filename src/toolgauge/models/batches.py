"""Batch APIs in OpenAI's format: a file of requests goes up, a batch is made of it, files of answers come down.

A `BatchEndpoint` is an `EndpointModel` that can do both: `ask` one request, or, while a desk is attached to it (see
runs/executors/batch.py), hand the request to the desk and wait until the batch that holds it is over.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TypeVar

import aiohttp
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json, Reply, Request
from toolgauge.errors import ProviderError
from toolgauge.limits import MAX_BATCH_BYTES, MAX_REPLY_VALUES, holds_more_values
from toolgauge.models.client import EndpointModel
from toolgauge.models.failures import AttemptFailure, FailureScope, error_text, is_context_overflow, overflow_failure
from toolgauge.models.http import JSON, Answer, Headers, account_url
from toolgauge.models.model import Model, wrapped_models
from toolgauge.models.replies import error_of, read_json, read_object

WINDOW = "24h"
MEGABYTE = 1_000_000
_AROUND = MEGABYTE
"""Bytes of a line around the reply in it."""


class BatchRules(Struct, frozen=True):
    """A provider's batches. prefix: what stands before a path such as /chat/completions in a request's line.

    requests, size: the most of one batch, in lines and bytes.
    """

    prefix: str = "/v1"
    requests: int = 50_000
    size: int = 200 * MEGABYTE


BATCH_RULES: dict[str, BatchRules] = {
    "openai": BatchRules(),
    "openai-responses": BatchRules(),
    "azure": BatchRules(prefix=""),
    "qwen": BatchRules(size=100 * MEGABYTE),
    "moonshot": BatchRules(size=100 * MEGABYTE),
    "zhipu": BatchRules(prefix="/v4", size=100 * MEGABYTE),
    "groq": BatchRules(),
}
"""The providers whose documentation describes this format, with the lower limit where pages differ (docs/models.md)."""

EXPIRED = "expired"
OVER = frozenset({"completed", EXPIRED, "failed", "cancelled"})
UNDER_WAY = ("in_progress", "validating", "finalizing", "cancelling")
"""What else a batch may be; a word that is not here counts as the first."""
_ID = re.compile(r"\w[\w.:=-]{0,255}")
"""An id that can stand in a path."""


class BatchState(Struct, frozen=True):
    """A batch as its provider describes it. status: lower case; done, total: requests; trouble: why it failed."""

    id: str
    status: str
    file: str = ""
    output_file: str | None = None
    error_file: str | None = None
    done: int = 0
    total: int = 0
    trouble: str = ""

    @property
    def is_over(self) -> bool:
        return self.status in OVER


Desk = Callable[["BatchEndpoint", Request], Awaitable[Reply]]
"""Gathers requests into a batch: (model, request) -> the reply, hours later."""
T = TypeVar("T")


class BatchEndpoint(EndpointModel):
    """An endpoint with a batch API. desk: where `ask` hands requests in; None: it sends them at once."""

    desk: Desk | None = None

    @property
    def rules(self) -> BatchRules:
        return BATCH_RULES[self.endpoint.provider.name]

    async def ask(self, request: Request) -> Reply:
        return await super().ask(request) if self.desk is None else await self.desk(self, request)

    @property
    def max_attempts(self) -> int:
        return self._options.max_attempts

    @property
    def patience(self) -> float:
        """Seconds for which a batch is polled although its provider does not answer."""
        return self._options.patience

    def line(self, request: Request) -> tuple[str, bytes]:
        """A request as a line of a batch's file, and its id there: the same for the same request of a conversation."""
        body = self._format.body(request)
        place = f"{request.episode}\0{request.role}\0{request.step}\0{self.name}\0"
        custom_id = hashlib.sha256(place.encode(errors="surrogatepass") + body).hexdigest()[:32]
        head = json.dumps({"custom_id": custom_id, "method": "POST", "url": self._url})
        return custom_id, head[:-1].encode() + b', "body": ' + body + b"}\n"

    @property
    def _url(self) -> str:
        return self.rules.prefix + self._format.path

    async def upload(self, content: bytes) -> str:
        """The id of a file with these lines; raises ProviderError."""
        name = f"toolgauge-{hashlib.sha256(content).hexdigest()[:12]}.jsonl"

        async def send() -> str | AttemptFailure:
            form = aiohttp.FormData({"purpose": "batch"})
            form.add_field("file", content, filename=name, content_type="application/jsonl")
            file = await self._object("POST", "/files", form)
            if isinstance(file, AttemptFailure):
                return file
            return _id(file.get("id")) or AttemptFailure("no id in the response", FailureScope.CALLER)

        return await self._insist("uploading a batch", send)

    async def create(self, file: str) -> BatchState:
        """Make a batch of an uploaded file; raises ProviderError. One that was made before is found, not made again."""
        body = msgspec.json.encode({"input_file_id": file, "endpoint": self._url, "completion_window": WINDOW})
        is_retry = False

        async def send() -> BatchState | AttemptFailure:
            nonlocal is_retry
            if is_retry and (existing := await self.find(file)):  # the answer was lost, not the request
                return existing
            is_retry = True
            return _state(await self._object("POST", "/batches", body, JSON))

        return await self._insist("creating a batch", send)

    async def find(self, file: str) -> BatchState | None:
        """The batch that was made of an uploaded file, if it is among the newest hundred; raises ProviderError."""
        listed = await self._insist("listing batches", lambda: self._object("GET", "/batches?limit=100"))
        data = listed.get("data")
        states = [_state(entry) for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
        return next((state for state in states if isinstance(state, BatchState) and state.file == file), None)

    async def state(self, batch: str) -> BatchState | AttemptFailure:
        """The status of a batch; a Failure if its provider does not say."""
        return _state(await self._object("GET", f"/batches/{batch}"))

    async def download(self, file: str) -> bytes:
        """The content of a file, which may lie in a storage elsewhere; raises ProviderError."""
        place = f"/files/{file}/content"
        answer = await self._insist(
            "downloading a batch", lambda: self._send("GET", place, most=MAX_BATCH_BYTES, redirects=True)
        )
        return answer.body

    def outcome(self, line: bytes) -> tuple[str, Reply | AttemptFailure]:
        """The id and the answer in a line of a batch's files, however malformed."""
        try:
            large = len(line) > self._options.max_reply_bytes + _AROUND or holds_more_values(line, MAX_REPLY_VALUES)
            read = None if large else read_json(line)
        except ValueError:
            read = None
        if not isinstance(read, dict):
            return "", AttemptFailure("invalid line in the output of the batch")
        custom_id, response = str(read.get("custom_id") or ""), read.get("response")
        if not isinstance(response, dict) or response.get("body") is None:
            if is_context_overflow(None, error := read.get("error")):
                return custom_id, overflow_failure(error)
            message = error_text(error)
            return custom_id, AttemptFailure(message or "empty response in the output of the batch")
        status = response.get("status_code")
        body = msgspec.json.encode(response["body"])
        return custom_id, self._outcome(Answer(status if isinstance(status, int) else 200, {}, body))

    def failed(self, failure: AttemptFailure, attempts: int) -> ProviderError:
        """The error for a request that is given up."""
        tried = f" (in {attempts} batches)" if attempts > 1 else ""
        return failure.error(self._presentable(f"{failure.message}{tried}"), attempts)

    async def _insist(self, what: str, send: Callable[[], Awaitable[T | AttemptFailure]]) -> T:
        """What an exchange comes to, tried as often as any request; raises ProviderError."""
        attempts = 0
        while True:
            attempts += 1
            outcome = await send()
            if not isinstance(outcome, AttemptFailure):
                return outcome
            if outcome.scope is FailureScope.CALLER or attempts >= (outcome.most_attempts or self.max_attempts):
                raise self.failed(replace(outcome, message=f"{what}: {outcome.message}"), 1)
            await self._sleep(self._options.backoff.delay(attempts, self._draw))

    async def _object(
        self, method: str, place: str, data: object = None, headers: Headers | None = None
    ) -> Json | AttemptFailure:
        """One exchange with an object of JSON as its answer."""
        answer = await self._send(method, place, data, headers)
        if isinstance(answer, AttemptFailure):
            return answer
        return read_object(answer.body, "the response is not a JSON object")

    async def _send(
        self,
        method: str,
        place: str,
        data: object = None,
        headers: Headers | None = None,
        *,
        most: int | None = None,
        redirects: bool = False,
    ) -> Answer | AttemptFailure:
        """One exchange: a 2xx answer, or why there is none."""
        url = self._http.url(account_url(self.endpoint) + place)
        seconds = self._options.timeout
        answer = await self._http.exchange(method, url, data, headers, seconds=seconds, most=most, redirects=redirects)
        if isinstance(answer, AttemptFailure):
            return answer
        if answer.is_success:
            return replace(answer, body=self._without_keys(answer.body))
        outcome = self._outcome(answer)
        if isinstance(outcome, AttemptFailure):
            return outcome
        return AttemptFailure(error_text(error_of(answer.body)) or "rejected", FailureScope.CALLER)


def batch_endpoint(model: Model) -> BatchEndpoint | None:
    """The endpoint behind a model, through whatever is wrapped around it (`inner`); None where it has no batches."""
    return next((layer for layer in wrapped_models(model) if isinstance(layer, BatchEndpoint)), None)


def lines_of(content: bytes) -> Iterator[bytes]:
    """The lines of a file of answers that hold anything."""
    return (line for line in io.BytesIO(content) if not line.isspace())


def _state(read: Json | AttemptFailure) -> BatchState | AttemptFailure:
    """The state of a batch; a failure if its id cannot be read."""
    if isinstance(read, AttemptFailure):
        return read
    name = _id(read.get("id"))
    if name is None:
        return AttemptFailure("the response does not describe a batch")
    status = str(read.get("status") or "").lower().replace("canceled", "cancelled")
    counts, errors = read.get("request_counts"), read.get("errors")
    counts = counts if isinstance(counts, dict) else {}
    listed = errors.get("data") if isinstance(errors, dict) else errors
    troubles = [error_text(problem) for problem in (listed[:3] if isinstance(listed, list) else [errors])]
    return BatchState(
        id=name,
        status=status if status in OVER or status in UNDER_WAY else UNDER_WAY[0],
        file=str(read.get("input_file_id") or ""),
        output_file=_id(read.get("output_file_id")),
        error_file=_id(read.get("error_file_id")),
        done=_count(counts, "completed") + _count(counts, "failed"),
        total=_count(counts, "total"),
        trouble="; ".join(text for text in troubles if text),
    )


def _id(value: object) -> str | None:
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def _count(counts: Mapping[str, object], name: str) -> int:
    value = counts.get(name)
    return value if type(value) is int and value > 0 else 0
