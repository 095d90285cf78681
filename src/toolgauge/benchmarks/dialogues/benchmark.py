"""The benchmarks whose answers are graphs of calls: WildToolBench, MMTB and the embedded one, as one kind of thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import DEFAULT, Agreement, Role, Sample, Setup, chosen
from toolgauge.benchmarks.certificates import uncertified_tasks
from toolgauge.benchmarks.dialogues.data import load as public
from toolgauge.benchmarks.dialogues.data.load import Family, load_dataset
from toolgauge.benchmarks.dialogues.episodes import ToolSearch, session_episode, task_episode
from toolgauge.benchmarks.dialogues.history import (
    DialogueOptions,
    History,
    MmtbOptions,
    dialogue_before,
    out_of_turn,
    system_message,
)
from toolgauge.benchmarks.dialogues.judge.mmtb import MmtbCode
from toolgauge.benchmarks.dialogues.judge.released import NameRun
from toolgauge.benchmarks.dialogues.judge.scorings import (
    ARGUMENT_RULES,
    JUDGES,
    judge_scoring,
    judge_sessions,
    judges_whole_runs,
)
from toolgauge.benchmarks.dialogues.predictions import RECORDED, GraphPredictions, language_recorded, results_in
from toolgauge.benchmarks.options import chosen_options
from toolgauge.benchmarks.registry import OURS, SESSIONS_BENCHMARK
from toolgauge.chat import Reply, Tool
from toolgauge.data.corrections import Corrections
from toolgauge.data.files import DataSource
from toolgauge.data.record import Problem
from toolgauge.data.session import Dataset, Session
from toolgauge.data.sessions import own_name
from toolgauge.data.task_ids import with_epoch
from toolgauge.episode import ASSISTANT, Episode, Trajectory
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.causes import unusable_texts, with_agent_error
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.replies import AnnotatedTask, annotated_task, published_turns
from toolgauge.judge.searches import judged_replies
from toolgauge.judge.texts import TextKind
from toolgauge.judge.verdict import CORRECT, EXACT, Score, Verdict, facts_mentioned
from toolgauge.reasons import ReasonTexts, texts_of
from toolgauge.tools.variants import ToolVariant, varied

if TYPE_CHECKING:
    from toolgauge.benchmarks.dialogues.data.check import DialogueFiles
    from toolgauge.benchmarks.dialogues.numbers.report import DialogueReport
    from toolgauge.benchmarks.dialogues.view.display import DialogueDisplay


class GraphBenchmark(Struct, frozen=True):
    """How a benchmark is asked and judged.

    family: which protocol and rules it follows; headline: the scoring its published numbers were made with.
    source: the name under which its data can be fetched; embedded: the data file in the package; decides: the accuracy
    by which a run is better than another.
    """

    name: str
    family: Family
    headline: str
    scorings: tuple[str, ...]
    source: str | None = None
    sources: tuple[DataSource, ...] = ()
    native_options: ClassVar[Mapping[str, object]] = {}
    roles: ClassVar[Mapping[str, Role]] = {}
    blocking: ClassVar[bool] = False
    embedded: Path | None = None
    known_corrections: Path | None = None
    decides: str = "task_accuracy"

    @property
    def Options(self) -> type[DialogueOptions]:  # noqa: N802 - as other benchmarks name their class
        return MmtbOptions if self.name == "mmtb" else DialogueOptions

    def speakers(self, samples: Iterable[Sample]) -> tuple[str, ...]:  # noqa: ARG002 - nobody else ever speaks
        return (ASSISTANT,)

    def load(self, file: Path, language: str, corrections: Corrections | None = None) -> Dataset:
        """The sessions of a data file; raises DataError. Data of one's own have the name of their file."""
        name = own_name(file) if self.name == SESSIONS_BENCHMARK else self.name
        if name != self.name and name.casefold() in OURS:
            name += file.suffix  # no benchmark's own name
        return load_dataset(file, self.family, language, name, corrections)

    def sessions(self, dataset: Dataset) -> tuple[Session, ...]:
        return dataset.sessions

    def first_offer(self, session: Session) -> tuple[Tool, ...]:
        return ToolSearch(session).offered

    def varied(self, dataset: Dataset, variant: ToolVariant) -> Dataset:
        """The data set with the tool lists of a variant."""
        return replace(dataset, sessions=tuple(varied(session, variant) for session in dataset.sessions))

    def warnings(self, dataset: Dataset) -> list[str]:
        """What somebody who runs these data should know, a line each (docs/rules.md#defect-by-defect, M6)."""
        if self.family != "mmtb":
            return []
        found = ((session, out_of_turn(session)) for session in dataset.sessions)
        return [f"{dataset.file}:{session.line}: {session.id}: {what}" for session, what in found if what]

    def samples(self, dataset: Dataset, setup: Setup = DEFAULT) -> list[Sample]:
        """What has to be asked, epoch by epoch in the order of the file; raises UsageError for unknown ids."""
        sessions = dataset.sessions if setup.limit is None else dataset.sessions[: setup.limit]
        history = chosen_options(self.Options, self.name, setup.options).history
        every = (u for epoch in range(setup.epochs) for session in sessions for u in _units_of(session, history, epoch))
        which: list[str] = [dataset.language]
        if setup.limit is not None:
            which.append("first session" if setup.limit == 1 else f"first {setup.limit} sessions")
        if history == "own":
            which.append("as whole sessions because of --history own")
        if history == "none":
            which.append("later tasks alone because of --history none")
        return chosen(every, setup.ids, f"{dataset.name} ({', '.join(which)})")

    def task_ids(self, dataset: Dataset, samples: Iterable[Sample]) -> list[str]:
        """The ids of all tasks that these units ask, in their order."""
        found: list[str] = []
        for sample in samples:
            session = dataset.by_id[sample.session_id]
            indices = range(len(session.tasks)) if sample.task_index is None else [sample.task_index]
            found += [session.task_id(index, sample.epoch) for index in indices]
        return found

    def episode(self, dataset: Dataset, sample: Sample, setup: Setup = DEFAULT) -> Episode:
        session, rule = dataset.by_id[sample.session_id], ARGUMENT_RULES[self.family]
        if sample.task_index is None:
            tasks = [annotated_task(session, index) for index in range(len(session.tasks))]
            opening = system_message(self.family, session, session.tasks[0])
            return session_episode(session, tasks, rule, opening, sample.key, sample.epoch)
        asked = chosen_options(self.Options, self.name, setup.options)
        history = dialogue_before(self.family, session, sample.task_index, asked)
        return task_episode(session, annotated_task(session, sample.task_index), rule, history, sample.epoch)

    def scores(self, dataset: Dataset, trajectory: Trajectory) -> Iterator[Score]:
        """The verdicts on the task (or tasks) of a trajectory, in all scorings."""
        session = dataset.by_id.get(trajectory.session_id)
        if session is None:
            return
        for index, replies in _by_task(session, trajectory):
            if 0 <= index < len(session.tasks):
                task_id = session.task_id(index, trajectory.epoch)
                task = annotated_task(session, index)
                judge = judge_sessions if self.name == SESSIONS_BENCHMARK else JUDGES[self.family]
                verdicts = with_agent_error(judge(task, replies), replies)
                if trajectory.is_recording and verdicts[EXACT].code == DialogueCode.RUN_ENDS:
                    others = {name: verdict for name, verdict in verdicts.items() if name != EXACT}
                    yield Score(task_id, session.id, index, others, not_judgeable=(EXACT,))
                    continue
                facts = facts_mentioned(task.task.facts, replies) if task.task.facts else UNSET
                yield Score(task_id, session.id, index, verdicts, facts)

    @property
    def argument_rule(self) -> ArgumentRule:
        return ARGUMENT_RULES[self.family]

    def annotated(self, dataset: Dataset, sample: Sample) -> AnnotatedTask:
        assert sample.task_index is not None, "the sample is a task"
        return annotated_task(dataset.by_id[sample.session_id], sample.task_index)

    def judge_scoring(self, scoring: str, task: AnnotatedTask, replies: Sequence[Reply]) -> Verdict:
        return judge_scoring(self.family, scoring, task, replies)

    def judges_whole_runs(self, scoring: str) -> bool:
        return judges_whole_runs(self.family, scoring)

    def agreement(self, dataset: Dataset, trajectories: Iterable[Trajectory]) -> Agreement | None:
        """How often the released rules judge the names of recorded runs as the original runner did."""
        compared, differing = 0, []
        for trajectory in trajectories:
            recorded, session = trajectory.extra.get(RECORDED), dataset.by_id.get(trajectory.session_id)
            if recorded is None or session is None or trajectory.task_index is None:
                continue
            task = annotated_task(session, trajectory.task_index)
            compared += 1
            if NameRun(task, published_turns(trajectory.replies)).closed != (recorded == CORRECT):
                differing.append(trajectory.task_id)
        return Agreement(compared, compared - len(differing), differing) if compared else None

    def data_files(self, told: bool = True) -> DialogueFiles:
        from toolgauge.benchmarks.dialogues.data.check import DialogueFiles

        return DialogueFiles(self.family if told else None, _uncertified)

    def any_words_pass(self, dataset: Dataset, sample: Sample) -> bool:
        """Where only the closing reply is due, any words are right by the benchmarks' rules."""
        return (
            sample.task_index is not None and len(dataset.by_id[sample.session_id].tasks[sample.task_index].calls) == 1
        )

    def sample_metadata(self, dataset: Dataset, sample: Sample) -> dict[str, object]:  # noqa: ARG002 - nothing
        return {}

    def order(self, dataset: Dataset) -> dict[str, int]:
        return {session.id: position for position, session in enumerate(dataset.sessions)}

    def predictions(self, dataset: Dataset, file: Path) -> GraphPredictions:
        return GraphPredictions(self.family, file, dataset)

    def language_recorded(self, file: Path) -> str | None:
        return language_recorded(file)

    def results_in(self, folder: Path) -> list[Path]:
        return results_in(folder)

    def reason_texts(self, language: str) -> ReasonTexts:
        return {
            **texts_of((*DialogueCode, *MmtbCode, *TextKind), language),
            **unusable_texts(language),
        }

    def report(self) -> DialogueReport:
        from toolgauge.benchmarks.dialogues.numbers.report import DialogueReport

        return DialogueReport(self.family, self.decides)

    def display(self) -> DialogueDisplay:
        from toolgauge.benchmarks.dialogues.view.display import DialogueDisplay

        return DialogueDisplay(self.name, self.family, self.decides)


