"""From a `data_all` folder to an `AceDataset`: questions and answers joined by their ids."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal, ParamSpec

from toolgauge.benchmarks.acebench.data.categories import CATEGORIES, select_categories
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry
from toolgauge.benchmarks.acebench.data.read import joined, read_entry, read_id, read_question, with_answer
from toolgauge.data.corrections import Corrections, Record
from toolgauge.data.lines import LANGUAGES, known_language, numbered_lines, parse_line, sha256_of
from toolgauge.data.record import DataLine, shown
from toolgauge.errors import DataError

P = ParamSpec("P")

NAME = "acebench"

Note = Callable[[DataError], None]
"""What becomes of a problem: raised, or kept in a list."""


def load_acebench(
    folder: Path | str, language: str, categories: Iterable[str] = (), corrections: Corrections | None = None
) -> AceDataset:
    """The entries of one language ("en" or "zh") in a `data_all` folder, or in the folder that holds one.

    categories: names of categories and groups; without any, every category whose file is there. corrections: applied to
    the lines of an entry together (`joined`); its sha256 stays that of the files. Raises UsageError for an unknown
    name, DataError, with file, line and JSON path, at the first thing that cannot be used.
    """
    known_language(language)
    place = find_data_all(folder)
    names = select_categories(categories) or present_categories(place, language)
    if not names:
        raise DataError(f"no question files (data_{language}/data_<category>.json)", place)
    entries = [entry for name in names for entry in read_category(place, name, language, _raise, corrections)]
    if not entries:
        raise DataError(f"no entries of {', '.join(names)}", place)
    if corrections is not None:
        corrections.require_sessions(entry.id for entry in entries)
    # sha256 over "<file> <sha256>" lines, sorted, so that neither the place nor the order of reading matters
    files = [find(place, name, language) for name in names for find in (question_file, answer_file)]
    lines = sorted(f"{file.relative_to(place).as_posix()} {sha256_of(file)}\n" for file in files)
    return AceDataset(NAME, language, hashlib.sha256("".join(lines).encode()).hexdigest(), tuple(entries), str(place))


def find_data_all(folder: Path | str) -> Path:
    """The folder with `data_en` or `data_zh` in it: the given one or its `data_all`; DataError where neither has."""
    given = Path(folder)
    for place in (given, given / "data_all"):
        if any((place / f"data_{language}").is_dir() for language in LANGUAGES):
            return place
    if given.is_dir():
        raise DataError("contains neither data_en nor data_zh; give the data_all folder of ACEBench", given)
    raise DataError("not a folder; give the data_all folder of ACEBench", given)


def is_data_all(folder: Path | str) -> bool:
    """Would `find_data_all` find data there?"""
    try:
        find_data_all(folder)
    except DataError:
        return False
    return True


def present_categories(folder: Path, language: str) -> tuple[str, ...]:
    """The categories whose question file is in a `data_all` folder."""
    return tuple(name for name in CATEGORIES if question_file(folder, name, language).is_file())


def question_file(folder: Path, category: str, language: str) -> Path:
    return folder / f"data_{language}" / f"data_{category}.json"


def answer_file(folder: Path, category: str, language: str) -> Path:
    return folder / f"data_{language}" / "possible_answer" / f"data_{category}.json"


def ace_records(folder: Path | str) -> Iterator[Record]:
    """The entries of both languages as corrections speak of them; raises DataError."""
    place = find_data_all(folder)
    sides: tuple[Literal["en", "zh"], ...] = ("en", "zh")
    for language in sides:
        for category in present_categories(place, language):
            questions = question_file(place, category, language)
            answered = _by_id(answer_file(place, category, language), category, _raise)
            for name, record in _by_id(questions, category, _raise).items():
                if name not in answered:
                    raise _unanswered(record, name, answer_file(place, category, language))
                yield Record(name, joined(record, answered[name]), str(questions), record.line, language)


def read_category(
    folder: Path, category: str, language: str, note: Note, corrections: Corrections | None = None
) -> Iterator[AceEntry]:
    """The entries of a category in the order of its question file; those that cannot be read are noted, left out."""
    questions, answers = question_file(folder, category, language), answer_file(folder, category, language)
    asked, answered = _by_id(questions, category, note), _by_id(answers, category, note)
    for name, record in asked.items():
        if corrections is not None and name in corrections.by_session and name in answered:
            read = partial(read_entry, record, answered[name], category, language)
            yield corrections.corrected(name, joined(record, answered[name]), read)
            continue
        entry = _attempt(note, read_question, record, category, language)
        if name not in answered:
            note(_unanswered(record, name, answers))
        elif entry is not None:
            whole = _attempt(note, with_answer, entry, answered[name])
            if whole is not None:
                yield whole
    for name, record in answered.items():
        if name not in asked:
            note(record.error(f"{name} has no question in {questions.parent.name}/{questions.name}", "id"))


def _unanswered(record: DataLine, name: str, answers: Path) -> DataError:
    why = f"{name} has no answer in {answers.parent.name}/{answers.name}"
    return record.error(why, "id")


def _by_id(path: Path, category: str, note: Note) -> dict[str, DataLine]:
    """The records of a file by their ids; lines without a usable id are noted and left out."""
    found: dict[str, DataLine] = {}
    try:
        for line, text in numbered_lines(path):
            try:
                record = DataLine(path, line, parse_line(text, path, line))
                name = read_id(record, category)
                if name in found:
                    raise record.error(f"{shown(name)} is already used in line {found[name].line}", "id")
                found[name] = record
            except DataError as error:
                note(error)
    except DataError as error:  # the file itself cannot be read
        note(error)
    return found


def _attempt(note: Note, read: Callable[P, AceEntry], *args: P.args, **kwargs: P.kwargs) -> AceEntry | None:
    try:
        return read(*args, **kwargs)
    except DataError as error:
        note(error)
        return None


def _raise(error: DataError) -> None:
    raise error
