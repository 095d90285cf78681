"""From a run directory to scores.jsonl, metrics.json and details.csv.

Needs no model, gives the same bytes every time. One pass judges each conversation and counts its replies (`judge`);
tables and files follow from that (`derive`, `score_run`).

Numbers that were saved are read back only where the seal on them was made here, with a key in the user's cache, and
where everything they follow from is as it was. A run directory may be a stranger's, and a checksum in it can be made by
anybody. Without a seal numbers are made anew, which is always right and only slower.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec import UNSET, Struct, to_builtins
from msgspec.structs import replace

from toolgauge.analysis.effort import Meter
from toolgauge.analysis.floor import floor_of
from toolgauge.analysis.layout import layout_of, without_steps
from toolgauge.analysis.numbers import Floor, Metrics, encode_metrics
from toolgauge.analysis.replies import ReplyCounter
from toolgauge.analysis.reports import report_of
from toolgauge.benchmarks.benchmark import Benchmark, Data
from toolgauge.benchmarks.certificates import certificate_file, uncertified
from toolgauge.benchmarks.manifest import Manifest, setup_of
from toolgauge.benchmarks.registry import OURS, blamed_on, find_benchmark
from toolgauge.data.fetch import cache_folder
from toolgauge.data.lines import sha256_of
from toolgauge.episode import Stop, Trajectory
from toolgauge.errors import Tell, ToolgaugeError, warn
from toolgauge.files import (
    check_targets,
    clear_leftovers,
    digest,
    make_folders,
    only_one,
    read_own,
    require_apart,
    require_own_folder,
    write_whole,
)
from toolgauge.judge.verdict import RULES_VERSION, Score, not_judgeable
from toolgauge.models.model import AGENT
from toolgauge.models.prices import BATCH_PRICE_SHARE, priced_name
from toolgauge.models.registry import BUILTIN
from toolgauge.reasons import Blame
from toolgauge.runs.corrections import CORRECTIONS, Selection, Standing, dataset_of
from toolgauge.runs.lines import encode
from toolgauge.runs.manifest import MANIFEST, read_manifest
from toolgauge.runs.scored import DETAILS, METRICS, METRICS_VERSION, SCORES, read_failures
from toolgauge.runs.store import (
    FAILURES,
    RUN_FILES,
    TRAJECTORIES,
    Extent,
    RunStore,
    read_trajectories,
    recorded,
)
from toolgauge.runs.variants import VARIANT
from toolgauge.version import __version__, code_digest

IMPORTED = "imported"
"""The provider of result files, beside those of models."""
NO_SERVER = (BUILTIN, IMPORTED, AGENT)
"""Providers whose replies no server has parsed."""
SEAL, SEAL_KEY, SEAL_BYTES = "seal", "seal.key", 32


def score_all(benchmark: Benchmark, dataset: Data, trajectories: Iterable[Trajectory]) -> list[Score]:
    """The scores of every task that the trajectories hold, in the order of the data file, epoch by epoch."""
    return score_on(benchmark, [dataset], trajectories)[0]


def score_on(benchmark: Benchmark, data: Sequence[Data], trajectories: Iterable[Trajectory]) -> list[list[Score]]:
    """`score_all` on several versions of the data, in one pass over the trajectories."""
    with blamed_on(benchmark):
        orders = [benchmark.order(dataset) for dataset in data]
        placed: list[list[tuple[tuple[int, int, int], Score]]] = [[] for _ in data]
        for trajectory in trajectories:
            with blamed_on(benchmark, trajectory.task_id):
                for dataset, order, found in zip(data, orders, placed, strict=True):
                    for score in benchmark.scores(dataset, trajectory):
                        found.append(((trajectory.epoch, order[score.session_id], score.task_index), score))
    for found in placed:
        found.sort(key=lambda pair: pair[0])
    return [[score for _place, score in found] for found in placed]


class Judged(Struct, frozen=True):
    """What one pass over a run's trajectories gives. scores: on each version of the data; replies, meter: what was
    counted on the way."""

    scores: list[list[Score]]
    replies: ReplyCounter
    meter: Meter


def judge(
    manifest: Manifest, benchmark: Benchmark, data: Sequence[Data], conversations: Iterable[Trajectory]
) -> Judged:
    """Score a run's conversations on versions of its data, and count what their replies were like and took."""
    provider = manifest.measured.provider
    replies = ReplyCounter(told=provider == BUILTIN, agent=provider == AGENT)
    meter = Meter({role: priced_name(model.name, model.base_url or None) for role, model in manifest.roles.items()})
    if provider == IMPORTED:
        conversations = map(_as_recording, conversations)
    return Judged(score_on(benchmark, data, meter.watch(replies.watch(conversations))), replies, meter)


