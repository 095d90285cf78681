"""What the parts of the main path cost, for 256 sessions with 1,024 tasks.

    python perf/parts_speed.py [--rounds 5]

Data: the embedded benchmark over and over, played by the noisy player. There are no targets; the ratios, to parsing the
prediction file with the standard json module, make figures of different days comparable.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import deque
from functools import partial
from pathlib import Path

from material import BENCHMARK, BUILTIN_MODELS, played, prediction_file, replicated, sources
from rounds import in_turns, show
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.chat import Reply, Request
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory, drive
from toolgauge.models.builtin.models import oracle
from toolgauge.runs.recordings import Recording, score_recording
from toolgauge.runs.store import RunStore

TOOLGAUGE = [sys.executable, "-c", "from toolgauge.cli.verbs import main; main()"]
YARDSTICK = "json.loads, the prediction file"


def parse(file: Path) -> None:
    with file.open("rb") as lines:
        for line in lines:
            json.loads(line)


def command(*arguments: str | Path) -> None:
    subprocess.run([*TOOLGAUGE, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def score_in_new_folder(folder: Path, dataset: Dataset, file: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as out:
        score_recording(BENCHMARK, dataset, Recording(file, file.stem, Path(out)))


def score_command(folder: Path, data: Path, file: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as out:
        command("score", "--benchmark", "wildtoolbench", "--data", data, "--predictions", file, "--out", out)


def append(folder: Path, trajectories: list[Trajectory]) -> None:
    """Write down a run as the Runner does: every reply but the last of a task, and the trajectory."""
    with tempfile.TemporaryDirectory(dir=folder) as out:
        store = RunStore(Path(out)).open(Manifest())
        for trajectory in trajectories:
            for number, step in enumerate(trajectory.steps[:-1]):
                store.add_reply(trajectory.task_id, number, step.reply)
            store.add_trajectory(trajectory)
        store.close(complete=True)


def play(dataset: Dataset) -> None:
    for sample in BENCHMARK.samples(dataset):
        drive(BENCHMARK.episode(dataset, sample), oracle)


def count_requests(dataset: Dataset) -> int:
    """How many requests of the perfect player `play` answers."""
    count = 0

    def answer(request: Request) -> Reply:
        nonlocal count
        count += 1
        return oracle(request)

    for sample in BENCHMARK.samples(dataset):
        drive(BENCHMARK.episode(dataset, sample), answer)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        data = replicated(sources()["mini"], folder / "sessions.jsonl")
        dataset = BENCHMARK.load(data, "en")
        player = BUILTIN_MODELS["noisy (rate 0.4)"]
        file = prediction_file(dataset, player, folder / "result.jsonl")
        trajectories = list(played(dataset, player))
        requests = count_requests(dataset)
        times = in_turns(
            {
                YARDSTICK: partial(parse, file),
                "load 256 sessions": partial(BENCHMARK.load, data, "en"),
                "read the predictions": lambda: deque(BENCHMARK.predictions(dataset, file), 0),
                "score to files, data loaded": partial(score_in_new_folder, folder, dataset, file),
                "toolgauge score, whole process": partial(score_command, folder, data, file),
                "toolgauge data check mini": partial(command, "data", "check", "mini"),
                "toolgauge data stats mini": partial(command, "data", "stats", "mini"),
                "play all episodes (oracle)": partial(play, dataset),
                "append the run": partial(append, folder, trajectories),
            },
            chosen.rounds,
        )
    show(f"1,024 tasks, {requests} requests of the oracle", times, YARDSTICK)
    lines = sum(len(trajectory.steps) for trajectory in trajectories)
    print(f"  an episode per request: {min(times['play all episodes (oracle)']) / requests * 1e6:.0f} microseconds")
    print(f"  an append: {min(times['append the run']) / lines * 1e6:.0f} microseconds")


if __name__ == "__main__":
    main()
