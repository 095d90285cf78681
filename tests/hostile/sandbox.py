"""A place of its own for every command: what is around it, what has changed there, and what is wrong with that."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from tests.hostile.corpus.endpoints import FAILING, Servers
from tests.hostile.corpus.item import KEY, VICTIM, Surroundings
from tests.hostile.table import EXPORTS, Cell
from tests.warm.server import Limits, Outcome, run_within
from toolgauge.report.exports.catalogue import NAMES

WALL = 30.0
"""Seconds, generous: waiting costs nothing and machines are busy; what is measured is the time of the processor."""
CPU = 10
"""Seconds of the processor for a run and everything that follows from it."""
MEMORY = 500 << 20
LINES, CHARACTERS = 30, 20_000
"""Of standard error."""
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CONTROL = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029{BIDI}]")
_HASHED = 4 << 20
"""Bytes: larger files are told by their size and time alone."""
_INTERRUPTED = 130
"""The code after Ctrl-C."""
_ENDED_FOR_CPU = (-24, -9)
"""Minus SIGXCPU, and minus the SIGKILL that follows."""

Snapshot = dict[str, tuple[object, ...]]


@dataclass
class Sandbox:
    """The folders around one command. root: holds all of them; samples: intact material, shared by many."""

    root: Path
    samples: Path
    servers: Servers
    cell: Cell

    def __post_init__(self) -> None:
        for name in ("home", "tmp", "victims", "place/work", "place/out"):
            (self.root / name).mkdir(parents=True)
        (self.root / "home" / ".bashrc").write_text("# mine\n")
        (self.root / "victims" / "start.sh").write_text(f"#!/bin/sh\n# {VICTIM}\n")
        (self.root / "victims" / "notes.txt").write_text(VICTIM)

    @property
    def name(self) -> str:
        """What the servers know this cell by."""
        return hashlib.sha256(str(self.root).encode()).hexdigest()[:16]

    @property
    def target(self) -> Path:
        place = self.root / "place"
        if self.cell.use.family == "env":
            return place / "work" / ".env"
        if self.cell.use.family == "output":  # in a folder that the item may take away
            return place / "input" / "made.jsonl"
        return place / "input"

    def build(self) -> None:
        """Make the hostile thing."""
        if self.cell.use.family == "output":
            self.target.parent.mkdir()
        around = Surroundings(self.target, self.root / "victims", self.samples, self.servers.elsewhere(self.name))
        self.cell.item.build(around)
        if "{moved}" in self.cell.use.command:
            shutil.copytree(self.samples / "moved", self.root / "place" / "moved")

    @property
    def limits(self) -> Limits:
        return Limits(
            wall=WALL,
            cpu=CPU * self.cell.use.runs,
            memory=MEMORY,
            output=str(self.root / "stdout"),
            interrupt_at=self.cell.use.interrupt_at,
            interrupt_after=3.0 if self._behaviour == "wait-a-day" else 0.0,
        )

    @property
    def _behaviour(self) -> str:
        return self.cell.item.name.removeprefix("server-")

    def command(self) -> tuple[list[str], dict[str, str]]:
        """Its arguments, and its environment."""
        place = self.root / "place"
        values = {
            "input": str(self.target),
            "out": str(place / "out"),
            "samples": str(self.samples),
            "moved": str(place / "moved"),
            "format": _format(self.cell.item.name),
            "url": self.servers.url(self._behaviour, self.name),
        }
        environment = {
            "PATH": f"{self.samples / 'bin'}:{os.defpath}",
            "HOME": str(self.root / "home"),
            "TMPDIR": str(self.root / "tmp"),
            "TOOLGAUGE_LANG": "en",
            "COLUMNS": "120",
            "OPENAI_API_KEY": KEY,
            "ANTHROPIC_API_KEY": KEY,
            "SECRET_OF_THE_SHELL": KEY,
        }
        environment |= {name: text.format(**values) for name, text in self.cell.use.environment.items()}
        return [word.format(**values) for word in shlex.split(self.cell.use.command)], environment

    def snapshot(self) -> Snapshot:
        """Path -> kind, mode and content of everything in the sandbox."""
        found: Snapshot = {}
        for folder, folders, files in os.walk(self.root):
            for name in (*folders, *files):
                path = Path(folder) / name
                if path.is_relative_to(self.root / "home" / ".cache"):
                    continue  # the user's cache is for the program to write
                found[str(path.relative_to(self.root))] = _state(path)
        return found


def complaints(box: Sandbox) -> tuple[str, list[str]]:
    """Run a cell's command; the command in words, and everything that is wrong with how it went."""
    box.build()
    before, limits, (arguments, environment) = box.snapshot(), box.limits, box.command()
    written = box.root / "stdout", box.root / "stderr"
    outcome = run_within(limits, arguments, str(box.root / "place" / "work"), environment, str(written[1]))
    output, errors = (file.read_text("utf-8", "replace") for file in written)
    for file in written:
        file.unlink()
    changed = _changes(before, box.snapshot())
    wrong = [
        *_over(outcome, limits),
        *_words(box.cell, outcome, output, errors),
        *_accepted(box, outcome, changed, output),
        *_places(box, changed),
        *_secrets(box, changed, output + errors),
    ]
    if box.cell.item.name.removeprefix("server-") in FAILING:
        wrong += _scored(box)
    words = f"toolgauge {shlex.join(arguments)}\nexit code {outcome.code}\n{output[-1500:]}\n{errors[-3000:]}"
    return words, wrong


