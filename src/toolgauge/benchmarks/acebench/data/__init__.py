"""ACEBench's data: 17 categories in two languages, and the tables of the agents' environments."""

from toolgauge.benchmarks.acebench.data.categories import (
    CATEGORIES,
    GROUPS,
    AceCategory,
    category_of,
    select_categories,
)
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry, AceFunction
from toolgauge.benchmarks.acebench.data.load import load_acebench

__all__ = [
    "CATEGORIES",
    "GROUPS",
    "AceCategory",
    "AceDataset",
    "AceEntry",
    "AceFunction",
    "category_of",
    "load_acebench",
    "select_categories",
]
