"""From a `data_all` folder to an `AceDataset`: a line of questions and one of answers, joined by id, are an entry.

Source: docs/acebench.md#entries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from toolgauge.benchmarks.acebench.data.entries import (
    CATEGORIES,
    AceDataset,
    AceEntry,
    AceFunction,
    parse_id,
    select_categories,
)
from toolgauge.chat import Json
from toolgauge.data.corrections import Corrections, Record
from toolgauge.data.lines import LANGUAGES, known_language, numbered_lines, parse_line, sha256_of
from toolgauge.data.record import DataLine, must_be, named, shown, step
from toolgauge.errors import DataError

NAME = "acebench"
PARAMETER_KEYS = ("parameters", "arguments", "_arguments")
"""Where a function's schema may stand; the last two only in functions that nobody should call."""
ANSWER_FIELDS = frozenset({"ground_truth", "mile_stone"})
"""Of an answer's line."""
_KNOWN = frozenset({"id", "question", "function", "time", "profile", "initial_config", "path", "involved_classes"})

Problems = list[DataError] | None
"""Where what cannot be read is collected; None: the first of them is raised."""


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
    entries = [entry for name in names for entry in read_category(place, name, language, None, corrections)]
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
            questions, answers = question_file(place, category, language), answer_file(place, category, language)
            answered = _by_id(answers, category, None)
            for name, record in _by_id(questions, category, None).items():
                if name not in answered:
                    raise _unanswered(record, name, answers)
                yield Record(name, joined(record, answered[name]), str(questions), record.line, language)


def read_category(
    folder: Path, category: str, language: str, problems: Problems, corrections: Corrections | None = None
) -> Iterator[AceEntry]:
    """The entries of a category in the order of its question file, without those that cannot be read."""
    questions, answers = question_file(folder, category, language), answer_file(folder, category, language)
    asked, answered = _by_id(questions, category, problems), _by_id(answers, category, problems)
    for name, record in asked.items():
        if corrections is not None and name in corrections.by_session and name in answered:
            read = partial(_corrected, record, answered[name], category, language)
            yield corrections.corrected(name, joined(record, answered[name]), read)
            continue
        entry = record.attempt(_question, record, category, language)
        if name not in answered:
            _note(_unanswered(record, name, answers), problems)
        elif entry is not None:
            whole = record.attempt(_with_answer, entry, answered[name])
            if whole is not None:
                yield whole
    for name, record in answered.items():
        if name not in asked:
            why = f"{name} has no question in {questions.parent.name}/{questions.name}"
            _note(record.error(why, "id"), problems)


def joined(question: DataLine, answer: DataLine) -> Json:
    """An entry's two lines as one object, into which the pointers of corrections go."""
    return {key: value for key, value in answer.value.items() if key in ANSWER_FIELDS} | {
        key: value for key, value in question.value.items() if key not in ANSWER_FIELDS
    }


def _corrected(question: DataLine, answer: DataLine, category: str, language: str, whole: Json) -> AceEntry:
    """The entry of two lines of which corrections made `whole` (see `joined`); raises DataError."""
    asked = {key: value for key, value in whole.items() if key not in ANSWER_FIELDS}
    answered = {key: value for key, value in whole.items() if key in ANSWER_FIELDS}
    entry = _question(DataLine(question.file, question.line, asked), category, language)
    return _with_answer(entry, DataLine(answer.file, answer.line, answered))


def _by_id(path: Path, category: str, problems: Problems) -> dict[str, DataLine]:
    """The records of a file by their ids, without lines that have no usable one."""
    found: dict[str, DataLine] = {}
    try:
        for line, text in numbered_lines(path):
            try:
                record = DataLine(path, line, parse_line(text, path, line), problems)
                name = _id(record, category)
                if name in found:
                    raise record.error(f"{shown(name)} is already used in line {found[name].line}", "id")
                found[name] = record
            except DataError as error:
                _note(error, problems)
    except DataError as error:  # the file itself cannot be read
        _note(error, problems)
    return found


def _note(error: DataError, problems: Problems) -> None:
    if problems is None:
        raise error
    problems.append(error)


def _unanswered(record: DataLine, name: str, answers: Path) -> DataError:
    return record.error(f"{name} has no answer in {answers.parent.name}/{answers.name}", "id")


def _id(record: DataLine, category: str) -> str:
    """The id of a line; DataError where it is none of the file's category."""
    name = record.take(record.value, "id", str)
    parsed = parse_id(name)
    if parsed is None or parsed.category != category:
        form = f"{category}_<session>_<turn>" if CATEGORIES[category].multi_turn else f"{category}_<number>"
        raise record.error(f"invalid id {shown(name)}; expected {form}", "id")
    return name


