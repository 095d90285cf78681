"""Run directories that built-in models fill, and the sites' data read back as a browser would."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

import toolgauge
from tests.report.page_reading import read_chunk
from toolgauge.benchmarks.benchmark import DEFAULT, Benchmark, Data, Setup
from toolgauge.benchmarks.manifest import ModelRecord
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply, Request
from toolgauge.episode import Trajectory, drive
from toolgauge.models.builtin.models import noisy
from toolgauge.report.page import RunEntry, Site, entries_of
from toolgauge.report.pages.tasks import write_data
from toolgauge.report.site_folder import FOLDER as DATA
from toolgauge.report.site_folder import SiteFolder
from toolgauge.results import open_run, open_runs
from toolgauge.runs.manifest import new_manifest
from toolgauge.runs.scored import ScoredRun
from toolgauge.runs.scoring import score_run
from toolgauge.runs.store import Failure, RunStore

Json = dict[str, Any]
FIXTURES = Path(__file__).parent.parent / "fixtures"
ACE_DATA = FIXTURES / "acebench/data_all"


def five_runs(root: Path) -> list[ScoredRun]:
    """Two runs of mini, one of a model that says nothing to half of it, two of ACEBench's sample."""
    for name in ("noisy?seed=1", "noisy?seed=2"):
        toolgauge.run("mini", f"builtin/{name}", out=root / name[-1])
        toolgauge.run("acebench", f"builtin/{name}", data=FIXTURES / "acebench", out=root / f"ace{name[-1]}")
    toolgauge.run("mini", "builtin/silent", out=root / "part", limit=16)
    return open_runs([root / name for name in ("1", "2", "part", "ace1", "ace2")])


def mini() -> tuple[Benchmark, Data]:
    benchmark = find_benchmark("mini")
    assert benchmark.embedded is not None
    return benchmark, benchmark.load(benchmark.embedded, "en")


def acebench(language: str = "en") -> tuple[Benchmark, Data]:
    benchmark = find_benchmark("acebench")
    return benchmark, benchmark.load(ACE_DATA, language)


def played(benchmark: Benchmark, data: Data, setup: Setup = DEFAULT, seed: int = 1) -> list[Trajectory]:
    """What the noisy player makes of the units, finished in any order."""
    answer: Callable[[Request], Reply] = noisy(seed, 0.5)
    made = [drive(benchmark.episode(data, sample, setup), answer) for sample in benchmark.samples(data, setup)]
    random.Random(seed).shuffle(made)
    return made


def run_directory(
    folder: Path,
    benchmark: Benchmark,
    data: Data,
    trajectories: Iterable[Trajectory],
    setup: Setup = DEFAULT,
    failures: Iterable[Failure] = (),
    model: str = "made/up",
) -> ScoredRun:
    """A scored run directory with these trajectories and failures."""
    store = RunStore(folder).open(new_manifest(benchmark, data, setup, ModelRecord(name=model)))
    for trajectory in trajectories:
        store.add_trajectory(trajectory)
    for failure in failures:
        store.add_failure(failure)
    store.close(complete=True)
    score_run(folder, None, data)
    return open_run(folder)


class Loaded:
    """The data of a site, found as the pages' scripts find them."""

    def __init__(self, folder: Path, *runs: ScoredRun) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.site = Site(entries_of(runs), {})
        write_data(self.site, SiteFolder(folder))

    def load(self, key: str) -> Any:
        found, content = read_chunk(self.folder / DATA / f"{key}.js")
        assert found == key
        return content

    def index(self, place: int = 0) -> Json:
        content: Json = self.load(f"runs/{self.entry(place).slug}/index")
        return content

    def entry(self, place: int = 0) -> RunEntry:
        return self.site.entries[place]

    def task(self, task_id: str, place: int = 0, material: int = 0) -> tuple[Json, Json, list[Json]]:
        """The exhibit, the shared session and the pool of messages of a task."""
        columns = self.index(place)["columns"]
        chunk = self.load(f"runs/{self.entry(place).slug}/{columns['chunk'][columns['id'].index(task_id)]}")
        (task,) = [one for one in chunk["tasks"] if one["task_id"] == task_id]
        sessions = self.load(f"sets/{material}/{task['material']}")["sessions"]
        (session,) = [one for one in sessions if one["id"] == task["session_id"]]
        return task, session, chunk["messages"]


def messages(places: Iterable[int], session: Json, pool: list[Json]) -> list[Json]:
    return [session["messages"][-1 - place] if place < 0 else pool[place] for place in places]


def plain(value: Any) -> Any:
    """A struct as it reads in JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))
