"""A month of a team in Chromium, everybody in a browser of their own at the same time: sessions are distributed, a
fifth of them blind; people edit, decide and meet in one text; the server is killed; conflicts are settled, rounds drawn
until one finds nothing, and what was approved is exported. The journal holds what the pages were told.

`make test-long` (TOOLGAUGE_LONG_TESTS=1) plays ten people, twenty days and 2,000 sessions; what its pages leave over is
decided by the pages' own scripts.
"""

from __future__ import annotations

import json
import random
import statistics
import time
import zipfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.browser.reviewing import Enter, ReviewProcess, ReviewTab, Serve, press
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review.desk import Desk
from toolgauge.review.rounds import rounds_report
from toolgauge.review.state import SessionStatus
from toolgauge.review.store import open_originals

pytestmark = [pytest.mark.browser, pytest.mark.timeout(sized(600, 7200))]
TEAM = ("Ada", "Bo", "Cy", "Di", "Ed", "Fay", "Gus", "Hal", "Ivy", "Jo")[: sized(4, 10)]
"""The first one leads, and decides nothing herself."""
SESSIONS, DAYS, A_DAY = sized(12, 2000), sized(2, 20), 3
BY_HAND = sized(100, 2)
"""Inspections of a person in a round that are made on pages."""
MOVED = "name => ![undefined, name].includes(document.querySelector('h1')?.textContent.split(' ')[0])"
HURRY = """async () => {
    const { desk } = toolgauge;
    const lines = (await desk.get("/api/queue")).sessions.filter((one) => one.mine && one.is_open);
    for (const one of lines) await desk.send({ do: "decide", session: one.id, base: one.version, outcome: "approved" });
    return lines.length;
}"""
INSPECT = """async () => {
    const { desk } = toolgauge;
    const { mine } = await desk.get("/api/rounds");
    for (const id of mine) {
        const { version } = await desk.get("/api/session", { id });
        await desk.send({ do: "inspect", session: id, base: version, faults: [] });
    }
    return mine.length;
}"""


class Reviewer:
    """Somebody at work. decided: how many decisions their pages made; took: seconds from a key to the next session."""

    def __init__(self, name: str, tab: ReviewTab) -> None:
        self.name, self.tab, self.rng = name, tab, random.Random(name)
        self.decided, self.took = 0, list[float]()

    def decide(self, count: int) -> None:
        """The next sessions of their own queue: most are approved, some after an edit, some rejected."""
        page, is_open = self.tab.page, self.next_one()
        for _ in range(count):
            if not is_open:
                return
            drawn = self.rng.random()
            if drawn < 0.3:
                edit(page, f"{self.name} says it better: {drawn:.4f}")
            begun = time.perf_counter()
            is_open = (self.reject if drawn > 0.9 else self.approve)(page)
            self.took.append(time.perf_counter() - begun)
            self.decided += 1

    def next_one(self) -> bool:
        """Open the first session that is theirs to decide, if there is one."""
        page = self.tab.open("?who=todo", "table.queue thead th")
        if not page.locator("table.queue tbody tr").count():
            return False
        press(page, "j", "Enter")
        page.locator(".dialogue .line").first.wait_for()
        return True

    def approve(self, page: Any) -> bool:
        """Is another one open then?"""
        name = on(page)
        press(page, "a")
        page.wait_for_function(f"name => document.querySelector('dialog.ask, main .note') || ({MOVED})(name)", arg=name)
        if page.locator("dialog.ask").count():  # warnings are open
            press(page, "Enter")
            page.locator("dialog.ask").wait_for(state="detached")
            page.wait_for_function(f"name => document.querySelector('main .note') || ({MOVED})(name)", arg=name)
        return on(page) != name

    def reject(self, page: Any) -> bool:
        press(page, "r")
        page.keyboard.type("not what anybody would say")
        press(page, "Enter")
        page.locator(".state-line", has_text=f"rejected by {self.name}").wait_for()
        return self.next_one()


def on(page: Any) -> str:
    """The session that a page shows."""
    return str(page.inner_text("h1")).split()[0]


def edit(page: Any, text: str) -> None:
    page.locator("#part-utterance-0-").focus()
    press(page, "e")
    page.locator("form.edit textarea").first.fill(text)
    press(page, "Control+Enter")
    page.locator("form.edit").wait_for(state="detached")


def meet(one: Reviewer, other: Reviewer, session: str, choice: str, day: int) -> None:
    """Two reword the same text; the second one sees both, and chooses."""
    first, second = one.tab.session(session), other.tab.session(session)
    second.locator("#part-utterance-0-").focus()
    press(second, "e")
    second.locator("form.edit textarea").first.fill(f"as {other.name} would say it on day {day}")
    edit(first, f"as {one.name} would say it on day {day}")
    second.locator("form.edit .versions").wait_for()
    second.get_by_role("button", name=choice).click()
    second.locator("form.edit").wait_for(state="detached")
    chosen = one.name if choice == "Use theirs" else other.name
    for page in (first, second):
        page.locator("#part-utterance-0- .text", has_text=f"as {chosen} would say it on day {day}").wait_for()


def settle_all(lead: ReviewTab) -> int:
    """Every conflict, by keyboard: what the first reviewer says is taken."""
    settled = 0
    while True:
        page = lead.open("opinions", "main h1")
        if not page.locator("main th a").count():
            return settled
        press(page, "j", "Enter")
        page.locator("#take-0").wait_for()
        press(page, "1", "Enter")
        page.locator("#take-0").wait_for(state="detached")
        settled += 1


