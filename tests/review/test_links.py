"""Personal links: who gets one where a review is opened, and what becomes of them when a lead decides otherwise."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.review.conftest import OpenDesk
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review.access import LINKS
from toolgauge.review.commands import AddPerson, RemovePerson, SetRole
from toolgauge.review.handling import do
from toolgauge.review.serving import open_desk as opened_desk
from toolgauge.review.serving import serving
from toolgauge.review.streams import Streams


def opened(folder: Path, *names: str) -> tuple[dict[str, str], list[str]]:
    """The links that are shown where the review is opened with these reviewers, and what is told besides."""
    with serving(MINI_FILE, folder, names, ("127.0.0.1", 0), "en") as started:
        return {name: link.partition("token=")[2] for name, link in started.links.items()}, [*map(str, started.notes)]


def lead(folder: Path, command: AddPerson | RemovePerson | SetRole) -> None:
    with opened_desk(MINI_FILE, folder, "en") as desk:
        do(desk, "Ada", command)


def test_links_outlive_the_server_and_a_lost_one_is_made_anew(tmp_path: Path) -> None:
    first, notes = opened(tmp_path, "Ada", "Bo")
    assert ([*first], notes) == (["Ada", "Bo"], [])
    assert opened(tmp_path, "Ada")[0] == opened(tmp_path)[0] == first
    (tmp_path / LINKS).unlink()
    again, _notes = opened(tmp_path, "Bo")
    assert [*again] == ["Bo"]
    assert again["Bo"] != first["Bo"]


def test_who_was_taken_out_stays_out(tmp_path: Path) -> None:
    first, _notes = opened(tmp_path, "Ada", "Bo")
    lead(tmp_path, RemovePerson(name="Bo"))
    links, notes = opened(tmp_path, "Ada", "Bo")
    assert links == {"Ada": first["Ada"]}
    assert notes == ["Bo was removed from the review; only a lead can let them in again"]
    lead(tmp_path, AddPerson(name="Bo", token="a new token of Bo"))
    assert opened(tmp_path, "Ada", "Bo") == ({"Ada": first["Ada"]}, []), "the old link is no longer one"


@pytest.mark.parametrize(
    ("command", "ends"),
    [
        (RemovePerson(name="Bo"), True),
        (AddPerson(name="Bo", token="0" * 64), True),
        (RemovePerson(name="Cy"), False),
    ],
)
def test_the_stream_of_who_was_taken_out_ends(
    command: AddPerson | RemovePerson, ends: bool, open_desk: OpenDesk
) -> None:
    desk = open_desk()

    async def heard() -> None:
        stream = Streams(desk).stream("Bo", desk.state.number)
        await stream.__anext__()
        waiting = asyncio.ensure_future(stream.__anext__())
        await asyncio.sleep(0)
        do(desk, "Ada", command)
        assert b'"number":' in await waiting, "the event itself is told"
        if ends:
            with pytest.raises(StopAsyncIteration):
                await stream.__anext__()
        else:
            do(desk, "Ada", SetRole(name="Bo", is_lead=True))
            assert b'"number":' in await stream.__anext__()

    asyncio.run(heard())