class Derived(Struct, frozen=True):
    """What follows from a run's trajectories: scores and tables as they are saved. extent: what was scored of the
    trajectories; left_out: their lines (from 1) that do not count, of a run on corrected data."""

    folder: Path
    extent: Extent
    scores: list[Score]
    replies: ReplyCounter
    metrics: Metrics = Metrics()
    left_out: frozenset[int] | None = None

    def trajectories(self) -> Iterator[Trajectory]:
        """Those that were scored, one at a time."""
        return read_trajectories(self.folder, self.extent.size, self.left_out)

    def score_lines(self) -> bytes:
        """The content of scores.jsonl."""
        return b"".join(encode(score) + b"\n" for score in self.scores)


def derive(
    folder: Path,
    manifest: Manifest,
    benchmark: Benchmark,
    dataset: Data,
    original: Data | None = None,
) -> Derived:
    """Score what stands in a run directory's trajectories now; nothing that was saved of an earlier scoring is read.

    original: the data without the run's corrections, if it has any. Raises ToolgaugeError where the trajectories
    cannot be read or are not of this data set.
    """
    extent, provider = recorded(folder), manifest.measured.provider
    if original is not None and manifest.corrections:
        unrecorded = original if provider == IMPORTED else None  # only then labels were recorded
        standing = Standing(benchmark, setup_of(manifest, benchmark), dataset, manifest.corrections.sha256, unrecorded)
        chosen = Selection(folder, extent.size, standing)
        judged = judge(manifest, benchmark, [dataset, original], chosen)
        scores, before = judged.scores
        derived = Derived(folder, extent, scores, judged.replies, left_out=frozenset(chosen.left_out))
        content = _metrics(manifest, benchmark, dataset, scores, derived.trajectories())
        without = _metrics(manifest, benchmark, original, before, derived.trajectories())
        content = replace(content, corrections=chosen.applied(manifest.corrections.count, content, without))
    else:
        recordings = read_trajectories(folder, extent.size)
        judged = judge(manifest, benchmark, [dataset], recordings)
        (scores,) = judged.scores
        derived = Derived(folder, extent, scores, judged.replies)
        content = _metrics(manifest, benchmark, dataset, scores, derived.trajectories())
    replies = judged.replies
    if manifest.batch:
        content = replace(content, effort=content.effort.at_price_share(BATCH_PRICE_SHARE))
    if provider == AGENT:
        content = without_steps(content, layout_of(benchmark.name))
    content = replace(
        content,
        version=METRICS_VERSION,
        headline=benchmark.headline,
        endings=replies.endings(),
        signs=replies.signs(scores) or UNSET,
        interface=UNSET if provider in NO_SERVER else replies.faults(),
        overflows=_overflows(folder, benchmark, dataset, manifest),
        not_judgeable=not_judgeable(scores) or UNSET,
        uncertified=_uncertified(manifest, benchmark, dataset) or UNSET,
        variant=manifest.variant.name if manifest.variant else UNSET,
        floor=_floor(benchmark, dataset, scores) or UNSET,
    )
    if others := judged.meter.roles():
        content = replace(content, effort=replace(content.effort, roles=others))
    if provider == IMPORTED and (agreement := benchmark.agreement(dataset, derived.trajectories())):
        content = replace(content, agreement=agreement)
    return replace(derived, metrics=content)


