"""A whole run - 1,024 tasks of two requests each - beside the plain SDK sending the same requests.

    python perf/run_speed.py [--rounds 3] [--tasks 1024] [--whole]

toolgauge loads a data file, drives its episodes with the Runner and appends every reply and trajectory to a run
directory. The SDK, with its aiohttp transport, sends the same bodies from memory and keeps nothing: `sdk` as its
documentation shows it, `sdk-lean` with a body that it leaves alone (see client_speed.py). The server answers in a
process of its own. Every measurement is a process too; they take turns, and medians are compared. Wall time and CPU run
from the first request to the last reply, start-up apart; memory is the peak of the whole process.

Targets, against sdk-lean: wall at most 1.10x, CPU at most 1.5 ms per request and memory less than 150 MB above.

--whole: `toolgauge run` as a user starts it, from the start of the process to the prompt, tables included, beside the
ideal: the time of its replies alone. Target: wall at most 1.12x the ideal, at most 95 MB resident.
"""

from __future__ import annotations

import argparse
import asyncio
import compileall
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SETTINGS = ((0.2, 64), (1.0, 256))
"""(latency in seconds, connections)"""
DRIVERS = ("sdk", "sdk-lean", "toolgauge")
MODEL = "mock"
SOURCE = Path(__file__).parent.parent / "src"
DATA, BODIES, ANSWERS = "sessions.jsonl", "bodies.json", "answers.json"

Figures = dict[str, Any]


def prepare(folder: Path, tasks: int) -> None:
    """Write the data file, the bodies that a run over it sends, and the server's answers."""
    from material import BENCHMARK, single_call_sessions
    from toolgauge.chat import Reply
    from toolgauge.models.builtin.models import oracle

    single_call_sessions(folder / DATA, tasks // 4)
    dataset = BENCHMARK.load(folder / DATA, "en")
    tools = {session.id: [tool.wire() for tool in session.tools] for session in dataset.sessions}
    answers, bodies = {}, []
    for sample in BENCHMARK.samples(dataset):
        episode = BENCHMARK.episode(dataset, sample)
        first = next(episode)
        call = oracle(first).tool_calls[0]
        answers[first.messages[-1].content] = {"name": call.name, "arguments": call.arguments}
        second = episode.send(Reply(None, (call,)))
        said = [message.wire() for message in second.messages]
        bodies.append({"session": sample.session_id, "first": len(first.messages), "messages": said})
    (folder / BODIES).write_text(json.dumps({"tools": tools, "tasks": bodies}))
    (folder / ANSWERS).write_text(json.dumps(answers))


async def plain_sdk(folder: Path, base_url: str, connections: int, lean: bool) -> Figures:
    """What a short script around the SDK does: so many workers, two requests per task."""
    import httpx2
    import openai

    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
    client = openai.AsyncOpenAI(
        base_url=base_url, api_key="none", max_retries=0, http_client=openai.DefaultAioHttpClient(limits=limits)
    )
    material = json.loads((folder / BODIES).read_bytes())

    async def ask(task: dict[str, Any], messages: list[Any]) -> None:
        body: Any = {"messages": messages, "tools": material["tools"][task["session"]]}
        if lean:
            reply = await client.chat.completions.create(model=MODEL, messages=[], extra_body=body)
        else:
            reply = await client.chat.completions.create(model=MODEL, **body)
        if bool(reply.choices[0].message.tool_calls) != (messages[-1]["role"] == "user"):
            raise RuntimeError("not the reply that was expected")

    async def work(waiting: Iterator[dict[str, Any]]) -> None:
        for task in waiting:
            await ask(task, task["messages"][: task["first"]])
            await ask(task, task["messages"])

    async def run() -> None:
        waiting = iter(material["tasks"])
        await asyncio.gather(*(work(waiting) for _ in range(connections)))

    try:
        await ask(material["tasks"][0], material["tasks"][0]["messages"])  # what happens on first use
        return await measured(run, 2 * len(material["tasks"]))
    finally:
        await client.close()


async def our_runner(folder: Path, base_url: str, connections: int) -> Figures:
    """The Runner as `toolgauge run` uses it."""
    from scales import Scales
    from toolgauge.api import plan_run
    from toolgauge.models.model import ModelOptions
    from toolgauge.runs.budget import Budget
    from toolgauge.runs.executors.local import LocalExecutor
    from toolgauge.runs.store import RunStore

    options = ModelOptions(base_url=base_url, api_key="none", concurrency=connections)

    with tempfile.TemporaryDirectory(dir=folder) as out:
        plan = plan_run("wildtoolbench", f"openai/{MODEL}", data=folder / DATA, out=Path(out) / "run", options=options)
        scales = Scales(len(plan.samples))
        store = RunStore(plan.folder).open(plan.manifest)
        runner = LocalExecutor(plan.episode, plan.models, store, Budget(lambda *_: None), scales)
        try:
            await plan.model.ask(next(plan.episode(plan.samples[0])))  # in place of the probe
            figures = await measured(lambda: runner.run(plan.samples, connections), 2 * len(plan.samples))
        finally:
            await plan.model.close()
            store.close(complete=True)
        if runner.outcome.done != len(plan.samples):
            raise RuntimeError(f"{runner.outcome}")
    return figures | {"resident": scales.resident}


async def measured(run: Callable[[], Awaitable[object]], requests: int) -> Figures:
    """wall (s), cpu (ms per request), peak (MB)."""
    wall, cpu = time.perf_counter(), time.process_time()
    await run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"wall": wall, "cpu": cpu / requests * 1000, "peak": peak}


