"""Big sets of tools as lists that belong together, with what finds what others need."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rows import rows
from toolgauge.chat import Tool, ToolFacts
from toolgauge.tools.grouping import split, together


def tool(name: str, *required: str, gives: Any = None) -> Tool:
    properties = {one: {"type": "string"} for one in required}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return Tool(name, "", schema).noting(ToolFacts(gives))


def fields(*names: str) -> dict[str, Any]:
    item = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    return {"type": "object", "properties": {"found": {"type": "array", "items": item}}}


def names(groups: list[list[Tool]]) -> list[list[str]]:
    return [[one.name for one in group] for group in groups]


OTHERS = [tool(f"ping_{letter}") for letter in "abcd"]


@rows(
    ("reader", "lister"),
    [
        (tool("read_messages", "channel_id"), tool("list_channels")),
        (tool("readMessages", "channelId"), tool("searchChannels", "query")),
        (tool("get_user", "id"), tool("find_users", "name")),
        (tool("read_file", "path"), tool("search_files", "path", "pattern")),
        (tool("book", "offer_id"), tool("travel_options", "to", gives=fields("offerId", "price"))),
        (tool("open_case", "case_number"), tool("all_cases", gives=fields("number"))),
        (tool("close_entity", "entity_key"), tool("query_entities_of_graph")),
        (tool("预订", "房间_id"), tool("查询", gives=fields("房间_id"))),
    ],
)
def test_a_reader_stands_with_what_feeds_it(reader: Tool, lister: Tool) -> None:
    groups = together([[*OTHERS[:3], reader], [lister, *OTHERS[1:], OTHERS[0]]], lambda one: one)
    assert [group for group in names(groups) if reader.name in group and lister.name in group]
    assert sorted(len(group) for group in groups) in ([4, 5], [3, 6])


THINGS = st.sampled_from(["page", "user", "car"])
TOOLS = st.builds(
    lambda verb, thing, needs: tool(f"{verb}_{thing}", *(f"{one}_id" for one in needs)),
    st.sampled_from(["list", "get", "send"]), THINGS, st.lists(THINGS, max_size=2, unique=True),
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.lists(TOOLS, min_size=3, max_size=9), min_size=1, max_size=6))
def test_every_tool_once_and_three_to_nine_together(groups: list[list[Tool]]) -> None:
    found = together(groups, lambda one: one)
    assert sorted(name for group in names(found) for name in group) == sorted(
        name for group in names(groups) for name in group
    )
    assert {len(group) for group in found} <= set(range(3, 10))
    assert together(groups, lambda one: one) == found


ROUTES = st.lists(st.lists(st.sampled_from("abcd"), max_size=5).map(tuple), max_size=60)


@given(ROUTES)
def test_split_keeps_every_item_once_in_groups_of_three_to_nine(routes: list[tuple[str, ...]]) -> None:
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
