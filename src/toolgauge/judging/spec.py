"""All conversations of a folder before a judge: asked like a run, in a folder of the judge's own.

FOLDER/judged/<model>/      run.json, trajectories.jsonl, ... : the same command continues
FOLDER/judgments.jsonl      a line for each task that any judge has judged

Of an import, also its sessions made again as the judge says (`data import --judge`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Unpack

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from toolgauge.analysis.judgments import read_judgments
from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.manifest import Asked, ModelRecord
from toolgauge.data.lines import LANGUAGES, read_lines
from toolgauge.data.sessions import language_prefix
from toolgauge.data.weaknesses import WEAK
from toolgauge.episode import TRAJECTORY_VERSION, Episode
from toolgauge.errors import UsageError
from toolgauge.files import read_marker, replacing, write_whole
from toolgauge.judging.benchmark_judge import BenchmarkJudging, benchmark_judging
from toolgauge.judging.conversations import Recorded, Unjudged, recorded_in
from toolgauge.judging.episode import JudgedConversation, judging_episode
from toolgauge.judging.options import JudgeOptions
from toolgauge.judging.result import JUDGE, JudgingResult, folder_of_judge, result_of
from toolgauge.logs.importing import OTHERS, REPORT, SESSIONS, SPLITS, ImportReport
from toolgauge.models.model import Model, Sampling
from toolgauge.models.registry import ModelOpening, is_on_this_machine, limited
from toolgauge.runs.executors.executor import ExecutionOptions, RunSpec
from toolgauge.runs.manifest import model_record
from toolgauge.runs.run import ExecutionResult, execute
from toolgauge.runs.store import read_trajectories
from toolgauge.version import __version__

JUDGING_VERSION = 2
"""Of the prompts: what was judged by others is not continued."""
ANNOTATING = "-annotating"
"""Behind the name of a judge's folder where it was asked more."""


class JudgingManifest(Asked, frozen=True, kw_only=True):
    """What a judge was asked. annotates: also where tasks begin, for an import's annotation."""

    judging: int
    models: dict[str, ModelRecord]
    sampling: Sampling
    annotates: bool
    conversations: int
    more: dict[str, object] = field(default_factory=dict)


class Judgings(Struct, frozen=True):
    """The episode of each sample. It holds data only, so that it can travel to other machines."""

    recorded: dict[str, Recorded]
    judge: str
    annotates: bool

    def __call__(self, sample: Sample) -> Episode:
        return judging_episode(self.recorded[sample.key], self.judge, self.annotates)


def judge_speaks(_key: str, _role: str) -> str:
    """One model answers all of it."""
    return JUDGE


class JudgingPlan(Struct, frozen=True):
    """What will be judged, by whom. unjudged: conversations of which nothing can be asked."""

    folder: Path
    recorded: dict[str, Recorded]
    unjudged: tuple[Unjudged, ...]
    model: Model
    opening: ModelOpening
    manifest: JudgingManifest
    annotates: bool = False

    @property
    def samples(self) -> list[Sample]:
        return [Sample(one.key, one.session, None, 0) for one in self.recorded.values()]

    def spec(self) -> RunSpec:
        """What `execute` runs."""
        place = folder_of_judge(self.folder, self.model.name, ANNOTATING if self.annotates else "")
        return RunSpec(
            self.samples,
            Judgings(self.recorded, self.model.name, self.annotates),
            {JUDGE: self.model},
            place,
            self.manifest,
            judge_speaks,
            (JUDGE,),
            {JUDGE: self.opening},
        )

    def result(self, spec: RunSpec, executed: ExecutionResult) -> JudgingResult:
        """Write what the judge says beside the conversations."""
        said = {
            one.task_id: msgspec.convert(one.extra, JudgedConversation)
            for one in read_trajectories(spec.folder)
            if one.task_id in self.recorded
        }
        judgments = [judgment for key in self.recorded if key in said for judgment in said[key].judgments]
        left_out = Counter(one.why for one in self.unjudged)
        left_out.update(one.left_out for one in said.values() if one.left_out)
        conversations = {self.recorded[key].conversation.id: one for key, one in said.items()}
        counted = dict(left_out.most_common())
        return result_of(self.folder, self.model.name, executed, judgments, conversations, counted)


