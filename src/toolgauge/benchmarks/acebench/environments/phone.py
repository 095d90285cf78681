"""The environments on the phone: the device itself, short messages with an inbox that is soon full, reminders, and the
food platform with accounts, merchants and orders.
"""

from __future__ import annotations

from toolgauge.benchmarks.acebench.data.tables import (
    FoodOrder,
    FoodTable,
    Item,
    MessageTable,
    PhoneMessage,
    Reminder,
    ReminderTable,
)
from toolgauge.benchmarks.acebench.environments.environment import (
    CallOutcome,
    CallStatus,
    Defect,
    Environment,
    Impossible,
    Refused,
    find,
    function,
    lowered,
    members,
    number,
    required,
)
from toolgauge.chat import Json

LOGGED_OUT = "The device is not logged in.", "设备尚未登录。"
WIFI_OFF = "The wireless network is off.", "无线网络未打开。"


class PhoneEnvironment(Environment):
    """An environment on the phone: it understands the functions of the device."""

    def require_login(self) -> None:
        if not self.device["logged_in"]:
            raise Refused(*LOGGED_OUT)

    def require_wifi(self) -> None:
        if not self.device["wifi"]:
            raise Refused(*WIFI_OFF)

    @function
    def turn_on_wifi(self) -> CallOutcome:
        self.device["wifi"] = True
        return self.done("The wireless network is on.", "无线网络已打开。")

    @function
    def login_device(self) -> CallOutcome:
        self.device["logged_in"] = True
        return self.done("The device is logged in.", "设备已登录。")


class BaseApi(PhoneEnvironment):
    """The device itself."""

    name = "BaseApi"

    def save(self) -> Json:
        return {"wifi": self.device["wifi"], "logged_in": self.device["logged_in"]}


UNKNOWN_SENDER = "The sender is not known.", "发送者不存在。"
UNKNOWN_RECEIVER = "The receiver is not known.", "接收者不存在。"
NO_MESSAGES = "There are no messages.", "没有任何短信。"
NO_SUCH_MESSAGE = "There is no such message.", "没有符合条件的短信。"
MESSAGES_FOUND = "Messages were found.", "已找到短信。"


class MessageApi(PhoneEnvironment):
    """Short messages between a few people. Those that are sent here have no time, unlike those of the table."""

    name, saved = "MessageApi", ("inbox",)

    def set_up(self, table: MessageTable, config: Json) -> None:  # noqa: ARG002 - only food takes a configuration
        self.people, self.capacity = table["user_list"], table["max_capacity"]
        self.inbox: dict[int, PhoneMessage] = table["inbox"]
        self.counter = table["message_id_counter"]

    @function
    def send_message(self, sender_name: str, receiver_name: str, message: object) -> CallOutcome:
        self.require_login()
        self.require_wifi()
        if len(self.inbox) >= self.capacity:
            return self.refuse(
                "The memory for messages is full; one has to be deleted first.", "短信内存已满，需要先删除一条短信。"
            )
        sender = required(self.people, sender_name, UNKNOWN_SENDER)
        receiver = required(self.people, receiver_name, UNKNOWN_RECEIVER)
        self.counter += 1
        self.inbox[self.counter] = {
            "sender_id": sender["user_id"],
            "receiver_id": receiver["user_id"],
            "message": message,
        }
        return self.done("The message was sent.", "短信已发送。")

    @function
    def delete_message(self, message_id: int) -> CallOutcome:
        self.require_login()
        required(self.inbox, message_id, NO_SUCH_MESSAGE)
        del self.inbox[message_id]
        return self.done("The message was deleted.", "短信已删除。")

    @function
    def view_messages_between_users(self, sender_name: str, receiver_name: str) -> CallOutcome:
        """What one person has sent to another; not what came back."""
        self.require_login()
        sender = required(self.people, sender_name, UNKNOWN_SENDER)
        receiver = required(self.people, receiver_name, UNKNOWN_RECEIVER)
        found = [
            {"id": number, "sender": sender_name, "receiver": receiver_name, "message": message["message"]}
            for number, message in self.inbox.items()
            if (message["sender_id"], message["receiver_id"]) == (sender["user_id"], receiver["user_id"])
        ]
        return self.done(*MESSAGES_FOUND, messages=found) if found else self.refuse(*NO_SUCH_MESSAGE)

    @function
    def search_messages(self, user_name: str, keyword: object) -> CallOutcome:
        """A person's messages, sent or received, that contain a word."""
        person = required(self.people, user_name, ("Nobody of that name is known.", "没有这个人。"))
        found = [
            {"id": number, **{key: message.get(key) for key in ("sender_id", "receiver_id", "message")}}
            for number, message in self.inbox.items()
            if person["user_id"] in (message["sender_id"], message["receiver_id"])
            and lowered(keyword) in lowered(message["message"])
        ]
        return self.done(*MESSAGES_FOUND, messages=found) if found else self.refuse(*NO_SUCH_MESSAGE)

    @function
    def get_all_message_times_with_ids(self) -> CallOutcome:
        self.require_login()
        return CallOutcome(CallStatus.NONE, self._times())

    @function
    def get_latest_message_id(self) -> CallOutcome:
        self.require_login()
        if not self.inbox:
            return self.refuse(*NO_MESSAGES)
        times = self._times()
        # What was sent here is newer than every message of the table, whatever their dates say.
        sent = [number for number in self.inbox if number not in times]
        return self.done(*MESSAGES_FOUND, message_id=max(sent) if sent else max(times, key=times.__getitem__))

    @function
    def get_earliest_message_id(self) -> CallOutcome:
        self.require_login()
        if not self.inbox:
            return self.refuse(*NO_MESSAGES)
        times = self._times()
        return self.done(*MESSAGES_FOUND, message_id=min(times, key=times.__getitem__) if times else min(self.inbox))

    def _times(self) -> dict[int, str]:
        """The times of the messages that have one; a message without one breaks the public environment."""
        times = {number: message["time"] for number, message in self.inbox.items() if "time" in message}
        if len(times) < len(self.inbox) and not self.exact:
            raise Defect("a message has no time", "有短信没有时间")
        return times


