"""Files of corrections: of other data, of nothing that could be there, huge, contradictory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.hostile.corpus.item import EVIL, HUGE, Item, Surroundings, nested, written
from tests.hostile.corpus.texts import any_file

SESSION = "garden_0"
"""Of the data that the uses of this family are about."""
MANY = 200_000


def items() -> Iterator[Item]:
    yield from any_file()
    for name, change in (
        ("pointer-evil", {"pointer": f"/{EVIL}", "new": 1}),
        ("pointer-long", {"pointer": "/" + "x" * 5_000, "new": 1}),
        ("pointer-deep", {"pointer": "/x" * 500, "new": 1}),
        ("pointer-id", {"pointer": "/id/0", "old": "garden_0", "new": "../../x"}),
        ("pointer-index", {"pointer": f"/english_tasks/{HUGE}", "old": "x", "new": "y"}),
        ("pointer-minus", {"pointer": "/english_tasks/-", "new": "y"}),
        ("pointer-nothing", {"pointer": "", "old": {}, "new": []}),
        ("session-evil", {"session": EVIL, "pointer": "/note", "new": 1}),
        ("session-traversal", {"session": "../../etc/passwd", "pointer": "/note", "new": 1}),
        ("old-evil", {"pointer": "/note", "old": EVIL, "new": 1}),
        ("old-huge", {"pointer": "/note", "old": HUGE, "new": 1}),
        ("language", {"pointer": "/note", "new": 1, "language": EVIL}),
        ("task", {"pointer": "/note", "new": 1, "task": -1}),
    ):
        yield _item(name, [change], refused=True)
    yield _item("no-object", [7], refused=True)
    for name, values in (("text", EVIL), ("number", HUGE), ("long", "x" * 3_000_000), ("list", [1] * 100_000)):
        yield _item(f"new-{name}", [{"pointer": "/note", "new": values, "reason": EVIL, "source": EVIL}])
        yield _item(f"task-{name}", [{"pointer": "/english_answer_list", "new": values}], refused=True)
    yield Item("new-nested", written(f'{{"session": "garden_0", "pointer": "/a", "new": {nested(5_000)}}}\n'), True)
    yield Item("new-surrogate", written('{"session": "garden_0", "pointer": "/a", "new": "\\ud800"}\n'), True)
    yield _item("twice", [{"pointer": "/note", "new": 1}] * 2, refused=True)
    yield _item("contradictory", [{"pointer": "/note", "new": 1}, {"pointer": "/note", "old": 2, "new": 3}], True)
    yield Item("many-sessions", _many_sessions, refused=True)
    yield Item("many-changes", _many_changes)


def _item(name: str, changes: list[Any], refused: bool = False) -> Item:
    lines = [{"session": SESSION} | change if isinstance(change, dict) else change for change in changes]
    return Item(name, written("".join(json.dumps(line) + "\n" for line in lines)), refused)


def _many_sessions(around: Surroundings) -> None:
    with around.target.open("w", encoding="utf-8") as file:
        file.writelines(f'{{"session": "s{n}", "pointer": "/note", "new": {n}}}\n' for n in range(MANY))


def _many_changes(around: Surroundings) -> None:
    """One session's record, changed again and again: nothing may take time with the square of that."""
    with around.target.open("w", encoding="utf-8") as file:
        file.write(f'{{"session": "garden_0", "pointer": "/note", "new": {[0] * (MANY // 4)}}}\n')
        file.writelines(
            f'{{"session": "garden_0", "pointer": "/note/{n}", "old": 0, "new": 1}}\n' for n in range(MANY // 4)
        )
