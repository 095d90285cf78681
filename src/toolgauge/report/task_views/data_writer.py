"""From runs to data files: trajectories stream by, chunks are written as soon as their tasks are there.

runs/<slug>/index    what the list shows and searches (task_views/index.py)
runs/<slug>/<n>      a few sessions of a run: task views, and the pool of messages they refer to
sets/<n>/<n>         what all runs on a data set share: tools, annotations, opening messages, session by session
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from toolgauge.analysis.judgments import read_judgments
from toolgauge.benchmarks.manifest import setup_of
from toolgauge.data.task_ids import parse_task_id, split_epoch, with_epoch
from toolgauge.episode import Trajectory
from toolgauge.errors import ToolgaugeError
from toolgauge.report.display import display_of
from toolgauge.report.page import RunEntry
from toolgauge.report.site_folder import SiteFolder, write_chunk
from toolgauge.report.task_views.index import Planned, TaskIndex, index_of
from toolgauge.report.task_views.task_view import (
    Causes,
    JudgmentView,
    Pool,
    SharedSession,
    Shown,
    TaskListRow,
    TaskView,
    VerdictView,
    causes_of,
)
from toolgauge.runs.lines import encode
from toolgauge.runs.scored import ScoredRun, read_failures

TASKS_IN_CHUNK = 24
"""Tasks of a run's chunk at least, whole sessions: what is loaded to read one of them, 50 kB or so."""
SESSIONS_IN_CHUNK = 8


