"""Several passes over the same tasks: is one of k passes right (pass@k), are all of k (pass^k)?

With c right ones of n passes, 1 - C(n - c, k) / C(n, k) is the unbiased estimate of pass@k (Chen et al., Evaluating
Large Language Models Trained on Code, 2021, equation 1), and C(c, k) / C(n, k) that of pass^k (Yao et al., tau-bench,
2024). Both are counted in subsets of k passes: those with a right one, or with right ones only, of all C(n, k).
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

MOST = 1 << 36
"""Larger numbers of subsets are given as so many parts of this one, so that their sums stay whole numbers."""


class Subsets(NamedTuple):
    """Of the subsets of k of n passes: how many there are, and by number of right passes (0 to n) how many have a
    right one (`some`) and how many are all right (`every`)."""

    number: int
    some: list[int]
    every: list[int]


def subsets(n: int, k: int) -> Subsets:
    """The subsets of k of n passes, 1 <= k <= n."""
    number = comb(n, k)
    some = [number - comb(n - right, k) for right in range(n + 1)]
    every = [comb(right, k) for right in range(n + 1)]
    if number <= MOST:
        return Subsets(number, some, every)
    return Subsets(MOST, [one * MOST // number for one in some], [one * MOST // number for one in every])
