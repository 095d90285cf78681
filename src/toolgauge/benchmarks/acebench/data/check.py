"""Is a `data_all` folder sound? Every problem it has, the known errors of the published files apart, and its figures.

What a sound entry holds: its functions are described, its answer fits them (docs/acebench.md#entries).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from toolgauge.benchmarks.acebench.data.entries import (
    CATEGORIES,
    GROUPS,
    AceDataset,
    AceEntry,
    AceFunction,
    called_name,
)
from toolgauge.benchmarks.acebench.data.load import (
    ace_records,
    answer_file,
    find_data_all,
    load_acebench,
    present_categories,
    question_file,
    read_category,
)
from toolgauge.benchmarks.acebench.data.published import find_tables, known_errors, load_tables, published_files
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, decode_message_exact
from toolgauge.benchmarks.acebench.environments.world import ENVIRONMENTS
from toolgauge.benchmarks.acebench.judge.judge import MARKERS
from toolgauge.data.corrections import Record
from toolgauge.data.fetch import is_whole
from toolgauge.data.files import (
    PARAMETER_KINDS,
    Findings,
    StatisticsTable,
    parameter_kind,
)
from toolgauge.data.lines import LANGUAGES, known_language
from toolgauge.data.record import MAX_PROBLEMS, Problem, must_be, shown, step
from toolgauge.data.schemas import TYPES
from toolgauge.data.valid_schemas import native_schema, normalised
from toolgauge.errors import DataError
from toolgauge.visible import one_line

if TYPE_CHECKING:
    from toolgauge.data.validation import SchemaValidator


PUBLIC_SIZE = 900
"""From so many entries of one language on, a folder with every category is taken for the public data set."""
TURNS = (2, 3)
"""Turns that a session has."""

Faults = Iterator[tuple[str, str]]
"""What is wrong with a line: the JSON path and the message."""


class AceFiles(Struct, frozen=True):
    """A `data_all` folder, or the folder that holds one, as `toolgauge data` asks for it."""

    uncertified: Callable[[AceDataset], Mapping[str, str]]
    """The tasks of a data set that have no certificate, with what is missing."""

    def holds(self, path: Path) -> bool:
        try:
            find_data_all(path)
        except DataError:
            return False
        return True

    def records(self, path: Path) -> Iterator[Record]:
        return ace_records(path)

    def check(self, path: Path, language: str | None) -> Findings:
        found = check_acebench(path, language)
        known: list[Problem] = list(found.known)
        tasks: list[Problem] = []
        for side in () if found.problems else (language,) if language else LANGUAGES:
            try:
                data = load_acebench(path, side)
                missing = self.uncertified(data)
            except DataError:  # no entries in this language, or no tables: `run` asks for them
                continue
            for task, parts in missing.items():
                published = is_published(Path(data.folder), data.by_id[task].category, side)
                problem = Problem(data.file, f"{task} ({side}): {parts}")
                (known if published else tasks).append(problem)
        return Findings(found.problems, known, uncertified=tasks)

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:
        return ace_sections(load_acebench(path, language))


def check_acebench(folder: Path | str, language: str | None = None) -> Findings:
    """All problems of a `data_all` folder, at most MAX_PROBLEMS, and the known errors of its published files.

    language: "en" or "zh"; None means each that is there. Raises UsageError for an unknown language, DataError where
    there is nothing to check.
    """
    if language is not None:
        known_language(language)
    place = find_data_all(folder)
    problems: list[Problem] = []
    known: list[Problem] = []
    for side in (language,) if language else LANGUAGES:
        if not (place / f"data_{side}").is_dir():
            if language:
                raise DataError(f"no folder data_{side}", place)
            continue
        problems += _strays(place, side)
        problems += _tables(place, side)
        counts: dict[str, int] = {}
        for name in present_categories(place, side):
            counts[name] = _check_category(place, name, side, problems, known)
        if len(counts) == len(CATEGORIES) and sum(counts.values()) >= PUBLIC_SIZE:
            for name, count in counts.items():
                published = CATEGORIES[name].counts[side]
                if count != published:
                    file = str(question_file(place, name, side))
                    problems.append(Problem(file, f"{count} entries, published: {published}"))
    return Findings(tuple(problems[:MAX_PROBLEMS]), tuple(known))


def is_published(folder: Path, category: str, language: str) -> bool:
    """Are the files of a category those that were published?"""
    blobs = {file.path: file.blob for file in published_files()}
    paths = [find(folder, category, language) for find in (question_file, answer_file)]
    return all(is_whole(path, blobs[f"data_all/{path.relative_to(folder).as_posix()}"]) for path in paths)


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


def _check_category(folder: Path, category: str, language: str, problems: list[Problem], known: list[Problem]) -> int:
    """The number of a category's entries. What is known to be wrong with a published one is put among the `known`."""
    questions, answers = question_file(folder, category, language), answer_file(folder, category, language)
    unread: list[DataError] = []
    entries = list(read_category(folder, category, language, unread))
    problems += [Problem(error.file, error.message, error.line, error.path) for error in unread]
    excused = known_errors() if is_published(folder, category, language) else {}
    for entry in entries:
        if (language, entry.id) in excused:
            known.append(Problem(str(questions), f"{entry.id} {excused[language, entry.id]}", entry.line))
            continue
        problems += [Problem(str(questions), message, entry.line, path) for path, message in question_faults(entry)]
        problems += [Problem(str(answers), message, entry.answer_line, path) for path, message in answer_faults(entry)]
    if not unread:
        problems += _numbering(entries, str(questions)) if entries else [Problem(str(questions), "no entries")]
    return len(entries)


