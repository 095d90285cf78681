"""Which runs can be compared, which of their tasks make pairs, and what a reader has to know about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import is_
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
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

    dataset: what the benchmark's `load` returned; facts: what its `features` did; kept: what its `compare` has made of
    this run and needs for the next comparison, None where nothing is kept.
    """

    run: Scored
    dataset: Any
    scores: Mapping[str, Score]
    facts: Mapping[str, object]
    kept: dict[str, object] | None = None


class Note(Struct, frozen=True):
    """Something that differs between two runs (see `notes_on`), as it is in each of them."""

    code: str
    a: str | int | None
    b: str | int | None


class Pairs(NamedTuple):
    """The tasks that both runs have a score for, in the order of the first run; only_a, only_b: how many others.

    Both scores of a pair have the same scorings: where a recording ends too early for one in either run, they have none
    in it. scorings: those that all scores have, apart from such pairs; unjudged: how many of each run's tasks here are
    not judgeable, by scoring; tables: those that are wanted, None for all.
    """

    a: list[Score]
    b: list[Score]
    scorings: tuple[str, ...]
    only_a: int
    only_b: int
    unjudged: tuple[dict[str, int], dict[str, int]] = ({}, {})
    tables: frozenset[str] | None = None

    def wants(self, table: str) -> bool:
        return self.tables is None or table in self.tables


def are_same(scores: Sequence[Score], others: Sequence[Score]) -> bool:
    """Are they the very same objects? Then what was made of some for one comparison serves the next."""
    return len(scores) == len(others) and all(map(is_, scores, others))


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
    "sampling" (the settings that differ), "user_model", "toolgauge" and "metrics" (versions)."""
    one, other = a.manifest, b.manifest
    settings: list[tuple[str, object, object]] = [
        ("epochs", one.epochs, other.epochs),
        ("variant", _variant(one), _variant(other)),
        *((name, one.more.get(name), other.more.get(name)) for name in {**one.more, **other.more}),
        ("sampling", *_differing(one.drawing, other.drawing)),
        ("user_model", _user_model(one), _user_model(other)),
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
