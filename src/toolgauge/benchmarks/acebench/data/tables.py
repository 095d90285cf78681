"""The initial tables of the agents' environments: what they hold and where they are found.

They are the benchmark's data. `toolgauge data fetch acebench` reads them out of the public project's scenario files
(`scenario.py`); they lie in `environments/<language>/<table>.json` beside the `data_all` folder. Times are
"YYYY-MM-DD HH:MM:SS" without a zone, prices and balances are in yuan. What a call changed may hold any value.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import msgspec

from toolgauge.chat import Json
from toolgauge.data.lines import parse_line
from toolgauge.errors import DataError, os_cause
from toolgauge.files import read_whole


class BaseTable(TypedDict):
    """Nothing reads it: an entry's configuration, or its defaults, says how the device starts."""

    wifi_default: bool
    logged_in_default: bool


class Person(TypedDict):
    user_id: str


class PhoneMessage(TypedDict):
    sender_id: str
    receiver_id: str
    message: Any
    time: NotRequired[str]
    """A date (YYYY-MM-DD); only messages of the table have one."""


class MessageTable(TypedDict):
    max_capacity: int
    message_id_counter: int
    user_list: dict[str, Person]
    inbox: dict[int, PhoneMessage]


class Reminder(TypedDict):
    reminder_id: int
    title: Any
    description: Any
    time: Any
    notified: bool


class ReminderTable(TypedDict):
    max_capacity: int
    reminder_id_counter: int
    reminder_list: dict[int, Reminder]


class Account(TypedDict):
    user_id: str
    password: str
    balance: float


class Product(TypedDict):
    product: str
    price: float


class Merchant(TypedDict):
    merchant_id: str
    service_type: str
    menu: list[Product]


class Item(TypedDict):
    product: str
    quantity: int
    price_per_unit: float


class FoodOrder(TypedDict):
    user_name: str
    merchant_name: str
    items: list[Item]
    total_price: float


class FoodTable(TypedDict):
    users: dict[str, Account]
    merchant_list: dict[str, Merchant]
    logged_in_users: list[str]
    orders: list[FoodOrder]
    balance_must_exceed_total: bool
    """Whether an order may not cost the whole balance (the Chinese table)."""


class TravelUser(TypedDict):
    user_name: str
    password: str
    cash_balance: float
    bank_balance: float
    membership_level: str


class Flight(TypedDict):
    flight_no: str
    origin: str
    destination: str
    depart_time: str
    arrival_time: str
    status: str
    seats_available: int
    economy_price: int | float
    business_price: int | float


class Reservation(TypedDict):
    reservation_id: str
    user_id: str
    flight_no: str
    payment_method: Any
    cabin: Any
    baggage: int | float
    origin: NotRequired[str]
    """Only bookings of the table carry cities."""
    destination: NotRequired[str]


class TravelTable(TypedDict):
    users: dict[str, TravelUser]
    flights: list[Flight]
    reservations: list[Reservation]
    cabin_economy: str
    cabin_business: str
    free_baggage: dict[str, dict[str, int]]
    """Membership level -> cabin -> number of bags."""
    fee_per_extra_bag: int | float
    cancel_clock: str
    """The time at which bookings are cancelled."""
    airline_cancel_reason: str
    """The reason that makes every refund whole."""


TABLES: dict[str, Any] = {
    "base": BaseTable,
    "message": MessageTable,
    "reminder": ReminderTable,
    "food": FoodTable,
    "travel": TravelTable,
}
"""The tables by name, and what each holds."""


def read_table(name: str, path: Path) -> Json:
    """One table as plain JSON; DataError where it cannot be read or is not what TABLES declares."""
    try:
        table: Any = parse_line(read_whole(path), path, 1)
    except OSError as error:
        raise DataError(f"cannot be read: {os_cause(error)}", path) from error
    copy_table(name, table, path)
    return table  # type: ignore[no-any-return]


def copy_table(name: str, table: object, file: Path | str) -> Any:
    """A fresh copy of a table, as TABLES declares it; DataError, with the place, where it is something else."""
    try:
        copy: Any = msgspec.convert(table, TABLES[name], str_keys=True)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at ")
        raise DataError(f"environment table: {what}", file, None, path.strip("`") or None) from None
    if name == "travel":
        _check_times(copy, file)
    return copy


def _check_times(table: TravelTable, file: Path | str) -> None:
    times = {"$.cancel_clock": table["cancel_clock"]}
    for position, flight in enumerate(table["flights"]):
        times[f"$.flights[{position}].depart_time"] = flight["depart_time"]
        times[f"$.flights[{position}].arrival_time"] = flight["arrival_time"]
    for path, text in times.items():
        try:
            moment(text)
        except ValueError:
            raise DataError("environment table: must be a time (YYYY-MM-DD HH:MM:SS)", file, None, path) from None


def moment(text: str) -> datetime:
    """A time of a table; raises ValueError."""
    return datetime.fromisoformat(text).replace(tzinfo=None)