@contextmanager
def server(folder: Path, latency: float) -> Iterator[str]:
    script = str(Path(__file__).with_name("task_server.py"))
    command = [sys.executable, script, str(folder / ANSWERS), "--latency", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()


def in_child(driver: str, folder: Path, base_url: str, connections: int) -> Figures:
    command = [sys.executable, __file__, "--child", driver, str(folder), base_url, str(connections)]
    figures: Figures = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return figures


def child(driver: str, folder: Path, base_url: str, connections: int) -> Figures:
    if driver == "toolgauge":
        return asyncio.run(our_runner(folder, base_url, connections))
    return asyncio.run(plain_sdk(folder, base_url, connections, lean=driver == "sdk-lean"))


def compare(folder: Path, latency: float, connections: int, requests: int, rounds: int) -> None:
    runs: dict[str, list[Figures]] = {driver: [] for driver in DRIVERS}
    with server(folder, latency) as base_url:
        for _ in range(rounds):
            for driver in DRIVERS:
                runs[driver].append(in_child(driver, folder, base_url, connections))
    ideal = latency * -(-requests // connections)
    print(f"{requests} requests, {latency:g} s latency, {connections} connections; ideal {ideal:.2f} s")
    middle = {
        driver: {figure: statistics.median(run[figure] for run in runs[driver]) for figure in ("wall", "cpu", "peak")}
        for driver in DRIVERS
    }
    for driver, figures in middle.items():
        wall = f"{figures['wall']:6.2f} s ({figures['wall'] / ideal:.3f}x ideal)"
        print(f"  {driver:10} {wall}  {figures['cpu']:5.2f} ms CPU per request  {figures['peak']:4.0f} MB")
    ours = middle["toolgauge"]
    for yardstick in DRIVERS[:2]:
        plain = middle[yardstick]
        print(
            f"  toolgauge/{yardstick}: wall {ours['wall'] / plain['wall']:.3f}x,"
            f" CPU {ours['cpu'] - plain['cpu']:+.2f} ms per request, memory {ours['peak'] - plain['peak']:+.0f} MB"
        )
    resident = [statistics.median(run["resident"][quarter] for run in runs["toolgauge"]) for quarter in range(4)]
    print(
        "  toolgauge, resident after 25, 50, 75, 100% of the tasks: " + ", ".join(f"{mb:.1f}" for mb in resident), "MB"
    )


def whole(folder: Path, latency: float, connections: int, requests: int, rounds: int) -> None:
    """Print what `toolgauge run` takes, medians: wall (s, against the ideal), CPU (s) and peak memory (MB)."""
    compileall.compile_dir(SOURCE, quiet=1)  # as pip does: without bytecode every start takes 0.4 s more
    runs = []
    with server(folder, latency) as base_url:
        for number in range(rounds):
            out = folder / f"whole-{latency}-{number}"
            command = [
                *(
                    sys.executable,
                    "-m",
                    "toolgauge",
                    "run",
                    "wildtoolbench",
                    "-m",
                    f"openai/{MODEL}",
                    "--set",
                    "limits.probe=false",
                ),
                *("--base-url", base_url, "--data", str(folder / DATA), "--out", str(out)),
                *("--concurrency", str(connections)),
            ]
            began = time.perf_counter()
            process = subprocess.Popen(command, env=os.environ | {"OPENAI_API_KEY": "none"}, stdout=subprocess.DEVNULL)
            _pid, status, used = os.wait4(process.pid, 0)
            runs.append((time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise RuntimeError(f"toolgauge ended with {process.returncode}")
    ideal = latency * -(-requests // connections)
    wall, cpu, peak = (statistics.median(figures) for figures in zip(*runs, strict=True))
    print(f"{requests} requests, {latency:g} s latency, {connections} connections; ideal {ideal:.2f} s")
    print(f"  start to prompt {wall:6.2f} s ({wall / ideal:.3f}x ideal)  {cpu:5.2f} s CPU  {peak:4.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tasks", type=int, default=1024, help="a multiple of 4")
    parser.add_argument("--whole", action="store_true", help="the process from its start to the prompt")
    parser.add_argument("--child", nargs=4, metavar=("DRIVER", "FOLDER", "URL", "CONNECTIONS"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        driver, folder, base_url, connections = chosen.child
        print(json.dumps(child(driver, Path(folder), base_url, int(connections))))
        return
    with tempfile.TemporaryDirectory() as temporary:
        prepare(Path(temporary), chosen.tasks)
        for latency, connections in SETTINGS:
            measure = whole if chosen.whole else compare
            measure(Path(temporary), latency, connections, 2 * chosen.tasks, chosen.rounds)


if __name__ == "__main__":
    main()
