"""`run`'s answer, `compare`, `gate`, `verify` and `data correct`, with their exit codes and files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

import toolgauge
from tests.end_to_end.playing import NOISY, call, command, lines
from tests.mockserver import serve, status
from toolgauge.analysis.verification import Verification
from toolgauge.cli.main import app
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.judge.verdict import CORRECT
from toolgauge.models.model import Sampling


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    folder = tmp_path_factory.mktemp("answer")
    code, out, err = call(command("run", "mini", "-m", NOISY, "--out", "run"), folder)
    assert code == 0, err
    return folder, out, err


def test_run_answers_first(answered: tuple[Path, str, str]) -> None:
    _folder, out, err = answered
    printed = out.splitlines()
    assert len(printed) + len(err.splitlines()) <= 15
    assert printed[0].startswith("mini en, exact: task accuracy ")
    assert "[" in printed[0].partition("task accuracy")[2], "an interval"
    assert printed[1].startswith("Main causes of ")
    assert printed[1].count(",") == 2
    assert printed[-2].startswith("Files: run (")
    assert printed[-1] == "Next: toolgauge analyse run"


def test_several_models_are_run_in_turn(tmp_path: Path) -> None:
    """One run directory each; a model that cannot be asked does not keep the next one from its turn."""
    models = ("-m", NOISY, "-m", "nobody/x", "-m", "builtin/oracle")
    code, out, err = call(command("run", "mini", *models, "--limit", "1", "--out", "runs"), tmp_path)
    assert code == 1
    assert [line for line in out.splitlines() if line.startswith("== ")] == [
        f"== {NOISY} (1 of 3) ==",
        "== nobody/x (2 of 3) ==",
        "== builtin/oracle (3 of 3) ==",
    ]
    assert len(list((tmp_path / "runs").glob("*/metrics.json"))) == 2
    assert "2 of 3 models are done; not nobody/x" in err
    code, _out, err = call(command("run", "mini", "-m", NOISY, "-m", NOISY), tmp_path)
    assert code == 2
    assert "given twice" in err


FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs on the embedded benchmark, and one on other data."""
    folder = tmp_path_factory.mktemp("compared")
    toolgauge.run("mini", "builtin/noisy?seed=1", out=folder / "noisy")
    toolgauge.run("mini", "builtin/oracle", out=folder / "oracle")
    toolgauge.run("mini", "builtin/oracle", language="zh", out=folder / "chinese")
    toolgauge.run("mini", "builtin/silent", limit=3, history="own", out=folder / "silent")
    small = FIXTURES / "wildtoolbench_small.jsonl"
    toolgauge.run("wildtoolbench", "builtin/oracle", data=small, out=folder / "wild")
    return folder


def compare(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, arguments)], env={"TOOLGAUGE_LANG": "en", "COLUMNS": "80"})


def mistakes(run: Path) -> dict[str, str]:
    """Of the failed tasks in the scoring `exact`, read from the file."""
    lines = [json.loads(line) for line in (run / "scores.jsonl").read_text().splitlines()]
    verdicts = {line["task_id"]: line["scorings"]["exact"] for line in lines}
    return {task: verdict["mistake"] for task, verdict in verdicts.items() if verdict["label"] != CORRECT}


