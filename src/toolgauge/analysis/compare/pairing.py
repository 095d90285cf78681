"""Which runs can be compared, which of their tasks make pairs, and what a reader has to know about it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np
from msgspec import UNSET, Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from toolgauge.analysis.decide import Crosstab, PairedRow, PairedRows, PairedTable
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.layout import Place
from toolgauge.analysis.numbers import Metrics
from toolgauge.analysis.rates import leaves
from toolgauge.analysis.reports import Report, rows_of
from toolgauge.analysis.sheet import Bits, RateRow, Sheet
from toolgauge.analysis.table import Mask, RunTable
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.episode import Trajectory
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import Score, not_judgeable, scoring_names

Counts = Floats | NDArray[np.uint8]
Places = NDArray[np.intp]


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
    """A run in one scoring, and its rates as arrays, a row for each; places: of their tables and names.

    hits, trials: shape (rates, sessions). shares: which are shares of what went wrong: of two runs different tasks go
    wrong, so they are counted among all tasks here. is_judged, won, lost: of which it is known what they count, and
    which tasks are right and wrong, a bit each. parts: what weighted means are made of.
    """

    sheet: Sheet
    places: dict[Place, int]
    hits: Counts
    trials: Counts
    shares: Mask
    is_judged: Mask
    won: Bits
    lost: Bits
    parts: dict[int, list[RateRow]]


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


def sheet_rows(report: Report, sides: tuple[Side, Side], pairs: Pairs, scoring: str) -> tuple[SheetRows, SheetRows]:
    """Every rate of both runs in a scoring, over the tasks of the pairs."""
    one, other = (
        _rows(report, side, scores, scoring, whole=len(scores) == len(side.table) and not any(pairs.unjudged))
        for side, scores in zip(sides, (pairs.a, pairs.b), strict=True)
    )
    return one, other


def _rows(report: Report, side: Side, scores: Sequence[Score], scoring: str, whole: bool) -> SheetRows:
    if whole and scoring in side.kept:
        return side.kept[scoring]
    sheet = Sheet(side.table if whole else side.table.of(scores), scoring)
    rows = rows_of(report, sheet)
    counted = [row.of_all or (row.hits, row.trials) for row in rows]
    judged = [(row.won, row.lost) for row in rows]
    width = max((len(won) for won, _lost in judged if won is not None), default=0)
    made = SheetRows(
        sheet=sheet,
        places={(row.table, row.name): number for number, row in enumerate(rows)},
        hits=_small(np.stack([hits for hits, _trials in counted])),
        trials=_small(np.stack([trials for _hits, trials in counted])),
        shares=np.array([row.of_all is not None for row in rows]),
        is_judged=np.array([won is not None for won, _lost in judged]),
        won=np.stack([_widened(won, width) for won, _lost in judged]),
        lost=np.stack([_widened(lost, width) for _won, lost in judged]),
        parts={number: list(leaves(row)) for number, row in enumerate(rows) if row.parts},
    )
    if whole:
        side.kept[scoring] = made
    return made


def _small(counts: Floats) -> Counts:
    """The same numbers in an eighth of the memory, where they are small and whole."""
    with np.errstate(invalid="ignore"):
        bytes_ = counts.astype(np.uint8)
    return bytes_ if np.array_equal(bytes_, counts) else counts


def _widened(bits: Bits | None, width: int) -> Bits:
    wide = np.zeros(width, dtype=np.uint8)
    if bits is not None:
        wide[: len(bits)] = bits
    return wide


def paired(one: SheetRows, other: SheetRows) -> PairedTable:
    """Rates that both have. Shares of what went wrong are left out where no run has any; a class of mistakes that only
    one run has is counted 0 times in the other."""
    tables = list(dict.fromkeys(table for table, _name in (*one.places, *other.places)))
    places = [
        place
        for place in sorted({**one.places, **other.places}, key=lambda place: tables.index(place[0]))
        if (place in one.places and place in other.places) or _is_share(one, place) or _is_share(other, place)
    ]
    first, second = (np.array([side.places.get(place, -1) for place in places], dtype=np.intp) for side in (one, other))
    hits = np.stack([one.hits[first], other.hits[second]], axis=1).astype(float)
    trials = np.stack([one.trials[first], other.trials[second]], axis=1).astype(float)
    for own, lacking in enumerate((first < 0, second < 0)):
        hits[lacking, own], trials[lacking, own] = 0, trials[lacking, 1 - own]
    kept = np.flatnonzero(~(one.shares[first] | other.shares[second]) | hits.any(axis=(1, 2)))
    ours, theirs = first[kept], second[kept]
    units, still = one.sheet.units, other.sheet.units
    return PairedTable(
        Crosstab.of(one.sheet.right, other.sheet.right, one.sheet.scored),
        Crosstab.of(units.perfect, still.perfect, units.complete),
        PairedRows(
            [places[place] for place in kept],
            hits[kept],
            trials[kept],
            *_changed(one, other, ours, theirs),
            {
                place: _parts(one.parts[number], other.parts[theirs[place]])
                for place, number in enumerate(ours.tolist())
                if number in one.parts
            },
        ),
    )


def _is_share(side: SheetRows, place: Place) -> bool:
    return place in side.places and bool(side.shares[side.places[place]])


def _changed(
    one: SheetRows, other: SheetRows, ours: Places, theirs: Places
) -> tuple[list[int | None], list[int | None]]:
    """How many tasks only the second, only the first run has right; None where rows are of other tasks."""
    width = max(one.won.shape[1], other.won.shape[1])
    won, lost, still_won, still_lost = (
        np.pad(bits[rows], ((0, 0), (0, width - bits.shape[1])))
        for bits, rows in ((one.won, ours), (one.lost, ours), (other.won, theirs), (other.lost, theirs))
    )
    known = one.is_judged[ours] & other.is_judged[theirs] & ((won | lost) == (still_won | still_lost)).all(axis=1)
    fixed, broken = (
        [
            number if is_known else None
            for number, is_known in zip(np.unpackbits(both, axis=1).sum(axis=1, dtype=int).tolist(), known, strict=True)
        ]
        for both in (lost & still_won, won & still_lost)
    )
    return fixed, broken


def _parts(ours: Sequence[RateRow], theirs: Sequence[RateRow]) -> tuple[PairedRow, ...]:
    """Of a weighted mean, the rates that it is made of."""
    return tuple(
        PairedRow(one.table, one.name, np.stack([one.hits, other.hits]), np.stack([one.trials, other.trials]))
        for one, other in zip(ours, theirs, strict=True)
    )


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


class AskedAndScored(Protocol):
    """A run that was scored."""

    @property
    def manifest(self) -> Manifest: ...

    @property
    def metrics(self) -> Metrics: ...


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
    scorings = {"scorings": ", ".join(run.metrics.scorings)}
    return {name: text for name, text in found.items() if name != "model"} | scorings


def differences(own: Mapping[str, str], others: Iterable[Mapping[str, str]]) -> list[str]:
    """What one of them has otherwise than another one: "dialect hermes"."""
    listed = list(others)
    return [f"{name} {text}" for name, text in own.items() if any(one.get(name) != text for one in listed)]
