"""Which kinds of tasks, in which order: the action paths of a generation, and the slots made of them.

See docs/generation.md#how-many-and-what-it-will-cost.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise, product

from toolgauge.chat import Json
from toolgauge.data.session import KINDS, TaskType
from toolgauge.errors import UsageError
from toolgauge.generation.setup import Scenario, Slot

Path = tuple[str, ...]

CODES = {"single": "ST", "multi": "MT", "clarify": "CQ", "chat": "CC"}
"""The papers' codes of kinds, in the order of enumeration."""
SHAPES = {
    "parallel": TaskType.PARALLEL_TOOLS.value,
    "sequential": TaskType.SEQUENTIAL_TOOLS.value,
    "mixed": TaskType.MIXED_TOOLS.value,
}
"""Multi-tool tasks whose calls depend on each other in a dictated way: names in paths, and what the task has to be."""
_SHAPE_CODES = {"parallel": "MP", "sequential": "MS", "mixed": "MX"}
MOST_TASKS = 8
"""Tasks of a path of which all are enumerated: 65,536."""
BEGINNINGS, EXCHANGES = 8, 6_000
"""How often a sample of paths is drawn before the best is taken, and exchanges that are tried to make each even."""
_KINDS_OF_WORDS = {code.casefold(): kind for kind, code in (CODES | _SHAPE_CODES).items()} | {
    kind: kind for kind in (*KINDS, *SHAPES)
}


def path_codes(path: Path) -> str:
    """A path by the codes of its kinds: "ST.CQ.MP"."""
    return ".".join((CODES | _SHAPE_CODES)[kind] for kind in path)


def all_paths(tasks: int) -> list[Path]:
    """All 4^tasks paths in the papers' order: single, multi, clarify, chat, the last task fastest.

    Raises UsageError for fewer than one task or more than MOST_TASKS.
    """
    if not 1 <= tasks <= MOST_TASKS:
        raise UsageError(f"--tasks must be 1 to {MOST_TASKS}, not {tasks}; for longer paths use --paths or --sample")
    return list(product(CODES, repeat=tasks))


def parse_paths(text: str) -> list[Path]:
    """Paths as a user writes them: kinds, shapes or codes by commas, paths by semicolons or blanks.

    Raises UsageError for an unknown kind, a path named twice, and if no path is named.
    """
    paths: list[Path] = []
    for part in text.replace(";", " ").split():
        words = [word.casefold() for word in part.strip(",").split(",")]
        unknown = [word for word in words if word not in _KINDS_OF_WORDS]
        if unknown:
            raise UsageError(f"--paths: unknown task type {unknown[0]!r}; choose from {', '.join((*KINDS, *SHAPES))}")
        path = tuple(_KINDS_OF_WORDS[word] for word in words)
        if path in paths:
            raise UsageError(f"--paths: duplicate path {','.join(path)}; for several dialogues per path use --per-path")
        paths.append(path)
    if not paths:
        raise UsageError('--paths: no path given; example: --paths "single,clarify,chat"')
    return paths


def sample_paths(tasks: int, count: int, seed: int) -> list[Path]:
    """`count` paths in which kinds at every position and changes from kind to kind are as even as can be.

    Paths are drawn at random, then single kinds are exchanged while that makes the whole no less even; of several such
    samples the most even one is taken. A path comes again only after all others have come as often. Raises UsageError
    for numbers below one.
    """
    if tasks < 1 or count < 1:
        raise UsageError(f"--sample and --tasks must be integers >= 1, not {count} and {tasks}")
    draw = random.Random(f"{seed}/{tasks}/{count}")
    number = len(KINDS) ** tasks
    rounds = count // number
    best: list[Path] = []
    for _unused in range(BEGINNINGS):
        drawn = [one for _again in range(rounds) for one in range(number)]
        left = count - len(drawn)
        is_few = tasks <= MOST_TASKS
        drawn += draw.sample(range(number), left) if is_few else [draw.randrange(number) for _one in range(left)]
        paths = _exchanged([tuple(KINDS[one >> 2 * place & 3] for place in range(tasks)) for one in drawn], draw)
        if not best or _spread(paths) < _spread(best):
            best = paths
        if _spread(best) <= 1:
            break
    draw.shuffle(best)
    return best


def _exchanged(chosen: list[Path], draw: random.Random) -> list[Path]:
    """Exchange single kinds of paths for others, as long as kinds and changes stay as even and the new path has come
    less often.

    An exchange that leaves them equally even opens the way to better ones.
    """
    seen, taken = Counter(part for path in chosen for part in _parts(path)), Counter(chosen)
    for number in range(EXCHANGES):
        if not number % 100 and _spread(chosen) <= 1:
            break
        place = draw.randrange(len(chosen))
        old = chosen[place]
        end = draw.randrange(len(old))
        new = (*old[:end], draw.choice(KINDS), *old[end + 1 :])
        if taken[new] >= taken[old]:
            continue
        change = Counter(_parts(new))
        change.subtract(_parts(old))
        if sum(2 * seen[part] * more + more * more for part, more in change.items()) <= 0:
            seen.update(change)
            taken.update({old: -1, new: 1})
            chosen[place] = new
    return chosen


def _spread(paths: Sequence[Path]) -> int:
    """By how much the most frequent kind at a position, or change, exceeds the rarest; one is as even as it gets."""
    changes = Counter(change for path in paths for change in pairwise(path))
    counted = [changes[this, following] for this in KINDS for following in KINDS] if len(paths[0]) > 1 else [0]
    spreads = [max(counted) - min(counted)]
    for kinds in map(Counter, zip(*paths, strict=True)):
        times = [kinds[kind] for kind in KINDS]
        spreads.append(max(times) - min(times))
    return max(spreads)


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
        for _unused in range(per_path):
            number = numbers[path]
            numbers[path] += 1
            scenario = scenarios[len(slots) % len(scenarios)] if scenarios else None
            slots.append(Slot(f"{language}-{path_codes(path)}-{number}", path, number, scenario))
    return slots


def next_slots(
    openings: Iterable[tuple[str, Path, Json]], kinds: Sequence[str], language: str, per_path: int = 1
) -> list[Slot]:
    """A slot for each opening (its id, the kinds of its tasks, its record), each kind of next task and each number.

    Keys begin with the language; where the ids of all openings do so already, it is not said again at every layer.
    """
    begun = list(openings)
    prefix = "" if all(name.startswith(f"{language}-") for name, _, _ in begun) else f"{language}-"
    return [
        Slot(f"{prefix}{name}+{path_codes((kind,))}-{number}", (*path, kind), number, None, record)
        for name, path, record in begun
        for kind in kinds
        for number in range(per_path)
    ]
