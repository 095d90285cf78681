"""What a run's models did first: the first reply of each conversation, as two runs are compared by."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b

import msgspec
from msgspec import Struct

from toolgauge.chat import Reply, Tool
from toolgauge.data.task_ids import parse_task_id
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.arguments import BadJson, read_arguments
from toolgauge.judge.verdict import Score
from toolgauge.models.dialects.pythonic import parse_lists
from toolgauge.models.dialects.turns import after_thinking
from toolgauge.models.endings import Ending, announces_calls, ending_of

Task = tuple[str, int | None]
"""The session, and which of its tasks; None for the whole session."""
Check = Callable[[object], bool]
"""Do arguments fit a tool?"""


class FirstReply(Struct, frozen=True):
    """What a model did first. calls: (tool, arguments as JSON in one spelling) of each call, sorted; valid: do all of
    them fit a tool on offer; None without calls, and where tools are offered in no way that could be checked. ending:
    why it ended ("calls", or an `Ending`), None where nobody said."""

    calls: tuple[tuple[str, str], ...]
    valid: bool | None
    ending: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.calls)


class Asked(Struct, frozen=True):
    """A task of a run, or a whole session. request: what stands for the first request; replies: those to it, a first
    reply of each epoch, in their order; right: of each scored task, epoch by epoch."""

    session: str
    replies: tuple[FirstReply, ...]
    right: tuple[bool, ...] = ()
    request: bytes = b""


def first_reply(reply: Reply, tools: Mapping[str, Check]) -> FirstReply:
    """What a reply did. tools: by name, whether arguments fit the tool; without any, calls are looked for in the text,
    as a benchmark asks for them that puts its tools into the prompt."""
    reason = reply.finish_reason
    ending = "calls" if announces_calls(reason) else ending_of(reason).value
    said = None if ending == Ending.UNSAID.value else ending
    if not (tools or reply.tool_calls):
        written = after_thinking(reply.content or "", parse_lists).calls
        calls = ((call.name or "", _spelling(json.loads(call.arguments))) for call in written)
        return FirstReply(tuple(sorted(calls)), None, said)
    made, valid = [], True
    for call in reply.tool_calls:
        arguments = read_arguments(call.arguments)
        name = call.name if isinstance(call.name, str) else ""
        valid = valid and name in tools and not isinstance(arguments, BadJson) and tools[name](arguments)
        made.append((name, _spelling(call.arguments if isinstance(arguments, BadJson) else arguments)))
    return FirstReply(tuple(sorted(made)), valid if made else None, said)


def asked(trajectories: Iterable[Trajectory], scores: Iterable[Score] = (), scoring: str = "") -> dict[Task, Asked]:
    """What a run was asked, without epochs: tasks, or whole sessions where those were asked. scores: in this scoring.

    Raises ToolgaugeError for scores of whole sessions whose task ids are none.
    """
    right = _Right(scores, scoring)
    checks: dict[bytes, Mapping[str, Check]] = {}
    found: dict[Task, list[tuple[Trajectory, bytes, FirstReply]]] = {}
    for trajectory in trajectories:
        step = next((step for step in trajectory.steps if step.role == ASSISTANT), None)
        if step is None:
            continue
        offered = msgspec.json.encode(trajectory.tools)
        if offered not in checks:
            checks[offered] = {tool.name: _fits(tool) for tool in trajectory.tools}
        request = blake2b(offered + msgspec.json.encode(step.messages), digest_size=16).digest()
        key = trajectory.session_id, trajectory.task_index
        found.setdefault(key, []).append((trajectory, request, first_reply(step.reply, checks[offered])))
    tasks = {}
    for key, passes in found.items():
        passes.sort(key=lambda one: one[0].epoch)
        request = passes[0][1]  # a simulated user may have put it in other words in other epochs
        replies = tuple(reply for _trajectory, sent, reply in passes if sent == request)
        outcomes = (outcome for trajectory, _sent, _reply in passes for outcome in right.of(trajectory))
        tasks[key] = Asked(key[0], replies, tuple(outcomes), request)
    return tasks


class _Right:
    """Which tasks are right: found by the id of a task, or by the session and epoch of a whole session."""

    def __init__(self, scores: Iterable[Score], scoring: str) -> None:
        self._tasks: dict[str, bool] = {}
        self._sessions: dict[str, list[str]] = {}
        for score in scores:
            if (verdict := score.scorings.get(scoring)) is None:
                continue
            self._tasks[score.task_id] = verdict.correct
            self._sessions.setdefault(score.session_id, []).append(score.task_id)

    def of(self, trajectory: Trajectory) -> Iterator[bool]:
        if trajectory.task_index is not None:
            ids = [trajectory.task_id] if trajectory.task_id in self._tasks else []
        else:
            ids = [
                task_id
                for task_id in self._sessions.get(trajectory.session_id, ())
                if parse_task_id(task_id)[2] == trajectory.epoch
            ]
        return (self._tasks[task_id] for task_id in ids)


def _fits(tool: Tool) -> Check:
    """A check of a tool's arguments; a schema that is invalid or undecidable lets everything pass."""
    from toolgauge.data.validation import argument_validator

    validator = argument_validator(msgspec.json.encode(tool.parameters))
    if validator is None:
        return lambda _arguments: True
    return lambda arguments: not validator.check(arguments, 1).errors


def _spelling(arguments: object) -> str:
    """Arguments as JSON whose keys are in one order; of what is no JSON, what it is instead."""
    try:
        return json.dumps(arguments, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return repr(type(arguments))
