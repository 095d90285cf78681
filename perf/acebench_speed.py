"""Scoring all of ACEBench's predictions for one model and language beside parsing the same files with the json module.

    python perf/acebench_speed.py [--rounds 5]

Target: below one second, from the result files to the list of scores, the data loaded before. Needs the benchmark's
data (`toolgauge data fetch acebench`, or TOOLGAUGE_SHARED); the predictions are the noisy player's.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from functools import partial
from pathlib import Path

from rounds import in_turns, show
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.data.entries import AceDataset
from toolgauge.episode import drive
from toolgauge.errors import ToolgaugeError
from toolgauge.judge.verdict import Score
from toolgauge.models.builtin.models import noisy
from toolgauge.runs.plan import find_data
from toolgauge.runs.scoring import score_all

BENCHMARK = AceBench()
ROOT = Path(__file__).parent.parent
player = noisy(1, 0.4)


def data_folder() -> Path:
    beside = Path(os.environ.get("TOOLGAUGE_SHARED", ROOT.parent / "shared")) / "data/acebench/data_all"
    return beside if beside.is_dir() else find_data(BENCHMARK, None, offline=True)


def write_predictions(dataset: AceDataset, folder: Path) -> None:
    """Result files in the original's layout."""
    lines: dict[str, list[str]] = {}
    for sample in BENCHMARK.samples(dataset):
        entry = dataset.by_id[sample.key]
        trajectory = drive(BENCHMARK.episode(dataset, sample), player)
        if entry.kind.group == "agent":
            line = {"id": entry.id, "result": trajectory.extra["result"], "process": trajectory.extra["process"]}
        else:
            line = {"id": entry.id, "result": trajectory.steps[0].reply.content}
        lines.setdefault(entry.category, []).append(json.dumps(line, ensure_ascii=False) + "\n")
    for category, found in lines.items():
        (folder / f"data_{category}_result.json").write_text("".join(found), encoding="utf-8")


def parse(folder: Path) -> None:
    for file in folder.iterdir():
        with file.open("rb") as lines:
            for line in lines:
                json.loads(line)


def score(folder: Path, dataset: AceDataset) -> list[Score]:
    return score_all(BENCHMARK, dataset, BENCHMARK.predictions(dataset, folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    try:
        data = data_folder()
    except ToolgaugeError as error:
        print(f"not measured: {error}")
        return
    for language in ("en", "zh"):
        dataset = BENCHMARK.load(data, language)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_predictions(dataset, folder)
            entries = len(score(folder, dataset))
            times = in_turns({"json.loads": partial(parse, folder), "score": partial(score, folder, dataset)}, rounds)
            show(f"acebench, {language}: {entries} entries (target: score below 1,000 ms)", times, "json.loads")


if __name__ == "__main__":
    main()