def _uncertified(family: Family, dataset: Dataset) -> list[Problem]:
    return uncertified_tasks(GRAPH_BENCHMARKS[family], dataset)


def _units_of(session: Session, history: History, epoch: int) -> list[Sample]:
    """The tasks of a session, only the later ones without history; the whole session over the model's own."""
    if history == "own":
        return [Sample(with_epoch(session.id, epoch), session.id, None, epoch)]
    tasks = session.tasks[1:] if history == "none" else session.tasks
    return [Sample(session.task_id(task.index, epoch), session.id, task.index, epoch) for task in tasks]


def _by_task(session: Session, trajectory: Trajectory) -> list[tuple[int, list[Reply]]]:
    """The replies to each task that are judged."""
    if trajectory.task_index is not None:
        return [(trajectory.task_index, judged_replies(session, trajectory.replies))]
    replies: dict[int, list[Reply]] = {}
    for step in trajectory.steps:
        replies.setdefault(step.task_index, []).append(step.reply)
    return [(index, judged_replies(session, own)) for index, own in replies.items()]


MINI_FILE = Path(__file__).parent / "mini" / "sessions.jsonl"
MINI = GraphBenchmark("mini", "wildtoolbench", "exact", ("exact", "released", "tables"), embedded=MINI_FILE)
WILDTOOLBENCH = GraphBenchmark(
    "wildtoolbench",
    "wildtoolbench",
    "tables",
    ("exact", "released", "tables"),
    source="wildtoolbench",
    sources=(public.WILDTOOLBENCH,),
    decides="session_accuracy",
)
MMTB = GraphBenchmark(
    "mmtb", "mmtb", "released", ("exact", "released"), "mmtb", sources=(public.MMTB, public.MMTB_ROLLOUTS)
)
SESSIONS = GraphBenchmark(SESSIONS_BENCHMARK, "wildtoolbench", "exact", ("exact",))
GRAPH_BENCHMARKS = {benchmark.name: benchmark for benchmark in (MINI, WILDTOOLBENCH, MMTB, SESSIONS)}
