"""The labelled set of the judge is whole, and its figures are those of the verdicts that are put in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from judge_quality import Item, ask_all, edges_of, measured, read_set, reduced
from toolgauge.chat import Json, Reply, Request
from toolgauge.generation.graph import read_nodes

ITEMS = list(read_set())


class Scripted:
    """A model whose every first reply cannot be used, and whose second is that of a function."""

    name = "scripted"

    def __init__(self, items: list[Item], answer: Callable[[Item], Json]) -> None:
        self.replies = {item.name: json.dumps(answer(item)) for item in items}

    async def ask(self, request: Request) -> Reply:
        if request.step == 0:
            return Reply(content="I would say it is fine.")
        return Reply(content=self.replies[request.episode])

    async def close(self) -> None:
        """Nothing is open."""

    def describe(self) -> Json:
        return {}


def perfect(item: Item) -> Json:
    """The verdict that the labels ask for."""
    values = {(one["call"], one["path"]): one["verdicts"][0] for one in item.labels["values"]}
    nodes = read_nodes(item.state.dialogue(), item.state.task)
    stated, right = edges_of(nodes), reduced({(a, b) for a, b in item.labels["edges"]})
    ids = {node.index: node.action.id for node in item.case.calls}
    earlier = item.labels["earlier"]
    return {
        "answer": {"agrees": item.labels["agrees"]},
        "arguments": [{"number": one.number, "verdict": values[one.call, one.path]} for one in item.case.unproven],
        "edges": {
            "missing": [{"from": ids[a], "to": ids[b]} for a, b in right - stated],
            "false": [{"from": ids[a], "to": ids[b]} for a, b in stated - right],
        },
        "earlier": {"needed": earlier["needed"], "kind": (earlier["kinds"] or ["none"])[0], "task": earlier["task"]},
    }


def content(item: Item) -> Json:
    """A verdict that finds no fault anywhere."""
    return {
        "answer": {"agrees": True},
        "arguments": [{"number": one.number, "verdict": "implied"} for one in item.case.unproven],
        "earlier": {"needed": False},
    }


def measured_with(answer: Callable[[Item], Json]) -> tuple[dict[str, dict[str, str]], list[tuple[Item, str]]]:
    return measured(ITEMS, asyncio.run(ask_all(Scripted(ITEMS, answer), ITEMS, 4)))


def test_a_perfect_judge_has_no_disagreement() -> None:
    tables, different = measured_with(perfect)
    assert different == []
    for row, value in tables["all"].items():
        if row.endswith(("precision", "planted)", "agrees")):
            assert value.endswith("(100.0%)"), row
    assert "(0.0%)" in tables["all"]["wrong values passed"]
    assert "(0.0%)" in tables["all"]["natural values refused"]


def test_a_judge_that_is_always_content_finds_nothing() -> None:
    rows = measured_with(content)[0]["all"]
    assert "(0.0%)" in rows["contradicting answers: recall (found of planted)"]
    assert rows["contradicting answers: precision"] == "-"
    assert "(100.0%)" in rows["wrong values passed"]
    assert "(0.0%)" in rows["natural values refused"]
