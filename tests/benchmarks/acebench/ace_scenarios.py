"""Scenario files in the layout of the public project's, written around any tables."""

from __future__ import annotations

from pathlib import Path
from pprint import pformat
from typing import Any

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
