"""What strong models wrote when they played all agents, and were refused for: each of it was right."""

from __future__ import annotations

import datetime
from typing import Any

import msgspec
import pytest

from toolgauge.annotation.dialogue import Action, Decision
from toolgauge.annotation.grounding.context import Context
from toolgauge.annotation.grounding.sources import sources_of
from toolgauge.chat import Reply, Tool
from toolgauge.generation.state import AgentView
from toolgauge.generation.validators.tool import check_tool_reply

NOTE = {"properties": {"content": {"type": "string", "description": "What the file is to hold."}}}
BILLS = "invoice,amount,status\nINV-20544,1342.60,unpaid\nINV-20561,786.00,unpaid\nINV-20570,1057.25,unpaid\n"


@pytest.mark.parametrize(
    ("written", "unsaid"),
    [
        ("INV-20544 1342.60\nINV-20561 786.00\nINV-20570 1057.25\nTotal 3185.85\nPlease pay by 8 December.", ()),
        ("INV-20544 1342.60\nINV-20561 786.00\nTotal 2,128.60", ()),
        ("INV-20544 1342.60\nINV-20561 786.00\nTotal 2,218.60", ("2,218.60",)),
        ("Please pay 3185.85 by 8 December.", ("3185.85",)),
    ],
)
def test_a_total_of_what_stands_in_the_text_is_no_invention(written: str, unsaid: tuple[str, ...]) -> None:
    context = Context(datetime.datetime(2026, 12, 1, 10))
    context.add("user", 0, "Write a reminder with each unpaid invoice, its amount and the total, due by 8 December.")
    context.add("result", 0, {"content": BILLS}, 0)
    (source,) = sources_of({"content": written}, NOTE, context, "en", "write_file")["content"]
    assert (source.origin, source.unsaid) == ("composed", unsaid)


def test_a_day_that_follows_from_tomorrow_may_stand_in_a_note() -> None:
    context = Context(datetime.datetime(2026, 12, 9, 10))
    context.add("user", 0, "Who is Henrik Dahl? I take over his supplier documentation.")
    context.add("user", 1, "Then put me in, Ingrid Solheim, as his successor from tomorrow.")
    said = [
        "Successor of Henrik Dahl from tomorrow (2026-12-10)",
        "Takes over the supplier documentation on 2026-12-10",
    ]
    schema = {
        "properties": {
            "observations": {
                "type": "array",
                "items": {"type": "string"},
                "description": "An array of observation contents associated with the entity",
            }
        }
    }
    found = sources_of({"observations": said}, schema, context, "en", "add_observations")
    assert {path: sources[0].unsaid for path, sources in found.items()} == {
        "observations[0]": (),
        "observations[1]": (),
    }


@pytest.mark.parametrize(("total", "objections"), [(63, 0), (4, 0), (3, 1), (6, 1)])
def test_a_number_of_many_things_beside_the_first_of_them(total: int, objections: int) -> None:
    tool = Tool("podcast_episodes", "Episodes of a podcast, by popularity.", {"type": "object", "properties": {}})
    view = AgentView("en", (tool,), "2026-12-09 10:00:00 Wednesday", (), 0, "single")
    episodes = [{"episode_id": f"E{n}", "title": f"Night {n}"} for n in range(4)]
    response: dict[str, Any] = {"total_episodes": total, "episodes": episodes}
    reply = Reply(msgspec.json.encode({"Observation_List": [{"status_code": 200, "response": response}]}).decode())
    decision = Decision(False, "", "", (Action(tool.name, {}),))
    assert len(check_tool_reply(view, decision, reply)[2]) == objections
