"""All of mini at the defaults on a server of two slots, beside the time that its replies take on two slots.

    python perf/slots_speed.py [--manner TELLS|QUEUES|REFUSES] [--slots 2] [--seconds 1]

The server (tests/slot_server.py) tells how many slots it has, lets requests wait without a word, or refuses them with
HTTP 503 while it is full. Only requests that keep all slots busy, and backoffs that leave none empty, reach
the target: 1.15. A manner takes two minutes; at 10 seconds a reply 25, and next to no processor: run them side by side.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.slot_server import Manner, slot_server

from toolgauge.api import execute_plan, plan_run
from toolgauge.models.model import EndpointOptions
from toolgauge.runs.options import RunOptions


def measure(manner: Manner, slots: int, seconds: float) -> None:
    """Print the ratio of one run."""
    with slot_server(slots, manner, seconds) as server, tempfile.TemporaryDirectory() as folder:
        options = RunOptions(endpoint=EndpointOptions(base_url=server.base_url))
        plan = plan_run("mini", "openai/m", out=Path(folder) / "run", options=options.model_options())
        began = time.monotonic()
        result = execute_plan(plan, options.limits.concurrency)
        wall, ideal = time.monotonic() - began, server.replies * seconds / slots
        print(
            f"{manner.name}: {server.replies} replies of {seconds:g} s on {slots} slots: {wall:.1f} s, ideally "
            f"{ideal:.1f} s: {wall / ideal:.3f}x; refused {server.refused}, timed out {server.abandoned}, "
            f"failed {result.outcome.failed}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--manner", choices=[one.name for one in Manner])
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0)
    asked = parser.parse_args()
    for manner in Manner if asked.manner is None else [Manner[asked.manner]]:
        measure(manner, asked.slots, asked.seconds)


if __name__ == "__main__":
    main()
