"""A generation - 256 dialogues of 4 tasks - beside the time that its replies take.

    python perf/generate_speed.py [--rounds 3] [--latency 0.2] [--connections 64] [--language en]

The server answers as the scripted agents do, from a table of every request, after a fixed time and in a process of its
own. Ideal is what the replies alone take where so many workers each have one dialogue after the other in the spec of
the slots. Wall time runs from the first request to the last reply; the files that are made afterwards are timed apart.
Targets: wall at most 1.15x ideal; memory flat (resident after each quarter of the dialogues).
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import heapq
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web

from mock_server import serve
from scales import Scales, resident_megabytes
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge.generation.options import GenerationOptions
from toolgauge.generation.spec import GenerationPlan, plan_generation
from toolgauge.models.builtin.models import oracle
from toolgauge.models.formats import RequestEncoder
from toolgauge.models.model import ModelOptions, Sampling
from toolgauge.runs.budget import Budget
from toolgauge.runs.executors.local import LocalExecutor
from toolgauge.runs.store import RunStore

MODEL = "mock"
ANSWERS, STEPS, SCENARIOS = "answers.json", "steps.json", "scenarios.jsonl"
DIALOGUES = 256
TARGET = 1.15

Figures = dict[str, Any]


class Body(msgspec.Struct):
    """As much of a request as decides about the answer."""

    messages: msgspec.Raw


_decode = msgspec.json.Decoder(Body).decode


def key(body: bytes) -> str:
    return hashlib.blake2b(bytes(_decode(body).messages), digest_size=12).hexdigest()


def prepare(folder: Path, language: str) -> None:
    """Every request with its reply, and how many each dialogue makes, in the spec of the slots."""
    # everybody opens in a scenario of one's own, so that no two dialogues begin with the same request
    scenarios = [json.dumps({"id": f"visitor {number}", "persona": f"visitor {number}"}) for number in range(DIALOGUES)]
    (folder / SCENARIOS).write_text("\n".join(scenarios))
    spec = planned(folder, folder, language, "builtin/oracle").spec()
    encoder, answers = RequestEncoder(MODEL, Sampling()), {}

    def answer(request: Request) -> Reply:
        reply = oracle(request)
        answers[key(encoder.body(request))] = reply.content
        return reply

    steps = [len(drive(spec.episode(sample), answer).steps) for sample in spec.samples]
    (folder / ANSWERS).write_text(json.dumps(answers))
    (folder / STEPS).write_text(json.dumps(steps))


def planned(folder: Path, out: Path, language: str, model: str, reached: ModelOptions | None = None) -> GenerationPlan:
    """All paths of four tasks; folder: where the scenarios are."""
    options = GenerationOptions(language=language, scenarios=str(folder / SCENARIOS))
    return plan_generation(options, model, reached, out / "run")


def ideal_seconds(steps: Sequence[int], workers: int, latency: float) -> float:
    """The time at which the last of the workers is done if only replies take time."""
    free = [0.0] * workers
    for count in steps:
        heapq.heapreplace(free, free[0] + count * latency)
    return max(free)


def application(answers: dict[str, str], latency: float) -> web.Application:
    """The server; latency in seconds."""
    usage = {"prompt_tokens": 3000, "completion_tokens": 40, "total_tokens": 3040}

    async def answer(request: web.Request) -> web.Response:
        begun = asyncio.get_running_loop().time()
        content = answers[key(await request.read())]
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1720000000, "model": MODEL}
        body = msgspec.json.encode(head | {"choices": [choice], "usage": usage})
        await asyncio.sleep(begun + latency - asyncio.get_running_loop().time())
        return web.Response(body=body, content_type="application/json")

    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/chat/completions", answer)
    return app


@contextmanager
def server(folder: Path, latency: float) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve", str(folder), "--latency", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()


async def generated(folder: Path, base_url: str, connections: int, language: str) -> Figures:
    """Have all dialogues, then make the files; the process is weighed after every quarter."""
    reached = ModelOptions(base_url=base_url, api_key="none", concurrency=connections)
    with tempfile.TemporaryDirectory(dir=folder) as out:
        plan = planned(folder, Path(out), language, f"openai/{MODEL}", reached)
        spec, scales = plan.spec(), Scales(len(plan.slots))
        store = RunStore(plan.folder).open(plan.manifest)
        runner = LocalExecutor(spec.episode, spec.models, store, Budget(lambda *_: None), scales)
        try:
            await spec.models["user"].ask(next(spec.episode(spec.samples[0])))  # what happens on first use
            wall, cpu = time.perf_counter(), time.process_time()
            await runner.run(spec.samples, connections)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        finally:
            await spec.models["user"].close()
            store.close(complete=True)
        begun = time.perf_counter()
        coverage = plan.write_files()
        files = time.perf_counter() - begun
        if coverage.slots.missing or runner.outcome.failed:
            raise RuntimeError(f"{runner.outcome}, {coverage.slots}")
    return {"wall": wall, "cpu": cpu, "files": files, "resident": [*scales.resident, resident_megabytes()]}


def in_child(folder: Path, base_url: str, connections: int, language: str) -> Figures:
    arguments = ["--child", str(folder), base_url, "--connections", str(connections), "--language", language]
    figures: Figures = json.loads(
        subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE).stdout
    )
    return figures


def measure(folder: Path, latency: float, connections: int, language: str, rounds: int) -> None:
    prepare(folder, language)
    steps: list[int] = json.loads((folder / STEPS).read_bytes())
    ideal = ideal_seconds(steps, connections, latency)
    with server(folder, latency) as base_url:
        runs = [in_child(folder, base_url, connections, language) for _ in range(rounds)]
    wall, cpu, files = (statistics.median(run[figure] for run in runs) for figure in ("wall", "cpu", "files"))
    resident = [statistics.median(run["resident"][place] for run in runs) for place in range(5)]
    print(f"{len(steps)} dialogues, {sum(steps)} requests, {latency:g} s latency, {connections} at once, {language}")
    print(f"  wall/ideal {wall / ideal:.3f}x (target {TARGET}x): {wall:.2f} s, ideal {ideal:.2f} s")
    print(f"  CPU {cpu / sum(steps) * 1000:.2f} ms per request; files {files:.2f} s")
    print("  resident after 25, 50, 75, 100%, and the files:", ", ".join(f"{mb:.1f}" for mb in resident), "MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--language", default="en")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        asyncio.run(serve(application(json.loads((chosen.serve / ANSWERS).read_bytes()), chosen.latency)))
    elif chosen.child:
        folder, base_url = chosen.child
        print(json.dumps(asyncio.run(generated(Path(folder), base_url, chosen.connections, chosen.language))))
    else:
        with tempfile.TemporaryDirectory() as name:
            measure(Path(name), chosen.latency, chosen.connections, chosen.language, chosen.rounds)


if __name__ == "__main__":
    main()
