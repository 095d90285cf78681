"""Which tables ACEBench's board has, and which published number stands beside which of ours."""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.analysis.numbers import Metrics, names_in
from toolgauge.locale import _
from toolgauge.report.display import Column, SubBoard, column, further


def ace_boards(metrics: Sequence[Metrics]) -> tuple[SubBoard, ...]:
    paper = "acebench_accuracy"
    overall = Column(
        "overall", (("published", "overall"), ("overall", "overall")), (paper, "overall"), drawn=True, digits=1
    )
    groups = [
        Column(group, (("published", group), ("groups", group)), (paper, group), drawn=True, digits=1)
        for group in ("normal", "special", "agent")
    ]
    categories = [
        column("categories", row, None, f"group_{row.partition('_')[0]}", digits=1)
        for row in names_in("categories", metrics)
        if not row.endswith(("_process", "_detection"))
    ]
    return (
        SubBoard(
            "overall",
            (overall, *groups),
            "overall",
            about=_("The mean of each group's categories, and their weighted mean."),
        ),
        SubBoard("categories", tuple(categories), heat=True),
        SubBoard("mistakes", tuple(further("error_types", (), metrics)), heat=True),
    )
