"""FoodPlatform: accounts with money, merchants with menus, orders."""

from __future__ import annotations

from typing import Any, TypedDict

from toolgauge.benchmarks.acebench.environments.base import WIFI_ON, PhoneEnvironment
from toolgauge.benchmarks.acebench.environments.declaration import (
    CallOutcome,
    CallStatus,
    Condition,
    Parameter,
    function,
)
from toolgauge.benchmarks.acebench.environments.environment import read_table
from toolgauge.benchmarks.acebench.environments.values import Defect, Impossible, find, lowered, members, number
from toolgauge.benchmarks.acebench.environments.words import BilingualText
from toolgauge.chat import Json


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
    """balance_must_exceed_total: an order may not cost the whole balance (the Chinese table)."""

    users: dict[str, Account]
    merchant_list: dict[str, Merchant]
    logged_in_users: list[str]
    orders: list[FoodOrder]
    balance_must_exceed_total: bool


USER = Parameter("username", "string", BilingualText("Name of the account.", "账户的用户名。"))
OWNER = Parameter("user_name", "string", BilingualText("Name of the account.", "账户的用户名。"))
MERCHANT = Parameter("merchant_name", "string", BilingualText("Name of the merchant.", "商家的名称。"))
ITEMS = Parameter(
    "items",
    "array",
    BilingualText("What is ordered.", "要订的商品。"),
    fields=(
        Parameter("product", "string", BilingualText("Name of the product, as on the menu.", "商品名称，与菜单一致。")),
        Parameter("quantity", "integer", BilingualText("How many.", "数量。")),
    ),
)
MERCHANT_KNOWN = Condition(
    BilingualText("There is no such merchant.", "没有这个商家。"),
    lambda here, given: find(here.merchants, given["merchant_name"]) is not None,
)
NO_ORDERS = BilingualText("There are no such orders.", "没有符合条件的订单。")
ORDERS = BilingualText("Orders were found.", "已找到订单。")


