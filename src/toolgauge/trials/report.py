"""What each change of a tool list did: trial.json, made of the runs of a trial. Knows runs, comparisons, no models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.compare.content import Comparison, Difference, compare_runs, rounded, side_of
from toolgauge.analysis.compare.pairing import Side
from toolgauge.analysis.decide import SIGNIFICANT, Better, PairedRow, better_run, holm, paired_tests
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

VERSION = 2
MOST_CHANGED = 50
"""Sessions that change, for the smallest effect: in any number of sessions fewer are enough, for 50 variants too."""
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
    tokens their definitions take (an estimate; the provider counts its own), together and each."""

    fewest: int
    most: int
    mean: float
    tokens: float
    tokens_per_tool: float


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


class Definition(Struct, frozen=True):
    """A tool whose definition a variant changes, by its name in the data. before, after: about how many tokens it takes
    (the longest, where sessions define it differently)."""

    name: str
    before: int
    after: int


class VariantReport(Struct, frozen=True):
    """What a variant did. change: what it is; sessions: whose tools it changes, and over whose tasks it is compared;
    effect: on the main rate; smallest: the smallest effect that could be significant over these tasks, from 0 to 1,
    None where none could; p_holm: corrected for all variants of the trial; outcome: who is better by that."""

    name: str
    change: ToolVariant
    sessions: int
    run: RunOfTrial
    tasks: int
    effect: Difference
    smallest: float | None
    definitions: list[Definition]
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


class _Opened(NamedTuple):
    """A run of a trial, and its scored sessions by their ids, with the tools that it was asked with."""

    run: ScoredRun
    sessions: dict[str, Session]

    @classmethod
    def of(cls, run: ScoredRun) -> _Opened:
        benchmark = run.benchmark
        assert isinstance(benchmark, HasToolLists)
        scored = {score.session_id for score in run.scores}
        return cls(run, {one.id: one for one in benchmark.sessions(run.required_dataset()) if one.id in scored})


def trial_report(folder: Path, names: Sequence[str], data: Path | None = None, tell: Tell = warn) -> TrialReport:
    """The report of the runs of a trial. names: of its variants. data, tell: as of `open_run`. Raises UsageError where
    a run is missing or not comparable."""
    baseline, *others = map(_Opened.of, open_runs([folder / name for name in (BASELINE, *names)], data, tell))
    run, side = baseline.run, side_of(baseline.run)
    scoring = EXACT if EXACT in run.metrics.scorings else run.benchmark.headline
    place = layout_of(run.benchmark.name).decides
    made = [
        _variant(name, baseline, other, side, scoring, len(names)) for name, other in zip(names, others, strict=True)
    ]
    corrected = [rounded(p) for p in holm([variant.effect.p for variant in made])]
    return TrialReport(
        run.benchmark.name,
        run.language,
        run.manifest.data,
        run.model,
        scoring,
        place,
        _run(baseline, scoring),
        [
            replace(variant, p_holm=p, outcome=better_run(variant.effect.ci95))
            if p is not None and p < SIGNIFICANT
            else replace(variant, p_holm=p)
            for variant, p in zip(made, corrected, strict=True)
        ],
    )


def _variant(
    name: str, baseline: _Opened, variant: _Opened, before: Side, scoring: str, variants: int
) -> VariantReport:
    """What a variant did, compared where it changes something: elsewhere it can make no difference. p is not corrected
    yet for all so many variants."""
    run, known = variant.run, baseline.sessions
    touched = {key for key, session in variant.sessions.items() if known.get(key, session) != session}
    comparison = _main_tables(
        compare_runs(_only(before, touched), _only(side_of(run), touched), scoring, same_model=True)
    )
    table, row = comparison.decides
    change = kept_variant(run.folder, run.manifest) or ToolVariant(name)
    confused = _confused(baseline, {}, scoring, touched)
    here = _confused(variant, {new: old for old, new in change.rename.items()}, scoring, touched)
    confusions = [Confusion(*pair, confused[pair], here[pair]) for pair in {**confused, **here}]
    confusions.sort(key=lambda one: (-abs(one.variant - one.baseline), -one.variant, one.called, one.expected))
    both = {score.task_id for score in baseline.run.scores}
    tasks = Counter(one.session_id for one in run.scores if one.task_id in both and one.session_id in touched)
    return VariantReport(
        name,
        replace(change, pool=()),
        len(tasks),
        _run(variant, scoring),
        comparison.tasks,
        comparison.scorings[scoring].tables[table][row],
        rounded(smallest_effect(list(tasks.values()), variants)),
        _definitions(known, variant.sessions, change.rename),
        None,
        Better.UNCLEAR,
        confusions,
        comparison,
    )


