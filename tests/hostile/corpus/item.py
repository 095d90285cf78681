"""The nouns: a hostile input, and what stands around it while a command reads it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VICTIM = "victim-canary-7f3a91"
"""Stands in somebody else's files: it may never be shown or copied."""
KEY = "sk-canary-51b0c6d2e8f94a73"
"""Every key of the surroundings: it may never be shown, kept, or sent to another place than the one it is for."""
EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m \u202egpj.exe\u2066\u200f <script>x</script> =cmd|'/c calc'!A1"
"""A text that a terminal, a page or a spreadsheet would obey."""
HUGE = 10**400


@dataclass(frozen=True)
class Surroundings:
    """target: where the input is to be made. victims: somebody else's folder, in which nothing may change; samples:
    intact material; elsewhere: the URL of a server that must never be asked."""

    target: Path
    victims: Path
    samples: Path
    elsewhere: str

    @property
    def victim(self) -> Path:
        return self.victims / "start.sh"


Spoil = Callable[[Surroundings], Any]
"""Makes or changes something there; what it returns does not count."""


@dataclass(frozen=True)
class Item:
    """A hostile input. refused: it cannot be used, so that exit code 0 is wrong; forbidden: texts that may not be
    shown or written where the exit code is 0 (numbers of a stranger's derived files); alone: the server elsewhere may
    not be asked at all, not even without a key."""

    name: str
    build: Spoil
    refused: bool = False
    forbidden: tuple[str, ...] = ()
    alone: bool = False


def at(name: str, act: Callable[[Path], Any]) -> Spoil:
    """Do something to a file of the target."""
    return lambda around: act(around.target / name)


def linked(name: str) -> Spoil:
    """Put a link to somebody else's file in the place of a file of the target."""
    return lambda around: link(around.target / name, around.victim)


def written(content: str | bytes) -> Spoil:
    """Make the target a file with this content."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    return lambda around: around.target.write_bytes(data)


def fifo(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def link(path: Path, target: Path | str) -> None:
    """A symbolic link, in the place of whatever stood there."""
    remove(path)
    path.symlink_to(target)


def zeros(path: Path) -> None:
    link(path, "/dev/zero")


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def folder(path: Path) -> None:
    remove(path)
    path.mkdir()
    (path / "inside").write_text("x")


def sparse(path: Path, size: int = 1 << 30, beginning: bytes = b"") -> None:
    """A file of a gigabyte that takes no room: one line of NUL characters after its beginning."""
    remove(path)
    with path.open("wb") as file:
        file.write(beginning)
        file.truncate(size)


def change_json(path: Path, change: Callable[[Any], Any]) -> None:
    """Change a JSON file; where the change returns something, that stands there from then on."""
    value = json.loads(path.read_text())
    made = change(value)
    path.write_text(json.dumps(value if made is None else made))


def change_lines(path: Path, change: Callable[[Any], Any]) -> None:
    """`change_json` for every line of a file."""
    values = [json.loads(line) for line in path.read_text(encoding="utf-8-sig").splitlines() if line]
    made = [change(value) for value in values]
    texts = [json.dumps(old if new is None else new) for old, new in zip(values, made, strict=True)]
    path.write_text("".join(text + "\n" for text in texts))


def put(value: Any, *path: Any) -> Callable[[Any], None]:
    """A change that sets what stands at a path of keys and indices; what the path lacks is made."""

    def change(whole: Any) -> None:
        place = whole
        for step in path[:-1]:
            place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
        place[path[-1]] = value

    return change


ANYTHING: tuple[Any, ...] = (None, 7, "text", [1], {"a": []})
"""A value of every kind of JSON."""


def all_fields(value: Any, **kept: Any) -> Callable[[Any], Any]:
    """A change that puts one value into every field of an object."""
    return lambda old: dict.fromkeys(old, value) | kept


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth
