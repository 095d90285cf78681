"""Anybody's results: files that say of each id whether it is right. They are compared as runs are.

A file is a JSON object {id: true | false}, or CSV with the columns id, right and, if tasks belong together, cluster
(a session, a document): with one row of headings or none. Right is true, false, 1 or 0.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toolgauge.analysis.compare.content import (
    RESULTS,
    Changed,
    Compared,
    Comparison,
    scoring_comparison,
)
from toolgauge.analysis.compare.pairing import Note, Scored
from toolgauge.analysis.decide import Crosstab, PairedRow, PairedTable
from toolgauge.errors import UsageError

SCORING = "results"
WRONG = "wrong"
DECIDES = ("overall", "task_accuracy")
MOST_BYTES = 256 << 20
_RIGHT = {"true": True, "1": True, "false": False, "0": False}


class Results(NamedTuple):
    """What is right. clusters: to which each id belongs, for those of which it is known."""

    name: str
    right: Mapping[str, bool]
    clusters: Mapping[str, str]


def read_results(path: Path) -> Results:
    """The results in a file; raises UsageError with the place of what cannot be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path}: larger than {MOST_BYTES >> 20} MB")
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read {path}: {error}") from None
    rows = _json_rows(path, text) if text.lstrip().startswith("{") else _csv_rows(path, text)
    right: dict[str, bool] = {}
    clusters: dict[str, str] = {}
    for place, key, value, cluster in rows:
        if key in right:
            raise UsageError(f"{path}: {place}: id {key[:80]!r} stands there twice")
        right[key] = value
        if cluster:
            clusters[key] = cluster
    if not right:
        raise UsageError(f"{path}: no results; write {{id: true | false}} or CSV rows id,right[,cluster]")
    return Results(str(path), right, clusters)


Row = tuple[str, str, bool, str]
"""Where it stands, the id, whether it is right, and its cluster, "" where none is named."""


def _json_rows(path: Path, text: str) -> Iterator[Row]:
    try:
        pairs = json.loads(text, object_pairs_hook=lambda members: members)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: invalid JSON: {error}") from None
    for key, value in pairs:
        if not isinstance(value, bool | int) or value not in (0, 1):
            raise UsageError(f"{path}: {key[:80]!r}: must be true or false")
        yield "the object", key, bool(value), ""


def _csv_rows(path: Path, text: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for number, cells in enumerate(reader):
            place, values = f"line {reader.line_num}", [cell.strip() for cell in cells]
            if not any(values):
                continue
            right = _RIGHT.get(values[1].lower()) if len(values) in (2, 3) and values[0] else None
            if right is not None:
                yield place, values[0], right, values[2] if len(values) == 3 else ""
            elif number:  # the first row may be one of headings
                raise UsageError(f"{path}: {place}: must be id,right[,cluster] with right as true, false, 1 or 0")
    except csv.Error as error:
        raise UsageError(f"{path}: line {reader.line_num}: invalid CSV: {error}") from None


def results_of(run: Scored, scoring: str) -> Results:
    """Those of a run in one scoring; its clusters are sessions."""
    scored = [score for score in run.scores if scoring in score.scorings]
    return Results(
        run.model,
        {score.task_id: score.scorings[scoring].correct for score in scored},
        {score.task_id: score.session_id for score in scored},
    )


def compare_results(a: Results, b: Results, same_model: bool = False) -> Comparison:
    """Compare results b with results a, over the ids that both have.

    Raises UsageError where there are none, or where the two name different clusters for an id.
    """
    ids = [key for key in a.right if key in b.right]
    if not ids:
        raise UsageError(f"cannot compare {a.name} and {b.name}: no id in common")
    places = _places(a, b, ids)
    before, after = (np.array([side.right[key] for key in ids], dtype=float) for side in (a, b))
    hits = np.stack([np.bincount(places, weights=right) for right in (before, after)]).astype(float)
    trials = np.tile(np.bincount(places).astype(float), (2, 1))
    whole = (hits == trials).astype(float)
    tasks, sessions = Crosstab.of(before, after, np.ones(len(ids))), Crosstab.of(whole[0], whole[1], trials[0])
    table = PairedTable(tasks, sessions, [PairedRow(*DECIDES, hits, trials, tasks.fixed, tasks.broken)])
    fixed = [Changed(key, WRONG) for key in ids if b.right[key] and not a.right[key]]
    broken = [Changed(key, WRONG) for key in ids if a.right[key] and not b.right[key]]
    left = len(a.right) - len(ids), len(b.right) - len(ids)
    return Comparison(
        benchmark=RESULTS,
        tables=RESULTS,
        language="",
        dataset=None,
        headline=SCORING,
        decides=DECIDES,
        a=Compared(a.name, a.name, len(a.right)),
        b=Compared(b.name, b.name, len(b.right)),
        same_model=same_model,
        tasks=len(ids),
        notes=[Note("part", *left)] if any(left) else [],
        scorings={SCORING: scoring_comparison(table, DECIDES, {}, fixed, broken)},
    )


def _places(a: Results, b: Results, ids: Sequence[str]) -> list[int]:
    """The number of each id's cluster: one that only one side names counts for both; an id without any is one of its
    own."""
    numbers: dict[tuple[str, str], int] = {}
    places = []
    for key in ids:
        first, second = a.clusters.get(key), b.clusters.get(key)
        if first and second and first != second:
            raise UsageError(
                f"cannot compare {a.name} and {b.name}: {key[:80]!r} is in cluster {first[:80]!r} and "
                f"in {second[:80]!r}"
            )
        cluster = first or second
        places.append(numbers.setdefault(("cluster", cluster) if cluster else ("id", key), len(numbers)))
    return places
