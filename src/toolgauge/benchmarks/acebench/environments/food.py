"""FoodPlatform: accounts with money, merchants with menus, orders."""

from __future__ import annotations

from toolgauge.benchmarks.acebench.data.tables import FoodOrder, FoodTable, Item
from toolgauge.benchmarks.acebench.environments.environment import (
    CallOutcome,
    CallStatus,
    Defect,
    Impossible,
    Refused,
    find,
    function,
    lowered,
    members,
    number,
    required,
)
from toolgauge.benchmarks.acebench.environments.phone import PhoneEnvironment
from toolgauge.chat import Json

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
