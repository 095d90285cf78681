"""Data with corrections, as tasks of Inspect open them."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolgauge.errors import UsageError
from toolgauge.integrations.source import SourceSpec


def test_a_source_has_the_corrections_that_it_names(tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    plain = SourceSpec("mini").open().dataset
    for words in ("one version?", "another version?"):
        first = plain.by_id["mini_0"].tasks[0].utterance
        file.write_text(
            f'{{"session": "mini_0", "pointer": "/english_tasks/0", "old": "{first}", "new": "{words}"}}\n', "utf-8"
        )
        corrected = SourceSpec("mini", corrections=str(file)).open().dataset
        assert corrected.by_id["mini_0"].tasks[0].utterance == words, "a file that changed is read again"
        assert corrected.sha256 == plain.sha256
    with pytest.raises(UsageError, match="mini has no known corrections"):
        SourceSpec("mini", corrections="known").open()
