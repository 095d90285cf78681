"""Is a `data_all` folder sound? Every problem it has, and the known errors of the published files apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from toolgauge.benchmarks.acebench.data.categories import CATEGORIES, select_categories
from toolgauge.benchmarks.acebench.data.entries import AceEntry
from toolgauge.benchmarks.acebench.data.known import known_errors
from toolgauge.benchmarks.acebench.data.load import (
    answer_file,
    find_data_all,
    present_categories,
    question_file,
    read_category,
)
from toolgauge.benchmarks.acebench.data.published import data_files
from toolgauge.benchmarks.acebench.data.rules import faults
from toolgauge.benchmarks.acebench.data.tables import find_tables, load_tables
from toolgauge.data.fetch import is_whole
from toolgauge.data.lines import LANGUAGES, known_language
from toolgauge.data.record import MAX_PROBLEMS, Problem
from toolgauge.errors import DataError

PUBLIC_SIZE = 900
"""From so many entries of one language on, a folder with every category is taken for the public data set."""
TURNS = (2, 3)
"""Turns that a session has."""


class Findings(Struct, frozen=True):
    """What a check found. known: what is wrong with the published files, as everybody has them."""

    problems: tuple[Problem, ...]
    known: tuple[Problem, ...]


def check_acebench(folder: Path | str, language: str | None = None, categories: Iterable[str] = ()) -> Findings:
    """All problems of a `data_all` folder, at most MAX_PROBLEMS, and the known errors of its published files.

    language: "en" or "zh"; None means each that is there. Raises UsageError for an unknown language or category,
    DataError where there is nothing to check.
    """
    if language is not None:
        known_language(language)
    chosen = select_categories(categories)
    place = find_data_all(folder)
    problems: list[Problem] = []
    known: list[Problem] = []
    for side in (language,) if language else LANGUAGES:
        if not (place / f"data_{side}").is_dir():
            if language:
                raise DataError(f"no folder data_{side}", place)
            continue
        names = chosen or present_categories(place, side)
        problems += _strays(place, side)
        problems += _tables(place, side)
        problems += _check_side(place, side, names, known, complete=not chosen)
    return Findings(tuple(problems[:MAX_PROBLEMS]), tuple(known))


def _check_side(
    folder: Path, language: str, names: tuple[str, ...], known: list[Problem], complete: bool
) -> Iterator[Problem]:
    counts: dict[str, int] = {}
    for name in names:
        found: list[DataError] = []
        entries = list(read_category(folder, name, language, found.append))
        counts[name] = len(entries)
        yield from (Problem(error.file, error.message, error.line, error.path) for error in found)
        yield from _check_entries(entries, folder, name, language, known)
        if not found and entries:
            yield from _numbering(entries, question_file(folder, name, language))
        elif not found:
            yield Problem(str(question_file(folder, name, language)), "no entries")
    if complete:
        yield from _missed_counts(counts, language, folder)


def _check_entries(
    entries: list[AceEntry], folder: Path, category: str, language: str, known: list[Problem]
) -> Iterator[Problem]:
    """The problems of entries; what is known to be wrong with a published one is put among the `known` instead."""
    files = question_file(folder, category, language), answer_file(folder, category, language)
    excused = known_errors(language, category) if is_published(folder, category, language) else {}
    for entry in entries:
        if entry.id in excused:
            known.append(Problem(str(files[0]), f"{entry.id} {excused[entry.id]}", entry.line))
        else:
            yield from _faults(entry, *files)


def is_published(folder: Path, category: str, language: str) -> bool:
    """Are the files of a category those that were published?"""
    files, published = (question_file, answer_file), data_files()
    paths = [find(folder, category, language) for find in files]
    return all(is_whole(path, published[f"data_all/{path.relative_to(folder).as_posix()}"]) for path in paths)


def _faults(entry: AceEntry, questions: Path, answers: Path) -> Iterator[Problem]:
    for where, path, message in faults(entry):
        file, line = (questions, entry.line) if where == "question" else (answers, entry.answer_line)
        yield Problem(str(file), message, line, path)


def _numbering(entries: list[AceEntry], file: Path) -> Iterator[Problem]:
    """Numbers count from 0 without gaps, in file order; sessions likewise, and the turns inside them."""
    if entries[0].session is None:
        expected: Iterator[str] = (f"{entry.category}_{number}" for number, entry in enumerate(entries))
    else:
        expected = _turn_ids(entries)
    for entry, name in zip(entries, expected, strict=True):
        if entry.id != name:
            yield Problem(str(file), f"found {entry.id}, expected {name}", entry.line, "id")
            return
    for session, turns in groupby(
        (entry for entry in entries if entry.session is not None), lambda one: one.session_id
    ):
        count, first = 0, 0
        for entry in turns:
            first = first or entry.line
            count += 1
        if count not in TURNS:
            yield Problem(
                str(file),
                f"session {session} has {count} turn{'' if count == 1 else 's'}, expected 2 or 3",
                first,
                "id",
            )


def _turn_ids(entries: list[AceEntry]) -> Iterator[str]:
    """The ids that a file of sessions must have, given how many turns its sessions have."""
    for session, (_unused, turns) in enumerate(groupby(entries, lambda one: one.session)):
        for turn, entry in enumerate(turns):
            yield f"{entry.category}_{session}_{turn}"


def _missed_counts(counts: dict[str, int], language: str, folder: Path) -> Iterator[Problem]:
    """What differs from the published counts, in a folder that is the public data set by its size."""
    if len(counts) < len(CATEGORIES) or sum(counts.values()) < PUBLIC_SIZE:
        return
    for name, count in counts.items():
        published = CATEGORIES[name].counts[language]
        if count != published:
            yield Problem(
                str(question_file(folder, name, language)),
                f"{count} entries, published: {published}",
            )


def _strays(folder: Path, language: str) -> Iterator[Problem]:
    """Files that look like data but are of no category."""
    side = folder / f"data_{language}"
    for place in (side, side / "possible_answer"):
        for file in sorted(place.glob("data_*.json")):
            if file.stem.removeprefix("data_") not in CATEGORIES:
                yield Problem(str(file), "unknown ACEBench category")


def _tables(folder: Path, language: str) -> Iterator[Problem]:
    """The environments' tables are sound, where they are there and needed at all."""
    agents = any(CATEGORIES[name].group == "agent" for name in present_categories(folder, language))
    try:
        find_tables(language, folder)
    except DataError:
        return  # `run` asks for them; the questions can be sound without
    try:
        if agents:
            load_tables(language, folder)
    except DataError as error:
        yield Problem(error.file, error.message, error.line, error.path)
