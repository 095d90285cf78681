"""What a run may spend, in tokens and in money; what earlier commands of the same run spent counts too."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from toolgauge.chat import Usage
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.models.model import Model

Pricing = Callable[[str, Usage], float | None]
"""US dollars for so many tokens of one of the run's models (by its name there), None where its price is not known."""


class Spent(Struct, frozen=True):
    """Tokens, and what they cost in US dollars (None where a price is not known)."""

    tokens: int = 0
    cost: float | None = 0.0


class BudgetSpent(ToolgaugeError):
    """The next request would go beyond the budget."""


class Budget(Struct):
    """Counts usage against limits. max_cost: US dollars; max_tokens: input and output together."""

    price: Pricing
    max_cost: float | None = None
    max_tokens: int | None = None
    spent: dict[str, Usage] = {}

    @property
    def used(self) -> Usage:
        """Tokens of all models."""
        return sum(self.spent.values(), Usage())

    def check(self) -> None:
        """Raise BudgetSpent if nothing is left; requests under way may still overshoot by themselves."""
        if self.max_tokens is not None and (total := self.used.total) >= self.max_tokens:
            raise BudgetSpent(f"{total:,} tokens used, limits.max_tokens_total is {self.max_tokens:,}")
        if self.max_cost is not None and (self.cost or 0.0) >= self.max_cost:
            raise BudgetSpent(f"${self.cost:.2f} spent, --max-cost is ${self.max_cost:.2f}")

    @property
    def is_spent(self) -> bool:
        try:
            self.check()
        except BudgetSpent:
            return True
        return False

    def require_prices(self, models: Mapping[str, Model]) -> None:
        """Raise UsageError where a limit in dollars meets a model without a known price."""
        for name, model in models.items():
            if self.max_cost is not None and self.price(name, Usage()) is None:
                raise UsageError(f"--max-cost: no price is known for {model.name}; use --set limits.max_tokens_total=N")

    def add(self, name: str, usage: Usage) -> None:
        self.spent[name] = self.spent.get(name, Usage()) + usage

    @property
    def so_far(self) -> Spent:
        """All of it."""
        return Spent(self.used.total, self.cost)

    @property
    def cost(self) -> float | None:
        """US dollars of all models; None where one of them has no known price."""
        parts = [self.price(name, usage) for name, usage in self.spent.items()]
        costs = [part for part in parts if part is not None]
        return sum(costs) if len(costs) == len(parts) else None


def pricing(models: Mapping[str, Model], shares: Mapping[str, float] = {}) -> Pricing:
    """List prices of a run's models, those in `shares` times their share."""
    from toolgauge.models.prices import cost

    def price(name: str, usage: Usage) -> float | None:
        full = cost(models[name].name, usage, models[name].describe().get("base_url"))
        return None if full is None else full * shares.get(name, 1.0)

    return price
