"""What judging came to, and judgments.jsonl, where several judges have their lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from toolgauge.analysis.judgments import JUDGMENTS, Judgment, read_judgments
from toolgauge.errors import StoreError, os_cause
from toolgauge.files import folder_below, slug, write_whole
from toolgauge.judging.episode import JudgedConversation
from toolgauge.runs.budget import Spent
from toolgauge.runs.executors.executor import RunOutcome
from toolgauge.runs.lines import encode
from toolgauge.runs.run import ExecutionResult

JUDGED = "judged"
"""The folder of all judges in a folder of conversations."""
JUDGE = "judge"
"""The role, and the name of the one model of a judging."""


class JudgingResult(Struct, frozen=True):
    """What came of it. judgments: of this judge, of the conversations that were asked for; conversations: what was
    said of each; left_out: why conversations, or parts of them, have none, and how many. run: the run directory with
    this judge's verdicts, where a benchmark's own judge was asked."""

    folder: Path
    judge: str
    outcome: RunOutcome
    judgments: list[Judgment]
    conversations: dict[str, JudgedConversation]
    left_out: dict[str, int]
    notes: tuple[str, ...] = ()
    tokens: int = 0
    cost: float | None = None
    earlier: Spent = Spent()
    run: Path | None = None


def result_of(
    folder: Path,
    judge: str,
    executed: ExecutionResult,
    judgments: list[Judgment],
    conversations: Mapping[str, JudgedConversation] = MappingProxyType({}),
    left_out: Mapping[str, int] = MappingProxyType({}),
    run: Path | None = None,
) -> JudgingResult:
    """Save the judgements, and say what it all came to."""
    save_judgments(folder, judge, judgments, run is not None)
    spent = executed.spent
    return JudgingResult(
        folder,
        judge,
        executed.outcome,
        judgments,
        dict(conversations),
        dict(left_out),
        executed.notes,
        spent.tokens,
        spent.cost,
        executed.earlier,
        run,
    )


def save_judgments(folder: Path, judge: str, judgments: Iterable[Judgment], of_benchmark: bool = False) -> None:
    """Write judgments.jsonl with these lines of a judge in place of its earlier ones to the same questions; those of
    other judges stay. Raises DataError for a file of this name that is none."""
    others = [one for one in read_judgments(folder) if (one.judge, bool(one.scoring)) != (judge, of_benchmark)]
    write_whole(folder / JUDGMENTS, b"".join(encode(one) + b"\n" for one in [*others, *judgments]))


def folder_of_judge(folder: Path, judge: str, ending: str = "") -> Path:
    """Where a judge's own run directory is. Raises StoreError where nothing can be written."""
    try:
        return folder_below(folder, f"{JUDGED}/{slug(judge)}{ending}")
    except OSError as error:
        raise StoreError(f"cannot write in {folder}: {os_cause(error)}") from error
