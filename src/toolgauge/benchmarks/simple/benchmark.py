"""A benchmark of single answers that are right or wrong: derive from `SimpleBenchmark` and say what is right.

Metrics with intervals, details, comparisons, error analysis, the leaderboard, the page of a task and LaTeX rows come
with it. docs/plugins.md shows a whole one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct

from toolgauge.analysis.facet import Facet
from toolgauge.benchmarks.benchmark import DEFAULT, Agreement, PredictionFile, Sample, Setup, chosen
from toolgauge.benchmarks.data_files import LoadedFiles
from toolgauge.benchmarks.options import BenchmarkOptions, chosen_options
from toolgauge.benchmarks.simple.questions import Question, QuestionSet, read_questions
from toolgauge.chat import GoldHint, Json, Message, Reply, Request, ToolCall
from toolgauge.data.corrections import Corrections
from toolgauge.data.files import DataFiles, DataSource
from toolgauge.data.lines import as_json
from toolgauge.data.task_ids import with_epoch
from toolgauge.episode import ASSISTANT, Episode, Step, Stop, Trajectory, drive
from toolgauge.errors import UsageError
from toolgauge.judge.causes import as_malformed, as_unfinished, unusable_texts, with_agent_error
from toolgauge.judge.replies import ReadReply
from toolgauge.judge.verdict import CORRECT, ERROR, EXACT, Score, Verdict
from toolgauge.reasons import Explanation, Parameter, ReasonText, ReasonTexts, slots

if TYPE_CHECKING:
    from toolgauge.benchmarks.simple.numbers.report import SimpleReport
    from toolgauge.benchmarks.simple.view.display import SimpleDisplay


class Wrong(Struct, frozen=True):
    """Why a reply is wrong. mistake: its class, a row of the tables; detail: in words, for the page of the task.

    code, parameters: the same as data, for a benchmark that has `texts`; without a detail the code's English text is
    taken.
    """

    mistake: str
    detail: str = ""
    code: str = ""
    parameters: dict[str, Parameter] = {}


class SimpleBenchmark:
    """Derived classes set `name` and `embedded` (or are run with --data), and may replace every method.

    Options: its own options of a run (benchmarks/options.py). title: on pages; citation: a BibTeX entry; headline: the
    scoring that is shown first; source: a public data set's name; texts: by language ("en", "zh") the texts of its
    codes, with {slots} for parameters; facets: by what else its questions are grouped in tables (analysis/facet.py).
    """

    name: str = ""
    title: str = ""
    citation: str = ""
    headline: str = "exact"
    scorings: tuple[str, ...] = ("exact",)
    source: str | None = None
    sources: tuple[DataSource, ...] = ()
    Options: type[BenchmarkOptions] = BenchmarkOptions
    native_options: Mapping[str, object] = {}
    embedded: Path | None = None
    known_corrections: Path | None = None
    texts: Mapping[str, Mapping[str, str]] = {}
    facets: tuple[Facet, ...] = ()

    def judge(self, question: Question, reply: Reply) -> Wrong | None:
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

    def perfect(self, question: Question) -> Reply:
        """A right reply, for `builtin/oracle` and `toolgauge data check`."""
        if isinstance(question.expected, str):
            return Reply(question.expected)
        return Reply(None, tuple(_made(number, call) for number, call in enumerate(question.expected)))

    def messages(self, question: Question, options: object) -> tuple[Message, ...]:  # noqa: ARG002 - for those who derive
        """What the model is asked; options: an object of the class `Options`."""
        return question.messages

    def actual(self, reply: Reply) -> object:
        """What of a reply is shown beside `expected`."""
        return calls_made(reply) if reply.tool_calls else reply.content or ""

    # What a run asks for: see `Benchmark` for each.

    def load(self, file: Path, language: str, corrections: Corrections | None = None) -> QuestionSet:
        return read_questions(file, language, self.name, corrections)

    def any_words_pass(self, dataset: QuestionSet, sample: Sample) -> bool:
        """Whether any words are a right answer: then a model that says nothing may pass."""
        return not dataset.by_id[sample.session_id].expected

    def warnings(self, dataset: QuestionSet) -> list[str]:  # noqa: ARG002 - none
        return []

    def samples(self, dataset: QuestionSet, setup: Setup = DEFAULT) -> list[Sample]:
        questions = dataset.questions[: setup.limit]
        every = (
            Sample(with_epoch(question.id, epoch), question.id, 0, epoch)
            for epoch in range(setup.epochs)
            for question in questions
        )
        return chosen(every, setup.ids, f"{dataset.name} ({dataset.language})")

    def roles(self, samples: Iterable[Sample]) -> tuple[str, ...]:  # noqa: ARG002 - nobody else speaks
        return (ASSISTANT,)

    def task_ids(self, dataset: QuestionSet, samples: Iterable[Sample]) -> list[str]:  # noqa: ARG002
        return [sample.key for sample in samples]

    def episode(self, dataset: QuestionSet, sample: Sample, setup: Setup = DEFAULT) -> Episode:
        question = dataset.by_id[sample.session_id]
        perfect = self.perfect(question)
        hint = GoldHint("calls" if perfect.tool_calls else "final", perfect)
        messages = self.messages(question, chosen_options(self.Options, self.name, setup.options))
        reply = yield Request(ASSISTANT, messages, question.tools, sample.key, 0, hint)
        steps = (Step(messages, reply),)
        return Trajectory(sample.key, question.id, steps, 0, sample.epoch, question.tools, Stop.ANSWERED)

    def scores(self, dataset: QuestionSet, trajectory: Trajectory) -> Iterator[Score]:
        question = dataset.by_id.get(trajectory.session_id)
        if question is not None and trajectory.steps:
            last = trajectory.steps[-1].reply
            scorings = dict.fromkeys(self.scorings, self.verdict(self.judge(question, last)))
            if EXACT in scorings:
                offered = {tool.name for tool in question.tools}
                read = ReadReply(last, exact=True)
                scorings[EXACT] = as_unfinished(as_malformed(scorings[EXACT], read.unread), read, offered)
            yield Score(trajectory.task_id, question.id, 0, with_agent_error(scorings, trajectory.replies))

    def verdict(self, wrong: Wrong | None) -> Verdict:
        """What is recorded of an answer."""
        if wrong is None:
            return Verdict(CORRECT, CORRECT, True, (1, 1))
        if not wrong.code:
            return Verdict(ERROR, ERROR, False, (0, 1), wrong.mistake, wrong.detail)
        why = Explanation(wrong.detail, wrong.code, slots(wrong.parameters))
        detail = wrong.detail or why.in_words(self.reason_texts("en"))
        code, parameters = wrong.code, wrong.parameters or UNSET
        return Verdict(ERROR, ERROR, False, (0, 1), wrong.mistake, detail, code=code, parameters=parameters)

    def fault(self, question: Question, reply: Reply) -> Explanation | None:
        """Why a reply is wrong, for the page of the task."""
        wrong = self.judge(question, reply)
        return self.verdict(wrong).why or Explanation(wrong.mistake) if wrong else None

    def reason_texts(self, language: str) -> ReasonTexts:
        own = {code: ReasonText(text) for code, text in self.texts.get(language, {}).items()}
        return {**unusable_texts(language), **own}

    def data_files(self, told: bool = True) -> DataFiles:  # noqa: ARG002 - there is one layout
        return LoadedFiles(self)

    def sample_metadata(self, dataset: QuestionSet, sample: Sample) -> dict[str, object]:  # noqa: ARG002 - nothing
        return {}

    def order(self, dataset: QuestionSet) -> dict[str, int]:
        return dataset.places

    def agreement(self, dataset: QuestionSet, trajectories: Iterable[Trajectory]) -> Agreement | None:  # noqa: ARG002
        return None

    def predictions(self, dataset: QuestionSet, file: Path) -> PredictionFile:  # noqa: ARG002
        raise UsageError(f"--predictions: {self.name} cannot read result files")

    def report(self) -> SimpleReport:
        from toolgauge.benchmarks.simple.numbers.report import SimpleReport

        return SimpleReport(self.facets)

    def display(self) -> SimpleDisplay:
        from toolgauge.benchmarks.simple.view.display import SimpleDisplay

        return SimpleDisplay(self)


def calls_made(reply: Reply) -> list[dict[str, object]]:
    """The calls of a reply as {"name", "arguments"}; arguments that are no JSON stay as they are."""
    return [{"name": call.name, "arguments": _read(call.arguments)} for call in reply.tool_calls]


def play(benchmark: SimpleBenchmark, dataset: QuestionSet, reply: Reply) -> list[Score]:
    """The scores of a model that always says the same: for tests of a benchmark."""
    trajectories = (drive(benchmark.episode(dataset, one), lambda _: reply) for one in benchmark.samples(dataset))
    return [score for trajectory in trajectories for score in benchmark.scores(dataset, trajectory)]


def _read(arguments: object) -> object:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _counted(calls: Iterable[Mapping[str, object]]) -> Counter[str]:
    parts = ({"name": call.get("name"), "arguments": call.get("arguments") or {}} for call in calls)
    return Counter(json.dumps(call, sort_keys=True, ensure_ascii=False, default=str) for call in parts)


def _made(number: int, call: Json) -> ToolCall:
    return ToolCall(f"call_{number}", call["name"], json.dumps(call.get("arguments") or {}, ensure_ascii=False))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".。")
