"""What a scorer says of one task: a verdict per reading.

Lines of scores.jsonl are these structs, encoded as they are.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

CORRECT = "correct"
ERROR = "error"


class Verdict(Struct, frozen=True, omit_defaults=False):
    """One reading's answer to "was it right?".

    label: the task as a whole; action_label: names and order of the calls alone; optimal: right and in the fewest
    steps; progress: annotated calls done rightly before the first failing step, and all (closing reply included);
    mistake: a name in judge/mistakes.py; detail: why, with the path of the argument. wrong_arguments: (tool, path) of
    the arguments that were found wrong; process: of ACEBench's agents, the share of milestones from 0 to 1. Both are
    left out where they say nothing.
    """

    label: str
    action_label: str
    optimal: bool
    progress: tuple[int, int]
    mistake: str | None = None
    detail: str | None = None
    wrong_arguments: tuple[tuple[str, str], ...] | UnsetType = UNSET
    process: float | UnsetType = UNSET

    @property
    def correct(self) -> bool:
        return self.label == CORRECT


class Score(Struct, frozen=True):
    """All readings of one task."""

    task_id: str
    session_id: str
    task_index: int
    readings: dict[str, Verdict]


def argument_failure(
    tool: str, progress: tuple[int, int], mistake: str, message: str, paths: tuple[str, ...]
) -> Verdict:
    """The verdict on a run whose calls are right by name, the first wrong one for its arguments."""
    wrong = tuple((tool, path) for path in paths if path) or UNSET
    place = f"{tool}({paths[0]})" if paths and paths[0] else tool
    return Verdict(ERROR, CORRECT, False, progress, mistake, f"{place}: {message}", wrong)