class FoodPlatform(PhoneEnvironment):
    name = "FoodPlatform"
    section = "food"
    saved = ("users", "logged_in_users", "orders")

    def set_up(self, table: Any) -> None:
        read = read_table(table, FoodTable, self.section)
        self.merchants, self.must_leave_some = read["merchant_list"], read["balance_must_exceed_total"]
        self.state = {part: read[part] for part in ("users", "logged_in_users", "orders")}

    def configure(self, section: Json) -> None:
        names = section.get("logged_in_users")
        self.state["logged_in_users"] = list(names) if isinstance(names, list) else []

    @property
    def users(self) -> dict[str, Account]:
        users: dict[str, Account] = self.state["users"]
        return users

    @function(
        BilingualText("Logs an account in on the food platform.", "登录外卖平台。"),
        USER,
        Parameter("password", "string", BilingualText("Its password.", "账户的密码。")),
        WIFI_ON,
        Condition(
            BilingualText("There is no such account.", "没有这个账户。"),
            lambda here, given: find(here.users, given["username"]) is not None,
        ),
        Condition(
            BilingualText("The password is wrong.", "密码错误。"),
            lambda here, given: here.users[given["username"]]["password"] == given["password"],
        ),
        Condition(
            BilingualText("The account is logged in already.", "该账户已登录。"),
            lambda here, given: given["username"] not in here.state["logged_in_users"],
        ),
    )
    def login_food_platform(self, username: str, password: str) -> CallOutcome:  # noqa: ARG002 - checked above
        self.state["logged_in_users"].append(username)
        return self.done(BilingualText("The account is logged in.", "账户已登录。"))

    @function(
        BilingualText("Shows which accounts are logged in.", "查看已登录的账户。"),
        Condition(
            BilingualText("Nobody is logged in.", "没有已登录的账户。"),
            lambda here, _: bool(here.state["logged_in_users"]),
        ),
    )
    def view_logged_in_users(self) -> CallOutcome:
        words = BilingualText("These accounts are logged in.", "以下账户已登录。")
        return self.done(words, logged_in_users=self.state["logged_in_users"])

    @function(BilingualText("Tells the balance of an account.", "查询账户的余额。"), OWNER)
    def check_balance(self, user_name: Any) -> CallOutcome:
        account = find(self.users, user_name)
        return CallOutcome(CallStatus.NONE, account["balance"] if account else 0.0)

    @function(
        BilingualText("Orders food from one merchant.", "在一个商家订外卖。"),
        USER,
        MERCHANT,
        ITEMS,
        Condition(
            BilingualText("The account is not logged in.", "该账户尚未登录。"),
            lambda here, given: given["username"] in here.state["logged_in_users"],
        ),
        MERCHANT_KNOWN,
    )
    def add_food_delivery_order(self, username: str, merchant_name: str, items: Any) -> CallOutcome:
        prices = {entry["product"]: entry["price"] for entry in reversed(self.merchants[merchant_name]["menu"])}
        ordered: list[Item] = []
        total = 0.0
        for item in members(items):
            line = _line(item, prices)
            if isinstance(line, BilingualText):
                return self.refuse(line)
            ordered.append(line)
            total += line["price_per_unit"] * line["quantity"]
        account = find(self.users, username)
        if account is None:
            raise Impossible(BilingualText("there is no such account", "没有这个账户"))
        if total > account["balance"] or (total == account["balance"] and self.must_leave_some):
            return self.refuse(BilingualText("The balance does not suffice.", "余额不足。"))
        account["balance"] -= total
        order = FoodOrder(user_name=username, merchant_name=merchant_name, items=ordered, total_price=total)
        self.state["orders"].append(order)
        return self.done(BilingualText("The order was placed.", "订单已提交。"), order=order)

    @function(BilingualText("Shows what a merchant offers.", "查看商家的商品。"), MERCHANT, MERCHANT_KNOWN)
    def get_products(self, merchant_name: str) -> CallOutcome:
        return CallOutcome(CallStatus.NONE, self.merchants[merchant_name]["menu"])

    @function(BilingualText("Shows the orders of an account.", "查看账户的订单。"), OWNER)
    def view_orders(self, user_name: Any) -> CallOutcome:
        found = [order for order in self.state["orders"] if order["user_name"] == user_name]
        return self.done(ORDERS, orders=found) if found else self.refuse(NO_ORDERS)

    @function(
        BilingualText("Finds orders by merchant or product.", "按商家或商品查找订单。"),
        Parameter("keyword", "string", BilingualText("The word to look for.", "要查找的关键词。")),
    )
    def search_orders(self, keyword: Any) -> CallOutcome:
        found = [order for order in self.state["orders"] if self._matches(order, keyword)]
        return self.done(ORDERS, orders=found) if found else self.refuse(NO_ORDERS)

    def _matches(self, order: FoodOrder, keyword: Any) -> bool:
        word = lowered(keyword)
        if word in lowered(order["merchant_name"]):
            return True
        if order["items"] and not self.rules.orders_by_product:
            raise Defect(BilingualText("the search is out of order", "查找功能出现故障"))
        return any(word in lowered(item["product"]) for item in order["items"])


def _line(item: Any, prices: dict[str, float]) -> Item | BilingualText:
    """One line of an order, or why there cannot be one."""
    if not isinstance(item, dict):
        raise Impossible(BilingualText("an item is no record of product and quantity", "某一项不是商品与数量的记录"))
    product, quantity = item.get("product"), item.get("quantity", 1)
    if not isinstance(quantity, int) or number(quantity) <= 0:
        return BilingualText("A quantity must be a whole number above 0.", "数量必须是大于 0 的整数。")
    if not isinstance(product, str) or product not in prices:
        return BilingualText("The merchant does not offer this product.", "该商家没有这种商品。")
    return {"product": product, "quantity": quantity, "price_per_unit": prices[product]}
