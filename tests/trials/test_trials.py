"""`toolgauge tools trial`: each variant is a run, and what it did is what words that were planted must do."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from tests.rows import rows
from toolgauge.analysis.decide import SIGNIFICANT, PairedRow, paired_test
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.cli.main import app
from toolgauge.errors import ToolgaugeError
from toolgauge.report.page import entries_of
from toolgauge.results import open_run, open_runs, run_folders
from toolgauge.tools.toollist import read_tool_lists
from toolgauge.trials.report import TrialReport, encode_report, smallest_effect, trial_report

PLANTED = Path(__file__).parent / "planted.toml"
KEYWORD = "builtin/keyword"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "100"})


def trial(out: Path, *options: object, benchmark: str = "mini", model: str = KEYWORD) -> Result:
    return call("tools", "trial", benchmark, "-m", model, "--out", out, *options)


def report_in(out: Path) -> TrialReport:
    """The report of the runs in a folder, which is the one that was written."""
    content = (out / "trial.json").read_bytes()
    report = trial_report(out, [one["name"] for one in json.loads(content)["variants"]])
    assert encode_report(report) == content
    return report


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trial") / "planted"
    result = trial(out, "--variants", PLANTED, "--distractors", "10", "--offered", "20")
    assert result.exit_code == 0, result.output
    return out


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower()))


def right_single_tasks(descriptions: dict[str, str]) -> set[str]:
    """The single-tool tasks in which most words of the utterance stand in the definition of the tool that is right,
    computed from the data file alone."""
    right = set()
    for line in MINI_FILE.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        tools = {tool["function"]["name"]: tool["function"]["description"] for tool in record["english_tools"]}
        for index, (utterance, kind, answer) in enumerate(
            zip(record["english_tasks"], record["english_task_types"], record["english_answer_list"], strict=True)
        ):
            if "single" in kind.lower():
                said = words(utterance)
                texts = {
                    name: name.replace("_", " ") + " " + (descriptions.get(name) or text)
                    for name, text in tools.items()
                }
                best = max(tools, key=lambda name: len(said & words(texts[name])))
                right |= {f"{record['id']}/{index}"} if best == answer[0]["action"]["name"] else set()
    return right


def single_tasks() -> set[str]:
    return {
        f"{record['id']}/{index}"
        for record in map(json.loads, MINI_FILE.read_text(encoding="utf-8").splitlines())
        for index, kind in enumerate(record["english_task_types"])
        if "single" in kind.lower()
    }


@pytest.mark.parametrize("name", ["everyday", "misleading"])
def test_planted_words_do_what_was_computed_beforehand(planted: Path, name: str) -> None:
    report = report_in(planted)
    variant = next(one for one in report.variants if one.name == name)
    before, after = right_single_tasks({}), right_single_tasks(variant.change.descriptions)
    content, singles = variant.comparison.scorings["exact"], single_tasks()
    assert {one.task_id for one in content.fixed} & singles == after - before
    assert {one.task_id for one in content.broken} & singles == before - after
    assert before != after
    assert variant.effect.difference == pytest.approx(
        (len(content.fixed) - len(content.broken)) / variant.tasks, abs=1e-5
    )


def test_the_report_has_every_variant_corrected_for_all_of_them(planted: Path) -> None:
    report = report_in(planted)
    assert [one.name for one in report.variants] == ["everyday", "misleading", "opaque", "distractors-10", "offered-20"]
    for one in report.variants:
        assert one.effect.p is not None
        assert one.p_holm is not None
        assert one.effect.p <= one.p_holm <= min(1.0, 5 * one.effect.p + 1e-9)
    everyday, misleading, _opaque, crowd, offer = report.variants
    assert (everyday.outcome, everyday.effect.fixed, everyday.effect.broken) == ("unclear", 9, 3)
    assert crowd.outcome == offer.outcome == "first"
    assert offer.run.offer.fewest == offer.run.offer.most == 20
    assert crowd.run.offer.mean == pytest.approx(report.baseline.offer.mean + 10)
    assert crowd.run.offer.tokens > report.baseline.offer.tokens
    assert sum(one.variant for one in misleading.confusions if one.called == "get_forecast") > sum(
        one.baseline for one in misleading.confusions if one.called == "get_forecast"
    )
    text = (planted / "trial.md").read_text()
    assert "changed description of get\\_forecast" in text
    assert f"no significant difference over {everyday.tasks} tasks" in text


def test_only_tasks_of_sessions_that_a_variant_changes_are_compared(planted: Path, tmp_path: Path) -> None:
    """And the report says how many, what they could show, and what a definition takes."""
    sessions = [json.loads(line)["english_tools"] for line in MINI_FILE.read_text(encoding="utf-8").splitlines()]
    with_forecast = sum(any(tool["function"]["name"] == "get_forecast" for tool in tools) for tools in sessions)
    edited = tmp_path / "edited.toml"
    edited.write_text('[variants.short.descriptions]\n"get_forecast" = "Weather."\n')
    result = trial(tmp_path / "t", "--variants", edited)
    assert result.exit_code == 0, result.output
    (short,) = report_in(tmp_path / "t").variants
    assert (short.sessions, short.tasks, short.effect.total) == (with_forecast, 16, (16, 16))
    assert short.smallest is None
    assert "(in 4 of 32 sessions, which are compared)" in result.output
    assert "no difference could be significant in so few sessions (4)" in result.output
    assert [one.name for one in short.definitions] == ["get_forecast"]
    assert short.definitions[0].after < short.definitions[0].before
    crowd = report_in(planted).variants[3]
    assert (crowd.sessions, crowd.tasks) == (32, 128)
    assert crowd.run.offer.tokens_per_tool == pytest.approx(crowd.run.offer.tokens / crowd.run.offer.mean, abs=0.1)


@rows("variants", [1, 3])
@rows("sessions", [2, 5, 6, 9, 10, 32, 200])
def test_the_smallest_effect_is_just_significant(sessions: int, variants: int) -> None:
    """So many sessions with one task more right are significant, one fewer is not."""
    smallest = smallest_effect([4] * sessions, variants)
    changed = sessions if smallest is None else round(smallest * 4 * sessions) - 1
    hits = np.array([[0.0] * sessions, [1.0] * changed + [0.0] * (sessions - changed)])
    test = paired_test(PairedRow("", "", hits, np.full((2, sessions), 4.0)))
    assert test.p is not None
    assert test.p * variants >= SIGNIFICANT
    assert (smallest is None) == (sessions < (6 if variants == 1 else 7))


def test_a_site_of_the_folder_has_every_run_under_its_variant(planted: Path, tmp_path: Path) -> None:
    """A site may lie in the folder of the trial; what a link leads to is not taken."""
    folder = tmp_path / "trial"
    shutil.copytree(planted, folder, ignore=shutil.ignore_patterns("everyday", "misleading", "offered-20"))
    names = [one.name for one in sorted(folder.iterdir()) if one.is_dir()]
    (folder / "elsewhere").symlink_to(planted / "baseline")
    for count in (1, 2):
        made = call("report", folder, "--out", folder / "site")
        assert made.exit_code == 0, (count, made.output)
        assert f"Site of {len(names)} runs, " in made.output
    labels = [one.label for one in entries_of(open_runs(run_folders([folder])))]
    variants = [f"{KEYWORD} (variant {name})" for name in names if name != "baseline"]
    assert sorted(labels) == sorted([f"{KEYWORD} (baseline)", *variants])
    index = (folder / "site" / "index.html").read_text().replace("<wbr>", "")
    assert all(f"<bdi>{label}</bdi>" in index for label in labels)


def test_the_same_command_goes_on_and_gives_the_same_bytes(planted: Path, tmp_path: Path) -> None:
    out = tmp_path / "again"
    shutil.copytree(planted, out)
    lines = (out / "opaque" / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    (out / "opaque" / "trajectories.jsonl").write_bytes(b"".join(lines[:50]))
    shutil.rmtree(out / "offered-20")
    result = trial(out, "--variants", PLANTED, "--distractors", "10", "--offered", "20")
    assert result.exit_code == 0, result.output
    assert "50 already done" in result.output
    plain = [(folder / "trial.json").read_text().replace(str(folder), "") for folder in (out, planted)]
    assert plain[0] == plain[1]


@pytest.mark.parametrize("spoil", ["another", "link", "variant"])
def test_a_run_that_cannot_go_on_is_told_before_anything_is_asked(planted: Path, spoil: str, tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "t", tmp_path / "elsewhere"
    elsewhere.mkdir()
    if spoil == "another":
        shutil.copytree(planted / "baseline", out / "offered-20")
    elif spoil == "variant":
        shutil.copytree(planted / "offered-20", out / "offered-20")
        (out / "offered-20" / "variant.json").write_text("{}")
    else:
        out.mkdir()
        (out / "offered-20").symlink_to(elsewhere)
    assert isinstance(trial(out, "--offered", "20").exception, ToolgaugeError)
    assert not (out / "baseline").exists()
    assert not list(elsewhere.iterdir())


def test_edited_lists_are_a_variant_of_their_own(tmp_path: Path) -> None:
    record = json.loads(MINI_FILE.read_text(encoding="utf-8").splitlines()[0])
    tools = record["english_tools"]
    tools[0]["function"]["description"] = "Does something else."
    (tmp_path / "edited.json").write_text(json.dumps({"tools": tools}))
    out = tmp_path / "t"
    assert trial(out, "--descriptions", tmp_path / "edited.json", "--limit", 3).exit_code == 0
    (variant,) = report_in(out).variants
    assert (variant.name, variant.sessions) == ("descriptions", 1)
    name = tools[0]["function"]["name"]
    data = open_run(out / "descriptions").required_dataset()
    assert data.sessions[0].tools_by_name[name].description == "Does something else."  # type: ignore[attr-defined]
    assert next(tool.name for one in read_tool_lists(tmp_path / "edited.json") for tool in one.tools) == name


def test_whole_sessions_corrections_and_epochs_go_with_a_trial(tmp_path: Path) -> None:
    correction = {
        "session": "mini_0",
        "pointer": "/english_answer_list/0/0/action/arguments/destination",
        "old": "Cologne",
        "new": "Köln",
    }
    (tmp_path / "c.jsonl").write_text(json.dumps(correction) + "\n")
    options = ("--history", "own", "--epochs", 2, "--corrections", tmp_path / "c.jsonl", "--limit", 4)
    result = trial(tmp_path / "t", "--distractors", 5, *options, model="builtin/oracle")
    assert result.exit_code == 0, result.output
    report = report_in(tmp_path / "t")
    assert report.baseline.rate.value == 1
    assert report.variants[0].effect.b == 1
    assert report.variants[0].tasks == 32
    told = json.loads((tmp_path / "t" / "distractors-5" / "run.json").read_bytes())
    assert told["variant"]["name"] == "distractors-5"
    assert told["corrections"]["count"] == 1
