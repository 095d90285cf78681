"""Imported result files through every verb, and recorded texts read again by a dialect (`score --dialect`)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner, Result

import toolgauge
from tests.end_to_end.playing import go, lines, options
from tests.mockserver import serve
from tests.original_format import mmtb_lines, wildtoolbench_lines
from toolgauge import score
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.cli.main import app
from toolgauge.episode import Trajectory, drive
from toolgauge.errors import ToolgaugeError
from toolgauge.locale import Text
from toolgauge.models.builtin.models import noisy, oracle

FIXTURES = Path(__file__).parent.parent / "fixtures"
DATA = {name: FIXTURES / f"{name}_small.jsonl" for name in ("wildtoolbench", "mmtb")}
SCORE = ("score", "--benchmark", "wildtoolbench", "--data", DATA["wildtoolbench"])


def toolgauge_(*arguments: object) -> Result:
    environment = {"COLUMNS": "200"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment)


def trajectories(name: str, answer: Any) -> list[Trajectory]:
    benchmark = find_benchmark(name)
    dataset = benchmark.load(DATA[name], "en")
    return [drive(benchmark.episode(dataset, sample), answer) for sample in benchmark.samples(dataset)]


def write(file: Path, name: str, said: Iterable[Trajectory]) -> Path:
    dataset = find_benchmark(name).load(DATA[name], "en")
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = (mmtb_lines if name == "mmtb" else wildtoolbench_lines)(dataset, said)
    file.write_text("".join(lines), encoding="utf-8")
    return file


def cut(said: list[Trajectory]) -> list[Trajectory]:
    """As a recorder leaves them that stops before the last reply of every second task of several."""
    long = [one.task_id for one in said if len(one.steps) > 1][::2]
    return [replace(one, steps=one.steps[:-1]) if one.task_id in long else one for one in said]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """early.jsonl ends early, whole.jsonl does not, noisy.jsonl holds mistakes; two of the original's name."""
    folder, right = tmp_path_factory.mktemp("files"), trajectories("wildtoolbench", oracle)
    write(folder / "early.jsonl", "wildtoolbench", cut(right))
    write(folder / "whole.jsonl", "wildtoolbench", right)
    write(folder / "noisy.jsonl", "wildtoolbench", cut(trajectories("wildtoolbench", noisy(3, 0.3))))
    for model in ("one", "two"):
        write(folder / model / "Wild-Tool-Bench_result.jsonl", "wildtoolbench", right)
    (folder / "broken.jsonl").write_text("{")
    return folder


@pytest.fixture(scope="module")
def runs(files: Path) -> Path:
    for name in ("early", "whole", "noisy"):
        toolgauge.score(
            benchmark="wildtoolbench",
            data=DATA["wildtoolbench"],
            predictions=files / f"{name}.jsonl",
            out=files / "runs" / name,
            name=f"model {name}",
        )
    return files / "runs"


def lines_of(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "scores.jsonl").read_text().splitlines()]


def test_what_was_cut_off_is_right_or_not_judgeable_never_wrong(runs: Path) -> None:
    lines = lines_of(runs / "early")
    early = [line["task_id"] for line in lines if "not_judgeable" in line]
    assert early
    assert all("exact" not in line["scorings"] for line in lines if line["task_id"] in early)
    labels = {line["scorings"]["exact"]["label"] for line in lines if line["task_id"] not in early}
    assert labels == {"correct"}
    content = json.loads((runs / "early" / "metrics.json").read_bytes())
    assert content["not_judgeable"] == {"exact": len(early)}
    assert content["agreement"]["compared"] == len(lines)
    with (runs / "early" / "details.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["task_id"]: row for row in csv.DictReader(file)}
    assert {task for task, row in rows.items() if row["exact_label"] == "not_judgeable"} == set(early)
    assert all(rows[task]["exact_progress"] == "" for task in early)


@pytest.mark.parametrize(
    "command",
    [
        "analyse {early} {noisy} --scoring exact --json {out}/a.json",
        "compare {noisy} {early} {whole} --scoring exact --json {out}/c.json",
        "gate {whole} --baseline {early} --max-drop task_accuracy=1 --scoring exact",
        "verify {early} --against {whole} --pass-undecided",
        "export {early} {noisy} --to csv --out {out}/a.csv",
        "export {early} --to markdown --scoring exact --out {out}/a.md",
        "export {early} --to sharegpt --only correct --scoring exact --out {out}/a.jsonl",
        "export {early} --to figures --scoring exact --out {out}/figures",
        "report {early} {noisy} {whole} --out {out}/site",
    ],
)
def test_every_verb_copes_with_tasks_that_are_not_judgeable(command: str, runs: Path, tmp_path: Path) -> None:
    places = {name: runs / name for name in ("early", "whole", "noisy")}
    result = toolgauge_(*command.format(**places, out=tmp_path).split(" "))
    assert result.exception is None, result.output
    assert result.exit_code == 0, result.output


def test_a_bad_file_does_not_keep_the_others_from_being_scored(files: Path, tmp_path: Path) -> None:
    given = [files / name for name in ("early.jsonl", "broken.jsonl", "nowhere.jsonl", "whole.jsonl")]
    result = toolgauge_(*SCORE, "--predictions", *given, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["early", "whole"]
    assert [line.split(": ")[0] for line in result.stderr.splitlines() if "not scored" in line] == list(
        map(str, given[1:3])
    )
    none = toolgauge_(*SCORE, "--predictions", *given[1:3], "--out", tmp_path / "none")
    assert none.exit_code == 2


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("{score} --predictions {f}/whole.jsonl {f}/whole.jsonl --out {o}", "given twice"),
        ("{score} --predictions {f}/whole.jsonl {f}/runs/early --out {o}", "--out goes with --predictions"),
        ("{score} --predictions {f}/whole.jsonl {f}/early.jsonl --out {f}/runs/early", "is a run directory; several"),
        ("{score} --predictions {f}/whole.jsonl {f}/early.jsonl --out {o} --name x", "1 given for 2 result files"),
        (
            "{score} --predictions {f}/whole.jsonl {f}/early.jsonl --out {o} --name x --name X",
            "both would be written to",
        ),
        ("score {f}/runs/early {f}/runs/whole", "score takes one run directory, not 2"),
    ],
)
def test_what_does_not_go_together_is_refused(
    command: str, complaint: str, runs: Path, files: Path, tmp_path: Path
) -> None:
    score = " ".join(map(str, SCORE))
    result = toolgauge_(*command.format(score=score, f=files, o=tmp_path / "out").split(" "))
    assert isinstance(result.exception, ToolgaugeError), result.output
    assert complaint.replace("one is", f"{runs / 'whole'} is") in str(result.exception).replace("name_field", "--name")
    assert not (tmp_path / "out").exists()


