"""A benchmark of conversations: derive from `ConversationBenchmark`, say what is asked, how it goes, what is right.

The task's page, tables, intervals, pass@k and pass^k, details, comparisons, error analysis, the leaderboard, exports
and `data check` come with it. docs/plugins.md shows whole ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec.structs import replace

from toolgauge.analysis.facet import Facet
from toolgauge.benchmarks.benchmark import DEFAULT, Agreement, PredictionFile, Published, Role, Sample, Setup, chosen
from toolgauge.benchmarks.conversation.talk import Answer, PlayedEpisode, Talk
from toolgauge.benchmarks.conversation.tasks import Outcome, Task, TaskSet, task_set
from toolgauge.benchmarks.data_files import LoadedFiles
from toolgauge.benchmarks.options import BenchmarkOptions, chosen_options, option
from toolgauge.chat import Reply
from toolgauge.data.files import DataFiles, DataSource
from toolgauge.data.task_ids import with_epoch, without_epoch
from toolgauge.episode import ASSISTANT, Episode, Step, Trajectory
from toolgauge.errors import UsageError
from toolgauge.judge.causes import as_malformed, as_unfinished, unusable_texts, with_agent_error
from toolgauge.judge.replies import ReadReply
from toolgauge.judge.verdict import EXACT, Score, Verdict
from toolgauge.reasons import Explanation, ReasonText, ReasonTexts

if TYPE_CHECKING:
    from toolgauge.benchmarks.conversation.numbers import TaskReport
    from toolgauge.benchmarks.conversation.view import TaskDisplay

DONE = Reply("Done.")
"""What a perfect model says when nothing is left to do in a turn."""


class TaskOptions(BenchmarkOptions, frozen=True):
    """The options of a benchmark that says nothing else."""

    categories: Annotated[tuple[str, ...], option("Kinds of tasks, by commas.", flag="category", selects=True)] = ()


class TaskBenchmark(ABC):
    """What a benchmark declares, and all that follows from its tasks, its `play` and its `outcomes`."""

    name: str = ""
    title: str = ""
    """On pages."""
    about: str = ""
    """What it is, in a sentence."""
    citation: str = ""
    """A BibTeX entry."""
    published: Published | None = None
    """Numbers that others published: rows of the board."""
    wraps: str = ""
    """The distribution of the library that it wraps: run.json names its version."""
    install: str = ""
    """How that is installed, for errors."""
    languages: tuple[str, ...] = ("en",)
    """In which its data are."""
    headline: str = "exact"
    """The scoring that is shown first."""
    scorings: tuple[str, ...] = ("exact",)
    roles: Mapping[str, Role] = {}
    """Who speaks beside the model: "user", "judge", or any other name."""
    Options: type[BenchmarkOptions] = TaskOptions
    """Its own options of a run (benchmarks/options.py)."""
    facets: tuple[Facet, ...] = ()
    """By what else its tasks are grouped in tables (analysis/facet.py); `of` gets a `Task`."""
    texts: Mapping[str, Mapping[str, str]] = {}
    """By language ("en", "zh") the texts of the codes of its outcomes, with {slots} for parameters."""
    embedded: Path | None = None
    """Its data file (or folder), where it comes with the package. May be a property."""
    source: str | None = None
    """The public data set of `sources` that is run, where nothing is embedded."""
    sources: tuple[DataSource, ...] = ()
    native_options: Mapping[str, object] = {}
    known_corrections: Path | None = None
    blocking: bool = True
    """Its code may take its time: conversations have threads of their own."""

    # What a benchmark says.

    @abstractmethod
    def tasks(self, file: Path, language: str) -> Iterable[Task]:
        """The tasks in a data file (or folder); raises DataError."""

    @abstractmethod
    def play(self, talk: Talk, task: Any, options: Any) -> str:
        """Have the conversation: `talk.ask(messages, tools)` until it is over. Returns why it stopped, for people.

        Ordinary code, in a thread of its own; the same replies must lead to the same conversation. task: one of
        `tasks`; options: an object of the class `Options`.
        """

    @abstractmethod
    def outcomes(self, task: Any, trajectory: Trajectory) -> Mapping[str, Outcome]:
        """By scoring, what the conversation is worth; without those that cannot say."""

    def perfect_reply(self, task: Any, turn: int, step: int) -> Reply | None:  # noqa: ARG002
        """What a perfect model replies at a step of a turn, both from 0; None: nobody knows."""
        return None

    # What it may say otherwise.

    def files(self, file: Path) -> Iterable[Path]:
        """The files of the data set at a path, for its checksum: all in a folder, unless it says otherwise."""
        return sorted(one for one in file.rglob("*") if one.is_file()) if file.is_dir() else [file]

    def any_words_pass(self, dataset: TaskSet, sample: Sample) -> bool | None:  # noqa: ARG002 - a world decides
        """Whether any words are right in a conversation; None: that is not known before it is had."""
        return None

    def library(self, module: str) -> Any:
        """A module of one's own that imports the library that is wrapped (`wraps`); UsageError, with how to install it
        (`install`), where that or something it needs is missing."""
        try:
            return import_module(module)
        except ImportError as error:
            raise UsageError(f"{self.name} cannot use {self.wraps} ({error}): {self.install}") from error

    def library_folder(self, package: str) -> Path:
        """Where a package of the library is, found without importing it; UsageError where it is missing."""
        found = find_spec(package)
        if found is None or not found.submodule_search_locations:
            raise UsageError(f"{self.name} needs {self.wraps}: {self.install}")
        return Path(found.submodule_search_locations[0])

    def speakers(self, samples: Iterable[Sample]) -> tuple[str, ...]:  # noqa: ARG002 - all may
        """Who has to speak in these conversations, the model first."""
        return (ASSISTANT, *self.roles)

    def warnings(self, dataset: TaskSet) -> list[str]:  # noqa: ARG002 - none
        """What somebody who runs these data should know, a line each."""
        return []

    def reply_text(self, task: Any, trajectory: Trajectory) -> object:  # noqa: ARG002
        """What of a conversation is shown beside `expected`: the model's last words or calls."""
        last = next((step.reply for step in reversed(trajectory.steps) if step.role == ASSISTANT), Reply())
        return [call.wire()["function"] for call in last.tool_calls] or last.content or ""

    def explain(self, outcome: Outcome) -> Explanation:
        """Why a conversation is wrong, for the task's page."""
        why = outcome.explained(self.reason_texts("en"))
        return replace(why, detail=why.detail or str(outcome.mistake))

    # What everything else asks for: see `Benchmark` for each.

    def load(self, file: Path, language: str) -> TaskSet:
        self._require(language)
        return task_set(self.name, language, file, self.files(file), self.tasks(file, language))

    def _require(self, language: str) -> None:
        if language not in self.languages:
            raise UsageError(f"--language {language}: {self.name} has no such data, only {', '.join(self.languages)}")

    def _task(self, dataset: TaskSet, key: str, epoch: int) -> Any:
        return dataset.by_id[without_epoch(key, epoch)]

    def samples(self, dataset: TaskSet, setup: Setup = DEFAULT) -> list[Sample]:
        sessions = list(dataset.sessions.items())[: setup.limit]
        kinds = getattr(chosen_options(self.Options, self.name, setup.options), "categories", ())
        there = dict.fromkeys(task.kind for task in dataset.tasks)
        if unknown := [kind for kind in kinds if kind not in there]:
            raise UsageError(f"unknown category {', '.join(unknown)}; there are {', '.join(there)}")
        every = (
            Sample(with_epoch(task.id, epoch), session, index, epoch)
            for epoch in range(setup.epochs)
            for session, tasks in sessions
            for index, task in enumerate(tasks)
            if not kinds or task.kind in kinds
        )
        return chosen(every, setup.ids, f"{dataset.name} ({dataset.language})")

    def task_ids(self, dataset: TaskSet, samples: Iterable[Sample]) -> list[str]:  # noqa: ARG002
        return [sample.key for sample in samples]

    def episode(self, dataset: TaskSet, sample: Sample, setup: Setup = DEFAULT) -> Episode:
        task = self._task(dataset, sample.key, sample.epoch)
        options = chosen_options(self.Options, self.name, setup.options)

        def play(answer: Answer) -> Trajectory:
            due = sum(len(turn) for turn in task.gold)
            talk = Talk(sample.key, sample.epoch, self.roles, partial(self.perfect_reply, task), due, answer)
            stopped = self.play(talk, task, options)
            tools = tuple(talk.tools.values())
            steps, record = tuple(talk.steps), talk.recorded()
            return Trajectory(
                sample.key, sample.session_id, steps, sample.task_index, sample.epoch, tools, str(stopped or ""), record
            )

        return PlayedEpisode(play)

    def scores(self, dataset: TaskSet, trajectory: Trajectory) -> Iterator[Score]:
        task = dataset.by_id.get(without_epoch(trajectory.task_id, trajectory.epoch))
        if task is None or not trajectory.steps:
            return
        outcomes, texts = self.outcomes(task, trajectory), self.reason_texts("en")
        judged = [name for name in self.scorings if name in outcomes]
        verdicts = {name: self._verdict(name, outcomes[name], trajectory, texts) for name in judged}
        replies = [step.reply for step in trajectory.steps if step.role == ASSISTANT]
        score = Score(trajectory.task_id, task.session, dataset.index[task.id], with_agent_error(verdicts, replies))
        unjudged = tuple(name for name in self.scorings if name not in outcomes)
        yield replace(score, not_judgeable=unjudged) if unjudged else score

    def _verdict(self, scoring: str, outcome: Outcome, trajectory: Trajectory, texts: ReasonTexts) -> Verdict:
        """What is recorded. In `exact` a wrong one whose last reply nobody could read, or that was cut off, says that;
        other scorings have the labels of whoever made them."""
        verdict = outcome.verdict(texts)
        last = next((step.reply for step in reversed(trajectory.steps) if step.role == ASSISTANT), None)
        if scoring != EXACT or verdict.correct or last is None:
            return verdict
        read = ReadReply(last, exact=True)
        told = as_unfinished(as_malformed(verdict, read.unread), read, {tool.name for tool in trajectory.tools})
        return replace(told, parts=verdict.parts, turn=verdict.turn)

    def reason_texts(self, language: str) -> ReasonTexts:
        own = {code: ReasonText(text) for code, text in self.texts.get(language, {}).items()}
        return {**unusable_texts(language), **own}

    def data_files(self, told: bool = True) -> DataFiles:  # noqa: ARG002 - there is one layout
        return LoadedFiles(self)

    def sample_metadata(self, dataset: TaskSet, sample: Sample) -> dict[str, object]:
        kind = self._task(dataset, sample.key, sample.epoch).kind
        return {"kind": kind} if kind else {}

    def order(self, dataset: TaskSet) -> dict[str, int]:
        return dataset.places

    def agreement(self, dataset: TaskSet, trajectories: Iterable[Trajectory]) -> Agreement | None:  # noqa: ARG002
        return None

    def predictions(self, dataset: TaskSet, file: Path) -> PredictionFile:  # noqa: ARG002
        raise UsageError(f"--predictions: {self.name} cannot read result files")

    def report(self) -> TaskReport:
        from toolgauge.benchmarks.conversation.numbers import TaskReport

        return TaskReport(self.facets)

    def display(self) -> TaskDisplay:
        from toolgauge.benchmarks.conversation.view import TaskDisplay

        return TaskDisplay(self)


