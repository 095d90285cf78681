"""The losses of a run: each failed task belongs to one mistake, and the mistakes' points add up to what is missing."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.analysis.causes.cases import Case, TaskDescriber, cases_of
from toolgauge.analysis.causes.concentration import Concentration, Places, Search
from toolgauge.analysis.causes.examples import Positions, SessionDescriber
from toolgauge.analysis.decide import Interval, PairedRow, paired_test
from toolgauge.analysis.intervals import FEWEST_CLUSTERS, Floats, intervals
from toolgauge.artefacts import DIGITS
from toolgauge.data.session import KINDS, Dataset
from toolgauge.judge.verdict import Score
from toolgauge.reasons import GAP, Explanation, ReasonText, ReasonTexts
from toolgauge.visible import one_line

EXAMPLES = 3


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
    describer = describer or default_describer(dataset)
    return losses_of(
        cases_of(describer, scores, scoring), scoring, describer, texts or {}, dataset is not None, examples
    )


def losses_of(
    cases: Sequence[Case],
    scoring: str,
    describer: TaskDescriber,
    texts: ReasonTexts,
    located: bool,
    examples: int = EXAMPLES,
    places: Places | None = None,
) -> Losses:
    """`losses` of cases at hand (`cases_of`). located: is the data set at hand? places: those of the cases, where they
    are known from another scoring."""
    failed: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.mistake:
            failed[case.mistake].append(case)
    ordered = sorted(failed, key=lambda mistake: (-len(failed[mistake]), mistake))
    hits, trials = _per_session(cases, ordered)
    bounds = intervals(hits, trials) if ordered else np.empty((0, 2))
    search = Search(cases, describer.needs, places or Places(cases)) if ordered else None
    found = []
    for mistake, ends in zip(ordered, bounds, strict=True):
        assert search is not None
        where, pattern = tuple(search.found[mistake]), common_pattern(_reasons(failed[mistake]), texts)
        typical = _typical(failed[mistake], where, pattern, examples, texts)
        points, tasks = _points(len(failed[mistake]), len(cases)), len(failed[mistake])
        at_risk = search.at_risk[mistake]
        found.append(Loss(mistake, points, tasks, _interval(ends), at_risk, pattern, where, typical))
    lost = sum(map(len, failed.values()))
    return Losses(
        scoring=scoring,
        scored=len(cases),
        correct=len(cases) - lost,
        accuracy=_points(len(cases) - lost, len(cases)) if cases else None,
        points=_points(lost, len(cases)) if cases else None,
        losses=tuple(found),
        lead=_lead(hits, trials) if len(ordered) > 1 else None,
        near_misses=_near_misses(cases, describer, examples),
        located=located,
        forgiven=sum(case.forgiven for case in cases),
    )


def _reasons(failed: Sequence[Case]) -> list[Explanation]:
    return [case.why for case in failed if case.why is not None and case.why.detail]


def _points(tasks: int, scored: int) -> float:
    return round(100 * tasks / scored, DIGITS)


def _interval(ends: Floats) -> Interval | None:
    low, high = (round(100 * float(end), DIGITS) for end in ends)
    return None if math.isnan(low) else (low, high)


def _per_session(cases: Sequence[Case], mistakes: Sequence[str]) -> tuple[Floats, Floats]:
    """Failed and scored tasks per session: shape (mistakes, sessions), in the order of the mistakes."""
    numbers: dict[str, int] = {}
    for case in cases:
        numbers.setdefault(case.session_id, len(numbers))
    rows = {mistake: row for row, mistake in enumerate(mistakes)}
    hits, trials = np.zeros((len(mistakes), len(numbers))), np.zeros(len(numbers))
    for case in cases:
        trials[numbers[case.session_id]] += 1
        if case.mistake:
            hits[rows[case.mistake], numbers[case.session_id]] += 1
    return hits, np.tile(trials, (len(mistakes), 1))


def _lead(hits: Floats, trials: Floats) -> Lead | None:
    if hits.shape[1] < FEWEST_CLUSTERS:
        return None
    found = paired_test(PairedRow("losses", "lead", hits[1::-1], trials[1::-1]))
    if found.difference is None or found.interval is None:
        return None
    low, high = (round(100 * end, DIGITS) for end in found.interval)
    return Lead(round(100 * found.difference, DIGITS), (low, high))


def _typical(
    failed: Sequence[Case],
    places: Sequence[Concentration],
    pattern: ReasonPattern | None,
    wanted: int,
    texts: ReasonTexts,
) -> tuple[str, ...]:
    """Task ids: those in the clearest place that look as usual first, of different sessions where possible."""

    def strangeness(case: Case) -> tuple[bool, bool]:
        away = bool(places) and (places[0].dimension, places[0].name) not in case.places
        usual = pattern is None or (
            case.why is not None and pattern.why.detail in (case.why.detail, form_of(case.why, texts).detail)
        )
        return away, not usual

    seen: set[str] = set()
    first: list[str] = []
    later: list[str] = []
    for case in sorted(failed, key=strangeness):
        (later if case.session_id in seen else first).append(case.task_id)
        seen.add(case.session_id)
    return tuple([*first, *later][:wanted])


def _near_misses(cases: Sequence[Case], describer: TaskDescriber, wanted: int) -> NearMisses | None:
    samples: dict[tuple[str, int], list[Case]] = defaultdict(list)
    for case in cases:
        samples[case.unit].append(case)
    whole = [sample for key, sample in samples.items() if len(sample) > 1 and len(sample) >= describer.length(key[0])]
    if not whole:
        return None
    blocked = [wrong[0] for sample in whole if len(wrong := [case for case in sample if case.mistake]) == 1]
    counts = Counter(str(case.mistake) for case in blocked)
    return NearMisses(
        len(blocked),
        len(whole),
        _points(len(blocked), len(whole)),
        dict(counts.most_common()),
        tuple(case.task_id for case in blocked[:wanted]),
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
        own = texts.get(self.why.code)
        plain = {**texts, self.why.code: ReasonText(own.meaning)} if own and own.meaning else texts
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
"""By what tasks are told apart, the first that a benchmark has (`Case.places`)."""


class Crossing(Struct, frozen=True):
    """dimension: one of DIMENSIONS. scored: tasks by place, those of `KINDS` in their order, others in that of the
    data; failed: by mistake, the most frequent first, then by place, where there are any."""

    dimension: str
    scored: dict[str, int]
    failed: dict[str, dict[str, int]]


def crossing(cases: Sequence[Case], places: Places) -> Crossing | None:
    """The table of scored tasks, in their places; None where nothing failed, or where nothing tells the tasks apart."""
    for dimension in DIMENSIONS:
        placed = {name: numbers for (kind, name), numbers in places.members.items() if kind == dimension}
        if len(placed) < 2:
            continue
        names = sorted(placed, key=lambda name: KINDS.index(name) if name in KINDS else len(KINDS))
        failed: dict[str, Counter[str]] = {}
        for name in names:
            for number in placed[name]:
                if mistake := cases[number].mistake:
                    failed.setdefault(mistake, Counter())[name] += 1
        ordered = sorted(failed, key=lambda mistake: (-failed[mistake].total(), mistake))
        table = {one: {name: failed[one][name] for name in names if failed[one][name]} for one in ordered}
        return Crossing(dimension, {name: len(placed[name]) for name in names}, table) if table else None
    return None
