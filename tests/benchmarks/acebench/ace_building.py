"""Small ACEBench entries for the judge's tests: a function in a line, an entry in a line; worlds, whole data
sets with scores, and scenario files.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from pprint import pformat
from typing import Any

from msgspec import UNSET

from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, AceDataset, AceEntry, AceFunction
from toolgauge.benchmarks.acebench.data.tables import TABLES
from toolgauge.benchmarks.acebench.environments.environment import Scoring
from toolgauge.benchmarks.acebench.environments.world import World
from toolgauge.benchmarks.acebench.judge.judge import judge_normal
from toolgauge.benchmarks.acebench.judge.verdict import AceError, AceVerdict
from toolgauge.chat import Json, Message, Reply, Usage
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.verdict import CORRECT, ERROR, EXACT, RELEASED, Score, Verdict

SINGLE, MULTI = "normal_single_turn_single_function", "normal_multi_turn_user_adjust"


def function(name: str, required: tuple[str, ...] = (), **properties: Any) -> AceFunction:
    """A candidate; a property is a declared type or a whole schema."""
    schemas = {key: {"type": one} if isinstance(one, str) else one for key, one in properties.items()}
    return AceFunction(name, name, {"type": "object", "properties": schemas, "required": list(required)})


def entry(functions: list[AceFunction], *answers: Json, category: str = SINGLE) -> AceEntry:
    return AceEntry(f"{category}_0", category, "en", "user: please", tuple(functions), answers=answers)


def judged(text: Any, functions: list[AceFunction], *answers: Json, category: str = SINGLE) -> tuple[str, str]:
    """What `released` and `exact` say: "right" or the error type."""
    verdicts = judge_normal(entry(functions, *answers, category=category), text)
    return said(verdicts[RELEASED]), said(verdicts[EXACT])


def said(verdict: AceVerdict) -> str:
    return "right" if verdict.correct else str(verdict.error_type)


PHONE = ("BaseApi", "MessageApi", "ReminderApi", "FoodPlatform")
READY = {"BaseApi": {"wifi": True, "logged_in": True}}
_TABLES = Path(__file__).parents[2] / "fixtures" / "acebench" / "environments"


def demo_tables(language: str) -> dict[str, Json]:
    """Tables by name, in "en" or "zh": people, messages, menus and flights are invented."""
    return {name: json.loads((_TABLES / language / f"{name}.json").read_text("utf-8")) for name in TABLES}


def phone(scoring: Scoring = "released", language: str = "en", config: Any = READY) -> World:
    return World(PHONE, demo_tables(language), config, language, scoring)


def travel(scoring: Scoring = "released", language: str = "en") -> World:
    return World(["Travel"], demo_tables(language), {}, language, scoring)


def statuses(world: World, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    return [world.call(name, arguments).status for name, arguments in calls]


BOOL, ADJUST, SWITCH = "normal_atom_bool", "normal_multi_turn_user_adjust", "normal_multi_turn_user_switch"
STEP, TURN = "agent_multi_step", "agent_multi_turn"
FUNCTION = AceFunction("switch", "", {"type": "object", "properties": {"on": {"type": "boolean"}}})


def entries(category: str, sessions: int, turns: int = 2) -> Iterator[AceEntry]:
    for number in range(sessions):
        if CATEGORIES[category].multi_turn:
            for turn in range(turns):
                yield _entry(f"{category}_{number}_{turn}", category, number, turn)
        else:
            yield _entry(f"{category}_{number}", category)


def _entry(name: str, category: str, session: int | None = None, turn: int | None = None) -> AceEntry:
    answers = ({"switch": {"on": True}},)
    milestones = (("[switch(on=True)]",),) if category.startswith("agent") else ()
    return AceEntry(
        name, category, "en", "user: please", (FUNCTION,), answers=answers, milestones=milestones,
        session=session, turn=turn,
    )  # fmt: skip


def dataset(categories: Iterable[str] = tuple(CATEGORIES), sessions: int = 4, turns: int = 2) -> AceDataset:
    made = tuple(entry for category in categories for entry in entries(category, sessions, turns))
    return AceDataset("acebench", "en", "0" * 64, made, "made up")


def verdict(right: bool, mistake: str | None = AceError.TYPE_ERROR.value, process: float | None = None) -> Verdict:
    label = CORRECT if right else ERROR
    wrong = UNSET if right else (("switch", "on"),)
    share = UNSET if process is None else process
    return Verdict(label, label, right, (int(right), 1), None if right else mistake, "made up", wrong, share)


def score(entry: AceEntry, released: Verdict, exact: Verdict | None = None, epoch: int = 0) -> Score:
    task_id = f"{entry.id}#{epoch}" if epoch else entry.id
    return Score(task_id, entry.session_id, entry.turn or 0, {"exact": exact or released, "released": released})


def marked(data: AceDataset, marks: str, epoch: int = 0) -> list[Score]:
    """A mark per entry in the order of the data: "+" right, "-" wrong, " " no score."""
    pairs = zip(data.entries, marks, strict=True)
    return [score(entry, verdict(mark == "+"), epoch=epoch) for entry, mark in pairs if mark != " "]


def scores(data: AceDataset, rate: float = 0.7, epochs: int = 1, seed: int = 1) -> list[Score]:
    """Random scores; scorings differ in a few labels, wrong agents have got somewhere."""
    draw, made = random.Random(seed), []
    for epoch in range(epochs):
        for entry in data.entries:
            right, mistake = draw.random() < rate, draw.choice(list(AceError)).value
            other = right != (draw.random() < 0.05)
            process = None if entry.kind.group != "agent" else 1.0 if right else round(draw.random(), 3)
            made.append(score(entry, verdict(right, mistake, process), verdict(other, mistake, process), epoch))
    return made


def ids(data: AceDataset) -> list[str]:
    return [entry.id for entry in data.entries]


def trajectory(entry: AceEntry, text: str | None = "[switch(on=True)]", epoch: int = 0) -> Trajectory:
    """One request and its answer; of agents the outcome too, and a simulated user that costs tokens of its own."""
    reply = Reply(text, usage=Usage(100, 10), latency=0.25)
    steps: Sequence[Step] = (Step((Message("user", entry.question),), reply),)
    extra: dict[str, object] = {"style": "prompt"}
    if entry.kind.group == "agent":
        steps = (Step((), Reply("Hello", usage=Usage(7, 7)), role="user"), *steps)
        extra |= {"result": [{"BaseApi": {"wifi": True}}], "process": [text], "ended_by": "agent"}
    task_id = f"{entry.id}#{epoch}" if epoch else entry.id
    return Trajectory(task_id, entry.session_id, tuple(steps), entry.turn or 0, epoch, extra=extra)


Tables = dict[str, dict[str, Any]]


def write_scenarios(folder: Path, tables: Tables) -> None:
    """The five files of one language; they could not be imported, and must not be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in _files(tables).items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _files(tables: Tables) -> dict[str, list[str]]:
    return {
        "base_api.py": _class("BaseApi", _base(tables["base"])),
        "message.py": _class("MessageApi(BaseApi)", _message(tables["message"])),
        "reminder.py": _class("ReminderApi(BaseApi)", _reminder(tables["reminder"])),
        "food_services.py": _class("FoodPlatform(BaseApi)", _food(tables["food"])),
        "travel.py": _class("Travel", _travel(tables["travel"])),
    }


