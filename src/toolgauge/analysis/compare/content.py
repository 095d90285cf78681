"""The comparison of two runs as one JSON object: what the terminal, the site and `--json` show. See docs/compare.md."""

from __future__ import annotations

import msgspec

from toolgauge.analysis.compare.pairing import Pairs, Scored, Side, notes_on, pairs_of, require_comparable
from toolgauge.analysis.compare.rows import RunComparison
from toolgauge.analysis.compare.significance import EXCHANGES
from toolgauge.analysis.intervals import LEVEL, REPLICATES, SEED
from toolgauge.analysis.reports import report_of
from toolgauge.chat import Json
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import CORRECT, Score

VERSION = 1


def compare_runs(a: Side, b: Side, reading: str | None = None) -> Json:
    """Compare run b with run a, over the tasks that both have, in one reading or in all that both have.

    Every difference is b minus a. Sides are made by `side_of`. The same runs give the same object; exchanged, they
    give its mirror image. Raises UsageError where the runs are not comparable or have no such reading.
    """
    require_comparable(a.run, b.run)
    pairs = pairs_of(a, b)
    if reading is not None and reading not in pairs.readings:
        raise UsageError(f"reading {reading!r}: these runs have {', '.join(pairs.readings)} in common")
    readings = [reading] if reading else list(pairs.readings)
    report = report_of(a.run.benchmark.name)
    found = report.compare((a, b), pairs, readings)
    return {
        "version": VERSION,
        "benchmark": a.run.benchmark.name,
        "tables": report.layout.kind,
        "language": a.run.language,
        "dataset": msgspec.to_builtins(a.run.manifest.data),
        "headline": a.run.benchmark.headline,
        "a": _described(a.run),
        "b": _described(b.run),
        "tasks": len(pairs.a),
        "notes": notes_on(a.run, b.run, pairs),
        "method": {"level": LEVEL, "replicates": REPLICATES, "exchanges": EXCHANGES, "seed": SEED, "family": "table"},
        "readings": {name: _reading(comparison, pairs, name) for name, comparison in found.items()},
    }


def _described(run: Scored) -> Json:
    return {"run": str(run.folder), "model": run.model, "scored": len(run.scores)}


def _reading(comparison: RunComparison, pairs: Pairs, reading: str) -> Json:
    mistakes = [
        (one.task_id, _outcome(one, reading), _outcome(other, reading))
        for one, other in zip(pairs.a, pairs.b, strict=True)
    ]
    moves: dict[str, dict[str, int]] = {}
    for _, before, after in mistakes:
        row = moves.setdefault(before, {})
        row[after] = row.get(after, 0) + 1
    fixed = [(task_id, before) for task_id, before, after in mistakes if before != CORRECT and after == CORRECT]
    broken = [(task_id, after) for task_id, before, after in mistakes if before == CORRECT and after != CORRECT]
    return {
        "tasks": comparison.tasks.entry(),
        "sessions": comparison.sessions.entry(),
        "tables": comparison.tables(),
        "moves": {before: dict(sorted(row.items())) for before, row in sorted(moves.items())},
        "fixed": [{"task_id": task_id, "mistake": mistake} for task_id, mistake in fixed],
        "broken": [{"task_id": task_id, "mistake": mistake} for task_id, mistake in broken],
    }


def _outcome(score: Score, reading: str) -> str:
    verdict = score.readings[reading]
    return CORRECT if verdict.correct else verdict.mistake or "unclassified"
