"""The options of a run that ACEBench has."""

from __future__ import annotations

from typing import Annotated, Literal

from toolgauge.benchmarks.acebench.data.categories import select_categories
from toolgauge.benchmarks.options import BenchmarkOptions, option

Style = Literal["prompt", "native"]


class AceOptions(BenchmarkOptions, frozen=True):
    """categories: names or groups. max_turns: messages of an agent's conversation."""

    categories: Annotated[
        tuple[str, ...],
        option(
            "Categories or groups (normal, special, agent, atom, multi_turn), by commas.",
            flag="category",
            selects=True,
        ),
    ] = ()
    style: Annotated[
        Style,
        option(
            "Calls as text (prompt, the published way and the default), or native.",
            in_conversation="native",
        ),
    ] = "prompt"
    max_turns: Annotated[int, option("Maximum messages of an agent's conversation.", ge=1, rare=True)] = 40

    def __post_init__(self) -> None:
        """Raise UsageError for an unknown category."""
        select_categories(self.categories)