def _numbering(entries: list[AceEntry], file: str) -> Iterator[Problem]:
    """Numbers count from 0 without gaps, in file order; sessions likewise, and the turns inside them."""
    sessions = [list(turns) for _, turns in groupby(entries, lambda entry: entry.session_id)]
    for number, turns in enumerate(sessions):
        for turn, entry in enumerate(turns):
            expected = f"{entry.category}_{number}" + (f"_{turn}" if entry.session is not None else "")
            if entry.id != expected:
                yield Problem(file, f"found {entry.id}, expected {expected}", entry.line, "id")
                return
    for turns in sessions:
        first, count = turns[0], len(turns)
        if first.session is not None and count not in TURNS:
            why = f"session {first.session_id} has {count} turn{'' if count == 1 else 's'}, expected 2 or 3"
            yield Problem(file, why, first.line, "id")


def question_faults(entry: AceEntry) -> Faults:
    """Everything that is wrong with an entry's question."""
    if not entry.question.strip():
        yield "question", "is empty"
    if entry.category == "normal_preference" and not entry.profile.strip():
        yield "profile", "is empty or missing"
    if not entry.functions:
        yield "function", "is empty; at least one function is needed"
    for position, function in enumerate(entry.functions):
        yield from _schema_faults(function.parameters, f"function[{position}].parameters")
    for name, count in Counter(function.name for function in entry.functions).items():
        if count > 1:
            yield "function", f"describes {shown(name)} {count} times"
    if entry.kind.group == "agent":
        yield from _configuration_faults(entry)


def _schema_faults(schema: object, path: str) -> Faults:
    """Types that mean nothing and parts that are no schemas; data files are nested only so deep (lines.py)."""
    if type(schema) is not dict:
        yield path, must_be(dict, schema)
        return
    declared = schema.get("type")
    if "type" in schema and not (type(declared) is str and declared in TYPES):
        yield f"{path}.type", f"unknown type {shown(declared)}"
    properties = schema.get("properties", {})
    if type(properties) is not dict:
        yield f"{path}.properties", must_be(dict, properties)
        return
    for name, part in properties.items():
        yield from _schema_faults(part, f"{path}.properties{step(name)}")
    if "items" in schema:
        yield from _schema_faults(schema["items"], f"{path}.items")


