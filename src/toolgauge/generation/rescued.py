"""rescued.jsonl: which rejected dialogues people took back, line by line as they decided; the last line counts."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.errors import StoreError
from toolgauge.locale import _
from toolgauge.locale.foreign import cause
from toolgauge.runs.lines import AppendFile, decode, encode, newer, read_whole_lines

RESCUED = "rescued.jsonl"
RESCUED_VERSION = 1


class Rescued(Struct, frozen=True, omit_defaults=True):
    """`origin.rescued` of a session: why it had been rejected. forced: though its calls do not fit the tools."""

    reason: str
    evidence: str
    forced: bool = False


class RescueLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A decision about an attempt. tasks: so many of its tasks are taken, from the beginning; undone: none any more.

    sha256: of what was said in it, so that nothing that nobody saw takes its place; reason, evidence: of the rejection.
    """

    slot: str
    attempt: int
    tasks: Annotated[int, Meta(ge=1)]
    sha256: str
    reason: str
    evidence: str = ""
    forced: bool = False
    undone: bool = False
    version: int = RESCUED_VERSION

    def origin(self) -> Rescued:
        return Rescued(self.reason, self.evidence, self.forced)


def spoken_digest(dialogue: Dialogue) -> str:
    """The sha256 of all that was said, as hexadecimal digits."""
    digest = hashlib.sha256()
    for entry in dialogue.entries:
        digest.update(encode([entry.speaker, entry.text]))
    return digest.hexdigest()


def read_rescued(folder: Path) -> dict[tuple[str, int], RescueLine]:
    """The attempts of a run directory that are taken back now, by slot and number.

    Raises StoreError for a line that cannot be read, or that a later version wrote.
    """
    path = folder / RESCUED
    standing: dict[tuple[str, int], RescueLine] = {}
    for number, line in read_whole_lines(path):
        try:
            decision = decode(line, RescueLine)
        except ValueError as error:
            raise StoreError(
                _("{path}:{number}: {why}; remove the line", path=path, number=number, why=cause(error))
            ) from error
        if decision.version > RESCUED_VERSION:
            raise newer(path)
        standing.pop((decision.slot, decision.attempt), None)
        if not decision.undone:
            standing[decision.slot, decision.attempt] = decision
    return standing


def add_rescued(folder: Path, decisions: list[RescueLine]) -> None:
    """Append decisions to the file. Raises StoreError, OSError."""
    file = AppendFile(folder / RESCUED)
    try:
        for decision in decisions:
            file.append(encode(decision))
    finally:
        file.close()
