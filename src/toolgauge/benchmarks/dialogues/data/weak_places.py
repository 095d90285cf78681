"""What is weak in sessions that were made of a log and not reviewed yet, each with its place in the file."""

from __future__ import annotations

from pathlib import Path

from toolgauge.benchmarks.dialogues.data import wildtoolbench
from toolgauge.data.lines import numbered_lines, parse_line
from toolgauge.data.load import LANGUAGES
from toolgauge.data.problems import MAX_PROBLEMS, Problem
from toolgauge.data.record import DataLine
from toolgauge.data.weaknesses import UNREVIEWED, Weakness, standing
from toolgauge.errors import DataError

_MARK = f'"{UNREVIEWED}"'.encode()


def weak_places(path: Path | str, language: str | None = None) -> list[Problem]:
    """At most MAX_PROBLEMS; what cannot be read is left to the check. Raises DataError where the file cannot be."""
    found: list[Problem] = []
    for number, text in numbered_lines(path):
        if _MARK not in text:
            continue
        try:
            record = DataLine(path, number, parse_line(text, path, number), problems=[])
        except DataError:
            continue
        for side in (language,) if language else LANGUAGES:
            session = (
                wildtoolbench.read_session(record, side) if wildtoolbench.has_language(record.value, side) else None
            )
            for weak in standing(session) if session else ():
                place = _place(weak, wildtoolbench.language_prefix(side))
                found.append(Problem(str(path), weak.text, number, place))
                if len(found) >= MAX_PROBLEMS:
                    return found
    return found


def _place(weak: Weakness, prefix: str) -> str | None:
    """The field of the record that it is about."""
    if weak.task is None:
        return None
    call = "" if weak.call is None else f"[{weak.call}]"
    return f"{prefix}answer_list[{weak.task}]{call}"
