"""The papers' enumeration of execution paths, small and plain: only a test oracle for the Matcher."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

Path = tuple[tuple[int, ...], ...]


def legal_paths(after: Sequence[Sequence[int]], done: frozenset[int] = frozenset()) -> Iterator[Path]:
    """Algorithm 1: every sequence of non-empty sets of calls whose predecessors were all executed before."""
    if len(done) == len(after):
        yield ()
        return
    ready = [i for i in range(len(after)) if i not in done and set(after[i]) <= done]
    for size in range(1, len(ready) + 1):
        for subset in combinations(ready, size):
            for rest in legal_paths(after, done | set(subset)):
                yield (subset, *rest)


def released_paths(
    names: Sequence[str], after: Sequence[Sequence[int]], done: frozenset[int] = frozenset()
) -> Iterator[Path]:
    """The four rules of the released code (docs/rules.md#the-four-rules-of-the-public-evaluators), in their order."""
    if len(done) == len(names):
        yield ()
        return
    ready = [i for i in range(len(names)) if i not in done and set(after[i]) <= done]
    subsets = [subset for size in range(1, len(ready) + 1) for subset in combinations(ready, size)]
    kept: dict[tuple[str, ...], tuple[int, ...]] = {}
    for subset in subsets:
        kept.setdefault(tuple(names[i] for i in subset), subset)
    runs: list[list[int]] = []
    for call in ready:
        if runs and names[runs[-1][-1]] == names[call]:
            runs[-1].append(call)
        else:
            runs.append([call])
    for subset in kept.values():
        run = next(run for run in runs if subset[0] in run)
        if len(subset) > 1 and len(run) > 1 and list(subset[: len(run)]) != run:
            continue
        if len(subset) == 1 and len(run) > 1 and subset[0] == run[0]:
            head: Path = tuple((call,) for call in run)
            executed = done | set(run)
        else:
            head, executed = (subset,), done | set(subset)
        for rest in released_paths(names, after, executed):
            yield head + rest


def sequences(paths: Iterator[Path], names: Sequence[str]) -> set[tuple[tuple[str, ...], ...]]:
    """The paths as sequences of sorted names per step."""
    return {tuple(tuple(sorted(names[i] for i in step)) for step in path) for path in paths}
