"""Labels and time of bfcl-eval's own commands and of ours on one scripted model (scripted.py), all four categories.

    make bfcl                                             # makes the environment .venv/bfcl, and runs the tests
    cd packages/toolgauge-bfcl
    ../../.venv/bfcl/bin/python -m tests_bfcl.compare     # some minutes; --write also writes parity.json

The original is `generate` and `evaluate` in one process, ours `toolgauge run`; both with as many conversations at once.
Then our labels are asked for again: of two epochs, and of the recorded conversations in other orders.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import Trajectory
from toolgauge_bfcl.benchmark import CATEGORIES

PACKAGE = Path(__file__).parents[1]
PARITY = PACKAGE / "parity.json"
Labels = dict[str, str]
"""By the id of the entry: "" for a right conversation, else the original's error type."""


@contextmanager
def scripted(latency: float = 0.0) -> Iterator[str]:
    """The base URL of a server of the scripted model."""
    command = [sys.executable, "-m", "tests_bfcl.scripted", "--latency", str(latency)]
    with subprocess.Popen(command, cwd=PACKAGE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield server.stdout.readline().strip()
        server.stdin.close()


def model_of(category: str) -> str:
    return "scripted-" + category.replace("_", "-")


def original_labels(category: str, url: str, folder: Path, at_once: int) -> Labels:
    """What the original says."""
    arguments = [category, "--threads", str(at_once), "--results", str(folder)]
    command = [sys.executable, "-m", "tests_bfcl.original", *arguments]
    environment = {**os.environ, "OPENAI_BASE_URL": url, "BFCL_PROJECT_ROOT": str(folder)}
    done = subprocess.run(command, cwd=PACKAGE, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    labels: Labels = json.loads(done.stdout)
    return {entry: label.removeprefix("multi_turn:") for entry, label in labels.items()}


def run(category: str, url: str, folder: Path, at_once: int, *more: str) -> None:
    """`toolgauge run` into a folder."""
    command = [
        sys.executable, "-m", "toolgauge", "run", "bfcl-multi-turn", "-m", f"vllm/{model_of(category)}",
        "--base-url", url, "--category", category, "--concurrency", str(at_once),
        "--temperature", "0.001", "--set", "limits.probe=false", "--out", str(folder), *more,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def our_labels(folder: Path) -> dict[int, Labels]:
    """The labels of a run, by epoch."""
    labels: dict[int, Labels] = {}
    for line in (folder / "scores.jsonl").read_text().splitlines():
        score = json.loads(line)
        if "task_id" in score:
            key, _, epoch = score["task_id"].partition("#")
            labels.setdefault(int(epoch or 0), {})[key] = score["scorings"]["released"]["mistake"] or ""
    return labels


def labels_in_another_order(folder: Path, seed: int) -> Labels:
    """The labels of recorded conversations, judged again in this process, shuffled."""
    benchmark: Any = find_benchmark("bfcl-multi-turn")
    data = benchmark.load(benchmark.embedded, "en")
    lines = (folder / "trajectories.jsonl").read_bytes().splitlines()
    trajectories = [msgspec.json.decode(line, type=Trajectory) for line in lines]
    random.Random(seed).shuffle(trajectories)
    scores = [(one, score) for one in trajectories for score in benchmark.scores(data, one)]
    return {without_epoch(one.task_id, one.epoch): score.scorings["released"].mistake or "" for one, score in scores}


def differing(theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """The entries whose labels differ, or that one of the two lacks."""
    return sorted(entry for entry in theirs.keys() | ours.keys() if theirs.get(entry) != ours.get(entry))


def used() -> tuple[float, float]:
    """Seconds so far: by the clock, and of processors that ended children used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic(), children.ru_utime + children.ru_stime


def compare(url: str, folder: Path, at_once: int) -> dict[str, Any]:
    """Both on all four categories: labels, and seconds by the clock and of processors."""
    seconds = {"original": (0.0, 0.0), "toolgauge": (0.0, 0.0)}
    theirs: Labels = {}
    wrong: dict[str, list[str]] = {"one epoch": [], "two epochs": [], "another order": []}

    def timed(side: str, since: tuple[float, float]) -> None:
        now = used()
        seconds[side] = (seconds[side][0] + now[0] - since[0], seconds[side][1] + now[1] - since[1])

    for category in CATEGORIES:
        started = used()
        labels = original_labels(category, url, folder / f"original-{category}", at_once)
        timed("original", started)
        started = used()
        run(category, url, folder / category, at_once)
        timed("toolgauge", started)
        wrong["one epoch"] += differing(labels, our_labels(folder / category)[0])
        wrong["another order"] += differing(labels, labels_in_another_order(folder / category, seed=1))
        run(category, url, folder / category, at_once, "--epochs", "2")
        for epoch in our_labels(folder / category).values():
            wrong["two epochs"] += differing(labels, epoch)
        theirs |= labels
        print(f"{category}: {len(labels)} entries, differing {[len(each) for each in wrong.values()]}", flush=True)
    return {"labels": theirs, "differing": wrong, "seconds": seconds}


def ratios(seconds: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    """How many times as long the original takes: by the clock, and in processors' time. Prints both."""
    (clock, work), (our_clock, our_work) = seconds["original"], seconds["toolgauge"]
    print(f"clock: original {clock:.1f} s, toolgauge {our_clock:.1f} s: {clock / our_clock:.2f} times as fast")
    print(f"processors: original {work:.1f} s, toolgauge {our_work:.1f} s: {work / our_work:.2f} times as fast")
    return clock / our_clock, work / our_work


def parity(found: Mapping[str, Any]) -> dict[str, Any]:
    """What parity.json keeps of a comparison."""
    return {
        "compared_with": "bfcl-eval: its own `generate` and `evaluate` of the multi_turn categories",
        "version": importlib.metadata.version("bfcl-eval"),
        "what": "verdict and error type of a scripted model that fails in twelve ways and is right in a thirteenth",
        "cases": len(found["labels"]),
        "labels": dict(sorted(Counter(label or "right" for label in found["labels"].values()).items())),
        "differing": {way: len(entries) for way, entries in found["differing"].items()},
        "why": [],
        "not_among_the_cases": ["requests that a provider refuses: failed samples here, inference_error there"],
        "repeat": "make bfcl; cd packages/toolgauge-bfcl; ../../.venv/bfcl/bin/python -m tests_bfcl.compare",
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.0, help="of the server, in seconds")
    parser.add_argument("--at-once", type=int, default=8, help="conversations")
    parser.add_argument("--write", action="store_true", help="parity.json")
    arguments = parser.parse_args()
    with scripted(arguments.latency) as address, tempfile.TemporaryDirectory() as results:
        result = compare(address, Path(results), arguments.at_once)
    record = parity(result)
    print(json.dumps(record, indent=2))
    ratios(result["seconds"])
    if arguments.write:
        PARITY.write_text(json.dumps(record, indent=2) + "\n")
