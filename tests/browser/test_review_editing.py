"""Reviewers at work in a real Chromium: every kind of edit, by keyboard; two at one session; a server that dies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.hostile_run import TEXTS
from tests.browser.reviewing import Enter, Serve
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review.store import read_journal

pytestmark = pytest.mark.browser


def part(page: Any, name: str, task: int, call: int | None = None) -> Any:
    return page.locator(f"#part-{name}-{task}-{'' if call is None else call}")


def edit(page: Any, name: str, task: int, call: int | None = None, key: str = "e") -> Any:
    """Open the form of a part by its key; returns the form."""
    box = part(page, name, task, call)
    box.focus()
    page.keyboard.press(key)
    form = page.locator("form.edit")
    form.wait_for()
    return form


def save(page: Any) -> None:
    page.keyboard.press("Control+Enter")
    page.locator("form.edit").wait_for(state="detached")


def write(page: Any, text: str) -> None:
    """Over what stands in the field that has the focus."""
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def tab_to(page: Any, selector: str) -> None:
    """To a control, by keyboard."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {selector}")


def session(page: Any, name: str) -> Any:
    """As the server has it."""
    told = page.evaluate("id => toolgauge.desk.read('/api/session', {id}).then((one) => JSON.stringify(one))", name)
    return json.loads(told)


TEXT = {"en": ("Is it cold in Oslo?", "It is."), "zh": ("奥斯陆冷吗？", "很冷。")}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_words_and_kinds_by_keyboard(serve: Serve, enter: Enter, language: str) -> None:
    page = enter("Ada", serve(language=language)).session("mini_2")
    said, replied = TEXT[language]
    edit(page, "utterance", 1)
    write(page, said)
    page.keyboard.press("Tab")
    page.keyboard.press("End")  # the last kind: no call
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    save(page)
    assert page.evaluate("document.activeElement.id") == "part-utterance-1-"
    edit(page, "question", 1, 0)
    write(page, said)
    save(page)
    edit(page, "answer", 1, 0)
    write(page, replied)
    save(page)
    edit(page, "reply", 1, 2)
    write(page, replied)
    save(page)
    edit(page, "result", 1, 1)
    write(page, '{"ok": 1.0}')
    save(page)
    task = session(page, "mini_2")["tasks"][1]
    assert (task["utterance"], task["type"], task["reference"]) == (said, "chat", "coreference")
    assert [one["answer"] for one in task["calls"]] == [replied, None, None]
    assert [one["result"] for one in task["calls"]] == [said, {"ok": 1.0}, replied]
    assert type(task["calls"][1]["result"]["ok"]) is float  # as it was written
    page.keyboard.press("u")
    page.wait_for_function(
        "id => toolgauge.desk.read('/api/session', {id}).then((one) => one.tasks[1].calls[1].result.ok === undefined)",
        arg="mini_2",
    )


def test_arguments_have_a_form_of_their_schema(enter: Enter) -> None:
    page = enter().session("mini_0")
    form = edit(page, "call", 3, 0)
    tab_to(page, "[data-name=email] textarea")
    write(page, "nele@example.org")
    tab_to(page, "[data-name=nights] input")
    write(page, "3")
    form.locator("[data-name=breakfast] select").select_option("false")
    form.locator("[data-name=breakfast] button.remove").focus()
    page.keyboard.press("Enter")
    form.locator("[data-add=breakfast]").wait_for()
    save(page)
    arguments = session(page, "mini_0")["tasks"][3]["calls"][0]["arguments"]
    assert arguments == {
        "guest": {"name": "Nele Vossen", "contact": {"email": "nele@example.org"}},
        "hotel_id": "H31",
        "stay": {"check_in": "2024-10-12", "nights": 3},
    }


def test_what_is_no_json_is_never_lost(enter: Enter) -> None:
    page = enter().session("mini_0")
    form = edit(page, "call", 3, 0)
    tab_to(page, "[data-raw]")
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    write(page, '{"hotel_id": "H31", ')
    page.keyboard.press("Control+Enter")
    form.locator(".told .bad").wait_for()
    page.reload()
    area = page.locator("form.edit textarea")
    area.wait_for()
    assert area.input_value() == '{"hotel_id": "H31", '
    area.focus()
    write(page, '{"hotel_id": "H32"}')
    form.locator(".told .new").first.wait_for()  # the check misses what is required
    save(page)
    assert session(page, "mini_0")["tasks"][3]["calls"][0]["arguments"] == {"hotel_id": "H32"}


def test_calls_are_added_and_removed(enter: Enter) -> None:
    page = enter().session("mini_2")
    before = session(page, "mini_2")["tasks"][0]["calls"]
    edit(page, "reply", 0, 3, key="i")
    page.keyboard.type("get_flight")
    tab_to(page, ".needed input")
    page.keyboard.press("Space")
    save(page)
    calls = session(page, "mini_2")["tasks"][0]["calls"]
    assert [one["name"] for one in calls[3:]] == ["get_flight_status", "prepare_to_answer"]
    assert (calls[3]["after"], calls[4]["after"]) == ([0], [2, 3])
    part(page, "call", 0, 3).focus()
    page.keyboard.press("x")
    part(page, "call", 0, 3).wait_for(state="detached")
    assert session(page, "mini_2")["tasks"][0]["calls"] == before


