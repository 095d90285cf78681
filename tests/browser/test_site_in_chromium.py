"""What people do on the site: sort, filter, open a failing task, compare, switch the language, use the keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.browser.browsing import Tab
from tests.browser.page_kinds import kinds, settled
from toolgauge.benchmarks.registry import find_benchmark, reason_texts
from toolgauge.reasons import Parameter, explain

pytestmark = pytest.mark.browser
BOARD = "mini-en.html"


def task_run(site: Path) -> str:
    return next(path.stem for path in (site / "runs").glob("mini-en-builtin*seed_1*-task.html")).removesuffix("-task")


def names(page: Any) -> list[str]:
    return [
        text.strip() for text in page.locator("section.panel:visible tbody tr:visible th.model .name").all_inner_texts()
    ]


def column(page: Any, key: str) -> list[float]:
    head = page.locator("section.panel:visible thead tr").last
    place = head.locator("th").evaluate_all(f"cells => cells.findIndex(cell => cell.dataset.column === '{key}')")
    rows = page.locator("section.panel:visible tbody tr:visible")
    values = rows.evaluate_all(f"rows => rows.map(row => row.cells[{place}].dataset.sort)")
    return [float(value) for value in values if value != ""]


def test_the_leaderboard_sorts_by_click_and_by_keyboard(tab: Tab) -> None:
    page = tab.open(BOARD)
    heading = page.locator("section.panel:visible th[data-column=task_accuracy] button.sort")
    ranked = sorted(column(page, "task_accuracy"), reverse=True)
    assert column(page, "task_accuracy") == ranked, "what ranks is sorted already"
    heading.click()
    assert column(page, "task_accuracy") == ranked[::-1]
    heading.focus()
    page.keyboard.press("Enter")
    assert column(page, "task_accuracy") == ranked
    assert len(column(page, "task_accuracy")) == 3


def test_the_leaderboard_filters_by_text_and_keeps_the_filter_over_the_language_switch(tab: Tab) -> None:
    page = tab.open(BOARD)
    everybody = names(page)
    page.locator("input[type=search]").fill("seed=2")
    page.wait_for_timeout(300)
    assert names(page) == [name for name in everybody if "seed=2" in name]
    page.locator("#language").click()
    page.wait_for_url(re.compile("/zh/mini-en.html#"))
    page.wait_for_timeout(300)
    assert len(names(page)) == 1


def test_cells_of_boards_tell_their_counts_by_keyboard(tab: Tab, site: Path) -> None:
    page = tab.open(f"{BOARD}#board=types")
    cells = page.locator("section.panel:visible td[title]")
    page.locator("section.panel:visible td[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#tip:not([hidden])").wait_for()
    told = page.inner_text("#tip")
    assert re.search(r"\d+", told)
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('td[title]')")
    assert cells.count() > 2
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_python_and_the_pages_read_reasons_alike(tab: Tab, site: Path) -> None:
    told: list[tuple[str, dict[str, Parameter]]] = [
        ("words_differ", {"tool": "search_trains", "path": "date", "at": "date", "score": "0.12"}),
        ("text_for_calls", {"names": ("a", "b")}),
        ("keys_differ", {"tool": "__proto__", "missing": ("a'b",), "extra": ("c",)}),
        ("not_offered", {"tool": "{names}", "names": ("{why}", "{names}")}),
        ("not_offered", {"names": ("x" * 3000,)}),
        ("step_does_not_fit", {"step": 2, "also": ("no_output", "__proto__")}),
        ("scored_not_json", {}),
        ("of_a_later_version", {"names": ("a",)}),
        ("__proto__", {}),
        ("not_offered", {"names": ("line\u2028one",)}),
    ]
    explanations = [explain("as it was recorded", *one) for one in told]
    for language, folder in (("en", ""), ("zh", "zh/")):
        page = tab.open(f"{folder}runs/{task_run(site)}-tasks.html")
        texts = reason_texts(find_benchmark("mini"), language)
        words = page.evaluate("all => all.map(toolgauge.because)", msgspec.to_builtins(explanations))
        assert words == [one.in_words(texts) for one in explanations if one]


def test_a_failing_task_opens_from_the_board_in_three_clicks(tab: Tab) -> None:
    page = tab.open(BOARD)
    page.locator("section.panel:visible a[href^='runs/'] >> text=seed=1").first.click()
    page.locator("main a[href*='result=failed']", has_text="Failed tasks").click()
    page.locator("#task-rows a").first.click()
    page.locator("#task:not([hidden])").wait_for()
    assert "failed" in page.inner_text(".verdict")
    assert page.inner_text(".line.user >> nth=-1").strip()
    assert page.inner_text(".cause").strip()


def test_a_recording_that_ends_too_early_says_so(tab: Tab) -> None:
    page = tab.open("runs/wildtoolbench-en-recorded-tasks.html#scoring=exact&result=not_judgeable")
    page.locator("#task-list:not([hidden])").wait_for()
    rows = page.locator("#task-rows tr")
    assert rows.count() == page.locator("#task-rows .c-result .mark.not_judgeable").count() > 0
    assert f"{rows.count()} not judgeable" in page.inner_text("#task-count")
    assert "official code ✗" in rows.first.inner_text()
    rows.first.locator("a").click()
    page.locator("#task:not([hidden])").wait_for()
    assert "the recording ends before the task is done" in page.inner_text(".cause")
    assert "not judgeable" in page.inner_text(".verdict")
    page.locator(".drawer > summary").click()
    page.locator(".drawer >> text=the recording ends here").wait_for()
    page.locator(".verdict a", has_text="official code").click()
    page.wait_for_url(re.compile("scoring=released"))
    page.locator(".verdict > span.mark.failed").wait_for()


def test_the_language_switch_turns_every_page(tab: Tab, site: Path) -> None:
    for path in sorted(site.glob("*.html")) + sorted((site / "runs").glob("mini-en-builtin*seed_1*.html")):
        page = tab.open(str(path.relative_to(site)))
        page.locator("#language").click()
        page.wait_for_load_state()
        assert page.evaluate("document.documentElement.lang") == "zh-Hans"
        assert re.search(r"[\u4e00-\u9fff]", page.inner_text("header.top, main"))
        page.locator("#language").click()
        page.wait_for_load_state()
        assert page.evaluate("document.documentElement.lang") == "en"


def test_every_page_opens_without_a_complaint(tab: Tab, site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 30
    for path in pages:
        tab.open(str(path.relative_to(site)))
        tab.page.wait_for_timeout(60)
        assert tab.complaints == [], path


def test_the_theme_is_kept(tab: Tab) -> None:
    page = tab.open("index.html")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    after = page.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.open(BOARD)
    assert before != after == page.evaluate("getComputedStyle(document.body).backgroundColor")


def hostile_slug(site: Path) -> str:
    return next(path.stem for path in (site / "runs").glob("*pwned*-task.html")).removesuffix("-task")


@pytest.mark.parametrize("language", ["", "zh/"])
def test_hostile_content_stays_text(tab: Tab, site: Path, language: str) -> None:
    slug = hostile_slug(site)
    assert re.fullmatch(r"[\w.-]+", slug, re.ASCII)
    for place in ("index.html", BOARD, f"runs/{slug}.html", f"runs/{slug}-tasks.html"):
        page = tab.open(language + place)
        page.wait_for_timeout(200)
        assert page.evaluate("window.pwned === undefined"), place
        assert page.locator("img").count() == 0
    for task in ("mini_0/0", "mini_0/1", "mini_0/2", "mini_0/3", "mini_1/0", "mini_1/1", "mini_1/2", "mini_1/3",
                 "mini_2/0", "mini_2/1"):  # fmt: skip
        page = tab.open(f"{language}runs/{slug}-task.html#{task}")
        page.reload()
        page.locator("#task:not([hidden])").wait_for()
        assert page.evaluate("window.pwned === undefined"), task
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), task
        assert page.locator(".transcript").is_visible()


COMPARE = "compare/mini-en.html"
PARTS = ("summary", "failures", "breakdown", "cost", "setup")


def first_run(site: Path) -> str:
    """The address of the first run of mini, without its ending."""
    found = sorted((site / "runs").glob("mini-en-builtin*seed_1*.html"))
    return next(path.stem for path in found if "task" not in path.stem and "-in-" not in path.stem)


def comparable(site: Path) -> tuple[str, str]:
    """Two runs of mini, as the page of comparisons names them."""
    files = sorted((site / "compare").glob("mini-en*--*.html"))
    a, b = next(file.stem for file in files if "pwned" not in file.stem).split("--")
    return a, b


def shown_parts(page: Any) -> list[str]:
    return [part.get_attribute("id") for part in page.locator("section.tab:visible").all()]


def test_one_part_of_a_run_is_shown_and_named_in_the_address(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html")
    assert shown_parts(page) == ["summary"]
    page.locator(".parts-of-page a[href$='#failures']").click()
    assert shown_parts(page) == ["failures"]
    assert page.url.endswith("#failures")
    page.locator(".parts-of-page a[href$='#setup']").click()
    page.go_back()
    page.wait_for_function("!document.getElementById('failures').hidden")
    page.locator("#language").click()
    page.wait_for_url(re.compile("/zh/runs/.*#failures"))
    assert shown_parts(page) == ["failures"]
    assert page.evaluate("scrollY") == 0


def test_a_scoring_has_a_page_and_keeps_the_part(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html#breakdown")
    page.locator("a.choice[data-scoring=released]").click()
    page.wait_for_url(re.compile(r"-in-released\.html#breakdown"))
    assert shown_parts(page) == ["breakdown"]
    assert page.locator("a.choice[aria-current]").inner_text() == "official code"


def test_without_scripts_every_part_of_a_run_can_be_read(open_tab: Callable[..., Tab], site: Path) -> None:
    page = open_tab(java_script_enabled=False).open(f"runs/{first_run(site)}.html")
    assert shown_parts(page) == list(PARTS)
    assert page.locator("section.tab > h2:visible").count() == len(PARTS)


def test_print_has_every_part_of_a_run(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html")
    page.emulate_media(media="print")
    assert shown_parts(page) == list(PARTS)


def test_a_cell_of_the_map_opens_its_tasks(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{first_run(site)}.html#failures")
    cell = page.locator("#failures td.heat a:visible").last
    told = re.search(r"(\d+) of \d+ tasks", cell.get_attribute("aria-label"))
    assert told
    cell.click()
    page.locator("#task-list:not([hidden])").wait_for()
    assert page.locator("#task-rows tr").count() == int(told[1])


def sides(page: Any) -> tuple[str, str]:
    return page.input_value("#run-a"), page.input_value("#run-b")


def test_two_runs_are_chosen_from_menus(tab: Tab, site: Path) -> None:
    a, b = comparable(site)
    page = tab.open(f"{COMPARE}#a={b}&b={a}&scoring=released")
    page.wait_for_url(re.compile(rf"compare/released/{re.escape(a)}--{re.escape(b)}\.html"))
    assert sides(page) == (a, b), "A is the run that comes first on the site"
    every = page.locator("#run-b option").evaluate_all("all => all.map((one) => one.value)")
    other = next(slug for slug in every if slug not in (a, b))
    page.select_option("#run-b", other)
    page.wait_for_url(re.compile(rf"compare/released/.*{re.escape(other)}.*\.html"))
    assert set(sides(page)) == {a, other}


def test_a_fixed_task_opens_beside_the_run_that_has_it_right(tab: Tab, site: Path) -> None:
    a, b = comparable(site)
    page = tab.open(f"compare/{a}--{b}.html")
    link = page.locator("[data-list=fixed] ul a").first
    assert f"with={b}" in link.get_attribute("href")
    link.click()
    page.wait_for_url(re.compile(rf"runs/{re.escape(a)}-task\.html#"))
    page.locator("#task:not([hidden])").wait_for()


def test_a_comparison_shows_hostile_names_as_text(tab: Tab, site: Path) -> None:
    file = next(file for file in sorted((site / "compare").glob("mini-en*--*.html")) if "pwned" in file.stem)
    page = tab.open(f"compare/{file.name}")
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate("window.pwned === undefined")
    assert page.locator("main img").count() == 0
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.inner_text("main"))
    assert "pwned" in page.inner_text("#settings")


@pytest.mark.parametrize("place", ["runs", COMPARE])
def test_nothing_moves_while_a_page_loads(tab: Tab, site: Path, place: str) -> None:
    tab.page.add_init_script(
        "window.moved = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => (moved += one.value)))"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    page = tab.open(f"runs/{first_run(site)}.html#failures" if place == "runs" else place)
    page.wait_for_timeout(500)
    assert page.evaluate("moved") <= 0.05


def slug(site: Path, seed: int) -> str:
    found = sorted((site / "runs").glob(f"mini-en-builtin*seed_{seed}*-task.html"))
    return found[0].stem.removesuffix("-task")


def open_task(tab: Tab, place: str) -> Any:
    page = tab.open(place)
    page.reload()
    page.locator("#task:not([hidden])").wait_for()
    return page


def first_failing(tab: Tab, site: Path, mistake: str) -> Any:
    page = tab.open(f"runs/{slug(site, 1)}-tasks.html#scoring=exact&result=failed&mistake={mistake}")
    page.locator("#task-rows a").first.click()
    page.locator("#task:not([hidden])").wait_for()
    return page


def test_the_first_lines_say_who_whether_and_why_with_the_value_that_differs(tab: Tab, site: Path) -> None:
    page = first_failing(tab, site, "wrong_type")
    assert "builtin/noisy?seed=1" in page.inner_text("h1")
    assert page.inner_text(".verdict").startswith("✗ failed scoring: exact")
    row = page.locator("table.diff tr.decisive").first
    path, actual, expected = (
        row.locator(cell).first for cell in ("th code", "td:nth-child(3) code", "td:nth-child(4) code")
    )
    told = page.inner_text(".cause")
    assert told.startswith("wrong type: ")
    assert f"{path.inner_text()} of " in told
    assert f"is {actual.inner_text()}, expected {expected.inner_text()}" in told
    box = page.locator(".cause").bounding_box()
    assert box["y"] < 400


def test_a_text_instead_of_a_call_is_quoted_and_the_expected_call_stands_below_it(tab: Tab, site: Path) -> None:
    page = first_failing(tab, site, "refusal")
    told = page.inner_text(".cause")
    said, due = re.search(r"said “(.+?)…?”, expected (\w+)", told).groups()  # type: ignore[union-attr]
    failing = page.locator(".line.failing")
    assert said in " ".join(failing.inner_text().split())
    assert due in failing.locator(".expected-here .call.due code").first.inner_text()


def test_earlier_turns_are_open_where_the_task_needs_them_and_say_whose_they_are(tab: Tab, site: Path) -> None:
    page = open_task(tab, f"runs/{slug(site, 1)}-task.html#mini_0/3")
    turns = page.locator(".earlier")
    assert turns.count() == 3
    assert [turn.locator("mark").count() > 0 for turn in turns.all()] == [
        turn.get_attribute("open") is not None for turn in turns.all()
    ]
    assert turns.locator(".badge").all_inner_texts() == ["as annotated"] * 3
    assert 0 < page.locator(".earlier[open]").count() < 3


def test_two_runs_at_one_task_share_what_was_said_before(tab: Tab, site: Path) -> None:
    one, two = slug(site, 1), slug(site, 2)
    page = open_task(tab, f"runs/{one}-task.html#mini_0/1")
    page.locator("#others summary").click()
    page.locator("#others a.beside").first.wait_for()
    page.keyboard.press("Escape")
    assert page.locator("#others details[open]").count() == 0
    page = open_task(tab, f"runs/{one}-task.html#mini_0/1&with={two}")
    assert ["seed=1" in name for name in page.locator(".head .model").all_inner_texts()] == [True, False]
    assert page.locator(".history .earlier").count() == page.locator(".earlier").count() == 1
    assert page.locator(".body .transcript .spoken").count() >= 2
    bodies = [one.bounding_box() for one in page.locator(".body").all()]
    assert bodies[0]["x"] < bodies[1]["x"]
    page.locator("#next").click()
    page.wait_for_url(re.compile(rf"mini_0/2.*with={two}"))
    page.locator("a.beside", has_text="swap").click()
    page.wait_for_url(re.compile(rf"{two}-task\.html#mini_0/2.*with={one}"))
    page.locator("a.beside", has_text="show alone").click()
    page.wait_for_url(re.compile(r"#mini_0/2$"))
    assert page.locator(".head").count() == 1


def test_the_search_finds_words_of_replies_and_shows_where_they_stand(tab: Tab, site: Path) -> None:
    page = tab.open(f"runs/{slug(site, 1)}-tasks.html")
    page.locator("#task-list:not([hidden])").wait_for()
    page.fill("#filter-text", "IC2231")
    page.locator("#task-none:not([hidden])").wait_for()
    page.check("#filter-in")
    page.locator("#task-rows .found mark").first.wait_for()
    assert set(page.locator("#task-rows .found mark").all_inner_texts()) == {"IC2231"}
    shown = page.locator("#task-rows tr").count()
    page.locator("#task-rows a").first.click()
    page.locator("#task:not([hidden])").wait_for()
    assert f"1 of {shown}" in page.inner_text("#moves")
    assert "IC2231" in page.inner_text(".transcript")


def test_everything_else_is_in_the_drawer_and_stays_open_from_task_to_task(tab: Tab, site: Path) -> None:
    page = open_task(tab, f"runs/{slug(site, 1)}-task.html#mini_0/1")
    page.locator(".drawer > summary").click()
    page.locator(".drawer svg.graph").wait_for()
    headings = page.locator(".drawer h3").all_inner_texts()
    assert headings[:2] == ["Annotated calls and what they depend on", "The same replies by every scoring"]
    assert {"Available tools (6)", "Prompts", "Messages as they were sent and received"} <= set(headings)
    page.locator("#next").click()
    page.wait_for_url(re.compile("mini_0/2"))
    page.locator(".drawer[open] svg.graph").wait_for()


def test_paper_has_the_dialogue_and_the_drawer_only_where_it_is_open(tab: Tab, site: Path) -> None:
    page = open_task(tab, f"runs/{slug(site, 1)}-task.html#mini_0/3")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".earlier:not([open])").count() == 0
    assert not page.locator(".drawer").is_visible()
    assert not page.locator("#others").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.locator(".drawer").evaluate("drawer => (drawer.open = true)")
    page.locator(".drawer .tools details").first.wait_for()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".drawer .tools details:not([open])").count() == 0


UNNAMED = """() => {
  const linked = new Set([...document.querySelectorAll("main a.anchor")].map((one) => one.dataset.to));
  const named = (part) => part.closest("[id]").id.replace(/-heading$/, "");
  return [...document.querySelectorAll("main :is(h2:not(.unseen), h3, table, section)")]
    .filter((part) => !part.closest("dialog, .history") && part.checkVisibility())
    .filter((part) => !(part.tagName === "SECTION" && part.querySelector("a.anchor")))
    .map(named).filter((id) => id !== "task-table" && (id === "content" || !linked.has(id)));
}"""
"""Names of visible parts without a link; "content" is that of a part without an id."""
TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  return ids.filter((id, place) => ids.indexOf(id) !== place);
}"""