class Material:
    """What the runs on one data set share, as it is met; `number`: its folder."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.sessions: dict[str, SharedSession] = {}

    def session(self, session_id: str) -> SharedSession:
        if session_id not in self.sessions:
            self.sessions[session_id] = SharedSession(session_id, len(self.sessions) // SESSIONS_IN_CHUNK)
        return self.sessions[session_id]

    def write(self, folder: SiteFolder) -> None:
        chunks: dict[int, list[object]] = {}
        for session in self.sessions.values():
            chunks.setdefault(session.chunk, []).append(session.content())
        for number, sessions in chunks.items():
            write_chunk(folder, f"sets/{self.number}/{number}", {"sessions": sessions})


def material_key(run: ScoredRun) -> tuple[str, str, str]:
    """Runs with the same key were made on the same data."""
    return run.benchmark.name, run.language, run.manifest.asked_identity


class RunWriter:
    """Writes the data of one run: plans its chunks, takes its trajectories, writes what is whole.

    planned: all tasks, by id; rows, causes: of those that were written; open: by number, chunks that are not whole yet,
    with their pools of messages; lacking: how many of the tasks of each chunk are still to come, more than will come
    where some have no score.
    """

    def __init__(self, entry: RunEntry, material: Material, folder: SiteFolder) -> None:
        self.run, self.folder, self.prefix = entry.run, folder, f"runs/{entry.slug}"
        self.material, self.views = material, display_of(entry.run.benchmark).task_views(entry.run.dataset)
        self.scores = {score.task_id: score for score in entry.run.scores}
        self.reasons = read_failures(entry.run.folder)
        self.judgments: dict[str, list[JudgmentView]] = {}
        for told in read_judgments(entry.run.folder):
            said = JudgmentView(told.judge, tuple(told.objections), tuple(call.tool for call in told.repeated))
            self.judgments.setdefault(told.task, []).append(said)
        self.planned = {one.task_id: one for one in self._plan()}
        for one in self.planned.values():
            material.session(one.session_id)  # neighbours in the data are neighbours in the files
        self.rows: dict[str, TaskListRow] = {}
        self.causes: dict[str, Causes] = {}
        self.lacking = Counter(one.chunk for one in self.planned.values())
        self.open: defaultdict[int, tuple[Pool, list[msgspec.Raw]]] = defaultdict(lambda: (Pool(), []))

    def write(self, trajectories: Iterable[Trajectory]) -> TaskIndex:
        """Write all of it; returns what the list shows. trajectories: all of the run."""
        for trajectory in trajectories:
            self._take(trajectory)
        for task in self.planned.values():
            if task.task_id not in self.rows:
                self._add(task, Shown(task.task_id, self.views.row(task.session_id, task.key), {}), ("replies",))
        for number in sorted(self.open):
            self._close(number)
        scorings = [name for name in self.run.benchmark.scorings if name in self.run.metrics.scorings]
        content = index_of(list(self.planned.values()), self.rows, self.scores, self.causes, scorings)
        write_chunk(self.folder, f"{self.prefix}/index", content)
        return content

    def _plan(self) -> Iterator[Planned]:
        """All tasks in the order of the data, epoch by epoch: those that were requested, then what else was scored.
        Sessions stay together in a chunk."""
        chunk = size = 0
        last: tuple[str, int] | None = None
        requested = self._requested()
        for task_id in dict.fromkeys((*requested, *self.scores)):
            score = self.scores.get(task_id)
            session_id, task_index, epoch = (
                (score.session_id, score.task_index, split_epoch(task_id)[1]) if score else requested[task_id]
            )
            if last not in (None, (session_id, epoch)) and size >= TASKS_IN_CHUNK:
                chunk, size = chunk + 1, 0
            last, size = (session_id, epoch), size + 1
            yield Planned(task_id, session_id, self.views.key(task_index, task_id), epoch, chunk)

    def _requested(self) -> dict[str, tuple[str, int, int]]:
        """What should have been asked, with session, index and epoch; without a data set what is known to have
        failed."""
        dataset, benchmark = self.run.dataset, self.run.benchmark
        if dataset is None:
            return {task_id: _placed(task_id, failure.session_id) for task_id, failure in self.reasons.items()}
        found: dict[str, tuple[str, int, int]] = {}
        for sample in benchmark.samples(dataset, setup_of(self.run.manifest, benchmark)):
            for task_id in benchmark.task_ids(dataset, [sample]):
                index = sample.task_index if sample.task_index is not None else _placed(task_id, sample.session_id)[1]
                found[task_id] = (sample.session_id, index, sample.epoch)
        return found

    def _take(self, trajectory: Trajectory) -> None:
        inner = (f"{trajectory.session_id}/{step.task_index}" for step in trajectory.steps)
        ids = (trajectory.task_id, *(with_epoch(one, trajectory.epoch) for one in inner))
        chunk = next((self.planned[one].chunk for one in ids if one in self.planned), None)
        if chunk is None:
            return
        shared = self.material.session(trajectory.session_id)
        for shown in self.views.shown(trajectory, shared, self.open[chunk][0]):
            task = self.planned.get(shown.task_id)
            if task is not None:
                self._add(task, shown, ())
                self.lacking[task.chunk] -= shown.task_id in self.scores
        if not self.lacking[chunk]:
            self._close(chunk)

    def _add(self, task: Planned, shown: Shown, lacking: tuple[str, ...]) -> None:
        shared = self.material.session(task.session_id)
        self.views.annotate(shared, task.key)
        score = self.scores.get(task.task_id)
        # Why the task, or its whole session, could not be asked
        failure = self.reasons.get(task.task_id) or self.reasons.get(with_epoch(task.session_id, task.epoch))
        causes = causes_of(score, shown.divergence) if score else {}
        view = TaskView(
            task_id=task.task_id,
            session_id=task.session_id,
            key=task.key,
            material=shared.chunk,
            epoch=task.epoch,
            verdicts={name: VerdictView.of(one) for name, one in score.scorings.items()} if score else {},
            causes=causes,
            lacking=(*lacking, *(() if task.key in shared.tasks else ("data",))),
            reason=failure.reason if failure and not score else None,
            judgments=tuple(self.judgments.get(task.task_id, ())),
            **shown.fields,
        )
        self.rows[task.task_id], self.causes[task.task_id] = shown.row, causes
        self.open[task.chunk][1].append(msgspec.Raw(encode(view)))

    def _close(self, number: int) -> None:
        pool, views = self.open.pop(number)
        write_chunk(self.folder, f"{self.prefix}/{number}", {"messages": pool.items, "tasks": views})


def _placed(task_id: str, session_id: str) -> tuple[str, int, int]:
    """Session, index and epoch of an id; the index is 0 where the id does not tell."""
    try:
        _, index, epoch = parse_task_id(task_id)
    except ToolgaugeError:
        return session_id, 0, 0 if task_id == session_id else split_epoch(task_id)[1]
    return session_id, index, epoch
