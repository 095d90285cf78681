"""Clusters drawn with replacement, for the bootstrap: the same draws for all rates over so many clusters.

A run is compared with many others over the same sessions, so the draws and what counts add up to in them are kept: for
each number of clusters at most 2 MB of draws and 25 MB of sums. Draws come from the raw bits of PCG64.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]

_DRAWS_AT_ONCE = 1 << 20  # bounds the memory of the weights, whatever the number of clusters
_KEPT_WEIGHTS = 1 << 19  # 256 sessions with 2,000 replicates; four bytes each
_KEPT_SUMS = 25_000_000  # bytes, of the sums and of the counts by which they are found
_TILE, _TILE_ROWS = 1 << 18, 8  # multiplications: OpenBLAS does so many in one thread
_MOST = 1 << 16  # of a sum that is kept


class Draws:
    """So many replicates of so many clusters, as they follow from the seed."""

    def __init__(self, clusters: int, replicates: int, seed: int) -> None:
        self._clusters, self._replicates, self._seed = clusters, replicates, seed
        self._weights: list[NDArray[np.float32]] = []
        self._sums: dict[bytes, NDArray[np.uint16]] = {}

    def sums(self, counts: _Floats) -> _Floats:
        """What each row of counts per cluster adds up to in each replicate, shape (rows, replicates)."""
        sums = np.empty((len(counts), self._replicates))
        new: dict[bytes, list[int]] = {}  # many rates have the same trials
        for place, row in enumerate(counts):
            known = self._sums.get(key := row.tobytes())
            if known is None:
                new.setdefault(key, []).append(place)
            else:
                sums[place] = known
        if new:
            rows = counts[[places[0] for places in new.values()]]
            for (key, places), row, found in zip(new.items(), rows, self._summed(rows), strict=True):
                sums[places] = found
                self._keep(key, row, found)
        return sums

    def _summed(self, counts: _Floats) -> _Floats:
        exact = counts.astype(np.float32) if self._are_small(counts) else counts
        return np.concatenate([_product(exact, weights) for weights in self._drawn()], axis=1)

    def _are_small(self, counts: _Floats) -> bool:
        """Whole numbers whose sums are small ones, which are exact in 32 bits too."""
        return bool(counts.max() * self._clusters < _MOST and np.array_equal(counts, np.rint(counts)))

    def _keep(self, key: bytes, counts: _Floats, sums: _Floats) -> None:
        """But for weighted means, which are other ones in each comparison."""
        if self._are_small(counts):
            if len(self._sums) * (len(key) + 2 * self._replicates) >= _KEPT_SUMS:
                self._sums.clear()
            self._sums[key] = sums.astype(np.uint16)

    def _drawn(self) -> Iterable[NDArray[np.float32]]:
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


def _product(counts: NDArray[np.floating], weights: NDArray[np.float32]) -> NDArray[np.floating]:
    """counts @ weights.T in tiles: for larger products OpenBLAS starts threads, which then keep all processors busy for
    longer than the product takes."""
    product = np.empty((len(counts), len(weights)), dtype=counts.dtype)
    columns = max(1, _TILE // (_TILE_ROWS * counts.shape[1]))
    for row in range(0, len(counts), _TILE_ROWS):
        rows = counts[row : row + _TILE_ROWS]
        for column in range(0, len(weights), columns):
            product[row : row + _TILE_ROWS, column : column + columns] = rows @ weights[column : column + columns].T
    return product


@lru_cache(maxsize=20)
def draws(clusters: int, replicates: int, seed: int) -> Draws:
    """The draws of so many clusters (at least one)."""
    return Draws(clusters, replicates, seed)


def _weights(bits: np.random.PCG64, replicates: int, clusters: int) -> NDArray[np.float32]:
    """How often each cluster is drawn in each replicate, shape (replicates, clusters)."""
    raw = bits.random_raw(replicates * clusters).reshape(replicates, clusters)
    drawn = ((raw >> np.uint64(32)) * np.uint64(clusters)) >> np.uint64(32)
    flat = drawn.astype(np.int64) + np.arange(replicates)[:, None] * clusters
    counts = np.bincount(flat.ravel(), minlength=replicates * clusters)
    return counts.astype(np.float32).reshape(replicates, clusters)
