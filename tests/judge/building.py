"""Small sessions and runs for the judge's tests: a graph in a line, a run in a line."""

from __future__ import annotations

import json
from typing import Any

from toolgauge.benchmarks.dialogues.judge.scorings import judge_mmtb, judge_wildtoolbench
from toolgauge.chat import Json, Reply, Tool, ToolCall
from toolgauge.data.session import ASK, FINAL, Acceptance, Call, Reference, Session, Task, TaskType
from toolgauge.judge.replies import AnnotatedTask
from toolgauge.judge.verdict import Verdict

Node = tuple[str, Json, list[int]]
TEXT = Reply("done")


def tool(name: str, **properties: Json) -> Tool:
    """A tool whose parameters are all optional, apart from those that say so."""
    required = [key for key, schema in properties.items() if schema.pop("needed", False)]
    return Tool(name, name, {"type": "object", "properties": properties, "required": required})


def session(nodes: list[Node], *tools: Tool, kind: TaskType = TaskType.MIXED_TOOLS) -> Session:
    """One task with these nodes; a closing reply that depends on all sinks is added."""
    used = {other for _, _, after in nodes for other in after}
    sinks = tuple(index for index in range(len(nodes)) if index not in used)
    calls = [
        Call(index, name, arguments, tuple(after), {"of": index}, "as you like" if name == ASK else None)
        for index, (name, arguments, after) in enumerate(nodes)
    ]
    calls.append(Call(len(nodes), FINAL, {"answer_type": "tool" if nodes else "chat"}, sinks, "that is it"))
    task = Task(0, "please", kind, Reference.FIRST_TURN, tuple(calls))
    names = dict.fromkeys(name for name, _, _ in nodes if name != ASK)
    offered = tools or tuple(tool(name, x={"type": "string"}, n={"type": "integer"}) for name in names)
    return Session("s", "en", "2024-07-10 09:30:00 Wednesday", offered, (task,))


def call(name: str, arguments: Any = None, **named: Any) -> ToolCall:
    """A call with these arguments (as JSON text), or with `arguments` as they are."""
    return ToolCall(f"id_{name}", name, json.dumps(named) if arguments is None else arguments)


def annotated(arguments: Json, acceptance: Acceptance | None = None) -> Call:
    """An annotated call, for argument rules."""
    return Call(0, "trip", arguments, (), "", acceptance=acceptance)


def calls(*made: ToolCall) -> Reply:
    return Reply(None, made)


def judge(what: Session, *replies: Reply) -> dict[str, Verdict]:
    return judge_wildtoolbench(AnnotatedTask(what, what.tasks[0]), replies)


def judge_as_mmtb(what: Session, *replies: Reply) -> dict[str, Verdict]:
    return judge_mmtb(AnnotatedTask(what, what.tasks[0]), replies)


def labels(verdicts: dict[str, Verdict]) -> dict[str, str]:
    return {scoring: verdict.label for scoring, verdict in verdicts.items()}
