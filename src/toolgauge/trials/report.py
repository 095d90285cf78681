"""What each change of a tool list did: trial.json, made of the runs of a trial. Knows runs, comparisons, no models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.compare.content import Comparison, Difference, compare_runs, rounded, side_of
from toolgauge.analysis.decide import SIGNIFICANT, Better, better_run, holm
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.numbers import Rate
from toolgauge.benchmarks.benchmark import Benchmark, HasToolLists
from toolgauge.benchmarks.manifest import DataRecord
from toolgauge.chat import Tool
from toolgauge.data.session import Session
from toolgauge.data.task_ids import parse_task_id
from toolgauge.errors import Tell, warn
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.verdict import EXACT
from toolgauge.models.prices import estimated_tokens
from toolgauge.results import open_runs
from toolgauge.runs.scored import ScoredRun
from toolgauge.runs.variants import kept_variant
from toolgauge.tools.variants import ToolVariant
from toolgauge.trials.trial_file import BASELINE

VERSION = 1
TABLES = ("overall", "by_type", "mistakes")
"""Of the comparisons, what a trial's report needs."""
WRONG_TOOLS = frozenset(
    {
        DialogueCode.NOT_IN_ANSWER,
        DialogueCode.NOT_OFFERED,
        DialogueCode.CALLS_FOR_REPLY,
        DialogueCode.CALLS_FOR_QUESTION,
        DialogueCode.CALLS_FOR_UNSERVABLE,
    }
)
"""Why a task is wrong where a tool was called that should not have been; `names` are these tools."""

Confused = tuple[str, tuple[str, ...]]
"""The tool that was called, and those that the task's annotation has."""


class Offer(Struct, frozen=True):
    """The tools that are on offer when a session begins, over the tasks that were scored: how many, and about how many
    tokens their definitions take (an estimate; the provider counts its own)."""

    fewest: int
    most: int
    mean: float
    tokens: float


class Confusion(Struct, frozen=True):
    """How often a task failed because a tool was called that should not have been. expected: the tools that its
    annotation has, under the names that the data have; baseline, variant: tasks of either run."""

    called: str
    expected: tuple[str, ...]
    baseline: int
    variant: int


class RunOfTrial(Struct, frozen=True):
    """A run of a trial: its folder, how many tasks of how many sessions are scored, its main rate, its tools. Per task:
    replies, and input tokens as the provider counted them (None: it does not)."""

    run: str
    scored: int
    sessions: int
    rate: Rate
    offer: Offer
    replies: float | None
    input_tokens: float | None


class VariantReport(Struct, frozen=True):
    """What a variant did. change: what it is; sessions: whose tools it changes; effect: on the main rate; p_holm:
    corrected for all variants of the trial; outcome: who is better by that; comparison: of the whole run with the
    baseline."""

    name: str
    change: ToolVariant
    sessions: int
    run: RunOfTrial
    tasks: int
    effect: Difference
    p_holm: float | None
    outcome: Better
    confusions: list[Confusion]
    comparison: Comparison


class TrialReport(Struct, frozen=True):
    """The content of trial.json. rate: table and row of the main rate; differences are variant minus baseline."""

    benchmark: str
    language: str
    dataset: DataRecord
    model: str
    scoring: str
    rate: tuple[str, str]
    baseline: RunOfTrial
    variants: list[VariantReport]
    version: int = VERSION


def trial_report(folder: Path, names: Sequence[str], data: Path | None = None, tell: Tell = warn) -> TrialReport:
    """The report of the runs of a trial. names: of its variants. data, tell: as of `open_run`. Raises UsageError where
    a run is missing or not comparable."""
    baseline, *others = open_runs([folder / name for name in (BASELINE, *names)], data, tell)
    scoring = EXACT if EXACT in baseline.metrics.scorings else baseline.benchmark.headline
    table, row = layout_of(baseline.benchmark.name).decides
    before = side_of(baseline)
    found = [_main_tables(compare_runs(before, side_of(run), scoring, same_model=True)) for run in others]
    effects = [one.scorings[scoring].tables[table][row] for one in found]
    corrected = [rounded(p) for p in holm([effect.p for effect in effects])]
    confused = _confused(baseline, {}, scoring)
    parts = zip(names, others, found, corrected, strict=True)
    return TrialReport(
        baseline.benchmark.name,
        baseline.language,
        baseline.manifest.data,
        baseline.model,
        scoring,
        (table, row),
        _run(baseline, scoring),
        [_variant(name, baseline, run, one, p, confused) for name, run, one, p in parts],
    )