def _configuration_faults(entry: AceEntry) -> Faults:
    """The involved classes exist, and BaseApi is configured where it is one of them."""
    if not entry.involved_classes:
        yield "involved_classes", "is empty"
    for position, name in enumerate(entry.involved_classes):
        if name not in ENVIRONMENTS:
            known = ", ".join(ENVIRONMENTS)
            yield f"involved_classes[{position}]", f"unknown environment {shown(name)}; choose one of {known}"
    expected = {"BaseApi"} if "BaseApi" in entry.involved_classes else set()
    if entry.initial_config.keys() != expected:
        found = ", ".join(map(shown, entry.initial_config)) or "nothing"
        wanted = "BaseApi" if expected else "nothing"
        yield "initial_config", f"configures {found}, expected {wanted}"
    section = entry.initial_config.get("BaseApi", {})
    for key, value in section.items() if type(section) is dict else [("", section)]:
        if key not in ("wifi", "logged_in") or type(value) is not bool:
            yield f"initial_config.BaseApi{step(key) if key else ''}", "must be wifi or logged_in, with true or false"


def answer_faults(entry: AceEntry) -> Faults:
    """Everything that is wrong with an entry's answer."""
    if entry.kind.group == "agent":
        return _agent_faults(entry)
    if entry.kind.group == "normal":
        return _call_faults(entry)
    return _special_faults(entry)


def _call_faults(entry: AceEntry) -> Faults:
    """Every expected call is of a function on offer and fits its schema."""
    offered = {function.name: function for function in reversed(entry.functions)}
    for position, answer in enumerate(entry.answers):
        root = "ground_truth" + (f"[{position}]" if len(entry.answers) > 1 else "")
        if not answer:
            yield root, "is empty; at least one call is needed"
        for key, arguments in answer.items():
            function = offered.get(called_name(key, offered))
            if function is None:
                yield root + step(key), "is not among the available functions"
                continue
            outcome = _validator(msgspec.json.encode(function.parameters)).check(arguments)
            for error in outcome.errors:
                yield root + step(key) + error.place, one_line(error.message)
            if outcome.undecided:
                yield root + step(key), f"could not be checked: {one_line(outcome.undecided)}"


@cache
def _validator(parameters: bytes) -> SchemaValidator:
    from toolgauge.data.validation import SchemaValidator

    return SchemaValidator(native_schema(msgspec.json.decode(parameters)), strict=True)


def _special_faults(entry: AceEntry) -> Faults:
    """What the right message names is there: functions and parameters, or values of the dialogue."""
    answer = entry.answers[0]
    if entry.category == "special_irrelevant":
        if MARKERS[entry.category] not in answer:
            yield "ground_truth", f"must contain {MARKERS[entry.category]!r}"
        return
    known = {function.name: set(_parameter_names(function.parameters)) for function in entry.functions}
    for key, values in answer.items():
        path = "ground_truth" + step(key)
        if entry.category == "special_incomplete":
            if key not in known:
                yield path, "is not among the available functions"
            for position, name in enumerate(values if key in known else ()):
                if name not in known[key]:
                    yield f"{path}[{position}]", f"{shown(name)} is not a parameter of {shown(key)}"
            continue
        if not any(key in names for names in known.values()):
            yield path, "is not a parameter of the available functions"
        for position, value in enumerate(values):
            if str(value) not in entry.question:
                yield f"{path}[{position}]", f"{shown(value)} does not occur in the dialogue"


def _parameter_names(schema: object) -> Iterator[str]:
    """The names of all properties, at every level."""
    if type(schema) is not dict:
        return
    properties = schema.get("properties")
    for name, part in properties.items() if type(properties) is dict else ():
        yield name
        yield from _parameter_names(part)
    yield from _parameter_names(schema.get("items"))


def _agent_faults(entry: AceEntry) -> Faults:
    """The final state is that of the involved classes; milestones are calls of functions on offer."""
    classes = [name for state in entry.final_state for name in state]
    if sorted(classes) != sorted(entry.involved_classes):
        listed = ", ".join(map(shown, classes))
        yield "ground_truth", f"describes the state of {listed}, not that of the involved classes"
    offered = {function.name: function for function in entry.functions}
    for alternative, texts in enumerate(entry.milestones):
        root = f"mile_stone[{alternative}]" if len(entry.milestones) > 1 else "mile_stone"
        for position, text in enumerate(texts):
            decoded = decode_message_exact(text)
            if not isinstance(decoded, tuple) or not decoded:
                yield f"{root}[{position}]", f"cannot parse {shown(text)} as calls"
                continue
            for call in decoded:
                yield from ((f"{root}[{position}]", message) for message in _milestone_faults(call, offered))


