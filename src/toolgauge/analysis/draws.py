"""Clusters drawn with replacement, for the bootstrap: the same draws for all rates over so many clusters.

A run is compared with many others over the same sessions, so the draws and what counts add up to in them are kept, in
a few megabytes. Draws come from the raw bits of PCG64.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]

_DRAWS_AT_ONCE = 1 << 20  # bounds the memory of the weights, whatever the number of clusters
_KEPT_WEIGHTS = 1 << 19  # 256 sessions with 2,000 replicates; two bytes each
_KEPT_SUMS = 1 << 23  # two bytes each


class Draws:
    """So many replicates of so many clusters, as they follow from the seed."""

    def __init__(self, clusters: int, replicates: int, seed: int) -> None:
        self._clusters, self._replicates, self._seed = clusters, replicates, seed
        self._weights: list[NDArray[np.uint16]] = []
        self._sums: dict[bytes, NDArray[np.uint16]] = {}

    def sums(self, counts: _Floats) -> _Floats:
        """What each row of counts per cluster adds up to in each replicate, shape (rows, replicates)."""
        sums = np.empty((len(counts), self._replicates))
        keys = [row.tobytes() for row in counts]
        new = []
        for place, known in enumerate(map(self._sums.get, keys)):
            if known is None:
                new.append(place)
            else:
                sums[place] = known
        if new:
            sums[new] = self._summed(counts[new])
        for place in new:
            self._keep(keys[place], counts[place], sums[place])
        return sums

    def _summed(self, counts: _Floats) -> _Floats:
        return np.concatenate([counts @ weights.T.astype(float) for weights in self._drawn()], axis=1)

    def _keep(self, key: bytes, counts: _Floats, sums: _Floats) -> None:
        """Of whole numbers only: those of weighted means are other ones in each comparison."""
        if counts.max() * self._clusters < 1 << 16 and np.array_equal(counts, np.rint(counts)):
            if len(self._sums) * self._replicates >= _KEPT_SUMS:
                self._sums.clear()
            self._sums[key] = sums.astype(np.uint16)

    def _drawn(self) -> Iterable[NDArray[np.uint16]]:
        """How often each cluster is drawn in each replicate, some replicates at a time."""
        if self._weights:
            return self._weights
        bits, block = np.random.PCG64(self._seed), max(1, min(self._replicates, _DRAWS_AT_ONCE // self._clusters))
        starts = range(0, self._replicates, block)
        drawn = (_weights(bits, min(block, self._replicates - start), self._clusters) for start in starts)
        if self._replicates * self._clusters > _KEPT_WEIGHTS:
            return drawn
        self._weights = list(drawn)
        return self._weights


@lru_cache(maxsize=32)
def draws(clusters: int, replicates: int, seed: int) -> Draws:
    """The draws of so many clusters (at least one)."""
    return Draws(clusters, replicates, seed)


def _weights(bits: np.random.PCG64, replicates: int, clusters: int) -> NDArray[np.uint16]:
    """How often each cluster is drawn in each replicate, shape (replicates, clusters)."""
    raw = bits.random_raw(replicates * clusters).reshape(replicates, clusters)
    drawn = ((raw >> np.uint64(32)) * np.uint64(clusters)) >> np.uint64(32)
    flat = drawn.astype(np.int64) + np.arange(replicates)[:, None] * clusters
    counts = np.bincount(flat.ravel(), minlength=replicates * clusters)
    return counts.astype(np.uint16).reshape(replicates, clusters)
