"""The shapes of what is shown: lines of the data files, and the material that several runs share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Raw, Struct

from toolgauge.chat import Message, Reply
from toolgauge.episode import Step
from toolgauge.judge.verdict import EXACT, NOT_JUDGEABLE, Score, Verdict
from toolgauge.reasons import Explanation
from toolgauge.report.task_views.divergence import Contrast, Divergence, contrast_of
from toolgauge.runs.lines import encode


class StepView(Struct, frozen=True, omit_defaults=True):
    """One request and its reply. messages: those added for it, as places in the chunk's pool of messages (from 0) or,
    as -1, -2, ..., in that of the shared material. news: of a prompt that repeats the conversation, what is new.
    turn: of the user's, from 0."""

    reply: Reply
    messages: tuple[int, ...] = ()
    role: str = "assistant"
    news: str | None = None
    turn: int = 0


class VerdictView(Struct, frozen=True, omit_defaults=True):
    """What is shown of a verdict; fields are called as in `Verdict`."""

    label: str
    action_label: str
    optimal: bool
    progress: tuple[int, int]
    mistake: str | None = None
    why: Explanation | None = None
    wrong_arguments: tuple[tuple[str, str], ...] = ()
    process: float | None = None

    @staticmethod
    def of(verdict: Verdict) -> VerdictView:
        return VerdictView(
            verdict.label,
            verdict.action_label,
            verdict.optimal,
            verdict.progress,
            verdict.mistake,
            verdict.why,
            verdict.wrong_arguments or (),
            verdict.process if isinstance(verdict.process, float) else None,
        )


class CauseView(Struct, frozen=True, omit_defaults=True):
    """What is shown of why a task is wrong in a scoring (`Score.cause`). contrast: what a sentence about it names."""

    mistake: str
    why: Explanation | None = None
    contrast: Contrast | None = None


Causes: TypeAlias = Mapping[str, CauseView]
"""Why a task is wrong, by the scorings in which it is."""


def causes_of(score: Score, divergence: Divergence) -> dict[str, CauseView]:
    """Why a task is wrong; divergence: where it went wrong."""
    found: dict[str, CauseView] = {}
    exact = score.scorings.get(EXACT)
    wrong = [(scoring, verdict) for scoring, verdict in score.scorings.items() if not verdict.correct]
    for scoring, verdict in wrong:
        if found and exact is not None and not exact.correct:  # which says it in every scoring
            found[scoring] = next(iter(found.values()))
        elif cause := score.cause(scoring):
            told = verdict if exact is None or exact.correct else exact
            contrast = None if cause.mistake == NOT_JUDGEABLE else contrast_of(divergence, told)
            found[scoring] = CauseView(cause.mistake, cause.why, contrast)
    return found


class JudgmentView(Struct, frozen=True, omit_defaults=True):
    """What a model said of the task as judge. objections: in its words; repeated: tools that were called again for what
    was known."""

    judge: str
    objections: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()


class TaskView(Struct, frozen=True, omit_defaults=True):
    """One task of one run.

    material: number of the shared chunk, key: of the task's annotation in its session there, tools: place of the
    offered tools there (None: none). before: messages ahead of this task's, in an episode over a whole session.
    causes: by the scorings in which it is wrong.
    comparison: expected against actual (none without a data set or replies); facts: what else the trajectory tells;
    mentioned: the annotated facts that the reply mentions.
    lacking: "data" (no data set), "replies" (nothing was said), or both. reason: why the task could not be asked.
    judgments: of models as judges.
    """

    task_id: str
    session_id: str
    key: str
    material: int
    epoch: int = 0
    tools: int | None = None
    before: tuple[int, ...] = ()
    turns: tuple[StepView, ...] = ()
    verdicts: dict[str, VerdictView] = {}
    causes: dict[str, CauseView] = {}
    comparison: object = None
    stopped: str | None = None
    facts: dict[str, object] = {}
    mentioned: object = None
    lacking: tuple[str, ...] = ()
    reason: str | None = None
    judgments: tuple[JudgmentView, ...] = ()


