"""The files of a generation, made from its trajectories in the slots' order: the same bytes whatever came first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from toolgauge.analysis.files import written_whole
from toolgauge.chat import Json
from toolgauge.data.session import Session
from toolgauge.data.training.openai import openai_line
from toolgauge.data.training.sharegpt import sharegpt_line
from toolgauge.episode import Trajectory
from toolgauge.errors import StoreError
from toolgauge.generation.dialogue import Dialogue
from toolgauge.generation.formats.captures import captures
from toolgauge.generation.formats.coverage import MISSING, PRODUCED, REJECTED, Coverage
from toolgauge.generation.formats.markdown import markdown
from toolgauge.generation.formats.raw import raw_record
from toolgauge.generation.formats.sessions import session_record
from toolgauge.generation.formats.shelf import Shelf
from toolgauge.generation.formats.simplified import simplified
from toolgauge.generation.formats.training import conversation_of
from toolgauge.generation.graph import annotate
from toolgauge.generation.reviewed import session_of
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.runs.budget import Pricing
from toolgauge.runs.lines import encode
from toolgauge.runs.store import Casting, write_whole

COVERAGE = "coverage.json"
REJECTED_FILE = "rejected.jsonl"


class Produced(Struct, frozen=True):
    """An accepted dialogue with what its lines are made from."""

    trajectory: Trajectory
    dialogue: Dialogue
    session: Session


def _raw(one: Produced) -> Iterator[Json]:
    yield raw_record(one.dialogue)


def _simplified(one: Produced) -> Iterator[Json]:
    yield simplified(raw_record(one.dialogue))


def _captures(one: Produced) -> Iterator[Json]:
    yield from captures(one.trajectory, one.dialogue)


def _sessions(one: Produced) -> Iterator[Json]:
    yield session_record(one.session, one.dialogue)


def _openai(one: Produced) -> Iterator[Json]:
    if (line := openai_line(conversation_of(one.dialogue))) is not None:
        yield line


def _sharegpt(one: Produced) -> Iterator[Json]:
    if (line := sharegpt_line(conversation_of(one.dialogue))) is not None:
        yield line


LINES: dict[str, Callable[[Produced], Iterable[Json]]] = {
    "raw.jsonl": _raw,
    "simplified.jsonl": _simplified,
    "captures.jsonl": _captures,
    "sessions.jsonl": _sessions,
    "openai.jsonl": _openai,
    "sharegpt.jsonl": _sharegpt,
}
"""File -> the lines that an accepted dialogue has in it."""
MARKDOWN = "dialogues.md"


def write_files(folder: Path, slots: Sequence[Slot], setup: GenerationSetup, casting: Casting, price: Pricing) -> Json:
    """Write all files anew and return the content of coverage.json; one dialogue is in memory at a time.

    Raises StoreError where the trajectories cannot be read or a file cannot be written.
    """
    coverage = Coverage(casting, price)
    try:
        with Shelf(folder) as shelf, ExitStack() as stack:
            files: dict[str, BinaryIO] = {
                name: stack.enter_context(stack.enter_context(written_whole(folder / name)).open("wb"))
                for name in (*LINES, MARKDOWN, REJECTED_FILE)
            }
            for slot in slots:
                _write_slot(slot, shelf.read(slot.key), files, coverage)
    except OSError as error:
        raise StoreError(f"{error.filename or folder}: {error.strerror or error}; choose another --out") from error
    content = coverage.wire(setup.language, {})
    write_whole(folder / COVERAGE, json.dumps(content, indent=2, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    return content


def _write_slot(slot: Slot, trajectory: Trajectory | None, files: dict[str, BinaryIO], coverage: Coverage) -> None:
    if trajectory is None:
        coverage.add(slot, None, MISSING)
        return
    for line in _rejections(slot, trajectory):
        files[REJECTED_FILE].write(encode(line) + b"\n")
    if not trajectory.extra.get("accepted"):
        coverage.add(slot, trajectory, REJECTED)
        return
    dialogue = msgspec.convert(trajectory.extra["dialogue"], Dialogue)
    given = session_of(slot.opening, dialogue.language) if slot.opening is not None else None
    produced = Produced(trajectory, dialogue, annotate(dialogue, given))
    for name, lines in LINES.items():
        for line in lines(produced):
            files[name].write(encode(line) + b"\n")
    for text in markdown(dialogue):
        files[MARKDOWN].write(text.encode("utf-8", "replace") + b"\n")
    coverage.add(slot, trajectory, PRODUCED, produced.session)


def _rejections(slot: Slot, trajectory: Trajectory) -> Iterator[Json]:
    """A line for each attempt that failed."""
    for number, attempt in enumerate(trajectory.extra.get("attempts", [])):
        if "failed" in attempt:
            yield {
                "slot": slot.key,
                "path": list(slot.path),
                "attempt": number,
                "tool_list": attempt.get("tool_list"),
                "tasks": attempt.get("tasks"),
                "reason": attempt["failed"],
                "evidence": attempt.get("evidence", ""),
            }
