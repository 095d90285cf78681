"""Reviewing in a real Chromium: the queue, reading, comments, history, two people at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.hostile_run import TEXTS
from tests.browser.reviewing import Enter, Serve, press
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE

pytestmark = pytest.mark.browser


def focused(page: Any) -> str:
    text: str = page.evaluate("document.activeElement.closest('tr[data-id]')?.dataset.id ?? document.activeElement.id")
    return text


def rows(page: Any) -> list[str]:
    return list(page.locator("table.queue tbody tr").evaluate_all("rows => rows.map((row) => row.dataset.id)"))


def wait_rows(page: Any, count: int) -> None:
    page.wait_for_function("count => document.querySelectorAll('table.queue tbody tr').length === count", arg=count)


def say(page: Any, text: str) -> None:
    """Comment on what has the focus."""
    press(page, "c")
    page.keyboard.type(text)
    press(page, "Control+Enter")
    page.locator(".comment", has_text=text).wait_for()


def test_the_queue_by_keyboard_alone_and_back_to_the_same_place(enter: Enter) -> None:
    page = enter().queue()
    ids = rows(page)
    press(page, "j", "j", "j")
    assert focused(page) == ids[2]
    press(page, "k", "Enter")
    page.locator(".dialogue").wait_for()
    assert ids[1] in page.inner_text("h1")
    press(page, "n")
    page.wait_for_function("id => document.querySelector('h1').textContent.includes(id)", arg=ids[2])
    press(page, "]")
    page.wait_for_function("id => document.querySelector('h1').textContent.includes(id)", arg=ids[3])
    press(page, "p")
    page.wait_for_function("id => document.querySelector('h1').textContent.includes(id)", arg=ids[2])
    press(page, "q")
    page.locator("table.queue tbody tr").first.wait_for()
    assert focused(page) == ids[2]


def test_filters_stand_in_the_address_and_lead_from_session_to_session(enter: Enter) -> None:
    tab = enter()
    page = tab.queue()
    total = len(rows(page))
    page.wait_for_function("() => document.querySelectorAll('#filter-kind option').length > 3")
    page.select_option("#filter-kind", "clarify")
    page.wait_for_function("total => document.querySelectorAll('table.queue tbody tr').length < total", arg=total)
    left = rows(page)
    assert "kind=clarify" in page.url
    assert all("clarify" in text for text in page.locator("table.queue .c-tasks").all_inner_texts())
    page.locator("table.queue tbody a").first.click()
    page.locator(".dialogue").wait_for()
    press(page, "n")
    page.wait_for_function("id => document.querySelector('h1').textContent.includes(id)", arg=left[1])
    shared = page.url
    assert "kind=clarify" in shared
    again = tab.queue("kind=clarify&sort=-id")
    assert rows(again) == sorted(left, key=lambda name: int(name.rpartition("_")[2]), reverse=True)


def test_the_search_finds_words_and_ids(enter: Enter) -> None:
    page = enter().queue()
    total = len(rows(page))
    press(page, "/")
    page.keyboard.type("mini_3")
    page.wait_for_function("() => document.querySelector('.toolbar [role=status]').textContent.includes(' of ')")
    assert all("mini_3" in name for name in rows(page))
    page.fill("#filter-q", "nobody says this ever")
    wait_rows(page, 0)
    page.fill("#filter-q", "")
    wait_rows(page, total)


def test_a_decision_moves_the_bar_and_a_reason_is_told(enter: Enter) -> None:
    tab = enter()
    page = tab.session("mini_0")
    press(page, "r")
    page.keyboard.type("too short")
    press(page, "Enter")
    page.locator(".badge.status.rejected").first.wait_for()
    assert "too short" in page.inner_text(".state-line")
    press(page, "o")
    page.locator("h1 .badge.in_work").wait_for()
    press(page, "j", "j", "A")
    page.locator(".state-line", has_text="task 1 of 4").wait_for()
    press(page, "a")
    page.wait_for_function("() => document.querySelector('h1').textContent.includes('mini_1')")
    press(page, "q")
    page.locator(".states a.approved", has_text="1").wait_for()
    page.locator(".states a.approved").click()
    wait_rows(page, 1)


def test_an_argument_shows_where_its_value_comes_from(enter: Enter) -> None:
    page = enter().session("mini_0")
    row = page.locator("tr[data-argument]", has=page.locator(".follow")).first
    row.hover()
    assert page.locator("mark.pointed").count() > 0
    page.locator("h1").hover()
    assert page.locator("mark.pointed").count() == 0
    row.locator(".follow").first.focus()
    assert page.locator("mark.pointed").count() > 0
    press(page, "Enter")
    assert page.locator(".followed").count() > 0
    assert "part-" in focused(page)


def test_a_message_that_says_little_shows_what_it_leans_on(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    """ "What about SH77535?" is a purchase because the one before was: its words and its call are named, and led to."""
    record = json.loads(MINI_FILE.read_text(encoding="utf-8").splitlines()[0])
    before = record["english_tasks"][1]
    call = record["english_answer_list"][1][0]["action"]["name"]
    record["english_tasks"][2] = "What about SH77535?"
    record["english_turn_subtypes"] = ["Coreferential Reference", "Partial Information", "Coreferential Reference"]
    for node in record["english_answer_list"][2]:
        node.pop("argument_sources", None)
    record["english_answer_list"][2][0]["purpose"] = "buy this share too"
    file = tmp_path / "leaning.jsonl"
    file.write_text(json.dumps(record) + "\n", encoding="utf-8")
    page = enter("Ada", serve(file)).session("mini_0")
    told = page.locator("#part-utterance-2- .leans")
    assert before[:40] in told.inner_text()
    assert call in told.inner_text()
    assert "buy this share too" in page.locator("#part-call-2-0").inner_text()
    told.locator("button").click()
    assert focused(page) == "part-utterance-1-"


def test_comments_are_written_answered_resolved_and_counted(enter: Enter) -> None:
    ada, bo = enter(), enter("Bo")
    page = ada.session("mini_0")
    press(page, "j", "j")
    say(page, "what does this mean?")
    other = bo.session("mini_0")
    other.locator(".comment button", has_text="Answer").click()
    other.keyboard.type("it means this")
    press(other, "Control+Enter")
    page.locator(".comment .answer", has_text="it means this").wait_for()
    line = bo.queue().locator("tr[data-id=mini_0] .c-comments")
    assert line.inner_text() == "1"
    page.locator(".comment button", has_text="Resolve").click()
    page.locator("details.comment").wait_for()
    page.locator("#comments li", has_text="resolved").wait_for()
    bo.page.wait_for_function("() => document.querySelector('tr[data-id=mini_0] .c-comments').textContent === ''")


def test_what_is_being_written_survives_what_others_do(enter: Enter) -> None:
    ada, bo = enter(), enter("Bo")
    page = ada.session("mini_0")
    press(page, "j", "c")
    page.keyboard.type("half a thou")
    other = bo.session("mini_0")
    press(other, "j", "j")
    say(other, "something else")
    page.locator(".note button", has_text="Show").wait_for()
    assert page.locator(".comment-form textarea").input_value() == "half a thou"
    page.keyboard.type("ght")
    page.locator(".note button", has_text="Show").click()
    page.locator(".comment", has_text="something else").wait_for()
    assert page.locator(".comment-form textarea").input_value() == "half a thought"


def edit(tab: Any, text: str, base: int) -> int:
    """Change the first utterance of a session, as a script of the page does."""
    command = {
        "do": "edit",
        "session": "mini_0",
        "base": base,
        "edits": [{"edit": "utterance", "task": 0, "text": text}],
    }
    event = tab.page.evaluate("command => toolgauge.desk.send(command)", command)
    return int(event["number"])


def test_history_shows_old_beside_new_and_takes_back(enter: Enter) -> None:
    ada, bo = enter(), enter("Bo")
    page = ada.session("mini_0")
    before = page.locator("#part-utterance-0- .text").inner_text()
    bo.session("mini_0")
    second = edit(bo, "secondly", edit(bo, "firstly", 0))
    page.locator("#part-utterance-0- .text", has_text="secondly").wait_for()
    page.locator("#history summary").first.click()
    page.locator(f"#change-{second} summary").click()
    cells = page.locator(f"#change-{second} table.differences tbody td")
    cells.first.wait_for()
    assert [text.strip() for text in cells.all_inner_texts()] == ["firstly", "secondly"]
    page.locator("#against-original summary").click()
    cells = page.locator("#against-original table.differences tbody td")
    cells.first.wait_for()
    assert [text.strip() for text in cells.all_inner_texts()] == [before.strip(), "secondly"]
    page.locator("#history button", has_text="1 later").click()
    page.wait_for_function(
        "before => document.querySelector('#part-utterance-0- .text').innerText === before", arg=before
    )
    assert "english_tasks" not in page.inner_text("#history")


def hostile_file(folder: Path) -> Path:
    """Sessions in which everything that is text tries to become more."""
    record = json.loads(MINI_FILE.read_text(encoding="utf-8").splitlines()[0])
    lines = []
    for number, text in enumerate(TEXTS):
        said = text.replace("\ud800", "")
        task = [
            {
                "idx": 0,
                "action": {
                    "name": record["english_tools"][0]["function"]["name"],
                    "arguments": {said[:200]: said, "__proto__": said},
                },
                "dependency_list": [],
                "observation": {said[:100]: said},
                "argument_sources": {said[:200]: [{"from": "user", "task": 0, "quote": said[:50], "note": said}]},
                "thought": said,
            },
            {
                "idx": 1,
                "action": {"name": "prepare_to_answer", "arguments": {}},
                "dependency_list": [0],
                "observation": said,
            },
        ]
        lines.append(
            record
            | {
                "id": f"hostile {number} {said[:60]}",
                "english_env_info": said[:500],
                "english_tasks": [said],
                "english_task_types": ["Single-Tool"],
                "english_turn_subtypes": [],
                "english_answer_list": [task],
                "english_messages": [],
            }
        )
    path = folder / "hostile.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_hostile_sessions_stay_text(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    tab = enter("Ada", serve(hostile_file(tmp_path)))
    page = tab.queue()
    assert len(rows(page)) == len(TEXTS)
    for number in range(len(TEXTS)):
        page.locator("table.queue tbody tr").nth(number).locator("th a").click()
        page.locator(".dialogue").wait_for()
        for fold in page.locator("main details").all():
            fold.evaluate("one => { one.open = true; }")
        assert page.evaluate("window.pwned === undefined"), number
        assert page.locator("main img, main script").count() == 0
        assert not tab.overflows(), number
        press(page, "j", "c")
        page.keyboard.insert_text(TEXTS[number][:400].replace("\ud800", ""))
        press(page, "Control+Enter")
        page.locator("#comments").wait_for()
        assert page.evaluate("window.pwned === undefined"), number
        press(page, "q")
        page.locator("table.queue").wait_for()


def test_a_long_queue_is_drawn_in_two_steps(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    record = json.loads(MINI_FILE.read_text(encoding="utf-8").splitlines()[0])
    path = tmp_path / "long.jsonl"
    lines = [json.dumps(record | {"id": f"s{number}"}) + "\n" for number in range(620)]
    path.write_text("".join(lines), encoding="utf-8")
    page = enter("Ada", serve(path)).queue()
    assert "620" in page.inner_text("main [role=status]")
    assert len(rows(page)) == 500
    page.get_by_role("button", name="Show all").click()
    wait_rows(page, 620)
    press(page, "/")
    page.keyboard.type("s619")
    wait_rows(page, 1)
    press(page, "Enter", "Enter")
    page.locator(".dialogue").wait_for()
    assert "s619" in page.inner_text("h1")
