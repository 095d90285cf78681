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

from toolgauge.analysis.judgments import JUDGMENTS, Judgment, read_judgments
from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.manifest import Asked, ModelRecord
from toolgauge.data.lines import LANGUAGES, read_lines
from toolgauge.data.sessions import language_prefix
from toolgauge.data.weaknesses import WEAK
from toolgauge.episode import TRAJECTORY_VERSION, Episode
from toolgauge.errors import StoreError, UsageError, os_cause
from toolgauge.files import folder_below, read_marker, replacing, slug, write_whole
from toolgauge.judging.conversations import Recorded, Unjudged, recorded_in
from toolgauge.judging.episode import JudgedConversation, judging_episode
from toolgauge.judging.options import JudgeOptions
from toolgauge.logs.importing import OTHERS, REPORT, SESSIONS, SPLITS, ImportReport
from toolgauge.models.model import Model, Sampling
from toolgauge.models.registry import ModelOpening, is_on_this_machine, limited
from toolgauge.runs.budget import Spent
from toolgauge.runs.executors.executor import ExecutionOptions, RunOutcome, RunSpec
from toolgauge.runs.lines import encode
from toolgauge.runs.manifest import model_record
from toolgauge.runs.run import execute
from toolgauge.runs.store import read_trajectories
from toolgauge.version import __version__

JUDGED = "judged"
"""The folder of all judges in a folder of conversations."""
JUDGING_VERSION = 2
"""Of the prompts: what was judged by others is not continued."""
ANNOTATING = "-annotating"
"""Behind the name of a judge's folder where it was asked more."""
ROLE = "judge"


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
    return ROLE


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
        name = slug(self.model.name) + (ANNOTATING if self.annotates else "")
        try:
            place = folder_below(self.folder, f"{JUDGED}/{name}")
        except OSError as error:
            raise StoreError(f"cannot write in {self.folder}: {os_cause(error)}") from error
        return RunSpec(
            self.samples,
            Judgings(self.recorded, self.model.name, self.annotates),
            {ROLE: self.model},
            place,
            self.manifest,
            judge_speaks,
            (ROLE,),
            {ROLE: self.opening},
        )


class JudgingResult(Struct, frozen=True):
    """What came of it. judgments: of this judge, of the conversations that were asked for; conversations: what was
    said of each; left_out: why conversations, or parts of them, have none, and how many."""

    folder: Path
    judge: str
    outcome: RunOutcome
    judgments: list[Judgment]
    conversations: dict[str, JudgedConversation]
    left_out: dict[str, int]
    notes: tuple[str, ...] = ()
    tokens: int = 0
    cost: float | None = None
    earlier: Spent = Spent()


def plan_judging(folder: Path | str, model: str, options: JudgeOptions) -> JudgingPlan:
    """Everything that can be settled before the first request. folder: a run directory, or one of `data import`.

    Raises UsageError for another folder, and where nothing can be judged; DataError for what cannot be read.
    """
    return plan_for(Path(folder), recorded_in(Path(folder), options.judged.limit), model, options)


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
        models={ROLE: model_record(opened)},
        sampling=options.sampling.recorded,
        annotates=annotates,
        conversations=len(recorded),
    )
    return JudgingPlan(folder, recorded, unjudged, opened, opening, manifest, annotates)


def carry_out_judging(plan: JudgingPlan, concurrency: int, **how: Unpack[ExecutionOptions]) -> JudgingResult:
    """Ask what is missing, and write judgments.jsonl; lines of other judges stay. Raises DataError for a file of this
    name that is none."""
    others = [one for one in read_judgments(plan.folder) if one.judge != plan.model.name]
    spec = plan.spec()
    executed = execute(spec, concurrency, **how)
    said = {
        one.task_id: msgspec.convert(one.extra, JudgedConversation)
        for one in read_trajectories(spec.folder)
        if one.task_id in plan.recorded
    }
    judgments = [judgment for key in plan.recorded if key in said for judgment in said[key].judgments]
    write_whole(plan.folder / JUDGMENTS, b"".join(encode(one) + b"\n" for one in [*others, *judgments]))
    left_out = Counter(one.why for one in plan.unjudged)
    left_out.update(one.left_out for one in said.values() if one.left_out)
    return JudgingResult(
        plan.folder,
        plan.model.name,
        executed.outcome,
        judgments,
        {plan.recorded[key].conversation.id: one for key, one in said.items()},
        dict(left_out.most_common()),
        executed.notes,
        executed.spent.tokens,
        executed.spent.cost,
        executed.earlier,
    )


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
