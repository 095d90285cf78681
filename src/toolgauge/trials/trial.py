"""A trial from what was asked to its runs: the benchmark as it is and in each variant, every one a run of its own.

folder/baseline/     the run without a variant
folder/<variant>/    a run directory each, which resumes, and which `report`, `compare` and `analyse` read
folder/trial.json    what each change did (report.py); trial.md: the same to read
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from toolgauge.benchmarks.benchmark import Benchmark, HasToolLists
from toolgauge.benchmarks.registry import benchmark_of
from toolgauge.data.session import Session
from toolgauge.errors import UsageError
from toolgauge.files import check_targets, require_own_folder
from toolgauge.runs.manifest import MANIFEST
from toolgauge.runs.names import slug
from toolgauge.runs.options import RunOptions
from toolgauge.runs.plan import CorrectedData, Plan, plan_run
from toolgauge.runs.sides import require_places
from toolgauge.runs.variants import require_tool_lists
from toolgauge.tools.variants import ToolVariant
from toolgauge.trials.fitting import fitted
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
