"""Does a run fit the server of one's own that it asks? Settled before the first request.

The samples are driven with the annotated answers, so that the last request of each is known: it is the longest one. Its
tokens are estimated, and the server counts one or two of them to correct the estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.manifest import ServerRecord
from toolgauge.chat import Reply, Request, Tool
from toolgauge.episode import ASSISTANT, Episode, drive
from toolgauge.errors import UsageError
from toolgauge.locale import Text, _, clauses, ngettext
from toolgauge.models.builtin.models import gold_hint_of
from toolgauge.models.local_server import ServerFacts, ask_server, count_tokens
from toolgauge.models.model import Model, ModelOptions
from toolgauge.models.provider_adapter import to_json
from toolgauge.models.providers import endpoint_of
from toolgauge.models.text_tool_model import TextToolModel
from toolgauge.models.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from toolgauge.models.client import EndpointModel

MOST_REPLY = 8192
"""Tokens: what ends a reply that nobody limited. Reasoning and a call or an answer mostly take less than half of it."""
LEAST_REPLY = 512
"""Tokens that a reply must have room for."""
SHARE = 4
"""A reply takes at most one part in so many of the context."""
LIMITS = frozenset({"max_tokens", "max_completion_tokens", "n_predict"})
"""Fields of a request that limit its reply."""


class Fit(Struct, frozen=True):
    """What a server says of itself, beside what is asked of it. conversations: how many are asked, epochs apart."""

    model: str
    record: ServerRecord
    conversations: int

    def line(self) -> Text | None:
        """What somebody who starts the run should know, if there is anything."""
        found, said = self.record, []
        if found.context:
            said.append(_("a context of {context:,} tokens", context=found.context))
        if found.slots:
            said.append(ngettext("{count:,} request at once", "{count:,} requests at once", count=found.slots))
        if found.max_tokens:
            limit = _("replies end after {max_tokens:,} tokens unless {max_tokens_field} says otherwise")
            said.append(limit.filled(max_tokens=found.max_tokens))
        return _("{model}: {what}", model=self.model, what=clauses(said)) if said else None

    def warning(self) -> Text | None:
        """What will not go well, or None."""
        found = self.record
        if not found.too_long or not found.context or not found.longest:
            return None
        return ngettext(
            "{count:,} of {total:,} conversations does not fit into the context of {context:,} tokens (it takes about "
            "{longest:,}, and a reply needs room): serve the model with a longer context "
            "(`toolgauge serve --context-length {wanted}`), or choose others with {ids_field}",
            "{count:,} of {total:,} conversations do not fit into the context of {context:,} tokens (the longest takes "
            "about {longest:,}, and a reply needs room): serve the model with a longer context "
            "(`toolgauge serve --context-length {wanted}`), or choose others with {ids_field}",
            count=found.too_long,
            total=self.conversations,
            context=found.context,
            longest=found.longest,
            wanted=_rounded_up(found.longest + LEAST_REPLY),
        )


def fitted(
    model: Model,
    options: ModelOptions,
    samples: Sequence[Sample],
    episode: Callable[[Sample], Episode],
    before: ServerRecord | None,
) -> tuple[Fit, ModelOptions] | None:
    """What the server of a model says, and the options that suit it; None for anybody else's, or where it says nothing.

    before: what was recorded when the run was begun, None if it was not: its limit of replies stays. Raises UsageError
    where the server leaves the tools out of the prompt.
    """
    inner = _endpoint_behind(model)
    facts = ask_server(inner.endpoint, str(inner.describe()["model"])) if inner else None
    if inner is None or facts is None:
        return None
    requests = [_as_sent(model, request) for request in last_requests(samples, episode)]
    counted = _Counter(inner, facts.engine)
    _require_tools(model, facts, requests, counted)
    record = ServerRecord(facts.engine, facts.context, facts.slots)
    chosen = options.sampling.max_tokens
    if facts.context:
        room = min(LEAST_REPLY, facts.context // SHARE, chosen or LEAST_REPLY)
        longest, sizes = _sizes(requests, counted, facts.context - room)
        too_long = sum(size > facts.context - room for size in sizes)
        record = replace(record, longest=longest, too_long=too_long)
        if chosen is None and not LIMITS & options.sampling.extra_body.keys():
            limit = before.max_tokens if before else reply_limit(facts.context, sizes)
            record = replace(record, max_tokens=limit)
            options = replace(options, sampling=replace(options.sampling, max_tokens=limit))
            options = replace(options, whole_replies=options.timeout == ModelOptions().timeout)
    if facts.slots:
        options = replace(options, slots=facts.slots, concurrency=min(options.concurrency, facts.slots))
    return Fit(model.name, record, len(requests)), options


def reply_limit(context: int, prompts: Iterable[int]) -> int:
    """The most tokens of a reply: a share of the context, and never so many that a prompt that fits has no room beside
    them, for some servers refuse a request that could not be answered at full length."""
    most = max(1, min(MOST_REPLY, context // SHARE))
    least = min(LEAST_REPLY, most)
    longest = max((size for size in prompts if size + least <= context), default=0)
    return max(least, min(most, context - longest))


def last_requests(samples: Iterable[Sample], episode: Callable[[Sample], Episode]) -> list[Request]:
    """The last request of each conversation when everything goes as annotated; epochs after the first are the same."""
    found = []
    for sample in samples:
        if sample.epoch:
            continue
        requests: list[Request] = []
        with suppress(Exception):  # no annotated answers, or a defect that the run will show: what was asked so far
            drive(episode(sample), partial(_annotated, requests))
        found += requests[-1:]
    return found


def _annotated(asked: list[Request], request: Request) -> Reply:
    if request.role == ASSISTANT:
        asked.append(request)
    return gold_hint_of(request).reply


class _Counter:
    """Counts the tokens of requests as their server does."""

    def __init__(self, model: EndpointModel, engine: str) -> None:
        self._model, self._engine = model, engine

    def __call__(self, request: Request) -> int | None:
        return count_tokens(self._model.endpoint, self._engine, self._model.body(request))


def _require_tools(model: Model, facts: ServerFacts, requests: Sequence[Request], counted: _Counter) -> None:
    """Raise UsageError where the server does not show the model the tools that it is sent."""
    request = next((one for one in requests if one.tools), None)
    if request is None:  # none are sent: a dialect, or a benchmark that writes them into the prompt
        return
    tokens = counted(request)
    dropped = facts.drops_tools if tokens is None else tokens == counted(replace(request, tools=()))
    if dropped:
        raise UsageError(
            _(
                "{model}: its server leaves the tools out of the prompt, for the chat template has no place for them; "
                "use {dialect_field} generic, or serve the model with a template that has one "
                "(`toolgauge serve --template FILE`)",
                model=model.name,
            )
        )


def _sizes(requests: Sequence[Request], counted: _Counter, most: int) -> tuple[int, list[int]]:
    """About how many tokens each request takes, after how many the longest does.

    The server counts the longest one and, if that is longer than `most`, the one that is nearest to it.
    """
    estimate = _Estimate()
    sizes: list[float] = [estimate(request) for request in requests]
    if not sizes:
        return 0, []
    sizes = _corrected(sizes, requests, counted, sizes.index(max(sizes)))
    longest = round(max(sizes))
    if longest > most:
        nearest = min(range(len(sizes)), key=lambda place: abs(sizes[place] - most))
        sizes = _corrected(sizes, requests, counted, nearest)
    return longest, [round(size) for size in sizes]


def _corrected(sizes: list[float], requests: Sequence[Request], counted: _Counter, place: int) -> list[float]:
    """The sizes, all in the proportion in which the server counts the one at a place."""
    exact = counted(requests[place])
    return sizes if exact is None else [size * exact / max(sizes[place], 1) for size in sizes]


class _Estimate:
    """About how many tokens requests take; texts and tool lists that several share are read once."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._tools: dict[int, tuple[tuple[Tool, ...], int]] = {}

    def __call__(self, request: Request) -> int:
        said = [message.content or "" for message in request.messages]
        calls = [call.wire() for message in request.messages for call in message.tool_calls]
        if calls:
            said.append(to_json(calls).decode())
        return self._of_tools(request.tools) + sum(map(self._of, said))

    def _of(self, text: str) -> int:
        if text not in self._texts:
            self._texts[text] = estimated_tokens(text)
        return self._texts[text]

    def _of_tools(self, tools: tuple[Tool, ...]) -> int:
        if id(tools) not in self._tools:  # kept, so that its id is not given away
            self._tools[id(tools)] = tools, estimated_tokens(to_json([tool.wire() for tool in tools]).decode())
        return self._tools[id(tools)][1]


def _endpoint_behind(model: Model) -> EndpointModel | None:
    if endpoint_of(model) is None:
        return None
    from toolgauge.models.client import EndpointModel

    inner: object = model
    while isinstance(inner, TextToolModel):
        inner = inner.inner
    return inner if isinstance(inner, EndpointModel) else None


def _as_sent(model: Model, request: Request) -> Request:
    """The request as it reaches the endpoint: a dialect makes text of its tools and calls."""
    while isinstance(model, TextToolModel):
        request, model = model.written(request), model.inner
    return request


def _rounded_up(tokens: int) -> int:
    """To a multiple of 1,024."""
    return -(-tokens // 1024) * 1024
