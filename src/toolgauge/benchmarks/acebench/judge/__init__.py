"""ACEBench's checkers: normal, special and agent entries in both scorings, `exact` and `released`."""

from __future__ import annotations

from toolgauge.benchmarks.acebench.judge.agent import check_agent
from toolgauge.benchmarks.acebench.judge.judge import (
    check_normal,
    check_special,
    judge_agent,
    judge_normal,
    judge_special,
)
from toolgauge.benchmarks.acebench.judge.verdict import AceVerdict

__all__ = ["AceVerdict", "check_agent", "check_normal", "check_special", "judge_agent", "judge_normal", "judge_special"]