def test_noisy_against_oracle(compared: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    result = compare(compared / "noisy", compared / "oracle", "--json", file, "--scoring", "exact")
    assert result.exit_code == 0
    (content,) = json.loads(file.read_bytes())["comparisons"]
    found, failed = content["scorings"]["exact"], mistakes(compared / "noisy")
    assert len(failed) > 20
    assert {task["task_id"]: task["mistake"] for task in found["fixed"]} == failed
    assert (found["broken"], content["notes"]) == ([], [])
    assert found["tasks"]["fixed"] == len(failed)
    assert f"Written: {file}" in result.output.replace("\n", "")
    metrics = json.loads((compared / "noisy" / "metrics.json").read_bytes())["scorings"]["exact"]
    assert found["tables"]["by_type"]["chat"]["a"] == metrics["by_type"]["chat"]["value"]
    assert found["tables"]["by_messages"].keys() <= metrics["by_messages"].keys()
    assert found["tables"]["by_messages"]


@pytest.mark.parametrize(
    ("other", "reason"),
    [("chinese", "different languages, en and zh"), ("wild", "different benchmarks, mini and wild")],
)
def test_refusals_name_the_reason_and_write_nothing(compared: Path, tmp_path: Path, other: str, reason: str) -> None:
    result = compare(compared / "noisy", compared / "oracle", compared / other, "--json", tmp_path / "all.json")
    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2
    assert reason in str(result.exception)
    assert result.output == ""
    assert not (tmp_path / "all.json").exists()


def test_wrong_usage(compared: Path) -> None:
    assert "two run directories" in str(compare(compared / "noisy").exception)
    wrong = compare(compared / "noisy", compared / "oracle", "--scoring", "nonsense").exception
    assert isinstance(wrong, UsageError)


def test_anybodys_results_get_the_same_sentence_as_runs(compared: Path, tmp_path: Path) -> None:
    """A run, and its labels as CSV with sessions, and as JSON beside a run: one test, one answer."""
    rows = {}
    for name in ("noisy", "oracle"):
        lines = [json.loads(line) for line in (compared / name / "scores.jsonl").read_text().splitlines()]
        rows[name] = {line["task_id"]: line["scorings"]["exact"]["label"] == CORRECT for line in lines}
    csv, other = tmp_path / "noisy.csv", tmp_path / "oracle.json"
    lines = [f"{task},{str(right).lower()},{task.partition('/')[0]}" for task, right in rows["noisy"].items()]
    csv.write_text("id,right,session\n" + "\n".join(lines) + "\n")
    other.write_text(json.dumps(rows["oracle"]))
    verdicts = [
        compare(one, two).output.splitlines()[0]
        for one, two in (
            (compared / "noisy", compared / "oracle"),
            (csv, other),
            (csv, compared / "oracle"),
            (compared / "noisy", other),
        )
    ]
    assert len(set(verdicts)) == 1
    assert verdicts[0].startswith("B is better: +")
    file = tmp_path / "difference.json"
    assert compare(csv, other, "--json", file, "--all").exit_code == 0
    (found,) = json.loads(file.read_bytes())["comparisons"]
    (run,) = toolgauge.compare(compared / "noisy", compared / "oracle").comparisons
    row = found["scorings"]["results"]["tables"]["overall"]["task_accuracy"]
    expected = run.scorings["exact"].tables["overall"]["task_accuracy"]
    assert (row["p"], tuple(row["ci95"])) == (expected.p, expected.ci95)
    assert len(found["scorings"]["results"]["fixed"]) == expected.fixed


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("id,right\na,maybe\n", "line 2: must be id,right[,cluster]"),
        ("a,true\na,false\n", "'a' stands there twice"),
        ('{"a": 3}', "must be true or false"),
        ('{"a": true', "invalid JSON"),
        ("", "no results"),
        ("b,true\n", "no id in common"),
        ("a,true,y\n", "is in cluster 'x' and in 'y'"),
    ],
)
def test_results_that_cannot_be_read_say_where(tmp_path: Path, text: str, error: str) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad"
    good.write_text("a,true,x\n")
    bad.write_text(text)
    found = compare(good, bad).exception
    assert isinstance(found, UsageError)
    assert error in str(found)


def test_runs_with_different_histories_say_what_the_context_costs(tmp_path: Path) -> None:
    """Every row of it is shown, significant or not; first tasks, which have no history, are not in the pairs."""
    for history in ("none", "gold"):
        toolgauge.run("mini", "builtin/noisy?seed=1", history=history, out=tmp_path / history)
    result = compare(tmp_path / "none", tmp_path / "gold")
    assert result.exit_code == 0
    said = " ".join(result.output.split())
    assert "Note: different history: none and gold" in said
    assert "96 tasks in pairs" in said
    assert "What the earlier tasks are" in said
    assert "Hidden information: later" in said
    assert "1 task back" in said
    assert "What the earlier tasks" not in compare(tmp_path / "gold", tmp_path / "gold").output


DATA = Path(__file__).parent.parent / "fixtures" / "wildtoolbench_small.jsonl"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, model, options in (
        ("perfect", "oracle", {}),
        ("some", "noisy?seed=1", {}),
        ("silent", "silent", {}),
        ("twice", "noisy?rate=0.1&seed=1", {"epochs": 2}),
        ("alike", "noisy?rate=0.1&seed=2", {}),
    ):
        toolgauge.run("mini", f"builtin/{model}", out=folder / name, **options)
    return folder


