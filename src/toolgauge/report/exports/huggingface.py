"""A folder that `datasets.load_dataset` reads and that can be pushed to Hugging Face's hub as it is."""

from __future__ import annotations

from pathlib import Path

from toolgauge.report.exports.data_card import PartSize, data_card, data_file
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.exports.folders import file_below, strict_line
from toolgauge.report.exports.hub_rows import CONFIGS

CARD = "README.md"


def write_hub_folder(wanted: ExportRequest, folder: Path) -> list[Path]:
    """Write the rows of every part, then the card that declares them; the files written."""
    written: list[Path] = []
    sizes: dict[str, PartSize] = {}
    for name, (_row, rows) in CONFIGS.items():
        with file_below(folder, data_file(name)) as (path, file):
            lengths = [file.write(strict_line(row)) for row in rows(wanted)]
        sizes[name] = PartSize(len(lengths), sum(lengths))
        written.append(path)
    with file_below(folder, CARD) as (path, file):
        for line in data_card(wanted, sizes):
            file.write(f"{line}\n".encode("utf-8", "replace"))
    return [path, *written]
