"""The pages of tasks: their addresses, their files, and content that means harm."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import pytest

import toolgauge.report
from tests.report.page_reading import read_chunk
from tests.report.task_data import Loaded, mini, run_directory
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.episode import drive
from toolgauge.errors import ToolgaugeError
from toolgauge.judge.verdict import Score, Verdict
from toolgauge.reasons import Explanation
from toolgauge.report.page import Site, entries_of
from toolgauge.report.page_data import write_chunk
from toolgauge.report.pages.tasks import pages, task_link, tasks_link
from toolgauge.report.rendering import render
from toolgauge.report.site_folder import SiteFolder
from toolgauge.report.task_views.divergence import Contrast, Divergence
from toolgauge.report.task_views.index import Planned, index_of
from toolgauge.report.task_views.task_view import TaskListRow, causes_of
from toolgauge.runs.scored import ScoredRun

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}\u202e\u2066\ud800\0"


def test_scripts_write_text_only() -> None:
    for path in (Path(toolgauge.report.__file__).parent / "assets").glob("*.js"):
        source = path.read_text(encoding="utf-8")
        markup = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|import\("
        assert not re.search(markup, source), path.name


def _always(reply: Reply, _request: Request) -> Reply:
    return reply


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> ScoredRun:
    """A run whose model answers with harm everywhere, under a name that is some too."""
    folder = tmp_path_factory.mktemp("hostile")
    benchmark, dataset = mini()
    setup = Setup(limit=2)
    replies = (
        Reply(HOSTILE + "x" * 1_000_000, reasoning=HOSTILE, finish_reason=HOSTILE, model=HOSTILE),
        Reply(None, (ToolCall("1", HOSTILE, json.dumps({HOSTILE: HOSTILE})), ToolCall("2", "__proto__", {"a": 1e999}))),
    )
    trajectories = [
        drive(benchmark.episode(dataset, sample, setup), partial(_always, replies[number % 2]))
        for number, sample in enumerate(benchmark.samples(dataset, setup))
    ]
    model = '../<b onclick="x()">\u202e&'
    return run_directory(folder / "run", benchmark, dataset, trajectories, setup, model=model)


def test_hostile_replies_arrive_letter_for_letter_in_files_of_harmless_names(
    hostile: ScoredRun, tmp_path: Path
) -> None:
    data = Loaded(tmp_path / "data", hostile)
    for path in (tmp_path / "data").rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", path.name)
    for path in (tmp_path / "data").rglob("*.js"):
        assert re.fullmatch(rb'toolgauge\.receive\("[\w./-]+", "[A-Za-z0-9+/=]+"\);\n', path.read_bytes())
    for trajectory in hostile.trajectories():
        task, _, _ = data.task(trajectory.task_id)
        for turn, reply in zip(task["turns"], trajectory.replies, strict=True):
            assert turn["reply"].get("content") == reply.content
            made = turn["reply"].get("tool_calls", [])
            assert [one["name"] for one in made] == [call.name for call in reply.tool_calls]


def test_hostile_names_stay_text_on_pages(hostile: ScoredRun) -> None:
    site = Site(entries_of([hostile]), {})
    for language in ("en", "zh"):
        made = list(pages(site, language))
        assert [page.template for page in made] == ["tasks.html", "task.html"]
        for page in made:
            html = render(page, language, site)
            assert "<b onclick" not in html
            assert "&lt;b onclick=" in html
            assert not re.search(r"<[^>]*\s(?:style|on\w+)=", html)
            assert all("src=" in tag or "application/json" in tag for tag in re.findall(r"<script[^>]*>", html))


def test_addresses_can_be_read_back(hostile: ScoredRun) -> None:
    (entry,) = entries_of([hostile])
    address = task_link(entry, "a b&scoring=x#1/2", "exact")
    path, _, fragment = address.partition("#")
    assert path == f"runs/{entry.slug}-task.html"
    name, scoring = fragment.split("&")
    assert (unquote(name), scoring) == ("a b&scoring=x#1/2", "scoring=exact")
    assert task_link(entry, "s\ud800/0").isascii()
    assert tasks_link(entry, result="failed", text="天气 x", position=2).endswith(
        "-tasks.html#result=failed&text=%E5%A4%A9%E6%B0%94%20x&position=2"
    )
    assert tasks_link(entry) == f"runs/{entry.slug}-tasks.html"


def test_keys_of_data_files_are_checked(tmp_path: Path) -> None:
    for key in ("../x", "a/../b", "a//b", "/a", 'a"b', "a b", ".a", "a/.b", ""):
        with pytest.raises(ToolgaugeError):
            write_chunk(SiteFolder(tmp_path), key, {})
    write_chunk(SiteFolder(tmp_path), "runs/a..b/1", {"é\ud800": [1, None]})
    assert read_chunk(tmp_path / "data/runs/a..b/1.js") == ("runs/a..b/1", {"é\ud800": [1, None]})


def test_the_index_keeps_the_beginning_of_long_texts() -> None:
    planned = [Planned("s/0", "s", "0", 0, 0)]
    verdict = Verdict("error", "error", False, (0, 1), "wrong_value", "d" * 10**6)
    scores = {"s/0": Score("s/0", "s", 0, {"exact": verdict})}
    divergence = Divergence(0, said="s" * 10**6, due=["n" * 10**6] * 100)
    causes = {"s/0": causes_of(scores["s/0"], divergence)}
    index = index_of(planned, {"s/0": TaskListRow(text="t" * 10**6)}, scores, causes, ["exact"])
    assert index.columns["text"] == ["t" * 400 + "…"]
    assert index.scorings["exact"].why == [Explanation("d" * 300 + "…")]
    (contrast,) = index.scorings["exact"].contrast
    assert contrast == Contrast(said="s" * 80 + "…", due=("n" * 120 + "…",) * 8, step=0)