def _milestone_faults(call: AceCall, offered: dict[str, AceFunction]) -> Iterator[str]:
    if call.name not in offered:
        yield f"{shown(call.name)} is not among the available functions"
        return
    properties = offered[call.name].parameters.get("properties")
    for name in call.arguments:
        if type(properties) is not dict or name not in properties:
            yield f"{shown(name)} is not a parameter of {shown(call.name)}"


def ace_sections(dataset: AceDataset) -> list[StatisticsTable]:
    """The tables of `toolgauge data stats` for these data."""
    entries = dataset.entries
    normal = [entry for entry in entries if entry.kind.group == "normal"]
    agents = [entry for entry in entries if entry.kind.group == "agent"]
    turns = Counter(entry.session_id for entry in entries if entry.session is not None)
    sections = [
        StatisticsTable("Size", ("", ""), tuple(_size(dataset))),
        StatisticsTable("Categories", ("category", "entries", "published", "sessions"), tuple(_categories(dataset))),
        _counts("Available functions", "functions", (len(entry.functions) for entry in entries)),
        _counts("Calls expected (first alternative)", "calls", (len(entry.answers[0]) for entry in normal)),
        _shares("Parameter types of distinct functions", _parameters(entries)),
        _counts("Turns per session", "turns", turns.values(), "sessions"),
        _shares("Environments involved", (name for entry in agents for name in entry.involved_classes)),
        _counts("Milestones (first alternative)", "calls", (len(entry.milestones[0]) for entry in agents)),
    ]
    return [section for section in sections if section.rows]


def _size(dataset: AceDataset) -> Iterator[tuple[str, str]]:
    entries = dataset.entries
    groups = {"normal": "normal entries", "special": "special entries", "agent": "agent entries"}
    for group, title in groups.items():
        count = sum(entry.kind.group == group for entry in entries)
        published = sum(CATEGORIES[name].counts[dataset.language] for name in GROUPS[group])
        yield title, f"{count} (published: {published})"
    yield "entries", str(len(entries))
    names = [function.name for entry in entries for function in entry.functions]
    yield (
        "distinct function names",
        f"{len(set(names))} ({len(names)} description{'' if len(names) == 1 else 's'})",
    )
    yield "several accepted answers", str(sum(len(entry.answers) > 1 for entry in entries))
    yield "several accepted courses (agents)", str(sum(len(entry.milestones) > 1 for entry in entries))
    dated = [entry for entry in entries if entry.kind.group != "agent" and entry.category != "normal_preference"]
    yield ("without a date", f"{sum(not entry.time for entry in dated)} of {len(dated)}")
    yield "sha256", dataset.sha256


def _categories(dataset: AceDataset) -> Iterator[tuple[str, ...]]:
    counts = Counter(entry.category for entry in dataset.entries)
    for name in dataset.categories:
        sessions = len({entry.session_id for entry in dataset.entries if entry.category == name})
        shown = str(sessions) if CATEGORIES[name].multi_turn else ""
        yield name, str(counts[name]), str(CATEGORIES[name].counts[dataset.language]), shown


def _parameters(entries: Iterable[AceEntry]) -> Iterator[str]:
    distinct = {function.name: function.parameters for entry in entries for function in entry.functions}
    for parameters in distinct.values():
        yield from _below(normalised(parameters), nested=False)


def _below(schema: Any, nested: bool) -> Iterator[str]:
    for part in schema.get("properties", {}).values():
        yield parameter_kind(part, nested)
        yield from _below(part, nested=True)


def _counts(title: str, what: str, values: Iterable[int], unit: str | None = None) -> StatisticsTable:
    histogram = sorted(Counter(values).items())
    return StatisticsTable(
        title, (what, unit or "entries"), tuple((str(value), str(count)) for value, count in histogram)
    )


def _shares(title: str, values: Iterable[str]) -> StatisticsTable:
    counts = Counter(values)
    order = [kind for kind in PARAMETER_KINDS if kind in counts] + [
        name for name in counts if name not in PARAMETER_KINDS
    ]
    rows = tuple((name, str(counts[name]), f"{100 * counts[name] / counts.total():.1f}%") for name in order)
    return StatisticsTable(title, ("", "count", "share"), rows)
