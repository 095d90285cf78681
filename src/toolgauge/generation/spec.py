"""From what a user asks for to a generation's files: the plan of a generation, and what its run directory is made into.

    plan_generation -> (runs/execute.py: the dialogues) -> write_files

Needs no model to write the files; from the same trajectories they are the same bytes every time.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Unpack

import msgspec
from msgspec import UNSET, Struct

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.manifest import DataRecord
from toolgauge.data.lines import sha256_of
from toolgauge.data.session import KINDS
from toolgauge.data.sessions import session_file
from toolgauge.episode import TRAJECTORY_VERSION, Episode
from toolgauge.errors import UsageError
from toolgauge.files import require_apart, require_own_folder
from toolgauge.generation.agents.patterns import read_patterns
from toolgauge.generation.checks import DUPLICATES, check_names
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.formats.coverage import CoverageReport
from toolgauge.generation.formats.files import FILES, write_files
from toolgauge.generation.manifest import GenerationManifest, Selection, require_current, year_of
from toolgauge.generation.model_roles import ModelRoles, open_models
from toolgauge.generation.options import GenerationOptions
from toolgauge.generation.paths import all_paths, next_slots, parse_paths, sample_paths, slots_of
from toolgauge.generation.resume import read_openings
from toolgauge.generation.sampling import require_tool_lists
from toolgauge.generation.scenarios import read_scenarios, scenario_of
from toolgauge.generation.setup import YEAR, GenerationSetup, Slot
from toolgauge.generation.state import HintProvider, Scripted
from toolgauge.models.model import ModelOptions, Sampling
from toolgauge.runs.budget import Spent, pricing
from toolgauge.runs.executors.executor import ExecutionOptions, RunOutcome, RunSpec
from toolgauge.runs.manifest import GENERATION_VERSION, MANIFEST
from toolgauge.runs.roles import Role
from toolgauge.runs.run import execute
from toolgauge.runs.store import RUN_FILES
from toolgauge.tools.toollist import ToolList, library_file, read_tool_lists, tool_library
from toolgauge.version import __version__

LIBRARY = "library"
"""Stands for the embedded tool library where a file of tool lists is named, unless there is a file of that name."""
DEMO = "builtin/oracle"
"""The model of all roles in a demonstration."""
DEFAULT_TASKS = 4
CAUTIOUS = 16
"""Dialogues that a model elsewhere is asked for, unless somebody says how many."""


class Dialogues(Struct, frozen=True):
    """The episode of each sample. It holds data only, so that it can travel to other machines."""

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
    notes: tuple[str, ...] = ()

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

    def write_files(self) -> CoverageReport:
        """Write the output files from the dialogues finished so far; returns the content of coverage.json."""
        price = pricing(self.models.members)
        return write_files(self.folder, self.slots, self.setup, self.models.role_map, price, self.options.captures)


class GenerationResult(Struct, frozen=True):
    """What a generation came to. coverage: what coverage.json holds.

    notes: what was repaired when it was continued. tokens and cost (US dollars, None where a price is not known) are
    those of all runs of the command together; earlier: what earlier ones spent.
    """

    folder: Path
    outcome: RunOutcome
    coverage: CoverageReport
    notes: tuple[str, ...] = ()
    tokens: int = 0
    cost: float | None = None
    earlier: Spent = Spent()


def plan_generation(
    options: GenerationOptions,
    model: str | None,
    reached: ModelOptions | None = None,
    out: Path | str | None = None,
    hints: Callable[[str], Scripted] | None = None,
    roles: Mapping[str, Role] | None = None,
) -> GenerationPlan:
    """Everything that can be settled before the first request; raises UsageError or DataError.

    model: plays every role that has no model of its own in `roles`.
    hints: makes, for a language, the scripted agents that tell built-in models what to say (`demo.ScriptedAgents`).
    Without them built-in models have nothing to say.
    """
    reached = reached or ModelOptions()
    if str(options.tools) == LIBRARY and not Path(LIBRARY).exists():
        options = msgspec.structs.replace(options, tools=None)
    if options.resume_from is not None:
        options = msgspec.structs.replace(options, resume_from=session_file(Path(options.resume_from)))
    models = open_models(model, roles or {}, reached, options.seed)
    notes: tuple[str, ...] = ()
    if options.is_open and models.elsewhere and 4 ** (options.tasks or DEFAULT_TASKS) > CAUTIOUS:
        options = msgspec.structs.replace(options, sample=CAUTIOUS)
        notes = (f"{CAUTIOUS} sampled paths; say how many with --sample, --paths or --per-path",)
    folder = Path(out) if out else Path("generated") / options.language
    require_current(folder)
    setup = GenerationSetup(
        language=options.language,
        seed=options.seed,
        attempts=options.attempts,
        vague=options.vague,
        candidates=options.candidates,
        checks=_checks(options),
        ablation=options.ablation,
        accept_flagged=options.accept_flagged,
        examples=read_patterns(options.examples) if options.examples is not None else (),
        year=_year(options, models, folder),
        planner_answers=models.members["planner"] is models.members["agent"],
    )
    pool = _pool(options)
    slots = tuple(_slots(options, pool))
    manifest = _manifest(options, setup, models, reached.sampling, len(slots))
    if not options.goes_on:
        require_tool_lists(slots, pool)
    scripted = hints(options.language) if hints and models.plays else None
    if scripted is not None and options.tools is not None:
        scripted.require_values(pool)
    return GenerationPlan(options, slots, pool, setup, models, folder, manifest, scripted, notes)


def carry_out_generation(
    plan: GenerationPlan, concurrency: int, overwrite: bool = False, **how: Unpack[ExecutionOptions]
) -> GenerationResult:
    """Make the dialogues of a plan that are not finished yet, then the files.

    overwrite: also in a folder that holds other files. Raises UsageError, before anything is asked, for such a folder
    otherwise, and where a file that is read would be overwritten.
    """
    options = plan.options
    require_apart([plan.folder / name for name in (*RUN_FILES, *FILES)], options.files)
    require_own_folder(plan.folder, (plan.folder / MANIFEST).exists(), overwrite)
    executed = execute(plan.spec(), concurrency, **how)
    coverage = plan.write_files()
    tokens, cost = executed.spent.tokens, executed.spent.cost
    notes = (*plan.notes, *executed.notes)
    return GenerationResult(plan.folder, executed.outcome, coverage, notes, tokens, cost, executed.earlier)


def _year(options: GenerationOptions, models: ModelRoles, folder: Path) -> int:
    """The year that dialogues are set in: the one asked for, that of the generation in the folder, or the present one.

    Scripted agents always live in the same year, so that demonstrations show the same every year.
    """
    if options.year is not None or options.goes_on or models.plays:
        return options.year or YEAR
    return datetime.date.today().year if (begun := year_of(folder)) is None else begun


def _checks(options: GenerationOptions) -> tuple[str, ...]:
    """The checks that are on. Where sessions are continued in several ways, the results are alike by intention."""
    named = check_names(options.checks)
    if options.goes_on and DUPLICATES not in options.checks:
        named = tuple(name for name in named if name != DUPLICATES)
    return named


def _pool(options: GenerationOptions) -> tuple[ToolList, ...]:
    """The tool lists to choose from; of a file, those in the language or in none that it names."""
    if options.goes_on:
        return ()
    if options.tools is None:
        return tool_library(options.language)
    fitting = tuple(one for one in read_tool_lists(options.tools) if one.language in ("", options.language))
    if not fitting:
        raise UsageError(
            f"--tools {options.tools}: no tool list for language {options.language}; set "
            f'"language": "{options.language}" in a list, or leave the key out for any language'
        )
    return fitting


def _slots(options: GenerationOptions, pool: Sequence[ToolList]) -> list[Slot]:
    """The slots, in the same order every time. Raises UsageError for paths that make no sense, DataError for sessions
    that cannot be continued."""
    names = None if options.goes_on else {name for one in pool for name in (one.id, one.name)}
    scenarios = read_scenarios(options.scenarios, names) if options.scenarios is not None else ()
    if options.resume_from is not None:
        begun = read_openings(options.resume_from, options.language, options.layer)
        by_id = {one.id: one for one in scenarios}
        made = next_slots(begun, _next_kinds(options.paths), options.language, options.per_path)
        return [msgspec.structs.replace(slot, scenario=scenario_of(slot.opening or {}, by_id)) for slot in made]
    tasks = options.tasks or DEFAULT_TASKS
    if options.paths is not None:
        paths = parse_paths(options.paths)
    elif options.sample is not None:
        paths = sample_paths(tasks, options.sample, options.seed)
    else:
        paths = all_paths(tasks)
    return slots_of(paths, options.language, options.per_path, scenarios)


def _next_kinds(paths: str | None) -> Sequence[str]:
    """The kinds of the task that is added: those named, or all four."""
    if paths is None:
        return KINDS
    named = parse_paths(paths)
    if any(len(path) > 1 for path in named):
        raise UsageError('--paths: --resume-from adds one task; give only its types, e.g. "single; chat"')
    return [path[0] for path in named]


def _manifest(
    options: GenerationOptions, setup: GenerationSetup, models: ModelRoles, sampling: Sampling, dialogues: int
) -> GenerationManifest:
    library = library_file(options.language)
    tools = None if options.goes_on else Path(options.tools or library)
    tasks = None if options.goes_on or options.paths is not None else options.tasks or DEFAULT_TASKS
    return GenerationManifest(
        toolgauge=__version__,
        trajectory_version=TRAJECTORY_VERSION,
        generation=GENERATION_VERSION,
        language=options.language,
        seed=options.seed,
        models=models.described(),
        sampling=sampling.recorded,
        tools=DataRecord(tools.stem, sha256_of(tools)) if tools else None,
        tools_file=_place(tools) if tools != library else None,
        selection=Selection(tasks, options.paths, options.sample, options.per_path),
        scenarios=_digest(options.scenarios),
        examples=_digest(options.examples),
        resume_from=_digest(options.resume_from),
        resume_file=_place(options.resume_from),
        layer=options.layer,
        scenarios_file=_place(options.scenarios) or UNSET,
        examples_file=_place(options.examples) or UNSET,
        setup=setup.recorded,
        conversations=dialogues,
    )


def _place(file: Path | str | None) -> str | None:
    return str(Path(file).resolve()) if file is not None else None


def _digest(file: Path | str | None) -> str | None:
    return sha256_of(file) if file is not None else None
