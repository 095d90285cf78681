"""Result files as the original projects leave them: what their names and texts say, read without being told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import toolgauge
from tests.benchmarks.acebench.test_ace_shared import write_results
from tests.original_format import mmtb_lines, wildtoolbench_lines
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS
from toolgauge.benchmarks.original_files import language_in_name, model_in_name
from toolgauge.cli.main import app
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory, drive
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.models.builtin.models import oracle
from toolgauge.runs.store import read_trajectories

FIXTURES = Path(__file__).parent.parent / "fixtures"
DATA = {"wildtoolbench": FIXTURES / "wildtoolbench_small.jsonl", "mmtb": FIXTURES / "mmtb_small.jsonl"}
WRITERS = {"wildtoolbench": wildtoolbench_lines, "mmtb": mmtb_lines}


def played(name: str, language: str, data: str = "") -> tuple[Dataset, list[Trajectory]]:
    """Right runs of a benchmark. data: whose file, if not its own."""
    benchmark = GRAPH_BENCHMARKS[name]
    dataset = benchmark.load(DATA[data or name], language)
    return dataset, [drive(benchmark.episode(dataset, sample), oracle) for sample in benchmark.samples(dataset)]


def written(path: Path, name: str, language: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(WRITERS[name](*played(name, language))), encoding="utf-8")
    return path


def scored(name: str, file: Path, out: Path, **more: Any) -> tuple[str, float | None]:
    """The language and the task accuracy of an imported file."""
    metrics = toolgauge.score(benchmark=name, data=DATA[name], predictions=file, out=out, tell=lambda _: None, **more)
    overall = metrics.scorings[GRAPH_BENCHMARKS[name].headline]["overall"]
    return metrics.language, overall["task_accuracy"].value


def command(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", [*DATA])
def test_results_say_their_language_by_what_users_say(name: str, language: str, tmp_path: Path) -> None:
    file = written(tmp_path / "result.jsonl", name, language)
    assert scored(name, file, tmp_path / "out") == (language, 1.0)
    assert scored(name, file, tmp_path / "told", language=language) == (language, 1.0)
    other = {"en": "zh", "zh": "en"}[language]
    with pytest.raises(UsageError, match=f"these are {'Chinese' if language == 'zh' else 'English'} results"):
        scored(name, file, tmp_path / "refused", language=other)
    assert not (tmp_path / "refused").exists()


def test_ace_results_say_it_by_their_folder_or_by_what_stands_in_them(tmp_path: Path) -> None:
    chinese = AceBench().load(FIXTURES / "acebench", "zh")
    for folder in (tmp_path / "result_zh" / "m", tmp_path / "elsewhere"):
        folder.parent.mkdir(exist_ok=True)
        write_results(chinese, folder)
        done = command(
            "score", "--benchmark", "acebench", "--predictions", folder, "--data", FIXTURES / "acebench",
            "--out", tmp_path / f"out-{folder.name}",
        )  # fmt: skip
        assert "Chinese results, scored on the data in that language" in done.stderr
        assert json.loads((tmp_path / f"out-{folder.name}" / "run.json").read_bytes())["language"] == "zh"


@pytest.mark.parametrize("name", [*DATA])
def test_an_import_keeps_the_conversation(name: str, tmp_path: Path) -> None:
    _dataset, said = played(name, "en")
    scored(name, written(tmp_path / "result.jsonl", name, "en"), tmp_path / "out")
    imported = {one.task_id: one for one in read_trajectories(tmp_path / "out")}
    for one in said:
        kept = imported[one.task_id]
        contents = [[(m.role, m.content, len(m.tool_calls)) for m in step.messages] for step in one.steps]
        assert [[(m.role, m.content, len(m.tool_calls)) for m in step.messages] for step in kept.steps] == contents
        assert [tool.name for tool in kept.tools] == [tool.name for tool in one.tools]
    command("export", tmp_path / "out", "--to", "openai", "--out", tmp_path / "openai.jsonl")
    first = json.loads((tmp_path / "openai.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert [message["role"] for message in first["messages"]][:2] == ["system", "user"]
    assert first["messages"][-1]["role"] == "assistant"
    assert first["tools"]


def test_answers_other_than_the_datas_are_an_error(tmp_path: Path) -> None:
    dataset, said = played("mmtb", "en")
    lines = [json.loads(line) for line in mmtb_lines(dataset, said)]
    for line in lines:
        calls = dataset.by_id[line["id"]].tasks[line["idx"]].calls
        line["answer_list"] = [{"action": {"name": one.name, "arguments": one.arguments}} for one in calls]
    file = tmp_path / "r.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert scored("mmtb", file, tmp_path / "out") == ("en", 1.0)
    lines[-1]["answer_list"][0]["action"]["name"] = "another_tool"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(ToolgaugeError, match=r"the recorded answers of .* are not those of"):
        scored("mmtb", file, tmp_path / "other")
    assert not (tmp_path / "other" / "trajectories.jsonl").exists(), "nothing is scored in silence"


def test_the_earlier_layout_of_wildtoolbench_is_asked_and_scored(tmp_path: Path) -> None:
    done = toolgauge.run("wildtoolbench", "builtin/oracle", data=DATA["mmtb"], out=tmp_path / "run")
    assert done.metrics.scorings["released"]["overall"]["task_accuracy"].value == 1.0
    assert "tables" in done.metrics.scorings, "WildToolBench's scorings"
    asked = [one for one in read_trajectories(tmp_path / "run") if one.task_index == 1]
    assert any(m.role == "tool" for one in asked for m in one.steps[0].messages), "and its history, with calls"
    dataset, said = played("wildtoolbench", "en", data="mmtb")
    name = "2025-01-02-03-04-05_0a1b2c_gpt4o1_en_remove_role_contain_context.jsonl"
    (tmp_path / name).write_text("".join(mmtb_lines(dataset, said)), encoding="utf-8")
    command(
        "score", "--benchmark", "wildtoolbench", "--data", DATA["mmtb"], "--predictions", tmp_path / name,
        "--out", tmp_path / "out",
    )  # fmt: skip
    manifest = json.loads((tmp_path / "out" / "run.json").read_bytes())
    assert (manifest["benchmark"], manifest["model"]["name"]) == ("wildtoolbench", "gpt4o1")


def test_a_file_of_another_benchmark_is_told_by_name(tmp_path: Path) -> None:
    wild = written(tmp_path / "wild.jsonl", "wildtoolbench", "en")
    with pytest.raises(ToolgaugeError, match="a result file of WildToolBench; use --benchmark wildtoolbench"):
        scored("mmtb", wild, tmp_path / "one")
    ace = tmp_path / "data_normal_atom_bool_result.json"
    ace.write_text(json.dumps({"id": "normal_atom_bool_0", "result": "[f()]"}) + "\n", encoding="utf-8")
    with pytest.raises(ToolgaugeError, match="a result file of ACEBench; use --benchmark acebench"):
        scored("wildtoolbench", ace, tmp_path / "two")
    with pytest.raises(ToolgaugeError, match="WildToolBench's layout"):
        toolgauge.run("mmtb", "builtin/oracle", data=DATA["wildtoolbench"], out=tmp_path / "three")


NAMES = [
    ("2025-01-02-03-04-05_0a1b2c_gpt4o1_en_remove_role_contain_context.jsonl", "gpt4o1", "en"),
    ("20250102-030405_0a1b2c_qwen7b_zh_remove_role_contain_context.jsonl.merge", "qwen7b", "zh"),
    ("claude-3-5_zh_remove_role_contain_context.jsonl", "claude-3-5", "zh"),
    ("my_model.jsonl", "my_model", None),
    ("gpt-4o/Wild-Tool-Bench_result.jsonl", "gpt-4o", None),
    ("result_zh/qwen/data_normal_atom_bool_result.json", "data_normal_atom_bool_result", "zh"),
]


@pytest.mark.parametrize(("name", "model", "language"), NAMES)
def test_names_of_files_say_model_and_language(name: str, model: str, language: str | None, tmp_path: Path) -> None:
    assert model_in_name(tmp_path / "somewhere" / "deep" / name) == model
    assert language_in_name(tmp_path / "somewhere" / "deep" / name) == language


def test_a_folder_of_result_files_is_a_run_for_each_model(tmp_path: Path) -> None:
    results = tmp_path / "results"
    written(results / "20250102-030405_0a1b2c_qwen7b_zh_remove_role_contain_context.jsonl.merge", "mmtb", "zh")
    written(results / "20250102-030405_0a1b2c_gpt4o1_en_remove_role_contain_context.jsonl", "mmtb", "en")
    command("score", "--benchmark", "mmtb", "--data", DATA["mmtb"], "--predictions", results, "--out", tmp_path / "out")
    made = {one.name: json.loads((one / "run.json").read_bytes())["language"] for one in (tmp_path / "out").iterdir()}
    assert made == {"qwen7b": "zh", "gpt4o1": "en"}
    (tmp_path / "empty").mkdir()
    refused = command(
        "score", "--benchmark", "mmtb", "--data", DATA["mmtb"], "--predictions", tmp_path / "empty",
        "--out", tmp_path / "none", code=1,
    )  # fmt: skip
    assert "no result file of mmtb in this folder" in str(refused.exception)