def _format(item: str) -> str:
    """What is exported: where an item is about a format's own file, that one."""
    own = {f"link-{name}": to for to, name in NAMES.items()}
    return own.get(item, EXPORTS[crc32(item.encode()) % len(EXPORTS)])


def _over(outcome: Outcome, limits: Limits) -> list[str]:
    wrong = [f"over a limit: {outcome.killed}"] if outcome.killed else []
    if outcome.code in _ENDED_FOR_CPU and not outcome.killed:
        wrong.append(f"over {limits.cpu} s of the processor's time")
    if outcome.memory > MEMORY and outcome.killed != "memory":
        wrong.append(f"{outcome.memory >> 20} MB of memory")
    return wrong + [f"left processes behind: {outcome.left}"] * bool(outcome.left)


def _words(cell: Cell, outcome: Outcome, output: str, errors: str) -> list[str]:
    """What is wrong with what was said, and with the exit code."""
    wrong = []
    interrupted = (_INTERRUPTED,) * (cell.item.name == "server-wait-a-day")
    if outcome.code not in (0, 1, 2, *interrupted) and not outcome.killed:
        wrong.append(f"exit code {outcome.code}")
    if outcome.code and not outcome.killed and not (output + errors).strip():
        wrong.append("says nothing")
    if "Traceback" in output + errors or "toolgauge: unexpected " in errors or "Exception ignored" in errors:
        wrong.append("an error that nobody foresaw")
    lines = errors.splitlines()
    if len(lines) > LINES or len(errors) > CHARACTERS:
        wrong.append(f"{len(lines)} lines, {len(errors)} characters on standard error")
    told = [line for line in lines if not line.startswith("Files: ")]  # of a run that went on before
    if outcome.code == 2 and not cell.use.parameter.startswith("file") and len(told) > 3:
        wrong.append(f"{len(told)} lines about an input that cannot be used")
    shown = errors if cell.use.stream else output + errors
    if found := _CONTROL.search(shown):
        wrong.append(f"a control character: {shown[max(0, found.start() - 30) : found.end() + 10]!r}")
    return wrong


def _accepted(box: Sandbox, outcome: Outcome, changed: dict[str, str], output: str) -> list[str]:
    """What may not come of an input that was taken for good."""
    if outcome.code:
        return []
    if box.cell.item.refused and not box.cell.use.partly:
        if box.cell.item.name.startswith("server-") and not box.servers.asked(box.name):
            return ["the server was not asked"]
        return ["exit code 0, though the input cannot be used"]
    pages = [box.root / path for path in changed if path.endswith((".html", ".json", ".md", ".tex"))]
    said = {"it": output} | {page.name: page.read_text("utf-8", "replace") for page in pages if page.is_file()}
    return [
        f"{where} shows {text!r}" for where, words in said.items() for text in box.cell.item.forbidden if text in words
    ]


def _places(box: Sandbox, changed: dict[str, str]) -> list[str]:
    """Changes outside of the folders in which the command may write."""
    allowed = [f"place/{name}" for name in box.cell.use.writes if name != "home"]
    allowed += ["home"] * ("home" in box.cell.use.writes)
    outside = {
        path: how
        for path, how in changed.items()
        if not any(path == one or path.startswith(f"{one}/") for one in allowed)
    }
    return [f"{path}: {how}" for path, how in list(outside.items())[:5]]


def _secrets(box: Sandbox, changed: dict[str, str], said: str) -> list[str]:
    """Keys and other people's files in what was said, written or sent elsewhere."""
    wrong = [f"shows {secret}" for secret in (KEY, VICTIM) if secret in said]
    for path in changed:
        file = box.root / path
        if file.is_symlink() or not file.is_file() or file.stat().st_size > _HASHED:
            continue
        content = file.read_bytes()
        wrong += [f"{path} holds {secret}" for secret in (KEY, VICTIM) if secret.encode() in content]
    asked = box.servers.leaked(box.name)
    if any(KEY.encode() in request for request in asked):
        wrong.append("the key went to another origin")
    if asked and box.cell.item.alone:
        wrong.append("a server was asked that nobody named")
    return wrong


def _scored(box: Sandbox) -> list[str]:
    """Where the endpoint failed, nothing of the model was measured."""
    out = box.root / "place" / "out"
    files = (out / "run" / "scores.jsonl", *out.glob("t/*/scores.jsonl"))  # those of a trial
    return ["a provider's failure was scored"] * any(file.exists() and file.read_bytes().strip() for file in files)


def _state(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    kind, mode = stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode)
    if kind == stat.S_IFLNK:
        return kind, str(path.readlink())
    if kind != stat.S_IFREG:
        return kind, mode
    if status.st_size > _HASHED:
        return kind, mode, status.st_size, status.st_mtime_ns
    try:
        return kind, mode, hashlib.sha256(path.read_bytes()).hexdigest()
    except PermissionError:
        return kind, mode, status.st_size, status.st_mtime_ns


def _changes(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """Path -> what happened to it."""
    happened = {path: "made" for path in after if path not in before}
    happened |= {path: "removed" for path in before if path not in after}
    return happened | {path: "changed" for path in before if path in after and before[path] != after[path]}


def platform_has_limits() -> bool:
    """Are processes measured and limited here as the sandbox needs it?"""
    return sys.platform == "linux"
