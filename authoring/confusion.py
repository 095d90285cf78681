"""Which fault the judge tells where which is planted: the table of authoring/confusion.md.

    TOOLGAUGE_SHARED=../shared python authoring/confusion.py     writes it into the page

Every fault that can be made is made once at every request of every task, with everything before it right, on the
embedded benchmark and on the sample sessions of WildToolBench (which are no part of the repository), in both languages.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from planting import TEXT_KINDS, plan_texts, plan_unfinished
from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, GraphBenchmark
from toolgauge.chat import Reply, Request
from toolgauge.data.session import Dataset
from toolgauge.episode import drive
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import CORRECT, Verdict
from toolgauge.models.builtin.mistakes import plan_mistakes

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "authoring" / "confusion.md"
BEGIN, END = "<!-- made by authoring/confusion.py -->", "<!-- end -->"
HEADINGS = ("planted", "mini, English", "mini, Chinese", "real, English", "real, Chinese", "told as something else")
FAULTS = (*(mistake.value for mistake in Mistake), *TEXT_KINDS)
LANGUAGES = ("en", "zh")
REAL = Path("data") / "wildtoolbench" / "sample_sessions.jsonl"

Confusion = Counter[tuple[str, str]]
"""How often a planted fault is told as which."""


def confusion(benchmark: GraphBenchmark, dataset: Dataset) -> Confusion:
    """Every fault at every request of every task, as `exact` tells it."""
    return Counter((planted, told(planted, verdict)) for planted, verdict in judged(benchmark, dataset))


def judged(benchmark: GraphBenchmark, dataset: Dataset) -> Iterator[tuple[str, Verdict]]:
    for sample in benchmark.samples(dataset):
        for step, reply in plantable(benchmark, dataset, sample):
            trajectory = drive(benchmark.episode(dataset, sample), _spoilt(step, reply))
            (score,) = benchmark.scores(dataset, trajectory)
            yield reply.planted or "", score.scorings["exact"]


def plantable(benchmark: GraphBenchmark, dataset: Dataset, sample: Sample) -> list[tuple[int, Reply]]:
    """The faults that can be made on the way of a perfect model: the step, and what is said there."""
    moments: list[tuple[int, Reply]] = []

    def look(request: Request) -> Reply:
        assert request.gold_hint is not None
        plans = (*plan_mistakes(request), *plan_unfinished(request), *plan_texts(request))
        moments.extend((request.step, reply) for _name, reply in plans)
        return request.gold_hint.reply

    drive(benchmark.episode(dataset, sample), look)
    return moments


def told(planted: str, verdict: Verdict) -> str:
    """The class that a verdict has; of a text that was planted as one of a kind, the kind."""
    if planted in TEXT_KINDS and verdict.mistake in (Mistake.REFUSAL, Mistake.EARLY_TERMINATION):
        return str((verdict.parameters or {}).get("kind"))
    return verdict.mistake or CORRECT


def embedded(language: str) -> Confusion:
    mini = GRAPH_BENCHMARKS["mini"]
    assert mini.embedded is not None
    return confusion(mini, mini.load(mini.embedded, language))


def real(file: Path, language: str) -> Confusion:
    benchmark = GRAPH_BENCHMARKS["wildtoolbench"]
    return confusion(benchmark, benchmark.load(file, language))


def rows(columns: Mapping[str, Confusion]) -> list[str]:
    """The table in Markdown. columns: by heading."""
    lines = [f"| {' | '.join(HEADINGS)} |", "|" + "---|" * len(HEADINGS)]
    for fault in FAULTS:
        cells = [_cell(columns[heading], fault) for heading in HEADINGS[1:-1]]
        others = Counter[str]()
        for found in columns.values():
            others.update({other: n for (planted, other), n in found.items() if planted == fault != other})
        wrong = ", ".join(f"`{other}` {number}" for other, number in others.most_common()) or "–"
        lines.append(f"| `{fault}` | {' | '.join(cells)} | {wrong} |")
    return lines


def _cell(found: Confusion, fault: str) -> str:
    planted = sum(number for (one, _told), number in found.items() if one == fault)
    return f"{found[fault, fault]}/{planted}" if planted else "–"


def _spoilt(step: int, reply: Reply):  # type: ignore[no-untyped-def]
    def answer(request: Request) -> Reply:
        assert request.gold_hint is not None
        return reply if request.step == step else request.gold_hint.reply

    return answer


def main() -> None:
    shared = Path(os.environ.get("TOOLGAUGE_SHARED", ROOT.parent / "shared"))
    found = [*map(embedded, LANGUAGES), *(real(shared / REAL, language) for language in LANGUAGES)]
    table = rows(dict(zip(HEADINGS[1:-1], found, strict=True)))
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text("\n".join((before + BEGIN, "", *table, "", END)) + after, encoding="utf-8")
    print("\n".join(table))


if __name__ == "__main__":
    main()
