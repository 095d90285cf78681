"""95% intervals of a rate whose trials are independent, and Student's distribution. No numpy, which loads slowly."""

from __future__ import annotations

import math
from functools import lru_cache
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
    """The 97.5% quantile of Student's distribution, for intervals of rates: right to 0.0003 from 5 degrees of freedom
    on, to 0.00002 from 9 on.

    Fisher and Cornish's expansion (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5).
    """
    z, n = _Z, freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / n + second / n**2 + third / n**3 + fourth / n**4


def student_p(t: float, freedom: int) -> float:
    """The two-sided tail of Student's distribution beyond t: the incomplete beta function of freedom / (freedom + t²)
    by its continued fraction (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.5.8 and 26.7.1)."""
    a, b, x = freedom / 2, 0.5, freedom / (freedom + t * t)
    if x >= 1:
        return 1.0
    scale = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return min(1.0, scale * _beta_fraction(a, b, x) / a)
    return max(0.0, 1 - scale * _beta_fraction(b, a, 1 - x) / b)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction, from its front (Lentz, Applied Optics 15, 1976)."""
    tiny = 1e-300
    upper, lower = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    value = lower
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        step = 1.0
        for term in (even, odd):
            lower = 1 / ((1 + term * lower) or tiny)
            upper = (1 + term / upper) or tiny
            step = upper * lower
            value *= step
        if abs(step - 1) < 1e-15:
            break
    return value


@lru_cache(maxsize=1024)
def student_quantile(freedom: int) -> float:
    """Beyond what t 5% of Student's distribution lie, on both sides together: where `student_p` is 0.05."""
    low, high = 1.0, 1000.0
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if student_p(middle, freedom) > 1 - LEVEL else (low, middle)
    return high
