"""The plan of the embedded benchmark: which kind, shape and reference each task of the 32 sessions has.

The kinds follow an orthogonal array of strength 2 over GF(4) (Bush's construction, taken twice with a shift), so
that every kind stands 8 times at every position and every one of the 16 transitions occurs 6 times.
Run `python authoring/plan.py` to print the plan.
"""

from __future__ import annotations

from typing import NamedTuple

DOMAINS = ("travel", "home", "food", "money", "health", "office", "shopping", "city")
KINDS = ("single", "multi", "clarify", "chat")
SHAPES = ("parallel", "sequential", "mixed")


class PlannedTask(NamedTuple):
    kind: str  # single_tool, parallel_tools, sequential_tools, mixed_tools, clarify or chat
    reference: str  # first_turn, coreference, partial_information or long_range


def _times(a: int, b: int) -> int:
    """Product in GF(4), elements 0, 1, w = 2, w + 1 = 3; addition is exclusive or."""
    if not a or not b:
        return 0
    return (a - 1 + b - 1) % 3 + 1


def _kind_rows() -> list[tuple[int, ...]]:
    rows: list[tuple[int, ...]] = []
    for shift in (0, 1):
        for a in range(4):
            for b in range(4):
                rows.append((a, b, a ^ b ^ shift, a ^ _times(2, b) ^ (2 * shift)))  # noqa: PERF401 - reads better
    return rows


def plan() -> dict[str, list[PlannedTask]]:
    """Session id to its four planned tasks; sessions 4*d .. 4*d+3 belong to domain d."""
    rows = _kind_rows()
    order = [i * 11 % 32 for i in range(32)]  # neighbours in the file differ
    early = ["coreference", "partial_information"]
    late = ["long_range", "coreference", "long_range", "partial_information"]
    multi = middle = end = 0
    planned: dict[str, list[PlannedTask]] = {}
    for number, row_number in enumerate(order):
        tasks = []
        for position, code in enumerate(rows[row_number]):
            kind = KINDS[code]
            if kind == "multi":
                kind = SHAPES[multi % 3]
                multi += 1
            if position == 0:
                reference = "first_turn"
            elif position == 1:
                reference = early[middle % 2]
                middle += 1
            else:
                reference = late[(end + number) % 4]
                end += 1
            name = {"single": "single_tool", "clarify": "clarify", "chat": "chat"}.get(kind, f"{kind}_tools")
            tasks.append(PlannedTask(name, reference))
        planned[f"mini_{number}"] = tasks
    return planned


if __name__ == "__main__":
    for session, tasks in plan().items():
        print(f"{DOMAINS[int(session[5:]) // 4]:9}{session:8}", "  ".join(f"{t.kind}/{t.reference}" for t in tasks))
