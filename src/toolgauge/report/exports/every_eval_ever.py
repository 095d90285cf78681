"""Runs as records of Every Eval Ever's data store.

    data/<benchmark>-<language>/<developer>/<model>/<uuid>.json            the rates, and how they came about
    data/<benchmark>-<language>/<developer>/<model>/<uuid>_samples.jsonl   the tasks: what was said, right or wrong

The names follow from the run and the reading, so that writing it again replaces it. What nobody recorded is "unknown",
as the schema has it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from toolgauge.analysis.sections import sections
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.files import digest
from toolgauge.models.model import Sampling
from toolgauge.report.exports.conversations import judged
from toolgauge.report.exports.eee_records import (
    SCHEMA_VERSION,
    UNKNOWN,
    ConfidenceInterval,
    EvaluatedSample,
    GenerationArgs,
    GenerationConfig,
    InferenceEngine,
    Library,
    MetricConfig,
    ModelInfo,
    Record,
    Result,
    SamplesFile,
    ScoreDetails,
    SourceData,
    SourceMetadata,
    Uncertainty,
    texts,
)
from toolgauge.report.exports.eee_samples import sample
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.exports.folders import file_below, strict_line
from toolgauge.report.page import RunEntry
from toolgauge.runs.names import slug
from toolgauge.runs.store import TRAJECTORIES
from toolgauge.version import __version__

METHOD = "score interval, clustered by session"


class RecordName(NamedTuple):
    """What a record is called by. place: its path without endings. rows: table, row and heading of each result, the
    main one first."""

    evaluation_id: str
    model_id: str
    place: str
    rows: tuple[tuple[str, str, str], ...]

    def result_id(self, table: str, row: str) -> str:
        return f"{self.evaluation_id}/{table}.{row}"


def write_eee_folder(wanted: ExportRequest, folder: Path) -> list[Path]:
    """Write the two files of every run; the files written. A run without a scored task has no record."""
    written: list[Path] = []
    names = _names(wanted)
    for entry in wanted.entries:
        named = names[entry.slug]
        if not named.rows:
            continue
        name, count, checksum = f"{named.place}_samples.jsonl", 0, hashlib.sha256()
        with file_below(folder, name) as (path, file):
            for line in map(strict_line, _samples(wanted, entry, named)):
                file.write(line)
                checksum.update(line)
                count += 1
        written.append(path)
        samples = SamplesFile(file_path=name, checksum=checksum.hexdigest(), total_rows=count)
        with file_below(folder, f"{named.place}.json") as (path, file):
            file.write(strict_line(_record(wanted, entry, named, samples)))
        written.append(path)
    return written


def _names(wanted: ExportRequest) -> dict[str, RecordName]:
    """By the slugs of the runs. Runs with the same replies may have begun in the same second: the name of each but the
    first, by their slugs, follows from the slug too."""
    told: set[str] = set()
    names = {}
    for entry in sorted(wanted.entries, key=lambda one: one.slug):
        about = _told(wanted, entry)
        names[entry.slug] = _named(wanted, entry, f"{about} {entry.slug}" if about in told else about)
        told.add(about)
    return names


def _told(wanted: ExportRequest, entry: RunEntry) -> str:
    """What the name of a run's record follows from."""
    manifest, said = entry.run.manifest, digest(entry.run.folder / TRAJECTORIES) or ""
    about = (said, manifest.asked_identity, wanted.reading_of(entry), _model_id(manifest), manifest.started or "")
    return " ".join(map(str, about)).rstrip()


def _model_id(manifest: Manifest) -> str:
    measured = manifest.measured
    model = measured.model or measured.name or UNKNOWN
    return model if "/" in model else f"{measured.provider or UNKNOWN}/{model}"


def _named(wanted: ExportRequest, entry: RunEntry, told: str) -> RecordName:
    """told: what the name follows from."""
    reading, model_id = wanted.reading_of(entry), _model_id(entry.run.manifest)
    identity = hashlib.sha256(told.encode("utf-8", "replace")).digest()
    developer, _slash, rest = model_id.partition("/")
    folders = ["data", *map(_component, (entry.board, developer, rest))]
    tables = wanted.tables(entry)
    shown = sections(entry.run.metrics, reading, "en") if tables else []
    rows = [(table, row, heading) for table, row, heading in shown[0].rows if table in tables] if shown else []
    return RecordName(
        f"{entry.board}/{model_id}/{reading}-{identity.hex()[:12]}",
        model_id,
        "/".join([*folders, str(UUID(bytes=identity[:16], version=4))]),
        tuple(one for one in rows if one[1] in tables[one[0]] and tables[one[0]][one[1]].value is not None),
    )


