"""What a benchmark is to the rest of the package, and the choices that a run makes about how it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.options import BenchmarkOptions, chosen_options
from toolgauge.chat import Reply, Tool
from toolgauge.data.files import DataFiles, DataSource
from toolgauge.data.session import Session
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import UsageError
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.replies import AnnotatedTask
from toolgauge.judge.verdict import Score, Verdict
from toolgauge.locale import Text
from toolgauge.options import declared
from toolgauge.reasons import ReasonTexts
from toolgauge.tools.variants import ToolVariant

MAX_EPOCHS = 1000
"""How often a task may be asked: a stranger's run.json names a number too."""


class Sample(Struct, frozen=True):
    """One conversation to run: a task, or (task_index None) a whole session."""

    key: str
    session_id: str
    task_index: int | None
    epoch: int


class Setup(Struct, frozen=True):
    """How a run asks. ids: session or task ids to choose; limit: the first so many sessions.

    options: the benchmark's own, by name or as its Struct (`own_options`); what is not named has its default.
    """

    epochs: int = 1
    ids: tuple[str, ...] = ()
    limit: int | None = None
    options: Mapping[str, object] | BenchmarkOptions = {}

    def __post_init__(self) -> None:
        """Raise UsageError for numbers that no benchmark could use."""
        for option in ("epochs", "limit"):
            value = getattr(self, option)
            if value is not None and value < 1:
                raise UsageError(f"--{option} must be an integer >= 1")
        if self.epochs > MAX_EPOCHS:
            raise UsageError(f"--epochs must be an integer <= {MAX_EPOCHS}")


DEFAULT = Setup()


class Role(Struct, frozen=True):
    """Who speaks beside the model, unless `--role` and `--set ROLE.NAME=` say otherwise."""

    model: str | None = None
    """"provider/model"; None: there is none by default, whoever runs the benchmark has to name one."""
    settings: Mapping[str, object] = {}
    """How it replies: settings of sampling and of the endpoint by name, such as {"temperature": 0}."""
    without: str = ""
    """How to do without it, for errors."""


class Published(Struct, frozen=True, kw_only=True):
    """Numbers that somebody published of a benchmark, which stand beside those of runs."""

    file: Path
    """A CSV: the column `model`, then `overall` and names of kinds of tasks, each number as it was printed."""
    title: str
    """Of the paper or page."""
    link: str
    venue: str = ""
    date: str = ""
    """When it said so, where it may change."""
    language: str = "en"
    tasks: int = 0
    unit: Literal["percent", "fraction"] = "percent"


OwnData: TypeAlias = Any
"""What a benchmark's own `load` returned: `Data`, and what only that benchmark knows."""


