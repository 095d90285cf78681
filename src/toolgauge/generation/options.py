"""What a generation is asked for, declared once, as `RunOptions` is for runs (runs/options.py), and which options go
together.

The rest of the room is imported when it is needed: `import toolgauge.api` should not wait for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from toolgauge.data.lines import known_language
from toolgauge.errors import UsageError
from toolgauge.options import declared, option
from toolgauge.runs.options import OptionGroups

FIRST_YEAR, LAST_YEAR = 1900, 2999


class GenerationOptions(Struct, frozen=True):
    """Which dialogues a generation makes; None stands for the usual."""

    GROUP: ClassVar[str] = "dialogues"
    PANEL: ClassVar[str] = "Dialogues"

    tools: Annotated[
        Path | str | None, option("Tool lists, JSON lines (default: the embedded library).", metavar="FILE")
    ] = None
    language: Annotated[str, option("Language of the dialogues: en or zh.")] = "en"
    tasks: Annotated[int | None, option("Tasks per dialogue (4); all 4^N paths.", metavar="N", ge=1)] = None
    paths: Annotated[
        str | None,
        option(
            'Only these: kinds (or parallel, sequential, mixed) by commas, paths by semicolons: "single,mixed; CC,MT".'
        ),
    ] = None
    sample: Annotated[int | None, option("K paths, kinds and changes balanced.", metavar="K", ge=1)] = None
    per_path: Annotated[int, option("Dialogues of each path.", metavar="N", ge=1)] = 1
    seed: Annotated[int, option("Random seed for paths, tools, scenarios and users.", metavar="N")] = 0
    year: Annotated[
        int | None,
        option("In which dialogues are set (default: when this began).", ge=FIRST_YEAR, le=LAST_YEAR, rare=True),
    ] = None
    scenarios: Annotated[Path | str | None, option("Personas, situations, utterances: JSON lines.", metavar="FILE")] = (
        None
    )
    examples: Annotated[
        Path | str | None, option("Examples that guide later tasks, instead of ours.", metavar="FILE")
    ] = None
    checks: Annotated[
        tuple[str, ...], option("Only these checks, by commas; or all, none; -NAME leaves one out.", metavar="NAMES")
    ] = ()
    candidates: Annotated[bool, option("Make five proposals for every task, and keep them for review.")] = False
    attempts: Annotated[
        int, option("Dialogues begun, each over other tools, before a slot is given up.", metavar="N", ge=1)
    ] = 3
    vague: Annotated[
        float, option("Share of answers that do not say what was asked, two in a row at most.", ge=0, le=1)
    ] = 0.25
    ablation: Annotated[bool, option("Plan later tasks from their message alone too; equal calls reject them.")] = False
    accept_flagged: Annotated[
        bool, option("Keep what the judge objects to, marked for the review, instead of rejecting it.")
    ] = False
    captures: Annotated[bool, option("Write captures.jsonl too: every agent's requests and replies (large).")] = False
    resume_from: Annotated[
        Path | str | None, option("Add one task to each of these reviewed sessions.", metavar="SESSIONS")
    ] = None
    layer: Annotated[int | None, option("Number of the task that --resume-from adds (checked).", rare=True)] = None

    @property
    def is_open(self) -> bool:
        """Is it left to the program how many dialogues are made?"""
        return self.paths is None and self.sample is None and self.per_path == 1 and not self.goes_on

    def __post_init__(self) -> None:
        """Raise UsageError for numbers and combinations that make no sense."""
        known_language(self.language)
        for one in declared(GenerationOptions):
            one.checked(getattr(self, one.name))
        if self.paths is not None and self.sample is not None:
            raise UsageError("--sample chooses paths by itself; leave --paths away, or say --per-path")
        if self.paths is not None and self.tasks is not None:
            raise UsageError("--tasks: the paths of --paths say how many tasks they have")
        if self.layer is not None and self.resume_from is None:
            raise UsageError("dialogues.layer goes with --resume-from")
        if self.resume_from is not None:
            self._require_begun()

    @property
    def goes_on(self) -> bool:
        """Whether dialogues go on from sessions that there are."""
        return self.resume_from is not None

    @property
    def files(self) -> list[Path | str | None]:
        """The files that are read."""
        return [self.tools, self.scenarios, self.examples, self.resume_from]

    def _require_begun(self) -> None:
        """Refuse options about how dialogues begin: those of `resume_from` have begun already."""
        for name in ("tools", "tasks", "sample", "year"):
            if getattr(self, name) is not None:
                raise UsageError(
                    f"--{name} does not go with --resume-from, whose sessions have tools and a date of their own"
                )


class GenerateOptions(OptionGroups, frozen=True, kw_only=True):
    """Everything that a generation may be asked for, beside the model that plays every agent without one of its own.

    roles: "user" (several models: one is drawn for each dialogue), "planner", "tool", "agent", "checker".
    """

    dialogues: GenerationOptions = GenerationOptions()
