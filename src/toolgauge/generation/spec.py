"""From what a user asks for to a generation's files: the plan of a generation, and what its run directory is made into.

    plan_generation -> (runs/execute.py: the dialogues) -> write_files

Needs no model to write the files; from the same trajectories they are the same bytes every time.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Unpack

import msgspec
from msgspec import Struct

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.manifest import DataRecord
from toolgauge.data.load import known_language, sha256_of
from toolgauge.data.session import KINDS
from toolgauge.episode import TRAJECTORY_VERSION, Episode
from toolgauge.errors import UsageError
from toolgauge.generation.agents.patterns import read_patterns
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.filters import filter_names
from toolgauge.generation.formats.coverage import CoverageReport
from toolgauge.generation.formats.files import DUPLICATES, FILES, require_unedited, write_files
from toolgauge.generation.manifest import GenerationManifest, Part, SetupRecord, year_of
from toolgauge.generation.model_roles import ModelRoles, Roles, open_models
from toolgauge.generation.paths import all_paths, next_slots, parse_paths, sample_paths, slots_of
from toolgauge.generation.resume import read_openings
from toolgauge.generation.sampling import require_tool_lists
from toolgauge.generation.scenarios import read_scenarios
from toolgauge.generation.setup import YEAR, GenerationSetup, Scenario, Slot
from toolgauge.generation.state import HintProvider
from toolgauge.locale import Text, _, named_field
from toolgauge.models.model import ModelOptions, Sampling
from toolgauge.runs.budget import pricing
from toolgauge.runs.execute import ExecutionOptions, execute
from toolgauge.runs.executors.executor import RunOutcome, RunSpec
from toolgauge.runs.manifest import GENERATION_VERSION
from toolgauge.runs.store import RUN_FILES
from toolgauge.tools.library import library_file, tool_library
from toolgauge.tools.toollist import ToolList, read_tool_lists
from toolgauge.version import __version__
from toolgauge.written import replacing_ours, require_apart

DEFAULT_TASKS = 4
FIRST_YEAR, LAST_YEAR = 1900, 2999
LIBRARY = "library"
"""Stands for the embedded tool library where a file of tool lists is named, unless there is a file of that name."""
DEMO = "builtin/oracle"
"""The model of all roles in a demonstration."""
NOISY_DEMO = "builtin/noisy?rate=0&habits=all"
"""The same, written as real models write."""


class GenerationOptions(Struct, frozen=True):
    """What a generation is asked for; None stands for the usual.

    tools: a file of tool lists (the embedded library). tasks: per dialogue. paths: "single,chat; CQ,MT" (all 4^tasks);
    sample: so many of them, balanced. per_path: dialogues of each. year: that dialogues are set in (that in which the
    generation was begun). scenarios, examples: files. filters: names, "all",
    "none", or "-name" to leave one out of the usual ones. candidates: keep all proposals for first tasks. vague: share
    of answers that do not say what was asked. resume_from: a file of reviewed sessions, to be continued by one task;
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
                raise UsageError(_("{name} is a whole number from 1 on", name=named_field(name)))
        if self.year is not None and not FIRST_YEAR <= self.year <= LAST_YEAR:
            raise UsageError(
                _("{year} is a year from {first} to {last}", year=named_field("year"), first=FIRST_YEAR, last=LAST_YEAR)
            )
        if not 0 <= self.vague <= 1:
            raise UsageError(_("{vague} is a share from 0 to 1", vague=named_field("vague")))
        if self.paths is not None and self.sample is not None:
            raise UsageError(
                _(
                    "{sample} chooses paths by itself; leave {paths} away, or say {per_path}",
                    sample=named_field("sample"),
                    paths=named_field("paths"),
                    per_path=named_field("per_path"),
                )
            )
        if self.paths is not None and self.tasks is not None:
            raise UsageError(
                _(
                    "{tasks}: the paths of {paths} say how many tasks they have",
                    tasks=named_field("tasks"),
                    paths=named_field("paths"),
                )
            )
        if self.layer is not None and self.resume_from is None:
            raise UsageError(
                _("{layer} goes with {resume_from}", layer=named_field("layer"), resume_from=named_field("resume_from"))
            )
        if self.resume_from is not None:
            self._only_one_layer()

    def _only_one_layer(self) -> None:
        """Refuse options about how dialogues begin when sessions are resumed."""
        for name in ("tools", "tasks", "sample", "scenarios", "year"):
            if getattr(self, name) is not None:
                raise UsageError(
                    _(
                        "{name}: the sessions of {resume_from} have begun already, with tools and a date of their own",
                        name=named_field(name),
                        resume_from=named_field("resume_from"),
                    )
                )
        if self.candidates:
            raise UsageError(
                _(
                    "{candidates}: the sessions of {resume_from} have their first tasks already",
                    candidates=named_field("candidates"),
                    resume_from=named_field("resume_from"),
                )
            )


