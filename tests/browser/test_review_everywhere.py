"""The review in a real Chromium, view by view and end to end: for everybody, on every screen, in both languages."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolgauge
from tests.browser.browsing import WIDE
from tests.browser.hostile_run import TEXTS
from tests.browser.reviewing import PEOPLE, PHONE, Enter, Serve, press
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.data.session import TaskType
from toolgauge.review import commands
from toolgauge.review.access import digest
from toolgauge.review.desk import Desk
from toolgauge.review.events import Fault, Outcome, Part, PersonAdded, Place
from toolgauge.review.handling import do
from toolgauge.review.serving import open_desk

pytestmark = pytest.mark.browser
LANGUAGES = pytest.mark.parametrize("ui", ["en", "zh"])
HOSTILE = [text[:2000].replace("\ud800", "").replace("\x00", "") for text in TEXTS]


def decide(desk: Desk, who: str, session: str, outcome: Outcome = Outcome.APPROVED, reason: str = "") -> None:
    version = desk.copy_of(who, session).version
    do(desk, who, commands.Decide(session=session, base=version, outcome=outcome, reason=reason))


def team(desk: Desk, *more: str) -> None:
    for name in (*PEOPLE, *more):
        desk.happen(PersonAdded(name=name, is_lead=name == "Ada", token_sha256=digest(name)))


def opinions_of_three(folder: Path) -> None:
    """Of six sessions that three review, one is judged otherwise by one of them, one was edited."""
    with open_desk(MINI_FILE, folder, "en") as desk:
        team(desk, "Di")
        names = [f"mini_{number}" for number in range(6)]
        do(desk, "Ada", commands.Assign(sessions=dict.fromkeys(names, ("Bo", "Cy", "Di"))))
        do(
            desk,
            "Di",
            commands.Edit(session="mini_2", base=0, edits=(commands.SetUtterance(task=0, text="Otherwise"),)),
        )
        for who in ("Bo", "Cy", "Di"):
            for name in names:
                differs = (who, name) == ("Cy", "mini_4")
                decide(desk, who, name, Outcome.REJECTED if differs or name == "mini_5" else Outcome.APPROVED)


def test_three_opinions_are_compared_and_settled(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    opinions_of_three(tmp_path / "review")
    lead = enter("Ada", serve(folder=tmp_path / "review"))
    page = lead.session("mini_0")
    assert page.inner_text(".state-line").count("Bo, Cy, Di") == 2, "who reviews it, and who approved it"
    page = lead.open("opinions")
    assert "Fleiss" in page.inner_text("main thead >> nth=1")
    kappa = page.locator("main table").nth(1).locator("td.number").nth(2).inner_text()
    assert 0 < float(kappa.split()[0].split("[")[0]) < 1
    press(page, "j", "Enter")
    page.locator("#take-2").wait_for()
    assert lead.violations() == []
    assert page.locator("main table").count() >= 2
    press(page, "3", "Enter")
    page.locator("#take-2").wait_for(state="detached")
    page.locator("main th a").first.wait_for()
    assert page.locator("main th a").count() == 1


def test_a_lead_assigns_by_keyboard(enter: Enter) -> None:
    lead, other = enter("Ada"), enter("Bo")
    page = lead.queue()
    press(page, "j", "x", "j", "x", "a")
    page.locator("dialog#assign").wait_for()
    assert lead.violations() == []
    press(page, "Tab", "Space")  # behind Ada: Bo
    page.locator("dialog#assign label", has_text="Bo").locator("input:checked").wait_for()
    page.locator("dialog#assign .toolbar button").first.focus()
    press(page, "Enter")
    page.locator("dialog#assign").wait_for(state="detached")
    page.locator("tr[data-id=mini_1] .c-who", has_text="Bo").wait_for()
    assert page.evaluate("document.activeElement.closest('tr')?.dataset.id") == "mini_1"
    mine = other.queue("who=mine")
    assert mine.locator("table.queue tbody tr").count() == 2


def test_from_the_queue_to_the_archive_by_keyboard(enter: Enter, tmp_path: Path) -> None:
    tab = enter()
    page = tab.open("export")
    press(page, "e")
    page.locator("#last-check [role=alert]").wait_for()  # nothing is approved yet
    press(page, "q")
    page.locator("table.queue tbody tr").first.wait_for()
    press(page, "j", "Enter")
    page.locator(".dialogue .line").first.wait_for()
    press(page, "j", "e")
    page.locator("form.edit textarea").wait_for()
    press(page, "Control+A")
    page.keyboard.type("Said otherwise.")
    press(page, "Control+Enter")
    page.locator("#part-utterance-0- .text", has_text="Said otherwise.").wait_for()
    page.locator("form.edit").wait_for(state="detached")  # the form's own keys are not the page's
    press(page, "a")
    confirm = page.locator("dialog.ask button[type=submit]")
    confirm.wait_for()  # what was said otherwise is the source of no value
    press(page, "Enter")
    page.locator("h1", has_text="mini_1").wait_for()
    press(page, "r")
    page.locator("dialog.ask").wait_for()
    page.keyboard.type("too short")
    press(page, "Enter")
    page.locator("h1 .badge.rejected").wait_for()
    page = tab.open("export")
    with page.expect_download() as waiting:
        press(page, "e")
    waiting.value.save_as(tmp_path / "reviewed.zip")
    page.locator("#last-check .said").wait_for()
    assert tab.violations() == []
    with zipfile.ZipFile(tmp_path / "reviewed.zip") as archive:
        (line,) = archive.read("reviewed/sessions.jsonl").splitlines()
    assert json.loads(line)["english_tasks"][0] == "Said otherwise."


def test_what_the_last_check_finds_leads_to_its_place(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    with open_desk(MINI_FILE, tmp_path / "review", "en") as desk:
        team(desk)
        wrong = commands.SetType(task=0, type=TaskType.PARALLEL_TOOLS)
        do(desk, "Ada", commands.Edit(session="mini_0", base=0, edits=(wrong,)))
        decide(desk, "Ada", "mini_0")
    review = serve(folder=tmp_path / "review")
    tab = enter("Ada", review)
    page = tab.open("export")
    page.locator("#download").click()
    page.locator("#problems a").first.wait_for()
    assert tab.violations() == []
    page.locator("#problems a").first.click()
    page.locator("h1", has_text="mini_0").wait_for()
    assert enter("Bo", review).page.locator("#places [data-view=export]").count() == 0


def generated(folder: Path, language: str) -> None:
    """A generation and a review of it: edited, commented, inspected."""
    toolgauge.generate("builtin/oracle", paths="single,multi", per_path=2, language=language, out=folder / "made")
    with open_desk(folder / "made", folder / "review", language) as desk:
        team(desk)
        first, second = desk.originals.tasks
        do(desk, "Ada", commands.Edit(session=first, base=0, edits=(commands.SetUtterance(task=0, text=HOSTILE[1]),)))
        do(desk, "Ada", commands.Comment(session=first, text=HOSTILE[0], place=Place(Part.UTTERANCE, 0)))
        decide(desk, "Ada", first)
        decide(desk, "Ada", second)
        do(desk, "Ada", commands.DrawRound(share=1, inspectors=("Cy",)))
        version = desk.copy_of("Cy", first).version
        fault = Fault(kind=HOSTILE[4][:80], place=Place(Part.UTTERANCE, 0), note=HOSTILE[3])
        do(desk, "Cy", commands.Inspect(session=first, base=version, faults=(fault,)))


@LANGUAGES
def test_every_view_is_for_everybody(enter: Enter, serve: Serve, tmp_path: Path, ui: str) -> None:
    """axe-core finds nothing, nothing is wider than the screen, nothing is left in English, no text becomes more."""
    generated(tmp_path, ui)
    review = serve(tmp_path / "made", ui, tmp_path / "review")
    name: str = enter("Ada", review).queue().locator("tr[data-id]").first.get_attribute("data-id")
    id_ = name.replace(":", "%3A")
    views = (
        ("", "table.queue tbody tr"),
        (f"session/{id_}", ".dialogue .line"),
        ("team", "table"),
        ("opinions", "h1"),
        ("rounds", "#stand"),
        ("progress", ".tiles"),
        ("export", "#download"),
    )
    for size, scheme in ((WIDE, "light"), (WIDE, "dark"), (PHONE, "light"), (PHONE, "dark")):
        tab = enter("Ada", review, size=size, color_scheme=scheme)
        for place, wanted in views:
            page = tab.open(place, wanted)
            for fold in page.locator("main details").all():
                fold.evaluate("one => { one.open = true; }")
            assert tab.violations() == [], (place, size, scheme)
            assert not tab.overflows(), (place, size)
            assert page.evaluate("window.pwned === undefined"), place
            heading = page.locator("main h1").inner_text()
            assert place.partition("/")[0] in ("", "session") or heading.isascii() == (ui == "en")


def hostile_opinions(folder: Path) -> Iterator[str]:
    """Ids of sessions about which hostile texts were said in every way."""
    record = json.loads(MINI_FILE.read_text(encoding="utf-8").splitlines()[0])
    file = folder / "hostile.jsonl"
    ids = [f"{number} {text[:60]}" for number, text in enumerate(HOSTILE)]
    file.write_text("".join(json.dumps(record | {"id": one}) + "\n" for one in ids), encoding="utf-8")
    with open_desk(file, folder / "review", "en") as desk:
        team(desk)
        do(desk, "Ada", commands.Assign(sessions=dict.fromkeys(ids, ("Bo", "Cy"))))
        for one, text in zip(ids, HOSTILE, strict=True):
            changes = (commands.SetUtterance(task=0, text=text), commands.SetType(task=0, type=TaskType.PARALLEL_TOOLS))
            do(desk, "Bo", commands.Edit(session=one, base=0, edits=changes))
            decide(desk, "Bo", one)
            decide(desk, "Cy", one, Outcome.REJECTED, text)
    yield from ids


def test_hostile_opinions_stay_text(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    ids = list(hostile_opinions(tmp_path))
    tab = enter("Ada", serve(tmp_path / "hostile.jsonl", folder=tmp_path / "review"))

    def harmless(what: str) -> None:
        assert tab.page.evaluate("window.pwned === undefined"), what
        assert tab.page.locator("main img, main script, main style, main iframe").count() == 0, what
        assert not tab.overflows(), what

    for number, name in enumerate(ids):
        page = tab.open("opinions", "main th a")
        harmless("opinions")
        page.locator("main th a").first.click()
        page.locator("#take-0").wait_for()
        harmless(name)
        page.locator(f"#take-{number % 2}").click()
        page.locator("#take-0").wait_for(state="detached")
    page = tab.open("export", "#check")
    page.locator("#check").click()
    page.locator("#problems li").first.wait_for()
    harmless("export")
    for place in ("", "progress", "team", "rounds"):
        tab.open(place)
        harmless(place)
