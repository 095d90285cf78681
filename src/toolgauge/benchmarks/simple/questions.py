"""Questions with one right answer each, and the file that holds them: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.chat import Message, Tool
from toolgauge.data.corrections import Corrections
from toolgauge.data.lines import known_language, read_lines, sha256_of
from toolgauge.errors import DataError

MAX_ID = 200


class Question(Struct, frozen=True):
    """One request and what is expected. kind: the type of task it counts under, "" for none.

    expected: what the benchmark's `judge` compares with; a text, or a list of calls {"name", "arguments"}, unless it
    has a `judge` and a `perfect` of its own.
    """

    id: str
    messages: tuple[Message, ...]
    expected: Any
    tools: tuple[Tool, ...] = ()
    kind: str = ""

    @property
    def text(self) -> str:
        """The user's last message."""
        return next((one.content or "" for one in reversed(self.messages) if one.role == "user"), "")


class QuestionSet(Struct, frozen=True, dict=True):
    """The questions in one language. sha256: of the file's content."""

    name: str
    language: str
    sha256: str
    file: str
    questions: tuple[Question, ...]

    @cached_property
    def by_id(self) -> dict[str, Question]:
        return {question.id: question for question in self.questions}

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each question in the data, from 0."""
        return {question.id: place for place, question in enumerate(self.questions)}


class _Line(Struct, forbid_unknown_fields=True):
    id: str
    expected: Any
    question: str | None = None
    messages: list[Message] | None = None
    tools: list[Tool] = []
    kind: str = ""
    language: str | None = None


def read_questions(path: Path | str, language: str, name: str, corrections: Corrections | None = None) -> QuestionSet:
    """The questions of a file in one language. Raises DataError at the first line that cannot be used.

    corrections: applied to its lines; its sha256 stays that of the file.

    A line has `id`, `expected`, `question` (the user's words) or `messages`, and may have `tools` (name, description,
    parameters), `kind`, and `language` ("en" or "zh"; without it the line belongs to both).
    """
    known_language(language)
    questions: dict[str, Question] = {}
    for number, value in read_lines(path):
        line = _corrected(value, path, number, language, corrections)
        if line.language in (None, language):
            if line.id in questions:
                raise DataError(f"duplicate id {line.id!r}", path, number)
            messages = tuple(line.messages) if line.messages else (Message("user", line.question),)
            questions[line.id] = Question(line.id, messages, line.expected, tuple(line.tools), line.kind)
    if not questions:
        raise DataError(f"no questions in {language}", path)
    if corrections is not None:
        corrections.require_sessions(questions)
    return QuestionSet(name, language, sha256_of(path), str(path), tuple(questions.values()))


def _corrected(
    value: Mapping[str, object], path: Path | str, number: int, language: str, corrections: Corrections | None
) -> _Line:
    """A line with its corrections, where it is one in this language: both languages may have the same ids."""
    line = _line(value, path, number)
    if corrections is None or line.language not in (None, language):
        return line
    return corrections.corrected(line.id, dict(value), lambda whole: _line(whole, path, number))


def _line(value: Mapping[str, object], path: Path | str, number: int) -> _Line:
    try:
        line = msgspec.convert(value, _Line)
    except msgspec.ValidationError as error:
        raise DataError(f"invalid question: {error}", path, number) from error
    if (problem := next(_problems(line), None)) is not None:
        raise DataError(problem, path, number)
    return line


def _problems(line: _Line) -> Iterator[str]:
    if not line.id or len(line.id) > MAX_ID or not line.id.isprintable() or set(line.id) & set("#/"):
        yield f"invalid id: must have 1 to {MAX_ID} printable characters, without # and /"
    if (line.question is None) == (not line.messages):
        yield "must have either question or messages"
    if line.language not in (None, "en", "zh"):
        yield "language must be en or zh"