NO_REMINDER = "There is no such reminder.", "没有符合条件的提醒。"
REMINDERS_FOUND = "Reminders were found.", "已找到提醒。"


class ReminderApi(PhoneEnvironment):
    """A short list of reminders. A call names one by its place in the list (1, 2, ...), not by the id in the record."""

    name, saved = "ReminderApi", ("reminder_list",)

    def set_up(self, table: ReminderTable, config: Json) -> None:  # noqa: ARG002 - only food takes a configuration
        self.capacity, self.counter = table["max_capacity"], table["reminder_id_counter"]
        self.reminder_list: dict[int, Reminder] = table["reminder_list"]

    def hidden(self) -> frozenset[str]:
        """Both are Chinese only; `exact` has the search in both languages, since all entries offer it."""
        if self.language == "zh":
            return frozenset()
        return frozenset({"mark_as_notified"} if self.exact else {"mark_as_notified", "search_reminders"})

    @function
    def view_reminder_by_title(self, title: object) -> CallOutcome:
        self.require_login()
        for reminder in self.reminder_list.values():
            if reminder["title"] == title:
                return self.done(*REMINDERS_FOUND, reminder=reminder)
        return self.refuse(*NO_REMINDER)

    @function
    def add_reminder(self, title: object, description: object, time: object) -> CallOutcome:
        self.require_login()
        if len(self.reminder_list) >= self.capacity:
            return self.refuse("No more reminders fit in.", "提醒已满。")
        self.counter += 1
        self.reminder_list[self.counter] = {
            "reminder_id": self.counter,
            "title": title,
            "description": description,
            "time": time,
            "notified": False,
        }
        return self.done("The reminder was added.", "提醒已添加。")

    @function
    def delete_reminder(self, reminder_id: int) -> CallOutcome:
        self.require_login()
        required(self.reminder_list, reminder_id, NO_REMINDER)
        del self.reminder_list[reminder_id]
        return self.done("The reminder was deleted.", "提醒已删除。")

    @function
    def view_all_reminders(self) -> CallOutcome:
        if not self.reminder_list:
            return self.refuse(*NO_REMINDER)
        shown = [_without(reminder, "reminder_id") for reminder in self.reminder_list.values()]
        return self.done(*REMINDERS_FOUND, reminders=shown)

    @function
    def mark_as_notified(self, reminder_id: int) -> CallOutcome:
        reminder = required(self.reminder_list, reminder_id, NO_REMINDER)
        reminder["notified"] = True
        return self.done("The reminder is marked.", "提醒已标记。")

    @function
    def search_reminders(self, keyword: object) -> CallOutcome:
        """Reminders whose title or description contains a word; a match breaks the public environment."""
        found = [
            _without(reminder, "reminder_id", "notified")
            for reminder in self.reminder_list.values()
            if lowered(keyword) in lowered(reminder["title"]) or lowered(keyword) in lowered(reminder["description"])
        ]
        if not found:
            return self.refuse(*NO_REMINDER)
        if not self.exact:
            raise Defect("the search is out of order", "查找功能出现故障")
        return self.done(*REMINDERS_FOUND, reminders=found)


