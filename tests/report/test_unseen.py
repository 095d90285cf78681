"""What nobody sees in the texts of models and data is told on pages: marks of direction, controls, tags."""

from __future__ import annotations

import re
from pathlib import Path

import toolgauge.report
from tests.report.task_data import mini, played, run_directory
from toolgauge.report.rendering import environment
from toolgauge.report.site import build_site
from toolgauge.visible import UNSEEN

SCRIPT = Path(toolgauge.report.__file__).parent / "assets" / "show.js"
EVIL = "gpt\u202e5\u2066x\u200b\U000e0041\x1b"


def test_pages_and_scripts_agree_on_what_is_unseen() -> None:
    (pattern,) = re.findall(r"const HIDDEN = /\[(.+)\]/gu;", SCRIPT.read_text(encoding="utf-8"))
    written = re.sub(r"\\u\{(\w+)\}", lambda found: f"\\U{int(found[1], 16):08x}", pattern)
    theirs = re.compile(f"[{written}]")
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert [char for char in every if bool(theirs.match(char)) != bool(UNSEEN.match(char))] == []


def test_templates_tell_it_in_texts_and_in_attributes() -> None:
    made = environment().from_string('<b title="{{ name }}">{{ name }}</b>{{ "<i>"|safe }}').render(name="a\u202e<")
    assert made == '<b title="a[U+202E]&lt;">a[U+202E]&lt;</b><i>'


def test_no_page_holds_an_unseen_character_of_a_models_name(tmp_path: Path) -> None:
    benchmark, data = mini()
    runs = [
        run_directory(tmp_path / f"{seed}", benchmark, data, played(benchmark, data, seed=seed), model=EVIL)
        for seed in (1, 2)
    ]
    build_site(runs, tmp_path / "site")
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert [page.name for page in pages if UNSEEN.search(page.read_text(encoding="utf-8"))] == []
    assert any("gpt[U+202E]5" in page.read_text(encoding="utf-8") for page in pages)
