"""The table of Travel, and what can be read off it: prices, free bags, departures."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from toolgauge.benchmarks.acebench.environments.environment import read_table
from toolgauge.benchmarks.acebench.environments.values import find
from toolgauge.errors import DataError

_SECTION = "travel"


class User(TypedDict):
    """A user; both balances in yuan."""

    user_name: str
    password: str
    cash_balance: float
    bank_balance: float
    membership_level: str


class Flight(TypedDict):
    """A flight; times as YYYY-MM-DD HH:MM:SS, prices in yuan. Numbers are not unique: the first flight counts."""

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
    """A booking; only those of the table carry cities. What was changed by a call may hold any value."""

    reservation_id: str
    user_id: str
    flight_no: str
    payment_method: Any
    cabin: Any
    baggage: int | float
    origin: NotRequired[str]
    destination: NotRequired[str]


class TravelTable(TypedDict):
    users: dict[str, User]
    flights: list[Flight]
    reservations: list[Reservation]
    cabin_economy: str
    cabin_business: str
    free_baggage: dict[str, dict[str, int]]
    fee_per_extra_bag: int | float
    cancel_clock: str
    airline_cancel_reason: str


def read_travel(table: object) -> TravelTable:
    """The table, checked: also its times are times."""
    read = read_table(table, TravelTable, _SECTION)
    _check_time(read["cancel_clock"], "$.cancel_clock")
    for position, flight in enumerate(read["flights"]):
        _check_time(flight["depart_time"], f"$.flights[{position}].depart_time")
        _check_time(flight["arrival_time"], f"$.flights[{position}].arrival_time")
    return read


def moment(text: str) -> datetime:
    """A time of the table. None of them has a zone."""
    return datetime.fromisoformat(text).replace(tzinfo=None)


def _check_time(text: str, path: str) -> None:
    try:
        moment(text)
    except ValueError:
        raise DataError(
            "environment table: must be a time (YYYY-MM-DD HH:MM:SS)", f"{_SECTION}.json", None, path
        ) from None


class Tariff:
    """What flights, cabins and bags cost."""

    def __init__(self, table: TravelTable) -> None:
        self.economy, self.business = table["cabin_economy"], table["cabin_business"]
        self.free, self.fee = table["free_baggage"], table["fee_per_extra_bag"]

    def full_price(self, flight: Flight, cabin: object) -> int | float:
        """The price of a cabin, any name but the economy cabin's meaning business."""
        return flight["economy_price"] if cabin == self.economy else flight["business_price"]

    def price(self, flight: Flight, cabin: object) -> int | float:
        """The price of a cabin, 0 for a name that is none."""
        if cabin == self.economy:
            return flight["economy_price"]
        return flight["business_price"] if cabin == self.business else 0

    def allowance(self, level: object, cabin: object) -> int | None:
        """How many bags are free, None for an unknown membership or cabin; Impossible for names that cannot be any."""
        return find(find(self.free, level) or {}, cabin)

    def baggage_fee(self, level: str, cabin: object, bags: int | float) -> int | float:
        """What bags beyond the free ones cost; none is free for an unknown cabin."""
        return max(0, bags - (self.allowance(level, cabin) or 0)) * self.fee


def first(flights: Iterable[Flight], flight_no: object) -> Flight | None:
    """The first flight of a number."""
    return next((flight for flight in flights if flight["flight_no"] == flight_no), None)
