"""Data files for the tests of this room: two small ones made by hand, and one of the size of the public sets."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures"
Record = dict[str, Any]

NAMES = {
    "single": "Single-Tool",
    "parallel": "Parallel Multi-Tool",
    "sequential": "Sequential Multi-Tool",
    "mixed": "Mixed Multi-Tool",
    "clarify": "Clarify",
    "chat": "Chat",
}


@pytest.fixture(scope="session")
def small_wildtoolbench() -> Path:
    return FIXTURES / "wildtoolbench_small.jsonl"


@pytest.fixture(scope="session")
def small_mmtb() -> Path:
    return FIXTURES / "mmtb_small.jsonl"


def _node(index: int, name: str, after: list[int], **more: Any) -> Record:
    action = {"name": name, "arguments": {}}
    return {"idx": index, "action": action, "dependency_list": after, "observation": "done", **more}


def graph(shape: str, size: int) -> list[Record]:
    """A task's nodes: `size` of them with the closing reply."""
    calls = size - 1
    if shape == "clarify":  # asks until one call is left, then calls
        asks = [
            _node(i, "ask_user_for_required_parameters", [i - 1] if i else [], user_input="well")
            for i in range(calls - 1)
        ]
        return [*asks, _node(calls - 1, "act", [calls - 2]), _node(calls, "prepare_to_answer", [calls - 1])]
    if shape == "sequential":
        after = [[i - 1] if i else [] for i in range(calls)]
    elif shape == "mixed":  # all at once, then one that needs them
        after = [[] for _ in range(calls - 1)] + [list(range(calls - 1))]
    else:
        after = [[] for _ in range(calls)]
    used = {before for one in after for before in one}
    nodes = [_node(i, "act", one) for i, one in enumerate(after)]
    return [*nodes, _node(calls, "prepare_to_answer", [i for i in range(calls) if i not in used])]


def public_like() -> Iterator[Record]:
    """256 sessions with exactly the published totals, about nothing."""
    shapes = iter(["sequential"] * 16 + ["mixed"] * 84 + ["parallel"] * 156)
    sizes = {"sequential": iter([3] * 11 + [4] * 5), "mixed": iter([6] * 44 + [7] * 40)}
    later = ["Coreferential Reference"] * 349 + ["Partial Information"] * 240 + ["Long-Range Dependency"] * 179
    references = iter(later)
    turns = iter([4] * 73 + [5] * 93 + [6] * 50 + [7] * 30 + [8] * 9 + [9])
    routes = itertools.product(("single", "multi", "clarify", "chat"), repeat=4)
    odd_one = True  # one clarify task has parallel calls
    for number, route in enumerate(sorted(routes, key=lambda one: one.count("clarify"))):
        extra = next(turns) - 4 - route.count("clarify")
        types, answers = [], []
        for kind in route:
            shape = next(shapes) if kind == "multi" else kind
            size = {"single": 2, "parallel": 3, "clarify": 3, "chat": 1}.get(shape) or next(sizes[shape])
            if shape == "clarify":
                size, extra = size + extra, 0
            nodes = graph(shape, size)
            if shape == "clarify" and odd_one:
                nodes[-1:] = [_node(2, "act", [0]), _node(3, "prepare_to_answer", [1, 2])]
                odd_one = False
            types.append(NAMES[shape])
            answers.append(nodes)
        yield _session(number, types, answers, [next(references) for _ in range(3)], extra)


def _session(number: int, types: list[str], answers: list[Any], references: list[str], preludes: int) -> Record:
    messages: list[Any] = [
        {"role": role, "content": "hello"} for _ in range(preludes) for role in ("user", "assistant")
    ]
    for nodes in answers:
        messages.append({"role": "user", "content": "please"})
        for node in nodes:
            if "user_input" in node:
                messages += [{"role": "assistant", "content": "which?"}, {"role": "user", "content": "well"}]
        messages += [{"role": "assistant", "content": "done"}, "====="]
    schema = {"type": "object", "properties": {}, "required": []}
    return {
        "id": f"wild_tool_bench_{number}",
        "english_env_info": "2025-05-04 08:00:00 Sunday",
        "english_tools": [
            {"type": "function", "function": {"name": "act", "description": "Does it.", "parameters": schema}}
        ],
        "english_tasks": ["please"] * 4,
        "english_answer_list": answers,
        "english_task_types": types,
        "english_turn_subtypes": references,
        "english_messages": messages,
    }


@pytest.fixture(scope="session")
def public_like_records() -> list[Record]:
    return list(public_like())


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    """Writes values as JSON lines and returns the file."""

    def write(*values: Any, name: str = "data.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values), encoding="utf-8")
        return path

    return write
