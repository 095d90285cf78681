"""Travel: flights, bookings and two accounts per user. It reports no status: a refusal is a text, nothing has changed.

Money follows the public environment, oddities included: a new flight costs nothing, bags that were paid are charged
again, a cancelled booking stays and can be cancelled again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from toolgauge.benchmarks.acebench.environments.declaration import CallOutcome, CallStatus, Parameter, function
from toolgauge.benchmarks.acebench.environments.environment import Environment
from toolgauge.benchmarks.acebench.environments.travel_table import (
    Flight,
    Reservation,
    Tariff,
    User,
    first,
    moment,
    read_travel,
)
from toolgauge.benchmarks.acebench.environments.values import Impossible, find, number
from toolgauge.benchmarks.acebench.environments.words import BilingualText

USER = Parameter("user_id", "string", BilingualText("The user's id.", "用户的 ID。"))
PASSWORD = Parameter("password", "string", BilingualText("The user's password.", "用户的密码。"))
BOOKING = Parameter("reservation_id", "string", BilingualText("The id of the booking.", "预订的 ID。"))
CABIN = BilingualText("Economy Class or Business Class.", "经济舱或商务舱。")
METHODS = ("cash", "bank")

NO_FLIGHTS = BilingualText("There is no such flight.", "没有符合条件的航班。")
WRONG_LOGIN = BilingualText("User id or password is wrong.", "用户 ID 或密码错误。")
NOT_THEIRS = BilingualText("The user has no such booking.", "该用户没有这个预订。")
FLIGHT_GONE = BilingualText("The flight of the booking is not known.", "预订的航班不存在。")
TOO_DEAR = BilingualText("The balance does not suffice.", "余额不足。")
CHANGED = BilingualText("The booking was changed.", "预订已修改。")
CHANGED_UNPAID = BilingualText(
    "The booking was changed, but the balance did not suffice.", "预订已修改，但余额不足，未能扣款。"
)


def optional(name: str, words: BilingualText, choices: tuple[str, ...] = ()) -> Parameter:
    return Parameter(name, "string", words, None, choices)


class Travel(Environment):
    name = "Travel"
    section = "travel"
    saved = ("users", "reservations")

    def set_up(self, table: object) -> None:
        read = read_travel(table)
        self.tariff = Tariff(read)
        self.clock, self.airline_reason = moment(read["cancel_clock"]), read["airline_cancel_reason"]
        self.state = {part: read[part] for part in ("users", "flights", "reservations")}

    @property
    def users(self) -> dict[str, User]:
        users: dict[str, User] = self.state["users"]
        return users

    @property
    def flights(self) -> list[Flight]:
        flights: list[Flight] = self.state["flights"]
        return flights

    @property
    def reservations(self) -> list[Reservation]:
        reservations: list[Reservation] = self.state["reservations"]
        return reservations

    def refuse(self, words: BilingualText, **gaps: object) -> CallOutcome:
        return self.tell(words, **gaps)

    def tell(self, words: BilingualText, **gaps: object) -> CallOutcome:
        """A text without a status, which is how this environment reports everything."""
        return CallOutcome(CallStatus.NONE, self.say(words, **gaps))

    @function(
        BilingualText("Lists flights, all of them or between two cities.", "列出航班，可按出发和到达城市筛选。"),
        optional("origin", BilingualText("City of departure.", "出发城市。")),
        optional("destination", BilingualText("City of arrival.", "到达城市。")),
    )
    def get_flight_details(self, origin: object, destination: object) -> CallOutcome:
        found = [
            flight
            for flight in self.flights
            if (not origin or flight["origin"] == origin) and (not destination or flight["destination"] == destination)
        ]
        return CallOutcome(CallStatus.NONE, found) if found else self.refuse(NO_FLIGHTS)

    @function(BilingualText("Shows a user's details.", "查看用户的信息。"), USER, PASSWORD)
    def get_user_details(self, user_id: object, password: object) -> CallOutcome:
        user = self._login(user_id, password)
        if user is None:
            return self._complain(WRONG_LOGIN)
        return CallOutcome(CallStatus.NONE, {key: value for key, value in user.items() if key != "password"})

    @function(
        BilingualText("Shows one booking, or all bookings of a user.", "查看一个预订，或某个用户的全部预订。"),
        optional("reservation_id", BilingualText("The id of the booking.", "预订的 ID。")),
        optional("user_id", BilingualText("The user's id.", "用户的 ID。")),
    )
    def get_reservation_details(self, reservation_id: object, user_id: object) -> CallOutcome:
        if not reservation_id and not user_id:
            return self._complain(BilingualText("Give the id of a booking or of a user.", "请提供预订 ID 或用户 ID。"))
        found = [
            {**booking, "flight_info": first(self.flights, booking["flight_no"])}
            for booking in self.reservations
            if (booking["reservation_id"] == reservation_id if reservation_id else booking["user_id"] == user_id)
        ]
        return CallOutcome(CallStatus.NONE, found)

    @function(
        BilingualText("Finds two flights that connect through a third city.", "查找经由中转城市的联程航班。"),
        Parameter("origin_city", "string", BilingualText("City of departure.", "出发城市。")),
        Parameter("transfer_city", "string", BilingualText("City to change in.", "中转城市。")),
        Parameter("destination_city", "string", BilingualText("City of arrival.", "到达城市。")),
    )
    def find_transfer_flights(
        self, origin_city: object, transfer_city: object, destination_city: object
    ) -> CallOutcome:
        found = [
            {"first_leg": one, "second_leg": two}
            for one in self.flights
            if one["origin"] == origin_city and one["destination"] == transfer_city
            for two in self.flights
            if two["origin"] == transfer_city and two["destination"] == destination_city
            if moment(one["arrival_time"]) < moment(two["depart_time"])
        ]
        return CallOutcome(CallStatus.NONE, found) if found else self.refuse(NO_FLIGHTS)

    @function(
        BilingualText("Tells how many bags are free.", "查询免费托运行李件数。"),
        Parameter(
            "membership_level",
            "string",
            BilingualText("regular, silver or gold.", "会员等级：regular、silver 或 gold。"),
        ),
        Parameter("cabin_class", "string", CABIN),
    )
    def get_baggage_allowance(self, membership_level: Any, cabin_class: Any) -> CallOutcome:
        return CallOutcome(CallStatus.NONE, self.tariff.allowance(membership_level, cabin_class) or 0)

    @function(
        BilingualText("Books a flight.", "预订航班。"),
        USER,
        PASSWORD,
        Parameter("flight_no", "string", BilingualText("Number of the flight.", "航班号。")),
        Parameter("cabin", "string", CABIN),
        Parameter("payment_method", "string", BilingualText("How it is paid.", "支付方式。"), choices=METHODS),
        Parameter("baggage_count", "integer", BilingualText("How many bags are checked in.", "托运行李的件数。")),
    )
    def reserve_flight(
        self, user_id: Any, password: Any, flight_no: Any, cabin: Any, payment_method: Any, baggage_count: Any
    ) -> CallOutcome:
        flight = first(self.flights, flight_no)
        if flight is None:
            return self._unbookable(NO_FLIGHTS)
        user = self._login(user_id, password)
        if user is None:
            return self._unbookable(WRONG_LOGIN)
        if self.tariff.allowance(user["membership_level"], cabin) is None:
            return self._unbookable(BilingualText("There is no such cabin.", "没有该舱位。"))
        fee = self.tariff.baggage_fee(user["membership_level"], cabin, number(baggage_count))
        if payment_method not in METHODS:
            return self.refuse(BilingualText("Payment is by cash or bank.", "支付方式只能是 cash 或 bank。"))
        if not _settle(user, payment_method, self.tariff.full_price(flight, cabin) + fee):
            return self.refuse(TOO_DEAR)
        flight["seats_available"] -= 1
        booking = Reservation(
            reservation_id=f"res_{len(self.reservations) + 1}",
            user_id=user_id,
            flight_no=flight_no,
            payment_method=payment_method,
            cabin=cabin,
            baggage=baggage_count,
        )
        self.reservations.append(booking)
        return self.tell(BilingualText("Booked: {id}.", "预订成功：{id}。"), id=booking["reservation_id"])

    @function(
        BilingualText("Changes flight, cabin or bags of a booking.", "修改预订的航班、舱位或行李。"),
        USER,
        BOOKING,
        optional("new_flight_no", BilingualText("Number of the new flight.", "新的航班号。")),
        optional("new_cabin", CABIN),
        Parameter("add_baggage", "integer", BilingualText("How many bags are added.", "增加的行李件数。"), 0),
        optional(
            "new_payment_method",
            BilingualText("Account for differences, if another one.", "支付差价的方式，默认不变。"),
            METHODS,
        ),
    )
    def modify_flight(
        self,
        user_id: Any,
        reservation_id: Any,
        new_flight_no: Any,
        new_cabin: Any,
        add_baggage: Any,
        new_payment_method: Any,
    ) -> CallOutcome:
        booking = self._booking(user_id, reservation_id)
        if booking is None:
            return self.refuse(NOT_THEIRS)
        flight = first(self.flights, booking["flight_no"])
        if flight is None:
            return self.refuse(FLIGHT_GONE)
        if new_flight_no and new_flight_no != booking["flight_no"]:
            other = first(self.flights, new_flight_no)
            if other is None or _cities(other) != _cities(flight):
                return self.refuse(
                    BilingualText("No such flight between the same cities.", "没有往返城市相同的该航班。")
                )
            booking["flight_no"] = other["flight_no"]
        method, paid = new_payment_method or booking["payment_method"], True
        user = self._owner(booking)
        if new_cabin and new_cabin != booking["cabin"]:
            # Changes the cabin in any case; whether the difference could be settled
            difference = self.tariff.price(flight, new_cabin) - self.tariff.price(flight, booking["cabin"])
            booking["cabin"] = new_cabin
            paid = _settle(user, method, difference)
        if number(add_baggage) > 0:
            paid = self._add_bags(user, booking, add_baggage, method) and paid
        return self.tell(CHANGED if paid else CHANGED_UNPAID)

    @function(
        BilingualText("Cancels a booking and refunds it.", "取消预订并退款。"),
        USER,
        BOOKING,
        Parameter("reason", "string", BilingualText("Why it is cancelled.", "取消的原因。")),
    )
    def cancel_reservation(self, user_id: object, reservation_id: object, reason: object) -> CallOutcome:
        user = find(self.users, user_id)
        if user is None:
            return self.refuse(BilingualText("There is no such user.", "没有该用户。"))
        booking = self._booking(user_id, reservation_id)
        if booking is None:
            return self.refuse(NOT_THEIRS)
        flight = first(self.flights, booking["flight_no"])
        if flight is None:
            return self.refuse(FLIGHT_GONE)
        ahead = moment(flight["depart_time"]) - self.clock
        if ahead < timedelta(0):
            return self.refuse(BilingualText("The flight has departed.", "航班已经起飞。"))
        price = self.tariff.full_price(flight, booking["cabin"])
        refund = price if reason == self.airline_reason or ahead > timedelta(hours=24) else price * 0.9
        user["cash_balance"] += refund
        return self.tell(
            BilingualText("Cancelled; {refund} yuan go back in cash.", "已取消，{refund} 元退回现金账户。"),
            refund=refund,
        )

    def _login(self, user_id: object, password: object) -> User | None:
        user = find(self.users, user_id)
        return user if user is not None and user["password"] == password else None

    def _booking(self, user_id: object, reservation_id: object) -> Reservation | None:
        """The booking of this id, if it is this user's."""
        bookings = (booking for booking in self.reservations if booking["reservation_id"] == reservation_id)
        return next((booking for booking in bookings if booking["user_id"] == user_id), None)

    def _owner(self, booking: Reservation) -> User:
        user = find(self.users, booking["user_id"])
        if user is None:
            raise Impossible(BilingualText("the owner of the booking is not known", "预订所属的用户不存在"))
        return user

    def _add_bags(self, user: User, booking: Reservation, added: int | float, method: object) -> bool:
        """Adds bags in any case; whether all bags beyond the free ones, old ones included, could be paid."""
        total = number(booking["baggage"]) + added
        fee = self.tariff.baggage_fee(user["membership_level"], booking["cabin"], total)
        booking["baggage"] = total
        return _settle(user, method, fee)

    def _unbookable(self, words: BilingualText) -> CallOutcome:
        """Why a flight cannot be booked: the public environment breaks down here, the exact scoring refuses."""
        if self.rules.refuse_bookings:
            return self.refuse(words)
        raise Impossible(words)

    def _complain(self, words: BilingualText) -> CallOutcome:
        return CallOutcome(CallStatus.NONE, {"status": "error", "message": self.say(words)})


def _settle(user: User, method: object, amount: int | float) -> bool:
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


def _cities(flight: Flight) -> tuple[str, str]:
    return flight["origin"], flight["destination"]
