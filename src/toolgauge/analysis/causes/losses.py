"""The losses of a run: each failed task belongs to one mistake, and the mistakes' points add up to what is missing."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.causes.concentration import Concentration, Places, Search
from toolgauge.analysis.causes.examples import Positions, SessionDescriber, TaskDescriber
from toolgauge.analysis.decide import Interval, PairedRow, paired_test
from toolgauge.analysis.intervals import FEWEST_CLUSTERS
from toolgauge.analysis.rates import estimates
from toolgauge.analysis.sheet import RateRow, Sheet
from toolgauge.analysis.table import Plan, RunTable
from toolgauge.artefacts import DIGITS
from toolgauge.data.session import KINDS, Dataset
from toolgauge.data.task_ids import without_epoch
from toolgauge.judge.verdict import CORRECT, EXACT, Score
from toolgauge.reasons import GAP, Explanation, ReasonText, ReasonTexts
from toolgauge.visible import one_line

EXAMPLES = 3
_FIRST_ROOT = re.compile(r"[^.\[]+")


class Loss(Struct, frozen=True):
    """The tasks that one mistake cost.

    points: percentage points of task accuracy, with `ci95` (clustered by session); tasks: how many; at_risk: in how
    many tasks the mistake was possible; pattern: what it usually looks like; examples: task ids, the typical first.
    """

    mistake: str
    points: float
    tasks: int
    ci95: Interval | None
    at_risk: int
    pattern: ReasonPattern | None
    concentrates: tuple[Concentration, ...]
    examples: tuple[str, ...]


class Lead(Struct, frozen=True):
    """By how many points the first loss is bigger than the second, with the 95% interval of a paired test over
    sessions."""

    points: float
    ci95: Interval

    @property
    def clear(self) -> bool:
        return self.ci95[0] > 0


class NearMisses(Struct, frozen=True):
    """Sessions with one task wrong. sessions: how many, of all `of` sessions that were scored whole (one per epoch);
    points: of session accuracy; blocked_by: mistake -> sessions, most frequent first; examples: the tasks in the way.
    """

    sessions: int
    of: int
    points: float
    blocked_by: dict[str, int]
    examples: tuple[str, ...]


class Losses(Struct, frozen=True):
    """All losses of a run in one scoring, the biggest first.

    accuracy: in percent; points: what is missing to 100, the sum of all losses' points. forgiven: tasks that are right
    in the scoring and wrong by `exact`; they are in no loss. located: False where the data
    set is not at hand, so that nothing but positions could be tested. lead: None with fewer than two losses or ten
    sessions; near_misses: None where no session has several tasks.
    """

    scoring: str
    scored: int
    correct: int
    accuracy: float | None
    points: float | None
    losses: tuple[Loss, ...]
    lead: Lead | None
    near_misses: NearMisses | None
    located: bool
    forgiven: int = 0


class ScoredTasks:
    """The scored tasks of a run as a table, and where each stands; of two scores of a task the later counts.

    described: what their benchmark knows of them; in_passes: their numbers, pass by pass through the data.
    """

    def __init__(self, scores: Sequence[Score], described: TaskDescriber) -> None:
        sessions: dict[str, dict[str, int]] = {}
        for score in scores:
            sessions.setdefault(score.session_id, {})[without_epoch(score.task_id)] = score.task_index
        tasks = [
            [(task_id, None) for task_id in sorted(own, key=lambda task_id: own[task_id])] for own in sessions.values()
        ]
        self.described, self.table = described, RunTable(Plan("scores", tasks, lambda _none: ""), scores, None)
        self.in_passes: list[int] = np.argsort(self.table.epoch, kind="stable").tolist()
        self.scores = [score for score in self.table.scores if score is not None]
        self.places = Places([described.about(score) for score in self.scores], self.table.session)


def losses(
    dataset: object,
    scores: Sequence[Score],
    scoring: str,
    examples: int = EXAMPLES,
    describer: TaskDescriber | None = None,
    texts: ReasonTexts | None = None,
) -> Losses:
    """The losses of scored tasks. Every scored task weighs the same, also where the benchmark weighs groups.

    dataset: None where it is not at hand. describer: what the benchmark knows of its tasks (`describer_of`); without it
    those of a data set of sessions are known, of others only their positions. texts: the English ones of the codes
    (`reason_texts`). A scoring that no score has gives no losses. The same scores give the same result.
    """
    tasks = ScoredTasks(scores, describer or default_describer(dataset))
    return losses_of(tasks, Sheet(tasks.table, scoring), texts or {}, dataset is not None, examples)


def losses_of(tasks: ScoredTasks, sheet: Sheet, texts: ReasonTexts, located: bool, examples: int = EXAMPLES) -> Losses:
    """`losses` of a table at hand. sheet: of the scoring; located: is the data set at hand?"""
    scored, right, scoring = int(sheet.scored.sum()), int(sheet.right.sum()), sheet.scoring
    failed: dict[str, list[int]] = defaultdict(list)
    for number in tasks.in_passes:
        if mistake := sheet.mistakes[number]:
            failed[mistake].append(number)
    ordered = sorted(failed, key=lambda mistake: (-len(failed[mistake]), mistake))
    rows = list(sheet.shares("losses", ordered, sheet.mistakes, sheet.scored.astype(float)))[: len(ordered)]
    wrong = {number: tasks.scores[number] for numbers in failed.values() for number in numbers}
    causes = {number: score.cause(scoring) for number, score in wrong.items()}
    reasons = {number: cause.why for number, cause in causes.items() if cause and cause.why and cause.why.detail}
    parameters = {number: _wrong_parameters(score, scoring) for number, score in wrong.items()}
    search = Search(failed, sheet.scored, parameters, tasks.described.needs, tasks.places)
    losses = []
    for mistake, rate in zip(ordered, estimates(rows), strict=True):
        numbers, where = failed[mistake], search.found[mistake]
        pattern = common_pattern([reasons[number] for number in numbers if number in reasons], texts)
        losses.append(
            Loss(
                mistake,
                points=round(100 * (rate.value or 0.0), DIGITS),
                tasks=len(numbers),
                ci95=rate.interval and (round(100 * rate.interval[0], DIGITS), round(100 * rate.interval[1], DIGITS)),
                at_risk=search.at_risk[mistake],
                pattern=pattern,
                concentrates=where,
                examples=_typical(tasks, numbers, where, pattern, reasons, texts)[:examples],
            )
        )
    return Losses(
        scoring=scoring,
        scored=scored,
        correct=right,
        accuracy=_points(right, scored) if scored else None,
        points=_points(scored - right, scored) if scored else None,
        losses=tuple(losses),
        lead=_lead(rows) if len(rows) > 1 else None,
        near_misses=_near_misses(tasks, sheet, examples),
        located=located,
        forgiven=sum(
            outcome == CORRECT and score.mistake(EXACT) is not None
            for outcome, score in zip(sheet.outcomes, tasks.scores, strict=True)
        ),
    )


def _points(tasks: int, scored: int) -> float:
    return round(100 * tasks / scored, DIGITS)


def _wrong_parameters(score: Score, scoring: str) -> set[str]:
    """Of a wrong task, as `exact` tells them; the parameter is what the path of an argument begins with."""
    wrong = score.scorings.get(EXACT, score.scorings[scoring]).wrong_arguments
    roots = ((tool, _FIRST_ROOT.match(path), path) for tool, path in (wrong if isinstance(wrong, tuple) else ()))
    return {f"{tool}.{root[0] if root else path}" for tool, root, path in roots}


def _lead(rows: Sequence[RateRow]) -> Lead | None:
    first, second = rows[:2]
    if np.count_nonzero(first.trials) < FEWEST_CLUSTERS:
        return None
    pair = PairedRow("losses", "lead", np.stack([second.hits, first.hits]), np.stack([second.trials, first.trials]))
    test = paired_test(pair)
    if test.difference is None or test.interval is None:
        return None
    low, high = (round(100 * end, DIGITS) for end in test.interval)
    return Lead(round(100 * test.difference, DIGITS), (low, high))


def _typical(
    tasks: ScoredTasks,
    numbers: Sequence[int],
    where: Sequence[Concentration],
    pattern: ReasonPattern | None,
    reasons: Mapping[int, Explanation],
    texts: ReasonTexts,
) -> tuple[str, ...]:
    """The ids of a loss's tasks, first those in its clearest place that look as it usually does, and of these the
    first of each session."""

    def is_usual(why: Explanation | None) -> bool:
        return why is not None and usual in (why.detail, form_of(why, texts).detail)

    place = (where[0].dimension, where[0].name) if where else None
    usual = pattern.why.detail if pattern else None
    strange = {
        number: (
            place is not None and place not in tasks.places.of[number],
            usual is not None and not is_usual(reasons.get(number)),
        )
        for number in numbers
    }
    ordered = [tasks.scores[number] for number in sorted(numbers, key=strange.__getitem__)]
    first = {score.session_id: score.task_id for score in reversed(ordered)}
    later = [score.task_id for score in ordered if first[score.session_id] != score.task_id]
    return (*(score.task_id for score in ordered if first[score.session_id] == score.task_id), *later)


def _near_misses(tasks: ScoredTasks, sheet: Sheet, most: int) -> NearMisses | None:
    units, starts = sheet.units, tasks.table.unit_starts
    lengths = np.array([tasks.described.length(tasks.scores[start].session_id) for start in starts], dtype=np.int64)
    whole = units.complete & (units.sizes > 1) & (units.sizes >= lengths)
    if not whole.any():
        return None
    near = np.repeat(whole & (units.right == units.sizes - 1), np.diff([*starts, len(tasks.scores)]))
    wrong = near & (sheet.wrong > 0)
    blocked = [number for number in tasks.in_passes if wrong[number]]
    counts = Counter(str(sheet.mistakes[number]) for number in blocked)
    return NearMisses(
        len(blocked),
        int(whole.sum()),
        _points(len(blocked), int(whole.sum())),
        dict(counts.most_common()),
        tuple(tasks.scores[number].task_id for number in blocked[:most]),
    )


def default_describer(dataset: object) -> TaskDescriber:
    """Of a data set of sessions, or of what is not known."""
    return SessionDescriber(dataset) if isinstance(dataset, Dataset) else Positions()


_LONGEST = 400
_VALUES = re.compile(r"""'(?:[^'\\]|\\.){0,400}'|"(?:[^"\\]|\\.){0,400}"|\[[^\[\]]*\]|(?<![\w.])-?\d+(?:\.\d+)?""")
_AT_TOOL = re.compile(r"^[^\s(:]{1,120}(?:\([^()]{0,200}\))?: (?=\S)")
"""The tool and the path of the argument before what is wrong with it."""
_LAST_GAP = re.compile(rf"[:：] ?{GAP}$")


