"""Which runs can be compared, which of their tasks make pairs, and what a reader has to know about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import is_
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np
from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.analysis.decide import Crosstab, PairedRow, PairedTable
from toolgauge.analysis.layout import Place
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.rates import leaves
from toolgauge.analysis.reports import Report, rows_of
from toolgauge.analysis.table import RateRow, RunTable, Sheet
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.episode import Trajectory
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import Score, not_judgeable, scoring_names


class _Kind(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def headline(self) -> str: ...


class Scored(Protocol):
    """A run with its scores, as `runs.scored.open_run` gives it."""

    @property
    def folder(self) -> Path: ...
    @property
    def manifest(self) -> Manifest: ...
    @property
    def metrics(self) -> Metrics: ...
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


class Side(NamedTuple):
    """One run of a comparison, with all that is read from files.

    dataset: what the benchmark's `load` returned; table: of what is scored; kept: by scoring, the rates over all of it,
    once they were needed: most comparisons of a run are over the same tasks.
    """

    run: Scored
    dataset: Any
    scores: Mapping[str, Score]
    table: RunTable
    kept: dict[str, SheetRows]


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


class SheetRows(NamedTuple):
    """A run in one scoring, and its rates by table and name."""

    sheet: Sheet
    rows: dict[Place, RateRow]


def require_comparable(a: Scored, b: Scored) -> None:
    """Raise UsageError where a task of one run is not the same task in the other, with the reason."""
    compared = (
        ("benchmarks", a.benchmark.name, b.benchmark.name),
        ("languages", a.language, b.language),
        ("data (sha256)", a.manifest.data.sha256, b.manifest.data.sha256),
        ("corrections of the data (sha256)", _corrections(a.manifest), _corrections(b.manifest)),
    )
    for what, one, other in compared:
        if one != other:
            raise _refusal(a, b, f"different {what}, {one[:16]} and {other[:16]}")


def pairs_of(a: Side, b: Side) -> Pairs:
    """The tasks of both runs, and the scorings that all their scores have; raises UsageError if there are none."""
    common = [task_id for task_id in a.scores if task_id in b.scores]
    if not common:
        raise _refusal(a.run, b.run, "no scored task in common")
    ours, theirs = [a.scores[task_id] for task_id in common], [b.scores[task_id] for task_id in common]
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


def paired_tables(
    report: Report, sides: tuple[Side, Side], pairs: Pairs, scorings: Sequence[str]
) -> dict[str, PairedTable]:
    """Every rate of both runs in each of the scorings, over the tasks of the pairs."""
    tables = [side.table.of(scores) for side, scores in zip(sides, (pairs.a, pairs.b), strict=True)]
    found = {}
    for scoring in scorings:
        one, other = (_rows(report, side, table, scoring) for side, table in zip(sides, tables, strict=True))
        found[scoring] = _paired(one, other)
    return found


def _rows(report: Report, side: Side, table: RunTable, scoring: str) -> SheetRows:
    whole = len(table) == len(side.table) and all(map(is_, table.scores, side.table.scores))
    if whole and scoring in side.kept:
        return side.kept[scoring]
    sheet = Sheet(table, scoring)
    made = SheetRows(sheet, {(row.table, row.name): _small(row) for row in rows_of(report, sheet)})
    if whole:
        side.kept[scoring] = made
    return made


def _small(row: RateRow) -> RateRow:
    """The same numbers in an eighth of the memory, where they are small and whole."""

    def small(counts: Any) -> Any:
        with np.errstate(invalid="ignore"):
            bytes_ = counts.astype(np.uint8)
        return bytes_ if np.array_equal(bytes_, counts) else counts

    of_all = row.of_all and (small(row.of_all[0]), small(row.of_all[1]))
    return row._replace(hits=small(row.hits), trials=small(row.trials), of_all=of_all)


def _paired(one: SheetRows, other: SheetRows) -> PairedTable:
    """Rates that both have. Shares of what went wrong are those of all tasks, and are left out where no run has any."""
    rows: list[PairedRow] = []
    tables = dict.fromkeys(table for table, _name in (*one.rows, *other.rows))
    for place in sorted({**one.rows, **other.rows}, key=lambda place: list(tables).index(place[0])):
        ours, theirs = one.rows.get(place), other.rows.get(place)
        if (known := ours or theirs) and known.of_all:
            paired = _paired_shares(place, ours, theirs)
            rows += [paired] if paired.hits.any() else []
        elif ours and theirs:
            rows.append(_paired_row(ours, theirs))
    tasks = Crosstab.of(one.sheet.right, other.sheet.right, one.sheet.scored)
    units, still = one.sheet.units, other.sheet.units
    return PairedTable(tasks, Crosstab.of(units.perfect, still.perfect, units.complete), rows)


def _paired_row(one: RateRow, other: RateRow) -> PairedRow:
    hits, trials = (np.stack(both).astype(float) for both in ((one.hits, other.hits), (one.trials, other.trials)))
    parts = [_paired_row(*both) for both in zip(leaves(one), leaves(other), strict=True)] if one.parts else []
    return PairedRow(one.table, one.name, hits, trials, *_changed(one, other), tuple(parts))


def _changed(one: RateRow, other: RateRow) -> tuple[int | None, int | None]:
    """How many tasks only the second, only the first run has right; None where the rows are of other tasks."""
    if one.won is None or one.lost is None or other.won is None or other.lost is None:
        return None, None
    if not np.array_equal(one.won | one.lost, other.won | other.lost):
        return None, None
    fixed, broken = (np.unpackbits(both).sum() for both in (one.lost & other.won, one.won & other.lost))
    return int(fixed), int(broken)


def _paired_shares(place: Place, one: RateRow | None, other: RateRow | None) -> PairedRow:
    """A class of mistakes that only one run has is counted 0 times in the other."""
    either = [row.of_all for row in (one, other) if row and row.of_all]
    of_all = [row.of_all if row and row.of_all else (0 * either[0][0], either[0][1]) for row in (one, other)]
    hits, trials = (np.stack([side[part] for side in of_all]).astype(float) for part in (0, 1))
    return PairedRow(*place, hits, trials)


def say_one_model(a: Scored, b: Scored) -> bool:
    """Do two runs say that they measured one model: by its name, at one address?"""
    one, other = a.manifest.measured, b.manifest.measured
    return bool(one.name) and one.name == other.name and (one.base_url or None) == (other.base_url or None)


def _refusal(a: Scored, b: Scored, reason: str) -> UsageError:
    return UsageError(f"cannot compare {a.folder} and {b.folder}: {reason}; compare runs on the same tasks")


def notes_on(a: Scored, b: Scored, pairs: Pairs) -> list[Note]:
    """What differs between the runs but does not forbid to compare them.

    Codes: those of `setting_notes`, "part" (how many scored tasks have no partner), "scorings" (those that only one
    has), "not_judgeable" (tasks that make no pair in a scoring, for their recordings end too early).
    """
    ours, theirs = _others(a, pairs.scorings), _others(b, pairs.scorings)
    notes = setting_notes(a, b)
    if ours != theirs:
        notes.append(Note("scorings", _short(ours), _short(theirs)))
    if pairs.only_a or pairs.only_b:
        notes.append(Note("part", pairs.only_a, pairs.only_b))
    if any(pairs.unjudged):
        notes.append(Note("not_judgeable", *(_counted(one) for one in pairs.unjudged)))
    return notes


def setting_notes(a: Scored, b: Scored) -> list[Note]:
    """How the runs were asked and scored differently. Codes: "epochs", "variant", the benchmark's own options,
    "sampling" (the settings that differ), "user_model", "package", "toolgauge" and "metrics" (versions)."""
    one, other = a.manifest, b.manifest
    settings: list[tuple[str, object, object]] = [
        ("epochs", one.epochs, other.epochs),
        ("variant", _variant(one), _variant(other)),
        *((name, one.more.get(name), other.more.get(name)) for name in {**one.more, **other.more}),
        ("sampling", *_differing(one.drawing, other.drawing)),
        ("user_model", _user_model(one), _user_model(other)),
        ("package", _package(one), _package(other)),
        ("toolgauge", one.toolgauge, other.toolgauge),
        ("metrics", a.metrics.version, b.metrics.version),
    ]
    return [Note(code, _short(ours), _short(theirs)) for code, ours, theirs in settings if ours != theirs]


def _differing(one: Mapping[str, object], other: Mapping[str, object]) -> tuple[object, object]:
    """Of two objects, the fields that are not the same."""
    fields = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return {name: one.get(name) for name in fields}, {name: other.get(name) for name in fields}


def _corrections(asked: Manifest) -> str:
    return asked.corrections.sha256 if asked.corrections else "none"


def _variant(asked: Manifest) -> str | None:
    return asked.variant.name if asked.variant else None


def _user_model(asked: Manifest) -> str | None:
    return asked.user_model.name if asked.user_model else None


def _package(asked: Manifest) -> str | None:
    return asked.package.told if asked.package else None


def _counted(numbers: Mapping[str, int]) -> str | None:
    return ", ".join(f"{name} {number:,}" for name, number in numbers.items()) or None


def _others(run: Scored, scorings: Sequence[str]) -> str:
    return ", ".join(name for name in run.metrics.scorings if name not in scorings)


def _short(value: object) -> str | None:
    """A setting as a text; objects as "name=value", what is long is cut."""
    if value in (None, UNSET, ""):
        return None
    if isinstance(value, dict):
        value = ", ".join(f"{name}={msgspec.json.encode(part).decode()}" for name, part in sorted(value.items()))
    return str(value)[:200]
