"""What the judge of the generation objected to holds for what it read: an edit of that withdraws it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from toolgauge.chat import Json
from toolgauge.generation.graph import JUDGED

WITHDRAWN = "edited since"
"""The reason in a verdict that was an objection before."""

Said = tuple[object, bytes]
"""Of a task: what the user asked for; its calls, results and texts as JSON."""


def said(record: Json, prefix: str) -> list[Said]:
    """What the judge reads of each task of a record."""
    return [
        (utterance, msgspec.json.encode([(node["action"], node.get("observation")) for node in nodes]))
        for utterance, nodes in zip(record[f"{prefix}tasks"], record[f"{prefix}answer_list"], strict=True)
    ]


def withdraw_objections(record: Json, before: Sequence[Said], after: Sequence[Said]) -> None:
    """Take the judge's objections out of a record's verdicts where what they are about is something else now."""
    origin = record.get("origin")
    listed = origin.get(JUDGED) if isinstance(origin, dict) else None
    verdicts = listed if isinstance(listed, list) else []
    for task, (verdict, was, now) in enumerate(zip(verdicts, before, after, strict=False)):
        if not isinstance(verdict, dict):
            continue
        if was != now and verdict.get("answer_agrees") is False:
            verdict.update(answer_agrees=True, answer_reason=WITHDRAWN)
        if task and was[0] != now[0] and verdict.get("needs_earlier") is False:
            verdict.update(needs_earlier=True, reason=WITHDRAWN)
