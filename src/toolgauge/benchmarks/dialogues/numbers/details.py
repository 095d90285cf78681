"""details.csv: a row per task for spreadsheets, with the columns of MMTB's analysis and ours behind them
(docs/rules.md#mmtbs-analyses).

Written while the trajectories stream by, so memory does not grow with what was said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from toolgauge.analysis.cells import cell, write_rows
from toolgauge.analysis.facet import Facet, facet_cells, facet_columns
from toolgauge.benchmarks.dialogues.judge.released import NameRun
from toolgauge.benchmarks.dialogues.judge.scorings import MMTB_CLASSES
from toolgauge.benchmarks.dialogues.numbers.facets import DialogueTask
from toolgauge.benchmarks.dialogues.numbers.tables import lengths, task_steps
from toolgauge.chat import Message
from toolgauge.data.session import ASK, Call, Dataset, Reference, Session, Task, TaskType
from toolgauge.data.task_ids import parse_task_id
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.graph import CallGraph
from toolgauge.judge.replies import TEXT, annotated_task, published_turns
from toolgauge.judge.searches import judged_replies
from toolgauge.judge.values import exact_faults
from toolgauge.judge.verdict import CORRECT, EXACT, NOT_JUDGEABLE, Score, Verdict, scoring_names
from toolgauge.judge.wrong_arguments import as_rows, wrong_arguments

ORIGINAL_COLUMNS = (
    "id", "idx", "type", "single_type", "turn_type", "turn_subtype", "messages_length", "tools", "messages",
    "answer_list", "answer_result", "predict_result", "complete_rate", "error_type", "param_predict_label",
    "predict_is_optimal", "predict_label",
)  # fmt: skip
OUR_COLUMNS = (
    "task_id", "epoch", "kind", "task_type", "reference", "shape", "steps", "input_tokens", "output_tokens", "latency",
    "planted",
)  # fmt: skip
WRONG_COLUMN = "wrong_arguments"
"""All wrong arguments of the calls that made a task fail by `exact`, with both values and the reason, as JSON."""
FACT_COLUMNS = ("facts", "facts_mentioned", "facts_missing")
"""Where any facts are annotated."""
SCORING_COLUMNS = ("label", "action_label", "optimal", "progress", "mistake", "detail")
"""Per scoring, as `<scoring>_<column>`."""

KIND_CODES = {"single": "单", "multi": "多", "clarify": "反", "chat": "拒"}
REFERENCE_CODES = {
    Reference.COREFERENCE: "指代理解",
    Reference.PARTIAL_INFORMATION: "省略成分",
    Reference.LONG_RANGE: "长期记忆",
}
"""MMTB's codes (docs/files.md#mmtbs-format), in the columns that MMTB named."""

Row = dict[str, object]

RECENT = 256
"""Sessions of which the cell with the tools, the longest one, is kept: their tasks share it."""
_CHAINED = (TaskType.SEQUENTIAL_TOOLS, TaskType.MIXED_TOOLS)
_CLASSES = {mistake.value: name for mistake, name in MMTB_CLASSES.items()}


def write_details(
    path: Path,
    dataset: Dataset,
    scores: Sequence[Score],
    trajectories: Iterable[Trajectory],
    rule: ArgumentRule = exact_faults,
    facets: Sequence[Facet] = (),
) -> None:
    """Write a row per task, in the order of the trajectories; scored tasks without one follow at the end.

    Columns of the original hold what the scoring behind the published numbers says: `tables`, else `released`.
    `answer_result` stays empty: the labels of each scoring stand beside it. rule: about values, the benchmark's;
    facets: those that have a column.
    Raises StoreError if it cannot be written.
    """
    scorings = scoring_names(scores)
    judged = (f"{name}_{column}" for name in scorings for column in SCORING_COLUMNS)
    has_facts = any(task.facts for session in dataset.sessions for task in session.tasks)
    own = (*facet_columns(facets), *(FACT_COLUMNS if has_facts else ()))
    names = (*ORIGINAL_COLUMNS, *OUR_COLUMNS, WRONG_COLUMN, *own, *judged)
    write_rows(path, names, _rows(dataset, scores, trajectories, rule, facets))