class Dialogues(Struct, frozen=True):
    """The episode of each unit. It holds data only, so that it can travel to other machines."""

    slots: dict[str, Slot]
    pool: tuple[ToolList, ...]
    setup: GenerationSetup
    hints: HintProvider | None

    def __call__(self, sample: Sample) -> Episode:
        return dialogue_episode(self.slots[sample.key], self.pool, self.setup, self.hints)


class GenerationPlan(Struct, frozen=True):
    """What a generation will do: its dialogues, tool lists and models, and the folder for the results."""

    options: GenerationOptions
    slots: tuple[Slot, ...]
    pool: tuple[ToolList, ...]
    setup: GenerationSetup
    models: ModelRoles
    folder: Path
    manifest: GenerationManifest
    hints: HintProvider | None = None

    def spec(self) -> RunSpec:
        """What `execute` runs."""
        dialogues = Dialogues({slot.key: slot for slot in self.slots}, self.pool, self.setup, self.hints)
        samples = [Sample(slot.key, slot.key, None, 0) for slot in self.slots]
        models = self.models
        return RunSpec(
            samples,
            dialogues,
            models.members,
            self.folder,
            self.manifest,
            models.role_map,
            models.endpoints,
            models.openings,
            results=FILES,
        )

    def write_files(self, target: Path | None = None) -> CoverageReport:
        """Write the output files from the dialogues finished so far, into the run directory or elsewhere; returns the
        content of coverage.json."""
        price = pricing(self.models.members)
        return write_files(self.folder, self.slots, self.setup, self.models.role_map, price, target)


class GenerationResult(Struct, frozen=True):
    """What a generation came to. coverage: what coverage.json holds.

    notes: what was repaired when it was continued. tokens and cost (US dollars, None where a price is not known) are
    those of all goes together.
    """

    folder: Path
    outcome: RunOutcome
    coverage: CoverageReport
    notes: tuple[Text, ...] = ()
    tokens: int = 0
    cost: float | None = None


def plan_generation(
    options: GenerationOptions,
    roles: Roles,
    reached: ModelOptions | None = None,
    out: Path | str | None = None,
    hints: Callable[[str], HintProvider] | None = None,
) -> GenerationPlan:
    """Everything that can be settled before the first request; raises UsageError or DataError.

    hints: makes, for a language, the scripted agents that tell built-in models what to say (`demo.LibraryAgents`).
    Without them built-in models have nothing to say.
    """
    reached = reached or ModelOptions()
    if options.tools == LIBRARY and not Path(LIBRARY).exists():
        options = msgspec.structs.replace(options, tools=None)
    models = open_models(roles, reached, options.seed)
    folder = Path(out) if out else Path("generated") / options.language
    setup = GenerationSetup(
        language=options.language,
        seed=options.seed,
        attempts=options.attempts,
        vague=options.vague,
        keep_candidates=options.candidates,
        filters=_filters(options),
        examples=read_patterns(options.examples) if options.examples is not None else (),
        year=_year(options, models, folder),
    )
    pool = _pool(options)
    slots = tuple(_slots(options, _scenarios(options, pool)))
    manifest = _manifest(options, setup, models, reached.sampling, len(slots))
    if models.plays and options.tools is not None:
        raise UsageError(
            _(
                "{tools}: built-in models know the embedded tools only; name another model with -m",
                tools=named_field("tools"),
            )
        )
    if options.resume_from is None:
        require_tool_lists(slots, pool)
    scripted = hints(options.language) if hints and models.plays else None
    return GenerationPlan(options, slots, pool, setup, models, folder, manifest, scripted)


def carry_out_generation(
    plan: GenerationPlan, concurrency: int, overwrite: bool = False, **how: Unpack[ExecutionOptions]
) -> GenerationResult:
    """Make the dialogues of a plan that are not finished yet, then the files.

    overwrite: also files in the run directory that somebody has changed. Raises UsageError, before anything is asked,
    for those otherwise, and where a file that is read would be overwritten.
    """
    options = plan.options
    read = (options.tools, options.scenarios, options.examples, options.resume_from)
    require_apart([plan.folder / name for name in (*RUN_FILES, *FILES)], read)
    if not overwrite:
        require_unedited(plan.folder, plan.write_files)
    executed = execute(plan.spec(), concurrency, **how)
    with replacing_ours(plan.folder, FILES, overwrite):
        coverage = plan.write_files()
    return GenerationResult(plan.folder, executed.outcome, coverage, executed.notes, executed.tokens, executed.cost)


