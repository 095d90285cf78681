"""How large is a difference? Effect sizes of a pair of rates."""

from __future__ import annotations

import math
from typing import NamedTuple

from toolgauge.analysis.binomial import wilson


class OddsRatio(NamedTuple):
    """Fixed over broken pairs, with its 95% interval; infinite where nothing was broken."""

    value: float
    low: float
    high: float


def odds_ratio(fixed: int, broken: int) -> OddsRatio | None:
    """The conditional odds ratio of discordant pairs, above 1 where more was fixed than broken; None without any.

    The interval is Wilson's for the share of fixed ones among them, as odds (Fagerland, Lydersen and Laake, Statistics
    in Medicine 33, 2014: "transformed Wilson score").
    """
    if not fixed + broken:
        return None
    low, high = wilson(fixed, fixed + broken)
    return OddsRatio(_odds(fixed / (fixed + broken)), _odds(low), _odds(high))


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else math.inf


def cohens_h(before: float, after: float) -> float:
    """Difference of two proportions on the arcsine scale (Cohen, Statistical Power Analysis, 2nd ed. 1988, ch. 6).

    Cohen calls 0.2 small, 0.5 medium and 0.8 large.
    """
    return _arcsine(after) - _arcsine(before)


def _arcsine(proportion: float) -> float:
    return 2 * math.asin(math.sqrt(min(1.0, max(0.0, proportion))))
