"""Scoring 1,024 tasks in all scorings beside parsing the same prediction file with the standard json module.

    python perf/score_speed.py [--rounds 7] [--language en|zh]

Target: at most 1.5x, from the file to the list of scores, reading the file included, the data file loaded before.
Nothing is kept from one round to the next but jieba's dictionary.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path

from material import BENCHMARK, BUILTIN_MODELS, prediction_file, replicated, sources
from rounds import in_turns, show
from toolgauge.data.session import Dataset
from toolgauge.judge.verdict import Score
from toolgauge.runs.scoring import score_all

TARGET = 1.5


def parse(file: Path) -> None:
    with file.open("rb") as lines:
        for line in lines:
            json.loads(line)


def score(file: Path, dataset: Dataset) -> list[Score]:
    return score_all(BENCHMARK, dataset, BENCHMARK.predictions(dataset, file))


def load(data: Path, language: str) -> Dataset:
    return BENCHMARK.load(data, language)


def load_and_score(file: Path, data: Path, language: str) -> list[Score]:
    return score(file, load(data, language))


def compare(name: str, source: Path, language: str, rounds: int, folder: Path) -> None:
    data = replicated(source, folder / "sessions.jsonl")
    dataset = load(data, language)
    for player, play in BUILTIN_MODELS.items():
        file = prediction_file(dataset, play, folder / "result.jsonl")
        scores = score(file, dataset)
        times = in_turns(
            {
                "json.loads": partial(parse, file),
                "score": partial(score, file, dataset),
                "load the data and score": partial(load_and_score, file, data, language),
            },
            rounds,
        )
        size = file.stat().st_size / 1e6
        right = sum(one.scorings["exact"].correct for one in scores)
        show(
            f"{name}, {language}, {player}: {len(scores)} tasks ({right} right), {size:.1f} MB",
            times,
            "json.loads",
            TARGET,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--language", choices=("en", "zh"), action="append")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for language in chosen.language or ("en", "zh"):
            for name, source in sources().items():
                compare(name, source, language, chosen.rounds, Path(folder))


if __name__ == "__main__":
    main()
