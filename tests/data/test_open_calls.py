"""Which call a result answers: by its id, its tool, or its place among those that are open."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.sizes import sized
from toolgauge.data.open_calls import OpenCalls

IDS = st.sampled_from(["a", "b", "c", ""])
TOOLS = st.sampled_from([None, "find", "book"])
RESULTS = st.tuples(st.none() | IDS | st.just("elsewhere"), TOOLS | st.sampled_from([["find"], 1, {}, "other"]))


def searched(calls: list[tuple[str, str | None]], given_id: str | None, tool: object) -> str | None:
    """The rule, call by call; the one that is answered leaves the list."""
    found = next((one for one in calls if one[0] == given_id), None)
    if given_id is None:
        found = next((one for one in calls if one[1] == tool), calls[0] if calls else None)
    if found is not None:
        calls.remove(found)
    return given_id or (found[0] if found else None)


@given(st.lists(st.tuples(IDS, TOOLS), max_size=8), st.lists(RESULTS, max_size=12))
def test_a_result_answers_the_call_that_a_search_finds(
    calls: list[tuple[str, str | None]], results: list[tuple[str | None, object]]
) -> None:
    kept, left = OpenCalls(calls), list(calls)
    assert [kept.answered(*one) for one in results] == [searched(left, *one) for one in results]


def test_many_calls_are_no_work_for_hours() -> None:
    """Of foreign ids, backwards, and without any: else the suite's time limit ends it."""
    count = sized(200_000, 1_000_000)
    calls = OpenCalls((str(number), "find") for number in range(count))
    assert {calls.answered(f"x{number}") for number in range(count)} == {f"x{number}" for number in range(count)}
    assert [calls.answered(str(number)) for number in (count - 1, count - 2)] == [str(count - 1), str(count - 2)]
    assert [calls.answered(None, "other") for _number in range(count - 2)] == [
        str(number) for number in range(count - 2)
    ]
    assert calls.answered(None) is None
