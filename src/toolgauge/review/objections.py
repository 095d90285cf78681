"""What a judge objected to, of the generation or of `toolgauge judge`: it stands in a session's origin, a verdict for
each task, and holds for what the judge read. An edit of that withdraws it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from toolgauge.analysis.judgments import Judgment
from toolgauge.chat import Json
from toolgauge.generation.dialogue import ArgumentVerdict, Ruling, Verdict
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
        if was != now:
            verdict.pop("unmet", None)
            verdict.pop("repeated", None)
        if task and was[0] != now[0] and verdict.get("needs_earlier") is False:
            verdict.update(needs_earlier=True, reason=WITHDRAWN)


def add_judgments(record: Json, judgments: Sequence[Judgment], tasks: int) -> None:
    """Put what a judge said later into a record that has no verdicts of its own. Of several judges the last counts."""
    origin = record.setdefault("origin", {})
    if not isinstance(origin, dict) or origin.get(JUDGED):
        return
    verdicts: list[Json | None] = [None] * tasks
    for one in judgments:
        number = one.task.rpartition("/")[2]
        if number.isascii() and number.isdigit() and int(number) < tasks:
            verdicts[int(number)] = msgspec.to_builtins(_verdict(one))
    origin[JUDGED] = verdicts


def _verdict(judgment: Judgment) -> Verdict:
    return Verdict(
        answer_agrees=not judgment.answer,
        answer_reason=judgment.answer,
        arguments=tuple(
            ArgumentVerdict(one.call, one.path, one.value, Ruling.WRONG, one.reason) for one in judgment.values
        ),
        unmet=judgment.unmet,
        repeated=tuple(one.call for one in judgment.repeated),
    )


def verdicts_in(origin: object) -> Iterator[Verdict | None]:
    """The verdicts in a session's origin, task by task; None where there is another thing in their place."""
    listed = origin.get(JUDGED) if isinstance(origin, dict) else None
    for one in listed if isinstance(listed, list) else ():
        try:
            yield msgspec.convert(one, Verdict | None)
        except msgspec.ValidationError:
            yield None


def objects(verdict: Verdict, is_first: bool) -> bool:
    """Does a judge object to a task? is_first: nothing came before it."""
    wrong = any(one.ruling in (Ruling.WRONG, Ruling.UNASKED) for one in verdict.arguments)
    return wrong or not verdict.answer_agrees or bool(verdict.unmet) or not (is_first or verdict.needs_earlier)
