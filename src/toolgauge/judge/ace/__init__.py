"""ACEBench's checkers: normal, special and agent entries in both readings, `exact` and `released`."""

from __future__ import annotations

from toolgauge.judge.ace.agent import check_agent
from toolgauge.judge.ace.judge import check_normal, judge_agent, judge_normal, judge_special
from toolgauge.judge.ace.special import check_special
from toolgauge.judge.ace.verdict import AceVerdict

__all__ = [
    "AceVerdict",
    "check_agent",
    "check_normal",
    "check_special",
    "judge_agent",
    "judge_normal",
    "judge_special",
]
