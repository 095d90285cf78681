"""captures.jsonl: what each agent was told and what it replied, for training agents of one's own.

Kept are all calls of users and assistants, the planner's and the tools' that were accepted, and the checker's; not the
replies that could not be read, and not the requests of filters after the dialogue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from toolgauge.annotation.dialogue import Dialogue, Speaker
from toolgauge.chat import Message
from toolgauge.episode import Step, Trajectory
from toolgauge.generation.attempts import attempts_of
from toolgauge.generation.formats.raw import env_info
from toolgauge.generation.pseudo import pseudo_tools

LATER_USERS = ("user_answer_ask", "user_vague_answer_ask", "user_continue_question")
"""Users who know the dialogue; all others open it and are told neither the time nor what was said."""
_CHECKED = {"planner": Speaker.PLANNER, "tool": Speaker.TOOL}


class TracedStep(Struct, frozen=True):
    """A step with the whole of its request."""

    step: Step
    messages: tuple[Message, ...]


def captures(trajectory: Trajectory, dialogue: Dialogue) -> Iterator[dict[str, object]]:
    """The lines of one accepted dialogue in captures.jsonl, in the order in which agents were asked."""
    first = first_step(trajectory)
    asked = _of_dialogue(requests(trajectory)[first:])
    accepted = {role: _accepted(dialogue, speaker) for role, speaker in _CHECKED.items()}
    for this, following in pairwise([*asked, None]):
        assert this is not None, "only the end is none"
        if following is not None and _is_again(this, following):
            continue
        if this.step.role in accepted and not next(accepted[this.step.role], False):
            continue
        yield _capture(this, dialogue)


def requests(trajectory: Trajectory) -> list[TracedStep]:
    """All steps with their requests: a step has only the messages that differ from the role's request before."""
    before: dict[str, tuple[Message, ...]] = {}
    asked = []
    for step in trajectory.steps:
        earlier = before.get(step.role, ())
        messages = earlier[: step.kept] + step.messages
        before[step.role] = messages
        asked.append(TracedStep(step, messages))
    return asked


def first_step(trajectory: Trajectory) -> int:
    """The number of the first step of the last attempt; those before it were given up."""
    attempts = attempts_of(trajectory)
    return attempts[-2].steps if len(attempts) > 1 else 0


def _of_dialogue(asked: Sequence[TracedStep]) -> list[TracedStep]:
    """Up to the assistant's last words; what follows was asked by filters."""
    last = max((number for number, one in enumerate(asked) if one.step.role == "agent"), default=-1)
    return list(asked[: last + 1])


def _accepted(dialogue: Dialogue, speaker: Speaker) -> Iterator[bool]:
    """Of each try of the planner or the tools that was made here, whether it stood."""
    return iter(
        [entry.accepted for entry in dialogue.entries if entry.speaker is speaker and entry.task >= dialogue.earlier]
    )


def _is_again(this: TracedStep, following: TracedStep) -> bool:
    """Was the same asked once more, because the reply could not be read?"""
    same = (this.step.role, this.step.agent) == (following.step.role, following.step.agent)
    return same and this.messages == following.messages


def _capture(asked: TracedStep, dialogue: Dialogue) -> dict[str, object]:
    step = asked.step
    opens = step.role == "user" and step.agent not in LATER_USERS
    pseudo = pseudo_tools(dialogue.language) if step.role == "planner" else ()
    return {
        "id": dialogue.id,
        "task": step.agent,
        "tools": [tool.wire() for tool in (*dialogue.tools, *pseudo)],
        "env_info": None if opens else env_info(dialogue),
        "messages": [message.wire() for message in asked.messages],
        "answer": step.reply.content or "",
    }
