"""`toolgauge generate rescue`: rejected dialogues, and which of them are taken back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError
from toolgauge.locale import Text, _, clauses, named_field
from toolgauge.visible import visible

if TYPE_CHECKING:
    from toolgauge.generation.rescue import RejectedDialogue, RescueResult


WIDEST = 160
"""Characters of a line of what was said, or of the evidence."""


def rescue(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The run directory of a generation.")],
    dialogues: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SLOT[:ATTEMPT]...]", help="Rejected dialogues (default: list them)."),
    ] = None,
    list_only: Annotated[bool, typer.Option("--list", help="Only list them, with what speaks against each.")] = False,
    all_of: Annotated[
        str | None, typer.Option(metavar="REASON", help="All that were rejected for this reason and can be taken.")
    ] = None,
    tasks: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only their first N tasks, as of one that broke off.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also those whose calls do not fit the tools, or whose path is another.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Give them up again.")] = False,
    resume_from: Annotated[
        Path | None,
        typer.Option(metavar="SESSIONS", help="The reviewed sessions they go on from, if these were moved."),
    ] = None,
) -> None:
    """Take rejected dialogues back: they stand in all files from then on, marked."""
    from toolgauge.generation.rescue import RescueOptions
    from toolgauge.generation.rescue import rescue as take

    if undo and not dialogues and all_of is None:
        raise UsageError(
            _(
                "{undo}: name what is given up again, or {all_of}",
                undo=named_field("undo"),
                all_of=named_field("all_of"),
            )
        )
    options = RescueOptions(all_of=all_of, tasks=tasks, force=force, undo=undo, resume_from=resume_from)
    if list_only or not (dialogues or all_of):
        found = take(folder, (), RescueOptions(resume_from=resume_from)).rejected
        _show([one for one in found if _is_meant(one, dialogues or (), all_of)], folder)
    else:
        _report(take(folder, dialogues or (), options), undo)


def _is_meant(one: RejectedDialogue, names: list[str] | tuple[()], reason: str | None) -> bool:
    """Is it listed, where only some are?"""
    named = not names or one.id in names or one.slot in names
    return named and reason in (None, one.reason, one.reason.removeprefix("gate:"))


def _show(found: list[RejectedDialogue], folder: Path) -> None:
    from toolgauge.cli.language import local

    if not found:
        echo(local(_("{folder}: no rejected dialogues", folder=folder)))
        return
    for one in found:
        said = _(
            "{id}: {reason}; whole tasks: {whole} of {tasks}; {state}",
            id=one.id,
            reason=one.reason,
            whole=one.whole,
            tasks=len(one.path),
            state=_state(one),
        )
        echo(local(said))
        for text in filter(None, (one.request, one.evidence)):
            echo(f"    {visible(' '.join(text.split()))[:WIDEST]}")
    can = sum(one.taken is None and one.obstacle() is None for one in found)
    said = _(
        "Rejected: {count:,} ({why}); can be taken back: {can:,}, taken back: {taken:,}",
        count=len(found),
        why=clauses([f"{why} {count:,}" for why, count in Counter(one.reason for one in found).most_common()]),
        can=can,
        taken=sum(one.taken is not None for one in found),
    )
    echo(local(said))


def _state(one: RejectedDialogue) -> Text:
    if one.taken is not None:
        return _("taken back")
    return one.obstacle() or _("can be taken back")


def _report(result: RescueResult, undo: bool) -> None:
    from toolgauge.cli.language import local

    count, left = len(result.changed), len(result.left)
    echo(local(_("Given up again: {count:,}", count=count) if undo else _("Taken back: {count:,}", count=count)))
    if left:
        said = _("Cannot be taken: {count:,}; {list} says why", count=left, list=named_field("list"))
        echo(local(said))
    if result.coverage is not None:
        slots, taken = result.coverage.slots, sum(result.coverage.attempts.rescued.values())
        echo(
            local(
                _(
                    "Paths with their dialogue: {produced:,} of {requested:,}; dialogues taken back in all: {taken:,}",
                    produced=slots.produced,
                    requested=slots.requested,
                    taken=taken,
                )
            )
        )
