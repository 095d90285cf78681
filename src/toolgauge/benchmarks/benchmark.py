"""What a benchmark is to the rest of the package, and the choices that a run makes about how it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.data.sources import DataSource
from toolgauge.episode import Episode, Trajectory
from toolgauge.errors import UsageError
from toolgauge.judge.verdict import Score
from toolgauge.locale import _
from toolgauge.reasons import ReasonTexts

History = Literal["gold", "own"]
Style = Literal["prompt", "native"]
MAX_EPOCHS = 1000
"""How often a task may be asked: a stranger's run.json names a number too."""


class Sample(Struct, frozen=True):
    """One conversation to run: a task, or (task_index None) a whole session."""

    key: str
    session_id: str
    task_index: int | None
    epoch: int


class Setup(Struct, frozen=True):
    """How a run asks; None stands for the benchmark's own default, and what a benchmark does not know is an error.

    history: of earlier tasks (graph benchmarks). categories, style, max_turns: ACEBench. ids: session or task ids to
    choose; limit: the first so many sessions.
    """

    epochs: int = 1
    ids: tuple[str, ...] = ()
    limit: int | None = None
    history: History | None = None
    categories: tuple[str, ...] = ()
    style: Style | None = None
    max_turns: int | None = None

    def __post_init__(self) -> None:
        """Raise UsageError for numbers and names that no benchmark could use."""
        for option in ("epochs", "limit", "max_turns"):
            value = getattr(self, option)
            if value is not None and value < 1:
                raise UsageError(_("--{option} is a whole number from 1 on", option=option.replace("_", "-")))
        if self.epochs > MAX_EPOCHS:
            raise UsageError(_("--epochs: at most {max_epochs:,}", max_epochs=MAX_EPOCHS))
        if self.history not in (None, "gold", "own"):
            raise UsageError(_("--history {history!r} is not known; choose gold or own", history=self.history))
        if self.style not in (None, "prompt", "native"):
            raise UsageError(_("--style {style!r} is not known; choose prompt or native", style=self.style))

    def only(self, benchmark: str, *known: str) -> None:
        """Raise UsageError for a choice that is set although the benchmark does not have it."""
        for name in ("history", "categories", "style", "max_turns"):
            if name not in known and getattr(self, name):
                option = "category" if name == "categories" else name.replace("_", "-")
                raise UsageError(_("--{option}: {benchmark} has no such option", option=option, benchmark=benchmark))


DEFAULT = Setup()


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

    headline: the reading its published numbers were made with. sources: its public data sets, for `toolgauge data
    fetch`; source: the name of the one that is run; embedded: the data file in the package.
    """

    @property
    def name(self) -> str: ...
    @property
    def headline(self) -> str: ...
    @property
    def readings(self) -> tuple[str, ...]: ...
    @property
    def source(self) -> str | None: ...
    @property
    def sources(self) -> tuple[DataSource, ...]: ...
    @property
    def embedded(self) -> Path | None: ...
    def load(self, file: Path, language: str) -> Any:
        """The data set in one language; raises DataError."""
        ...

    def warnings(self, dataset: Any) -> list[str]:
        """What somebody who runs these data should know, a line each."""
        ...

    def settings(self, setup: Setup) -> Json:
        """The choices that are this benchmark's own, defaults filled in, for the manifest; raises UsageError."""
        ...

    def samples(self, dataset: Any, setup: Setup = DEFAULT) -> list[Sample]:
        """What has to be asked, epoch by epoch in the order of the data; raises UsageError for unknown ids."""
        ...

    def roles(self, samples: Iterable[Sample]) -> tuple[str, ...]:
        """Who has to speak in these conversations, the model that is measured ("assistant") first."""
        ...

    def task_ids(self, dataset: Any, samples: Iterable[Sample]) -> list[str]:
        """The ids of all tasks that these units ask, in their order."""
        ...

    def episode(self, dataset: Any, sample: Sample, setup: Setup = DEFAULT) -> Episode: ...

    def scores(self, dataset: Any, trajectory: Trajectory) -> Iterator[Score]:
        """The verdicts on the task (or tasks) of a trajectory, in all readings."""
        ...

    def order(self, dataset: Any) -> dict[str, int]:
        """The place of each session in the data."""
        ...

    def agreement(self, dataset: Any, trajectories: Iterable[Trajectory]) -> Agreement | None:
        """For imported results, where labels are recorded in them."""
        ...

    def predictions(self, dataset: Any, file: Path) -> PredictionFile:
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


class EpisodeFactory(Struct, frozen=True):
    """The episode of each unit of a run. It holds data only, so that it can travel to other machines."""

    benchmark: Benchmark
    dataset: Any
    setup: Setup

    def __call__(self, sample: Sample) -> Episode:
        return self.benchmark.episode(self.dataset, sample, self.setup)


def chosen(samples: Iterable[Sample], ids: Sequence[str], where: str) -> list[Sample]:
    """The units whose session or task id is named (all of them if none is); raises UsageError for an unknown id."""
    wanted = set(ids)
    kept = [u for u in samples if not wanted or u.session_id in wanted or u.key.partition("#")[0] in wanted]
    found = {sample.session_id for sample in kept} | {sample.key.partition("#")[0] for sample in kept}
    if missing := sorted(wanted - found):
        raise UsageError(_("--ids: not in {where}: {missing}", where=where, missing=missing[:5]))
    return kept
