"""The end of what a child process wrote to standard error, kept in bounded memory."""

from __future__ import annotations

import os
import threading
from typing import TextIO

from toolgauge.models.providers import masked
from toolgauge.tools.texts import unmarked

_KEPT = 16_384
"""Bytes: a traceback with its causes."""


class StderrTail:
    """A file to give to a child as standard error; as a context it is read until the child has closed it.

    secrets: texts that the child knows and that must not be repeated.
    """

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        self._secrets = secrets

    def __enter__(self) -> StderrTail:
        self._reading, writing = os.pipe()
        self.file: TextIO = os.fdopen(writing, "w")
        self._kept = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @property
    def text(self) -> str:
        """All that is kept."""
        self._close()
        return self._kept.decode(errors="replace")

    def after(self, what: str) -> str:
        """A message with the last line that mentions an error, else the last line, at its end; without output as it
        is."""
        lines = [line for line in self.text.splitlines() if line.strip()]
        telling = [line for line in lines if "error" in line.lower()] or lines
        if not lines:
            return what
        return f"{what}; last output: {unmarked(masked(telling[-1], self._secrets), 200)}"

    def _close(self) -> None:
        if not self.file.closed:
            self.file.close()
            self._thread.join(1)  # a grandchild may hold the other end for ever

    def _read(self) -> None:
        with os.fdopen(self._reading, "rb", buffering=0) as pipe:
            while data := pipe.read(_KEPT):
                self._kept = (self._kept + data)[-_KEPT:]