def _floor(benchmark: Benchmark, dataset: Data, scores: Sequence[Score]) -> Floor | None:
    """What silence scores; None of a benchmark of another package that does not say where any words are right."""
    if not hasattr(benchmark, "any_words_pass"):
        return None
    with blamed_on(benchmark):
        words: dict[str, bool] = {}
        for sample in benchmark.samples(dataset):
            passes = benchmark.any_words_pass(dataset, sample)
            if passes is None:
                return None
            words[sample.key] = passes
        return floor_of(report_of(benchmark), dataset, scores, benchmark.headline, words)


def _uncertified(manifest: Manifest, benchmark: Benchmark, dataset: Data) -> int:
    """How many of the requested tasks are not fit to measure anybody; none of mini's, which the tests certify. Other
    packages' worlds would be played several times for it: theirs are a matter of `data check`."""
    if benchmark.name not in OURS or dataset.file == str(benchmark.embedded):
        return 0
    kept = None if manifest.corrections else certificate_file(benchmark, dataset)
    return len(uncertified(benchmark, dataset, _requested(manifest, benchmark, dataset), kept))


def _requested(manifest: Manifest, benchmark: Benchmark, dataset: Data) -> list[str]:
    return list(benchmark.task_ids(dataset, benchmark.samples(dataset, setup_of(manifest, benchmark))))


def _metrics(
    manifest: Manifest, benchmark: Benchmark, dataset: Data, scores: Sequence[Score], said: Iterable[Trajectory]
) -> Metrics:
    with blamed_on(benchmark):
        requested = _requested(manifest, benchmark, dataset)
        priced = priced_name(manifest.measured.name, manifest.measured.base_url or None)
        content: Metrics = report_of(benchmark).metrics(benchmark.name, dataset, scores, requested, said, priced)
    return content


def _as_recording(trajectory: Trajectory) -> Trajectory:
    """Imports of earlier versions did not say of their trajectories that they are recordings."""
    return trajectory if trajectory.stopped else replace(trajectory, stopped=Stop.RECORDING)


def write_details(path: Path, manifest: Manifest, benchmark: Benchmark, dataset: Data, derived: Derived) -> None:
    """Write details.csv, and what the benchmark has beside it, into the folder of `path`."""
    with blamed_on(benchmark):
        report_of(benchmark).write_details(
            path, dataset, derived.scores, derived.trajectories(), manifest.measured.name
        )


def result_files(benchmark: Benchmark) -> tuple[str, ...]:
    """The files that scoring writes into a run directory; metrics.json, which vouches for the others, is the last."""
    with blamed_on(benchmark):
        return SCORES, DETAILS, *report_of(benchmark).sheets, METRICS


def score_run(
    folder: Path,
    data: Path | None,
    dataset: Data | None = None,
    tell: Tell = warn,
    original: Data | None = None,
    asked: bool = False,
) -> Metrics:
    """Score a run directory and write its files; returns what metrics.json holds then.

    data: where the data file is now, if it is not where the manifest says. tell: is told where another process is
    scoring the same folder, for whose end this one waits. While a run goes on, what it has finished so far is scored.
    asked: this command ran it, so run.json is told how calls came through. Raises UsageError if the data's content
    differs from what was run.
    """
    manifest = read_manifest(folder)
    benchmark = find_benchmark(str(manifest.benchmark))
    dataset = dataset or dataset_of(manifest, benchmark, folder, data)
    if manifest.corrections and original is None:
        original = dataset_of(replace(manifest, corrections=UNSET), benchmark, folder, data)
    check_targets(folder, result_files(benchmark))
    with only_one(folder, lambda: tell(f"{folder}: another process is scoring this run; waiting")):
        clear_leftovers(folder)
        derived = derive(folder, manifest, benchmark, dataset, original)
        if asked and manifest.measured.provider not in NO_SERVER:
            RunStore(folder).record(interface=to_builtins(derived.replies.interface()))
        write_whole(folder / SCORES, derived.score_lines())
        write_details(folder / DETAILS, manifest, benchmark, dataset, derived)
        made = {name: sha256_of(folder / name) for name in result_files(benchmark) if name != METRICS}
        sources = {**origin_of(folder, benchmark, dataset), TRAJECTORIES: derived.extent.sha256, **made}
        metrics = sealed(replace(derived.metrics, sources=sources), benchmark)
        write_whole(folder / METRICS, encode_metrics(metrics))
    return metrics