def inspect(people: list[Reviewer], lead: ReviewTab, marks: int) -> None:
    """A round: the first inspectors find an error each, so many in all; it is mended by who inspects nothing here."""
    page = lead.open("rounds", "#stand")
    assert page.locator("#draw-round").count(), page.inner_text("main")
    page.locator("#draw-round").focus()
    press(page, "Enter")
    page.locator("[role=status].said").wait_for()
    for one in people:
        page, found = one.tab.open("rounds"), 0
        if not page.locator("#begin").count():
            continue
        press(page, "Tab")
        page.locator("#begin").click()
        for _ in range(BY_HAND):
            page.locator("#inspected").wait_for()
            name = on(page)
            if marks and not found:
                press(page, "j", "m", "Control+Enter")
                page.locator("dialog.ask").wait_for(state="detached")
                page.locator("section.boxed li").wait_for()
                marks, found = marks - 1, 1
            press(page, "y")
            page.wait_for_function(MOVED, arg=name)
            if not page.locator("#inspected, .dialogue").count():
                break
        page.evaluate(INSPECT)
    while True:
        page = lead.open("rounds", "#stand")
        mended = page.locator("main h2", has_text="To fix")
        if not mended.count():
            return
        page.locator("main tbody th a").first.click()
        page.locator("section.boxed").wait_for()
        name = on(page)
        press(page, "a")
        approved = "document.querySelector('.state-line')?.textContent.includes('approved by Ada')"
        page.wait_for_function(
            f"name => document.querySelector('dialog.ask') || {approved} || ({MOVED})(name)", arg=name
        )
        if page.locator("dialog.ask").count():
            press(page, "Enter")
            page.locator("dialog.ask").wait_for(state="detached")
            page.wait_for_timeout(300)


@pytest.fixture
def review(serve: Serve, tmp_path: Path) -> ReviewProcess:
    records = [json.loads(line) for line in MINI_FILE.read_text(encoding="utf-8").splitlines()]
    lines = (json.dumps(records[number % len(records)] | {"id": f"s{number}"}) for number in range(SESSIONS))
    file = tmp_path / "many.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    more = tuple(part for name in TEAM[3:] for part in ("--reviewer", name))
    return serve(file, folder=tmp_path / "month", more=more)


def test_a_month_of_a_team(enter: Enter, review: ReviewProcess, tmp_path: Path) -> None:
    begun, before = time.monotonic(), (tmp_path / "many.jsonl").read_bytes()
    lead = enter(TEAM[0], review)
    people = [Reviewer(name, enter(name, review)) for name in TEAM[1:]]
    page = lead.open("team")
    page.locator("fieldset.people label", has_text=TEAM[0]).locator("input").uncheck()
    page.locator("form button", has_text=f"Distribute {SESSIONS:,}").click()
    page.locator("form button:disabled").wait_for()
    for day in range(DAYS):
        for one in people:
            one.decide(A_DAY)
        common = f"s{next(number for number in range(day, SESSIONS) if not is_blind(lead, f's{number}'))}"
        one, other = people[day % len(people)], people[(day + 1) % len(people)]
        meet(one, other, common, ("Use mine", "Use theirs")[day % 2], day)
        if day % 5 == 1:
            review.kill()
            review.start()
    by_hand = sum(one.decided for one in people)
    by_script = sum(one.tab.page.evaluate(HURRY) for one in people)
    conflicts = settle_all(lead)
    for number in range(20):
        if "complete" in lead.open("rounds", "#stand").inner_text("#stand"):
            break
        inspect([Reviewer(TEAM[0], lead), *people], lead, 2 if number == 0 else 0)
    page = lead.open("export")
    with page.expect_download() as download:
        press(page, "e")
    archive = tmp_path / "reviewed.zip"
    download.value.save_as(archive)
    review.kill()
    assert (tmp_path / "many.jsonl").read_bytes() == before
    with closing(Desk(review.folder, open_originals(tmp_path / "many.jsonl", "en"), is_read_only=True)) as desk:
        report = rounds_report(desk.state)
        decided = Counter(type(one).__name__ for one in desk.state.events)
        statuses = Counter(one.status for one in desk.state.sessions.values())
    assert report.is_over
    assert [one.faulty for one in report.rounds][:1] == [2]
    assert report.rounds[-1].faulty == 0
    assert decided["Decided"] >= by_hand + by_script
    with zipfile.ZipFile(archive) as opened:
        leaving = opened.read("reviewed/sessions.jsonl").splitlines()
    assert len(leaving) == statuses[SessionStatus.APPROVED] == SESSIONS - statuses[SessionStatus.REJECTED]
    took = [seconds for one in people for seconds in one.took]
    print(f"{len(TEAM)} people, {SESSIONS} sessions, {DAYS} days: {by_hand} decisions on pages, {by_script} by script,")
    print(f"{conflicts} conflicts, {len(report.rounds)} rounds, {decided['Inspected']} inspections,", end=" ")
    print(f"{desk.state.number} events")
    print(f"to the next session: median {statistics.median(took):.2f} s, most {max(took):.2f} s;", end=" ")
    print(f"{time.monotonic() - begun:.0f} s in all")


def is_blind(tab: ReviewTab, session: str) -> bool:
    told: list[dict[str, Any]] = tab.page.evaluate("toolgauge.desk.get('/api/queue').then((told) => told.sessions)")
    return next(bool(one["is_blind"]) for one in told if one["id"] == session)
