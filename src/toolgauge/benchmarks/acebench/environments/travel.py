"""Travel: flights, bookings and two accounts per user. It reports no status: a refusal is a text, nothing has changed.

Money follows the public environment, oddities included: a new flight costs nothing, bags that were paid are charged
again, a cancelled booking stays and can be cancelled again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from toolgauge.benchmarks.acebench.data.tables import Flight, Reservation, TravelTable, TravelUser, moment
from toolgauge.benchmarks.acebench.environments.environment import (
    CallOutcome,
    CallStatus,
    Environment,
    Impossible,
    Refused,
    find,
    function,
    number,
    required,
)
from toolgauge.chat import Json

METHODS = ("cash", "bank")
NO_FLIGHTS = "There is no such flight.", "没有符合条件的航班。"
WRONG_LOGIN = "User id or password is wrong.", "用户 ID 或密码错误。"
NOT_THEIRS = "The user has no such booking.", "该用户没有这个预订。"
FLIGHT_GONE = "The flight of the booking is not known.", "预订的航班不存在。"


class Travel(Environment):
    """Numbers of flights are not unique: the first flight of a number counts."""

    name, saved = "Travel", ("users", "reservations")

    def set_up(self, table: TravelTable, config: Json) -> None:  # noqa: ARG002 - there is nothing to configure
        self.table = table
        self.users, self.flights, self.reservations = table["users"], table["flights"], table["reservations"]

    def tell(self, en: str, zh: str) -> CallOutcome:
        """A text without a status, which is how this environment reports everything but data."""
        return CallOutcome(CallStatus.NONE, self.say((en, zh)))

    def refuse(self, en: str, zh: str) -> CallOutcome:
        return self.tell(en, zh)

    @function
    def get_flight_details(self, origin: object = None, destination: object = None) -> CallOutcome:
        found = [
            flight
            for flight in self.flights
            if (not origin or flight["origin"] == origin) and (not destination or flight["destination"] == destination)
        ]
        return CallOutcome(CallStatus.NONE, found) if found else self.refuse(*NO_FLIGHTS)

    @function
    def get_user_details(self, user_id: object, password: object) -> CallOutcome:
        user = self._login(user_id, password)
        if user is None:
            return CallOutcome(CallStatus.NONE, {"status": "error", "message": self.say(WRONG_LOGIN)})
        return CallOutcome(CallStatus.NONE, {key: value for key, value in user.items() if key != "password"})

    @function
    def get_reservation_details(self, reservation_id: object = None, user_id: object = None) -> CallOutcome:
        """One booking, or all bookings of a user, each with its flight."""
        if not reservation_id and not user_id:
            text = self.say(("Give the id of a booking or of a user.", "请提供预订 ID 或用户 ID。"))
            return CallOutcome(CallStatus.NONE, {"status": "error", "message": text})
        found = [
            {**booking, "flight_info": self._flight(booking["flight_no"])}
            for booking in self.reservations
            if (booking["reservation_id"] == reservation_id if reservation_id else booking["user_id"] == user_id)
        ]
        return CallOutcome(CallStatus.NONE, found)

    @function
    def find_transfer_flights(
        self, origin_city: object, transfer_city: object, destination_city: object
    ) -> CallOutcome:
        found = [
            {"first_leg": first, "second_leg": second}
            for first in self.flights
            if first["origin"] == origin_city and first["destination"] == transfer_city
            for second in self.flights
            if second["origin"] == transfer_city and second["destination"] == destination_city
            if moment(first["arrival_time"]) < moment(second["depart_time"])
        ]
        return CallOutcome(CallStatus.NONE, found) if found else self.refuse(*NO_FLIGHTS)

    @function
    def get_baggage_allowance(self, membership_level: object, cabin_class: object) -> CallOutcome:
        return CallOutcome(CallStatus.NONE, self._free_bags(membership_level, cabin_class) or 0)

    @function
    def reserve_flight(
        self, user_id: Any, password: object, flight_no: Any, cabin: Any, payment_method: Any, baggage_count: Any
    ) -> CallOutcome:
        flight = self._flight(flight_no)
        if flight is None:
            return self._unbookable(*NO_FLIGHTS)
        user = self._login(user_id, password)
        if user is None:
            return self._unbookable(*WRONG_LOGIN)
        if self._free_bags(user["membership_level"], cabin) is None:
            return self._unbookable("There is no such cabin.", "没有该舱位。")
        fee = self._baggage_fee(user["membership_level"], cabin, number(baggage_count))
        if payment_method not in METHODS:
            return self.refuse("Payment is by cash or bank.", "支付方式只能是 cash 或 bank。")
        if not _settle(user, payment_method, self._full_price(flight, cabin) + fee):
            return self.refuse("The balance does not suffice.", "余额不足。")
        flight["seats_available"] -= 1
        booking_id = f"res_{len(self.reservations) + 1}"
        booking = Reservation(
            reservation_id=booking_id,
            user_id=user_id,
            flight_no=flight_no,
            payment_method=payment_method,
            cabin=cabin,
            baggage=baggage_count,
        )
        self.reservations.append(booking)
        return self.tell(f"Booked: {booking_id}.", f"预订成功：{booking_id}。")

    @function
    def modify_flight(
        self,
        user_id: object,
        reservation_id: object,
        new_flight_no: Any = None,
        new_cabin: Any = None,
        add_baggage: Any = 0,
        new_payment_method: Any = None,
    ) -> CallOutcome:
        """Changes flight, then cabin, then bags. Cabin and bags change even where the balance does not suffice."""
        booking, flight = self._booked(user_id, reservation_id)
        if new_flight_no and new_flight_no != booking["flight_no"]:
            other = self._flight(new_flight_no)
            if other is None or (other["origin"], other["destination"]) != (flight["origin"], flight["destination"]):
                return self.refuse("No such flight between the same cities.", "没有往返城市相同的该航班。")
            booking["flight_no"] = other["flight_no"]
        user = find(self.users, booking["user_id"])
        if user is None:
            raise Impossible("the owner of the booking is not known", "预订所属的用户不存在")
        method, paid = new_payment_method or booking["payment_method"], True
        if new_cabin and new_cabin != booking["cabin"]:
            difference = self._cabin_price(flight, new_cabin) - self._cabin_price(flight, booking["cabin"])
            booking["cabin"] = new_cabin
            paid = _settle(user, method, difference)
        if number(add_baggage) > 0:
            bags = number(booking["baggage"]) + add_baggage
            fee = self._baggage_fee(user["membership_level"], booking["cabin"], bags)
            booking["baggage"] = bags
            paid = _settle(user, method, fee) and paid
        if paid:
            return self.tell("The booking was changed.", "预订已修改。")
        return self.tell(
            "The booking was changed, but the balance did not suffice.", "预订已修改，但余额不足，未能扣款。"
        )

    @function
    def cancel_reservation(self, user_id: object, reservation_id: object, reason: object) -> CallOutcome:
        user = required(self.users, user_id, ("There is no such user.", "没有该用户。"))
        booking, flight = self._booked(user_id, reservation_id)
        ahead = moment(flight["depart_time"]) - moment(self.table["cancel_clock"])
        if ahead < timedelta(0):
            return self.refuse("The flight has departed.", "航班已经起飞。")
        price = self._full_price(flight, booking["cabin"])
        whole = reason == self.table["airline_cancel_reason"] or ahead > timedelta(hours=24)
        refund = price if whole else price * 0.9
        user["cash_balance"] += refund
        return self.tell(f"Cancelled; {refund} yuan go back in cash.", f"已取消，{refund} 元退回现金账户。")

    def _login(self, user_id: object, password: object) -> TravelUser | None:
        user = find(self.users, user_id)
        return user if user is not None and user["password"] == password else None

    def _flight(self, flight_no: object) -> Flight | None:
        return next((flight for flight in self.flights if flight["flight_no"] == flight_no), None)

    def _booked(self, user_id: object, reservation_id: object) -> tuple[Reservation, Flight]:
        """The booking of this id and its flight; Refused where it is not this user's, or the flight is not known."""
        for booking in self.reservations:
            if booking["reservation_id"] == reservation_id and booking["user_id"] == user_id:
                flight = self._flight(booking["flight_no"])
                if flight is None:
                    raise Refused(*FLIGHT_GONE)
                return booking, flight
        raise Refused(*NOT_THEIRS)

    def _full_price(self, flight: Flight, cabin: object) -> int | float:
        """The price of a cabin, any name but the economy cabin's meaning business."""
        return flight["economy_price"] if cabin == self.table["cabin_economy"] else flight["business_price"]

    def _cabin_price(self, flight: Flight, cabin: object) -> int | float:
        """The price of a cabin, 0 for an unknown one."""
        known = cabin in (self.table["cabin_economy"], self.table["cabin_business"])
        return self._full_price(flight, cabin) if known else 0

    def _free_bags(self, level: object, cabin: object) -> int | None:
        """How many bags are free, None for an unknown membership or cabin; Impossible for names that cannot be any."""
        return find(find(self.table["free_baggage"], level) or {}, cabin)

    def _baggage_fee(self, level: str, cabin: object, bags: int | float) -> int | float:
        """What bags beyond the free ones cost; none is free for an unknown cabin."""
        return max(0, bags - (self._free_bags(level, cabin) or 0)) * self.table["fee_per_extra_bag"]

    def _unbookable(self, en: str, zh: str) -> CallOutcome:
        """Why a flight cannot be booked: the public environment breaks down here, the exact scoring refuses."""
        if self.exact:
            return self.refuse(en, zh)
        raise Impossible(en, zh)


def _settle(user: TravelUser, method: object, amount: int | float) -> bool:
    """Takes an amount from an account, or gives a negative one back; False, and nothing taken, if it does not suffice.

    A method that names no account settles nothing and counts as paid.
    """
    if method == "cash" and amount <= user["cash_balance"]:
        user["cash_balance"] -= amount
    elif method == "bank" and amount <= user["bank_balance"]:
        user["bank_balance"] -= amount
    else:
        return method not in METHODS
    return True
