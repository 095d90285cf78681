"""Recorded texts read again by a dialect: by better rules, or as another family's.

The result is a run directory of its own; the one that is read stays as it is. A conversation went on as its replies
were read then. Where the new reading of one would have led to other requests, nobody knows what the model would have
said to them: such a conversation is left out, its tasks are missing, and `run` into that folder asks them.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.benchmark import Benchmark, Data, Sample
from toolgauge.benchmarks.manifest import Manifest, ReadAgain, setup_of
from toolgauge.benchmarks.registry import blamed_on, find_benchmark
from toolgauge.chat import Message, Reply, Tool
from toolgauge.episode import ASSISTANT, Step, Trajectory
from toolgauge.errors import Tell, UsageError, warn
from toolgauge.models.dialects.dialect import Dialect
from toolgauge.models.dialects.table import choose_dialect
from toolgauge.models.text_calls import recovered
from toolgauge.reasons import Blame
from toolgauge.runs.corrections import CORRECTIONS, dataset_of, replayed
from toolgauge.runs.manifest import MANIFEST, read_manifest
from toolgauge.runs.scored import files_of
from toolgauge.runs.scoring import check_place, result_files, score_run
from toolgauge.runs.store import Extent, Failure, RunStore, read_trajectories, recorded
from toolgauge.runs.variants import VARIANT


class Counts(Struct):
    """replies: that have a text; different: of them, those that are read differently now; untold: replies with calls
    whose text was not recorded; otherwise: conversations that would have gone on otherwise."""

    replies: int = 0
    different: int = 0
    untold: int = 0
    otherwise: int = 0


def reread_run(
    folder: Path,
    dialect: str,
    out: Path | str | None,
    data: Path | str | None = None,
    corrected: bool = False,
    overwrite: bool = False,
    tell: Tell = warn,
) -> Metrics:
    """Read the texts of a run again into the new run directory `out`, and score it.

    data: where the data file is now, if it is not where the manifest says; corrected: other corrections of the data
    were asked for, which is another thing. tell: is told what is read differently. Raises UsageError for an unknown
    dialect, no folder or one that holds a run already, and a run without such texts.
    """
    if out is None or corrected:
        raise UsageError("--dialect needs --out and cannot be combined with --corrections")
    out, data = Path(out), Path(data) if data else None
    manifest, extent = read_manifest(folder), recorded(folder)
    chosen = choose_dialect(dialect, manifest.measured.name)
    benchmark = find_benchmark(str(manifest.benchmark))
    if (out / MANIFEST).exists():
        raise UsageError(f"{out} already holds a run; choose another folder with --out")
    dataset = dataset_of(manifest, benchmark, folder, data)
    copied = ((CORRECTIONS, manifest.corrections), (VARIANT, manifest.variant))
    inputs: dict[str, Path | bytes] = {name: folder / name for name, record in copied if record}
    check_place(out, benchmark, [*files_of(folder), dataset.file], overwrite)
    plain = replace(manifest, corrections=UNSET)
    original = dataset_of(plain, benchmark, folder, data) if manifest.corrections else dataset
    reader = Reader(benchmark, manifest, chosen, original, dataset)
    store, whole = RunStore(out, inputs=inputs).open(_renamed(manifest, chosen, extent), result_files(benchmark)), False
    try:
        for trajectory in read_trajectories(folder, extent.size):
            if reread := reader.read(trajectory):
                store.add_trajectory(reread)
            else:
                why = f"with the dialect {chosen.name}, the conversation would have continued differently"
                store.add_failure(Failure(trajectory.task_id, trajectory.session_id, Blame.HARNESS, why))
        if not reader.counts.replies:
            raise UsageError(f"{folder}: no recorded reply texts to parse calls from")
        whole = True
    finally:
        if whole:
            store.close(complete=True)
        else:
            store.discard()
    _tell(reader.counts, tell)
    return score_run(out, data, None, tell)


def _renamed(manifest: Manifest, dialect: Dialect, extent: Extent) -> Manifest:
    """The manifest of the run that is made of another."""
    model = manifest.measured
    before = model.more.get("dialect")
    return replace(
        manifest,
        model=replace(model, more={**model.more, "dialect": dialect.name}),
        read_again=ReadAgain(extent.sha256, before if isinstance(before, str) else ""),
    )


class Reader:
    """Reads the conversations of a run again, and counts. original, corrected: the data set without and with the run's
    corrections."""

    def __init__(
        self, benchmark: Benchmark, manifest: Manifest, dialect: Dialect, original: Data, corrected: Data
    ) -> None:
        self.benchmark, self.dialect, self.original, self.corrected = benchmark, dialect, original, corrected
        self.setup = setup_of(manifest, benchmark)
        self.counts = Counts()
        every = replace(self.setup, ids=(), limit=None)
        with blamed_on(benchmark):
            self.samples: dict[str, Sample] = {sample.key: sample for sample in benchmark.samples(original, every)}

    def read(self, trajectory: Trajectory) -> Trajectory | None:
        """The conversation with its replies as they are read now; None where it would have gone on otherwise."""
        sample = self.samples.get(trajectory.task_id)
        if sample is None:
            return trajectory
        data = self.corrected if trajectory.corrections else self.original
        with blamed_on(self.benchmark):
            before, ended = replayed(self.benchmark.episode(data, sample, self.setup), trajectory)
            steps = [self._step(step, *asked) for step, asked in zip(trajectory.steps, before, strict=False)]
            again = replace(trajectory, steps=tuple(steps))
            now, made = replayed(self.benchmark.episode(data, sample, self.setup), again)
        if now == before[: len(now)] and (made is not None or ended is None):
            return again if made is None else replace(made, corrections=trajectory.corrections)
        self.counts.otherwise += 1
        return None

    def _step(self, step: Step, _role: str, messages: tuple[Message, ...], tools: tuple[Tool, ...]) -> Step:
        """A step with its reply read again, as a reply to these messages."""
        earlier = sum(len(message.tool_calls) for message in messages)
        if step.role != ASSISTANT or not (tools or earlier):
            return step
        reply = step.reply
        new_reply = recovered(reply, self.dialect, tools, earlier)
        if new_reply is None:
            self.counts.untold += bool(reply.tool_calls)
            return step
        self.counts.replies += 1
        self.counts.different += _read(new_reply) != _read(reply)
        return replace(step, reply=new_reply)


def _read(reply: Reply) -> tuple[str | None, list[tuple[object, object]], bool]:
    return reply.content, [(call.name, call.arguments) for call in reply.tool_calls], reply.problem is None


def _tell(counts: Counts, tell: Tell) -> None:
    tell(f"parsed differently: {counts.different:,} of {counts.replies:,} replies")
    if counts.untold:
        tell(f"kept as they are, because their text was not recorded: {counts.untold:,} replies with calls")
    if counts.otherwise:
        tell(
            f"left out, because they would have continued differently: {counts.otherwise:,} conversations; the same "
            "run with this --out asks them"
        )
