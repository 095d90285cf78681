"""The papers' tables as rows of LaTeX: which numbers stand in which column."""

from __future__ import annotations

from toolgauge.report.display import LatexTable


def _columns(table: str, rows: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((row, table, row) for row in rows.split())


_KINDS = _columns("by_type", "single multi clarify chat")
_ORDER = tuple((f"task{position}", "by_order", str(position)) for position in range(1, 5))
_OVERALL = _columns("overall", "task_accuracy session_accuracy")
_ORCHESTRATION = (
    *_columns("orchestration", "acc_parallel acc_sequential acc_mixed acc_overall"),
    *(
        (name, "orchestration", f"{name}_as_published")
        for name in ("ap_sequential", "ap_mixed", "ap_overall")
    ),
    *_columns("orchestration", "op_parallel op_mixed op_overall"),
)  # fmt: skip
_MISTAKES = _columns(
    "mistakes_paper",
    "refusal wrong_name_missing_info wrong_refusal redundant_call call_error early_termination param_type_error "
    "param_hallucination param_value_error",
)
_LAYERS = tuple(
    (f"{kind}{turn}", "layers", f"{kind}@{turn}")
    for turn in (*"1234", "all")
    for kind in ("single", "multi", "clarify", "chat", "all")
)
_CHANGES = tuple(
    (f"{name}{count}", table, count)
    for name, table in (("types", "transitions"), ("groups", "transitions_two_groups"))
    for count in "0123"
)
_DISTANCES = tuple((f"back{count}", "by_distance", count) for count in "123")
_FURTHER = (
    LatexTable("changes of task type, by four types and by two groups (WildToolBench, Figure 7)", _CHANGES),
    LatexTable("type by turn (MMTB, heat map)", _LAYERS),
    LatexTable("hidden information by the number of tasks back", _DISTANCES),
)
WILDTOOLBENCH = (
    LatexTable("WildToolBench, Table 2", (*_KINDS, *_ORDER, *_OVERALL)),
    LatexTable("WildToolBench, Table 3", _ORCHESTRATION),
    LatexTable("WildToolBench, Table 4 (percent of failed tasks)", _MISTAKES),
    LatexTable("WildToolBench, Figure 6", _columns("references", "later partial_information coreference long_range")),
    *_FURTHER,
)
MMTB = (
    LatexTable(
        "MMTB, action types",
        (
            *_columns("by_type", "single chat clarify"),
            *((f"multi_{name}", "orchestration", f"acc_{name}") for name in ("parallel", "sequential", "mixed")),
            ("optimal_path_rate", "orchestration", "op_overall"),
            ("accomplished_progress", "orchestration", "ap_overall_as_published"),
        ),
    ),
    LatexTable(
        "MMTB, subtypes",
        (
            ("implicit", "subtypes", "coreference"),
            ("ellipsis", "subtypes", "partial_information"),
            ("long_term", "subtypes", "long_range"),
        ),
    ),
    LatexTable("MMTB, overall", (("overall_accuracy", "overall", "task_accuracy"),)),
    *_FURTHER,
)
