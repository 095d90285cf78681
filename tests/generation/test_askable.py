"""What only the user can know: not what another tool finds, nor what definition, clock or wish give."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from toolgauge.chat import Json, Tool, ToolFacts
from toolgauge.generation.askable import askable
from toolgauge.tools.library import tool_library

TEXT: Json = {"type": "string"}


def tool(name: str, output: Json | None = None, **parameters: Any) -> Tool:
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    return Tool(name, name, schema, facts=ToolFacts(output_schema=output) if output else UNSET)


LISTING = tool("list_channels")
PROFILE = {"type": "object", "properties": {"to_email": TEXT}}
POST = tool("post_message", channel_id=TEXT, text=TEXT)


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ([POST, LISTING], {"post_message": ("text",)}),
        ([POST, tool("find_channels", topic=TEXT)], {"post_message": ("text",), "find_channels": ("topic",)}),
        ([tool("track_order", order_no=TEXT)], {"track_order": ("order_no",)}),
        ([tool("track_order", order_no=TEXT), tool("list_orders", email=TEXT)], {"list_orders": ("email",)}),
        # an id that every tool needs: nothing else in the list can be asked first
        ([tool("close_issue", issue_id=TEXT), tool("get_issue", issue_id=TEXT)],
         {"close_issue": ("issue_id",), "get_issue": ("issue_id",)}),
        ([tool("cancel_plan", customer_id=TEXT), tool("get_customer_by_email", email=TEXT)],
         {"get_customer_by_email": ("email",)}),
        # declared results, and tools that need nothing to say who or where one is
        ([tool("send_mail", to_email=TEXT), tool("get_profile", PROFILE, nick=TEXT)], {"get_profile": ("nick",)}),
        ([tool("find_cafes", location=TEXT), tool("get_current_location")], {}),
        ([tool("look", mode={"enum": ["one"]}, kind={"const": "a"}, size={"type": "integer", "default": 3})], {}),
        ([tool("look", on={"type": "boolean"}, nothing={"type": "null"})], {}),
        ([tool("look", mode={"enum": ["one", "two"]})], {"look": ("mode",)}),
        ([tool("plan", date=TEXT, start={"type": "string", "description": "Start, HH:MM."})], {}),
        ([tool("plan", day=TEXT, year={"type": "integer"}, until={"type": "string", "format": "date"})], {}),
        ([tool("plan", days={"type": "integer"}, hours={"type": "number"})], {"plan": ("days", "hours")}),
        ([tool("add_to_basket", product_id=TEXT, quantity={"type": "integer"})], {"add_to_basket": ("product_id",)}),
        ([tool("search", query=TEXT, search_keywords=TEXT, output_format=TEXT)], {}),
        ([Tool("odd", "", {"properties": None, "required": ["a", 3]}), Tool("odder", "", {"required": "a"})], {}),
    ],
)  # fmt: skip
def test_what_can_be_found_out_or_follows_is_not_asked_for(tools: list[Tool], expected: dict[str, Any]) -> None:
    assert askable(tools) == expected


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_library_has_something_to_ask_for_in_every_list(language: str) -> None:
    assert [one.id for one in tool_library(language) if not askable(one.tools)] == []
