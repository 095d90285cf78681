"""What the measurements are made with: data sets of 256 sessions, and prediction files in the originals' layout."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, MINI_FILE
from toolgauge.chat import Reply, Request
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory, drive
from toolgauge.models.builtin.models import noisy, oracle

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.original_format import wildtoolbench_lines  # noqa: E402 - the tests' writer of the originals' layout

SESSIONS = 256
BENCHMARK = GRAPH_BENCHMARKS["wildtoolbench"]
BUILTIN_MODELS: dict[str, Callable[[Request], Reply]] = {"oracle": oracle, "noisy (rate 0.4)": noisy(1, 0.4)}


def sources() -> dict[str, Path]:
    """The data files there are by name: the embedded benchmark and, where they are at hand, five public sessions."""
    found = {"mini": MINI_FILE}
    public = (
        Path(os.environ.get("TOOLGAUGE_SHARED", ROOT.parent / "shared")) / "data/wildtoolbench/sample_sessions.jsonl"
    )
    return found | ({"public sample": public} if public.exists() else {})


def replicated(source: Path, target: Path, sessions: int = SESSIONS) -> Path:
    """A data file of so many sessions: those of `source` over and over, each time with other ids."""
    lines = source.read_text(encoding="utf-8").splitlines()
    with target.open("w", encoding="utf-8") as file:
        for number in range(sessions):
            session = json.loads(lines[number % len(lines)])
            session["id"] = f"wild_tool_bench_{number}"
            file.write(json.dumps(session, ensure_ascii=False) + "\n")
    return target


def single_call_sessions(target: Path, sessions: int = SESSIONS) -> Path:
    """A data file whose every task takes two requests, a call and a text: the embedded tasks of that kind.

    A session asks one of them four times; each time the utterance is another.
    """
    records = [json.loads(line) for line in MINI_FILE.read_text(encoding="utf-8").splitlines()]
    chosen = [
        (record, index)
        for record in records
        for index, kind in enumerate(record["english_task_types"])
        if kind == "Single-Tool"
    ]
    with target.open("w", encoding="utf-8") as file:
        for number in range(sessions):
            record, index = chosen[number % len(chosen)]
            session = {
                "id": f"wild_tool_bench_{number}",
                "english_env_info": record["english_env_info"],
                "english_tools": record["english_tools"],
                "english_tasks": [f"{record['english_tasks'][index]} ({number}/{task})" for task in range(4)],
                "english_answer_list": [record["english_answer_list"][index]] * 4,
                "english_task_types": ["Single-Tool"] * 4,
                "english_turn_subtypes": ["Partial Information"] * 3,
            }
            file.write(json.dumps(session, ensure_ascii=False) + "\n")
    return target


def played(dataset: Dataset, player: Callable[[Request], Reply]) -> Iterator[Trajectory]:
    """What a built-in player makes of every task."""
    for sample in BENCHMARK.samples(dataset):
        yield drive(BENCHMARK.episode(dataset, sample), player)


def prediction_file(dataset: Dataset, player: Callable[[Request], Reply], target: Path) -> Path:
    """`Wild-Tool-Bench_result.jsonl` as the original project would have written it."""
    with target.open("w", encoding="utf-8") as file:
        file.writelines(wildtoolbench_lines(dataset, played(dataset, player)))
    return target
