"""What a generation is asked for, and which options go together."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.data.load import known_language
from toolgauge.errors import UsageError

FIRST_YEAR, LAST_YEAR = 1900, 2999


class GenerationOptions(Struct, frozen=True):
    """What a generation is asked for; None stands for the usual.

    tools: a file of tool lists (the embedded library). tasks: per dialogue. paths: "single,chat; CQ,MT" (all 4^tasks);
    sample: so many of them, balanced. per_path: dialogues of each. year: that dialogues are set in (the one in which
    the generation was begun). scenarios, examples: files. filters: names, "all", "none", or "-name" to leave one out of
    the usual ones. candidates: several proposals are made for every task, and all kept. vague: share of answers that
    do not say what was asked, from 0 to 1. resume_from: a file of reviewed sessions, to be continued by one task;
    layer: that task's number.
    """

    tools: str | None = None
    language: str = "en"
    tasks: int | None = None
    paths: str | None = None
    sample: int | None = None
    per_path: int = 1
    seed: int = 0
    year: int | None = None
    scenarios: str | None = None
    examples: str | None = None
    filters: tuple[str, ...] = ()
    candidates: bool = False
    attempts: int = 3
    vague: float = 0.25
    resume_from: str | None = None
    layer: int | None = None

    def __post_init__(self) -> None:
        """Raise UsageError for numbers and combinations that make no sense."""
        known_language(self.language)
        for name in ("per_path", "attempts", "sample", "tasks"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"--{name.replace('_', '-')} must be an integer >= 1")
        if self.year is not None and not FIRST_YEAR <= self.year <= LAST_YEAR:
            raise UsageError(f"--year is a year from {FIRST_YEAR} to {LAST_YEAR}")
        if not 0 <= self.vague <= 1:
            raise UsageError("--vague is a share from 0 to 1")
        if self.paths is not None and self.sample is not None:
            raise UsageError("--sample chooses paths by itself; leave --paths away, or say --per-path")
        if self.paths is not None and self.tasks is not None:
            raise UsageError("--tasks: the paths of --paths say how many tasks they have")
        if self.layer is not None and self.resume_from is None:
            raise UsageError("--layer goes with --resume-from")
        if self.resume_from is not None:
            self._require_begun()

    @property
    def goes_on(self) -> bool:
        """Whether dialogues go on from sessions that there are."""
        return self.resume_from is not None

    @property
    def files(self) -> list[str | None]:
        """The files that are read."""
        return [self.tools, self.scenarios, self.examples, self.resume_from]

    def _require_begun(self) -> None:
        """Refuse options about how dialogues begin: those of `resume_from` have begun already."""
        for name in ("tools", "tasks", "sample", "year"):
            if getattr(self, name) is not None:
                raise UsageError(
                    f"--{name} does not go with --resume-from, whose sessions have tools and a date of their own"
                )
