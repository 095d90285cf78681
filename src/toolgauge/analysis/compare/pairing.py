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
    for what, one, other in compared:
        if one != other:
            raise _refusal(a, b, f"different {what}, {one[:16]} and {other[:16]}")


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
        if all(name in one.scorings or not one.is_judgeable(name) for one in (*ours, *theirs))
    )
    unjudged = not_judgeable(ours), not_judgeable(theirs)
    if any(unjudged):
        both = [set(one.scorings) & set(other.scorings) for one, other in zip(ours, theirs, strict=True)]
        ours, theirs = ([*map(_only, side, both)] for side in (ours, theirs))
        scorings = tuple(name for name in scorings if any(name in judged for judged in both))
    if not scorings:
        raise _refusal(a.run, b.run, "no scoring in common (`toolgauge score` adds missing ones)")
    return Pairs(ours, theirs, scorings, len(a.scores) - len(common), len(b.scores) - len(common), unjudged)


def _only(score: Score, scorings: Collection[str]) -> Score:
    """A score with the verdicts that make a pair."""
    kept = {name: verdict for name, verdict in score.scorings.items() if name in scorings}
    return replace(score, scorings=kept, not_judgeable=UNSET)


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
    made = Counted(sheet, rows)
    if whole:
        side.kept[scoring] = made
    return made


def _small(counts: Floats) -> Any:
    """Small whole numbers in an eighth of the memory: a site keeps the rates of all its runs, which takes 26 MB less
    for ten of 1,024 tasks."""
    with np.errstate(invalid="ignore"):
        small = counts.astype(np.uint8)
    return small if np.array_equal(small, counts) else counts


def paired(one: Counted, other: Counted) -> PairedTable:
    """The rates that both runs have. Of two runs different tasks go wrong, so shares of what went wrong are counted
    among all tasks here; a class of mistakes that only one run has is counted 0 times in the other."""
    tables = list(dict.fromkeys(table for table, _name in (*one.rows, *other.rows)))
    places = sorted({**one.rows, **other.rows}, key=lambda place: tables.index(place[0]))
    made = (_paired_row(place, one.rows.get(place), other.rows.get(place)) for place in places)
    ours, theirs = one.sheet, other.sheet
    return PairedTable(
        Crosstab.of(ours.right, theirs.right, ours.scored),
        Crosstab.of(ours.units.perfect, theirs.units.perfect, ours.units.complete),
        [row for row in made if row is not None],
    )


def _paired_row(place: Place, one: RateRow | None, other: RateRow | None) -> PairedRow | None:
    """None for a rate that one run does not have, unless it is a share, and for a share that no run has any of."""
    known = one or other
    assert known is not None
    is_share = known.of_all is not None
    if not (is_share or (one and other)):
        return None
    hits = np.array([row.hits if row else np.zeros(len(known.hits)) for row in (one, other)], dtype=float)
    if is_share and not hits.any():
        return None
    trials = np.array([(row or known).trials for row in (one, other)], dtype=float)
    if one is None or other is None:
        return PairedRow(*place, hits, trials)
    fixed = broken = None
    if one.won is not None and other.won is not None and one.judged == other.judged:
        fixed, broken = (other.won & ~one.won).bit_count(), (one.won & ~other.won).bit_count()
    parts = tuple(
        PairedRow(ours.table, ours.name, np.stack([ours.hits, theirs.hits]), np.stack([ours.trials, theirs.trials]))
        for ours, theirs in (zip(leaves(one), leaves(other), strict=True) if one.parts else ())
    )
    return PairedRow(*place, hits, trials, fixed, broken, parts)


def say_one_model(a: Scored, b: Scored) -> bool:
    """Do two runs say that they measured one model: by its name, at one address?"""
    one, other = a.manifest.measured, b.manifest.measured
    return bool(one.name) and one.name == other.name and (one.base_url or None) == (other.base_url or None)


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
        told = (", ".join(f"{name} {number:,}" for name, number in one.items()) or None for one in pairs.unjudged)
        notes.append(Note("not_judgeable", *told))
    return notes


def setting_notes(a: Scored, b: Scored) -> list[Note]:
    """How the runs were asked and scored differently. Codes: "epochs", "variant", the benchmark's own options,
    "sampling" (the settings that differ), "user_model", "package", "toolgauge" and "metrics" (versions)."""
    drawn, again = a.manifest.drawing, b.manifest.drawing
    differing = [name for name in {**drawn, **again} if drawn.get(name) != again.get(name)]
    one, other = (_settings(run, differing) for run in (a, b))
    options = {name: None for run in (a, b) for name in run.manifest.more}
    codes = ("epochs", "variant", *options, "sampling", "user_model", "package", "toolgauge", "metrics")
    pairs = ((code, one.get(code), other.get(code)) for code in codes)
    return [Note(code, _short(ours), _short(theirs)) for code, ours, theirs in pairs if ours != theirs]


def _settings(run: Scored, drawing: Collection[str]) -> dict[str, object]:
    """drawing: which settings of sampling are told."""
    asked = run.manifest
    return {
        **asked.more,
        "epochs": asked.epochs,
        "variant": asked.variant.name if asked.variant else None,
        "sampling": {name: asked.drawing.get(name) for name in drawing},
        "user_model": asked.user_model.name if asked.user_model else None,
        "package": asked.package.told if asked.package else None,
        "toolgauge": asked.toolgauge,
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
    found: dict[str, object] = {
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
    return {name: str(value) for name, value in found.items() if name in drawn or value}


def asked_of(run: AskedAndScored) -> dict[str, str]:
    """What a run of a model was asked for and how it was scored, by names that its files have."""
    found = settings_of(run.manifest)
    return {name: text for name, text in found.items() if name != "model"} | {
        "scorings": ", ".join(run.metrics.scorings)
    }


def differences(own: Mapping[str, str], others: Iterable[Mapping[str, str]]) -> list[str]:
    """What one of them has otherwise than another one: "dialect hermes"."""
    listed = list(others)
    return [f"{name} {text}" for name, text in own.items() if any(one.get(name) != text for one in listed)]
