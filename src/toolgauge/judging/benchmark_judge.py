"""A benchmark's own judge asked again over a recorded run, without asking the model again.

    recorded conversation -> the same conversation, with the recorded replies of everybody but the judge -> verdicts

FOLDER/judged/<model>-benchmark/   a run directory like any other, which `score`, `compare` and `report` read
FOLDER/judgments.jsonl             a line for each task that the judge was asked about
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.analysis.judgments import Judgment
from toolgauge.benchmarks.benchmark import EpisodeFactory, Sample
from toolgauge.benchmarks.manifest import Manifest, setup_of
from toolgauge.benchmarks.registry import blamed_on
from toolgauge.chat import Message, Reply, Request
from toolgauge.episode import Episode, Trajectory, requested
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.judging.options import JudgeOptions
from toolgauge.judging.result import JUDGE, JudgingResult, folder_of_judge, result_of
from toolgauge.models.model import Model, Sampling
from toolgauge.models.registry import ModelOpening, is_on_this_machine, limited
from toolgauge.results import open_run
from toolgauge.runs.corrections import CORRECTIONS
from toolgauge.runs.executors.executor import RunSpec
from toolgauge.runs.manifest import MANIFEST, model_record, read_content, read_manifest
from toolgauge.runs.roles import Role
from toolgauge.runs.run import ExecutionResult
from toolgauge.runs.scored import ScoredRun
from toolgauge.runs.scoring import result_files, score_run
from toolgauge.runs.store import read_trajectories
from toolgauge.runs.variants import VARIANT


def judged_again(episode: Episode, recorded: Trajectory) -> Episode:
    """The conversation once more: the judge is asked, everybody else says what is recorded.

    Raises ToolgaugeError where somebody is asked what the recording does not have: the conversation depends on more
    than the replies in it, or goes on otherwise after what the judge says now.
    """
    said: dict[str, Iterator[tuple[tuple[Message, ...], Reply]]] = {}
    for role in {step.role for step in recorded.steps}:
        pairs = [(messages, step.reply) for step, messages in requested(recorded.steps) if step.role == role]
        said[role] = iter(pairs)
    reply: Reply | None = None
    while True:
        try:
            request: Request = episode.send(reply)  # type: ignore[arg-type]
        except StopIteration as end:
            trajectory: Trajectory = end.value
            return trajectory
        if request.role == JUDGE:
            reply = yield request
            continue
        messages, reply = next(said.get(request.role, iter(())), ((), None))
        if reply is None or messages != request.messages:
            why = "something that is not recorded; the same replies must lead to the same conversation"
            raise ToolgaugeError(f"the {request.role} is asked {why}")


class RecordedEpisodes(Struct, frozen=True):
    """The episode of each sample. It holds data only, so that it can travel to other machines."""

    episodes: EpisodeFactory
    recorded: dict[str, Trajectory]

    def __call__(self, sample: Sample) -> Episode:
        return judged_again(self.episodes(sample), self.recorded[sample.key])

    @property
    def blocking(self) -> bool:
        return self.episodes.blocking


class BenchmarkJudging(Struct, frozen=True):
    """Which recorded conversations are judged again, and by whom."""

    run: ScoredRun
    recorded: dict[str, Trajectory]
    model: Model
    opening: ModelOpening

    @property
    def folder(self) -> Path:
        return self.run.folder

    def spec(self) -> RunSpec:
        """What `execute` runs."""
        run, manifest = self.run, self.run.manifest
        setup = setup_of(manifest, run.benchmark)
        corrections = manifest.corrections.sha256 if manifest.corrections else ""
        episodes = EpisodeFactory(run.benchmark, run.required_dataset(), setup, corrections)
        with blamed_on(run.benchmark):
            samples = [one for one in run.benchmark.samples(episodes.dataset, setup) if one.key in self.recorded]
        copied = ((CORRECTIONS, manifest.corrections), (VARIANT, manifest.variant))
        return RunSpec(
            samples,
            RecordedEpisodes(episodes, self.recorded),
            {JUDGE: self.model},
            folder_of_judge(self.folder, self.model.name, "-benchmark"),
            _manifest(manifest, self.model, self.opening.options.sampling),
            probed=(JUDGE,),
            openings={JUDGE: self.opening},
            results=result_files(run.benchmark),
            inputs={name: self.folder / name for name, record in copied if record},
        )

    def result(self, spec: RunSpec, executed: ExecutionResult) -> JudgingResult:
        """Score what was judged, and write the judgements beside the run."""
        score_run(spec.folder, None, self.run.required_dataset(), original=self.run.original)
        judged, judgments = open_run(spec.folder), []
        asked = {one.task_id for one in read_trajectories(spec.folder) if any(step.role == JUDGE for step in one.steps)}
        headline = judged.benchmark.headline
        for score in judged.scores:
            verdict = score.scorings.get(headline)
            if verdict is not None and score.task_id in asked & self.recorded.keys():
                wrong = "" if verdict.correct else verdict.detail or str(verdict.mistake)
                name = self.model.name
                judgments.append(Judgment(name, score.task_id, score.session_id, scoring=headline, verdict=wrong))
        return result_of(self.folder, self.model.name, executed, judgments, run=spec.folder)


def benchmark_judging(folder: Path, model: str, options: JudgeOptions) -> BenchmarkJudging | None:
    """How the benchmark's own judge is asked again; None where none spoke, or --general says so."""
    if options.judged.general or not (folder / MANIFEST).exists() or "benchmark" not in read_content(folder):
        return None
    manifest = read_manifest(folder)
    if not any(name.partition(":")[0] == JUDGE for name in manifest.roles):
        return None
    recorded = {one.task_id: one for one in islice(read_trajectories(folder), options.judged.limit)}
    if not recorded:
        raise UsageError(f"{folder}: no conversation is recorded; the command of the run asks again what is missing")
    if not any(step.role == JUDGE for one in recorded.values() for step in one.steps):
        raise UsageError(f"{folder}: its judge was asked nothing; --general has toolgauge's own questions asked")
    run = open_run(folder, options.judged.data)
    declared = getattr(run.benchmark, "roles", {}).get(JUDGE)
    given = msgspec.to_builtins(options.sampling.recorded)
    usual = {name: value for name, value in (declared.settings if declared else {}).items() if name not in given}
    plain = options.model_options()
    opening = ModelOpening(model, Role(settings=usual).reached(plain, plain.base_url))
    opened = opening.open()
    if is_on_this_machine(opened):
        opening = limited(opening)
        opened = opening.open()
    return BenchmarkJudging(run, recorded, opened, opening)


def _manifest(manifest: Manifest, judge: Model, sampling: Sampling) -> Manifest:
    """Of the run with another judge."""
    others = {name: one for name, one in (manifest.role_models or {}).items() if name.partition(":")[0] != JUDGE}
    judges = [one.name for name, one in (manifest.role_models or {}).items() if name not in others]
    settings = {name: one for name, one in (manifest.role_sampling or {}).items() if name != JUDGE}
    if sampling != Sampling():
        settings[JUDGE] = sampling.recorded
    return replace(
        manifest,
        role_models=others | {JUDGE: model_record(judge)},
        role_sampling=settings or UNSET,
        judged_again=", ".join(judges),
        changed=UNSET,
    )
