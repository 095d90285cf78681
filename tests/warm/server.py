"""Commands as children of a process that has imported everything: they start in milliseconds instead of 0.6 seconds.

`warm_toolgauge()` gives the beginning of a command line that does what `python -m toolgauge` does. What is started with
it is `client.py`, a process of its own with its own pipes, folder, environment and signals: it hands these to the
server and ends as the command ends; where it is killed, the command is killed. Tests of the start itself, and of what
a signal does then, start Python (`python -m toolgauge`).
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
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parent.parent.parent
CLIENT = Path(__file__).parent / "client.py"
STREAMS = 3
"""Descriptors that come with a request: standard input, output and error."""
LENGTH = struct.Struct("!I")


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


@cache
def address() -> str:
    """Start the server of this process, which ends with it; the path of its socket."""
    folder = tempfile.TemporaryDirectory(prefix="warm")
    place = str(Path(folder.name) / "socket")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "PYTHONPATH": str(ROOT)}
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
    child = os.fork()
    if child == 0:
        client.close()
        _become(request, streams)
        return
    for stream in streams:
        os.close(stream)
    _watch(client, child)


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


def _watch(client: socket.socket, child: int) -> NoReturn:
    """Pass signals on, tell how the command ended, and end it where the client is gone."""
    ended = os.pidfd_open(child)
    while True:
        readable, _, _ = select.select([client.fileno(), ended], [], [])
        if ended in readable:
            _, status = os.waitpid(child, 0)
            with suppress(OSError):
                client.sendall(struct.pack("!i", os.waitstatus_to_exitcode(status)))
            os._exit(0)
        asked = client.recv(1)
        os.kill(child, asked[0] if asked else signal.SIGKILL)
        if not asked:
            os.waitpid(child, 0)
            os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1])
    from toolgauge.__main__ import main

    run_to_the_end(main)
