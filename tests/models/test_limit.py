"""The adaptive limit: order, halving, creeping up, pauses, cancelled waiters."""

from __future__ import annotations

import asyncio

import pytest

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


def test_a_cancelled_waiter_neither_takes_nor_loses_a_place() -> None:
    async def run() -> int:
        limit = AdaptiveLimit(1)
        await limit.acquire(limit.ticket())
        waiting = [asyncio.create_task(limit.acquire(limit.ticket())) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        limit.release()  # the place goes to the second, who is cancelled before he runs
        waiting[1].cancel()
        await asyncio.wait(waiting[:2])
        await waiting[2]
        limit.release()
        return limit.in_flight

    assert asyncio.run(run()) == 0


def test_a_pause_admits_nobody_until_it_is_over_and_needs_no_polling() -> None:
    async def run() -> tuple[bool, int]:
        now = [100.0]
        limit = AdaptiveLimit(4, clock=lambda: now[0])
        limit.pause(0.02)
        waiting = [asyncio.create_task(limit.acquire(limit.ticket())) for _ in range(3)]
        await asyncio.sleep(0)
        held = limit.in_flight == 0 and not any(task.done() for task in waiting)
        now[0] += 0.02
        await asyncio.wait_for(asyncio.gather(*waiting), 5)
        return held, limit.in_flight

    assert asyncio.run(run()) == (True, 3)


@pytest.mark.parametrize("most", [1, 0, -3])
def test_there_is_always_room_for_one(most: int) -> None:
    assert AdaptiveLimit(most).limit == 1