def _class(head: str, body: list[str]) -> list[str]:
    return [
        "from datetime import datetime",
        "from no.such.package import BaseApi",
        "raise SystemExit('this file is to be read, not run')",
        f"class {head}:",
        '    """What it is for."""',
        *(f"    {line}" for line in body),
        "    def _load_scenario(self, scenario: dict, long_context=False) -> None:",
        '        self.wifi = scenario.get("wifi", False)',
        '        self.logged_in = scenario.get("logged_in", True)',
    ]


def _init(body: list[str]) -> list[str]:
    return ["def __init__(self):", *(f"    {line}" for line in body)]


def _set(name: str, value: Any, annotation: str = "") -> list[str]:
    first, *rest = pformat(value, width=100).splitlines()
    return [f"self.{name}{annotation} = {first}", *(f"        {line}" for line in rest)]


def _numbered(rows: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in rows.items()}


def _base(table: dict[str, Any]) -> list[str]:
    return _init([*_set("wifi", table["wifi_default"]), *_set("logged_in", table["logged_in_default"])])


def _message(table: dict[str, Any]) -> list[str]:
    return _init(
        [
            "super().__init__()",
            '"""A text that stands where no docstring can."""',
            *_set("max_capacity", table["max_capacity"]),
            *_set("user_list", table["user_list"], ": Dict[str, Dict[str, Union[str, int]]]"),
            "# a comment",
            *_set("inbox", _numbered(table["inbox"]), ": Dict[int, Dict[str, Union[str, int]]]"),
            *_set("message_id_counter", table["message_id_counter"], ": int"),
        ]
    )


def _reminder(table: dict[str, Any]) -> list[str]:
    return _init(
        [
            *_set("max_capacity", table["max_capacity"]),
            *_set("reminder_list", _numbered(table["reminder_list"]), ": Dict[int, Dict[str, Union[str, datetime]]]"),
            *_set("reminder_id_counter", table["reminder_id_counter"], ": int"),
        ]
    )


def _food(table: dict[str, Any]) -> list[str]:
    return _init(
        [
            *_set("users", table["users"], ": Dict[str, Dict[str, Union[str, float]]]"),
            *_set("merchant_list", table["merchant_list"]),
            "self.logged_in_users: List[str] = []",
            "self.orders: List[Dict[str, Union[str, int, float, datetime]]] = []",
        ]
    )


def _travel(table: dict[str, Any]) -> list[str]:
    date, clock = table["cancel_clock"].split()
    moment = ", ".join(str(int(part)) for part in (*date.split("-"), *clock.split(":")))
    return [
        *_init([line for key in ("users", "flights", "reservations") for line in _set(key, table[key])]),
        "def calculate_baggage_fee(self, membership_level, cabin_class, baggage_count):",
        f"    free_baggage = {table['free_baggage']!r}",
        "    return max(baggage_count - free_baggage[membership_level][cabin_class], 0) * 50",
        "def cancel_reservation(self, user_id, reservation_id, reason):",
        f"    current_time = datetime({moment})",
        "    price = self.flights[0]['economy_price']",
        f"    if reason == {table['airline_cancel_reason']!r}:",
        "        return price",
    ]