def _year(options: GenerationOptions, models: ModelRoles, folder: Path) -> int:
    """The year that dialogues are set in: the one asked for, that of the generation in the folder, or the present one.

    Scripted agents always live in the same year, so that demonstrations show the same every year.
    """
    if options.year is not None or options.resume_from is not None or models.plays:
        return options.year or YEAR
    return datetime.date.today().year if (begun := year_of(folder)) is None else begun


def _filters(options: GenerationOptions) -> tuple[str, ...]:
    """The filters that are switched on: those of single dialogues, and the one that looks across them.

    Where one session is continued in several ways, the results are alike by intention.
    """
    single = [name for name in options.filters if name.removeprefix("-") != DUPLICATES]
    across = not single or single[0].startswith("-") or bool({"all", "default"} & set(single))
    if DUPLICATES in options.filters or f"-{DUPLICATES}" in options.filters:
        across = DUPLICATES in options.filters
    if not single and options.filters == (DUPLICATES,):
        single = ["none"]
    return filter_names(single) + ((DUPLICATES,) if across and options.resume_from is None else ())


def _pool(options: GenerationOptions) -> tuple[ToolList, ...]:
    """The tool lists to choose from; of a file, those in the language or in none that it names."""
    if options.resume_from is not None:
        return ()
    if options.tools is None:
        return tool_library(options.language)
    fitting = tuple(one for one in read_tool_lists(options.tools) if one.language in ("", options.language))
    if not fitting:
        raise UsageError(
            _(
                "{tools_field} {tools}: holds no tool list in the language {language}",
                tools=options.tools,
                language=options.language,
                tools_field=named_field("tools"),
            )
        )
    return fitting


def _scenarios(options: GenerationOptions, pool: Sequence[ToolList]) -> tuple[Scenario, ...]:
    if options.scenarios is None:
        return ()
    return read_scenarios(options.scenarios, {name for one in pool for name in (one.id, one.name)})


def _slots(options: GenerationOptions, scenarios: Sequence[Scenario]) -> list[Slot]:
    language = options.language
    if options.resume_from is not None:
        openings = read_openings(options.resume_from, language, options.layer)
        return next_slots(
            [(one.id, one.kinds, one.record) for one in openings], _next_kinds(options), language, options.per_path
        )
    tasks = options.tasks or DEFAULT_TASKS
    if options.paths is not None:
        paths = parse_paths(options.paths)
    elif options.sample is not None:
        paths = sample_paths(tasks, options.sample, options.seed)
    else:
        paths = all_paths(tasks)
    return slots_of(paths, language, options.per_path, scenarios)


def _next_kinds(options: GenerationOptions) -> Sequence[str]:
    """The kinds of the task that is added: those named, or all four."""
    if options.paths is None:
        return KINDS
    paths = parse_paths(options.paths)
    if any(len(path) > 1 for path in paths):
        raise UsageError(
            _(
                '{paths}: one task is added to the sessions of {resume_from}; name its kinds: "single; chat"',
                paths=named_field("paths"),
                resume_from=named_field("resume_from"),
            )
        )
    return [path[0] for path in paths]


def _manifest(
    options: GenerationOptions, setup: GenerationSetup, models: ModelRoles, sampling: Sampling, dialogues: int
) -> GenerationManifest:
    tools = library_file(options.language) if options.tools is None else Path(options.tools)
    used = options.resume_from is None
    tasks = options.tasks or DEFAULT_TASKS if used and options.paths is None else None
    return GenerationManifest(
        toolgauge=__version__,
        trajectory_version=TRAJECTORY_VERSION,
        generation=GENERATION_VERSION,
        language=options.language,
        seed=options.seed,
        models=models.described(),
        sampling=sampling,
        tools=DataRecord(tools.stem, sha256_of(tools)) if used else None,
        tools_file=str(tools.resolve()) if used and options.tools is not None else None,
        selection=Part(tasks, options.paths, options.sample, options.per_path),
        scenarios=_digest(options.scenarios),
        examples=_digest(options.examples),
        resume_from=_digest(options.resume_from),
        layer=options.layer,
        setup=SetupRecord.of(setup),
        conversations=dialogues,
    )


def _digest(file: str | None) -> str | None:
    return sha256_of(file) if file is not None else None