class ReasonPattern(Struct, frozen=True):
    """What a mistake usually looks like. why: its detail is in English, on one line, gaps ("…") for what differs;
    tasks: how many of the loss's tasks have it."""

    why: Explanation
    tasks: int

    def in_words(self, texts: ReasonTexts) -> str:
        """For readers of the texts' language, without a published evaluator's own words, and without a gap at the end,
        which tells nothing."""
        reason_text = texts.get(self.why.code)
        plain = (
            {**texts, self.why.code: ReasonText(reason_text.meaning)} if reason_text and reason_text.meaning else texts
        )
        return _LAST_GAP.sub("", self.why.in_words(plain))


def common_pattern(reasons: Sequence[Explanation], texts: ReasonTexts) -> ReasonPattern | None:
    """The explanation that at least half of the tasks share word by word, else their most frequent form; None without
    any. Explanations of different kinds differ. Of two that are equally frequent the first to occur. texts: the
    English ones.
    """
    lines = [(one_line(why.detail, _LONGEST), why.kind(texts)) for why in reasons]
    if not lines:
        return None
    (text, kind), tasks = Counter(lines).most_common(1)[0]
    usual = reasons[lines.index((text, kind))].cut(_LONGEST)
    if 2 * tasks < len(lines) or tasks == 1:
        forms = [form_of(why, texts) for why in reasons]
        keys = [(form.detail, form.kind(texts)) for form in forms]
        (text, kind), tasks = Counter(keys).most_common(1)[0]
        usual = forms[keys.index((text, kind))]
    return ReasonPattern(replace(usual, detail=text), tasks)


