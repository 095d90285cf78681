"""How likely is so large a difference between two runs that are equally good? Tests for pairs, and Holm's correction.

If nothing but chance tells two runs apart, then what they did in a session might as well have been the other way
round. So the results of whole sessions are exchanged between the runs in every possible way, and p is the share of
exchanges after which the difference is at least as large as it is (Fisher, The Design of Experiments, 1935, section
21). The tasks of a session stay together, so it does not matter how much they depend on one another. With one task per
session this is McNemar's exact test.

Where each run has a denominator of its own (shares of failed tasks), exchanging the results would also exchange
denominators: the few failed tasks of a good run would be significant whatever they are. There the sessions' parts in
the difference are exchanged, with denominators as they are: the signs of the residuals of the ratios' linear form (Liu,
Bootstrap procedures under some non-i.i.d. models, Annals of Statistics 16, 1988). With equal denominators both are the
same.

p is exact where it can be had: by convolution where both runs have the same denominators and whole numbers of hits, by
going through all exchanges where few sessions differ. Else `EXCHANGES` are drawn; p counts the one that happened, too,
and is never 0 (Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9, 2010).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolgauge.analysis.intervals import SEED, Floats

EXCHANGES = 9999
FEW_SESSIONS = 13
"""So many sessions that differ have 8,192 exchanges: fewer than would be drawn."""
_LONGEST = 100_000  # of a convolution; beyond it, exchanges are drawn
_AT_ONCE = 1 << 20
_EQUAL = 1e-12  # differences that are nearer to each other than this are the same


class PValue(NamedTuple):
    """Two-sided; exact, or from drawn exchanges."""

    p: float
    exact: bool


def mcnemar(fixed: int, broken: int) -> float:
    """McNemar's exact test: binomial on the discordant pairs (Fay, R Journal 2, 2010)."""
    trials, fewer = fixed + broken, min(fixed, broken)
    if fixed == broken:
        return 1.0
    ways, term = 1, 1
    for k in range(1, fewer + 1):
        term = term * (trials - k + 1) // k
        ways += term
    return float(min(1.0, 2 * ways / 2**trials))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p adjusted for a family of tests, in its order (Holm, Scandinavian Journal of Statistics 6, 1979); None stays."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[place] = highest
    return adjusted


def exchange_tests(hits: Floats, trials: Floats) -> list[PValue | None]:
    """The test of many rates over the same sessions.

    hits, trials: shape (rates, 2, sessions), the two runs in the middle. None where a run has no trials.
    """
    found: list[PValue | None] = [None] * len(hits)
    drawn = []
    steps = hits[:, 1] - hits[:, 0]
    flips = (trials[:, 0] == trials[:, 1]).all(axis=1) & (steps == np.rint(steps)).all(axis=1)
    flips &= np.abs(steps).sum(axis=1) < _LONGEST
    for row in np.flatnonzero(trials.sum(axis=2).all(axis=1)):
        if flips[row]:
            found[row] = PValue(sign_flip(steps[row].astype(np.int64)), exact=True)
        else:
            found[row] = _exact(hits[row], trials[row])
        if found[row] is None:
            drawn.append(row)
    if drawn:
        for row, p in zip(drawn, _drawn(hits[drawn], trials[drawn]), strict=True):
            found[row] = PValue(float(p), exact=False)
    return found


def sign_flip(differences: Sequence[int] | NDArray[np.int64]) -> float:
    """The share of all 2**n choices of signs whose sum is as far from 0 as the sum is: exact, by convolution."""
    steps = np.asarray(differences, dtype=np.int64)
    sum_now = abs(int(steps.sum()))
    counts = enumerate(np.bincount(np.abs(steps)).tolist())
    return _flipped(tuple(one for one in counts if all(one)), sum_now) if sum_now else 1.0


@lru_cache(maxsize=4096)
def _flipped(counts: tuple[tuple[int, int], ...], sum_now: int) -> float:
    """`sign_flip` of so many steps of each size: pairs of size and number."""
    total = sum(size * count for size, count in counts)
    ways = np.ones(1)  # probabilities of the sum of those with a plus
    for size, count in counts:
        coins = np.zeros(size * count + 1)
        coins[::size] = _binomial(count)
        ways = np.convolve(ways, coins)
    upper = float(ways[(total + sum_now) // 2 :].sum())  # sum = 2 * plus - total, and the two tails are alike
    return min(1.0, 2 * upper)


@lru_cache(maxsize=4096)
def _binomial(trials: int) -> tuple[float, ...]:
    return tuple(math.comb(trials, k) / 2**trials for k in range(trials + 1))


def _exact(hits: Floats, trials: Floats) -> PValue | None:
    """The exact p of one rate by all exchanges, None where they are too many."""
    sums = hits.sum(axis=1)[None], trials.sum(axis=1)[None]
    moves = np.abs(_parts(hits[None], trials[None], *sums)[0]) > _EQUAL  # also sessions that both did alike
    if (number := int(moves.sum())) > FEW_SESSIONS:
        return None
    extreme = _as_extreme(hits[None, :, moves], trials[None, :, moves], *sums, _every_exchange(number))
    return PValue(float(extreme[0]) / 2**number, exact=True)


@lru_cache(maxsize=FEW_SESSIONS + 1)
def _every_exchange(number: int) -> Floats:
    choices = np.arange(2**number)[:, None] >> np.arange(number)
    return (choices & 1).astype(float)


def _drawn(hits: Floats, trials: Floats) -> Floats:
    """p of rates from drawn exchanges; all rates see the same ones."""
    sessions = hits.shape[2]
    bits = np.random.PCG64(SEED)
    sums = hits.sum(axis=2), trials.sum(axis=2)
    extreme = np.zeros(len(hits))
    block = max(1, _AT_ONCE // sessions)
    for start in range(0, EXCHANGES, block):
        count = min(block, EXCHANGES - start)
        raw = bits.random_raw(-(-count * sessions // 64)).astype("<u8").view(np.uint8)
        coins = np.unpackbits(raw, bitorder="little")[: count * sessions].reshape(count, sessions)
        extreme += _as_extreme(hits, trials, *sums, coins.astype(float))
    share: Floats = (extreme + 1) / (EXCHANGES + 1)
    return share


def _as_extreme(hits: Floats, trials: Floats, all_hits: Floats, all_trials: Floats, exchanges: Floats) -> Floats:
    """Per rate, after how many exchanges (shape (exchanges, sessions), 1: exchanged) the difference is as large.

    all_hits, all_trials: sums over all sessions, shape (rates, 2). An exchange turns the sign of a session's part.
    """
    parts = _parts(hits, trials, all_hits, all_trials)
    observed = all_hits[:, 1] / all_trials[:, 1] - all_hits[:, 0] / all_trials[:, 0]
    smaller = np.abs(observed[:, None] - 2 * (parts @ exchanges.T)) < np.abs(observed)[:, None] - _EQUAL
    counts: Floats = np.count_nonzero(~smaller, axis=1).astype(float)
    return counts


def _parts(hits: Floats, trials: Floats, all_hits: Floats, all_trials: Floats) -> Floats:
    """The sessions' parts in the differences of the rates, shape (rates, sessions).

    A part is what the session's hits are above the two runs' common rate, over each run's own denominator.
    """
    common = all_hits.sum(axis=1) / all_trials.sum(axis=1)
    above = (hits - common[:, None, None] * trials) / all_trials[:, :, None]
    parts: Floats = above[:, 1] - above[:, 0]
    return parts
