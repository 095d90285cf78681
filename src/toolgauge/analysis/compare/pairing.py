"""Which runs can be compared, which of their tasks make pairs, the rates of both over them, and what a reader has to
know about it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np
from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.analysis.decide import Crosstab, PairedRow, PairedTable
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.layout import Place
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.rates import leaves
from toolgauge.analysis.reports import Report, rows_of
from toolgauge.analysis.sheet import RateRow, Sheet
from toolgauge.analysis.table import RunTable
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.episode import Trajectory
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import Score, not_judgeable, scoring_names


class _Kind(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def headline(self) -> str: ...


class AskedAndScored(Protocol):
    """A run that was scored."""

    @property
    def manifest(self) -> Manifest: ...
    @property
    def metrics(self) -> Metrics: ...


class Scored(AskedAndScored, Protocol):
    """A run with its scores, as `runs.scored.open_run` gives it."""

    @property
    def folder(self) -> Path: ...
    @property
    def scores(self) -> list[Score]: ...
    @property
    def benchmark(self) -> _Kind: ...
    @property
    def model(self) -> str: ...
    @property
    def language(self) -> str: ...
    def required_dataset(self) -> object: ...
    def trajectories(self) -> Iterator[Trajectory]: ...


class Counted(NamedTuple):
    """A run in one scoring, and its rates by table and name."""

    sheet: Sheet
    rows: dict[Place, RateRow]


class Side(NamedTuple):
    """One run of a comparison, with all that is read from files.

    dataset: what the benchmark's `load` returned; table: of what is scored; kept: by scoring, the rates over all of it,
    once they were needed: most comparisons of a run are over the same tasks.
    """

    run: Scored
    dataset: Any
    scores: Mapping[str, Score]
    table: RunTable
    kept: dict[str, Counted]


class Note(Struct, frozen=True):
    """Something that differs between two runs (see `notes_on`), as it is in each of them."""

    code: str
    a: str | int | None
    b: str | int | None


class Pairs(NamedTuple):
    """The tasks that both runs have a score for, in the order of the first run; only_a, only_b: how many others.

    Both scores of a pair have the same scorings: where a recording ends too early for one in either run, they have none
    in it. scorings: those that all scores have, apart from such pairs; unjudged: how many of each run's tasks here are
    not judgeable, by scoring.
    """

    a: list[Score]
    b: list[Score]
    scorings: tuple[str, ...]
    only_a: int
    only_b: int
    unjudged: tuple[dict[str, int], dict[str, int]] = ({}, {})


def require_comparable(a: Scored, b: Scored) -> None:
    """Raise UsageError where a task of one run is not the same task in the other, with the reason."""
    compared = (
        ("benchmarks", a.benchmark.name, b.benchmark.name),
        ("languages", a.language, b.language),
        ("data (sha256)", a.manifest.data.sha256, b.manifest.data.sha256),
        (
            "corrections of the data (sha256)",
            *(run.manifest.corrections.sha256 if run.manifest.corrections else "none" for run in (a, b)),
        ),
    )
    for what, first, second in compared:
        if first != second:
            raise _refusal(a, b, f"different {what}, {first[:16]} and {second[:16]}")


def _refusal(a: Scored, b: Scored, reason: str) -> UsageError:
    return UsageError(f"cannot compare {a.folder} and {b.folder}: {reason}; compare runs on the same tasks")


def pairs_of(a: Side, b: Side) -> Pairs:
    """The tasks of both runs, and the scorings that all their scores have; raises UsageError if there are none."""
    common = [task_id for task_id in a.scores if task_id in b.scores]
    if not common:
        raise _refusal(a.run, b.run, "no scored task in common")
    ours, theirs = ([side.scores[task_id] for task_id in common] for side in (a, b))
    scorings = tuple(
        name
        for name in scoring_names(ours)
        if all(name in first.scorings or not first.is_judgeable(name) for first in (*ours, *theirs))
    )
    unjudged = not_judgeable(ours), not_judgeable(theirs)
    if any(unjudged):
        both = [set(first.scorings) & set(second.scorings) for first, second in zip(ours, theirs, strict=True)]
        ours, theirs = ([*map(_only, side, both)] for side in (ours, theirs))
        scorings = tuple(name for name in scorings if any(name in judged for judged in both))
    if not scorings:
        raise _refusal(a.run, b.run, "no scoring in common (`toolgauge score` adds missing ones)")
    return Pairs(ours, theirs, scorings, len(a.scores) - len(common), len(b.scores) - len(common), unjudged)


def _only(score: Score, scorings: Collection[str]) -> Score:
    """A score with the verdicts that make a pair."""
    verdicts = {name: verdict for name, verdict in score.scorings.items() if name in scorings}
    return replace(score, scorings=verdicts, not_judgeable=UNSET)


def counted(report: Report, side: Side, scores: list[Score], scoring: str, judged: bool) -> Counted:
    """Every rate of a run in a scoring, over the tasks of the pairs. judged: has every pair all its scorings?"""
    whole = judged and len(scores) == len(side.table)
    if whole and scoring in side.kept:
        return side.kept[scoring]
    sheet = Sheet(side.table if whole else side.table.of(scores), scoring)
    rows = {}
    for row in rows_of(report, sheet):
        hits, trials = map(_small, row.of_all or (row.hits, row.trials))
        rows[row.table, row.name] = row._replace(hits=hits, trials=trials, of_all=row.of_all and (hits, trials))
    result = Counted(sheet, rows)
    if whole:
        side.kept[scoring] = result
    return result


def _small(counts: Floats) -> Any:
    """Small whole numbers in an eighth of the memory: a site keeps the rates of all its runs, which takes 26 MB less
    for ten of 1,024 tasks."""
    with np.errstate(invalid="ignore"):
        small = counts.astype(np.uint8)
    return small if np.array_equal(small, counts) else counts


def paired(a: Counted, b: Counted) -> PairedTable:
    """The rates that both runs have. Of two runs different tasks go wrong, so shares of what went wrong are counted
    among all tasks here; a class of mistakes that only one run has is counted 0 times in the other."""
    tables = list(dict.fromkeys(table for table, _name in (*a.rows, *b.rows)))
    places = sorted({**a.rows, **b.rows}, key=lambda place: tables.index(place[0]))
    rows = (_paired_row(place, a.rows.get(place), b.rows.get(place)) for place in places)
    ours, theirs = a.sheet, b.sheet
    return PairedTable(
        Crosstab.of(ours.right, theirs.right, ours.scored),
        Crosstab.of(ours.units.perfect, theirs.units.perfect, ours.units.complete),
        [row for row in rows if row is not None],
    )


def _paired_row(place: Place, a: RateRow | None, b: RateRow | None) -> PairedRow | None:
    """None for a rate that one run does not have, unless it is a share, and for a share that no run has any of."""
    either = a or b
    assert either is not None
    is_share = either.of_all is not None
    if not (is_share or (a and b)):
        return None
    hits = np.array([row.hits if row else np.zeros(len(either.hits)) for row in (a, b)], dtype=float)
    if is_share and not hits.any():
        return None
    trials = np.array([(row or either).trials for row in (a, b)], dtype=float)
    if a is None or b is None:
        return PairedRow(*place, hits, trials)
    fixed = broken = None
    if a.won is not None and b.won is not None and a.judged == b.judged:
        fixed, broken = (b.won & ~a.won).bit_count(), (a.won & ~b.won).bit_count()
    parts = tuple(
        PairedRow(ours.table, ours.name, np.stack([ours.hits, theirs.hits]), np.stack([ours.trials, theirs.trials]))
        for ours, theirs in (zip(leaves(a), leaves(b), strict=True) if a.parts else ())
    )
    return PairedRow(*place, hits, trials, fixed, broken, parts)


def say_one_model(a: Scored, b: Scored) -> bool:
    """Do two runs say that they measured one model: by its name, at one address?"""
    first, second = a.manifest.measured, b.manifest.measured
    return bool(first.name) and first.name == second.name and (first.base_url or None) == (second.base_url or None)


def notes_on(a: Scored, b: Scored, pairs: Pairs) -> list[Note]:
    """What differs between the runs but does not forbid to compare them.

    Codes: those of `setting_notes`, "part" (how many scored tasks have no partner), "scorings" (those that only one
    has), "not_judgeable" (tasks that make no pair in a scoring, for their recordings end too early).
    """
    notes = setting_notes(a, b)
    ours, theirs = (", ".join(name for name in run.metrics.scorings if name not in pairs.scorings) for run in (a, b))
    if ours != theirs:
        notes.append(Note("scorings", ours or None, theirs or None))
    if pairs.only_a or pairs.only_b:
        notes.append(Note("part", pairs.only_a, pairs.only_b))
    if any(pairs.unjudged):
        texts = (", ".join(f"{name} {number:,}" for name, number in one.items()) or None for one in pairs.unjudged)
        notes.append(Note("not_judgeable", *texts))
    return notes


def setting_notes(a: Scored, b: Scored) -> list[Note]:
    """How the runs were asked and scored differently. Codes: "epochs", "variant", the benchmark's own options,
    "sampling" (the settings that differ), "user_model", "package", "toolgauge" and "metrics" (versions)."""
    drawn, again = a.manifest.drawing, b.manifest.drawing
    differing = [name for name in {**drawn, **again} if drawn.get(name) != again.get(name)]
    first, second = (_settings(run, differing) for run in (a, b))
    options = {name: None for run in (a, b) for name in run.manifest.more}
    codes = ("epochs", "variant", *options, "sampling", "user_model", "package", "toolgauge", "metrics")
    pairs = ((code, first.get(code), second.get(code)) for code in codes)
    return [Note(code, _short(ours), _short(theirs)) for code, ours, theirs in pairs if ours != theirs]


def _settings(run: Scored, drawing: Collection[str]) -> dict[str, object]:
    """drawing: which settings of sampling are told."""
    manifest = run.manifest
    return {
        **manifest.more,
        "epochs": manifest.epochs,
        "variant": manifest.variant.name if manifest.variant else None,
        "sampling": {name: manifest.drawing.get(name) for name in drawing},
        "user_model": manifest.user_model.name if manifest.user_model else None,
        "package": manifest.package.told if manifest.package else None,
        "toolgauge": manifest.toolgauge,
        "metrics": run.metrics.version,
    }


def _short(value: object) -> str | None:
    """A setting as a text; objects as "name=value", what is long is cut."""
    if value in (None, UNSET, ""):
        return None
    if isinstance(value, dict):
        value = ", ".join(f"{name}={msgspec.json.encode(part).decode()}" for name, part in sorted(value.items()))
    return str(value)[:200]


def settings_of(manifest: Manifest) -> dict[str, str]:
    """What a run was asked for, by names that run.json has."""
    settings: dict[str, object] = {
        "toolgauge": manifest.toolgauge,
        "model": manifest.measured.name,
        "dialect": manifest.measured.more.get("dialect"),
        "data": f"{manifest.data.name} {manifest.data.sha256[:12]}",
        "variant": manifest.variant.name if manifest.variant else "",
        **manifest.more,
        "epochs": manifest.epochs,
        **dict(sorted(manifest.drawing.items())),
    }
    drawn = manifest.drawing
    return {name: str(value) for name, value in settings.items() if name in drawn or value}


def asked_of(run: AskedAndScored) -> dict[str, str]:
    """What a run of a model was asked for and how it was scored, by names that its files have."""
    settings = settings_of(run.manifest)
    return {name: text for name, text in settings.items() if name != "model"} | {
        "scorings": ", ".join(run.metrics.scorings)
    }


def differences(own: Mapping[str, str], others: Iterable[Mapping[str, str]]) -> list[str]:
    """What one of them has otherwise than another one: "dialect hermes"."""
    listed = list(others)
    return [f"{name} {text}" for name, text in own.items() if any(one.get(name) != text for one in listed)]
