"""Tools that find what others need, in one list with them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.chat import Tool, ToolFacts
from toolgauge.tools.feeding import together


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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("reader", "other"),
    [
        (tool("read_messages", "channel_id"), tool("list_users")),
        (tool("read_messages", "channel_id"), tool("archive", "channel_id", gives=fields("channel_id"))),
        (tool("get_user", "id"), tool("list_cars", gives=fields("id"))),
        (tool("say", "text"), tool("list_texts")),
        (tool("list_members_of_channel", "channel_id"), tool("list_members")),
    ],
)
def test_what_does_not_feed_stays_where_it_is(reader: Tool, other: Tool) -> None:
    groups = [[*OTHERS, reader], [other, *OTHERS]]
    assert names(together(groups, lambda one: one)) == names(groups)


def test_full_lists_exchange_tools() -> None:
    nine = [tool(f"ping_{number}") for number in range(16)]
    groups = together([[*nine[:8], tool("read_page", "page_id")], [tool("list_pages"), *nine[8:]]], lambda one: one)
    assert [len(group) for group in groups] == [9, 9]
    assert [group for group in names(groups) if {"read_page", "list_pages"} <= set(group)]


def test_a_feeder_stays_with_its_own_readers() -> None:
    own = [tool("list_pages"), tool("read_page", "page_id"), tool("print_page", "page_id")]
    groups = [own, [*OTHERS[:3], tool("send_page", "page_id")]]
    assert names(together(groups, lambda one: one))[0] == ["list_pages", "read_page", "print_page", "send_page"]


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
