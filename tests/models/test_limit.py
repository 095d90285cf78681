"""How many requests may be under way: the limit of an endpoint, and what a server of one's own tells by its answers."""

from __future__ import annotations

import asyncio

from tests.mockserver import hang, serve
from tests.rows import rows
from toolgauge.chat import Message, Reply, Request, Timings
from toolgauge.errors import ProviderError
from toolgauge.models import Backoff, ModelOptions, open_model
from toolgauge.models.failures import AttemptFailure, FailureScope
from toolgauge.models.limit import AdaptiveLimit, ServerLoad


def test_first_come_first_served_and_a_retry_keeps_its_place() -> None:
    async def run() -> list[str]:
        limit, order = AdaptiveLimit(1), list[str]()

        async def use(name: str, ticket: int) -> None:
            await limit.acquire(ticket)
            order.append(name)
            limit.release()

        early = limit.ticket()
        await limit.acquire(limit.ticket())
        tasks = [asyncio.create_task(use(name, limit.ticket())) for name in "abc"]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(use("retry of an earlier one", early)))
        await asyncio.sleep(0)
        limit.release()
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == ["retry of an earlier one", "a", "b", "c"]


def test_a_burst_of_refusals_halves_once() -> None:
    async def run() -> list[int]:
        limit, seen = AdaptiveLimit(32), list[int]()
        rounds = [await limit.acquire(limit.ticket()) for _ in range(20)]
        for round_ in rounds:
            limit.overloaded(round_)
            limit.release()
        seen.append(limit.limit)
        limit.overloaded(await limit.acquire(limit.ticket()))
        seen.append(limit.limit)
        for _ in range(10):
            limit.overloaded(limit._round)
        seen.append(limit.limit)
        return seen

    assert asyncio.run(run()) == [16, 8, 1]


def test_it_creeps_up_by_one_per_round_of_successes_and_not_above_the_most() -> None:
    limit = AdaptiveLimit(8)
    limit.overloaded(0)
    assert limit.limit == 4
    grown = []
    for _ in range(4 + 5 + 6 + 7 + 100):
        limit.succeeded()
        grown.append(limit.limit)
    assert [grown.index(size) + 1 for size in (5, 6, 7, 8)] == [4, 9, 15, 22]
    assert max(grown) == 8


FULL = AttemptFailure("full", FailureScope.ENDPOINT, overload=True)
AT_ONCE = Backoff(first=0.0, most=0.0)


def server_load(limit: AdaptiveLimit | None = None, own: bool = True, **options: object) -> ServerLoad:
    return ServerLoad(limit or AdaptiveLimit(32), ModelOptions(**options), own)  # type: ignore[arg-type]


@rows(
    ("latency", "worked", "limit"),
    [(160.0, 10.0, 8), (15.0, 10.0, 16), (11.0, 10.0, 17), (160.0, 0.0, 17), (0.9, 0.01, 17)],
)
def test_fewer_at_once_where_requests_wait_at_the_server(latency: float, worked: float, limit: int) -> None:
    """Waiting longer than the work: half as many; a part of it: no more; none, or nobody says: one more."""
    found = AdaptiveLimit(32)
    found.limit, found._successes = 16, 15
    timings = Timings(worked / 2, worked / 2) if worked else None
    server_load(found).answered(Reply(latency=latency, timings=timings), False, 0)
    assert found.limit == limit
    server_load(found).answered(Reply(latency=latency, timings=timings), True, 1)
    assert found.limit == limit


def test_a_full_server_keeps_what_it_works_on() -> None:
    """Six under way, of which five were accepted: fewer are never needed, while others' limits are not about slots."""
    for own, left in ((True, 5), (False, 3)):
        limit = AdaptiveLimit(6)
        found = server_load(limit, own)
        for at in range(6):
            found.begin(at)
        assert found.failed(FULL, 5, False, 0) is FULL
        assert limit.limit == left
        assert found.is_full(FULL) is own


def test_a_whole_reply_may_take_four_times_the_time_limit() -> None:
    assert ModelOptions(timeout=10.0).attempt_timeout == 10.0
    assert ModelOptions(timeout=10.0, whole_replies=True).attempt_timeout == 40.0


def ask(base_url: str, requests: int, **options: object) -> list[Reply | BaseException]:
    async def run() -> list[Reply | BaseException]:
        model = open_model("openai/m", ModelOptions(base_url=base_url, backoff=AT_ONCE, **options))  # type: ignore[arg-type]
        asked = [Request("assistant", (Message("user", str(n)),), (), str(n)) for n in range(requests)]
        try:
            return await asyncio.gather(*map(model.ask, asked), return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(run())


def test_a_reply_without_end_is_asked_for_twice() -> None:
    """Where the server says how many slots it has; else it may just be slow."""
    with serve(faults=lambda _number, _body: hang(30)) as server:
        for slots, attempts in ((2, 2), (None, 4)):
            (error,) = ask(server.base_url, 1, timeout=0.2, slots=slots, max_attempts=4)
            assert isinstance(error, ProviderError)
            assert (error.attempts, error.timed_out) == (attempts, True)