def _without(reminder: Reminder, *names: str) -> Json:
    return {key: value for key, value in reminder.items() if key not in names}


NO_MERCHANT = "There is no such merchant.", "没有这个商家。"
NO_ORDERS = "There are no such orders.", "没有符合条件的订单。"
ORDERS_FOUND = "Orders were found.", "已找到订单。"


class FoodPlatform(PhoneEnvironment):
    """Orders are paid from an account's balance. Nothing is delivered."""

    name, saved = "FoodPlatform", ("users", "logged_in_users", "orders")

    def set_up(self, table: FoodTable, config: Json) -> None:
        self.merchants, self.must_leave_some = table["merchant_list"], table["balance_must_exceed_total"]
        self.users = table["users"]
        self.orders: list[FoodOrder] = table["orders"]
        names = config.get("logged_in_users")
        self.logged_in_users: list[str] = list(names) if isinstance(names, list) else []

    @function
    def login_food_platform(self, username: str, password: object) -> CallOutcome:
        self.require_wifi()
        account = required(self.users, username, ("There is no such account.", "没有这个账户。"))
        if account["password"] != password:
            return self.refuse("The password is wrong.", "密码错误。")
        if username in self.logged_in_users:
            return self.refuse("The account is logged in already.", "该账户已登录。")
        self.logged_in_users.append(username)
        return self.done("The account is logged in.", "账户已登录。")

    @function
    def view_logged_in_users(self) -> CallOutcome:
        if not self.logged_in_users:
            return self.refuse("Nobody is logged in.", "没有已登录的账户。")
        return self.done("These accounts are logged in.", "以下账户已登录。", logged_in_users=self.logged_in_users)

    @function
    def check_balance(self, user_name: object) -> CallOutcome:
        account = find(self.users, user_name)
        return CallOutcome(CallStatus.NONE, account["balance"] if account else 0.0)

    @function
    def add_food_delivery_order(self, username: str, merchant_name: str, items: object) -> CallOutcome:
        if username not in self.logged_in_users:
            return self.refuse("The account is not logged in.", "该账户尚未登录。")
        merchant = required(self.merchants, merchant_name, NO_MERCHANT)
        prices = {entry["product"]: entry["price"] for entry in reversed(merchant["menu"])}
        ordered: list[Item] = []
        total = 0.0
        for item in members(items):
            ordered.append(_line(item, prices))
            total += ordered[-1]["price_per_unit"] * ordered[-1]["quantity"]
        account = find(self.users, username)
        if account is None:
            raise Impossible("there is no such account", "没有这个账户")
        if total > account["balance"] or (total == account["balance"] and self.must_leave_some):
            return self.refuse("The balance does not suffice.", "余额不足。")
        account["balance"] -= total
        order = FoodOrder(user_name=username, merchant_name=merchant_name, items=ordered, total_price=total)
        self.orders.append(order)
        return self.done("The order was placed.", "订单已提交。", order=order)

    @function
    def get_products(self, merchant_name: object) -> CallOutcome:
        return CallOutcome(CallStatus.NONE, required(self.merchants, merchant_name, NO_MERCHANT)["menu"])

    @function
    def view_orders(self, user_name: object) -> CallOutcome:
        found = [order for order in self.orders if order["user_name"] == user_name]
        return self.done(*ORDERS_FOUND, orders=found) if found else self.refuse(*NO_ORDERS)

    @function
    def search_orders(self, keyword: object) -> CallOutcome:
        """Orders by merchant or product. The public Chinese environment breaks where it would look at products."""
        found = []
        for order in self.orders:
            word = lowered(keyword)
            if word in lowered(order["merchant_name"]):
                found.append(order)
            elif order["items"] and self.language == "zh" and not self.exact:
                raise Defect("the search is out of order", "查找功能出现故障")
            elif any(word in lowered(item["product"]) for item in order["items"]):
                found.append(order)
        return self.done(*ORDERS_FOUND, orders=found) if found else self.refuse(*NO_ORDERS)


def _line(item: object, prices: dict[str, float]) -> Item:
    """One line of an order; Refused or Impossible where there cannot be one."""
    if not isinstance(item, dict):
        raise Impossible("an item is no record of product and quantity", "某一项不是商品与数量的记录")
    product, quantity = item.get("product"), item.get("quantity", 1)
    if not isinstance(quantity, int) or number(quantity) <= 0:
        raise Refused("A quantity must be a whole number above 0.", "数量必须是大于 0 的整数。")
    if not isinstance(product, str) or product not in prices:
        raise Refused("The merchant does not offer this product.", "该商家没有这种商品。")
    return {"product": product, "quantity": quantity, "price_per_unit": prices[product]}