def write_as_published(
    path: Path, dataset: Dataset, scores: Sequence[Score], trajectories: Iterable[Trajectory]
) -> None:
    """MMTB's data_with_details.csv, cell by cell as its analysis writes them: 17 columns, no text but as indented JSON.

    Raises StoreError if it cannot be written.
    """
    rows = (_as_published(dataset, row) for row in _rows(dataset, scores, trajectories, exact_faults, (), matched=True))
    write_rows(path, ORIGINAL_COLUMNS, rows)


def _as_published(dataset: Dataset, row: Row) -> Row:
    """The original's rules for what it counts otherwise than we do.

    An optimal run makes as many requests as the longest chain of calls has, right names alone counted; the complete
    rate of a task of several dependent calls counts what was called before the end, after wrong arguments all.
    """
    task = dataset.by_id[str(row["id"])].tasks[int(str(row["idx"]))]
    steps = cast("list[dict[str, Any]]", row.get("predict_result") or [])
    names_right, right = row.get("predict_label") == CORRECT, row.get("param_predict_label") == CORRECT
    graph = CallGraph([call.name for call in task.calls], [call.after for call in task.calls])
    made = {
        "turn_type": str(row["turn_type"]),
        "turn_subtype": row["turn_subtype"] if row["turn_type"] else None,
        "predict_is_optimal": str(names_right and len(steps) == graph.depth),
    }
    if task.shape in _CHAINED:
        counted = steps if names_right else steps[:-1]
        called = sum(len(step["tool_calls"] or [None]) for step in counted)
        made["complete_rate"] = len(task.calls) if right else called
    values = {column: made.get(column, row.get(column)) for column in ORIGINAL_COLUMNS}
    return {
        column: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        for column, value in values.items()
    }


def _rows(
    dataset: Dataset,
    scores: Sequence[Score],
    trajectories: Iterable[Trajectory],
    rule: ArgumentRule,
    facets: Sequence[Facet],
    matched: bool = False,
) -> Iterator[Row]:
    """matched: with the annotated calls that each step was matched with (`answer_result`)."""
    scorings = scoring_names(scores)
    left = {score.task_id: score for score in scores}

    @lru_cache(RECENT)
    def tools_of(session_id: str) -> str:
        return cell([tool.wire() for tool in dataset.by_id[session_id].tools])

    for trajectory in trajectories:
        session = dataset.by_id.get(trajectory.session_id)
        if session is None:
            continue
        for index, steps, before in task_steps(trajectory, len(session.tasks)):
            score = left.pop(session.task_id(index, trajectory.epoch), None)
            row = _row(session, session.tasks[index], trajectory.epoch, score, scorings)
            row.update(_said(steps, before), tools=tools_of(session.id))
            if matched:
                row["answer_result"] = _matched(session, index, steps)
            row |= facet_cells(facets, DialogueTask(session, session.tasks[index], *lengths(steps, before)))
            if score is not None and score.cause(EXACT):
                replies = judged_replies(session, [step.reply for step in steps])
                found = wrong_arguments(annotated_task(session, index), rule, replies)
                row[WRONG_COLUMN] = as_rows(found) or None
            yield row
    for score in left.values():
        session_id, index, epoch = parse_task_id(score.task_id)
        session = dataset.by_id.get(session_id)
        if session is not None and index < len(session.tasks):
            row = _row(session, session.tasks[index], epoch, score, scorings) | {"tools": tools_of(session.id)}
            yield row | facet_cells(facets, DialogueTask(session, session.tasks[index]))


