"""A run on a Ray cluster of this machine: two workers, beside one process with the same concurrency.

    python perf/ray_speed.py [--rounds 3] [--tasks 512] [--latency 0.5] [--connections 64]

The endpoint of run_speed.py answers after a fixed time, in a process of its own, so that the ideal time is known:
latency times the requests that every connection has to make one after the other. Wall time runs from the first
conversation given out to the last one written down; what starting Ray takes is printed beside it. `driver` is the CPU
that the process spends which gives out conversations and writes the run directory, per request: its inverse bounds what
a cluster can do, however many workers it has.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from run_speed import DATA, MODEL, prepare, server
from scales import resident_megabytes

ENGINES = ("local", "ray")
WORKERS = 2

Figures = dict[str, Any]


def child(engine: str, folder: Path, base_url: str, connections: int) -> Figures:
    """One run, as the command line does it."""
    from toolgauge.api import plan_run
    from toolgauge.benchmarks.benchmark import Sample
    from toolgauge.models.model import ModelOptions
    from toolgauge.runs.executors import ray
    from toolgauge.runs.executors.executor import ProgressListener, RunSpec
    from toolgauge.runs.executors.local import local_executor
    from toolgauge.runs.run import execute

    first: list[tuple[float, float]] = []

    class Timed(ray.SampleQueue):
        """Notes when the first conversation is given out."""

        def take(self, worker: int, slots: int) -> list[Sample]:
            if not first:
                first.append((time.perf_counter(), time.process_time()))
            return super().take(worker, slots)

    vars(ray)["SampleQueue"] = Timed
    options = ModelOptions(base_url=base_url, api_key="none", concurrency=connections)
    with tempfile.TemporaryDirectory(dir=folder) as out:
        plan = plan_run("wildtoolbench", f"openai/{MODEL}", data=folder / DATA, out=Path(out) / "run", options=options)
        order = RunSpec(plan.samples, plan.episode, plan.models, plan.folder, plan.manifest, openings=plan.openings)
        last: list[tuple[float, float]] = []

        class Clock(ProgressListener):
            """Notes when a conversation ended."""

            def ended(self, *_: object) -> None:
                last[:] = [(time.perf_counter(), time.process_time())]

        began = time.perf_counter()
        if engine == "local":
            first.append((began, time.process_time()))
        chosen = ray.on_ray(workers=WORKERS) if engine == "ray" else local_executor
        carried = execute(order, connections, engine=chosen, listener=Clock())
        whole = time.perf_counter() - began
    if carried.outcome.done != len(plan.samples):
        raise RuntimeError(f"{carried.outcome}")
    wall, cpu = (end - start for start, end in zip(first[0], last[0], strict=True))
    return {"wall": wall, "start": whole - wall, "cpu": cpu, "memory": resident_megabytes()}


def in_child(engine: str, folder: Path, base_url: str, connections: int) -> Figures:
    command = [sys.executable, __file__, "--child", engine, str(folder), base_url, str(connections)]
    figures: Figures = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=512, help="a multiple of 4; each is two requests")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--child", nargs=4, metavar=("ENGINE", "FOLDER", "URL", "CONNECTIONS"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        engine, folder, base_url, connections = chosen.child
        print(json.dumps(child(engine, Path(folder), base_url, int(connections))))
        return
    if importlib.util.find_spec("ray") is None:
        print("  not measured: Ray is not installed (pip install -e .[ray])")
        return
    runs: dict[str, list[Figures]] = {engine: [] for engine in ENGINES}
    with tempfile.TemporaryDirectory() as temporary:
        prepare(Path(temporary), chosen.tasks)
        with server(Path(temporary), chosen.latency) as base_url:
            for _ in range(chosen.rounds):
                for engine in ENGINES:
                    runs[engine].append(in_child(engine, Path(temporary), base_url, chosen.connections))
    requests = 2 * chosen.tasks
    ideal = chosen.latency * -(-requests // chosen.connections)
    print(f"{requests} requests, {chosen.latency:g} s latency, {chosen.connections} connections; ideal {ideal:.2f} s")
    for engine, all_figures in runs.items():
        middle = {name: statistics.median(one[name] for one in all_figures) for name in all_figures[0]}
        print(
            f"  {engine:6} {middle['wall']:6.2f} s ({middle['wall'] / ideal:.3f}x ideal), start and end"
            f" {middle['start']:.1f} s, driver {middle['cpu'] / requests * 1000:.2f} ms CPU per request,"
            f" {middle['memory']:.0f} MB"
        )


if __name__ == "__main__":
    main()
