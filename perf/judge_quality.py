"""How well a model judges: the judge's real request for every task of a labelled set, precision and recall by question.

    python perf/judge_quality.py -m openai/NAME [--base-url http://localhost:8000/v1] [--language en|zh] [--limit N]

The set (perf/judge_set/*.jsonl) is made by hand: sessions in our format, with faults planted. `labels` of a line has
for every task: `agrees`, does the closing reply agree with the results; `values`, per value that stands nowhere
literally the verdicts that are right (`call`: the node, `path`: of the argument); `edges`, the right ones as pairs
[needed, needing]; `earlier`, whether the task needs what came before, with the kinds of reference that are right.
What the record's `dependency_list` says is what the planner states, partly falsely. A reply that cannot be used is
asked again with the reason, as generation does. Every disagreement is printed with its conversation, the figures last.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json, Request
from toolgauge.data.sessions import session_from
from toolgauge.errors import ProviderError
from toolgauge.generation.dialogue import ArgumentVerdict, Verdict
from toolgauge.generation.graph import Node, read_nodes
from toolgauge.generation.judge import Case, judge, open_case, parse_verdict
from toolgauge.generation.prompts import text
from toolgauge.generation.replies import Unusable, schema_of
from toolgauge.generation.resume import add_task
from toolgauge.generation.state import DialogueState, StepRecord, seeded_random
from toolgauge.models import Model, ModelOptions, open_model

SET = Path(__file__).parent / "judge_set"
TRIES = 3
RIGHT = frozenset({"stated", "implied", "computed"})
ANSWERS, UNASKED, EDGES = "contradicting answers", "unasked values", "edges, two or more calls"
MIXED, CONTEXT = "edges, mixed graphs", "needs what came before"
Edge = tuple[int, int]


class Item(Struct, frozen=True):
    """A task to judge. name: its session and its number, from 1."""

    name: str
    language: str
    state: DialogueState
    case: Case
    labels: Json

    def verdicts(self, value: ArgumentVerdict) -> frozenset[str]:
        """The verdicts that are right for a value."""
        by_place = {(one["call"], one["path"]): one["verdicts"] for one in self.labels["values"]}
        return frozenset(by_place[value.call, value.path])


def read_set(languages: Sequence[str] = ("en", "zh")) -> Iterator[Item]:
    """The tasks of the set, in order: of each the state in which it has just been finished."""
    for language in languages:
        for line in (SET / f"{language}.jsonl").read_text("utf-8").splitlines():
            record = json.loads(line)
            session = session_from(record, language)
            for number, labels in enumerate(record["labels"], 1):
                name = f"{session.id}/{number}"
                draw = seeded_random(0, name)
                state = DialogueState(StepRecord(name), language, session.tools, session.id, draw, session.clock)
                for task in session.tasks[:number]:
                    add_task(state, task)
                yield Item(name, language, state, open_case(state), labels)


async def ask(model: Model, item: Item) -> Verdict | str:
    """A model's verdict on an item, or why it has none."""
    request, problem = judge(item.state, item.case), ""
    for step in range(TRIES):
        sent = Request(request.role, request.messages, (), item.name, step, reply_schema=schema_of(request.reply))
        try:
            return parse_verdict(await model.ask(sent), item.case)
        except Unusable as error:
            problem = str(error)
            request = judge(item.state, item.case).again(text("again", item.language, why=f"{problem} "))
        except ProviderError as error:
            return str(error)
    return problem


async def ask_all(model: Model, items: Sequence[Item], concurrency: int) -> list[Verdict | str]:
    """The verdicts on all items, in their order."""
    places = asyncio.Semaphore(concurrency)

    async def in_turn(item: Item) -> Verdict | str:
        async with places:
            return await ask(model, item)

    try:
        return await asyncio.gather(*map(in_turn, items))
    finally:
        await model.close()


def edges_of(nodes: Sequence[Node]) -> set[Edge]:
    """The edges among calls that stand in an annotated graph."""
    calls = {node.index for node in nodes if node.is_tool}
    return {
        (before, node.index)
        for node in nodes
        if node.is_tool
        for before, reasons in node.edges.items()
        if before in calls and any(one["kept"] for one in reasons)
    }


def closed(edges: set[Edge]) -> set[Edge]:
    """The edges with all that follow from them."""
    reach = set(edges)
    while more := {(a, d) for a, b in reach for c, d in reach if b == c} - reach:
        reach |= more
    return reach


def reduced(edges: set[Edge]) -> set[Edge]:
    """The edges that do not follow from others."""
    reach = closed(edges)
    return edges - {(a, d) for a, b in reach for c, d in reach if b == c}


def is_mixed(edges: set[Edge], calls: int) -> bool:
    """Does a call wait for another while two others can be made at the same time?"""
    return 0 < len(closed(edges)) < calls * (calls - 1) // 2


def found_edges(item: Item, verdict: Verdict) -> set[Edge]:
    """The edges that a task is annotated with after a verdict."""
    dialogue = item.state.dialogue()
    judged = replace(dialogue.tasks[-1], verdict=verdict)
    return reduced(edges_of(read_nodes(replace(dialogue, tasks=(*dialogue.tasks[:-1], judged)), item.state.task)))


def binary(counts: Counter[str], question: str, label: bool, verdict: bool) -> None:
    """Count one answer to a question."""
    counts.update({f"{question} planted": label, f"{question} ruled": verdict, f"{question} found": label and verdict})