def _main_tables(comparison: Comparison) -> Comparison:
    scorings = {
        name: replace(content, tables={table: rows for table, rows in content.tables.items() if table in TABLES})
        for name, content in comparison.scorings.items()
    }
    return replace(comparison, scorings=scorings)


def encode_report(report: TrialReport) -> bytes:
    """The bytes of trial.json: indented, the same for the same runs."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def _variant(
    name: str,
    baseline: ScoredRun,
    run: ScoredRun,
    comparison: Comparison,
    p_holm: float | None,
    confused: Mapping[Confused, int],
) -> VariantReport:
    (scoring, content), (table, row) = next(iter(comparison.scorings.items())), layout_of(run.benchmark.name).decides
    effect = content.tables[table][row]
    change = kept_variant(run.folder, run.manifest) or ToolVariant(name)
    here = _confused(run, {new: old for old, new in change.rename.items()}, scoring)
    confusions = [
        Confusion(called, expected, confused.get((called, expected), 0), here.get((called, expected), 0))
        for called, expected in {**confused, **here}
    ]
    confusions.sort(key=lambda one: (-abs(one.variant - one.baseline), -one.variant, one.called, one.expected))
    before, after = _sessions(baseline), _sessions(run)
    return VariantReport(
        name,
        replace(change, pool=()),
        sum(before[key] != session for key, session in after.items() if key in before),
        _run(run, scoring),
        comparison.tasks,
        effect,
        p_holm,
        better_run(effect.ci95) if p_holm is not None and p_holm < SIGNIFICANT else Better.UNCLEAR,
        confusions,
        comparison,
    )


def _run(run: ScoredRun, scoring: str) -> RunOfTrial:
    rate = run.metrics.rate(scoring, *layout_of(run.benchmark.name).decides) or Rate()
    sessions = _sessions(run)
    asked = [sessions[score.session_id] for score in run.scores if score.session_id in sessions]
    used = {name: amount.per_task for name, amount in run.metrics.effort.amounts.items()}
    offer = _offer(run.benchmark, asked)
    return RunOfTrial(
        str(run.folder), len(run.scores), len(sessions), rate, offer, used.get("steps"), used.get("input_tokens")
    )


def _offer(benchmark: Benchmark, asked: Iterable[Session]) -> Offer:
    assert isinstance(benchmark, HasToolLists)
    tasks = Counter(session.id for session in asked)
    offers = {session.id: benchmark.first_offer(session) for session in asked}
    sizes = {key: (len(tools), _tokens(tools)) for key, tools in offers.items()}
    if not sizes:
        return Offer(0, 0, 0.0, 0.0)
    counts = [size for size, _tokens_of in sizes.values()]
    every = sum(tasks.values())
    tools, tokens = (sum(tasks[key] * size[part] for key, size in sizes.items()) / every for part in (0, 1))
    return Offer(min(counts), max(counts), round(tools, 2), round(tokens, 1))


def _tokens(tools: Iterable[Tool]) -> int:
    definitions = msgspec.json.encode([tool.wire() for tool in tools])
    return estimated_tokens(definitions.decode("utf-8", "replace"))


def _sessions(run: ScoredRun) -> dict[str, Session]:
    benchmark = run.benchmark
    assert isinstance(benchmark, HasToolLists)
    asked = {score.session_id for score in run.scores}
    return {one.id: one for one in benchmark.sessions(run.required_dataset()) if one.id in asked}


def _confused(run: ScoredRun, names: Mapping[str, str], scoring: str) -> Counter[Confused]:
    """The tools that were called and should not have been. names: those of the data by those of the run."""
    found: Counter[Confused] = Counter()
    sessions = _sessions(run)
    for score in run.scores:
        verdict, session = score.scorings.get(scoring), sessions.get(score.session_id)
        if session is None or verdict is None or not verdict.code or verdict.code not in WRONG_TOOLS:
            continue
        called = (verdict.parameters or {}).get("names", ())
        index = parse_task_id(score.task_id)[1]
        calls = dict.fromkeys(call.name for call in session.tasks[index].calls if call.is_tool)
        expected = tuple(names.get(name, name) for name in calls)
        for name in called if isinstance(called, tuple | list) else ():
            found[names.get(name, name), expected] += 1
    return found