def _question(record: DataLine, category: str, language: str) -> AceEntry:
    """The entry without its answer; DataError where a field is missing or of another kind."""
    value = record.value
    name = _id(record, category)
    parsed = parse_id(name)
    session = parsed.session if parsed else None
    agent = CATEGORIES[category].group == "agent"
    functions = record.take(value, "function", list)
    return AceEntry(
        name,
        category,
        language,
        record.take(value, "question", str),
        tuple(_function(record, part, f"function[{position}]") for position, part in enumerate(functions)),
        time=record.take(value, "time", str) if "time" in value else "",
        profile=record.take(value, "profile", str) if "profile" in value else "",
        initial_config=record.take(value, "initial_config", dict) if agent else {},
        involved_classes=tuple(record.texts("involved_classes")) if agent else (),
        session=session,
        turn=parsed.number if parsed and session is not None else None,
        line=record.line,
        extra={key: part for key, part in value.items() if key not in _KNOWN},
    )


def _function(record: DataLine, value: Any, path: str) -> AceFunction:
    _expect(record, value, dict, path)
    name = record.take(value, "name", str, path)
    if not name:
        raise record.error("is empty", f"{path}.name")
    description = record.take(value, "description", str, path) if "description" in value else ""
    key = next((key for key in PARAMETER_KEYS if key in value), "parameters")
    parameters = record.take(value, key, dict, path) if key in value else {}
    extra = {field: part for field, part in value.items() if field not in ("name", "description", key)}
    return AceFunction(name, description, parameters, extra, value)


def _with_answer(entry: AceEntry, record: DataLine) -> AceEntry:
    """The entry with what its answer line says; DataError where that does not fit the category."""
    entry = replace(entry, answer_line=record.line)
    if entry.kind.group == "agent":
        return replace(entry, final_state=_final_state(record), milestones=_milestones(record))
    if entry.kind.group == "normal":
        return replace(entry, answers=_alternatives(record))
    if entry.category == "special_irrelevant":
        return replace(entry, answers=(record.take(record.value, "ground_truth", str),))
    answer = record.take(record.value, "ground_truth", dict)
    for key, values in answer.items():
        _expect(record, values, list, "ground_truth" + step(key))
    return replace(entry, answers=(answer,))


def _alternatives(record: DataLine) -> tuple[Json, ...]:
    """Accepted answers: an object of objects, or a list of such."""
    found = record.value.get("ground_truth")
    places = {"ground_truth": found}
    if type(found) is list and found:
        places = {f"ground_truth[{position}]": part for position, part in enumerate(found)}
    elif "ground_truth" not in record.value:
        record.take(record.value, "ground_truth", dict)
    elif type(found) is not dict:
        what = "an empty list" if type(found) is list else named(found)
        raise record.error(f"must be an object or a list of alternatives, not {what}", "ground_truth")
    for path, answer in places.items():
        for key, arguments in _expect(record, answer, dict, path).items():
            _expect(record, arguments, dict, path + step(key))
    return tuple(places.values())  # type: ignore[arg-type]


def _final_state(record: DataLine) -> tuple[Json, ...]:
    """One object per class, with the class as its only key."""
    states = record.take(record.value, "ground_truth", list)
    for position, state in enumerate(states):
        path = f"ground_truth[{position}]"
        if type(state) is not dict or len(state) != 1:
            raise record.error("must be an object with one key, the class", path)
        for key, attributes in state.items():
            _expect(record, attributes, dict, path + step(key))
    return tuple(states)


def _milestones(record: DataLine) -> tuple[tuple[str, ...], ...]:
    """Alternatives of lists of texts; a plain list of texts is the only alternative."""
    found = record.take(record.value, "mile_stone", list)
    listed = bool(found) and all(type(part) is list for part in found)
    alternatives = found if listed else [found]
    for position, texts in enumerate(alternatives):
        path = f"mile_stone[{position}]" if listed else "mile_stone"
        for index, text in enumerate(texts):
            _expect(record, text, str, f"{path}[{index}]")
    return tuple(tuple(texts) for texts in alternatives)


def _expect(record: DataLine, value: Any, kind: type, path: str) -> Any:
    """The value; DataError where it is of another kind."""
    if type(value) is not kind:
        raise record.error(must_be(kind, value), path)
    return value
