"""Commands as children of a process that has imported everything: they start in milliseconds instead of 0.6 seconds.

`warm_toolgauge()` gives the beginning of a command line that does what `python -m toolgauge` does. What is started with
it is `client.py`, a process of its own with its own pipes, folder, environment and signals: it hands these to the
server and ends as the command ends; where it is killed, the command is killed. Tests of the start itself, and of what
a signal does then, start Python (`python -m toolgauge`). `run_within` carries a command out within limits of time,
memory and network, and tells what it took: for thousands of hostile inputs.
"""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parent.parent.parent
CLIENT = Path(__file__).parent / "client.py"
STREAMS = 3
"""Descriptors that come with a request: standard input, output and error."""
LENGTH = struct.Struct("!I")
LARGEST_FILE = 300 << 20
"""Bytes: what a command within limits may write into one file."""
POLL_SECONDS = 0.01
HERE = ("127.0.0.1", "localhost", "::1", b"127.0.0.1", b"localhost", None, "")


@dataclass(frozen=True)
class Limits:
    """What a command may take: seconds (wall, cpu), bytes of resident memory. It is asked to end (SIGINT) when
    `interrupt_at` stands in the file `output`, or after so many seconds."""

    wall: float = 30.0
    cpu: int = 10
    memory: int = 500 << 20
    output: str = ""
    interrupt_at: str = ""
    interrupt_after: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """How a command ended. code: its exit code, minus the signal that ended it; killed: "wall" or "memory" where it was
    over a limit; cpu and wall in seconds, memory in bytes at the peak; left: processes of its session that were still
    there after its end, and were killed."""

    code: int
    killed: str = ""
    cpu: float = 0.0
    wall: float = 0.0
    memory: int = 0
    left: tuple[int, ...] = ()


def warm_toolgauge(before: str = "") -> list[str]:
    """The program and its first arguments; those of toolgauge follow. before: Python that is carried out first, where
    the process is a warm one."""
    if not hasattr(os, "pidfd_open"):  # not Linux: a fresh process does the same, later
        return [sys.executable, "-m", "toolgauge"]
    return [sys.executable, "-SI", str(CLIENT), address(), "-m", before]


def warm_script(before: str = "") -> str:
    """The text of a script `toolgauge` that does so. before: Python that a command carries out before it begins."""
    if not hasattr(os, "pidfd_open"):
        return f"#!{sys.executable}\n{before}\nfrom toolgauge.cli.main import main\nmain()\n"
    arguments = [str(CLIENT), address(), "", before]
    return f"#!{sys.executable} -SI\nimport sys\nsys.argv[:1] = {arguments!r}\nexec(open(sys.argv[0]).read())\n"


def run_within(limits: Limits, arguments: list[str], folder: str, environment: dict[str, str], errors: str) -> Outcome:
    """Carry out a command in a session of its own, which reaches no other machine; its output goes into files."""
    request = {"folder": folder, "environment": environment, "program": "", "before": "", "arguments": arguments}
    body = json.dumps(request | {"limits": asdict(limits)}).encode()
    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    streams = [os.open(os.devnull, os.O_RDONLY), *(os.open(name, new, 0o600) for name in (limits.output, errors))]
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address())
        socket.send_fds(server, [LENGTH.pack(len(body))], streams)
        server.sendall(body)
        for stream in streams:
            os.close(stream)
        with server.makefile("rb") as answer:
            return Outcome(**json.loads(answer.readline()))


@cache
def address() -> str:
    """Start the server of this process, which ends with it; the path of its socket."""
    folder = tempfile.TemporaryDirectory(prefix="warm")
    place = str(Path(folder.name) / "socket")
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    environment = {**os.environ, **one_thread, "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.warm.server", place],
        stdin=subprocess.PIPE,  # it ends when this is closed, however this process ends
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=environment,
        cwd=ROOT,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"

    def end() -> None:
        server.kill()
        server.communicate()
        folder.cleanup()

    atexit.register(end)
    return place


LATE = ("aiohttp", "httpx2", "jinja2", "jsonschema_rs", "numpy.random", "openai", "xlsxwriter", "yaml")
LATE_OF_TERMINALS = ("rich.live", "rich.markdown", "rich.progress", "rich.table", "rich.traceback", "typer.rich_utils")
LATE_OF_EXTRAS = ("mcp.client.session", "mcp.client.stdio")


def import_all() -> None:
    """What commands import late, and what is the same for every site: no child has to. Libraries that start threads
    when imported are left out; what needs threads is done in another process."""
    import toolgauge
    from toolgauge.benchmarks.dialogues.benchmark import MINI, MINI_FILE
    from toolgauge.data.lines import LANGUAGES
    from toolgauge.report.rendering import environment

    for name in (*LATE, *LATE_OF_TERMINALS):
        importlib.import_module(name)
    own = (one.name for one in pkgutil.walk_packages(toolgauge.__path__, "toolgauge.", onerror=lambda _: None))
    for name in (*LATE_OF_EXTRAS, *own):
        with suppress(ImportError):
            if not name.endswith("__main__"):
                importlib.import_module(name)
    for template in environment().list_templates(["html"]):
        environment().get_template(template)
    for language in LANGUAGES:
        MINI.load(MINI_FILE, language)
    assert threading.active_count() == 1, "a fork must not lose threads"