def form_of(why: Explanation, texts: ReasonTexts) -> Explanation:
    """An explanation without the names and values it is about. Where nothing but a text is known, whatever looks like
    a name or a value is left out of that."""
    if why.code in texts:
        return why.form(texts)
    return Explanation(_VALUES.sub(GAP, _AT_TOOL.sub("", one_line(why.detail, _LONGEST))))


DIMENSIONS = ("kind", "category", "position")
"""By what tasks are told apart, the first that a benchmark has (`Places`)."""


class Crossing(Struct, frozen=True):
    """dimension: one of DIMENSIONS. scored: tasks by place, those of `KINDS` in their order, others in that of the
    data; failed: by mistake, the most frequent first, then by place, where there are any."""

    dimension: str
    scored: dict[str, int]
    failed: dict[str, dict[str, int]]


def crossing(tasks: ScoredTasks, sheet: Sheet) -> Crossing | None:
    """The table of scored tasks, in their places; None where nothing failed, or where nothing tells the tasks apart."""
    for dimension in DIMENSIONS:
        placed = {
            name: [number for number in numbers if sheet.scored[number]]
            for (kind, name), numbers in tasks.places.members.items()
            if kind == dimension
        }
        placed = {name: numbers for name, numbers in placed.items() if numbers}
        if len(placed) < 2:
            continue
        names = sorted(placed, key=lambda name: KINDS.index(name) if name in KINDS else len(KINDS))
        failed: dict[str, Counter[str]] = {}
        for name in names:
            for number in placed[name]:
                if mistake := sheet.mistakes[number]:
                    failed.setdefault(mistake, Counter())[name] += 1
        ordered = sorted(failed, key=lambda mistake: (-failed[mistake].total(), mistake))
        table = {
            name_of_run: {name: failed[name_of_run][name] for name in names if failed[name_of_run][name]}
            for name_of_run in ordered
        }
        return Crossing(dimension, {name: len(placed[name]) for name in names}, table) if table else None
    return None