def _only(side: Side, sessions: Container[str]) -> Side:
    """The tasks of these sessions."""
    return side._replace(scores={key: one for key, one in side.scores.items() if one.session_id in sessions})


def _main_tables(comparison: Comparison) -> Comparison:
    scorings = {
        name: replace(content, tables={table: rows for table, rows in content.tables.items() if table in TABLES})
        for name, content in comparison.scorings.items()
    }
    return replace(comparison, scorings=scorings)


def smallest_effect(tasks: Sequence[int], variants: int) -> float | None:
    """The smallest difference of a rate that could be significant, corrected for so many variants: one task changes in
    each of as few sessions as do, all to one side. tasks: of each session. None where no difference could be."""
    number = len(tasks)
    trials = np.array([tasks, tasks], dtype=float)
    rows = [
        PairedRow("", "", np.array([[0.0] * number, [1.0] * changed + [0.0] * (number - changed)]), trials)
        for changed in range(1, min(number, MOST_CHANGED) + 1)
    ]
    for changed, test in enumerate(paired_tests(rows), 1):
        if test.p is not None and test.p * variants < SIGNIFICANT:
            return changed / sum(tasks)
    return None


def encode_report(report: TrialReport) -> bytes:
    """The bytes of trial.json: indented, the same for the same runs."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def _run(opened: _Opened, scoring: str) -> RunOfTrial:
    run = opened.run
    rate = run.metrics.rate(scoring, *layout_of(run.benchmark.name).decides) or Rate()
    asked = [opened.sessions[score.session_id] for score in run.scores if score.session_id in opened.sessions]
    used = {name: amount.per_task for name, amount in run.metrics.effort.amounts.items()}
    offer = _offer(run.benchmark, asked)
    scored, sessions = len(run.scores), len(opened.sessions)
    return RunOfTrial(str(run.folder), scored, sessions, rate, offer, used.get("steps"), used.get("input_tokens"))


def _offer(benchmark: Benchmark, asked: Iterable[Session]) -> Offer:
    assert isinstance(benchmark, HasToolLists)
    tasks = Counter(session.id for session in asked)
    offers = {session.id: benchmark.first_offer(session) for session in asked}
    sizes = {key: (len(tools), _tokens(tools)) for key, tools in offers.items()}
    if not sizes:
        return Offer(0, 0, 0.0, 0.0, 0.0)
    counts = [size for size, _tokens_of in sizes.values()]
    every = sum(tasks.values())
    tools, tokens = (sum(tasks[key] * size[part] for key, size in sizes.items()) / every for part in (0, 1))
    return Offer(
        min(counts), max(counts), round(tools, 2), round(tokens, 1), round(tokens / tools, 1) if tools else 0.0
    )


def _definitions(
    before: Mapping[str, Session], after: Mapping[str, Session], renamed: Mapping[str, str]
) -> list[Definition]:
    """The tools of the baseline whose definitions have changed."""
    found: dict[str, tuple[int, int]] = {}
    for key, session in after.items():
        changed = {tool.name: tool for tool in session.tools}
        for tool in before[key].tools if key in before else ():
            other = changed.get(renamed.get(tool.name, tool.name), tool)
            if other != tool:
                sizes = found.get(tool.name, (0, 0)), (_tokens([tool]), _tokens([other]))
                found[tool.name] = (max(size[0] for size in sizes), max(size[1] for size in sizes))
    return [Definition(name, *sizes) for name, sizes in sorted(found.items())]


def _tokens(tools: Iterable[Tool]) -> int:
    definitions = msgspec.json.encode([tool.wire() for tool in tools])
    return estimated_tokens(definitions.decode("utf-8", "replace"))


def _confused(opened: _Opened, names: Mapping[str, str], scoring: str, touched: Container[str]) -> Counter[Confused]:
    """The tools that were called and should not have been, in these sessions. names: those of the data by those of the
    run."""
    found: Counter[Confused] = Counter()
    for score in opened.run.scores:
        verdict, session = score.scorings.get(scoring), opened.sessions.get(score.session_id)
        if session is None or session.id not in touched or verdict is None or verdict.code not in WRONG_TOOLS:
            continue
        called = (verdict.parameters or {}).get("names", ())
        index = parse_task_id(score.task_id)[1]
        calls = dict.fromkeys(call.name for call in session.tasks[index].calls if call.is_tool)
        expected = tuple(names.get(name, name) for name in calls)
        for name in called if isinstance(called, tuple | list) else ():
            found[names.get(name, name), expected] += 1
    return found
