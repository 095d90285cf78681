"""ACEBench's real entries: what a perfect answer scores in every scoring, and what silence scores; result
files of the original project.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

import toolgauge
from tests.ace_expected import unanswerable
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.builtin import perfect_text
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry, called_name
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, render_calls
from toolgauge.benchmarks.acebench.judge.judge import LEGACY, judge_agent, judge_normal, judge_special
from toolgauge.errors import DataError

pytestmark = pytest.mark.shared

LEGACY_COUNTS = {
    "en": {
        "normal_single_turn_single_function": 8,
        "normal_single_turn_parallel_function": 14,
        "normal_similar_api": 2,
        "normal_preference": 1,
        "normal_atom_object_deep": 17,
    },
    "zh": {
        "normal_single_turn_single_function": 1,
        "normal_single_turn_parallel_function": 3,
        "normal_similar_api": 2,
        "normal_atom_list": 1,
        "normal_atom_object_short": 1,
    },
}
"""Perfect single-turn answers that the legacy decoder makes wrong (docs/acebench.md#scorings)."""


def group(published: AceDataset, name: str) -> list[AceEntry]:
    return [entry for entry in published.entries if entry.kind.group == name]


def perfect(entry: AceEntry, answer: dict[str, Any]) -> str:
    names = {function.name: None for function in entry.functions}
    return render_calls([AceCall(called_name(key, names), values) for key, values in answer.items()])


def test_perfect_answers_are_right_but_for_what_the_spec_lists(published: AceDataset) -> None:
    expected = unanswerable(published.language)
    wrong: set[str] = set()
    legacy: Counter[str] = Counter()
    for entry in group(published, "normal"):
        for answer in entry.answers:
            verdicts = judge_normal(entry, perfect(entry, answer), ("exact", "released", LEGACY))
            assert verdicts["exact"].correct, (entry.id, verdicts["exact"])
            if not verdicts["released"].correct:
                wrong.add(entry.id)
        if not verdicts[LEGACY].correct and not entry.kind.multi_turn:
            legacy[entry.category] += 1
    assert wrong == expected
    assert legacy == LEGACY_COUNTS[published.language]


def test_silence_is_wrong_everywhere(published: AceDataset) -> None:
    for entry in group(published, "normal"):
        for text in ("I am happy to help.", "", "[]"):
            assert not any(verdict.correct for verdict in judge_normal(entry, text).values())
    for entry in group(published, "special"):
        assert not any(verdict.correct for verdict in judge_special(entry, "I am happy to help.").values())
    for entry in group(published, "agent"):
        assert not any(verdict.correct for verdict in judge_agent(entry, [], []).values())


def test_replayed_milestones_are_accepted_as_the_reference_accepts_them(published: AceDataset, shared: Path) -> None:
    file = shared / "data" / "acebench" / "environments" / published.language / "milestone_replay.json"
    if not file.is_file():
        pytest.skip("the recorded replays are not in the shared folder")
    replays = json.loads(file.read_text("utf-8"))
    for entry in group(published, "agent"):
        witness = replays[entry.id]["witness"]
        for verdict in judge_agent(entry, witness["final_state"], witness["calls"]).values():
            assert verdict.correct, (entry.id, verdict)
        for replay, milestones in zip(replays[entry.id]["replay"], entry.milestones, strict=True):
            verdicts = judge_agent(entry, replay["final_state"], milestones)
            assert verdicts["released"].correct == verdicts["exact"].correct == replay["accepted"]
            assert verdicts["released"].error_type == replay.get("error_type")
            assert verdicts["released"].process == 1.0


def test_damaged_answers_give_verdicts_that_can_be_written(published: AceDataset) -> None:
    random_ = random.Random(3)
    pieces = [
        "]",
        "'",
        "{",
        "x=1",
        "None",
        "-",
        "9",
        "true",
        "'a'",
        ",",
        "(1,)",
        "**{'k': 1}",
        "[]",
        "\u3000",
        "\ud800",
    ]
    for entry in group(published, "normal"):
        text = perfect(entry, entry.answers[0])
        values = [index for index, mark in enumerate(text) if mark == "="] or [0]
        for _ in range(3):
            cut = random_.choice([random_.choice(values) + 1, random_.randrange(len(text))])
            damaged = (
                text[:cut] + random_.choice(pieces) + random_.choice(["", ", "]) + text[cut + random_.randrange(9) :]
            )
            for verdict in judge_normal(entry, damaged).values():
                assert verdict.correct == (verdict.error_type is None)
                msgspec.json.encode(verdict)


DATA = Path(__file__).parents[2] / "fixtures" / "acebench" / "data_all"
BENCH = AceBench()


def write_results(dataset: AceDataset, folder: Path, keep: tuple[str, ...] = ()) -> dict[str, list[dict[str, Any]]]:
    """A folder as the original leaves it, with perfect answers."""
    lines: dict[str, list[dict[str, Any]]] = {}
    for entry in dataset.entries:
        if keep and entry.category not in keep:
            continue
        line: dict[str, Any] = {"id": entry.id, "result": perfect_text(entry) if entry.kind.group != "agent" else []}
        if entry.kind.group == "agent":
            line |= {"result": list(entry.final_state), "process": list(entry.milestones[0])}
        lines.setdefault(entry.category, []).append(line)
    folder.mkdir()
    for category, found in lines.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in reversed(found))
        (folder / f"data_{category}_result.json").write_text(text, encoding="utf-8")
    return lines


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_folder_of_result_files(language: str, tmp_path: Path) -> None:
    dataset = BENCH.load(DATA, language)
    write_results(dataset, tmp_path / "model")
    metrics = toolgauge.score(
        benchmark="acebench", data=DATA, language=language, predictions=tmp_path / "model", out=tmp_path / "out"
    )
    assert metrics.missing == 0
    assert metrics.requested == len(dataset.entries)
    lines = [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
    assert {line["task_id"] for line in lines} == set(dataset.by_id)
    assert all(scoring["label"] == "correct" for line in lines for scoring in line["scorings"].values())
    agents = [line for line in lines if line["task_id"].startswith("agent")]
    assert all(line["scorings"]["released"]["process"] == 1.0 for line in agents)
    assert toolgauge.score(tmp_path / "out") == metrics


def test_a_missing_entry_is_missing_and_a_result_that_is_no_text_is_wrong(tmp_path: Path) -> None:
    dataset = BENCH.load(DATA, "en")
    lines = write_results(dataset, tmp_path / "model", ("special_incomplete",))["special_incomplete"]
    file = tmp_path / "model" / "data_special_incomplete_result.json"
    file.write_text(json.dumps({"id": lines[0]["id"], "result": {"no": "text"}}) + "\n")
    metrics = toolgauge.score(benchmark="acebench", data=DATA, predictions=file, out=tmp_path / "out")
    assert metrics.missing == len(lines) - 1
    (line,) = [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
    assert line["scorings"]["released"]["mistake"] == "error_detection"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"id": "nobody_0", "result": ""}', "no results for these data"),
        ('{"result": ""}', "missing id"),
        ("[]", "missing id"),
        ("{", "JSON"),
    ],
)
def test_unusable_lines_name_their_place(content: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "data_normal_atom_bool_result.json"
    file.write_text(content + "\n")
    with pytest.raises(DataError, match=complaint) as caught:
        toolgauge.score(benchmark="acebench", data=DATA, predictions=file, out=tmp_path / "out")
    assert str(file) in str(caught.value)


def test_unknown_and_repeated_ids_are_reported_and_the_first_counts(tmp_path: Path) -> None:
    dataset = BENCH.load(DATA, "en")
    lines = write_results(dataset, tmp_path / "model", ("normal_atom_bool",))["normal_atom_bool"]
    file = tmp_path / "model" / "data_normal_atom_bool_result.json"
    again, stranger = {"id": lines[0]["id"], "result": "[]"}, {"id": "nobody_0", "result": "[]"}
    with file.open("a", encoding="utf-8") as results:
        results.write(json.dumps(again) + "\n" + json.dumps(stranger) + "\n")
    metrics = toolgauge.score(benchmark="acebench", data=DATA, predictions=file, out=tmp_path / "out")
    assert (metrics.missing, metrics.scored) == (0, len(lines))
    assert metrics.scorings["released"]["categories"]["normal_atom_bool"].value == 1.0
    noted = (tmp_path / "out" / "failures.jsonl").read_text()
    assert f"{file.name}:{len(lines) + 1}: duplicate line" in noted
    assert f"{file.name}:{len(lines) + 2}: not in the data" in noted
