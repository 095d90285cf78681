"""95% intervals of a rate whose trials have nothing to do with each other; quantiles. No numpy, which loads slowly."""

from __future__ import annotations

import math
from statistics import NormalDist

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
_Z = NormalDist().inv_cdf(1 - TAIL)


def binomial_interval(hits: float, trials: int) -> tuple[float, float]:
    """Of hits out of trials (> 0): Clopper and Pearson's exact bound where all or none are hits, else Wilson's."""
    return wilson(hits, trials) if 0 < hits < trials else exact_bound(trials, bool(hits))


def wilson(hits: float, trials: float) -> tuple[float, float]:
    """Wilson's score interval of hits out of trials (trials > 0); its ends are 0 without hits, 1 with nothing else."""
    rate, square = hits / trials, _Z * _Z
    middle = rate + square / (2 * trials)
    reach = _Z * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    low, high = max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)
    return low if hits else 0.0, high if hits < trials else 1.0  # else rounding leaves 1e-17 of an end


def exact_bound(trials: int, all_hit: bool) -> tuple[float, float]:
    """Clopper and Pearson's interval where all of trials (> 0) are hits, or none."""
    edge = math.pow(TAIL, 1 / trials)
    return (edge, 1.0) if all_hit else (0.0, 1 - edge)


def student(freedom: int) -> float:
    """The 97.5% quantile of Student's distribution, right to 0.0003 from 5 degrees of freedom on.

    Fisher and Cornish's expansion (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5).
    """
    z, n = _Z, freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / n + second / n**2 + third / n**3 + fourth / n**4