def lines_of(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def decide(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"})


def test_a_gate_that_holds_ends_with_0_and_one_that_does_not_with_1(runs: Path, tmp_path: Path) -> None:
    file = tmp_path / "gate.xml"
    held = decide("gate", runs / "perfect", "--min", "task_accuracy=0.8", "--max-truncated", 0, "--junit", file)
    assert held.exit_code == 0, held.output
    assert held.output.startswith("The run holds: 2 criteria met.\n")
    assert "task_accuracy at least 80.0%: holds; the rate is 100.0% of 128, 95% interval" in held.output
    root = ElementTree.fromstring(file.read_bytes())
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("2", "0", "0")

    fallen = decide(
        "gate",
        runs / "silent",
        "--min",
        "task_accuracy=0.9",
        "--min",
        "by_type.single=0.9",
        "--junit",
        file,
        "--overwrite",
    )
    assert fallen.exit_code == 1
    assert fallen.output.startswith("The run does not hold: 2 of 2 criteria not met.\n")
    assert fallen.output.count(": does not hold; ") == 2
    root = ElementTree.fromstring(file.read_bytes())
    assert [case.find("failure") is not None for case in root] == [True, True]


def test_a_run_with_tasks_missing_does_not_hold(runs: Path, tmp_path: Path) -> None:
    """Also one whose wrong conversations were deleted: its rates leave them out."""
    folder = tmp_path / "some"
    shutil.copytree(runs / "some", folder)
    scores = map(json.loads, lines_of((folder / "scores.jsonl").read_text("utf-8")))
    right = {one["task_id"] for one in scores if one["scorings"]["exact"]["label"] == "correct"}
    file = folder / "trajectories.jsonl"
    kept = [line for line in lines_of(file.read_text("utf-8")) if json.loads(line)["task_id"] in right]
    file.write_text("\n".join(kept) + "\n", "utf-8")
    asked = ("gate", folder, "--min", "task_accuracy=0.8")
    stopped = decide(*asked)
    assert stopped.exit_code == 1, stopped.output
    assert "task_accuracy at least 80.0%: holds" in stopped.output
    assert "unscored at most 1.0%: does not hold" in stopped.output
    assert decide(*asked, "--max-unscored", 0.9).exit_code == 0


def test_too_few_tasks_are_said_and_how_many_it_would_take(runs: Path, tmp_path: Path) -> None:
    value = 0.6
    file = tmp_path / "gate.json"
    result = decide("gate", runs / "some", "--min", f"task_accuracy={value}", "--json", file)
    (decision,) = json.loads(file.read_bytes())["decisions"]
    assert decision["outcome"] == "undecided"
    assert decision["needed"] > decision["tasks"] == 128
    assert result.exit_code == 1
    assert f"too few to decide: with about {decision['needed']:,}, such a rate is decided 4 times in 5" in result.output
    assert decide("gate", runs / "some", "--min", f"task_accuracy={value}", "--pass-undecided").exit_code == 0


def test_a_drop_is_decided_on_pairs(runs: Path) -> None:
    fell = decide("gate", runs / "silent", "--baseline", runs / "perfect", "--max-drop", 0.1)
    assert fell.exit_code == 1
    assert (
        "task_accuracy at most 10.0 points below the baseline: does not hold; the paired difference is" in fell.output
    )
    rose = decide("gate", runs / "perfect", "--baseline", runs / "some", "--max-drop", "session_accuracy=0.01")
    assert rose.exit_code == 0, rose.output


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ((), "no criterion given"),
        (("--min", "0.6"), "--minimum: '0.6' must be RATE=SHARE, as in task_accuracy=0.6"),
        (("--min", "task_accuracy=60"), "task_accuracy=60 must be a share from 0 to 1"),
        (("--min", "accuracy=0.6"), "unknown rate accuracy; choose one of task_accuracy, session_accuracy"),
        (("--max-drop", "0.1"), "--baseline and --max-drop go together"),
        (("--min", "task_accuracy=0.6", "--scoring", "nearly"), "unknown scoring 'nearly'; choose one of"),
    ],
)
def test_what_cannot_be_asked_is_an_error_of_one_line(runs: Path, options: tuple[str, ...], error: str) -> None:
    result = CliRunner().invoke(app, ["gate", str(runs / "some"), *options], env={"TOOLGAUGE_LANG": "en"})
    assert isinstance(result.exception, UsageError)

    assert error in result.exception.text


def test_corrections_are_made_listed_checked_and_applied(tmp_path: Path) -> None:
    old, new, file, made = (tmp_path / name for name in ("old.jsonl", "new.jsonl", "corrections.jsonl", "made.jsonl"))
    text = DATA.read_text(encoding="utf-8-sig")
    old.write_text(text, encoding="utf-8")
    first, *others = lines_of(text)
    session = json.loads(first)
    session["english_tasks"][0] += " Please."
    new.write_text("\n".join([json.dumps(session, ensure_ascii=False), *others]) + "\n", encoding="utf-8")

    result = decide("data", "correct", new, "--since", old, "--out", file, "--reason", "politeness")
    assert result.exit_code == 0, result.output
    (line,) = lines_of(file.read_text("utf-8"))
    assert json.loads(line)["pointer"] == "/english_tasks/0"
    assert "# 'politeness'" in decide("data", "correct", file).output
    assert "1 correction of 1 session fit" in decide("data", "correct", file, "--data", old, "--out", made).output
    versions = [[json.loads(one) for one in lines_of(version.read_text("utf-8"))] for version in (made, new)]
    assert versions[0] == versions[1]
    unfit = decide("data", "correct", file, "--data", new)
    assert unfit.exit_code != 0
    assert "the data have" in str(unfit.exception)
    assert "hold the same sessions" in str(decide("data", "correct", made, "--since", new).exception)
    assert "go with" in str(decide("data", "correct", file, "--since", old, "--data", new).exception)


