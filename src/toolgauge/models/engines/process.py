"""An engine's process: started in a group of its own, watched until it answers, stopped with all its children; and the
ports at which engines listen."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from toolgauge.errors import ToolgaugeError, UsageError, os_cause
from toolgauge.limits import MAX_ERROR_BYTES
from toolgauge.models.engines import guard
from toolgauge.models.failures import AttemptFailure
from toolgauge.models.http import ask_now
from toolgauge.models.model import ModelOptions
from toolgauge.models.provider import PROVIDERS
from toolgauge.models.providers import find_endpoint
from toolgauge.models.settings import Settings, without_hosted_keys

KEPT_LINES = 40
"""How many of the engine's last lines are kept."""
LONGEST_LINE = 2_000
POLL_SECONDS = 0.5
REQUEST_SECONDS = 5.0
GRACE_SECONDS = 20.0
"""How long an engine has to end after SIGTERM before it is killed."""
KILLED_SECONDS = 5.0


class EngineEnded(ToolgaugeError):
    """The engine ended by itself, or did not get ready in time."""


class EngineProcess:
    """A running engine; use it as a context manager, so that nothing of it is left behind."""

    def __init__(
        self, command: Sequence[str], log: IO[str] | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start it. log: gets every line; environment: variables for it, where they are not set already.

        Raises UsageError where the command cannot be run.
        """
        inherited = without_hosted_keys(os.environ)  # an engine may run code that came with a model
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command is what the user asked for
                (sys.executable, "-I", "-S", guard.__file__, str(GRACE_SECONDS), *command),
                env={**(environment or {}), **inherited},
                stdin=subprocess.PIPE,  # closes when this process ends, however it does
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # a group to be ended whole, out of reach of the terminal's Ctrl-C
            )
        except OSError as error:
            raise UsageError(f"cannot start {command[0]}: {os_cause(error)}") from error
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._log = log
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The engine's process, and its group."""
        return self._process.pid

    def last_lines(self) -> list[str]:
        """What it said last, with nothing in it that a terminal obeys."""
        return list(self._lines)

    def wait_until_ready(self, base_url: str, limit: float, news: Callable[[float, str], None]) -> float:
        """Ask until it answers; the seconds that took.

        limit: in seconds; news: told the seconds so far and the engine's last line, about twice a second.
        Raises EngineEnded.
        """
        began = time.monotonic()
        while True:
            self._still_running(" before it was ready")
            elapsed = time.monotonic() - began
            if _answers(base_url):
                self._still_running(" before it was ready")  # else somebody else answered
                return elapsed
            if elapsed > limit:
                raise EngineEnded(f"the engine was not ready after {limit:g} s and was stopped; raise --wait")
            news(elapsed, self._lines[-1] if self._lines else "")
            time.sleep(POLL_SECONDS)

    def wait(self) -> None:
        """Stay until it ends by itself; raises EngineEnded then."""
        while self._process.poll() is None:
            time.sleep(POLL_SECONDS)
        self._still_running("")

    def stop(self) -> None:
        """End it and its children: SIGTERM, then SIGKILL for what is left after GRACE_SECONDS or a second Ctrl-C."""
        try:
            self._signal(signal.SIGTERM)
            self._gone_within(GRACE_SECONDS)
        except KeyboardInterrupt:
            pass
        finally:
            self._signal(signal.SIGKILL)
            self._gone_within(KILLED_SECONDS)
            self._reader.join(1)

    def _still_running(self, when: str) -> None:
        code = self._process.poll()
        if code is not None:
            self._reader.join(1)  # its last words may still be on their way
            how = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
            raise EngineEnded(f"the engine {how}{when}; see its last lines above")

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):  # macOS denies a group of which only the dead are left
            return

    def _gone_within(self, seconds: float) -> bool:
        """Has every process of the group ended within that time?"""
        until = time.monotonic() + seconds
        while True:
            self._process.poll()  # takes note of its end, so that it does not stay in the group
            try:
                os.killpg(self.pid, 0)
            except (ProcessLookupError, PermissionError):
                return True
            if time.monotonic() > until:
                return False
            time.sleep(0.05)

    def _read(self) -> None:
        """Read all output, so that the engine never blocks on a full pipe."""
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            while raw := stream.readline(LONGEST_LINE):
                text = raw.decode("utf-8", "replace").rstrip().rpartition("\r")[2]  # of a progress bar, the last state
                text = _COLOURS.sub("", text)
                line = "".join(character if character.isprintable() else " " for character in text).strip()
                if line:
                    self._lines.append(line)
                if self._log is not None and not self._log.closed:
                    self._log.write(f"{line}\n")
                    self._log.flush()


_COLOURS = re.compile(r"\x1b\[[\d;]*[A-Za-z]")


def _answers(base_url: str) -> bool:
    """Does the engine say that it is healthy? One without /health is asked for its models."""
    endpoint = find_endpoint(PROVIDERS["llamacpp"], ModelOptions(base_url=base_url), Settings({}))
    for address in (f"{base_url.removesuffix('/v1')}/health", f"{base_url}/models"):
        answer = ask_now(endpoint, address, seconds=REQUEST_SECONDS, most=MAX_ERROR_BYTES)
        if isinstance(answer, AttemptFailure):  # not there yet, or not what speaks HTTP
            return False
        if answer.status != 404:
            return answer.is_success
    return False


LOOPBACK = "127.0.0.1"


def reachable(host: str) -> str:
    """The address for a client on this machine."""
    host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - never bound here
    return f"[{host}]" if ":" in host else host


def free_port(host: str) -> int:
    """A port on which nobody listens now."""
    with _bound(host, 0) as listener:
        port: int = listener.getsockname()[1]
        return port


def check_port(host: str, port: int) -> None:
    """Raises UsageError if the port is taken: the program behind it would be mistaken for the engine."""
    _bound(host, port).close()


def _bound(host: str, port: int) -> socket.socket:
    listener = None
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except (OSError, UnicodeError) as error:
        if listener is not None:
            listener.close()
        raise UsageError(f"cannot listen on --host {host} --port {port}: {error}; choose another") from error
    return listener