def _row(session: Session, task: Task, epoch: int, score: Score | None, scorings: Sequence[str]) -> Row:
    """What is known without the trajectory."""
    verdicts = score.scorings if score else {}
    row: Row = {
        "id": session.id,
        "idx": task.index,
        "type": [KIND_CODES[other.type.kind] for other in session.tasks],
        "single_type": KIND_CODES[task.type.kind],
        "turn_type": task.index > 0 and task.true_multi_turn,
        "turn_subtype": REFERENCE_CODES.get(task.reference),
        "answer_list": [_gold(call) for call in task.calls],
        "task_id": session.task_id(task.index, epoch),
        "epoch": epoch,
        "kind": task.type.kind,
        "task_type": task.type.value,
        "reference": task.reference.value,
        "shape": task.shape.value if task.shape else None,
    }
    shown = verdicts.get("tables") or verdicts.get("released") or next(iter(verdicts.values()), None)
    if shown is not None:
        row.update(_labels(task, shown))
    if score is not None and score.facts:
        found = score.facts
        row |= {"facts": found.total, "facts_mentioned": found.mentioned, "facts_missing": list(found.missing)}
    for scoring in scorings:
        row.update(_verdict(scoring, verdicts.get(scoring)))
        if score is not None and not score.is_judgeable(scoring):
            row[f"{scoring}_label"] = NOT_JUDGEABLE
    return row


def _labels(task: Task, verdict: Verdict) -> Row:
    """The original's columns of labels. It counts progress in sequential and mixed tasks only."""
    failed = verdict.mistake if not verdict.correct else None
    return {
        "complete_rate": verdict.progress[0] if task.shape in _CHAINED else None,
        "error_type": _CLASSES.get(failed, failed) if failed else None,
        "param_predict_label": verdict.label,
        "predict_is_optimal": str(verdict.optimal),
        "predict_label": verdict.action_label,
    }


def _verdict(scoring: str, verdict: Verdict | None) -> Row:
    if verdict is None:
        return {}
    values = {column: getattr(verdict, column) for column in SCORING_COLUMNS}
    values["progress"] = list(verdict.progress)  # as JSON: spreadsheets take 1/2 for a date
    return {f"{scoring}_{column}": value for column, value in values.items()}


def _said(steps: Sequence[Step], before: int) -> Row:
    """What the trajectory tells. before: messages of the conversation before these steps."""
    replies = [step.reply for step in steps]
    messages: list[Message] = [message for step in steps for message in step.messages]
    return {
        "messages_length": before + len(steps[0].messages) if steps else 0,
        "messages": [message.wire() for message in messages] + [reply.message().wire() for reply in replies[-1:]],
        "predict_result": [
            {"step": number, "content": reply.content, "tool_calls": [call.wire() for call in reply.tool_calls] or None}
            for number, reply in enumerate(replies)
        ],
        "steps": len(steps),
        "input_tokens": sum(reply.usage.input_tokens for reply in replies),
        "output_tokens": sum(reply.usage.output_tokens for reply in replies),
        "latency": round(sum(reply.seconds for reply in replies), 3),
        "planted": next((reply.planted for reply in replies if reply.planted), None),
    }


def _matched(session: Session, index: int, steps: Sequence[Step]) -> list[Row]:
    """The annotated calls that the released matching of names found in each step, as MMTB's result files hold them."""
    run = NameRun(annotated_task(session, index), published_turns(step.reply for step in steps))
    found: list[Row] = []
    for number, (turn, nodes) in enumerate(zip(run.turns, run.steps, strict=False)):
        calls = sorted((session.tasks[index].calls[node] for node in nodes), key=lambda call: call.name)
        answer: Row = {"action": [{"name": call.name, "arguments": call.arguments} for call in calls]}
        if turn.kind == TEXT:
            answer["observation"] = calls[0].observation
            if calls[0].name == ASK:
                answer["user_input"] = calls[0].user_input
        found.append({"step": number, "answer_function_list": answer})
    return found


def _gold(call: Call) -> Row:
    """An annotated call as the original files write it."""
    node: Row = {
        "idx": call.index,
        "action": {"name": call.name, "arguments": call.arguments},
        "dependency_list": list(call.after),
        "observation": call.observation,
    }
    return node | ({"user_input": call.user_input} if call.user_input is not None else {})
