"""Tables beyond the papers', against cases that are counted by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from tests.analysis import synthetic
from tests.analysis.synthetic import metrics, score, verdict
from tests.rows import rows
from toolgauge.benchmarks.dialogues.numbers.arguments import argument_sources, parameter_types
from toolgauge.chat import Json, Tool
from toolgauge.data.session import Call, Dataset, Reference, Session, Task, TaskType
from toolgauge.episode import Trajectory
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import Score

Table = Any
KINDS = (TaskType.SINGLE_TOOL, TaskType.MIXED_TOOLS, TaskType.CLARIFY, TaskType.CHAT)


def marked(*labels: str, kinds: tuple[TaskType, ...] = KINDS) -> tuple[Dataset, list[Score]]:
    """Sessions of these kinds; a label per task: "+" right, "-" a wrong tool, "v" a wrong value, " " not scored."""
    sessions = tuple(synthetic.session(number, kinds) for number in range(len(labels)))
    mistakes = {"-": Mistake.WRONG_TOOL, "v": Mistake.WRONG_VALUE, "+": Mistake.WRONG_TOOL}
    made = [
        score(of, index, {"exact": verdict(sign == "+", len(of.tasks[index].calls), mistakes[sign])})
        for of, signs in zip(sessions, labels, strict=True)
        for index, sign in enumerate(signs)
        if sign != " "
    ]
    return Dataset("marked", "en", "0" * 64, sessions), made


def tables(data: Dataset, made: list[Score], trajectories: Iterable[Trajectory] = ()) -> Table:
    found: Table = metrics("mini", data, made, None, trajectories).scorings["exact"]
    return found


def counts(table: Table) -> dict[str, tuple[int, int]]:
    return {row: (entry.correct, entry.total) for row, entry in table.items()}


def test_references_by_position() -> None:
    """The synthetic sessions' second tasks lean on the first by coreference, partial information, long range, ..."""
    data, made = marked("++++", "+-++", "+-+-", "+++-")
    rows = counts(tables(data, made)["reference_by_position"])
    assert rows["first_turn@1"] == (4, 4)
    assert rows["partial_information@2"] == (2, 2)  # sessions 0 and 3: (0 + 1) % 3 and (3 + 1) % 3
    assert rows["long_range@2"] == (0, 1)
    assert rows["coreference@2"] == (0, 1)
    assert rows["coreference@1"] == (0, 0)
    assert sum(total for _, total in rows.values()) == 16


def calling(arguments: Json, sources: dict[str, list[Json]] | None = None, index: int = 1) -> Task:
    call = Call(0, "book", arguments, sources=sources or {})
    return Task(index, "book it", TaskType.SINGLE_TOOL, Reference.COREFERENCE, (call,))


BOOK = Tool(
    "book",
    "",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "seats": {"type": "integer"},
            "price": {"type": "number"},
            "window": {"type": "boolean"},
            "class": {"type": "string", "enum": ["first", "second"]},
            "stops": {"type": "array", "items": {"type": "object", "properties": {"at": {"type": "string"}}}},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "maybe": {"type": ["null", "number"]},
            "odd": {"type": {"x": 1}},
        },
    },
)


@rows(
    ("arguments", "types"),
    [
        ({"name": "x"}, {"string"}),
        ({"seats": 2, "price": 3}, {"integer", "number"}),
        ({"window": True, "class": "first"}, {"boolean", "enum"}),
        ({"stops": [{"at": "a"}]}, {"array", "object", "string"}),
        ({"stops": []}, {"array"}),
        ({"either": "x"}, {"integer"}),
        ({"maybe": None}, {"number"}),
        ({"odd": "x", "unknown": True}, {"string", "boolean"}),
        ({"unknown": None}, set()),
        ({}, set()),
    ],
)
def test_types_of_annotated_arguments(arguments: Json, types: set[str]) -> None:
    assert parameter_types({"book": BOOK}, calling(arguments)) == types


@rows(
    ("source", "name"),
    [
        ({"from": "user", "task": 1, "quote": "x"}, "user"),
        ({"from": "user", "task": 0, "quote": "x"}, "user_earlier"),
        ({"from": "reply", "task": 0, "step": 0, "quote": "x"}, "reply_earlier"),
        ({"from": "result", "task": 1, "step": 0, "path": "a"}, "result"),
        ({"from": "clock", "days": 1}, "clock"),
        ({"from": "knowledge", "note": "x"}, "knowledge"),
        ({"from": "nowhere"}, "other"),
        ({"from": ["user"]}, "other"),
        ({}, "other"),
    ],
)
def test_sources_of_arguments(source: Json, name: str) -> None:
    assert argument_sources(calling({"a": 1}, {"a": [source]})) == {name}


def test_by_types_and_sources_a_task_counts_in_every_row_it_needs() -> None:
    """Three tasks: name and seats; seats only; nothing. The second is wrong."""
    user = {"from": "user", "task": 0}
    tasks = (
        calling({"name": "x", "seats": 1}, {"name": [user], "seats": [{"from": "clock"}]}, 0),
        calling({"seats": 1}, {"seats": [user]}, 1),
        replace(calling({}, index=2), calls=()),
    )
    of = Session("s", "en", "now", (BOOK,), tasks)
    data = Dataset("typed", "en", "0" * 64, (of,))
    made = [score(of, index, {"exact": verdict(index != 1)}) for index in range(3)]
    found = tables(data, made)
    assert counts(found["by_parameter_types"]) == {"string": (1, 1), "integer": (1, 2)}
    assert counts(found["by_argument_source"]) == {"user": (1, 1), "user_earlier": (0, 1), "clock": (1, 1)}
    assert "by_argument_source" not in tables(*marked("++++"))


def test_by_distance_of_hidden_information() -> None:
    """The farthest earlier task that a call takes a value from; a value that the task itself says lies nowhere else."""

    def task(index: int, utterance: str, **arguments: str) -> Task:
        calls = (Call(0, "A", dict(arguments), (), {"ok": True}),)
        return Task(index, utterance, TaskType.SINGLE_TOOL, Reference.PARTIAL_INFORMATION, calls)

    tasks = (
        task(0, "the weather in Reykjavik", city="Reykjavik"),
        task(1, "for Kristiansand", city="Kristiansand"),
        task(2, "once more, both", city="Reykjavik", other="Kristiansand"),
        task(3, "and the last one", city="Kristiansand"),
    )
    one = Session("s", "en", "2024-07-10 09:30:00 Wednesday", (Tool("A"),), tasks)
    data = Dataset("far", "en", "0" * 64, (one,))
    made = [score(one, index, {"exact": verdict(index != 2, 1, Mistake.WRONG_VALUE)}) for index in range(4)]
    assert counts(tables(data, made)["by_distance"]) == {"1": (1, 1), "2": (0, 1)}