SELDOM_WRONG = "builtin/noisy?rate=0.1"
CONVERSATIONS, TOKENS_EACH = 12, 18
"""Of three sessions of mini; what the mock endpoint counts for a request."""


def verify(*arguments: object, **environment: str) -> Result:
    usual = {"TOOLGAUGE_LANG": "en", "COLUMNS": "300"}
    return CliRunner().invoke(app, ["verify", *map(str, arguments)], env=usual | environment)


def manifest(folder: Path) -> Any:
    return json.loads((folder / "run.json").read_bytes())


@pytest.fixture(scope="module")
def chinese_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three Chinese sessions, asked twice."""
    folder = tmp_path_factory.mktemp("runs") / "zh"
    sampling = Sampling(temperature=0.5)
    toolgauge.run("mini", SELDOM_WRONG, out=folder, language="zh", limit=3, epochs=2, sampling=sampling)
    return folder


def test_a_model_against_itself_is_the_same(tmp_path: Path) -> None:
    result = verify("-m", SELDOM_WRONG, "--against", SELDOM_WRONG, "--margin", 0.15, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "the same, within 15.0 points, over 128 tasks" in result.output
    assert [manifest(tmp_path / name)["epochs"] for name in ("reference", "endpoint")] == [2, 1]


def test_the_same_command_goes_on_and_both_keep_to_one_limit(tmp_path: Path) -> None:
    with serve() as server:
        reached = f"-m openai/mock --base-url {server.base_url} --against openai/mock@{server.base_url}"
        limits = "--set endpoint.api_key=k --set limits.probe=false --epochs 1 --limit 3 --concurrency 1"
        command = f"{reached} {limits}".split()

        def go(folder: str, *limit: object) -> Result:
            return verify(*command, "--out", tmp_path / folder, *limit, OPENAI_API_KEY="k")

        whole = go("whole")
        of_reference = len(server.requests) // 2 * TOKENS_EACH
        stopped = go("parts", "--set", f"limits.max_tokens_total={of_reference // 2}")
        assert stopped.exit_code == 1
        assert "The same command continues." in stopped.stderr
        assert not stopped.stdout
        assert not (tmp_path / "parts" / "endpoint").exists()
        kept = lines(tmp_path / "parts" / "reference" / "trajectories.jsonl")
        assert 0 < len(kept) < CONVERSATIONS

        go("parts", "--set", f"limits.max_tokens_total={of_reference + 2 * TOKENS_EACH}")
        assert lines(tmp_path / "parts" / "reference" / "trajectories.jsonl")[: len(kept)] == kept
        assert 0 < len(lines(tmp_path / "parts" / "endpoint" / "trajectories.jsonl")) <= 2
        assert go("parts").stdout == whole.stdout
        assert len(server.requests) == 4 * of_reference // TOKENS_EACH


def test_nothing_is_decided_where_conversations_failed(tmp_path: Path) -> None:
    broken_from = 2
    with serve(faults=lambda number, _body: status(400) if number >= broken_from else None) as server:

        def decide(most: int | None = None) -> Verification:
            return toolgauge.verify(
                "openai/mock",
                "builtin/oracle",
                base_url=server.base_url,
                api_key="k",
                concurrency=1,
                limit=1,
                max_tokens_total=most,
                out=tmp_path,
            )

        with pytest.raises(ToolgaugeError, match="stopped early: "):
            decide(1)
        with pytest.raises(ToolgaugeError, match="conversations are missing, so there is no decision"):
            decide()
        broken_from = 1000
        assert decide().tasks == 4


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("--against {model}", "name a run directory, a model with --model, or an agent with --agent"),
        ("-m openia/gpt-5 --against {model}", "openia/gpt-5: neither a run directory nor a model: model 'openia/"),
        ("mini --against {model}", "mini: neither a run directory nor a model"),
        ("-m {model} --against {run}/..", "run.json: No such file"),
        ("-m {model} --against {run} --limit 3", "--limit cannot be used: "),
        ("{run} --against {model} --base-url http://h/v1", "--base-url cannot be used: "),
        ("{run} --against {run} --margin 0.2", "--out cannot be used: "),
    ],
)
def test_what_is_wrong_with_the_sides_is_said_before_anybody_is_asked(
    arguments: str, error: str, chinese_run: Path, tmp_path: Path
) -> None:
    result = verify(*arguments.format(model=SELDOM_WRONG, run=chinese_run).split(), "--out", tmp_path)
    assert isinstance(result.exception, UsageError)
    assert error in result.exception.text
    assert not list(tmp_path.iterdir())
