"""A review that is served by a process of its own, which can be killed and started again at the same address."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

LINK = re.compile(r"(\w+): (http://\S+)")


class ReviewProcess:
    """`toolgauge review` over a file. links: by name, of everybody who takes part."""

    def __init__(self, file: Path, folder: Path, language: str = "en", people: tuple[str, ...] = ("Ada", "Bo")) -> None:
        self.links: dict[str, str] = {}
        self._port, self._process = "0", None
        named = [part for name in people for part in ("--reviewer", name)]
        self._command = [str(file), "--out", str(folder), "--language", language, *named]
        self.start()

    _process: subprocess.Popen[str] | None

    def start(self) -> None:
        """Start it, again where it was before."""
        command = [sys.executable, "-m", "toolgauge", "review", *self._command, "--port", self._port]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self._process.stdout is not None
        told = []
        for line in self._process.stdout:
            told.append(line)
            if found := LINK.match(line):
                self.links[found[1]] = found[2]
            if "Ctrl-C" in line:
                break
        assert self.links, "".join(told)
        self._port = self.address.rpartition(":")[2]

    @property
    def address(self) -> str:
        return next(iter(self.links.values())).partition("/enter")[0]

    def kill(self) -> None:
        """At once, as kill -9 does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def enter(self, page: Any, name: str, session: str, ui: str = "en") -> Any:
        """Open somebody's link in a page, and a session in it."""
        page.goto(self.links[name])
        page.goto(f"{self.address}/?ui={ui}#/session/{session}")
        page.locator(".dialogue .line").first.wait_for()
        return page