def test_dependencies_by_keyboard(enter: Enter) -> None:
    page = enter().session("mini_2")
    edit(page, "call", 0, 2, key="d")
    page.keyboard.press("Space")  # the first call beside the second
    save(page)
    assert session(page, "mini_2")["tasks"][0]["calls"][2]["after"] == [0, 1]
    arrow = page.locator("[data-graph='0'] .arrow[data-from='2']")
    arrow.focus()
    page.keyboard.press("Delete")
    arrow.wait_for(state="detached")
    assert session(page, "mini_2")["tasks"][0]["calls"][3]["after"] == []
    assert page.evaluate("document.activeElement.dataset.node") == "3"


def test_dependencies_by_drag(enter: Enter) -> None:
    page = enter().session("mini_2")
    start, end = (page.locator(f"[data-graph='0'] [data-node='{call}'] rect") for call in (0, 2))
    start.scroll_into_view_if_needed()
    start.hover()
    page.mouse.down()
    end.hover()
    page.mouse.up()
    page.locator("#history").wait_for()
    assert session(page, "mini_2")["tasks"][0]["calls"][2]["after"] == [0, 1]


def test_two_people_at_one_part(enter: Enter) -> None:
    ada, bo = enter("Ada").session("mini_0"), enter("Bo").session("mini_0")
    for choice, left in (("Use mine", "as Bo wants"), ("Use theirs", "Ada again")):
        edit(bo, "utterance", 0)
        write(bo, "as Bo wants")
        edit(ada, "utterance", 0)
        write(ada, "Ada again" if left == "Ada again" else "as Ada wants")
        save(ada)
        beside = bo.locator("form.edit .versions")
        beside.wait_for()
        assert "as Bo wants" in beside.inner_text()
        assert "Ada" in beside.inner_text()
        bo.get_by_role("button", name=choice).click()
        bo.locator("form.edit").wait_for(state="detached")
        assert session(bo, "mini_0")["tasks"][0]["utterance"] == left


def test_a_server_that_dies_loses_nothing(enter: Enter) -> None:
    tab = enter()
    served, page = tab.review, tab.session("mini_0")
    edit(page, "utterance", 0)
    write(page, "said while nobody heard")
    served.kill()
    page.keyboard.press("Control+Enter")
    page.locator(".keeping").wait_for()
    assert "said while nobody heard" in page.locator(".keeping").inner_text()
    served.start()
    page.locator("#part-utterance-0- .text", has_text="said while nobody heard").wait_for()
    page.locator(".keeping").wait_for(state="detached")
    served.kill()
    edit(page, "utterance", 1)
    write(page, "over a new page")
    page.keyboard.press("Control+Enter")
    page.locator(".keeping").wait_for()
    tab.again()
    served.start()
    page = tab.session("mini_0")
    page.locator("#part-utterance-1- .text", has_text="over a new page").wait_for()
    events = [one for one in read_journal(served.folder) if type(one).__name__ == "Edited"]
    assert len(events) == 2


def test_what_met_anothers_edit_while_away_waits_for_a_word(enter: Enter) -> None:
    ada, bo = enter("Ada").session("mini_0"), enter("Bo").session("mini_0")
    ada.route("**/api/do**", lambda route: route.abort())  # her way to the server is cut
    edit(ada, "utterance", 0)
    write(ada, "Ada from afar")
    ada.keyboard.press("Control+Enter")
    ada.locator(".keeping").wait_for()
    edit(bo, "utterance", 0)
    write(bo, "Bo was faster")
    save(bo)
    ada.unroute("**/api/do**")
    beside = ada.locator("form.edit .versions")
    beside.wait_for()
    assert "Bo was faster" in beside.inner_text()
    assert "Ada from afar" in beside.inner_text()
    ada.reload()
    beside.wait_for()
    ada.get_by_role("button", name="Use mine").click()
    ada.locator("form.edit").wait_for(state="detached")
    assert session(ada, "mini_0")["tasks"][0]["utterance"] == "Ada from afar"


def hostile(folder: Path) -> Path:
    """A session in which every text tries to become more than text."""
    record = json.loads(MINI_FILE.read_text(encoding="utf-8").splitlines()[2])
    texts = [text[:2000].replace("\ud800", "") for text in TEXTS]
    record["english_tasks"] = texts[: len(record["english_tasks"])]
    for nodes in record["english_answer_list"]:
        for position, node in enumerate(nodes):
            for field in ("accept", "compare", "defaults"):  # of arguments that are not there any more
                node.pop(field, None)
            if "tool_list" not in node["action"]["arguments"] and len(nodes) > position + 1:
                node["action"]["arguments"] = {text[:200]: [text] for text in texts}
                node["observation"] = {text[:200]: text for text in texts}
            else:
                node["observation"] = texts[position]
    record["english_tools"][0]["function"]["description"] = texts[1]
    path = folder / "hostile.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return path


def test_hostile_texts_stay_texts(serve: Serve, enter: Enter, tmp_path: Path) -> None:
    page = enter("Ada", serve(hostile(tmp_path))).session("mini_2")
    before = session(page, "mini_2")["tasks"]
    for name, call, key in (
        ("utterance", None, "e"),
        ("call", 0, "e"),
        ("result", 0, "e"),
        ("reply", 3, "e"),
        ("call", 1, "d"),
        ("call", 1, "i"),
    ):
        edit(page, name, 0, call, key)
        page.keyboard.press("Escape")
        page.locator("form.edit").wait_for(state="detached")
    edit(page, "call", 0, 0)
    page.locator("form.edit [data-raw]").click()
    page.locator("form.edit textarea").focus()
    page.keyboard.press("Control+Enter")
    page.locator("form.edit").wait_for(state="detached")
    assert page.evaluate("window.pwned") is None
    assert session(page, "mini_2")["tasks"] == before
    assert session(page, "mini_2")["version"] == 0
