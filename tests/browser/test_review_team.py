"""What a lead does, in a real Chromium: people and links, second opinions, inspection rounds, progress; by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.reviewing import PEOPLE, Enter, ReviewProcess, Serve
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review import commands
from toolgauge.review.access import digest
from toolgauge.review.desk import Desk
from toolgauge.review.events import Fault, Outcome, Part, PersonAdded, Place
from toolgauge.review.handling import do
from toolgauge.review.serving import open_desk

pytestmark = pytest.mark.browser
HOSTILE = "</script><img src=x onerror=alert(1)>\u202egnp"


def decided(desk: Desk, who: str, session: str, outcome: Outcome = Outcome.APPROVED) -> None:
    do(desk, who, commands.Decide(session=session, base=desk.copy_of(who, session).version, outcome=outcome))


def begun(folder: Path) -> None:
    """A review in which two conflict, others agree, and one inspection round found an error."""
    with open_desk(MINI_FILE, folder, "en") as desk:
        for name in PEOPLE:
            desk.happen(PersonAdded(name=name, is_lead=name == "Ada", token_sha256=digest(name)))
        do(desk, "Ada", commands.Assign(sessions={f"mini_{number}": ("Bo", "Cy") for number in range(8)}))
        said = commands.SetUtterance(task=0, text=HOSTILE)
        do(desk, "Bo", commands.Edit(session="mini_0", base=0, edits=(said,)))
        for number in range(8):
            decided(desk, "Bo", f"mini_{number}")
            decided(desk, "Cy", f"mini_{number}", Outcome.REJECTED if number == 1 else Outcome.APPROVED)
        for number in range(8, 12):
            decided(desk, "Bo", f"mini_{number}")
        do(desk, "Ada", commands.DrawRound(share=0.2, inspectors=("Cy",)))
        for name in desk.state.rounds[0].inspectors:
            fault = Fault(kind=HOSTILE, place=Place(Part.REPLY, 0, 1), note=HOSTILE)
            found = (fault,) if name == min(desk.state.rounds[0].inspectors) else ()
            do(desk, "Cy", commands.Inspect(session=name, base=0, faults=found))


@pytest.fixture
def review(serve: Serve, tmp_path: Path) -> ReviewProcess:
    begun(tmp_path / "review")
    return serve(folder=tmp_path / "review")


def test_people_get_links_and_sessions(enter: Enter) -> None:
    lead = enter("Ada")
    page = lead.open("team")
    page.locator("#new-name").focus()
    page.keyboard.type("Di")
    page.keyboard.press("Enter")
    page.locator("#link").wait_for()
    link = page.input_value("#link")
    assert "token=" in link
    assert link.partition("token=")[2] not in (lead.review.folder / "journal.jsonl").read_text()
    newcomer = enter("Di", lead.review, link=link)
    assert newcomer.page.evaluate("document.querySelector('#places [data-view=team]')") is None
    page.locator("form button:has-text('32')").focus()
    page.keyboard.press("Enter")
    page.locator("form button:has-text('0')[disabled]").wait_for()
    page.reload()
    page.locator("main h1").wait_for()
    assert not page.locator("#link").count(), "a link is shown once"
    first = page.locator("tbody tr").first.locator("td.number").first.inner_text()
    assert int(first) >= 8
    assert lead.violations() == []


def test_a_conflict_is_settled_by_keyboard(enter: Enter, review: ReviewProcess) -> None:
    lead = enter("Ada", review, ui="zh")
    page = lead.open("opinions")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.locator("#take-0").wait_for()
    assert "U+202E" in page.locator("mark").first.inner_text()
    assert lead.violations() == []
    page.locator("details summary").first.click()
    page.locator("details .dialogue").wait_for()
    page.keyboard.press("2")
    assert page.evaluate("document.activeElement.id") == "take-1"
    page.keyboard.press("Enter")
    page.locator("#take-0").wait_for(state="detached")
    page.locator("main h2").first.wait_for()
    assert page.locator("main table").first.locator("tbody tr").count() == 1
    other = enter("Cy", review)
    other.open("opinions")
    assert not other.page.locator("main a").count(), "one's own conflict is not one's to see"


def test_a_round_is_drawn_inspected_and_mended(enter: Enter, review: ReviewProcess) -> None:
    lead, inspector = enter("Ada", review), enter("Cy", review)
    page = lead.open("rounds")
    page.locator("#stand").wait_for()
    assert page.locator("main th a").count() == 1, "one is to be mended"
    page.locator("main th a").click()
    page.locator("section.boxed").wait_for()
    assert "U+202E" in page.locator("section.boxed li").inner_text()
    mended = page.inner_text("h1")
    page.keyboard.press("a")
    page.wait_for_function(
        "mended => document.querySelector('dialog.ask') || document.querySelector('h1').innerText !== mended",
        arg=mended,
    )
    if page.locator("dialog.ask").count():  # warnings are open
        page.keyboard.press("Enter")
    page.wait_for_function("mended => document.querySelector('h1').innerText !== mended", arg=mended)
    page = lead.open("rounds")
    for name in ("Ada", "Bo"):
        page.locator(f"fieldset label:has-text('{name}') input").uncheck()
    page.locator("#draw-round").focus()
    page.keyboard.press("Enter")
    page.locator("[role=status].said").wait_for()
    inspected = inspector.open("rounds")
    inspected.locator("#begin").focus()
    inspected.keyboard.press("Enter")
    inspected.locator("#inspected").wait_for()
    assert inspector.violations() == []
    inspected.keyboard.press("j")
    inspected.keyboard.press("m")
    inspected.locator("dialog #fault-note").fill("wrong")
    inspected.keyboard.press("Control+Enter")
    inspected.locator("section.boxed li").wait_for()
    inspected.keyboard.press("y")
    inspected.locator("section.boxed li").wait_for(state="detached")
    lead.open("rounds").locator("td li:has-text('wrong')").wait_for()
