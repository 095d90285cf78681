"""False findings and recall, measured; perf/checks_quality.py prints them for docs/without-gold.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conversations.gold import acebench, embedded, sessions
from tests.conversations.measured import false_findings, recalls
from tests.sizes import sized
from toolgauge.conversations.checks.findings import FindingCode

FLOORS = {
    FindingCode.INVENTED_VALUE: 0.6,
    FindingCode.REPEATED_CALL: 0.7,
    FindingCode.KNOWN_RESULT: 0.4,
    FindingCode.UNHANDLED_ERROR: 0.8,
    FindingCode.ANSWERED_QUESTION: 0.8,
}
"""The least share of planted faults that is found; of all others, each."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_found_in_the_embedded_dialogues(language: str) -> None:
    assert false_findings(embedded(language)).codes == {}


@pytest.mark.shared
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_found_in_the_public_sessions(language: str, shared: Path) -> None:
    found = false_findings(list(sessions(shared / "data/wildtoolbench/sample_sessions.jsonl", language)))
    assert found.calls >= 20
    assert found.codes == {}


@pytest.mark.shared
@pytest.mark.parametrize(("language", "most"), [("zh", 8), ("en", 13)][: sized(1, 2)])
def test_little_is_found_in_dialogues_that_no_rule_was_made_for(language: str, most: int, shared: Path) -> None:
    """ACEBench's answers; what is found there in spite of that was read by a person (perf/checks_quality.py)."""
    found = false_findings(list(acebench(shared / "data/acebench/data_all", language)))
    assert found.calls >= 1000
    assert found.false <= most


@pytest.mark.parametrize("language", ["en", "zh"][: sized(1, 2)])
def test_what_is_planted_is_found(language: str) -> None:
    found = recalls(embedded(language), every=4)
    assert len(found) >= 12
    low = [one for one in found if one.rate < FLOORS.get(one.code, 0.99)]
    assert not low
