"""95% intervals of rates whose trials come in clusters: the tasks of one session share a dialogue.

A rate is hits over trials, both summed over clusters. One rule for all rates (`intervals`):

- no trials: no interval;
- all or no trials are hits: the exact binomial bound with one trial per cluster (Clopper and Pearson, Biometrika 26,
  1934), never an interval of zero width;
- at most one trial per cluster: Wilson's score interval (JASA 22, 1927), the one Brown, Cai and DasGupta recommend
  (Statistical Science 16, 2001);
- fewer than `FEWEST_CLUSTERS` clusters, too few to resample: Wilson's interval with one trial per cluster, as if the
  tasks of a session always went the same way (the widest case);
- else the percentile bootstrap over clusters (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13).

Nothing here depends on the version of numpy or the number of threads: draws come from the raw bits of PCG64, and
sums are sums of whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVEL = 0.95
REPLICATES = 2000
SEED = 20260
FEWEST_CLUSTERS = 10

_TAIL = (1 - LEVEL) / 2
_Z = NormalDist().inv_cdf(1 - _TAIL)
_DRAWS_AT_ONCE = 1 << 20  # bounds the memory of the weights, whatever the number of clusters


def wilson(hits: float, trials: float) -> tuple[float, float]:
    """Wilson's score interval of hits out of trials (trials > 0)."""
    rate, square = hits / trials, _Z * _Z
    middle = rate + square / (2 * trials)
    reach = _Z * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def exact_bound(trials: int, all_hit: bool) -> tuple[float, float]:
    """Clopper and Pearson's interval where all of trials (> 0) are hits, or none."""
    edge = math.pow(_TAIL, 1 / trials)
    return (edge, 1.0) if all_hit else (0.0, 1 - edge)


def clustered_interval(hits: Sequence[float], trials: Sequence[float]) -> tuple[float, float] | None:
    """The interval of one rate, given hits and trials per cluster; None without trials."""
    low, high = intervals(np.array([hits], dtype=float), np.array([trials], dtype=float))[0]
    return None if math.isnan(low) else (float(low), float(high))


def intervals(hits: Floats, trials: Floats, replicates: int = REPLICATES, seed: int = SEED) -> Floats:
    """The intervals of many rates over the same clusters.

    hits, trials: shape (rates, clusters), whole numbers, hits <= trials. Returns shape (rates, 2), NaN where a rate has
    no trials. All rates share one set of bootstrap weights, so their replicates are comparable.
    """
    bounds = np.empty((len(hits), 2))
    resampled = []
    for row, (hit, trial) in enumerate(zip(hits, trials, strict=True)):
        analytic = _analytic(hit, trial)
        if analytic is None:
            resampled.append(row)
        else:
            bounds[row] = analytic
    if resampled:
        bounds[resampled] = _bootstrap(hits[resampled], trials[resampled], replicates, seed)
    for row in resampled:
        if bounds[row, 0] == bounds[row, 1]:  # every cluster has the same rate
            bounds[row] = _as_if_alike(hits[row], trials[row])
    return bounds


def _analytic(hits: Floats, trials: Floats) -> tuple[float, float] | None:
    total, right, clusters = trials.sum(), hits.sum(), int(np.count_nonzero(trials))
    if not total:
        return math.nan, math.nan
    if right in (0, total):
        return exact_bound(clusters, bool(right))
    if trials.max() <= 1:
        return wilson(right, total)
    return _as_if_alike(hits, trials) if clusters < FEWEST_CLUSTERS else None


def _as_if_alike(hits: Floats, trials: Floats) -> tuple[float, float]:
    clusters = int(np.count_nonzero(trials))
    return wilson(float(hits.sum() / trials.sum()) * clusters, clusters)


def _bootstrap(hits: Floats, trials: Floats, replicates: int, seed: int) -> Floats:
    return percentiles(resampled_rates(hits, trials, replicates, seed))


def resampled_rates(hits: Floats, trials: Floats, replicates: int = REPLICATES, seed: int = SEED) -> Floats:
    """sum(hits) / sum(trials) over clusters drawn with replacement, shape (rates, replicates); NaN without trials.

    All rates see the same draws, so the difference of two rows is a replicate of a paired difference.
    """
    rows, clusters = hits.shape
    bits = np.random.PCG64(seed)
    block = max(1, min(replicates, _DRAWS_AT_ONCE // clusters))
    rates = np.empty((rows, replicates))
    for start in range(0, replicates, block):
        stop = min(start + block, replicates)
        weights = _weights(bits, stop - start, clusters)
        drawn = trials @ weights.T
        rates[:, start:stop] = np.divide(hits @ weights.T, drawn, out=np.full_like(drawn, np.nan), where=drawn > 0)
    return rates


def _weights(bits: np.random.PCG64, replicates: int, clusters: int) -> Floats:
    """How often each cluster is drawn in each replicate, shape (replicates, clusters)."""
    raw = bits.random_raw(replicates * clusters).reshape(replicates, clusters)
    drawn = ((raw >> np.uint64(32)) * np.uint64(clusters)) >> np.uint64(32)
    flat = drawn.astype(np.int64) + np.arange(replicates)[:, None] * clusters
    return np.bincount(flat.ravel(), minlength=replicates * clusters).reshape(replicates, clusters).astype(float)


def percentiles(rates: Floats) -> Floats:
    """Both ends of the interval per row, interpolated; replicates that drew no trial (NaN) are left out."""
    ordered = np.sort(rates, axis=1)  # NaN last
    last = np.count_nonzero(~np.isnan(ordered), axis=1) - 1
    rows, ends = np.arange(len(ordered)), []
    for share in (_TAIL, 1 - _TAIL):
        place = share * last
        below = np.floor(place).astype(np.int64)
        above = np.minimum(below + 1, last)
        ends.append(ordered[rows, below] + (place - below) * (ordered[rows, above] - ordered[rows, below]))
    return np.column_stack(ends)
