"""Which kinds of tasks, in which order: the action paths of a generation (spec 1.1), and the slots made of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, product

from toolgauge.chat import Json
from toolgauge.data.session import KINDS
from toolgauge.errors import UsageError
from toolgauge.generation.setup import Scenario, Slot

Path = tuple[str, ...]

CODES = {"single": "ST", "multi": "MT", "clarify": "CQ", "chat": "CC"}
"""The papers' codes of kinds, in the order of enumeration."""
MOST_TASKS = 8
"""Tasks of a path of which all are enumerated: 65,536."""
_KINDS_OF_WORDS = {code.casefold(): kind for kind, code in CODES.items()} | {kind: kind for kind in KINDS}


def all_paths(tasks: int) -> list[Path]:
    """All 4^tasks paths in the papers' order: single, multi, clarify, chat, the last task fastest.

    Raises UsageError for fewer than one task or more than MOST_TASKS.
    """
    if not 1 <= tasks <= MOST_TASKS:
        raise UsageError(f"--tasks {tasks}: a number from 1 to {MOST_TASKS}; more with --paths or --sample")
    return list(product(CODES, repeat=tasks))


def parse_paths(text: str) -> list[Path]:
    """Paths as a user writes them: kinds or codes by commas, paths by semicolons or blanks: "single,clarify; CC,MT".

    Raises UsageError for an unknown kind, a path that stands twice, and where there is none.
    """
    paths: list[Path] = []
    for part in text.replace(";", " ").split():
        words = [word.casefold() for word in part.strip(",").split(",")]
        unknown = [word for word in words if word not in _KINDS_OF_WORDS]
        if unknown:
            raise UsageError(f"--paths: {unknown[0]!r} is no kind of task; known: {', '.join(KINDS)}")
        path = tuple(_KINDS_OF_WORDS[word] for word in words)
        if path in paths:
            raise UsageError(f"--paths: {','.join(path)} stands twice; --per-path says how many dialogues of each")
        paths.append(path)
    if not paths:
        raise UsageError('--paths: names no path; for example --paths "single,clarify,chat"')
    return paths


def sample_paths(tasks: int, count: int, seed: int) -> list[Path]:
    """`count` paths in which kinds at every position and changes from kind to kind are as even as can be.

    Each next path is the one whose kinds and changes have been rarest so far, drawn at random among the best of a few
    hundred; a path comes again only after all others have come as often. Raises UsageError for numbers below one.
    """
    if tasks < 1 or count < 1:
        raise UsageError(f"--sample {count} of paths of {tasks} tasks: both are whole numbers from 1 on")
    draw = random.Random(f"{seed}/{tasks}/{count}")
    seen: Counter[object] = Counter()
    taken: Counter[Path] = Counter()
    chosen = []
    for _ in range(count):
        proposals = _proposals(tasks, draw)
        rarest = min(proposals, key=lambda path: (taken[path], sum(seen[part] for part in _parts(path))))
        chosen.append(rarest)
        taken[rarest] += 1
        seen.update(_parts(rarest))
    return chosen


def _proposals(tasks: int, draw: random.Random) -> list[Path]:
    """All paths in random order while they are few, else so many random ones."""
    if tasks <= 4:
        paths = all_paths(tasks)
        draw.shuffle(paths)
        return paths
    return [tuple(draw.choice(KINDS) for _ in range(tasks)) for _ in range(400)]


def _parts(path: Path) -> Iterable[object]:
    """What is counted of a path: each kind at its position, and each change, which counts double."""
    yield from enumerate(path)
    for change in pairwise(path):
        yield change
        yield change


def slots_of(paths: Sequence[Path], language: str, per_path: int = 1, scenarios: Sequence[Scenario] = ()) -> list[Slot]:
    """A slot for each path and number; scenarios are dealt out in turn. Keys are unique: "en-ST.CQ.CC-0"."""
    numbers: Counter[Path] = Counter()
    slots: list[Slot] = []
    for path in paths:
        for _ in range(per_path):
            number = numbers[path]
            numbers[path] += 1
            codes = ".".join(CODES[kind] for kind in path)
            scenario = scenarios[len(slots) % len(scenarios)] if scenarios else None
            slots.append(Slot(f"{language}-{codes}-{number}", path, number, scenario))
    return slots


def next_slots(
    openings: Iterable[tuple[str, Path, Json]], kinds: Sequence[str], language: str, per_path: int = 1
) -> list[Slot]:
    """A slot for each opening (its id, the kinds of its tasks, its record), each kind of next task and each number."""
    return [
        Slot(f"{language}-{name}+{CODES[kind]}-{number}", (*path, kind), number, None, record)
        for name, path, record in openings
        for kind in kinds
        for number in range(per_path)
    ]
