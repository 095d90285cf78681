"""`python -m toolgauge` from a warm process: everything is imported once, and every command runs in a child of it.

A command starts in milliseconds so, which is what makes thousands of them affordable. The process reads a JSON object
per line (an `Order`) and answers each with one (an `Outcome`); `Warm` starts it and speaks with it.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.warm.server import ROOT, import_all, run_to_the_end

POLL_SECONDS = 0.01
LARGEST_FILE = 300 << 20
"""Bytes: what a child may write into one file."""


@dataclass(frozen=True)
class Order:
    """A command and its limits. interrupt_at: send SIGINT when this stands in its output; wall, cpu in seconds, memory
    in bytes (of resident memory)."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]
    output: str
    errors: str
    wall: float = 30.0
    cpu: int = 10
    memory: int = 500 << 20
    interrupt_at: str = ""
    interrupt_after: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """How a command ended. code: its exit code, minus the signal that ended it; killed: "wall" or "memory" where it was
    over a limit; cpu in seconds, wall in seconds, memory in bytes at the peak."""

    code: int
    killed: str
    cpu: float
    wall: float
    memory: int
    left: list[int] = field(default_factory=list)
    """Processes of its session that were still there after its end; they were killed."""


class Warm:
    """The warm process, as a context manager."""

    def __enter__(self) -> Warm:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUTF8": "1", "POLARS_MAX_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.warm"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=ROOT,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def run(self, order: Order) -> Outcome:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asdict(order)).encode() + b"\n")
        self._process.stdin.flush()
        return Outcome(**json.loads(self._process.stdout.readline()))


def main() -> None:
    """Answer orders until the input ends. Returns only in children, with the command line in place."""
    import_all()
    gc.freeze()  # what is shared with the children stays shared
    answers = os.fdopen(os.dup(1), "wb", 0)
    os.dup2(2, 1)
    for line in iter(sys.stdin.buffer.readline, b""):
        order = Order(**json.loads(line))
        child = os.fork()
        if child == 0:
            answers.close()
            _become(order)
            return
        answers.write(json.dumps(asdict(_watch(child, order))).encode() + b"\n")
    os._exit(0)


def _become(order: Order) -> None:
    """Turn this child into the command."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, name, flags in ((0, os.devnull, os.O_RDONLY), (1, order.output, _NEW), (2, order.errors, _NEW)):
        descriptor = os.open(name, flags, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(order.folder)
    os.environ.clear()
    os.environ.update(order.environment)
    sys.addaudithook(_stay_here)
    sys.argv = ["toolgauge", *order.arguments]
    sys.modules["__main__"].__package__ = None  # as of an installed script: usage lines say `toolgauge`
    resource.setrlimit(resource.RLIMIT_CPU, (order.cpu, order.cpu + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _stay_here(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: no command of a test asks another machine, whatever it was told."""
    if event == "socket.getaddrinfo" and arguments[0] not in _HERE:
        raise OSError(f"{arguments[0]!r} is another machine")
    if event == "socket.connect":
        address = arguments[1]
        if isinstance(address, tuple) and address[0] not in _HERE:
            raise OSError(f"{address[0]!r} is another machine")


_HERE = ("127.0.0.1", "localhost", "::1", b"127.0.0.1", b"localhost", None, "")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def _watch(child: int, order: Order) -> Outcome:
    """Wait for a child; it is ended where it goes over a limit, and asked to end where the order says so."""
    began, killed, asked, most = time.monotonic(), "", False, 0
    while True:
        ended, status, usage = os.wait4(child, os.WNOHANG)
        if ended:
            break
        most = max(most, _resident(child))
        over = "wall" if time.monotonic() - began > order.wall else "memory" if most > order.memory else ""
        if over and not killed:
            killed = over
            os.kill(child, signal.SIGKILL)
        if not asked and _due(order, time.monotonic() - began):
            asked = True
            os.kill(child, signal.SIGINT)
        time.sleep(POLL_SECONDS)
    return Outcome(
        code=os.waitstatus_to_exitcode(status),
        killed=killed,
        cpu=usage.ru_utime + usage.ru_stime,
        wall=time.monotonic() - began,
        memory=max(most, usage.ru_maxrss << 10),
        left=_end_session(child),
    )


def _due(order: Order, seconds: float) -> bool:
    """Is it time for Ctrl-C?"""
    if order.interrupt_after:
        return seconds > order.interrupt_after
    try:
        return bool(order.interrupt_at) and order.interrupt_at in Path(order.output).read_text("utf-8", "replace")
    except OSError:
        return False  # the child has not begun


def _resident(process: int) -> int:
    """Bytes of memory that a process has now; 0 where it is gone or the system does not tell."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError, ValueError):
        return 0


def _end_session(session: int) -> list[int]:
    """Kill what a command has left running; nothing is found where there is no /proc."""
    left = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, IndexError, ValueError):
            fields = entry.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                left.append(int(entry.parent.name))
                os.kill(left[-1], signal.SIGKILL)
    return left


if __name__ == "__main__":
    sys.path.pop(0)  # the project, whose folders are no packages for a command
    main()
    from toolgauge.cli.verbs import main as toolgauge

    run_to_the_end(toolgauge)
