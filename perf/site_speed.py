"""The whole site of ten runs of 1,024 tasks: seconds, peak memory and size, beside reading the same trajectories.

Every reply carries some 120 words of reasoning, as thinking models give them. The ratio is building to decoding the
trajectories' lines once with the standard library.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from material import replicated, sources
from toolgauge.api import make_site, run, score

RUNS = 10
WORDS = "first look at what the user said before and which of the tools could help with that "


def prepared(folder: Path) -> list[Path]:
    """Ten scored runs over one data file of 256 sessions."""
    data = replicated(sources().get("public sample", sources()["mini"]), folder / "sessions.jsonl")
    runs = []
    for number in range(RUNS):
        model = f"builtin/noisy?seed={number}&rate=0.{3 + number % 6}"
        made = run("wildtoolbench", model, data=data, out=folder / f"run{number}").folder
        path = made / "trajectories.jsonl"
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        for line in lines:
            for at, step in enumerate(line["steps"]):
                step["reply"]["reasoning"] = f"{line['task_id']} {at} {number}: {WORDS * 7}"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        score(made)
        runs.append(made)
    return runs


def build(runs: list[Path], out: Path) -> None:
    """In a process of its own: what it takes is what is measured. peak: of the largest of its processes."""
    started = time.perf_counter()
    pages = make_site(runs, out)
    seconds, processor = time.perf_counter() - started, time.process_time()
    processor += sum(os.times()[2:4])  # of the processes beside
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024
    print(json.dumps({"pages": pages, "seconds": seconds, "processor": processor, "peak": peak}))


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        runs = prepared(folder)
        started = time.perf_counter()
        for path in runs:
            for line in (path / "trajectories.jsonl").open(encoding="utf-8"):
                json.loads(line)
        reading = time.perf_counter() - started
        command = [sys.executable, __file__, "build", *map(str, runs), str(folder / "site")]
        made = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        size = sum(path.stat().st_size for path in (folder / "site").rglob("*") if path.is_file()) / 1e6
        print(
            f"site of {RUNS} runs x 1,024 tasks: {made['pages']} pages, "
            f"{made['seconds']:.1f} s, {made['processor']:.1f} s of the processor "
            f"({made['seconds'] / reading:.1f} times reading the trajectories), "
            f"{made['peak']:.0f} MB at most in a process, {size:.1f} MB on disk"
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"]:
        build([Path(name) for name in sys.argv[2:-1]], Path(sys.argv[-1]))
    else:
        main()
