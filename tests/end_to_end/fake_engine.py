"""An engine that only pretends: it starts slowly, answers /health, has a child, and misbehaves as it is told.

Run as `vllm serve MODEL --host HOST --port PORT ...`. FAKE_ENGINE says what it does, several words with spaces between:
    slow        is not healthy for a second after it listens
    silent      listens, and never gets healthy
    dies        ends with exit code 3 before it listens
    collapses   ends with exit code 4 half a second after it was found healthy
    deaf        ignores SIGTERM, and so does its child
    orphans     dies, collapses: its child stays
FAKE_ENGINE_NOTES: a folder for what the tests look at: pids, arguments.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

MANNERS = os.environ.get("FAKE_ENGINE", "").split()
NOTES = Path(os.environ["FAKE_ENGINE_NOTES"])
BEGAN = time.monotonic()
CHILD = "import signal, time; {}time.sleep(120)"
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN); "


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        healthy = "silent" not in MANNERS and ("slow" not in MANNERS or time.monotonic() - BEGAN > 1)
        known = self.path == "/health"
        self.send_response(404 if not known else 200 if healthy else 503)
        self.end_headers()
        if known and healthy and "collapses" in MANNERS:
            threading.Timer(0.5, collapse).start()

    def log_message(self, *_: object) -> None:
        """Nothing about requests."""


def collapse() -> None:
    print("CUDA out of memory", flush=True)
    os._exit(4)


def main() -> None:
    arguments = sys.argv[1:]
    (NOTES / "arguments.json").write_text(json.dumps(arguments))
    if "deaf" in MANNERS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", CHILD.format(DEAF if "deaf" in MANNERS else "")])
    (NOTES / "pids.json").write_text(json.dumps([os.getpid(), child.pid]))
    print("loading weights \x1b[31m50 %\x1b[0m\x07", flush=True)
    if "dies" in MANNERS:
        print("ValueError: no such model", file=sys.stderr, flush=True)
        if "orphans" not in MANNERS:
            child.kill()
        os._exit(3)
    address = (arguments[arguments.index("--host") + 1], int(arguments[arguments.index("--port") + 1]))
    HTTPServer(address, Answers).serve_forever()


main()
