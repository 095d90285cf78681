"""Big sets of tools as lists that belong together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolgauge.tools.splitting import split

ROUTES = st.lists(st.lists(st.sampled_from("abcd"), max_size=5).map(tuple), max_size=60)


@given(ROUTES)
def test_every_item_once_and_three_to_nine_together(routes: list[tuple[str, ...]]) -> None:
    items = list(enumerate(routes))
    groups = split(items, lambda item: item[1])
    assert sorted(item for group in groups for item in group) == items
    if len(items) >= 3:
        assert {len(group) for group in groups} <= set(range(3, 10))
    else:
        assert len(groups) == (1 if items else 0)
    assert split(items, lambda item: item[1]) == groups


def test_topics_stay_apart_and_paths_together() -> None:
    pets = [("pets", "pets")] * 3 + [("pets", "pets", "photos")] * 4 + [("pets", "pets", "visits")] * 5
    users = [("users", "users")] * 3
    groups = split([*users[:1], *pets, *users[1:]], lambda route: route)
    assert [len(group) for group in groups] == [3, 3, 4, 5]
    assert [len(set(group)) for group in groups] == [1, 1, 1, 1]
