"""The figures of runs as SVG files."""

from __future__ import annotations

from pathlib import Path

from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.exports.folders import file_below
from toolgauge.report.figures import figure_files
from toolgauge.runs.names import slug


def write_figures(wanted: ExportRequest, folder: Path) -> list[Path]:
    """Write `<figure>.svg` into a folder, for several runs into a folder of each; the files written."""
    written: list[Path] = []
    for entry in wanted.entries:
        around = f"{slug(entry.slug)}/" if len(wanted.entries) > 1 else ""
        for name, drawing in figure_files(entry.run.metrics, wanted.scoring_of(entry), wanted.language).items():
            with file_below(folder, f"{around}{slug(name)}.svg") as (path, file):
                file.write(drawing.encode())
            written.append(path)
    return written