@pytest.mark.parametrize("language", ["", "zh/"], ids=["en", "zh"])
def test_every_part_of_every_kind_of_page_has_a_link(tab: Tab, site: Path, language: str) -> None:
    unnamed, twice = {}, {}
    for kind, address in kinds(site).items():
        tab.page.goto("about:blank")  # else only the hash changes
        page = tab.open(language + address)
        settled(page)
        for drawer in page.locator("details.drawer > summary").all():
            drawer.click()
        unnamed[kind], twice[kind] = page.evaluate(UNNAMED), page.evaluate(TWICE)
    assert {kind: some for kind, some in unnamed.items() if some} == {}
    assert {kind: some for kind, some in twice.items() if some} == {}


@pytest.mark.parametrize(
    ("kind", "place"), [("comparison", "moves"), ("task", "scorings"), ("run-breakdown", "by-route")]
)
def test_a_link_is_made_by_keyboard_and_leads_to_its_place(tab: Tab, site: Path, kind: str, place: str) -> None:
    page = tab.open(kinds(site)[kind])
    settled(page)
    if kind == "task":
        page.locator("details.drawer > summary").click()
    link = page.locator(f"a.anchor[data-to='{place}']")
    link.focus()
    page.keyboard.press("Enter")
    address = page.url
    assert address.endswith(f"&at={place}" if kind == "task" else f"#{place}")
    page.goto("about:blank")
    page.goto(address)
    settled(page)
    page.wait_for_function("(id) => document.getElementById(id)?.checkVisibility()", arg=place)
    page.wait_for_function("(id) => document.getElementById(id).getBoundingClientRect().top < innerHeight", arg=place)
    assert page.locator(f"#{place}").evaluate("one => one.closest('details')?.open ?? true")
    tab.check()
