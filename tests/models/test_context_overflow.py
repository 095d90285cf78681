"""A conversation that is too long for an endpoint is told apart from every other error, in everybody's words.

Sources: the providers' documentation of errors, and issues that quote them (docs/models.md).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolgauge.models.failures import is_context_overflow, is_overflow_text

CASES = [json.loads(line) for line in (Path(__file__).parent.parent / "fixtures/context_overflow.jsonl").open()]
"""Who says it, with which HTTP status, what, and whether it is an overflow."""
SAID = {flag: [case for case in CASES if case["overflow"] is flag] for flag in (True, False)}


@pytest.mark.parametrize("case", SAID[True], ids=[case["who"] for case in SAID[True]])
def test_whose_words_are_known(case: dict[str, Any]) -> None:
    assert is_context_overflow(case["status"], case["error"])
    assert is_context_overflow(None, case["error"])
    assert not is_context_overflow(429, case["error"])


@pytest.mark.parametrize("case", SAID[False], ids=[case["who"] for case in SAID[False]])
def test_what_only_looks_like_it(case: dict[str, Any]) -> None:
    assert not is_context_overflow(case["status"], case["error"])


def test_a_hostile_text_takes_no_time() -> None:
    """Bounded gaps: the work grows with the text, not with its square."""
    for piece in ("input ", "max context ", "context length ", "too many tokens ", "`inputs` ", "超过输入"):
        assert is_overflow_text(piece * 100_000) in (True, False)
