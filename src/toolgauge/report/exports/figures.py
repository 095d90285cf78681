"""The main figures of runs as SVG, without a browser."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from toolgauge.errors import MissingExtra
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.exports.folders import file_below
from toolgauge.runs.names import slug


def write_figures(wanted: ExportRequest, folder: Path) -> list[Path]:
    """Write `<figure>.svg` into a folder, for several runs into a folder of each; the files written."""
    if find_spec("vl_convert") is None:
        raise MissingExtra("--to figures", "vl-convert", "figures")
    import vl_convert

    from toolgauge.report.figures.catalogue import main_figures

    written: list[Path] = []
    for entry in wanted.entries:
        around = f"{slug(entry.slug)}/" if len(wanted.entries) > 1 else ""
        specs = main_figures(entry.run.metrics, wanted.scoring_of(entry), wanted.language)
        for name, spec in specs.items():
            drawing = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])  # nothing in it may be fetched
            with file_below(folder, f"{around}{slug(name)}.svg") as (path, file):
                file.write(drawing.encode("utf-8", "replace"))
            written.append(path)
    return written