def plan_judging(folder: Path | str, model: str, options: JudgeOptions) -> JudgingPlan | BenchmarkJudging:
    """Everything that can be settled before the first request. folder: a run directory, or one of `data import`.
    Where a judge of the benchmark's own spoke in a run, that one is asked again.

    Raises UsageError for another folder, and where nothing can be judged; DataError for what cannot be read.
    """
    own = benchmark_judging(Path(folder), model, options)
    return own or plan_for(Path(folder), recorded_in(Path(folder), options.judged.limit), model, options)


def plan_for(
    folder: Path, found: Iterable[Recorded | Unjudged], model: str, options: JudgeOptions, annotates: bool = False
) -> JudgingPlan:
    """The same for some conversations of a folder. annotates: see `JudgingManifest`."""
    conversations = list(found)
    recorded = {one.key: one for one in conversations if isinstance(one, Recorded)}
    unjudged = tuple(one for one in conversations if isinstance(one, Unjudged))
    if not recorded:
        why = f" ({unjudged[0].why})" if unjudged else ""
        raise UsageError(f"{folder}: no conversation that can be judged{why}")
    opening = ModelOpening(model, options.model_options())
    opened = opening.open()
    if is_on_this_machine(opened):
        opening = limited(opening)
        opened = opening.open()
    manifest = JudgingManifest(
        toolgauge=__version__,
        trajectory_version=TRAJECTORY_VERSION,
        judging=JUDGING_VERSION,
        models={JUDGE: model_record(opened)},
        sampling=options.sampling.recorded,
        annotates=annotates,
        conversations=len(recorded),
    )
    return JudgingPlan(folder, recorded, unjudged, opened, opening, manifest, annotates)


def carry_out_judging(
    plan: JudgingPlan | BenchmarkJudging, concurrency: int, **how: Unpack[ExecutionOptions]
) -> JudgingResult:
    """Ask what is missing, and write judgments.jsonl; lines of other judges stay. Raises DataError for a file of this
    name that is none."""
    read_judgments(plan.folder)  # raises before anything is paid for
    spec = plan.spec()
    return plan.result(spec, execute(spec, concurrency, **how))


def annotate_import(folder: Path, judged: Mapping[str, JudgedConversation]) -> ImportReport:
    """Put annotated sessions in the place of those that rules made; conversations that were not judged keep theirs.

    judged: by the ids of conversations. Returns what import.json says now. Raises UsageError without that, DataError,
    StoreError.
    """
    report = read_marker(folder / REPORT, ImportReport)
    if report is None:
        raise UsageError(f"{folder}: {REPORT} is missing; import the log again")
    sessions = {name: one.session for name, one in judged.items() if one.session is not None}
    tasks, weak = 0, Counter[str]()
    for path in (folder / name for name in (SESSIONS, *OTHERS.values())):
        if not path.exists():
            continue
        with replacing(path) as file:
            for _number, record in read_lines(path):
                kept = sessions.get(record["id"], record)
                file.write(msgspec.json.encode(kept) + b"\n")
                tasks += sum(len(kept.get(f"{language_prefix(one)}tasks", ())) for one in LANGUAGES)
                weak.update(str(one["code"]) for one in kept["origin"].get(WEAK, ()))
    with replacing(folder / SPLITS) as file:
        for _number, line in read_lines(folder / SPLITS):
            if line["conversation"] not in sessions:
                file.write(msgspec.json.encode(line) + b"\n")
        for name in sessions:
            file.writelines(msgspec.json.encode(split) + b"\n" for split in judged[name].splits)
    report = replace(report, tasks=tasks, weak=dict(sorted(weak.items())))
    write_whole(folder / REPORT, msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    return report