MINI_SESSIONS = Path(__file__).parents[2] / "src/toolgauge/benchmarks/dialogues/mini/sessions.jsonl"
UNKNOWN = '```tool_calls\n{"name": "no_such_tool", "arguments": {}}\n```'


def recorded(folder: Path, said: str, dialect: str | None = "hermes") -> Path:
    """A run of one session in which the model says the same all the time."""
    with serve(lambda _body: {"role": "assistant", "content": said}) as server:
        reached = options(server.base_url, dialect=dialect) if dialect else options(server.base_url)
        return go(folder, "openai/mock", limit=1, reached=reached).folder


def mistakes(folder: Path) -> dict[str, str | None]:
    return {one["task_id"]: one["scorings"]["exact"]["mistake"] for one in lines(folder / "scores.jsonl")}


def again(run: Path, dialect: str, out: Path) -> list[str]:
    said: list[Text | str] = []
    score(run, dialect=dialect, out=out, tell=said.append)
    return list(map(str, said))


def test_a_text_is_read_as_another_family_writes(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", UNKNOWN)
    before = {name: (run / name).read_bytes() for name in ("run.json", "trajectories.jsonl", "scores.jsonl")}
    said = again(run, "generic", tmp_path / "again")
    count = len(lines(run / "trajectories.jsonl"))
    assert said == [f"parsed differently: {count} of {count} replies"]
    assert set(mistakes(tmp_path / "again").values()) == {"unknown_tool"}
    assert {name: (run / name).read_bytes() for name in before} == before
    manifest = json.loads((tmp_path / "again" / "run.json").read_bytes())
    assert (manifest["model"]["dialect"], manifest["read_again"]["dialect"]) == ("generic", "hermes")


@pytest.mark.parametrize("dialect", ["generic", None])
def test_the_same_reading_gives_the_same_scores(dialect: str | None, tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", f"Wait.\n{UNKNOWN}<|im_end|>\n<|im_start|>user\nAnd?", dialect)
    said = again(run, "generic", tmp_path / "again")
    if dialect:
        assert said[0].startswith("parsed differently: 0 of ")
        assert (tmp_path / "again" / "scores.jsonl").read_bytes() == (run / "scores.jsonl").read_bytes()
    (reply, *_) = (step["reply"] for line in lines(tmp_path / "again" / "trajectories.jsonl") for step in line["steps"])
    assert (reply["content"], reply["tool_calls"][0]["name"]) == ("Wait.", "no_such_tool")
    assert again(tmp_path / "again", "generic", tmp_path / "third")[0].startswith("parsed differently: 0 of ")


def test_a_conversation_that_would_have_gone_on_is_missing_until_it_is_asked(tmp_path: Path) -> None:
    session = load_dataset(MINI_SESSIONS).sessions[0]
    due = next(task.calls[0] for task in session.tasks if task.calls[0].is_tool)
    said = [f"```tool_calls\n{json.dumps({'name': due.name, 'arguments': due.arguments})}\n```"]
    with serve(lambda _body: {"role": "assistant", "content": said[0]}) as server:
        run = go(tmp_path / "run", "openai/mock", limit=1, reached=options(server.base_url, dialect="hermes")).folder
        told = again(run, "generic", tmp_path / "again")
        assert "would have continued differently" in told[1]
        left_out = mistakes(run).keys() - mistakes(tmp_path / "again").keys()
        assert left_out
        assert {one["key"] for one in lines(tmp_path / "again" / "failures.jsonl")} == left_out
        asked, said[0] = len(server.requests), "Done."
        go(tmp_path / "again", "openai/mock", limit=1, reached=options(server.base_url, dialect="generic"))
        assert len(server.requests) == asked + len(left_out)
    assert mistakes(tmp_path / "again").keys() == mistakes(run).keys()