def run_to_the_end(main: Callable[[], object]) -> None:
    """Run a command in this child and end as Python would, but for taking apart all that was imported: that alone takes
    several times as long as a short command."""
    try:
        main()
    except SystemExit as ended:
        if isinstance(ended.code, int | None):
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
            with suppress(OSError, ValueError):  # of a reader that is gone: as usual
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit((ended.code or 0) & 0xFF)
        raise


# The server


def serve(place: str) -> None:
    """Answer clients until standard input ends. Returns only in children that are to become a command."""
    import_all()
    gc.freeze()  # what is shared with the children stays shared
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen(64)
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([listener.fileno(), 0], [], [])
        if 0 in readable:
            os._exit(0)
        client, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _attend(client)
            return
        client.close()
        with suppress(ChildProcessError):  # watchers that have ended
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _attend(client: socket.socket) -> None:
    """In a process of its own: begin the command that a client asks for, and watch both. Returns in the command."""
    request, streams = _receive(client)
    limits = Limits(**request["limits"]) if "limits" in request else None
    child = os.fork()
    if child == 0:
        client.close()
        _become(request, streams)
        if limits is not None:
            _confine(limits)
        return
    for stream in streams:
        os.close(stream)
    _watch(client, child, limits)


def _receive(client: socket.socket) -> tuple[dict[str, Any], list[int]]:
    head, ancillary, _, _ = client.recvmsg(LENGTH.size, socket.CMSG_SPACE(STREAMS * 4))
    streams = array.array("i")
    for _, _, data in ancillary:
        streams.frombytes(data)
    (length,) = LENGTH.unpack(head)
    body = b""
    while len(body) < length:
        body += client.recv(length - len(body))
    return json.loads(body), list(streams)


def _become(request: dict[str, Any], streams: list[int]) -> None:
    """Turn this process into the command: its streams, folder, environment and arguments."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "utf-8").partition(":")
    for number, name, handler in ((1, "stdout", errors or "strict"), (2, "stderr", "backslashreplace")):
        lines = number == 2 or os.isatty(number) or "PYTHONUNBUFFERED" in os.environ
        binary = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
        text = io.TextIOWrapper(binary, encoding, handler, line_buffering=lines)
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    module = request["program"] == "-m"  # typer's usage lines say how a program was started
    sys.modules["__main__"].__package__ = "toolgauge" if module else None
    sys.argv = [str(ROOT / "src/toolgauge/__main__.py") if module else "toolgauge", *request["arguments"]]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    exec(request["before"], {"__name__": "before"})


def _confine(limits: Limits) -> None:
    """A session of its own, what it may take, and no other machine; the project's folders are no packages for it."""
    os.setsid()
    sys.path[:] = [place for place in sys.path if place not in ("", str(ROOT))]
    sys.addaudithook(_stay_here)
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu, limits.cpu + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _stay_here(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: the command asks no other machine, whatever it was told."""
    if event == "socket.getaddrinfo" and arguments[0] not in HERE:
        raise OSError(f"{arguments[0]!r} is another machine")
    if event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] not in HERE:
        raise OSError(f"{arguments[1][0]!r} is another machine")


def _watch(client: socket.socket, child: int, limits: Limits | None) -> NoReturn:
    """Pass signals on, tell how the command ended, and end it where the client is gone or it is over a limit."""
    ended, began, killed, most, asked = os.pidfd_open(child), time.monotonic(), "", 0, False
    while True:
        readable, _, _ = select.select([client.fileno(), ended], [], [], POLL_SECONDS if limits else None)
        if ended in readable:
            break
        if readable:
            signals = client.recv(1)
            os.kill(child, signals[0] if signals else signal.SIGKILL)
            if not signals:
                os.waitpid(child, 0)
                os._exit(0)
        if limits is not None:
            seconds, most = time.monotonic() - began, max(most, _resident(child))
            over = "wall" if seconds > limits.wall else "memory" if most > limits.memory else ""
            if over and not killed:
                killed = over
                os.kill(child, signal.SIGKILL)
            if not asked and _is_due(limits, seconds):
                asked = True
                os.kill(child, signal.SIGINT)
    _, status, usage = os.wait4(child, 0)
    outcome = Outcome(
        code=os.waitstatus_to_exitcode(status),
        killed=killed,
        cpu=usage.ru_utime + usage.ru_stime,
        wall=time.monotonic() - began,
        memory=max(most, usage.ru_maxrss << 10),
        left=tuple(_end_session(child)) if limits else (),
    )
    with suppress(OSError):
        client.sendall(json.dumps(asdict(outcome)).encode() + b"\n")
    os._exit(0)


def _is_due(limits: Limits, seconds: float) -> bool:
    """Is it time for Ctrl-C?"""
    if limits.interrupt_after:
        return seconds > limits.interrupt_after
    return bool(limits.interrupt_at) and limits.interrupt_at in Path(limits.output).read_text("utf-8", "replace")


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
    serve(sys.argv[1])
    from toolgauge.__main__ import main

    run_to_the_end(main)