class ConversationBenchmark(TaskBenchmark):
    """Derived classes set `name` and `embedded` (or are run with --data) and write `tasks`, `play` and `judge`."""

    @abstractmethod
    def judge(self, task: Any, steps: Sequence[Step], record: Mapping[str, Any]) -> Mapping[str, Outcome]:
        """By scoring, what the conversation is worth; without those that cannot say. A pure function: it is asked
        again for pages, and a year later. record: what `talk.record` held, as JSON gives it back."""

    def outcomes(self, task: Any, trajectory: Trajectory) -> Mapping[str, Outcome]:
        outcomes = self.judge(task, trajectory.steps, trajectory.extra)
        if not isinstance(outcomes, Mapping) or not all(isinstance(one, Outcome) for one in outcomes.values()):
            raise TypeError('judge must return an Outcome per scoring: {"exact": Outcome(...)}')
        if unknown := [name for name in outcomes if name not in self.scorings]:
            raise TypeError(f"judge gave an Outcome for {unknown[0]!r}; `scorings` are {', '.join(self.scorings)}")
        return outcomes

    def perfect_reply(self, task: Any, turn: int, step: int) -> Reply | None:
        """For built-in models and `data check`: the task's `gold`."""
        if not task.gold:
            return None
        replies = task.gold[turn] if turn < len(task.gold) else ()
        return replies[step] if step < len(replies) else DONE
