"""What the requests of a generation cost, by what became of them: dialogues, rejected attempts, nothing yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from toolgauge.chat import Usage
from toolgauge.runs.budget import Pricing
from toolgauge.runs.store import RoleMap

Answered = tuple[str, Usage]
"""A request that was answered: the role that was asked, and the tokens."""


class Spent(Struct, frozen=True):
    """cost: US dollars, None where a price is not known."""

    requests: int = 0
    input: int = 0
    output: int = 0
    cost: float | None = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.output


class Spending(Struct, frozen=True):
    """accepted: on the dialogues that are in the files; rejected: on attempts, by the reason for which they were;
    repairs: of both together, on what was made again; unfinished: on dialogues that are under way."""

    accepted: Spent = Spent()
    rejected: dict[str, Spent] = {}
    repairs: Spent = Spent()
    unfinished: Spent = Spent()

    @property
    def all_rejected(self) -> Spent:
        each = self.rejected.values()
        costs = [one.cost for one in each if one.cost is not None]
        return Spent(
            sum(one.requests for one in each),
            sum(one.input for one in each),
            sum(one.output for one in each),
            sum(costs) if len(costs) == len(each) else None,
        )


class Purse:
    """Adds up requests, by the model that answered."""

    def __init__(self, role_map: RoleMap, price: Pricing) -> None:
        self._role_map, self._price = role_map, price
        self.requests = 0
        self.tokens: dict[str, Usage] = {}

    def add(self, key: str, answered: Iterable[Answered]) -> None:
        """Requests of the slot `key`."""
        for role, usage in answered:
            member = self._role_map(key, role)
            self.tokens[member] = self.tokens.get(member, Usage()) + usage
            self.requests += 1

    def spent(self) -> Spent:
        whole = sum(self.tokens.values(), Usage())
        cost = total_price(self._price, self.tokens)
        return Spent(self.requests, whole.input_tokens, whole.output_tokens, cost)


def total_price(price: Pricing, spent: Mapping[str, Usage]) -> float | None:
    """US dollars for the tokens of several models; None where the price of one is not known."""
    parts = [price(member, usage) for member, usage in spent.items()]
    known = [part for part in parts if part is not None]
    return round(sum(known, 0.0), 6) if len(known) == len(parts) else None
