"""Evaluations by Inspect and runs of our own, brought to the same form."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import toolgauge
from toolgauge.analysis.numbers import Metrics
from toolgauge.integrations.source import SourceSpec

ROOT = Path(__file__).parent.parent.parent
ACE = ROOT / "tests" / "fixtures" / "acebench"
Labels = dict[str, dict[str, Any]]
"""Task -> scoring -> verdict."""


def evaluate(task: str, model: Any, folder: Path, **options: Any) -> Any:
    """The log of one evaluation, which went through to the end."""
    log = attempt(task, model, folder, **options)
    assert log.status == "success", log.error or [sample.error for sample in log.samples if sample.error]
    return log


def attempt(task: str, model: Any, folder: Path, **options: Any) -> Any:
    from inspect_ai import eval as inspect_eval

    arguments = options.pop("task_args", {})
    settings = {"log_dir": str(folder), "display": "none", "log_level": "error", "score_display": False}
    (log,) = inspect_eval(task, model=model, task_args=arguments, **settings, **options)
    return log


def labels_of(log: Any) -> Labels:
    """What our scorer says in a log."""
    found: Labels = {}
    for sample in log.samples:
        found |= sample.scores["labels"].metadata
    return plain(found)


def ours(benchmark: str, model: str, folder: Path, **options: Any) -> tuple[Labels, Metrics]:
    """The labels and metrics.json of a run of our own."""
    result = toolgauge.run(benchmark, model, out=folder, **options)
    assert result.outcome.failed == 0
    rows = map(json.loads, (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["task_id"]: row["scorings"] for row in rows}, result.metrics


def plain(labels: Labels) -> Labels:
    return json.loads(json.dumps(labels))  # type: ignore[no-any-return]


def metric(log: Any, scoring: str, name: str) -> float:
    (score,) = (score for score in log.results.scores if score.name == scoring)
    return float(score.metrics[f"toolgauge/{name}"].value)


def texts_of(folder: Path) -> bytes:
    """All bytes of all logs in a folder, taken out of their archives."""
    found = b""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            found += file.read_bytes()
            if zipfile.is_zipfile(file):
                with zipfile.ZipFile(file) as archive:
                    found += b"".join(archive.read(name) for name in archive.namelist())
    return found


def task_ids(benchmark: str, data: Path | None = None) -> list[str]:
    source = SourceSpec(str(data) if data else benchmark, "en", benchmark).open()
    return [sample.key for sample in source.benchmark.samples(source.dataset)]
