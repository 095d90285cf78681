"""The adaptive limit: order, halving, creeping up, pauses, cancelled waiters."""

from __future__ import annotations

import asyncio

from toolgauge.models.limit import AdaptiveLimit


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
