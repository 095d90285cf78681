"""One line of a question file and one of an answer file, as an entry (docs/acebench.md#entries)."""

from __future__ import annotations

from msgspec.structs import replace

from toolgauge.benchmarks.acebench.data.categories import CATEGORIES, parse_id
from toolgauge.benchmarks.acebench.data.entries import AceEntry, AceFunction
from toolgauge.chat import Json
from toolgauge.data.record import DataLine, must_be, named, shown, step

PARAMETER_KEYS = ("parameters", "arguments", "_arguments")
"""Where a function's schema may stand; the last two only in functions that nobody should call."""

ANSWER_FIELDS = frozenset({"ground_truth", "mile_stone"})
"""Of an answer's line."""
_KNOWN = frozenset({"id", "question", "function", "time", "profile", "initial_config", "path", "involved_classes"})
_FUNCTION = frozenset({"name", "description"})


def read_id(record: DataLine, category: str) -> str:
    """The id of a line; DataError where it is none of the file's category."""
    name = record.take(record.value, "id", str)
    parsed = parse_id(name)
    if parsed is None or parsed.category != category:
        form = f"{category}_<session>_<turn>" if CATEGORIES[category].multi_turn else f"{category}_<number>"
        raise record.error(f"invalid id {shown(name)}; expected {form}", "id")
    return name


def read_question(record: DataLine, category: str, language: str) -> AceEntry:
    """The entry without its answer; DataError where a field is missing or of another kind."""
    value = record.value
    name = read_id(record, category)
    parsed = parse_id(name)
    session = parsed.session if parsed else None
    agent = CATEGORIES[category].group == "agent"
    values = record.take(record.value, "function", list)
    return AceEntry(
        name,
        category,
        language,
        record.take(value, "question", str),
        tuple(_function(record, value, f"function[{position}]") for position, value in enumerate(values)),
        _optional(record, "time", str, ""),
        _optional(record, "profile", str, ""),
        record.take(value, "initial_config", dict) if agent else {},
        tuple(record.texts("involved_classes")) if agent else (),
        session=session,
        turn=parsed.number if parsed and session is not None else None,
        line=record.line,
        extra={} if value.keys() <= _KNOWN else {key: part for key, part in value.items() if key not in _KNOWN},
    )


def with_answer(entry: AceEntry, record: DataLine) -> AceEntry:
    """The entry with what its answer line says; DataError where that does not fit the category."""
    group = entry.kind.group
    if group == "agent":
        states = _final_state(record)
        return replace(entry, final_state=states, milestones=_milestones(record), answer_line=record.line)
    answers = _alternatives(record) if group == "normal" else (_special(record, entry.category),)
    return replace(entry, answers=answers, answer_line=record.line)


def joined(question: DataLine, answer: DataLine) -> Json:
    """An entry's two lines as one object, into which the pointers of corrections go."""
    return {key: value for key, value in answer.value.items() if key in ANSWER_FIELDS} | {
        key: value for key, value in question.value.items() if key not in ANSWER_FIELDS
    }


def read_entry(question: DataLine, answer: DataLine, category: str, language: str, whole: Json) -> AceEntry:
    """The entry of two lines of which corrections made `whole` (see `joined`); raises DataError."""
    asked = {key: value for key, value in whole.items() if key not in ANSWER_FIELDS}
    answered = {key: value for key, value in whole.items() if key in ANSWER_FIELDS}
    entry = read_question(DataLine(question.file, question.line, asked), category, language)
    return with_answer(entry, DataLine(answer.file, answer.line, answered))


def _optional(record: DataLine, key: str, kind: type[str], default: str) -> str:
    return record.take(record.value, key, kind) if key in record.value else default


def _function(record: DataLine, value: object, path: str) -> AceFunction:
    if type(value) is not dict:
        raise record.error(must_be(dict, value), path)
    name = record.take(value, "name", str, path)
    if not name:
        raise record.error("is empty", f"{path}.name")
    description = record.take(value, "description", str, path) if "description" in value else ""
    key = next((key for key in PARAMETER_KEYS if key in value), "parameters")
    parameters = record.take(value, key, dict, path) if key in value else {}
    extra = {one: part for one, part in value.items() if one not in _FUNCTION and one != key}
    return AceFunction(name, description, parameters, extra, value)


def _alternatives(record: DataLine) -> tuple[dict[str, object], ...]:
    """Accepted answers: an object of objects, or a list of such."""
    found = record.value.get("ground_truth")
    if type(found) is list and found:
        return tuple(_answer(record, one, f"ground_truth[{position}]") for position, one in enumerate(found))
    if "ground_truth" in record.value and type(found) is not dict:
        what = "an empty list" if type(found) is list else named(found)
        raise record.error(f"must be an object or a list of alternatives, not {what}", "ground_truth")
    return (_answer(record, record.take(record.value, "ground_truth", dict), "ground_truth"),)


def _answer(record: DataLine, value: object, path: str) -> dict[str, object]:
    if type(value) is not dict:
        raise record.error(must_be(dict, value), path)
    for key, arguments in value.items():
        if type(arguments) is not dict:
            raise record.error(must_be(dict, arguments), path + step(key))
    return value


def _special(record: DataLine, category: str) -> object:
    if category == "special_irrelevant":
        return record.take(record.value, "ground_truth", str)
    found = record.take(record.value, "ground_truth", dict)
    for key, values in found.items():
        if type(values) is not list:
            raise record.error(must_be(list, values), "ground_truth" + step(key))
    return found


def _final_state(record: DataLine) -> tuple[dict[str, object], ...]:
    found = record.take(record.value, "ground_truth", list)
    for position, state in enumerate(found):
        path = f"ground_truth[{position}]"
        if type(state) is not dict or len(state) != 1:
            raise record.error("must be an object with one key, the class", path)
        ((key, attributes),) = state.items()
        if type(attributes) is not dict:
            raise record.error(must_be(dict, attributes), path + step(key))
    return tuple(found)


def _milestones(record: DataLine) -> tuple[tuple[str, ...], ...]:
    """Alternatives of lists of texts; a plain list of texts is the only alternative."""
    found = record.take(record.value, "mile_stone", list)
    listed = bool(found) and all(type(one) is list for one in found)
    alternatives = found if listed else [found]
    for position, texts in enumerate(alternatives):
        path = f"mile_stone[{position}]" if listed else "mile_stone"
        for index, text in enumerate(texts):
            if type(text) is not str:
                raise record.error(must_be(str, text), f"{path}[{index}]")
    return tuple(tuple(texts) for texts in alternatives)
