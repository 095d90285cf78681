"""The floor beside a score: what a model that never calls scores on the same tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import UnsetType
from msgspec.structs import replace

from toolgauge.analysis.numbers import Floor
from toolgauge.artefacts import DIGITS
from toolgauge.data.task_ids import without_epoch
from toolgauge.judge.verdict import CORRECT, ERROR, Score, Verdict
from toolgauge.locale import Text, _

if TYPE_CHECKING:
    from toolgauge.analysis.reports import Report

SILENCE = _("A model that never calls scores {rate} on these tasks.")
FEWEST_SESSIONS = 6
"""With fewer no difference could be significant."""
_RIGHT = Verdict(CORRECT, CORRECT, True, (1, 1))
_WRONG = Verdict(ERROR, ERROR, False, (0, 1))


def silence(floors: Iterable[Floor | UnsetType]) -> Text | None:
    """The sentence beside the scores of runs, where silence scores anything, the same in all."""
    values = {floor.value if floor else 0.0 for floor in floors}
    value = values.pop() if len(values) == 1 else 0.0
    return SILENCE.filled(rate=f"{value:.1%}") if value else None


def floor_of(
    report: Report,
    dataset: object,
    scores: Sequence[Score],
    scoring: str,
    words_pass: Mapping[str, bool],
) -> Floor | None:
    """The floor of a run in a scoring; None where nothing is scored in it.

    words_pass: of every task, by its id without the epoch, whether any words are right there.
    """
    import numpy as np

    from toolgauge.analysis.decide import PairedRow, paired_test
    from toolgauge.analysis.sheet import RateRow, Sheet

    scored = [score for score in scores if scoring in score.scorings]
    if not scored:
        return None
    mute = [
        replace(score, scorings={scoring: _RIGHT if words_pass.get(without_epoch(score.task_id)) else _WRONG})
        for score in scored
    ]

    def main(of: Sequence[Score]) -> RateRow | None:
        sheet = Sheet(report.table(dataset, of, None, ()), scoring)
        return next((row for row in report.rows(sheet) if (row.table, row.name) == report.layout.main), None)

    silent, measured = main(mute), main(scored)
    if silent is None or measured is None or not silent.trials.any():
        return None
    hits, trials = np.stack([silent.hits, measured.hits]), np.stack([silent.trials, measured.trials])
    test = paired_test(PairedRow(*report.layout.main, hits, trials))
    value = round(float(silent.hits.sum() / silent.trials.sum()), DIGITS)
    is_tested = test.interval is not None and test.sessions >= FEWEST_SESSIONS
    return Floor(value, test.interval[0] > 0 if is_tested and test.interval else None)
