"""Small ACEBench entries for the judge's tests: a function in a line, an entry in a line."""

from __future__ import annotations

from typing import Any

from toolgauge.benchmarks.acebench.data.entries import AceEntry, AceFunction
from toolgauge.benchmarks.acebench.judge.judge import judge_normal
from toolgauge.benchmarks.acebench.judge.verdict import AceVerdict
from toolgauge.chat import Json
from toolgauge.judge.verdict import EXACT, RELEASED

SINGLE, MULTI = "normal_single_turn_single_function", "normal_multi_turn_user_adjust"


def function(name: str, required: tuple[str, ...] = (), **properties: Any) -> AceFunction:
    """A candidate; a property is a declared type or a whole schema."""
    schemas = {key: {"type": one} if isinstance(one, str) else one for key, one in properties.items()}
    return AceFunction(name, name, {"type": "object", "properties": schemas, "required": list(required)})


def entry(functions: list[AceFunction], *answers: Json, category: str = SINGLE) -> AceEntry:
    return AceEntry(f"{category}_0", category, "en", "user: please", tuple(functions), answers=answers)


def judged(text: Any, functions: list[AceFunction], *answers: Json, category: str = SINGLE) -> tuple[str, str]:
    """What `released` and `exact` say: "right" or the error type."""
    verdicts = judge_normal(entry(functions, *answers, category=category), text)
    return said(verdicts[RELEASED]), said(verdicts[EXACT])


def said(verdict: AceVerdict) -> str:
    return "right" if verdict.correct else str(verdict.error_type)
