"""Runs an engine and ends it when whoever started it is gone: `python guard.py SECONDS COMMAND ...`, stdin a pipe.

Nobody writes into the pipe. Its other end is held by the process that started this one, so it closes when that process
ends, however it ends (kill -9, out of memory), on every system that has pipes. Then the whole process group, which this
program leads, gets SIGTERM, and SIGKILL after SECONDS. Only the standard library is imported: this stays in memory
as long as the engine.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time


def end_with_parent(grace: float) -> None:
    """Wait until the other end of stdin is closed, then end everybody in this group."""
    while os.read(0, 4096):
        pass
    os.killpg(0, signal.SIGTERM)
    time.sleep(grace)
    os.killpg(0, signal.SIGKILL)


def main() -> int:
    """The engine's exit code; where a signal ended it, this ends by the same."""
    grace, command = float(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGTERM, lambda *_: None)  # it is for the engine, which does not inherit this
    try:
        engine = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 - what the user asked for
    except OSError as error:
        sys.stdout.write(f"cannot start {command[0]}: {error.strerror}\n")
        return 127
    threading.Thread(target=end_with_parent, args=(grace,), daemon=True).start()
    code = engine.wait()
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main())
