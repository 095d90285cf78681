"""A trial from what was asked to its runs: the benchmark as it is and in each variant, every one a run of its own.

folder/baseline/     the run without a variant
folder/<variant>/    a run directory each, which resumes, and which `report`, `compare` and `analyse` read
folder/trial.json    what each change did (report.py); trial.md: the same to read
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Benchmark, HasToolLists
from toolgauge.benchmarks.registry import benchmark_of
from toolgauge.data.record import shown
from toolgauge.data.session import ASK, FINAL, Session
from toolgauge.data.toolnames import legal_names
from toolgauge.errors import UsageError
from toolgauge.files import check_targets, require_own_folder, slug
from toolgauge.judge.searches import SEARCH
from toolgauge.runs.manifest import MANIFEST
from toolgauge.runs.options import RunOptions
from toolgauge.runs.plan import CorrectedData, Plan, plan_run
from toolgauge.runs.sides import require_places
from toolgauge.runs.variants import require_tool_lists
from toolgauge.tools.variants import MOST_POOL, ToolVariant, described, shortage, takes_text, varied
from toolgauge.trials.trial_file import BASELINE, require_variants

REPORT_FILES = ("trial.json", "trial.md")


class Trial(Struct, frozen=True):
    """A trial before it begins. plans: by the name of the variant, the one without first."""

    folder: Path
    plans: dict[str, Plan]


def plan_trial(benchmark: str | Benchmark, model: str, variants: Sequence[ToolVariant], options: RunOptions) -> Trial:
    """Everything that can be settled before the first request. options: of every run, `out` the folder of all.

    Raises UsageError or DataError: for a benchmark without tool lists, for a variant that does not fit its sessions,
    for a folder that holds anything but a trial; and as `require_places` does.
    """
    what = benchmark_of(benchmark)
    require_tool_lists(what)
    require_variants(variants)
    folder = Path(options.output.out) if options.output.out else _usual_folder(what, model, options)
    if (folder / MANIFEST).exists():
        raise UsageError(f"{folder} is the folder of a single run; choose another one for the trial with --out")
    require_own_folder(folder, (folder / BASELINE / MANIFEST).exists(), options.output.overwrite)
    check_targets(folder, REPORT_FILES)
    baseline = _planned(what, model, options, folder / BASELINE, None)
    sessions = sessions_of(baseline)
    plans = {BASELINE: baseline}
    ready = [fitted(variant, sessions) for variant in variants]
    plans |= {one.name: _planned(what, model, options, folder / one.name, one) for one in ready}
    require_places(plans.values())
    return Trial(folder, plans)


def fitted(variant: ToolVariant, sessions: Sequence[Session]) -> ToolVariant:
    """The variant with no more of the pool than these sessions get. Raises UsageError where it does not fit them:
    everything that is wrong is told before anything is asked."""
    for problem in _problems(variant, sessions):
        raise UsageError(f"variant {variant.name}: {problem}")
    changed = [varied(session, variant) for session in sessions]
    for session in changed:
        if session.searched and SEARCH in session.tools_by_name:
            raise UsageError(f"variant {variant.name}: a tool has the name of the search, {SEARCH}; rename it")
        for name, count in Counter(tool.name for tool in session.tools).items():
            if count > 1:
                raise UsageError(
                    f"variant {variant.name}: session {session.id}: tool {shown(name)} is defined {count} times"
                )
    if all(one is other for one, other in zip(changed, sessions, strict=True)):
        raise UsageError(f"variant {variant.name}: nothing differs, the tools of these sessions stay as they are")
    used = {tool.name for session in changed for tool in session.tools}
    pool = tuple(tool for tool in variant.pool if tool.name in used)
    if len(pool) > MOST_POOL:
        raise UsageError(f"variant {variant.name}: draws more than {MOST_POOL:,} different tools; name fewer")
    return replace(variant, pool=pool)


def _problems(variant: ToolVariant, sessions: Sequence[Session]) -> Iterator[str]:
    """What of a variant cannot be done, by any session or by one."""
    for key in variant.descriptions:
        if not any(described(session, key) for session in sessions):
            yield f"descriptions: no session has a tool or parameter {shown(key)}"
    if variant.edited and not any(takes_text(session, tool) for session in sessions for tool in variant.edited):
        yield "descriptions: no session has any of the edited tools with the same name and parameters"
    for old, new in variant.rename.items():
        if not any(old in session.tools_by_name for session in sessions):
            yield f"rename: no session has a tool {shown(old)}"
        yield from _bad_names([new])
    yield from _bad_names(tool.name for tool in variant.pool)
    for session in sessions:
        if short := shortage(session, variant):
            wanted, available = short
            yield (
                f"session {session.id} needs {wanted:,} more, but only {available:,} tools differ enough from its own; "
                "choose a smaller number, or a file with more tools"
            )


def _bad_names(names: Iterator[str] | Collection[str]) -> Iterator[str]:
    for name in names:
        if legal_names([name]) != (name,):
            yield f"invalid tool name {shown(name)}: use at most 64 letters, digits, _ and -"
        elif name in (ASK, FINAL):
            yield f"invalid tool name {shown(name)}: reserved for a pseudo-action"


def sessions_of(plan: Plan) -> list[Session]:
    """The sessions that a plan asks."""
    benchmark = plan.benchmark
    assert isinstance(benchmark, HasToolLists)
    chosen = {sample.session_id for sample in plan.samples}
    return [session for session in benchmark.sessions(plan.dataset) if session.id in chosen]


def _planned(what: Benchmark, model: str, options: RunOptions, out: Path, variant: ToolVariant | None) -> Plan:
    asked = options.selection
    return plan_run(
        what,
        model,
        language=asked.language,
        data=CorrectedData(asked.data, asked.corrections, variant),
        out=out,
        setup=options.setup(),
        options=options.model_options(),
        roles=options.roles,
        offline=asked.offline,
    )


def _usual_folder(what: Benchmark, model: str, options: RunOptions) -> Path:
    return Path("runs") / "trials" / what.name / options.selection.language / slug(model)
