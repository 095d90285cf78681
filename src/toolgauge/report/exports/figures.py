"""The main figures of runs as PNG and SVG, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from toolgauge.errors import MissingExtra
from toolgauge.locale import joined, named_field
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.exports.folders import file_below
from toolgauge.report.vega import Spec
from toolgauge.runs.names import slug

SCALE = 2.0
"""Pixels of a PNG per unit of the chart."""


def write_figures(wanted: ExportRequest, folder: Path) -> list[Path]:
    """Write `<figure>.png` and `.svg` into a folder, for several runs into a folder of each; the files written."""
    if find_spec("vl_convert") is None:
        raise MissingExtra(joined([named_field("to"), "figures"], " "), "vl-convert", "figures")
    from toolgauge.report.figures.catalogue import main_figures

    written: list[Path] = []
    for entry in wanted.entries:
        around = f"{slug(entry.slug)}/" if len(wanted.entries) > 1 else ""
        specs = main_figures(entry.run.metrics, wanted.reading_of(entry), wanted.language)
        for name, spec in specs.items():
            for suffix, content in _drawn(spec):
                with file_below(folder, f"{around}{slug(name)}.{suffix}") as (path, file):
                    file.write(content)
                written.append(path)
    return written


def _drawn(spec: Spec) -> Iterator[tuple[str, bytes]]:
    """A specification as pictures; nothing in it may be fetched from anywhere."""
    import vl_convert

    yield "png", vl_convert.vegalite_to_png(spec, scale=SCALE, allowed_base_urls=[])
    yield "svg", vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]).encode("utf-8", "replace")