class Data(Protocol):
    """A data set in memory. `file`: the file or folder it was read from."""

    @property
    def name(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def file(self) -> str: ...


class Agreement(Struct, frozen=True):
    """How many of the recorded labels of an imported file agree with ours; differing: the tasks where they do not."""

    compared: int
    same: int
    differing: list[str]


class PredictionFile(Protocol):
    """A result file (or folder) of the original project. unusable: what it gave up, by id, with the reason."""

    unusable: dict[str, str]

    def files(self) -> list[Path]:
        """The files it consists of; raises UsageError where there are none."""
        ...

    def setup(self) -> Setup:
        """What was asked, as far as the files tell."""
        ...

    def __iter__(self) -> Iterator[Trajectory]: ...


class Benchmark(Protocol):
    """How a benchmark is asked and judged, and what its numbers are; `dataset` is always what its own `load` returned.

    headline: the scoring its published numbers were made with. sources: its public data sets, for `toolgauge data
    fetch`; source: the name of the one that is run; embedded: the data file in the package.
    """

    @property
    def name(self) -> str: ...
    @property
    def headline(self) -> str: ...
    @property
    def scorings(self) -> tuple[str, ...]: ...
    @property
    def source(self) -> str | None: ...
    @property
    def sources(self) -> tuple[DataSource, ...]: ...
    @property
    def embedded(self) -> Path | None: ...
    @property
    def known_corrections(self) -> Path | None:
        """Corrections of its public data that come with it; a benchmark of another package may lack this."""
        ...

    @property
    def native_options(self) -> Mapping[str, object]:
        """Its own options with which calls are native; a benchmark of another package may lack this."""
        ...

    @property
    def blocking(self) -> bool:
        """May its episodes take long to say their next request? Then each has a thread of its own, as they do for a
        benchmark that lacks this."""
        ...

    @property
    def Options(self) -> type[BenchmarkOptions]:  # noqa: N802 - a class
        """Its own options of a run; a benchmark of another package may lack this."""
        ...

    def load(self, file: Path, language: str) -> OwnData:
        """The data set in one language; raises DataError.

        One that takes corrections of its records has a third parameter, `corrections: Corrections | None = None`; the
        data set's sha256 stays that of the file.
        """
        ...

    def warnings(self, dataset: OwnData) -> list[str]:
        """What somebody who runs these data should know, a line each."""
        ...

    def samples(self, dataset: OwnData, setup: Setup = DEFAULT) -> list[Sample]:
        """What has to be asked, epoch by epoch in the order of the data; raises UsageError for unknown ids."""
        ...

    @property
    def roles(self) -> Mapping[str, Role]:
        """Who may speak beside the model that is measured."""
        ...

    def speakers(self, samples: Iterable[Sample]) -> tuple[str, ...]:
        """Who has to speak in these conversations, the model that is measured ("assistant") first."""
        ...

    def task_ids(self, dataset: OwnData, samples: Iterable[Sample]) -> list[str]:
        """The ids of all tasks that these units ask, in their order."""
        ...

    def episode(self, dataset: OwnData, sample: Sample, setup: Setup = DEFAULT) -> Episode: ...

    def scores(self, dataset: OwnData, trajectory: Trajectory) -> Iterator[Score]:
        """The verdicts on the task (or tasks) of a trajectory, in all scorings."""
        ...

    def sample_metadata(self, dataset: OwnData, sample: Sample) -> dict[str, object]:
        """What else people who look at a sample should see, by name; a benchmark may lack this."""
        ...

    def any_words_pass(self, dataset: OwnData, sample: Sample) -> bool:
        """Is whatever is said right, so that a model that never calls may pass? A benchmark may lack this: then it is
        so where no call is annotated."""
        ...

    def data_files(self, told: bool = True) -> DataFiles:
        """Its data files, for `toolgauge data`. told: the user named this benchmark; else the files tell what they
        are. A benchmark of another package may lack this."""
        ...

    def order(self, dataset: OwnData) -> dict[str, int]:
        """The place of each session in the data."""
        ...

    def agreement(self, dataset: OwnData, trajectories: Iterable[Trajectory]) -> Agreement | None:
        """For imported results, where labels are recorded in them."""
        ...

    def predictions(self, dataset: OwnData, file: Path) -> PredictionFile:
        """A result file of the original project, to be read as trajectories."""
        ...

    def reason_texts(self, language: str) -> ReasonTexts:
        """The texts of the codes of its verdicts, for readers of a language ("en", "zh").

        A benchmark of another package may lack this method, or texts: then `detail` is shown as it is.
        """
        ...

    def report(self) -> Any:
        """Its numbers: a `Report` (analysis/reports.py, a room above this one); imported when it is asked for."""
        ...

    def display(self) -> Any:
        """What people see of it on pages and in exports: a `Display` (report/display.py). Imported as `report` is."""
        ...


@runtime_checkable
class HasResultFiles(Protocol):
    """A benchmark whose original project has result files that say more than what was replied."""

    def language_recorded(self, file: Path) -> str | None:
        """The language of a result file, or of a model's folder of them; None where it does not tell."""
        ...

    def results_in(self, folder: Path) -> list[Path]:
        """What in a folder `Benchmark.predictions` may read, a path for each model."""
        ...


@runtime_checkable
class HasToolLists(Protocol):
    """A benchmark whose sessions have tool lists that can be varied (tools/variants.py)."""

    def sessions(self, dataset: OwnData) -> Sequence[Session]:
        """The dialogues of a data set."""
        ...

    def first_offer(self, session: Session) -> tuple[Tool, ...]:
        """The tools that are on offer when a session begins."""
        ...

    def varied(self, dataset: OwnData, variant: ToolVariant) -> OwnData:
        """The data set with the tool lists of a variant."""
        ...


@runtime_checkable
class JudgesSteps(Protocol):
    """A benchmark whose tasks are graphs of calls: what was said so far can be judged, not whole runs alone."""

    @property
    def argument_rule(self) -> ArgumentRule:
        """When an argument is right, in the scoring `exact`."""
        ...

    def annotated(self, dataset: OwnData, sample: Sample) -> AnnotatedTask:
        """The task of a sample that is one task."""
        ...

    def judge_scoring(self, scoring: str, task: AnnotatedTask, replies: Sequence[Reply]) -> Verdict:
        """The verdict of one scoring on what was said so far."""
        ...

    def judges_whole_runs(self, scoring: str) -> bool:
        """Does a scoring say nothing of a single reply?"""
        ...


def options_of(benchmark: Benchmark) -> type[BenchmarkOptions]:
    """The class of a benchmark's own options."""
    return getattr(benchmark, "Options", BenchmarkOptions)


def own_options(benchmark: Benchmark, setup: Setup) -> BenchmarkOptions:
    """A benchmark's own options in a setup, defaults filled in; raises UsageError for what it does not have."""
    return chosen_options(options_of(benchmark), benchmark.name, setup.options)


def recorded_options(benchmark: Benchmark, setup: Setup) -> tuple[dict[str, object], dict[str, object]]:
    """A benchmark's own options as run.json has them: those that say how it is asked, and those that select."""
    own = own_options(benchmark, setup)
    settings: dict[str, object] = {}
    selection: dict[str, object] = {}
    for one in declared(type(own)):
        (selection if one.selects else settings)[one.name] = msgspec.to_builtins(getattr(own, one.name))
    return settings, selection


class EpisodeFactory(Struct, frozen=True):
    """The episode of each unit of a run. It holds data only, so that it can travel to other machines.

    corrections: the sha256 of those that the data set has, which its trajectories name.
    """

    benchmark: Benchmark
    dataset: OwnData
    setup: Setup
    corrections: str = ""

    def __call__(self, sample: Sample) -> Episode:
        episode = self.benchmark.episode(self.dataset, sample, self.setup)
        return _marked(episode, self.corrections) if self.corrections else episode

    @property
    def blocking(self) -> bool:
        """Should each be driven in a thread of its own?"""
        return getattr(self.benchmark, "blocking", True)


def _marked(episode: Episode, corrections: str) -> Episode:
    trajectory = yield from episode
    return replace(trajectory, corrections=corrections)


def chosen(samples: Iterable[Sample], ids: Sequence[str], where: Text | str) -> list[Sample]:
    """The units whose session or task id is named (all of them if none is); raises UsageError for an unknown id."""
    wanted = set(ids)
    kept = [u for u in samples if not wanted or u.session_id in wanted or without_epoch(u.key, u.epoch) in wanted]
    found = {sample.session_id for sample in kept} | {without_epoch(sample.key, sample.epoch) for sample in kept}
    if missing := sorted(wanted - found):
        more = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
        raise UsageError(f"--ids: not in {where}: {', '.join(missing[:5])}{more}")
    return kept