def count(item: Item, verdict: Verdict | str, counts: Counter[str]) -> Iterator[str]:
    """Count what a verdict has right and wrong, and say where it differs from the labels."""
    counts["tasks"] += 1
    if isinstance(verdict, str):
        counts["no verdict"] += 1
        yield f"no verdict: {verdict}"
        return
    agrees = item.labels["agrees"]
    binary(counts, ANSWERS, not agrees, not verdict.answer_agrees)
    if agrees != verdict.answer_agrees:
        yield f"answer: label {agrees}, verdict {verdict.answer_agrees}: {verdict.answer_reason}"
    yield from _count_values(item, verdict, counts)
    yield from _count_edges(item, verdict, counts)
    yield from _count_earlier(item, verdict, counts)


def _count_values(item: Item, verdict: Verdict, counts: Counter[str]) -> Iterator[str]:
    for value in verdict.arguments:
        right, passed = item.verdicts(value), value.ruling in RIGHT
        binary(counts, UNASKED, right == {"unasked"}, value.ruling == "unasked" and "wrong" not in right)
        for name, counted in (("wrong", right == {"wrong"}), ("natural", right <= RIGHT)):
            counts.update({f"{name} values": counted, f"{name} passed": counted and passed})
        if value.ruling not in (RIGHT if right <= RIGHT else right):
            label = "/".join(sorted(right))
            yield f"{value.path} = {value.value!r}: label {label}, verdict {value.ruling}: {value.reason}"


def _count_edges(item: Item, verdict: Verdict, counts: Counter[str]) -> Iterator[str]:
    calls = len(item.case.calls)
    if calls < 2:
        return
    label, found = reduced({(a, b) for a, b in item.labels["edges"]}), found_edges(item, verdict)
    for name in (EDGES, MIXED) if is_mixed(label, calls) else (EDGES,):
        counts.update({f"{name} planted": len(label), f"{name} ruled": len(found), f"{name} found": len(label & found)})
        counts.update({f"{name} graphs": 1, f"{name} right": label == found})
    if label != found:
        reasons = " ".join(one.reason for one in (*verdict.missing, *verdict.false))
        yield f"edges: label {sorted(label)}, verdict {sorted(found)}: {reasons}"


def _count_earlier(item: Item, verdict: Verdict, counts: Counter[str]) -> Iterator[str]:
    if not item.state.task:
        return
    label = item.labels["earlier"]
    agrees = label["needed"] == verdict.needs_earlier
    binary(counts, CONTEXT, label["needed"], verdict.needs_earlier)
    if label["needed"] and verdict.needs_earlier:
        agrees = verdict.reference in label["kinds"]
        counts.update({"kinds": 1, "kinds right": agrees})
    if not agrees:
        kinds = "/".join(label["kinds"]) or "not needed"
        yield f"earlier: label {kinds}, verdict {verdict.reference or 'not needed'}: {verdict.reason}"


def rate(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / whole:.1%})" if whole else "-"


def report(counts: Counter[str]) -> dict[str, str]:
    """The figures of a table by their names."""
    rows = {"tasks": str(counts["tasks"]), "without a usable verdict": str(counts["no verdict"])}
    for name in (ANSWERS, UNASKED, EDGES, MIXED, CONTEXT):
        found = counts[f"{name} found"]
        rows[f"{name}: recall (found of planted)"] = rate(found, counts[f"{name} planted"])
        rows[f"{name}: precision"] = rate(found, counts[f"{name} ruled"])
        if graphs := counts[f"{name} graphs"]:
            rows[f"{name}: graphs wholly right"] = rate(counts[f"{name} right"], graphs)
    rows["wrong values passed"] = rate(counts["wrong passed"], counts["wrong values"])
    rows["natural values refused"] = rate(counts["natural values"] - counts["natural passed"], counts["natural values"])
    rows["kind of reference agrees"] = rate(counts["kinds right"], counts["kinds"])
    return rows


def measured(
    items: Sequence[Item], verdicts: Sequence[Verdict | str]
) -> tuple[dict[str, dict[str, str]], list[tuple[Item, str]]]:
    """The figures by language and in all, and every disagreement."""
    tallies: dict[str, Counter[str]] = {}
    different: list[tuple[Item, str]] = []
    for item, verdict in zip(items, verdicts, strict=True):
        different += [(item, said) for said in count(item, verdict, tallies.setdefault(item.language, Counter()))]
    tables = {language: report(tally) for language, tally in tallies.items()}
    return tables | {"all": report(sum(tallies.values(), Counter()))}, different


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--model", required=True)
    parser.add_argument("--base-url")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one request")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--language", choices=("en", "zh"))
    parser.add_argument("--limit", type=int, help="so many tasks of the set")
    asked = parser.parse_args()
    items = list(read_set(languages=(asked.language,) if asked.language else ("en", "zh")))[: asked.limit]
    options = ModelOptions(base_url=asked.base_url, timeout=asked.timeout, concurrency=asked.concurrency)
    verdicts = asyncio.run(ask_all(open_model(asked.model, options), items, asked.concurrency))
    tables, different = measured(items, verdicts)
    for item, said in different:
        print(f"\n== {item.name}, {said}")
        print(*(message.content for message in judge(item.state, item.case).messages[1:]), sep="\n")
    for name, rows in tables.items():
        print(f"\n{name}", *(f"  {row:48} {value}" for row, value in rows.items()), sep="\n")


if __name__ == "__main__":
    main()
