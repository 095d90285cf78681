"""Evaluation results as Hugging Face's hub reads them from a model's repository: `.eval_results/*.yaml`.

A list with one result, the benchmark's main number: which data set on the hub it is of, the value, where its evidence
lies, and how it was measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from toolgauge.analysis.glossary import scoring_name
from toolgauge.analysis.numbers import Rate
from toolgauge.analysis.sections import sections
from toolgauge.analysis.told_apart import asked_of
from toolgauge.errors import UsageError
from toolgauge.locale import _
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.page import RunEntry
from toolgauge.visible import visible

_HUB_NAME = re.compile(r"[\w.-]+", re.ASCII)
"""Of an organisation on the hub; a publisher who has none there is only named in other formats."""


def eval_results(wanted: ExportRequest) -> Iterator[str]:
    """The lines of the file. Raises UsageError where the data set is not named, for runs of several models, and where
    nothing is scored."""
    if not wanted.publication.hub_dataset:
        raise UsageError(
            _("{to_field} eval-results: name the benchmark's data set on the hub: {hub_dataset_field} OWNER/NAME:TASK")
        )
    if len({entry.run.model for entry in wanted.entries}) > 1:
        raise UsageError(
            _("{to_field} eval-results: the file goes into a model's repository; name runs of one model alone")
        )
    found = [_result(wanted, entry) for entry in wanted.entries]
    yield yaml.safe_dump(found, allow_unicode=True, sort_keys=False, width=1000).rstrip("\n")


def _result(wanted: ExportRequest, entry: RunEntry) -> dict[str, object]:
    reading, publication = wanted.reading_of(entry), wanted.publication
    name, _colon, task = publication.hub_dataset.partition(":")
    heading, rate = _main(wanted, entry)
    told = [f"{field} {text}" for field, text in asked_of(entry.run).items() if field != "scorings"]
    scored = f"{entry.run.metrics.scored} of {entry.run.metrics.requested} tasks scored"
    notes = [f"{heading}; scoring: {scoring_name(reading)}", _interval(rate), scored, *told]
    result: dict[str, object] = {
        "dataset": {"id": name, "task_id": task or entry.board},
        "value": round(100 * (rate.value or 0.0), 2),
    }
    if entry.run.manifest.started:
        result["date"] = entry.run.manifest.started
    if publication.evidence:
        by = {"org": publication.publisher} if _HUB_NAME.fullmatch(publication.publisher) else {}
        result["source"] = {"url": publication.evidence, "name": "toolgauge run", **by}
    result["notes"] = visible("; ".join(note for note in notes if note))
    return result


def _main(wanted: ExportRequest, entry: RunEntry) -> tuple[str, Rate]:
    tables = wanted.tables(entry)
    shown = sections(entry.run.metrics, wanted.reading_of(entry), "en") if tables else []
    if shown:
        table, row, heading = shown[0].rows[0]
        rate = tables.get(table, {}).get(row)
        if rate is not None and rate.value is not None:
            return heading, rate
    raise UsageError(_("{folder}: no task has a score in this scoring", folder=entry.run.folder))


def _interval(rate: Rate) -> str:
    if rate.ci95 is None:
        return ""
    low, high = rate.ci95
    return f"95% interval {100 * low:.1f} to {100 * high:.1f}"