class TaskListRow(Struct, frozen=True, omit_defaults=True):
    """What the list shows of a task besides its scores.

    text: what the user wanted; tools: names that were called; route: the kinds of the session's tasks up to this one,
    with ">" between them.
    """

    text: str = ""
    kind: str = ""
    type: str = ""
    reference: str = ""
    position: int | None = None
    tools: tuple[str, ...] = ()
    steps: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    latency: float = 0.0
    route: str = ""


class Pool:
    """Values in the order of their first appearance, each once, encoded."""

    def __init__(self) -> None:
        self.items: list[Raw] = []
        self._places: dict[bytes, int] = {}

    def place(self, value: object) -> int:
        """Where the value stands; it is put at the end if it is new."""
        raw = encode(value)
        known = self._places.get(raw)
        if known is None:
            known = self._places[raw] = len(self.items)
            self.items.append(Raw(raw))
        return known


class SharedSession:
    """What all runs on a session have in common: tools, opening messages, annotations by key."""

    def __init__(self, session_id: str, chunk: int) -> None:
        self.id, self.chunk = session_id, chunk
        self.messages, self.tools = Pool(), Pool()
        self.tasks: dict[str, Raw] = {}

    def annotate(self, key: str, annotation: object) -> None:
        if key not in self.tasks:
            self.tasks[key] = Raw(encode(annotation))

    def content(self) -> dict[str, object]:
        keys = [encode(key) for key in self.tasks]
        tasks = b",".join(b"%s:%s" % (key, bytes(raw)) for key, raw in zip(keys, self.tasks.values(), strict=True))
        fields = {"messages": self.messages.items, "tools": self.tools.items, "tasks": Raw(b"{%s}" % tasks)}
        return {"id": Raw(encode(self.id)), **fields}


def turns_of(steps: Iterable[Step], shared: Pool, own: Pool, *, is_opening_shared: bool) -> list[StepView]:
    """Steps with their messages pooled: system messages, and those that open a task over its gold history, are the
    same in every run and go to the shared pool."""
    turns = []
    for number, step in enumerate(steps):
        everybodys = is_opening_shared and not number
        places = tuple(_place(message, shared, own, everybodys) for message in step.messages)
        turns.append(StepView(step.reply, places, step.role, turn=step.turn))
    return turns


def _place(message: Message, shared: Pool, own: Pool, everybodys: bool) -> int:
    if everybodys or message.role == "system":
        return -1 - shared.place(message)
    return own.place(message)


def last_words(steps: Sequence[Step]) -> str:
    """The user's last message before the first reply: what is wanted, where no data set tells."""
    messages = steps[0].messages if steps else ()
    return next((message.content or "" for message in reversed(messages) if message.role == "user"), "")


def said(steps: Sequence[Step], calls: Iterable[str], role: str = "assistant") -> dict[str, object]:
    """The columns of a list row that tell what was said; tokens and latency (s) of the measured model only."""
    replies = [step.reply for step in steps if step.role == role]
    return {
        "tools": tuple(dict.fromkeys(calls)),
        "steps": len(replies),
        "input_tokens": sum(reply.usage.input_tokens for reply in replies),
        "output_tokens": sum(reply.usage.output_tokens for reply in replies),
        "latency": round(sum(reply.seconds for reply in replies), 3),
    }


class Shown(Struct, frozen=True):
    """A task of a trajectory, ready for its chunk: the id, the list's row and everything the task view needs of it.
    divergence: where it went wrong, as far as the data set tells."""

    task_id: str
    row: TaskListRow
    fields: dict[str, Any]
    divergence: Divergence = Divergence()


def called_names(steps: Iterable[Step]) -> list[str]:
    """The names of native calls, in order."""
    return [str(call.name) for step in steps for call in step.reply.tool_calls if call.name]
