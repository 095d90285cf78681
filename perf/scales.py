"""What a process weighs while conversations end."""

from __future__ import annotations

import resource
from pathlib import Path

from toolgauge.runs.executors.executor import ProgressListener


class Scales(ProgressListener):
    """Weighs the process at every quarter. resident: megabytes."""

    def __init__(self, total: int) -> None:
        self.quarter, self.ends = total // 4, 0
        self.resident: list[float] = []

    def ended(self, *_: object) -> None:
        self.ends += 1
        if self.ends % self.quarter == 0:
            self.resident.append(resident_megabytes())


def resident_megabytes(process: int | str = "self") -> float:
    """Memory of a process now, this one or that of a number (Linux; 0 elsewhere)."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 2**20
