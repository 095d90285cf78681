"""Single answers that are right or wrong: derive from `SimpleBenchmark`, write the questions into a file, one JSON
object a line, and say what is right.

Metrics with intervals, details, comparisons, error analysis, the leaderboard, the page of a task and LaTeX rows come
with it. docs/plugins.md shows a whole one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.conversation.benchmark import TaskBenchmark
from toolgauge.benchmarks.conversation.talk import Talk
from toolgauge.benchmarks.conversation.tasks import Outcome, Task, TaskSet, calling, calls_made, id_problem, task_set
from toolgauge.chat import Message, Reply, Tool
from toolgauge.data.corrections import Corrections
from toolgauge.data.lines import LANGUAGES, as_json, known_language, read_lines
from toolgauge.episode import ASSISTANT, Stop, Trajectory, drive
from toolgauge.errors import DataError
from toolgauge.judge.verdict import Score
from toolgauge.reasons import Parameter


class Wrong(Struct, frozen=True):
    """Why a reply is wrong. mistake: its class, a row of the tables; detail: in words, for the page of the task.

    code, parameters: the same as data, for a benchmark that has `texts`; without a detail the code's English text is
    taken.
    """

    mistake: str
    detail: str = ""
    code: str = ""
    parameters: dict[str, Parameter] = {}


class Question(Task, frozen=True, kw_only=True):
    """One request and what is expected: a text, or a list of calls {"name", "arguments"}, or anything that the
    benchmark's own `judge` and `perfect` understand."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()


class SimpleBenchmark(TaskBenchmark):
    """Derived classes set `name` and `embedded` (or are run with --data), and may replace every method."""

    languages = LANGUAGES
    blocking = False
    """There is one request, and no world."""

    def judge(self, question: Any, reply: Reply) -> Wrong | None:
        """None for a right reply. By default calls are equal in name and arguments, in any order, and texts but for
        case and blanks."""
        if isinstance(question.expected, str):
            same = _plain(reply.content or "") == _plain(question.expected)
            return None if same and not reply.tool_calls else Wrong("wrong_answer", f"expected {question.expected!r}")
        made, due = _counted(calls_made(reply)), _counted(question.expected)
        if made == due:
            return None
        names = [Counter(json.loads(call)["name"] for call in calls.elements()) for calls in (made, due)]
        return Wrong("wrong_arguments" if names[0] == names[1] else "wrong_calls", f"made {as_json(calls_made(reply))}")

    def perfect(self, question: Any) -> Reply:
        """A right reply, for `builtin/oracle` and `toolgauge data check`."""
        if isinstance(question.expected, str):
            return Reply(question.expected)
        return calling(question.expected)

    def messages(self, question: Any, options: Any) -> tuple[Message, ...]:  # noqa: ARG002 - for those who derive
        """What the model is asked; options: an object of the class `Options`."""
        messages: tuple[Message, ...] = question.messages
        return messages

    def actual(self, reply: Reply) -> object:
        """What of a reply is shown beside `expected`."""
        return calls_made(reply) if reply.tool_calls else reply.content or ""

    # How that is a benchmark of conversations.

    def tasks(self, file: Path, language: str) -> Iterable[Question]:
        return read_questions(file, language, None)

    def load(self, file: Path, language: str, corrections: Corrections | None = None) -> TaskSet:
        known_language(language)
        self._require(language)
        questions = self.tasks(file, language) if corrections is None else read_questions(file, language, corrections)
        data = task_set(self.name, language, file, self.files(file), questions)
        if corrections is not None:
            corrections.require_sessions(data.by_id)
        return data

    def any_words_pass(self, dataset: TaskSet, sample: Sample) -> bool:
        return not dataset.by_id[sample.session_id].expected

    def play(self, talk: Talk, task: Any, options: Any) -> str:
        talk.ask(self.messages(task, options), task.tools)
        return Stop.ANSWERED.value

    def perfect_reply(self, task: Any, turn: int, step: int) -> Reply:  # noqa: ARG002 - there is one of each
        return self.perfect(task)

    def outcomes(self, task: Any, trajectory: Trajectory) -> Mapping[str, Outcome]:
        wrong = self.judge(task, _answer(trajectory))
        if wrong is None:
            return dict.fromkeys(self.scorings, Outcome())
        outcome = Outcome(mistake=wrong.mistake, detail=wrong.detail, code=wrong.code, parameters=wrong.parameters)
        return dict.fromkeys(self.scorings, outcome)

    def reply_text(self, task: Any, trajectory: Trajectory) -> object:  # noqa: ARG002
        return self.actual(_answer(trajectory))


def _answer(trajectory: Trajectory) -> Reply:
    """The model's last reply, whoever spoke behind it."""
    return next((step.reply for step in reversed(trajectory.steps) if step.role == ASSISTANT), Reply())


class _Line(Struct, forbid_unknown_fields=True):
    id: str
    expected: Any
    question: str | None = None
    messages: list[Message] | None = None
    tools: list[Tool] = []
    kind: str = ""
    language: str | None = None


def read_questions(path: Path, language: str, corrections: Corrections | None) -> Iterator[Question]:
    """The questions of a file in one language. Raises DataError at the first line that cannot be used.

    corrections: applied to its lines.

    A line has `id`, `expected`, `question` (the user's words) or `messages`, and may have `tools` (name, description,
    parameters), `kind`, and `language` ("en" or "zh"; without it the line belongs to both).
    """
    seen: set[str] = set()
    for number, value in read_lines(path):
        line = _line(path, number, value)
        if line.language not in (None, language):
            continue
        if corrections is not None:  # both languages may have the same ids
            line = corrections.corrected(line.id, dict(value), partial(_line, path, number))
        if line.id in seen:
            raise DataError(f"duplicate id {line.id!r}", path, number)
        seen.add(line.id)
        messages = tuple(line.messages or [Message("user", line.question)])
        text = next((one.content or "" for one in reversed(messages) if one.role == "user"), "")
        yield Question(
            id=line.id, kind=line.kind, text=text, expected=line.expected, messages=messages, tools=tuple(line.tools)
        )


def _line(path: Path, number: int, value: Mapping[str, object]) -> _Line:
    try:
        line = msgspec.convert(value, _Line)
    except msgspec.ValidationError as error:
        raise DataError(f"invalid question: {error}", path, number) from error
    problem = id_problem(line.id)
    if (line.question is None) == (not line.messages):
        problem = problem or "must have either question or messages"
    if line.language not in (None, *LANGUAGES):
        problem = problem or "language must be en or zh"
    if problem:
        raise DataError(problem, path, number)
    return line


def play(benchmark: TaskBenchmark, dataset: TaskSet, reply: Reply) -> list[Score]:
    """The scores of a model that always says the same: for tests of a benchmark."""
    trajectories = (drive(benchmark.episode(dataset, one), lambda _: reply) for one in benchmark.samples(dataset))
    return [score for trajectory in trajectories for score in benchmark.scores(dataset, trajectory)]


def _counted(calls: Iterable[Mapping[str, object]]) -> Counter[str]:
    parts = ({"name": call.get("name"), "arguments": call.get("arguments") or {}} for call in calls)
    return Counter(json.dumps(call, sort_keys=True, ensure_ascii=False, default=str) for call in parts)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".。")
