"""docs/review.md names every command, edit, event and address of the API as they are."""

from __future__ import annotations

import typing

import pytest
from msgspec import Struct
from starlette.routing import Route

from tests.docs.pages import ROOT
from tests.review.conftest import OpenDesk
from toolgauge.review import commands, events
from toolgauge.review.access import Hosts
from toolgauge.review.server import ReviewServer

PAGE = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")
OF_ALL = {"key", "number", "at", "who"}
"""Fields that the page tells once."""
KINDS: tuple[object, ...] = (commands.AnyCommand, commands.AnyEdit, events.AnyEvent)


@pytest.mark.parametrize("kind", [one for union in KINDS for one in typing.get_args(union)])
def test_what_is_sent_and_kept_is_told_of(kind: type[Struct]) -> None:
    fields = ", ".join(f"`{name}`" for name in kind.__struct_fields__ if name not in OF_ALL)
    row = f"| `{kind.__struct_config__.tag}` | {fields} |"
    assert row in PAGE.splitlines(), f"docs/review.md needs the row\n{row}"


def test_every_address_is_told_of(open_desk: OpenDesk) -> None:
    for route in ReviewServer(open_desk(), Hosts(8770)).app.routes:
        assert isinstance(route, Route)
        assert f"`{route.path}" in PAGE or f" {route.path}" in PAGE or "/api/" not in route.path, route.path
