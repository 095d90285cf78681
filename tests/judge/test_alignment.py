"""The one alignment: what holds of it whatever is aligned."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from toolgauge.judge.alignment import align
from toolgauge.judge.graph import bits

LARGEST = 5


class Case(NamedTuple):
    """rows: each row's tiers; near, right: per row a value for each column."""

    rows: list[tuple[int, ...]]
    near: list[list[int]]
    right: list[list[bool]]
    taken: int

    def nearness(self, row: int, column: int) -> int:
        return self.near[row][column]

    def is_right(self, row: int, column: int) -> bool:
        return self.right[row][column]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    height, width = draw(st.integers(0, LARGEST)), draw(st.integers(1, LARGEST))
    mask = st.integers(0, (1 << width) - 1)

    def table(values: st.SearchStrategy[Any]) -> list[list[Any]]:
        return [[draw(values) for _ in range(width)] for _ in range(height)]

    rows = [tuple(draw(st.lists(mask, min_size=1, max_size=2))) for _ in range(height)]
    return Case(rows, table(st.integers(0, 2)), table(st.booleans()), draw(mask))


POLICIES = st.tuples(st.booleans(), st.booleans())
"""Whether right pairs come first, and whether columns are shared."""


def aligned(case: Case, policy: tuple[bool, bool]) -> list[int | None]:
    with_right, shared = policy
    is_right = case.is_right if with_right else None
    return align(case.rows, case.nearness, is_right, shared=shared, taken=case.taken)


@given(cases(), POLICIES)
def test_only_candidates_are_taken_and_each_once(case: Case, policy: tuple[bool, bool]) -> None:
    _, shared = policy
    columns = aligned(case, policy)
    for tiers, column in zip(case.rows, columns, strict=True):
        if column is not None:
            assert any(tier >> column & 1 for tier in tiers)
    if not shared:
        got = [column for column in columns if column is not None]
        assert len(set(got)) == len(got)
        assert not any(case.taken >> column & 1 for column in got)


@given(cases(), POLICIES)
def test_no_row_goes_without_while_a_candidate_is_free(case: Case, policy: tuple[bool, bool]) -> None:
    columns = aligned(case, policy)
    taken = case.taken
    for column in columns:
        taken |= 0 if column is None else 1 << column
    for tiers, column in zip(case.rows, columns, strict=True):
        if column is None:
            assert not any(tier & ~taken for tier in tiers)
            assert not (policy[1] and tiers[-1])


@given(cases())
def test_as_many_right_pairs_as_trying_every_pairing_finds(case: Case) -> None:
    columns = align(case.rows, case.nearness, case.is_right, taken=case.taken)
    right = sum(column is not None and case.is_right(row, column) for row, column in enumerate(columns))
    assert right == most_right(case)


def most_right(case: Case) -> int:
    """By trying every pairing of some rows with as many columns."""
    width = len(case.near[0]) if case.near else 0
    free = [
        [any(tier >> c & 1 for tier in tiers) and not case.taken >> c & 1 for c in range(width)] for tiers in case.rows
    ]
    for size in range(min(len(case.rows), width), 0, -1):
        for rows in combinations(range(len(case.rows)), size):
            for columns in permutations(range(width), size):
                if all(free[r][c] and case.is_right(r, c) for r, c in zip(rows, columns, strict=True)):
                    return size
    return 0


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_change_how_many_are_right(case: Case, random: Any) -> None:
    order = list(range(len(case.rows)))
    random.shuffle(order)
    shuffled = Case(
        [case.rows[row] for row in order],
        [case.near[row] for row in order],
        [case.right[row] for row in order],
        case.taken,
    )

    def outcome(one: Case) -> int:
        columns = align(one.rows, one.nearness, one.is_right, taken=one.taken)
        return sum(column is not None and one.is_right(row, column) for row, column in enumerate(columns))

    assert outcome(case) == outcome(shuffled)


@given(cases(), POLICIES)
def test_a_single_row_takes_the_first_of_the_nearest(case: Case, policy: tuple[bool, bool]) -> None:
    for row, tiers in enumerate(case.rows):
        one = Case([tiers[-1:]], [case.near[row]], [case.right[row]], 0)
        (column,) = aligned(one, (False, policy[1]))
        candidates = list(bits(tiers[-1]))
        best = max((case.near[row][candidate] for candidate in candidates), default=None)
        assert column == next((candidate for candidate in candidates if case.near[row][candidate] == best), None)