def _component(text: str) -> str:
    """A folder of the data store; "data" is reserved there."""
    made = slug(text)
    return f"{made}_" if made.lower() == "data" else made


def _record(wanted: ExportRequest, entry: RunEntry, named: RecordName, samples: SamplesFile) -> Record:
    manifest = entry.run.manifest
    return Record(
        evaluation_id=named.evaluation_id,
        retrieved_timestamp=str(int(time.time())),
        evaluation_timestamp=manifest.started or None,
        source_metadata=SourceMetadata(
            source_name="toolgauge",
            source_type="evaluation_run",
            source_organization_name=wanted.publication.publisher or UNKNOWN,
            evaluator_relationship="other",
            additional_details=texts(evidence=wanted.publication.evidence),
        ),
        eval_library=Library("toolgauge", manifest.toolgauge or __version__),
        model_info=_model(manifest, entry.run.model, named.model_id),
        evaluation_results=tuple(_result(wanted, entry, named, row) for row in named.rows),
        detailed_evaluation_results=samples,
        schema_version=SCHEMA_VERSION,
    )


def _model(manifest: Manifest, name: str, model_id: str) -> ModelInfo:
    engine = manifest.server.engine if manifest.server else ""
    details = texts(
        deployment_type="self_deployed" if engine else UNKNOWN,
        model_availability=UNKNOWN,
        dialect=manifest.measured.more.get("dialect"),
    )
    return ModelInfo(
        name=name,
        id=model_id,
        developer=model_id.partition("/")[0],
        inference_platform=manifest.measured.provider or UNKNOWN,
        additional_details=details,
        inference_engine=InferenceEngine(engine) if engine else None,
    )


def _result(wanted: ExportRequest, entry: RunEntry, named: RecordName, place: tuple[str, str, str]) -> Result:
    table, row, heading = place
    reading, rate = wanted.reading_of(entry), wanted.tables(entry)[table][row]
    interval = ConfidenceInterval(*rate.ci95, 0.95, METHOD) if rate.ci95 else None
    return Result(
        named.result_id(table, row),
        _evaluation_name(entry, table, row),
        _source_data(wanted, entry),
        MetricConfig(
            evaluation_description=heading.removeprefix("· "),
            metric_id="accuracy" if place == named.rows[0] else f"toolgauge.{entry.benchmark}.{table}.{row}",
            metric_name="accuracy" if place == named.rows[0] else row,
            additional_details=texts(scoring=reading),
        ),
        ScoreDetails(
            rate.value or 0.0,
            texts(correct=rate.correct, total=rate.total, missing=rate.missing),
            Uncertainty(rate.total, interval),
        ),
        _generation(entry.run.manifest),
    )


def _evaluation_name(entry: RunEntry, table: str, row: str) -> str:
    return f"{entry.benchmark}.{entry.language}.{table}.{row}"


def _generation(manifest: Manifest) -> GenerationConfig:
    drawn = manifest.sampling or Sampling()
    others = {"epochs": manifest.epochs or 1, "reasoning_effort": drawn.reasoning_effort, **manifest.more}
    return GenerationConfig(GenerationArgs(drawn.temperature, drawn.top_p, drawn.max_tokens), texts(**others))


def _source_data(wanted: ExportRequest, entry: RunEntry) -> SourceData:
    """Where the data are to be had: on the hub, if somebody said where; else in the repository they were fetched of."""
    manifest, benchmark = entry.run.manifest, entry.run.benchmark
    public = next((one for one in benchmark.sources if one.name == benchmark.source), None)
    address: tuple[str, ...] = ()
    if public is not None and manifest.data_file and not wanted.publication.hub_dataset:
        address = (f"https://github.com/{public.repository}/tree/{public.commit}",)
    hub = wanted.publication.hub_dataset.partition(":")[0] or None
    return SourceData(
        dataset_name=manifest.data.name or entry.benchmark,
        source_type="hf_dataset" if hub else "url" if address else "other",
        additional_details=texts(sha256=manifest.data.sha256, language=entry.language),
        url=address,
        hf_repo=hub,
    )


def _samples(wanted: ExportRequest, entry: RunEntry, named: RecordName) -> Iterator[EvaluatedSample]:
    """A line per scored task; they belong to the first result, the benchmark's main number."""
    reading = wanted.reading_of(entry)
    table, row, _heading = named.rows[0]
    evaluation = (
        named.evaluation_id,
        named.model_id,
        _evaluation_name(entry, table, row),
        named.result_id(table, row),
    )
    for trajectory, scores in judged(entry.run):
        for score in scores:
            if reading in score.readings:
                yield sample(trajectory, score, reading, evaluation)