def check_place(out: Path, benchmark: Benchmark, inputs: Iterable[Path | str], overwrite: bool) -> None:
    """Raise UsageError where a run in `out` would overwrite what it reads, or where that is a folder of other files.

    inputs: files or folders. To be asked before anything is paid for.
    """
    require_apart([out, *(out / name for name in (*RUN_FILES, *result_files(benchmark)))], inputs)
    if out.is_dir():
        check_targets(out, (MANIFEST, *result_files(benchmark)))
        require_own_folder(out, (out / MANIFEST).exists(), overwrite)


def _overflows(folder: Path, benchmark: Benchmark, dataset: Data, manifest: Manifest) -> int:
    """How many tasks' conversations were longer than the endpoint's context when they were last asked."""
    keys = {failure.key for failure in read_failures(folder).values() if failure.blame is Blame.CONTEXT}
    if not keys:
        return 0
    with blamed_on(benchmark):
        samples = benchmark.samples(dataset, setup_of(manifest, benchmark))
        return len(benchmark.task_ids(dataset, [sample for sample in samples if sample.key in keys]))


def origin_of(folder: Path, benchmark: Benchmark, dataset: Data) -> dict[str, str]:
    """What the numbers of a run follow from beside its trajectories, by sha256, and the rules that made them.

    Raises StoreError where a file of the run cannot be read, or is a link.
    """
    beside = benchmark.files_beside(dataset) if hasattr(benchmark, "files_beside") else []
    found = {name: digest(folder / name) for name in (MANIFEST, FAILURES, CORRECTIONS, VARIANT)}
    files = {name: value for name, value in found.items() if value}
    tables = {"data_tables": sha256("".join(map(sha256_of, beside)).encode()).hexdigest()} if beside else {}
    made = {"toolgauge": __version__, "rules": str(RULES_VERSION), "code": code_digest()}
    return {**made, "data": dataset.sha256, **tables, **files}


def sealed(metrics: Metrics, benchmark: Benchmark) -> Metrics:
    """With a seal among its sources; without one where no key can be kept, or for a benchmark of another package,
    whose rules may change without a new version."""
    key = _key() if benchmark.name in OURS else None
    own = {name: found for name, found in (metrics.sources or {}).items() if name != SEAL}
    plain = replace(metrics, sources=own)
    if key is None:
        return plain
    return replace(plain, sources={**own, SEAL: hmac.digest(key, encode_metrics(plain), "sha256").hex()})


def is_sealed(metrics: Metrics, benchmark: Benchmark) -> bool:
    """Was its seal made here, of what it says now?"""
    there, due = ((found.sources or {}).get(SEAL, "") for found in (metrics, sealed(metrics, benchmark)))
    return bool(due) and hmac.compare_digest(there, due)


def _key() -> bytes | None:
    path = cache_folder() / SEAL_KEY
    with suppress(OSError, ToolgaugeError):
        if not path.exists():
            make_folders(path.parent)
            write_whole(path, os.urandom(SEAL_BYTES), mode=0o600)
        key = read_own(path)
        return key if len(key) == SEAL_BYTES else None
    return None
